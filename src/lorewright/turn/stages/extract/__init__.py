"""The stage `extract`: Prose -> what it says of the world."""
