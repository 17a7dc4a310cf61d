"""The command line: one file per command, documents on stdout, people's text on stderr. It decides nothing."""
