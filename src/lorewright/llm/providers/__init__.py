"""Providers: the one place that talks to models over the network, through pydantic-ai and the vendors' own SDKs."""
