"""The rules: validation, dice, resolution. Pure: actions and state in, ops out."""
