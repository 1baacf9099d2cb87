"""Deeds of weight -> what is told of them: a deed that would change the world and that no rule brings about (something
is set on fire, somebody is thrown out, a house is bought) comes to nothing, whatever it is done to; the words for them
are in `weighty.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from lorewright.builtin.parser.acts.kinds import Kind, is_said, kinds
from lorewright.builtin.parser.readings import AFTER_NOUNS, REFUSED, ParseContext, Reading, act_word, posed
from lorewright.builtin.parser.refusals.decrees import decree_words
from lorewright.builtin.parser.refusals.lacking import is_here
from lorewright.builtin.parser.rewordings import in_second_person
from lorewright.builtin.words.asides import is_never_possible
from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, resolve
from lorewright.builtin.words.tagging import Act
from lorewright.scene_lore.nouns import is_verb, singular
from lorewright.shipped_tables import read_table
from lorewright.values.readings import Aside


@dataclass(frozen=True, slots=True)
class WeightyWords:
    """The patterns of weighty deeds, by the form by which they are told, and the nouns that their groups stand for."""

    sorts: Mapping[str, Sequence[re.Pattern[str]]]
    nouns: Mapping[str, frozenset[str]]


@cache
def weighty_words() -> WeightyWords:
    """Return the table of weighty deeds."""
    data: dict[str, Any] = read_table(__package__, "weighty.yaml")
    parts: dict[str, str] = data["parts"]

    def whole(pattern: str) -> re.Pattern[str]:
        return re.compile(re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], pattern), re.IGNORECASE)

    nouns = {name: frozenset(words.split()) for name, words in data.items() if isinstance(words, str)}
    return WeightyWords({form: tuple(map(whole, rows)) for form, rows in data["sorts"].items()}, nouns)


def form_of_weight(ctx: ParseContext, words: str) -> str:
    """Return the form by which a deed of weight is told; empty for any other words."""
    return next((form for form, named in _matches(words) if all(_is_of(ctx, sort, name) for sort, name in named)), "")


@lru_cache(maxsize=1024)
def _matches(words: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return the forms whose patterns words fit, each with what its groups name; of what is asked or quoted none."""
    if any(mark in words for mark in '?"“”'):
        return ()
    plain = _plain(words)
    fits = ((form, each.fullmatch(plain)) for form, patterns in weighty_words().sorts.items() for each in patterns)
    return tuple(
        (form, tuple((sort, name) for sort, name in found.groupdict().items() if name)) for form, found in fits if found
    )


def weighty(ctx: ParseContext, act: Act) -> Reading | None:
    """Return a deed of weight as one that does not come to pass; None for other acts, and for what is said."""
    if _is_no_deed(act):
        return None
    form = form_of_weight(ctx, act.words)
    is_at_pool = form == _WATER and any({"pool", "bath"} & set(key.words) for key in ctx.nouns.place.keys)
    if is_at_pool or (form == _PICTURE and _has_any(ctx, "cameras")):
        return None
    form = _SPARED if form == _FIRE and _has_any(ctx, "flames") else form
    plain = _ENDS.split(_plain(act.words))[0]
    deed = in_second_person(plain) or (plain if " " not in plain else _THAT)
    made = posed(ctx, act.words, form=form, deed=deed) if form else None
    return None if made is None else replace(made, is_sure=True, words=act.words)


def never(ctx: ParseContext, text: str, *, is_board: bool) -> Reading | None:
    """Return a line that forces somebody to something as refused, with all that leads to it, and a short one over a
    board that wants what is possible nowhere, so that no move is made of it; None for others."""
    plain = _plain(text)
    if is_board and len(plain.split()) <= _SHORT and is_never_possible(text) and is_verb(act_word(plain)):
        return Reading(intent=f"story: {plain}", aside=Aside(kind="story", words=text), words=text)
    return weighty(ctx, Act(kind="", words=text)) if form_of_weight(ctx, text) == _FORCE else None


_SHORT = 6


_FORCE, _UNDONE = f"{REFUSED}force", f"{REFUSED}undoing"


def with_weight(ctx: ParseContext, acts: Iterable[Act]) -> tuple[Act, ...]:
    """Return the acts, each deed of weight as an attempt, and nothing else that it might be taken for."""
    found: list[Act] = []
    for act in acts:
        is_heard = bool(found) and _is_no_deed(act) and is_said(found[-1])
        form = "" if is_heard else form_of_weight(ctx, act.words)
        # `unsay that` is no word to the game.
        is_weighty = form and (form == _UNDONE or not kinds().get(act.kind, Kind()).aside)
        (trying,) = decree_words()["trying"]
        *words, last = act.target.split() or [""]
        # `the hen lay` of `make the hen lay an egg`
        target = " ".join(words) if words and is_verb(last) and _MADE_TO.match(_plain(act.words)) else act.target
        weighed = {"kind": trying, "score": 1.0, "target": target}
        found.append(act.model_copy(update=weighed) if is_weighty else act)
    return tuple(found)


