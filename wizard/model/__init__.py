"""Values that everybody shares: errors, events, messages, locked files, typed tables."""
