SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Attempts of a tenant that are idle, and those that were reclaimed. Its table is new with this version and has few rows; what the
-- indexes have changes only when an attempt begins or ends to be idle.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX attempt_efficiency_idle ON attempt_efficiency (tenant, idle_since) WHERE idle_since IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX attempt_efficiency_reclaimed ON attempt_efficiency (tenant) WHERE reclaimed IS NOT NULL;
