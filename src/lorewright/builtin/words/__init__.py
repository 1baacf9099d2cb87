"""Words of a line before they are read as acts: clauses, spelling, noun phrases, kinds of act, talk to the game."""
