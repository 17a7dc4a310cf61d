"""The packages that hang on torch, on CUDA or on a compiler: what the tables know of them, and what that means for one
choice. No reading of files, and not the choice of torch."""
