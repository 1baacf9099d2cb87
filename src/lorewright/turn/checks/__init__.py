"""What is checked of what a stage made, before it counts."""
