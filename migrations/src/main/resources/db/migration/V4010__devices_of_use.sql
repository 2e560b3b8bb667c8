SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Returns the UUID of each held GPU, in order of their indexes, null if it is not known. Like MemberDevices: sources that disagree
-- leave the devices unknown, and so does a source that contradicts the UUIDs that Fairlead chose.
-- held: GPUs of a member as in its row, reports: its devices according to each source.
CREATE FUNCTION fairlead_devices(held jsonb, reports jsonb) RETURNS text[]
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
      WHEN s.sources > 1 THEN array_fill(NULL::text, ARRAY[h.gpus])
      WHEN h.chosen AND (s.sources = 0 OR s.uuids = h.uuids) THEN h.slots
      WHEN NOT h.chosen AND s.devices = h.gpus AND s.parts = CASE WHEN h.whole THEN 0 ELSE s.devices END THEN s.uuids
      ELSE array_fill(NULL::text, ARRAY[h.gpus])
    END
  FROM (
    SELECT count(*)::int AS gpus, array_agg(g ->> 'serial' ORDER BY (g ->> 'index')::int) AS slots,
           array_agg(DISTINCT (g ->> 'serial') COLLATE "C" ORDER BY (g ->> 'serial') COLLATE "C") AS uuids,
           bool_and((g ->> 'milli')::int = 1000) AS whole,
           bool_and(g ->> 'serial' ~ '^(GPU|gpu)-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$') AS chosen
    FROM jsonb_array_elements(held) AS g
  ) AS h, (
    SELECT count(DISTINCT r -> 'devices')::int AS sources, count(DISTINCT d ->> 'gpu')::int AS devices,
           count(DISTINCT d ->> 'gpu') FILTER (WHERE (d ->> 'part')::boolean)::int AS parts,
           array_agg(DISTINCT (d ->> 'gpu') COLLATE "C" ORDER BY (d ->> 'gpu') COLLATE "C") AS uuids
    FROM jsonb_array_elements(reports) AS r
    CROSS JOIN LATERAL jsonb_array_elements(r -> 'devices') AS d
  ) AS s
$$;

-- UUIDs in the order of gpus, each null if it is not known. Null for slices without a known GPU, and for rows of earlier versions.
ALTER TABLE usage_interval ADD COLUMN devices text[];
-- A statement names devices by their serial numbers.
GRANT SELECT ON gpu_device TO fairlead_app;
