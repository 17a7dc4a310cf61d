"""Hands a pack out to the class around, within limits, and is found by name or code."""
