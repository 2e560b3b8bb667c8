SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The context of an event is an array, because the names of its members were a tenth of the row: name and user of the job, the nodes of its
-- attempt, their number, and the names of project and cluster.
ALTER TABLE event NO FORCE ROW LEVEL SECURITY;
UPDATE event
SET context = jsonb_build_array(
  context -> 'job', context -> 'user', context -> 'nodes', context -> 'nodeCount', context -> 'project', context -> 'cluster')
WHERE context IS NOT NULL;
ALTER TABLE event FORCE ROW LEVEL SECURITY;
