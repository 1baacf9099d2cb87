"""Recorded turns: played again, compared, measured and reported."""
