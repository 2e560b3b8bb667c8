LISTEN fairlead
