"""The stage `npc_intent`: a character's view -> its next act."""
