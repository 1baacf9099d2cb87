"""Play without a model: what reads a player's line, tells a turn, and thinks for the cast."""
