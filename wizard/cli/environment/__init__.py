"""The commands about environments that are there, and the store that they share."""
