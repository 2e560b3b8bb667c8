-- One sealer at a time, so that no row is part of two batches.
SELECT set_config('role', 'fairlead_sealer', true) FROM pg_advisory_xact_lock(2760, 0)
