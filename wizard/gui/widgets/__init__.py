"""Small widgets that several pages use. They know nothing of the session."""
