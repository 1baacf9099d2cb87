"""The Model Context Protocol server: queries and changes for other programs, as on the command line."""
