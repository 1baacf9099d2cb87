"""What holds for every test: a property is judged by its law, not by how busy the machine is; and packs are found by
words alone unless a test says otherwise, for embedding them all would take an hour."""

import os

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

os.environ.setdefault("LOREWRIGHT_EMBEDDER", "none")
os.environ.setdefault("LOREWRIGHT_CHROMA", "never")
