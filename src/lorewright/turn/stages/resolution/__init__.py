"""The stage `resolution`: an attempt -> its ruling, where a model knows the rulebook."""
