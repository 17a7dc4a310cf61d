"""What each page shows, as values, and the order of the pages. No window in it."""
