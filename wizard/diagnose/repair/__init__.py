"""A repair as a plan, its lock, its snapshot and its steps; also a setup into what is there."""
