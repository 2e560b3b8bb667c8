SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Of the whole table only, so without reading a row: days that are made from now on have it, those of before get it one after the
-- other in V0503.
CREATE INDEX audit_record_chain ON ONLY audit_record (incarnation, xid, seq);
