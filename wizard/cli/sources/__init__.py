"""Where packages and what is known of them come from: mirrors, undo of what was set, the tables."""
