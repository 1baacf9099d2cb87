"""The pages: home, table, codex, story, the game master's desk, account, administration.

Each form posts and is answered by a redirect, so that all of it works without JavaScript; with it, the table follows
its events. Who may see what is decided where the API decides it.
"""
