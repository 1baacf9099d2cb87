"""The stage `interpret`: A player's line -> an intent."""
