SELECT DISTINCT j.name
FROM job AS j JOIN attempt AS a ON a.job = j.id
WHERE j.tenant = :tenant AND j.project = :project AND j.mounts
  AND (j.spec -> 'volumes' @> jsonb_build_array(jsonb_build_object('volume', CAST(:name AS text)))
    OR j.spec -> 'volumes' @> jsonb_build_array(jsonb_build_object('claim', CAST(:claim AS text))))
  AND CASE WHEN CAST(:since AS timestamptz) IS NULL THEN a.live
      ELSE (a.live OR a.ended_at >= CAST(:since AS timestamptz))
        AND EXISTS (
          SELECT
          FROM jsonb_array_elements(j.spec -> 'volumes') AS v (mounted)
          WHERE (v.mounted ->> 'volume' = :name OR v.mounted ->> 'claim' = :claim)
            AND NOT coalesce(CAST(v.mounted ->> 'readOnly' AS boolean), false)
        )
      END
ORDER BY j.name
LIMIT :most
