"""What the cast do of their own accord where no model is asked."""
