-- The scheduler asks at each plan when nodes with failed attempts were last released.
CREATE INDEX quarantine_released_of_node ON quarantine (node, released_at) WHERE released_at IS NOT NULL;
