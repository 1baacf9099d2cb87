"""The stage `narrate`: What happened -> prose."""
