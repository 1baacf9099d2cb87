"""The acts of a line as the tagger cuts them: their kinds, what each is read as, what one has to do with the next."""
