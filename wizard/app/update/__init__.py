"""Newer tables: what is offered, told by a signature, and taking it with a way back.

Not the program itself, which is only named; rows learnt from the sources are `app/use/tables.py`.
"""
