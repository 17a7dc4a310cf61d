"""Packs: a class profile and every file that its locks name, as one static folder.

A pack works from a USB stick, a network share or any web server, because nothing in it has to run. It decides nothing:
which files belong into it is the profile's word, and what comes out of it counts only by the profile's hashes.
"""
