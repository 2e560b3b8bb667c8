SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A placement counts what its user holds and a submit what waits, each without reading the other. An array is known by its
-- spec, not by its progress: that would be written to this index each time an element moves. The old index is dropped by a
-- migration of its own: while this one holds writers up, it waits for none of them.
CREATE INDEX job_tried_of_user ON job (queue, submitted_by) WHERE active AND (attempts > 0 OR spec ->> 'array' IS NOT NULL);
CREATE INDEX job_queued_of_user ON job (queue, submitted_by) WHERE state = 'QUEUED';
