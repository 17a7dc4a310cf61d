"""What a repository declares: read without running any of it, understood, and decided for one machine.
No window, no network and no installing: `run` plans what is decided here."""
