"""Commands about campaigns."""
