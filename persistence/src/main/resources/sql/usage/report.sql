-- Sums facts by any dimensions and periods. The facts of each day are found by the index, regardless of the number of days: its sum
-- where that suffices, otherwise its hours. The order by a tenant that is null finds the first and the last shared hour by use_fact_one.
-- With min and max, PostgreSQL reads hours of all tenants until it finds a shared one. With labels, labelled use counts in the groups of
-- its labels and is subtracted from the use, and the remainder has no label, so that the rows add up to the use regardless of the stored
-- labels. Values of a label beyond the :values largest are merged.
WITH part AS MATERIALIZED (
  SELECT k.kind, d.day_ms,
         CASE WHEN :days AND d.day_ms >= :from AND d.day_ms + 86400000 <= :to
                AND EXISTS (SELECT FROM usage_day_summed s WHERE s.day_ms = d.day_ms) THEN 'DAY' ELSE 'HOUR' END AS period
  FROM unnest(CAST(:kinds AS text[])) AS k (kind)
  CROSS JOIN LATERAL generate_series(
    (SELECT b.ms - b.ms % 86400000
     FROM (SELECT least(
             (SELECT min(i.start_ms) FROM use_fact i
              WHERE i.kind = k.kind AND i.period = 'HOUR' AND i.start_ms >= :from
                AND (CAST(:tenant AS uuid) IS NULL OR i.tenant = CAST(:tenant AS uuid))),
             (SELECT i.start_ms FROM use_fact i
              WHERE k.kind = 'RESERVED' AND i.kind = k.kind AND i.period = 'HOUR' AND i.tenant IS NULL AND i.start_ms >= :from
              ORDER BY i.tenant, i.start_ms
              LIMIT 1)) AS ms
           OFFSET 0) AS b),
    greatest(
      (SELECT max(i.start_ms) FROM use_fact i
       WHERE i.kind = k.kind AND i.period = 'HOUR' AND i.start_ms < :to
         AND (CAST(:tenant AS uuid) IS NULL OR i.tenant = CAST(:tenant AS uuid))),
      (SELECT i.start_ms FROM use_fact i
       WHERE k.kind = 'RESERVED' AND i.kind = k.kind AND i.period = 'HOUR' AND i.tenant IS NULL AND i.start_ms < :to
       ORDER BY i.tenant DESC, i.start_ms DESC
       LIMIT 1)),
    86400000) AS d (day_ms)
), summed AS (
  SELECT f.kind,
         CASE WHEN :step > 0 THEN f.start_ms - f.start_ms % :step
              ELSE (CAST(:begins AS bigint[]))[width_bucket(f.start_ms, CAST(:begins AS bigint[]))] END AS begin_ms,
         CASE WHEN :byTENANT THEN f.tenant END AS tenant,
         CASE WHEN :byPROJECT THEN f.project END AS project,
         CASE WHEN :byQUEUE THEN f.queue END AS queue,
         CASE WHEN :byUSER THEN f.used_by END AS used_by,
         CASE WHEN :byCLUSTER THEN f.cluster END AS cluster,
         CASE WHEN :byPOOL THEN f.pool END AS pool,
         CASE WHEN :byMODEL THEN f.model END AS model,
         CASE WHEN :byCAPACITY THEN f.capacity END AS capacity,
         CASE WHEN :bySERVICE THEN f.service END AS service,
         CASE WHEN :byOWNER THEN f.owner END AS owner,
         CASE WHEN :byDETAIL THEN f.detail END AS detail,
         CASE WHEN :labelled THEN coalesce(f.labels ->> CAST(:label1 AS text), '') END AS label1,
         CASE WHEN :labelled THEN coalesce(f.labels ->> CAST(:label2 AS text), '') END AS label2,
         CASE WHEN :labelled THEN coalesce(f.labels ->> CAST(:label3 AS text), '') END AS label3,
         sum(f.amount)::bigint AS amount
  FROM part
  CROSS JOIN LATERAL (
    SELECT i.*
    FROM use_fact i
    WHERE i.kind = part.kind AND i.period = part.period
      AND i.start_ms >= greatest(:from, part.day_ms) AND i.start_ms < least(:to, part.day_ms + 86400000)
      AND (CAST(:tenant AS uuid) IS NULL OR i.tenant = CAST(:tenant AS uuid) OR (:shared AND i.tenant IS NULL))
      AND (CAST(:ofPROJECT AS text) IS NULL OR i.project IN (SELECT unnest(CAST(:ofPROJECT AS uuid[]))))
      AND (CAST(:ofUSER AS text) IS NULL OR i.used_by IN (SELECT unnest(CAST(:ofUSER AS text[]))))
      AND (CAST(:ofPOOL AS text) IS NULL OR i.pool IN (SELECT unnest(CAST(:ofPOOL AS text[]))))
      AND (CAST(:ofCAPACITY AS text) IS NULL OR i.capacity IN (SELECT unnest(CAST(:ofCAPACITY AS text[]))))
      AND (CAST(:ofDETAIL AS text) IS NULL OR i.detail IN (SELECT unnest(CAST(:ofDETAIL AS text[]))))
      AND (CAST(:ofSERVICE AS text) IS NULL OR i.service = ANY (CAST(:ofSERVICE AS text[])))
    OFFSET 0) AS f
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
), ranked AS MATERIALIZED (
  SELECT v.n, v.value, row_number() OVER (PARTITION BY v.n ORDER BY v.amount DESC, v.value) AS rank
  FROM (
    SELECT grouping(s.label1, s.label2, s.label3) AS n, coalesce(s.label1, s.label2, s.label3) AS value, sum(s.amount) AS amount
    FROM summed s
    WHERE :labelled AND s.kind = 'LABELLED'
    GROUP BY GROUPING SETS (s.label1, s.label2, s.label3)) AS v
  WHERE v.value <> ''
), split AS (
  SELECT s.begin_ms, s.tenant, s.project, s.queue, s.used_by, s.cluster, s.pool, s.model, s.capacity, s.service, s.owner, s.detail,
         CASE WHEN (3, s.label1) IN (SELECT n, value FROM ranked WHERE rank > :values) THEN :other ELSE s.label1 END AS label1,
         CASE WHEN (5, s.label2) IN (SELECT n, value FROM ranked WHERE rank > :values) THEN :other ELSE s.label2 END AS label2,
         CASE WHEN (6, s.label3) IN (SELECT n, value FROM ranked WHERE rank > :values) THEN :other ELSE s.label3 END AS label3,
         s.amount
  FROM summed s
  WHERE :labelled
  UNION ALL
  SELECT s.begin_ms, s.tenant, s.project, s.queue, s.used_by, s.cluster, s.pool, s.model, s.capacity, s.service, s.owner, s.detail,
         '', '', '', -s.amount
  FROM summed s
  WHERE :labelled AND s.kind = 'LABELLED'
), rows AS (
  SELECT s.* FROM summed s WHERE NOT :labelled
  UNION ALL
  SELECT 'USE', s.begin_ms, s.tenant, s.project, s.queue, s.used_by, s.cluster, s.pool, s.model, s.capacity, s.service, s.owner,
         s.detail, s.label1, s.label2, s.label3, sum(s.amount)::bigint
  FROM split s
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
  HAVING sum(s.amount) <> 0
)
SELECT u.*, t.name AS tenant_name, p.name AS project_name, p.cost_centre, q.name AS queue_name,
       coalesce(c.name, r.name) AS cluster_name
