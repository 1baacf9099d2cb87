"""A folder of markdown -> entities, chunks and items, with a finding for everything doubtful."""
