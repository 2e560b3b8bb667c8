SELECT fairlead_drop_events(now() - make_interval(secs => :seconds))
