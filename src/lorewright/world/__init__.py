"""The world as data: frozen state, typed ops, and a pure function that applies them."""
