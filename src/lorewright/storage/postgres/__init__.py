"""Campaigns in PostgreSQL: the tables, the statements and the store."""
