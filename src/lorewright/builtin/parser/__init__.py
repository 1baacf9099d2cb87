"""The parser: a player's line -> its meaning: clauses, noun phrases, readings."""
