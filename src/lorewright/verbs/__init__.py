"""Verbs: a module for each family, with the records of its verbs in VERBS."""
