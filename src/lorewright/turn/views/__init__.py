"""What each stage, viewer and character is shown of a turn."""
