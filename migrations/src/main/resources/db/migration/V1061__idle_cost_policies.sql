SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What becomes of the cost of capacity that no job used, from a month on; it belongs to the installation, not to a tenant. What a
-- row says never changes and no row goes, since statements follow from it: no role may update or delete.
CREATE TABLE idle_cost_policy (
  seq            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  from_month     text        COLLATE "C" NOT NULL CHECK (from_month ~ '^[0-9]{4}-[0-9]{2}$'),
  idle           text        NOT NULL CHECK (idle IN ('APART', 'BY_USE', 'BY_QUOTA')),
  out_of_service text        NOT NULL CHECK (out_of_service IN ('APART', 'BY_USE', 'BY_QUOTA')),
  weights        jsonb       NOT NULL,
  recorded_by    text        NOT NULL,
  recorded_at    timestamptz NOT NULL
);
GRANT SELECT, INSERT ON idle_cost_policy TO fairlead_loops;
