"""Small talk that was said to somebody -> their answer: by how they stand to the player, and by what is openly known.

Nothing here comes from what they know or withhold: only from open lines of the notes, and from the state as it shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.grammar import Fact
from lorewright.builtin.narrator.scenery import open_lines, words_key
from lorewright.builtin.narrator.views import Beat, Person, Slot
from lorewright.builtin.parser.clauses import words_of
from lorewright.builtin.parser.small_talk import HOSTS, any_subject_of, subject_of
from lorewright.rules.patch import Outcome
from lorewright.values.records import LoreLine, NarratorInput

# Words of open lines that say what somebody wants, and what they do.
_WANTS = re.compile(
    r"\b(?:wants?|wishes|hopes|longs|dreams of|would (?:like|love|give)|is looking for|looks for|is saving)\b"
)
_WORKS = re.compile(
    r"\b(?:owns?|runs?|keeps?|works?|mends?|sells?|buys?|makes?|teaches|serves?|looks after|is (?:a|an|the)|was (?:a|an"
    r"|the)|earns?|trades?|writes?|paints?|guards?|cooks?|drives?|manages?)\b"
)
# Words in front of the name that somebody gives as theirs.
_NAMED = re.compile(r"(?:name(?:'s| is)|call me|calls? me|(?:i'm|i am|im)(?: called)?)\s+(?P<name>.+)", re.IGNORECASE)
_MOODS = ("mood", "temper", "spirits")
_MOST_OF_MOOD = 3


def telling_of_talk(kind: str, otherwise: str) -> Callable[[NarratorInput, Outcome], Beat | None]:
    """Return what tells the answer to small talk of a verb; `otherwise` is the subject of words that have none."""

    def tell(given: NarratorInput, outcome: Outcome) -> Beat | None:
        if outcome.code != "acted" or outcome.band is not None:
            return None
        who = _answers(given, outcome)
        if who is None:
            return Beat("outcome", "talk.alone", {}, {"place": views.place(given)})
        return _answer(given, outcome, who, subject_of(kind, outcome.words) or otherwise)

    return tell


def answer_to_words(given: NarratorInput, outcome: Outcome) -> Beat | None:
    """Return the answer to words that turn out to be small talk, whatever they were typed as; None for other words."""
    who, subject = _answers(given, outcome), any_subject_of(outcome.words)
    return None if who is None or not subject else _answer(given, outcome, who, subject)


def _answers(given: NarratorInput, outcome: Outcome) -> Person | None:
    """Return the person spoken to; of several who are spoken to at once another in each turn."""
    if outcome.target_id is not None:
        return views.person(given, outcome.target_id)
    present = [who for view in given.scene.people if (who := views.person(given, view.id))]
    return present[given.turn_no % len(present)] if present else None


def _answer(given: NarratorInput, outcome: Outcome, who: Person, subject: str) -> Beat:
    regard = regard_of(given, who.id)
    facts: dict[str, Fact] = {"regard": regard} if regard else {}
    slots: dict[str, Slot] = {"who": who}
    line: LoreLine | None = None
    match subject:
        case "wellbeing":
            facts, slots = _wellbeing(given, who, facts)
        case "name" | "work" | "wish" if regard != "cold":
            line = _open_line(given, who, subject)
            facts = {"detail": True} if line else facts
        case "help" if regard != "cold":
            slots["topic"] = own_topic(given, who.id)
            facts = {"topic": "named"} if slots["topic"] else facts
        case "served" if _is_host(given, who.id):
            facts["kind"] = "host"
        case "treat" if regard != "cold" and any(_is_host(given, view.id) for view in given.scene.people):
            facts = {"kind": "host"}
        case "introduction":
            slots["topic"] = _given_name(outcome.words)
            facts = {**facts, "topic": "named"} if slots["topic"] else {}
        case _:
            pass
    return Beat(
        "outcome",
        f"talk.{subject}",
        facts,
        slots,
        authored=plain(line.text) if line else "",
        cites=(line.chunk_id,) if line else (),
        keys=(line.key, words_key(line)) if line else (),
    )


def regard_of(given: NarratorInput, who: str) -> str:
    """Return how somebody here stands to the player: `warm`, `cold`, or empty."""
    return next((view.regard for view in given.scene.people if view.id == who), "")


def own_topic(given: NarratorInput, who: str) -> str:
    """Return something that somebody here would tell of if they were asked, and that the player can name."""
    return next((lead.topic for lead in given.leads if lead.asked == lead.holder == who), "")


def _wellbeing(given: NarratorInput, who: Person, facts: dict[str, Fact]) -> tuple[dict[str, Fact], dict[str, Slot]]:
    """Return what is to be seen of how somebody is: a wound, a mood in words; else how they stand to the player."""
    attrs = next((entity.attrs for entity in given.packet.entities if entity.id == who.id), None)
    if attrs is not None and attrs.conditions:
        return {"kind": "hurt"}, {"who": who}
    moods = () if attrs is None else (attrs.states.get(name) for name in _MOODS)
    mood = next((value for value in moods if isinstance(value, str) and views.is_plain(value)), "")
    if mood and len(mood.split()) <= _MOST_OF_MOOD:
        return {"kind": "mood"}, {"who": who, "detail": mood}
    return facts, {"who": who}


def _open_line(given: NarratorInput, who: Person, subject: str) -> LoreLine | None:
    """Return the open line that answers: the first of all for who somebody is, else the first that speaks of it."""
    lines = open_lines(given, who.id)
    match subject:
        case "name":
            return _first(lines, given)
        case "work":
            return next((line for line in lines if _WORKS.search(line.text)), None)
        case _:
            return next((line for line in lines if _WANTS.search(line.text)), None)


def _first(lines: Sequence[LoreLine], given: NarratorInput) -> LoreLine | None:
    """Return the first line, or the first that was not told yet."""
    return next((line for line in lines if not given.recall.get(line.key)), lines[0] if lines else None)


def _is_host(given: NarratorInput, who: str) -> bool:
    """Tell whether it is somebody's business to serve people, as far as it is openly known."""
    tags = next((entity.tags for entity in given.packet.entities if entity.id == who), ())
    return not HOSTS.isdisjoint({word for tag in tags for word in tag.split("_")}) or any(
        not HOSTS.isdisjoint({word.low for word in words_of(line.text)}) for line in open_lines(given, who)[:1]
    )


def _given_name(words: str) -> str:
    """Return the name that somebody gives as theirs, if it can stand in a sentence."""
    found = _NAMED.search(words.replace("’", "'"))
    name = " ".join(found.group("name").split()).strip(" .!?") if found else ""
    return name if name[:1].isupper() and views.is_plain(name) else ""
