SELECT EXISTS (SELECT FROM job WHERE phase = 'QUEUED')
    OR EXISTS (
      SELECT FROM job
      WHERE active AND state = 'RUNNING' AND progress IS NOT NULL
        AND (progress ->> 'elements')::int > (progress ->> 'live')::int + (progress ->> 'succeeded')::int
            + (progress ->> 'failed')::int + (progress ->> 'cancelled')::int)
