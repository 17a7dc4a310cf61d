"""Fixtures that every test may use live in plugins of their own."""

pytest_plugins = ["tests.channel.fixture", "tests.line.fixture"]