_MADE_TO = re.compile(r"(?:make|let|have|get|teach)s? ", re.IGNORECASE)


def _is_no_deed(act: Act) -> bool:
    kind = kinds().get(act.kind, Kind())
    return bool(kind.aside) or (bool(kind.said) and _GOES_ON.match(act.words) is not None)


_FIRE, _SPARED, _PICTURE, _WATER = (f"{REFUSED}{name}" for name in ("fire", "flame", "picture", "water"))
_THAT = "do that"
_GOES_ON = re.compile(r"(?:and|or|then|but)\b", re.IGNORECASE)
_LEADS = re.compile(
    r"^[\s\"*_]*(?:(?:and|then|so|but|now|i|we|just|also|finally|quickly|quietly|secretly|simply|first|next|ok|okay|well"
    r"|please|let me|let['’]s|i['’]ll|i['’]m going to|i['’]m gonna|gonna|going to|try to|try and|attempt to|go and"
    r"|proceed to|decide to|start to|begin to|want to|wanna|would like to|i['’]d like to|manage to|help|go"
    r"|will|carefully|calmly|slowly|suddenly|immediately|literally|\w+ly)[,\s]+)+",
    re.IGNORECASE,
)
# Words after a deed that say what for, or when.
_ENDS = re.compile(
    r"[,;]? (?:so(?: that)?|because|until|(?<!the )(?<!a )till|before|while|as|unless|since|if|in order to) "
)


def _plain(words: str) -> str:
    """Return the words of a deed without who does it, and without marks."""
    return " ".join(_LEADS.sub("", words.strip(' *_.!"')).replace("’", "'").split()).strip(" .,!*")


def _has_any(ctx: ParseContext, sort: str) -> bool:
    """Tell whether something of a sort is carried: what burns, what takes pictures."""
    names = (set(key.words) for thing in ctx.nouns.carried for key in thing.keys)
    return any(not name.isdisjoint(weighty_words().nouns[sort]) for name in names)


def _is_of(ctx: ParseContext, sort: str, phrase: str) -> bool:
    """Tell whether a phrase names something of a sort: a person, a place, a fixture, a vehicle, or a thing."""
    low, table = phrase.casefold().strip(" ,.").split(), weighty_words().nouns
    while len(low) > 1 and low[0] in lexicon().articles | _BEFORE:
        low = low[1:]
    name = " ".join(low)
    heads = {low[-1], singular(low[-1])} if low else set[str]()
    if sort == "who":
        return _is_person(ctx, low, name)
    if sort == "tool":
        return resolve(name, ctx.nouns.carried) is None and is_here(ctx, name)
    if sort == "thing":
        return not _is_person(ctx, low, name) and not isinstance(resolve(name, ctx.nouns.carried), PhraseMatch)
    if not _ENDS_NAME.isdisjoint(low) or len(low) > _LONGEST:
        # `my finger along the bar` is no bar.
        return False
    places = (ctx.nouns.place, *ctx.nouns.exits, *ctx.nouns.known_places)
    if sort == "place":
        return not heads.isdisjoint(table["places"]) or exact(name, places) is not None
    if sort in ("ride", "beast"):
        return not heads.isdisjoint(table[f"{sort}s"])
    return not heads.isdisjoint(table["places"] | table["rides"] | table["fixtures"])


# Words before a noun that name nothing of it; so many words are a name.
_BEFORE = frozenset("whole entire all of both every that this these those his her their my our your own old".split())
_LONGEST = 4
_ENDS_NAME = AFTER_NOUNS | {"along", "across", "above", "below"}


def _is_person(ctx: ParseContext, low: Sequence[str], name: str) -> bool:
    table = weighty_words().nouns
    if not low or low[0] in table["anybody"]:
        # `everyone else`, but not `everyone a round`
        return bool(low) and lexicon().articles.isdisjoint(low[1:2])
    first = name.partition(" and ")[0]
    named = any(exact(each, (*ctx.nouns.people, *ctx.nouns.known_people)) is not None for each in (name, first))
    return named or name in table["pronouns"] or low[-1] in table["people"] | decree_words()["somebody"]
