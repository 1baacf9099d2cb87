"""What is refused by what it is: what is not up to the player, what nobody has, deeds that would change the world."""
