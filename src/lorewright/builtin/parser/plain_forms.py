"""A clause -> the same with the plain verb in it: `nod to Marit` for `give Marit a nod`, `drink the cup` for
`drink what is in the cup`. It goes by the form of the words alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lorewright.builtin.parser.clauses import Word, lexicon, lows, typed, words_of


def with_sign(words: Sequence[Word]) -> Sequence[Word]:
    """Return `nod to Marit` for `give Marit a nod`, other words as they are."""
    found = _SIGNS.match(typed(words))
    return (
        words_of(f"{found['sign'].lower()} {'at' if found['sign'] == 'wink' else 'to'} {found['who']}")
        if found
        else words
    )


_SIGNS = re.compile(
    r"(?:give|shoot|throw) (?P<who>.+?) (?:a|the|my) (?:[\w-]+ )?(?P<sign>nod|smile|wave|bow|salute)(?: .*)?$",
    re.IGNORECASE,
)


def with_plain_verb(words: Sequence[Word]) -> Sequence[Word]:
    """Return `sip the tea` for `take a slow sip of the tea`, `shove the door` for `give the door a good shove`, other
    words as they are."""
    said = typed(words)
    if any(word.kind == "speech" for word in words):
        return words
    for pattern, plain in _LIGHT_VERBS:
        if (found := pattern.match(said)) is not None:
            return words_of(plain(found))
    return words


def _whoever(words: str) -> str:
    """Return `them` for whoever is there, another name as it is."""
    return "them" if re.match(r"(?:whoever|whomever|any(?:one|body) who)\b", words, re.IGNORECASE) else words.strip(" ,")


def _swallow(found: re.Match[str]) -> str:
    return f"{'eat' if found['what'].casefold() in _BITES else 'drink'} {found['of']}"


_BITES = frozenset(("bite", "mouthful", "nibble", "piece"))
_LIGHT_VERBS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(
            r"(?:wish|bid|say) (?P<who>.+?,? )?(?:a )?(?:very )?(?P<what>good (?:evening|morning|day|night|afternoon))"
            r"(?: to (?P<to>.+))?$",
            re.IGNORECASE,
        ),
        lambda found: f"say {found['what']} to {_whoever(found['who'] or found['to'] or '')}".removesuffix(" to "),
    ),
    (
        re.compile(
            r"(?:take|have|get|try|sneak|steal) (?:a|one|another|my|some)(?: [\w-]+){0,2}? "
            r"(?P<what>sip|swig|gulp|swallow|mouthful|bite|nibble|taste)s? (?:out )?(?:of|from) (?P<of>.+)$",
            re.IGNORECASE,
        ),
        _swallow,
    ),
    (
        re.compile(
            r"(?:take|go) (?:a|one|another|two|three|a few|some|several)(?: [\w-]+){0,2}? (?:step|pace)s?"
            r"(?: (?P<way>back|backwards?|forwards?|aside|away|closer|towards?.*|to .*|inside|outside))?(?: .*)?$",
            re.IGNORECASE,
        ),
        lambda found: f"take a step {(found['way'] or '').split(' ')[0]}".strip(),
    ),
    (
        re.compile(
            r"hold (?P<what>.+?) (?:out|up) (?:to|for|towards?|in front of|so (?:that )?)(?P<who> ?[\w' ]+?)"
            r"(?: can .*| could .*)?$",
            re.IGNORECASE,
        ),
        lambda found: f"show {found['what']} to {found['who'].strip()}",
    ),
    (
        re.compile(
            r"(?:slide|push|shove) (?P<what>.+?) (?:(?:over|across|along)(?: the [\w-]+)? )?(?:to|towards?|over to) "
            r"(?P<who>[\w' ]+)$",
            re.IGNORECASE,
        ),
        lambda found: f"hand {found['what']} to {found['who']}",
    ),
    (
        re.compile(
            r"give (?P<what>(?:the|my|his|her|their|that|this|its) .+?) (?:a|another|one)(?: [\w-]+){0,2}? "
            r"(?P<verb>push|shove|kick|knock|shake|tap|pat|squeeze|poke|nudge|rub|wipe|stir|turn|twist|tug|pull|spin|slap"
            r"|prod|polish|clean|scrub|rattle|stroke)(?: .*)?$",
            re.IGNORECASE,
        ),
        lambda found: f"{found['verb']} {found['what']}",
    ),
)


def without_voice(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words without the voice in which something is said, where they quote nothing."""
    if not _VOICES & set(lows(words)) or any(word.kind == "speech" for word in words):
        return words
    return words_of(_VOICE.sub("", typed(words)))


_VOICES = frozenset(("voice", "tone", "whisper", "breath"))
_VOICE = re.compile(
    r" (?:in|with|under) (?:my|your|a|the)(?: [\w-]+){0,3}? (?:voice|tone|whisper|breath)\b", re.IGNORECASE
)


def with_contents(words: Sequence[Word]) -> Sequence[Word]:
    """Return `drink the cup` for `drink what is in the cup`, other words as they are."""
    found = _CONTENTS.match(typed(words))
    known = lexicon()
    if not found or found["verb"].lower() not in known.verb_words or found["verb"].lower() in known.saying:
        return words
    return words_of(f"{found['verb']} {found['noun']}")


_CONTENTS = re.compile(
    r"(?P<verb>\w+) (?:what(?:'s| is| was)|whatever(?:'s| is)) (?:\w+ )?(?:in|inside|on) (?P<noun>[^,]+)$",
    re.IGNORECASE,
)
