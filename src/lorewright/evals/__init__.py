"""What was played, looked at again: replayed with what was recorded, or with another prompt or model, and measured."""
