"""What may be typed: commands, options and their help. Imports no command, so that a start is quick."""
