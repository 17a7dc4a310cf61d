"""Looks at environments that are there. Changes nothing in them."""
