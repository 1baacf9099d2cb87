"""A game made from any pack, by seed: a walk in it."""
