SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

DROP INDEX job_active_of_user;
