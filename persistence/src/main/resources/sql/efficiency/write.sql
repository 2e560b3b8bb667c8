INSERT INTO attempt_efficiency
  (attempt, job, tenant, samples, mean, last, memory_peak_mib, joules, idle_since, since, sampled_at, warned_at,
   warned_reclaim_ms, reclaimed)
SELECT r.attempt, r.job, r.tenant, r.samples, r.mean, r.last, r.memory_peak_mib, r.joules, r.idle_since, r.since, r.sampled_at,
       r.warned_at, r.warned_reclaim_ms, CAST(r.reclaimed AS jsonb)
FROM json_to_recordset(CAST(:rows AS json))
  AS r (ord int, attempt uuid, job uuid, tenant uuid, samples bigint, mean double precision, last double precision,
        memory_peak_mib bigint, joules double precision, idle_since timestamptz, since timestamptz, sampled_at timestamptz,
        warned_at timestamptz, warned_reclaim_ms bigint, reclaimed text)
JOIN attempt a ON a.id = r.attempt
ORDER BY r.attempt
ON CONFLICT (attempt) DO UPDATE SET
  samples = excluded.samples, mean = excluded.mean, last = excluded.last, memory_peak_mib = excluded.memory_peak_mib,
  joules = excluded.joules, idle_since = excluded.idle_since, sampled_at = excluded.sampled_at,
  warned_at = excluded.warned_at, warned_reclaim_ms = excluded.warned_reclaim_ms, reclaimed = excluded.reclaimed
