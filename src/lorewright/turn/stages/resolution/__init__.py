"""The stage `resolution`: What an attempt comes to where a model knows the rulebook."""
