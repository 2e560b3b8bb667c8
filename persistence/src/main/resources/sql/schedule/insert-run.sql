INSERT INTO schedule_run (schedule, instant, tenant, outcome, job, owner, detail, instants, at)
VALUES (:schedule, :instant, :tenant, :outcome, :job, :owner, :detail, :instants, :at)
