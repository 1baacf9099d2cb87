"""What a scene knows: the place, the people, what they would say and what can be found, cut to who looks."""
