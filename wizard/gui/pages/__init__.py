"""One file for each page of the wizard."""
