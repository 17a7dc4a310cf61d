"""The commands of a class: profiles, packs, its room, and one machine of it."""
