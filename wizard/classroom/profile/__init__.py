"""Class profiles (`*.torchlab`): read with suspicion, made, signed, chosen from, set up."""
