"""Switching an environment on: in a shell, by a module file, in a new terminal."""
