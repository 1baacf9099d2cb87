"""A folder of markdown -> entities, chunks and items, with everything that was doubtful said as a finding."""
