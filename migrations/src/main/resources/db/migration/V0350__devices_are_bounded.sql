SET LOCAL ROLE fairlead_owner;

-- Each event asks when its node was released last; retention removes what happened to devices by its time.
CREATE INDEX quarantine_of_node ON quarantine (node, released_at DESC) WHERE released_at IS NOT NULL;
CREATE INDEX incident_ended_of_node ON incident (node, ended_at DESC) WHERE ended_at IS NOT NULL;
CREATE INDEX gpu_change_at ON gpu_change (at);
