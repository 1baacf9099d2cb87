"""What was found, gathered or counted -> pages of HTML that stand for themselves."""
