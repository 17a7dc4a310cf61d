"""A made-up torchvision whose compiled part does not fit the torch beside it (text of the real library)."""

raise RuntimeError("operator torchvision::nms does not exist")
