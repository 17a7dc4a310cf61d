"""What happened, as one document that tells nothing private, and its texts."""
