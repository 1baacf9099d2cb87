"""Chunks -> something that can be searched: generations on disk, keywords, the library of installed packs."""
