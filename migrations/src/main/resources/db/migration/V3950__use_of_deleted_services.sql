SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Use by hour remains when its key or its service is deleted, so that a statement has the tokens of a deleted service. Gates delete
-- rows that are older than 400 days.
-- squawk-ignore ban-drop-constraint
ALTER TABLE service_key_hour DROP CONSTRAINT service_key_hour_service_name_fkey;
ALTER TABLE service_key_hour ADD COLUMN project uuid, ADD COLUMN service_name text COLLATE "C";

SET LOCAL ROLE fairlead_loops;
UPDATE service_key_hour h
SET project = d.project, service_name = split_part(m.document, '/', 2)
FROM model_service m
JOIN config_document d ON d.kind = m.kind AND d.name = m.document
WHERE m.id = h.service;

SET LOCAL ROLE fairlead_owner;
-- squawk-ignore adding-not-nullable-field
ALTER TABLE service_key_hour ALTER COLUMN project SET NOT NULL, ALTER COLUMN service_name SET NOT NULL;
