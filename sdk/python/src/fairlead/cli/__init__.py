"""The command `fairlead`."""
