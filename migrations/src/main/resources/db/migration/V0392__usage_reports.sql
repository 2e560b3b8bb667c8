SET LOCAL ROLE fairlead_owner;

-- A report says which of its numbers may still change; the mark belongs to no tenant.
GRANT SELECT ON usage_mark TO fairlead_app;
