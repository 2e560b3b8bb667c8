UPDATE volume AS v
SET state = 'CLAIMED', cluster = NULL, message = NULL, version = v.version + 1
WHERE v.state = 'PLACED'
  AND NOT EXISTS (
    SELECT
    FROM job AS j JOIN attempt AS a ON a.job = j.id
    WHERE j.project = v.project AND j.active AND j.mounts AND a.live AND a.cluster = v.cluster
      AND j.spec -> 'volumes' @> jsonb_build_array(jsonb_build_object('volume', v.name))
  )
