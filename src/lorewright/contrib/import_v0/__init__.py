"""The predecessor's database (v0) -> campaigns of ours, and a report on each of its tables."""
