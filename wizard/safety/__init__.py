"""That the program starts whatever lies in its folder, and that nobody meets a raw traceback when it fails.

The log that several processes write, what is set aside when it cannot be read, crashes and how they are told. It does
not mend runs or environments: the steps and the doctor do.
"""
