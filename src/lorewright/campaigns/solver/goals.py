"""The goals that there are in a scenario: endings, discoverables, people, places, things, rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lorewright.campaigns.solver.atoms import Atom, alternatives, atoms, describe_atom, formula
from lorewright.rules.conditions import Condition
from lorewright.rules.effects import RevealEffect
from lorewright.rules.rulesets import BandName, Rule
from lorewright.world.state import WorldState

GoalKind = Literal["ending", "way of opening", "find", "discoverable", "person", "place", "thing", "rule"]

# Atoms that hold of a step, not of a state: a rule applied, in a band, by an act, in a way; an item was found.
FIRED_ATOMS = ("applied", "fired", "by", "way", "found")


@dataclass(frozen=True, slots=True)
class Goal:
    """Something to be reached, as an atom, and its name."""

    kind: GoalKind
    atom: Atom
    name: str


def openings(rule: Rule, withheld: frozenset[str]) -> Iterator[Goal]:
    """Yield the ways in which a rule opens items that people keep back: each band, each act, each way in which its
    condition can hold."""
    bands = [band for band in _bands(rule) if opened_by(rule, band) & withheld]
    if not bands:
        return
    for band in bands:
        yield Goal("way of opening", ("fired", rule.id, band), f"{rule.id} ({band})")
    for act in rule.on.acts if len(rule.on.acts) > 1 else ():
        yield Goal("way of opening", ("by", rule.id, act), f"{rule.id} (by {act})")
    ways = alternatives(formula(rule.when))
    for number, way in enumerate(ways if len(ways) > 1 else ()):
        shown = ", ".join(map(describe_atom, atoms(way)))
        yield Goal("way of opening", ("way", rule.id, number), f"{rule.id} (with {shown})")


def is_others_doing(when: Condition | None) -> bool:
    """Tell whether a condition needs an act of one of the cast, in whatever way it holds: no line of the player brings
    that about."""
    return all(any(atom[0] in ("did", "tried") for atom in atoms(way)) for way in alternatives(formula(when)))


def is_players(rule: Rule, start: WorldState) -> bool:
    """Tell whether a rule is about what the player tries."""
    return rule.on.by is None or rule.on.by in (start.player_id, *start.personas)


def opened_by(rule: Rule, band: BandName) -> frozenset[str]:
    """Return the items that a band of a rule reveals."""
    effects = {"critical": rule.critical or rule.success, "mixed": rule.mixed, "fail": rule.fail}.get(
        band, rule.success
    )
    return frozenset(effect.reveal for effect in effects if isinstance(effect, RevealEffect))


def _bands(rule: Rule) -> list[BandName]:
    if rule.check is None:
        return ["success"]
    return [band for band in ("success", "mixed", "critical", "fail") if band != "critical" or rule.critical]
