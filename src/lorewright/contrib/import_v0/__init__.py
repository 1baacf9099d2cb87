"""The predecessor's database (v0) -> campaigns of ours, and a report of what became of each table."""
