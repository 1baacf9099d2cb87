"""The stage `npc_intent`: What one of the cast does next."""
