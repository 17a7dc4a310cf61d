"""The page Environments: its table, the card of one of them, and the forms that change or delete it."""
