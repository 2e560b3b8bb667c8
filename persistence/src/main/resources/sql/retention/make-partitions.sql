SELECT fairlead_make_partitions()::text
