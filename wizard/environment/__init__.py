"""Environments: a prefix is a folder that holds its own Python."""
