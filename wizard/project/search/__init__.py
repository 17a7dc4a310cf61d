"""Finds which files of a project are read, and of several ways to an environment the one that is taken.

What is in a file is the matter of `formats`; what a line means is `understand`'s."""
