"""The world as data: frozen state, typed ops, and the one pure function that applies them."""
