"""The smoke test in the new environment's own Python, and what its failure means."""
