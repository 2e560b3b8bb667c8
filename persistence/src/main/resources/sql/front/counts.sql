SELECT namespace, count(*) AS jobs FROM front_job WHERE cluster = :cluster GROUP BY namespace
