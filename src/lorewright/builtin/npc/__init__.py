"""Decisions of the cast where no model is asked."""
