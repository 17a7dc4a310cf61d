"""Torch Setup: facts about a machine go in, a plan comes out, a worker carries it out, a report says what is true."""

__version__ = "0.1.0"
