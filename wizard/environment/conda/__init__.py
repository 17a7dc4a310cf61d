"""The user's own conda: found, asked, its answers read, its records kept, Miniforge."""
