"""The folders of a project: gone through within bounds, named by lines in their own ways, members of a workspace.
What is in their files is the matter of `formats`; which of them counts is `search`'s."""
