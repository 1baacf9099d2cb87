"""The stage `interpret`: a player's line -> actions."""
