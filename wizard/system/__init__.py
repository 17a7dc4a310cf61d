"""In what Windows and other systems differ, each difference once: callers ask for what they want, never for the system.

`traits` is what is only spelled otherwise: a table with two rows. `places` is where systems keep things. `disk` and
`processes` are what is done in another way; like `places` each has a Linux and a Windows side with the same names.
`sockets` and `facts` are small enough for one file. Windows' own interfaces lie in `windows`; nothing here knows
an environment, a download or a window.
"""
