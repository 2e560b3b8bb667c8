SET LOCAL ROLE fairlead_owner;

-- A token that was made with another one ends with it. Tokens that have ended go thirty days later.
ALTER TABLE api_token ADD COLUMN made_by uuid REFERENCES api_token ON DELETE CASCADE;
CREATE INDEX api_token_made_by ON api_token (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX api_token_makers ON api_token (tenant, created_by, created_at);
CREATE INDEX api_token_ended ON api_token (least(expires_at, revoked_at));
