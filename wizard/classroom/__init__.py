"""A class: one profile for thirty machines, its files handed out, its results gathered."""
