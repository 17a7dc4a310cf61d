"""The pages beside the wizard: environments, doctor, explain, undo, class."""
