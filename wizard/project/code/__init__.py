"""What the programs of a project want of the computer that they are started on: a card, a system, its programs.
As syntax alone; what they import and which releases they go with is `search`'s matter."""
