SET LOCAL ROLE fairlead_owner;

-- How many limits a node has, so that a read which brings fewer of them is told from a node without limits, which is
-- unlimited. Null where it is not known: written by a version that did not count.
ALTER TABLE quota_node ADD COLUMN limit_count int;

SET LOCAL ROLE fairlead_loops;
UPDATE quota_node n SET limit_count = (SELECT count(*) FROM quota_limit l WHERE l.node = n.id);
