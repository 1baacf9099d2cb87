"""The stages that a model may run, each with its built-in twin. They do not know each other."""
