"""Vectors -> the chunks nearest to a question: exactly from our own file, and candidates from Chroma."""
