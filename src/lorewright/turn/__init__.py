"""One submission -> one committed turn: the stages, what each may see, and the commit."""
