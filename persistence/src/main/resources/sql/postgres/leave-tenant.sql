SELECT set_config('role', 'fairlead_loops', true) || set_config('fairlead.tenant', '', true)
