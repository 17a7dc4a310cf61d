"""The tables in `matrices/` that the decision needs, as values."""
