SELECT pg_notify('fairlead', ?)
