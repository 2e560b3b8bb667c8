-- Seconds until the first future day without a partition of events or audit records, 0 for today.
SELECT greatest(0, extract(epoch FROM min(day AT TIME ZONE 'UTC') - now()))::bigint
FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC'), now() AT TIME ZONE 'UTC' + interval '40 days',
    interval '1 day') AS day,
  (VALUES ('event'), ('audit_record')) AS parent (name)
WHERE to_regclass(parent.name || '_d' || to_char(day, 'YYYYMMDD')) IS NULL
