"""What holds for every test: a property is judged by its law, not by how busy the machine is."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
