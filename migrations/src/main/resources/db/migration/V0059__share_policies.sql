SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

ALTER TABLE quota_node ADD COLUMN share_policy text NOT NULL DEFAULT 'DOMINANT_SHARE';
ALTER TABLE quota_node ADD COLUMN fair_by_user boolean NOT NULL DEFAULT false;
