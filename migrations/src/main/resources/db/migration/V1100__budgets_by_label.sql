SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The labels that a job had when an attempt of it took GPUs. Its use counts by them, also when the job is in the archive; they
-- go with the intervals of use. No reference to the attempt, as in budget_charge.
CREATE TABLE attempt_label (
  attempt uuid  PRIMARY KEY,
  tenant  uuid  NOT NULL,
  labels  jsonb NOT NULL
);
ALTER TABLE attempt_label ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempt_label FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON attempt_label TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON attempt_label TO fairlead_loops USING (true);
GRANT SELECT ON attempt_label TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON attempt_label TO fairlead_loops;

-- A budget may count the jobs with one label; none for those with any. There are few rows, so
-- their indexes are built in no time.
ALTER TABLE budget ADD COLUMN label_key text COLLATE "C", ADD COLUMN label_value text COLLATE "C";
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX budget_of_label ON budget (tenant, label_key, label_value) WHERE label_key IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX budget_of_whole_scope ON budget (
  tenant, coalesce(project, '00000000-0000-0000-0000-000000000000'), coalesce(queue, '00000000-0000-0000-0000-000000000000'),
  coalesce(used_by, '')) WHERE label_key IS NULL;

-- What runs now has the labels of its job. Attempts that a replica of before starts meanwhile have none.
SET LOCAL ROLE fairlead_loops;
INSERT INTO attempt_label (attempt, tenant, labels)
SELECT t.id, j.tenant, j.labels
FROM attempt t
JOIN job j ON j.id = t.job
WHERE t.live AND j.labels <> '{}' AND EXISTS (SELECT FROM gpu_held h WHERE h.attempt = t.id)
ON CONFLICT DO NOTHING;
