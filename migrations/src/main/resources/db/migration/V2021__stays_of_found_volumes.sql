SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A volume whose claim was lost and found again has a stay for each time that the claim was there. The table has a row for each
-- volume that ended in three years, so its index is built in a moment.
-- squawk-ignore ban-drop-constraint
ALTER TABLE volume_stay DROP CONSTRAINT volume_stay_pkey;
-- squawk-ignore adding-serial-primary-key-field, constraint-missing-not-valid
ALTER TABLE volume_stay ADD PRIMARY KEY (volume, begun_at);
