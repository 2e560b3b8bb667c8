SELECT set_config('role', 'fairlead_sealer', true)
