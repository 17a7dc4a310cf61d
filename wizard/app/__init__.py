"""What the window and the command line call: the use cases, without a word about how they are shown."""
