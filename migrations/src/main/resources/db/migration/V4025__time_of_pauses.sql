SET LOCAL ROLE fairlead_loops;
SET LOCAL lock_timeout = '5s';

-- A paused rollout has the time of its pause and the user who paused it. Neither is stored for an earlier pause. The content is
-- changed as text, because jsonb accepts no \u0000 in reasons. Quotes inside its strings are escaped, so only the key is found.
UPDATE model_service
SET content = replace(content, '"paused":true', format('"paused":true,"pause":{"since":"%s","by":"an unknown user"}',
                                                       to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
WHERE content LIKE '%"paused":true%';
