"""Grammar: grammar/*.yaml -> groups of guarded variants, and the choice of the bag that fits a beat's facts."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from lorewright.ids import content_hash
from lorewright.rules.rulesets import Phrase
from lorewright.shipped_tables import parse_table

# Bags: a seed, a group and the use of each variant -> which come next: none twice before all have come.


class Ledger:
    """The draws and uses of one narration, on top of those that the branch remembers; `used` lists them in order."""

    def __init__(self, seed: str, recall: dict[str, int]) -> None:
        self._seed = seed
        self._counts = dict(recall)
        self.used: list[str] = []

    def count(self, key: str) -> int:
        """Return how often a key was used before and in this narration."""
        return self._counts.get(key, 0)

    def note(self, key: str) -> None:
        """Count one more use of a key."""
        self._counts[key] = self.count(key) + 1
        self.used.append(key)

    def drawn(self, bag: str, index: int) -> None:
        """Count the use of a variant of a bag."""
        self.note(_key(bag, index))

    def next_of(self, bag: str, size: int, *, among: Sequence[int]) -> list[int]:
        """Return those `among` the indices that were used least, in the order in which they should come."""
        counts = {index: self.count(_key(bag, index)) for index in among}
        fewest = min(counts.values())
        return [index for index in _order(self._seed, bag, fewest, size) if counts.get(index) == fewest]


def _key(bag: str, index: int) -> str:
    return f"phrase:{bag}#{index}"


@lru_cache(maxsize=256)
def _order(seed: str, bag: str, cycle: int, size: int) -> tuple[int, ...]:
    return tuple(sorted(range(size), key=lambda index: content_hash(f"{seed}\n{bag}\n{cycle}\n{index}")))


# Grammar: grammar/*.yaml -> groups of guarded variants, and the choice of the bag.


Fact = str | bool | int | frozenset[str]
Facts = Mapping[str, Fact]
Groups = Mapping[str, tuple["Variant", ...]]

# Names of guards, and the type of each value. Those of the scene only make a sentence more specific: where their
# sentences are used up, those without them are as true.
SCENE_GUARDS: Mapping[str, type] = MappingProxyType(
    {"at": str, "tag": str, "who": str, "clock": str, "people": str, "first_time": bool}
)
GUARDS: Mapping[str, type] = MappingProxyType(
    {
        **SCENE_GUARDS,
        "band": str, "verb": str, "topic": str, "level": int, "first": bool, "long": bool, "seen": bool, "bare": bool,
        "detail": bool, "reminder": bool, "himself": bool, "where": bool, "thing": bool, "person": bool, "door": bool,
        "place": bool, "one": bool, "full": bool, "near": bool, "carried": bool, "item": bool,
        "kind": str, "by": str, "to": str, "regard": str, "words": str,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Variant:
    """One sentence with slots, and its guards."""

    text: str
    when: tuple[tuple[str, Fact], ...] = ()
    rank: int = 0

    def fits(self, facts: Facts) -> bool:
        """Tell whether every guard holds."""
        return all(_holds(facts.get(key), value) for key, value in self.when)

    @property
    def is_of_scene(self) -> bool:
        """True if it has a guard that only makes it more specific."""
        return any(key in SCENE_GUARDS for key, _ in self.when)

    @property
    def precedence(self) -> tuple[int, int, tuple[str, ...]]:
        """Sort key: more guards win, then the rank."""
        return (len(self.when), self.rank, tuple(map(str, self.when)))


@dataclass(frozen=True, slots=True)
class VariantChoice:
    """The variants that fit best, and the name of the bag that they are drawn from."""

    bag: str
    texts: tuple[str, ...]


@cache
def grammar() -> Groups:
    """Return the shipped grammar: every YAML file of the folder, in name order."""
    folder = resources.files(__package__).joinpath("grammar")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return merged((file.name, file.read_text("utf-8")) for file in files)


def merged(files: Iterable[tuple[str, str]]) -> Groups:
    """Merge (file name, YAML text) into one grammar.

    Raises:
        ValueError: a file is not groups of variants, or a group stands in two of them; the message names the files.
    """
    groups: dict[str, tuple[Variant, ...]] = {}
    homes: dict[str, str] = {}
    for file, text in files:
        for name, rows in (parse_table(text) or {}).items():
            if name in homes:
                raise ValueError(f"{file}: group {name!r} stands in {homes[name]} already")
            if not isinstance(rows, list) or not rows:
                raise ValueError(f"{file}: group {name!r} is not a list of variants")
            homes[name] = file
            groups[name] = tuple(_variant(row, f"{file}: group {name!r}") for row in rows)
    return MappingProxyType(groups)


def _variant(row: object, where: str) -> Variant:
    if isinstance(row, str):
        return Variant(row)
    if not isinstance(row, dict) or not isinstance(row.get("text"), str) or row.keys() - {"text", "when", "rank"}:
        raise ValueError(f"{where}: {row!r} is not a text, or a text with `when` and `rank`")
    when: dict[str, Any] = row.get("when", {})
    for guard, value in when.items():
        if not isinstance(value, GUARDS.get(guard, ())):
            raise ValueError(f"{where}: {guard}: {value!r} is no guard; there are {', '.join(sorted(GUARDS))}")
    return Variant(row["text"], tuple(sorted(when.items())), row.get("rank", 0))


def choose(group: str, facts: Facts, added: Groups = MappingProxyType({})) -> list[VariantChoice]:
    """Return the best-guarded variants of a group, and behind them those that are as true where the best are used up.

    `added` are a scenario's own variants.

    Raises:
        KeyError: no such group, or nothing in it fits the facts: a mistake in the grammar.
    """
    fitting = [variant for variant in (*grammar()[group], *added.get(group, ())) if variant.fits(facts)]
    choices: list[VariantChoice] = []
    while fitting:
        best = max(variant.precedence for variant in fitting)
        pool = [variant for variant in fitting if variant.precedence == best]
        guards = ",".join(f"{key}={value}" for key, value in pool[0].when)
        choices.append(VariantChoice(f"{group}?{guards}" if guards else group, tuple(variant.text for variant in pool)))
        if not pool[0].is_of_scene:
            return choices
        fitting = [variant for variant in fitting if variant.precedence != best]
    if not choices:
        raise KeyError(f"grammar group {group!r} has nothing for {dict(facts)}")
    return choices


def _holds(fact: Fact | None, value: Fact) -> bool:
    return value in fact if isinstance(fact, frozenset) else fact == value


# Phrases of a scenario -> their faults, in words; and as variants of the narrator's groups.

_SLOT = re.compile(r"\{(\w*)\}")
_MOST_WORDS = 30


def phrase_problems(added: Mapping[str, Sequence[Phrase]]) -> list[str]:
    """Return what does not fit: an unknown group, guard or slot, a sentence without an end. Empty where all fits."""
    problems = []
    for group, phrases in added.items():
        if group not in grammar():
            problems.append(f"there is no group {group}{_near(group, list(grammar()))}")
            continue
        problems += [f"{group}: {problem}" for phrase in phrases for problem in _problems(group, phrase)]
    return problems


def variants_of(added: Mapping[str, Sequence[Phrase]]) -> Groups:
    """Return the phrases as variants."""
    return {
        group: tuple(Variant(phrase.text, tuple(sorted(phrase.when.items())), phrase.rank) for phrase in phrases)
        for group, phrases in added.items()
    }


def slots_of(group: str) -> frozenset[str]:
    """Return the slots that a group's sentences may have: those of its own sentences, and other cases of a person."""
    found = {slot.lower() for variant in grammar()[group] for slot in _SLOT.findall(variant.text)}
    return frozenset(found | ({"who", "whom", "whose", "self", "name"} if found & {"who", "name"} else set()))


