"""One setup from plan to report: carried out in a process of its own, resumable at every step."""
