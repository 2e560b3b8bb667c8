SET LOCAL ROLE fairlead_owner;

-- Retention ends what keeps a machine out of use that is gone for long, and removes old incidents.
ALTER TABLE node_retired ADD COLUMN retired_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX incident_ended ON incident (ended_at) WHERE ended_at IS NOT NULL;
