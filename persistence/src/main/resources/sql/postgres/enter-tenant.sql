SELECT set_config('role', 'fairlead_app', true) || set_config('fairlead.tenant', :tenant, true)
