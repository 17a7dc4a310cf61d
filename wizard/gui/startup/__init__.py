"""From the process to an open window: first picture, one window only, preferences, crashes."""
