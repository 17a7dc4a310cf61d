"""Welcome: its tiles and links, the cards of what goes on, and the forms of a class to join or a project to open."""
