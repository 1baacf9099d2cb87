"""What is true and what happens: validation, dice, resolution. Pure: actions and state in, ops out."""
