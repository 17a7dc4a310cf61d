"""Packs: a class profile and every file that its locks name, as one static folder."""
