"""The stored turns and states of a campaign."""
