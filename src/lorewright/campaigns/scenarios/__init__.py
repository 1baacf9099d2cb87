"""Scenarios and rulesets: read, checked, and made into the state that a campaign begins with."""
