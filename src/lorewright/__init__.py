"""Lorewright: packs of markdown in, lore that is found, explained and kept secret, and play grounded in it."""

__version__ = "0.1.0"
