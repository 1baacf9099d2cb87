"""Play without a model: the parser of a player's line, the narrator of a turn, and the decisions of the cast."""
