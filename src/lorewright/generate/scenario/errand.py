"""Stage -> errand: who has what is wanted, what opens their hand, where it must go. The lines that bring it about are
known by construction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lorewright.generate.explore.survey import Note
from lorewright.generate.explore.titles import common_name
from lorewright.generate.scenario.ground import Ground, Told
from lorewright.generate.scenario.staging import Lot, Speaker, Stage
from lorewright.ids import local, slug
from lorewright.index.words import content_words

# What there is at the end of it: a thing in somebody's hand, a thing in a place, or word of something and its proof.
Aim = Literal["deliver", "bring", "testify"]
# What opens a holder's hand: another thing, what somebody knows, what a place hides, a good word.
Gate = Literal["token", "word", "find", "vouch"]

# Things of no world in particular, for packs whose things are not to be carried away.
_THINGS = (
    *("sealed packet", "folded letter", "copied ledger", "tin box", "marked map", "stamped pass", "glass vial"),
    *("brass token", "torn ticket", "bundle of receipts", "grey envelope", "small recorder", "list of names"),
)


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing of the scenario: its key, what it is called, the pack's note of it if there is one."""

    key: str
    name: str
    entity: str | None = None

    @property
    def the(self) -> str:
        """As it stands within a sentence."""
        return within(self.name)

    @property
    def topics(self) -> tuple[str, ...]:
        """The words by which one asks about it."""
        words = (slug(word) for word in content_words(self.name))
        return tuple(dict.fromkeys((*words, *((local(self.entity),) if self.entity else ()))))


@dataclass(frozen=True, slots=True)
class Errand:
    """What is to be done. `wanted` is with the `holder` and goes to `taker` (or lies with nobody: then it goes to
    `goal_place`); `token` is with the `helper`, who also knows `clue` where the gate is a word; where it is a find the
    clue is hidden in `clue_place`. `secret` is what the holder tells along with it."""

    aim: Aim
    gate: Gate
    holder: Speaker
    helper: Speaker
    wanted: Thing
    token: Thing
    goal_place: str
    taker: Speaker | None = None
    rival: Speaker | None = None
    clue: Told | None = None
    clue_place: str | None = None
    secret: Told | None = None


def within(name: str) -> str:
    """A name as it stands within a sentence: `The Clinic` as `the Clinic`, `tin box` as `the tin box`."""
    if name.startswith("The "):
        return "the " + name[4:]
    return f"the {name}" if name[:1].islower() and not name.startswith("the ") else name


def plan_errand(ground: Ground, stage: Stage, lot: Lot) -> tuple[Errand, Stage]:
    """An errand on a stage, and the stage with everybody where the errand needs them."""
    holder, helper = _two(stage, lot)
    others = [one for one in stage.cast if one not in (holder, helper)]
    aims: list[Aim] = ["bring"]
    if others:
        aims += ["deliver", "deliver"]
        if holder.withholds:
            aims += ["testify", "testify"]
    aim = lot.pick("aim", aims)
    taker = others[0] if aim != "bring" else None
    rest = [one for one in others if one is not taker]
    stage = _spread(stage, holder, helper, taker, lot)
    at = stage.at[holder.key]
    goal = stage.at[taker.key] if taker is not None else _far_from(stage, at, lot)
    hidden = [(place, told) for place in stage.places if place != at for told in _hidden_in(ground, place)]
    gates: list[Gate] = ["token", "vouch"]
    gates += ["word", "word"] if helper.knows else []
    gates += ["find", "find"] if hidden else []
    gate = lot.pick("gate", gates)
    clue_place, clue = lot.pick("hidden clue", hidden) if gate == "find" else (None, None)
    wanted, token = _things(ground, stage, (holder,), lot)
    errand = Errand(
        aim,
        gate,
        holder,
        helper,
        wanted,
        token,
        goal,
        taker=taker,
        rival=rest[0] if rest and taker is not None else None,
        clue=lot.pick("clue", helper.knows) if gate == "word" else clue,
        clue_place=clue_place,
        secret=lot.pick("secret", holder.withholds) if aim == "testify" else None,
    )
    return errand, stage


def _two(stage: Stage, lot: Lot) -> tuple[Speaker, Speaker]:
    """Who has what is wanted, and who helps: by the order of the cast, whoever has nothing to tell last."""
    tellers = [one for one in stage.cast if one.knows or one.withholds]
    order = [*tellers, *(one for one in stage.cast if one not in tellers)]
    holder, helper = order[:2]
    return (helper, holder) if helper.withholds and lot.number("swap", below=2) else (holder, helper)


def _spread(stage: Stage, holder: Speaker, helper: Speaker, taker: Speaker | None, lot: Lot) -> Stage:
    """Holder and helper apart, and whoever waits for it somewhere else than the holder: an errand is a way to go."""
    if stage.at[helper.key] == stage.at[holder.key]:
        stage = stage.moved(helper.key, _far_from(stage, stage.at[holder.key], lot))
    if taker is not None and stage.at[taker.key] == stage.at[holder.key]:
        stage = stage.moved(taker.key, _far_from(stage, stage.at[holder.key], lot))
    return stage


def _far_from(stage: Stage, place: str, lot: Lot) -> str:
    """A place some way off: one of the two that are furthest."""
    others = [one for one in stage.places if one != place]
    ranked = sorted(others, key=lambda one: (-len(stage.route(place, one)), stage.places.index(one)))
    return lot.pick(f"far from {place}", ranked[:2])


def _hidden_in(ground: Ground, place: str) -> Iterator[Told]:
    yield from (one for one in ground.role(place, "discoverable") if one.trigger)


def _things(ground: Ground, stage: Stage, hands: Sequence[Speaker], lot: Lot) -> tuple[Thing, Thing]:
    """Two things that no word confuses: the packs' own where they have to do with one of these hands and with no place.
    What belongs to a place is not carried about."""
    owners = {one.id for one in hands}
    named = {target for one in hands for target in one.note.links}
    fixed = {target for place in ground.ways for target in ground.survey.notes[place].links} | set(ground.ways)
    own = [
        note
        for note in ground.loose_things
        if _can_be_held(note)
        and (note.id in named or owners.intersection(note.links))
        and note.id not in fixed
        and not fixed.intersection(note.links)
    ]
    made = [Thing(f"{slug(name).replace('-', '_')}_thing", name) for name in lot.order("things", _THINGS, str)]
    of_pack = [Thing(f"{local(note.id)}_thing", common_name(ground.names[note.id]), note.id) for note in own]
    people = {word for one in stage.cast for word in content_words(one.name)}
    # One of the packs' own at most: of two nobody could say why they are not with their owners.
    first = lot.pick("wanted", [*of_pack[:2], made[0]])
    rest = [one for one in made if one is not first and not set(one.topics) & (set(first.topics) | people)]
    return first, rest[0]


def _can_be_held(note: Note) -> bool:
    """A title that is plural is a kind of thing, and nothing to put into a pocket."""
    last = note.entity.name.split()[-1].casefold()
    return not last.endswith("s") or last.endswith("ss")
