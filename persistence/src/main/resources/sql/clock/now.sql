SELECT least(clock_timestamp(), fairlead_latest(:host))
