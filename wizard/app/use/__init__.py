"""One file for each use case beside the setup itself: environments, repair, settings, store, tables."""
