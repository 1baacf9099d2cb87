"""The stage `inner`: an intention -> changes of inner states."""
