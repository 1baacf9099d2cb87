"""Lines of gestures, civilities and small talk, in any order: nobody tells a secret for them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

GESTURES = (
    *(
        "wave to {}",
        "nod at {}",
        "bow to {}",
        "smile at {}",
        "wink at {}",
        "laugh at {}",
        "dance with {}",
        "sing to {}",
    ),
    *(
        "shrug",
        "wave",
        "laugh",
        "dance",
        "sing",
        "sit down",
        "stand up",
        "touch {}",
        "knock",
        "grin at {}",
        "salute {}",
    ),
    *("greet {}", "hello {}", "hi {}", "thank {}", "apologise to {}", "say goodbye to {}", "thanks", "goodbye {}"),
    *("say nothing", "say nothing to {}", "stare at {} in silence", "compliment {}", "insult {}", "agree with {}"),
    *("introduce myself to {}", "ask {} how they are", "buy {} a drink", "order a drink from {}", "say yes to {}"),
    *("say no to {}", "ask {} for help", "good evening, {}", "nod to {}", "wave goodbye to {}"),
)
SMALL_TALK = (
    *("how are you", "how's it going", "who are you", "what's your name", "what do you do here", "what do you want"),
    *("can you help me", "I need your help", "what would you do", "a whisky please", "I'd like a beer", "nice bar"),
    *("you look tired", "you've been very kind", "you're a coward", "what a dump", "shut up", "I'll go", "I should go"),
    *(
        "I'm a cop",
        "I'm a friend of Jin's",
        "I was sent by Mira",
        "trust me",
        "my name is Jo",
        "call me Ash",
        "long night",
    ),
    *(
        "it's raining",
        "what a night",
        "I'm tired",
        "I miss her",
        "I feel sick",
        "yes",
        "no",
        "ok",
        "sure",
        "not really",
    ),
    *("I don't know", "maybe", "never mind", "no problem", "I like it here", "poor thing", "you lie", "I know Zenith"),
)


def lines_for(people: Sequence[str], chance: random.Random) -> Iterator[str]:
    """Yield lines without end: small talk to the room or to one of the people, or a gesture."""
    while True:
        who = chance.choice(people) if people else "everybody"
        kind = chance.random()
        if kind < 0.4:
            yield chance.choice(GESTURES).format(who)
            continue
        words = chance.choice(SMALL_TALK)
        yield words if kind < 0.6 else f"{who}, {words}" if kind < 0.8 else f"{words}, {who}"
