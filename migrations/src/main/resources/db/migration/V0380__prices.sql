SET LOCAL ROLE fairlead_owner;

-- The price book. What a row says never changes and no row goes, so that bills may refer to its id for ever: no role may
-- update or delete. The cluster may be gone, and a pool is named as nodes name it, so nothing is referred to.
CREATE TABLE price (
  id            uuid        PRIMARY KEY,
  cluster       uuid,
  pool          text        COLLATE "C",
  model         text        COLLATE "C",
  capacity_type text        CHECK (capacity_type IN ('RESERVED', 'ON_DEMAND', 'SPOT')),
  micros        bigint      NOT NULL CHECK (micros BETWEEN 0 AND 1000000000000),
  currency      text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  valid_from    timestamptz NOT NULL,
  valid_to      timestamptz CHECK (valid_to > valid_from),
  replaces      uuid        UNIQUE REFERENCES price,
  recorded_at   timestamptz NOT NULL CHECK (recorded_at <= valid_from)
);

-- A tenant sees the prices of the pools that it sees: the policy of pools answers for it.
ALTER TABLE price ENABLE ROW LEVEL SECURITY;
ALTER TABLE price FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON price FOR SELECT TO fairlead_app
  USING (pool IS NULL OR EXISTS (SELECT FROM pool p WHERE p.name = price.pool));
CREATE POLICY all_tenants ON price TO fairlead_loops USING (true);
GRANT SELECT ON price TO fairlead_app;
GRANT SELECT, INSERT ON price TO fairlead_loops;
