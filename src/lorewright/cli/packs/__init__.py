"""Commands about packs."""
