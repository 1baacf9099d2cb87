"""A query and a view -> ranked lore within a budget, with the reason for every chunk. Filter, rank, budget."""
