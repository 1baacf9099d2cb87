"""A game made from any pack, by seed: walk in it."""
