"""Packages: the lock, wheels, and their files in site-packages with a true RECORD."""
