"""The stage `summarise`: Turns -> a summary."""
