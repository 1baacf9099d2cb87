"""`pack test`: a pack -> what of it holds what its author expects, section by section and query by query."""
