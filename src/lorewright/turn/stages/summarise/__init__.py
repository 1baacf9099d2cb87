"""The stage `summarise`: turns -> a summary."""
