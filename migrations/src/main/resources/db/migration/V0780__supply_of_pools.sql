SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- How a pool gets nodes from its supplier. Of the platform: no tenant's role sees it.
CREATE TABLE pool_supply (
  pool    uuid   PRIMARY KEY REFERENCES pool,
  content jsonb  NOT NULL,
  version bigint NOT NULL
);

-- What suppliers were asked, from before the first call until nothing of it is left. The rest stays for a while, since
-- what a supplier refused says when it is asked again.
CREATE TABLE supply_request (
  id         uuid        PRIMARY KEY,
  pool       uuid        NOT NULL REFERENCES pool_supply ON DELETE CASCADE,
  settled_at timestamptz,
  ended_at   timestamptz,
  content    jsonb       NOT NULL,
  version    bigint      NOT NULL
);
CREATE INDEX supply_request_of_pool ON supply_request (pool, id DESC);
CREATE INDEX supply_request_open ON supply_request (id) WHERE ended_at IS NULL;
CREATE INDEX supply_request_settled ON supply_request (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX supply_request_ended ON supply_request (ended_at) WHERE ended_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON pool_supply, supply_request TO fairlead_loops;
