"""What happened, as a value: one JSON document that tells nothing private, its text, and its file.

Reads plans and verifications; decides nothing and runs nothing.
"""
