"""The steps of a run, one file each."""
