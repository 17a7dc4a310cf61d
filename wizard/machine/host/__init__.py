"""The rest of the machine: system, Pythons, condas, toolkits, volumes."""
