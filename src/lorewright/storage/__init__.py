"""SQLite files: a single way to open a file and to write to it, and named migrations."""
