SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file adding-field-with-default, ban-drop-constraint, require-concurrent-index-creation
-- The labels count for use that began at this moment or later, in milliseconds of Unix time. 0 is the start of the attempt. Users
-- that take a session of a warm pool have labels of their own.
ALTER TABLE attempt_label ADD COLUMN from_ms bigint NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX attempt_label_one ON attempt_label (attempt, from_ms);
ALTER TABLE attempt_label DROP CONSTRAINT attempt_label_pkey;
ALTER TABLE attempt_label ADD CONSTRAINT attempt_label_pkey PRIMARY KEY USING INDEX attempt_label_one;
