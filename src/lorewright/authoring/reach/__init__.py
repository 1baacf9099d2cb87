"""What a player can reach in a scenario, found by the solver and proven by play: for authors."""
