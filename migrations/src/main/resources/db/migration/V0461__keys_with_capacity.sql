SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Whatever writes hours takes this row first, and waits here, with no lock that this transaction asks for below.
SELECT one FROM usage_mark FOR NO KEY UPDATE;

-- Reports go on while these are built. Replicas of before write hours without the new columns while they are replaced: one
-- row for each of their keys.
CREATE UNIQUE INDEX usage_hour_one ON usage_hour (tenant, hour_ms, project, queue, used_by, cluster, pool, model, capacity)
  NULLS NOT DISTINCT;
CREATE UNIQUE INDEX fleet_hour_one ON fleet_hour (hour_ms, cluster, pool, owner, model, capacity, bucket) NULLS NOT DISTINCT;

-- Hours that replicas of before wrote are found among those of a year.
CREATE INDEX usage_hour_unplaced ON usage_hour (hour_ms, tenant) WHERE cluster IS NULL;

-- The columns of a primary key stay NOT NULL without it. Readers wait from here to the end.
ALTER TABLE usage_hour DROP CONSTRAINT usage_hour_pkey;
ALTER TABLE fleet_hour DROP CONSTRAINT fleet_hour_pkey;
