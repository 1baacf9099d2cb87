"""The lore of a scene: the place, the people, what they know and what can be found, and each viewer's part of it."""
