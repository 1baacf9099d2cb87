"""The stage `narrate`: the outcomes of a turn -> prose."""
