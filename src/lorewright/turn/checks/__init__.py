"""Checks of the stages' outputs, before they count."""
