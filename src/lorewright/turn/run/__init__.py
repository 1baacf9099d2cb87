"""The turn, from a line to its commit: the player's round, the cast's rounds, narration, background jobs."""
