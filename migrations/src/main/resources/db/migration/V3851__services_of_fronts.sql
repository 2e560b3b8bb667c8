SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A pass of a front cluster reads the model services that objects of this cluster own, every two seconds.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX config_document_of_front ON config_document ((body -> 'owner' ->> 'cluster')) WHERE kind = 'MODEL_SERVICE';