FROM (SELECT * FROM rows LIMIT :limit) AS u
LEFT JOIN tenant t ON t.id = u.tenant
LEFT JOIN project p ON p.id = u.project
LEFT JOIN quota_node q ON q.id = u.queue
LEFT JOIN cluster c ON c.id = u.cluster
LEFT JOIN cluster_removed r ON r.id = u.cluster
ORDER BY CASE WHEN :timeFirst THEN u.begin_ms END,
         CASE WHEN :byTENANT THEN t.name END NULLS FIRST, CASE WHEN :byTENANT THEN u.tenant END,
         CASE WHEN :byPROJECT THEN p.name END, CASE WHEN :byPROJECT THEN u.project END,
         CASE WHEN :byQUEUE THEN q.name END, CASE WHEN :byQUEUE THEN u.queue END,
         CASE WHEN :byUSER THEN u.used_by END,
         CASE WHEN :byCLUSTER THEN coalesce(c.name, r.name) END, CASE WHEN :byCLUSTER THEN u.cluster END,
         CASE WHEN :byPOOL THEN u.pool END, CASE WHEN :byMODEL THEN u.model END, CASE WHEN :byCAPACITY THEN u.capacity END,
         CASE WHEN :bySERVICE THEN u.service END, CASE WHEN :byOWNER THEN u.owner END, CASE WHEN :byDETAIL THEN u.detail END,
         CASE WHEN :labelled THEN u.label1 END, CASE WHEN :labelled THEN u.label2 END, CASE WHEN :labelled THEN u.label3 END,
         u.begin_ms, u.kind
