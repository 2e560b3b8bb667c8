SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

CREATE INDEX log_member_of_tenant ON log_member (tenant);
CREATE INDEX log_use_of_tenant ON log_use (tenant);
