SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Maintenance of many nodes, some at a time. Of the platform: no tenant's role sees it. It outlives its nodes.
CREATE TABLE campaign (
  id       uuid        PRIMARY KEY,
  ended_at timestamptz,
  content  jsonb       NOT NULL,
  version  bigint      NOT NULL
);
CREATE INDEX campaign_open ON campaign (id) WHERE ended_at IS NULL;
CREATE INDEX campaign_ended ON campaign (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE campaign_node (
  campaign uuid   NOT NULL REFERENCES campaign,
  node     uuid   NOT NULL,
  position int    NOT NULL,
  state    text   NOT NULL,
  content  jsonb  NOT NULL,
  version  bigint NOT NULL,
  PRIMARY KEY (campaign, node)
);
-- One campaign has a node out of use at a time: the other would give it back under the hands that work on it.
CREATE UNIQUE INDEX campaign_node_out ON campaign_node (node) WHERE state IN ('DRAINING', 'READY');
CREATE UNIQUE INDEX campaign_node_turn ON campaign_node (campaign, position);
CREATE INDEX campaign_node_pending ON campaign_node (campaign, position) WHERE state = 'PENDING';
-- A turn of the loop costs what is looked after, not what is through.
CREATE INDEX campaign_node_active ON campaign_node (campaign, position)
  WHERE state IN ('DRAINING', 'READY', 'SOAKING', 'UNHEALTHY');

GRANT SELECT, INSERT, UPDATE, DELETE ON campaign, campaign_node TO fairlead_loops;
