"""What became of each machine of a class: certificates, and the room made of them."""
