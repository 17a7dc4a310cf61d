"""Why something does not work: doctor, explain, verify; the facts about this computer."""
