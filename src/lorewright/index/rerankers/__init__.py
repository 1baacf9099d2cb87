"""A question and texts -> how well each answers it: read together, where an embedder reads each alone."""
