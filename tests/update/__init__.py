"""`torch-wizard update`, against a server on loopback that lies."""
