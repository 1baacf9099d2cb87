"""The stage `extract`: a narration -> its statements about the world."""
