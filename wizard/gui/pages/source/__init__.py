"""The Source page: its rows, its forms, and how this computer reaches the network."""
