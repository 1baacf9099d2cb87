"""What is said to the program, or to nobody: its answers."""
