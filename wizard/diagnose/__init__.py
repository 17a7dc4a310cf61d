"""Why it does not work: looks at an environment and its machine, and the smallest repair."""
