"""Query results, scenes and statistics -> self-contained pages of HTML."""
