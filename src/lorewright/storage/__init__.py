"""SQLite as we use it: one way to open a file, one way to write, named migrations."""
