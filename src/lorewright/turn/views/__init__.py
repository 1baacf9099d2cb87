"""The views of a turn for each stage, viewer and character."""
