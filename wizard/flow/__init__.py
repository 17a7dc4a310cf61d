"""The order of the pages and what each one needs: a navigator over frozen values, without a toolkit.

The window *has* a navigator; it does not inherit one. Everything here is tested without a display.
"""
