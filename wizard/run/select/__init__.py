"""Which build, from which source: sources are measured and asked, best build first."""
