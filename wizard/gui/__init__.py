"""The window: it shows, it never works. The only package that imports Qt.

Long calls go through `tasks`, the job itself is another process whose event file is read by `run_watch`.
"""
