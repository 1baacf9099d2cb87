"""What a stage is given -> what its prompt is filled in with."""
