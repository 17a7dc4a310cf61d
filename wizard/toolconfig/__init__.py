"""The settings of pip, uv and conda: found, read, edited in place, verified."""
