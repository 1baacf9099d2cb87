"""Hearing: the place -> the next of its lines that tell of a sound, for somebody who listens."""

from __future__ import annotations

import re

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.views import Beat
from lorewright.values.records import NarratorInput

# What one looks at with one's ears.
SOUNDS = "sounds"
# What one looks at who looks who is there; and what comes before that through which one looks.
EVERYBODY, THROUGH = "everybody", "through "
_HEARD = re.compile(
    r"\b(?:hears?|heard|sounds?|noises?|voices?|hums?|humming|drips?|creaks?|ticks?|whispers?|murmurs?|silence|music|notes?"
    r"|knocks?|rattles?|click(?:s|ed)?|quiet(?:ly)?|loud(?:ly)?|sings?|breathing|bells?|rings?|plate)\b",
    re.IGNORECASE,
)


def heard_beat(given: NarratorInput) -> Beat:
    """Return the next line of the place that tells of anything to be heard; else that there is nothing."""
    lines = [line for line in (*given.scene.atmosphere, *given.scene.overview) if _HEARD.search(plain(line.text))]
    for line in views.unseen(lines, given.recall)[:1]:
        return Beat(
            "outcome",
            "looked.sounds",
            {"kind": "heard"},
            authored=plain(line.text),
            cites=(line.chunk_id,),
            keys=(line.key,),
        )
    return Beat("outcome", "looked.sounds")
