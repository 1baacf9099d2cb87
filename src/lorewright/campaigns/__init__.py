"""Scenarios and the campaigns made from them: begin one, play a turn, look at it."""
