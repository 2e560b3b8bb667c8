-- Age in seconds of the oldest row of each kind that may be deleted beyond its retention.
SELECT kind, extract(epoch FROM now() - since)::bigint AS seconds
FROM (VALUES
  ('JOBS', (SELECT j.ended_at FROM job j
            WHERE NOT j.active AND NOT EXISTS (SELECT FROM attempt a WHERE a.job = j.id AND a.retired_at IS NULL)
            ORDER BY j.ended_at LIMIT 1)),
  ('IDEMPOTENCY_KEYS', (SELECT min(created_at) FROM idempotency_key)),
  ('TOKENS', (SELECT least(expires_at, revoked_at) FROM api_token
              WHERE least(expires_at, revoked_at) < now() ORDER BY least(expires_at, revoked_at) LIMIT 1)),
  ('OPERATIONS', (SELECT min(ended_at) FROM operation)),
  ('EXPLANATIONS', (SELECT min(e.computed_at) FROM explanation e
                    WHERE NOT EXISTS (SELECT FROM job_explanation m WHERE m.class_key = e.class_key))),
  ('EVENTS', (SELECT e.at FROM event e ORDER BY e.incarnation, e.xid, e.seq LIMIT 1)),
  ('HEALTH_EVENTS', (SELECT min(received_at) FROM health_event)),
  ('INCIDENTS', least((SELECT min(ended_at) FROM incident), (SELECT min(at) FROM hang))),
  ('DEVICES', (SELECT min(d.last_seen) FROM gpu_device d
               WHERE NOT EXISTS (SELECT FROM incident i WHERE i.gpu = d.uuid))),
  ('USAGE', least(to_timestamp(least((SELECT min(ended_ms) FROM usage_interval),
                                     (SELECT min(ended_ms) FROM gpu_interval),
                                     (SELECT min(ended_ms) FROM wait_interval)) / 1000),
                  (SELECT min(hour) FROM service_key_hour))),
  ('DECISIONS', (SELECT d.at FROM job_decision d
                 WHERE NOT EXISTS (SELECT FROM config_document l
                                   WHERE l.kind = 'LIMITS' AND l.tenant = d.tenant AND l.project IS NULL
                                     AND l.body #>> '{values,DECISION_DAYS}' IS NOT NULL)
                   AND NOT EXISTS (SELECT FROM legal_hold h WHERE h.tenant = d.tenant)
                 ORDER BY d.at LIMIT 1)),
  ('PREEMPTION_COUNTS', (SELECT min(day)::timestamptz FROM preemption_count)),
  ('EFFICIENCY', (SELECT min(since) FROM attempt_efficiency)),
  ('CONFIG_VERSIONS', (SELECT min(at) FROM config_version))) AS kinds (kind, since)
WHERE since IS NOT NULL
