"""Packs -> walks and scenarios."""
