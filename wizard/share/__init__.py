"""Sharing a pack with a class: a server for it, finding it by name or code, and the results of all machines.

A server hands out what is in the pack's list and takes in certificates; it runs nothing and knows no passwords. Who
fetches from it believes nothing but the hashes of a profile that came another way.
"""
