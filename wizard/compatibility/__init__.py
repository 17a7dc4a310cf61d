"""The decision: which builds fit a machine, and every reason why not. Pure."""
