"""What a README says without a command: lists of what is needed, programs of the system, what it runs on.
As remarks alone; words with a version of torch, Python or CUDA are read by `formats`."""
