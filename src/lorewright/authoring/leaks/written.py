"""What authors wrote -> secrets that stand in what others read: by overlap of texts, word for word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from lorewright.authoring.leaks.findings import Blocked, Leak, OverBlocked, Tally
from lorewright.authoring.leaks.overlap import Hit, Overlaps, sentences_of
from lorewright.authoring.leaks.secrets import SEEN_IN_PLAY, Secret
from lorewright.authoring.leaks.surfaces import Surface, holds
from lorewright.packs.models import OPEN_ROLES, Pack
from lorewright.packs.plain import plain_text
from lorewright.turn.views.leaks import plain_words

# So many of the worst are named.
_WORST = 10

# Several people may know the same, and what is known of a place may be found there; what is withheld may not.
_KEPT_FROM_TALK = frozenset({"withholds", "secret", "discoverable"})

_HINTS = {
    "knows": "whoever is asked tells it: leave it to the section that withholds it, or name it there only",
    "hint": "a hint is told beforehand: say where to look, not what lies there",
    "scenario": "say it where the item is revealed, or leave it out",
}
_HINT = "everyone may read this: leave it out here, or make no secret of it"


def leaks_in_writing(surfaces: Iterable[Surface], secrets: Sequence[Secret], tally: Tally) -> None:
    """Find every sentence of a secret in a text that is shown to those who have not learned it."""
    overlaps = Overlaps(secrets)
    for surface in surfaces:
        tally.looked(surface.channel.partition(" key ")[0])
        for hit in overlaps.hits(surface.words):
            if hit.copied and _is_news(hit.secret, surface):
                tally.found(_leak(hit, surface))


def over_blocked_sentences(packs: Sequence[Pack], secrets: Sequence[Secret]) -> OverBlocked:
    """How many sentences of open lore a narrator could not quote while some secret is hidden, because they share six
    words with it; and which phrases cost the most."""
    items = [one for one in secrets if one.item_id is not None]
    overlaps = Overlaps(items)
    count = refused = 0
    phrases: Counter[tuple[str, int, str, str]] = Counter()
    for pack in packs:
        for chunk in pack.chunks:
            for sentence in sentences_of(plain_text(chunk.text)) if chunk.role in OPEN_ROLES else ():
                count += 1
                hits = list(overlaps.hits(plain_words(sentence)))
                refused += bool(hits)
                for hit in hits:
                    phrases[chunk.file_path, chunk.line, hit.phrase, f"{hit.secret.id} at {hit.secret.place}"] += 1
    worst = sorted(phrases.items(), key=lambda one: (-one[1], one[0]))[:_WORST]
    return OverBlocked(
        sentences=count,
        refused=refused,
        worst=tuple(
            Blocked(file, line, f"“{phrase}”, {times} times", "narrator", f"it stands in {secret}, too")
            for (file, line, phrase, secret), times in worst
        ),
    )


def _is_news(secret: Secret, surface: Surface) -> bool:
    if secret.item_id is not None and holds(surface, secret.item_id):
        return False
    if surface.channel == "knows":
        return secret.kind in _KEPT_FROM_TALK
    return not (secret.kind in SEEN_IN_PLAY and surface.channel == "scenario")


def _leak(hit: Hit, surface: Surface) -> Leak:
    return Leak(
        file=hit.secret.file,
        line=hit.secret.line,
        secret=hit.secret.id,
        viewer=surface.viewer,
        channel=surface.channel,
        where=surface.place(hit.at),
        quote=surface.quote(hit.at),
        hint=_HINTS.get(surface.channel, _HINT),
    )
