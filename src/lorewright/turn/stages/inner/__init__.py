"""The stage `inner`: What a turn changes within people."""
