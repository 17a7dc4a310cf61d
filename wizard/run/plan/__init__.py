"""From a choice to a plan with exact files, before anything is changed."""
