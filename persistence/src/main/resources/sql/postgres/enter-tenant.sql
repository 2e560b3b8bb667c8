SELECT set_config('role', 'fairlead_app', true)
  || set_config('fairlead.tenant', :tenant, true)
  || set_config('plan_cache_mode', :plans, true)
