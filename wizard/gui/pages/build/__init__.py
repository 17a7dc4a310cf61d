"""Build: the verdict with its proof and the grid of builds, or what a project asks for and gets."""
