"""A pack while it is written: what each save changed, in what is wrong with it and in what it answers."""
