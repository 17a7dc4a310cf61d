"""Makes an environment, by one of three engines or as a copy."""
