"""The markdown of a note: its sections, its titles, what is hidden in it, and the words that readers see."""
