"""A player's line -> what it means: clauses, noun phrases, readings."""
