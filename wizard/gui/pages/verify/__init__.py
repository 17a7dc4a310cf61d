"""Verify: the result of the test with its checks, and the ways to work with what was installed."""