def _problems(group: str, phrase: Phrase) -> list[str]:
    text, shown = phrase.text, repr(phrase.text[:40])
    problems = []
    for slot in _SLOT.findall(text):
        if slot.lower() not in slots_of(group):
            problems.append(
                f"{shown} has the slot {{{slot}}}; there are {', '.join(sorted(slots_of(group))) or 'none'}"
            )
    for guard, value in phrase.when.items():
        if guard not in GUARDS:
            problems.append(f"{shown} has the guard {guard}{_near(guard, list(GUARDS))}")
        elif not isinstance(value, GUARDS[guard]) or (GUARDS[guard] is int and isinstance(value, bool)):
            problems.append(f"{shown}: the guard {guard} is a {GUARDS[guard].__name__}, not {value!r}")
    if len(text.split()) > _MOST_WORDS:
        problems.append(f"{shown} has more than {_MOST_WORDS} words")
    if not text.strip() or text.strip()[-1] not in ".!?…:”":
        problems.append(f"{shown} does not end with a stop")
    if any(mark in text for mark in "*_`#<>\n") or re.search(r"\{(?!\w+\})|(?<!\w)\}", text):
        problems.append(f"{shown} has markup")
    return problems


def _near(word: str, known: list[str]) -> str:
    found = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {found[0]}?)" if found else ""
