SELECT set_config('role', 'fairlead_loops', true)
