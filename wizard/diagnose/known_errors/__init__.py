"""A pasted error text, held against the catalogue of known errors."""
