"""Where packages come from: known places, what each truly has, how fast it is."""
