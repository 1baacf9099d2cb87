"""Texts -> unit vectors. Which embedder does it is chosen by key; the rest of the program sees the protocol only."""
