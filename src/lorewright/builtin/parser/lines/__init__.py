"""Whole lines before they are cut into clauses: names for pronouns, conditions that hold, plain words for loose."""
