"""One file for each group of checks. They look and never change anything."""
