"""What stands around every page: rail, footer, theme, language, the files that come in."""
