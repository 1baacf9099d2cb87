"""The stages that a model may run, each with its built-in counterpart. They do not know each other."""
