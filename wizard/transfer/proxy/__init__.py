"""Proxies: the wish, what the system says, and connections through one."""
