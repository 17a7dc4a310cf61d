"""Takes environments away, never anything else, and may be killed at any line."""
