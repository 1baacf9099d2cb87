"""Errand and words -> the rules of a scenario: what opens whose hand, what it costs, how it ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.generate.scenario.sentences import Words
from lorewright.generate.scenario.staging import Errand
from lorewright.ids import local, shown_item, slug
from lorewright.rules.rulesets import Ruleset

ERRAND, CLOCK, DONE, ELSEWHERE, TOO_LATE = "errand", "pressing", "done", "elsewhere", "too_late"

_Effects = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one errand; `other_clocks` are the packs' own, which go on with what is lost."""

    ruleset: Ruleset
    errand: Errand
    words: Words
    other_clocks: tuple[str, ...] = ()

    def all(self) -> Iterator[dict[str, Any]]:
        """Every rule, what opens a hand before what does not."""
        gets = self._gets()
        yield from self._opening(gets)
        yield from self._lending()
        yield from self._pressed(gets)
        on = {"act": "ask", "target": self.errand.holder.key, "topic": list(self.errand.wanted.topics)}
        yield _rule("not_yet", on, [], self.words.hint, when={"not": self._has()})
        yield from self._endings()
        yield _rule("walking", {"act": "go"}, [{"clock": CLOCK, "by": 1}])
        if "wait" in self.ruleset.actions:
            yield _rule("waiting", {"act": "wait"}, [{"clock": CLOCK, "by": 1}, *self._others()])

    def _has(self) -> dict[str, Any]:
        return {"has": self.errand.wanted.key}

    def _gets(self) -> list[dict[str, Any]]:
        errand = self.errand
        gets: list[dict[str, Any]] = [{"give": errand.wanted.key}]
        gets.append({"relation": [errand.holder.key, "you"], "trust": 1})
        return gets + ([{"reveal": shown_item(errand.secret.id)}] if errand.secret else [])

    def _opening(self, gets: _Effects) -> Iterator[dict[str, Any]]:
        errand, words = self.errand, self.words
        holder, token = errand.holder.key, errand.token.key
        if errand.gate == "token":
            yield _rule("trade", {"act": "give", "target": holder, "item": token}, gets, words.opened)
            return
        opened = {"all": [self._open(), {"not": self._has()}]}
        on = {"act": self._acts("ask", "persuade"), "target": holder, "topic": list(errand.wanted.topics)}
        yield _rule("handed_over", on, gets, words.opened, when=opened, once=True)
        pleased = [{"relation": [holder, "you"], "trust": 1}, {"clock": CLOCK, "by": -2}]
        yield _rule("a_gift", {"act": "give", "target": holder, "item": token}, pleased, once=True)

    def _open(self) -> dict[str, Any]:
        """What must be so for the holder to give it up to whoever asks."""
        if self.errand.clue is not None:
            return {"revealed": shown_item(self.errand.clue.id)}
        return {"thread": ERRAND, "status": "vouched"}

    def _lending(self) -> Iterator[dict[str, Any]]:
        """What the helper does for whoever asks."""
        errand, words, acts = self.errand, self.words, self._acts("ask", "persuade")
        helper = errand.helper.key
        if errand.gate == "vouch":
            about = [local(errand.holder.id), *(slug(word) for word in errand.holder.name.split() if len(word) > 2)]
            on = {"act": acts, "target": helper, "topic": about}
            yield _rule("vouched", on, [{"thread": ERRAND, "status": "vouched"}], words.vouched, once=True)
        on = {"act": acts, "target": helper, "topic": list(errand.token.topics)}
        yield _rule("lent", on, [{"give": errand.token.key}], words.lent, once=True)

    def _pressed(self, gets: _Effects) -> Iterator[dict[str, Any]]:
        """The other way, by the ruleset's own dice for winning somebody over; it costs where it does not come off."""
        persuade = self.ruleset.actions.get("persuade")
        if persuade is None or persuade.check is None:
            return
        holder, cost = self.errand.holder.key, {"clock": CLOCK, "by": 1}
        yield {
            "id": "pressed",
            "on": {"act": "persuade", "target": holder, "topic": list(self.errand.wanted.topics)},
            "when": {"not": self._has()},
            "check": persuade.check.model_dump(mode="json", by_alias=True, exclude_defaults=True),
            "success": list(gets),
            "mixed": [*gets, cost],
            "fail": [cost, {"relation": [holder, "you"], "tension": 1}, *self._others()],
            "say": {"success": self.words.opened},
        }

    def _endings(self) -> Iterator[dict[str, Any]]:
        errand = self.errand
        wanted = errand.wanted.key
        if errand.taker is not None:
            ends = [{"thread": ERRAND, "status": "done"}, {"end": DONE}]
            yield _rule("brought", {"act": "give", "target": errand.taker.key, "item": wanted}, ends)
            if errand.secret is not None and "tell" in self.ruleset.actions:
                on = {"act": "tell", "target": errand.taker.key, "topic": errand.secret.name}
                told = {"all": [self._has(), {"revealed": shown_item(errand.secret.id)}]}
                yield _rule("testified", on, ends, when=told)
        if errand.rival is not None:
            ends = [{"thread": ERRAND, "status": "lost"}, {"end": ELSEWHERE}]
            yield _rule("sold", {"act": "give", "target": errand.rival.key, "item": wanted}, ends)

    def _others(self) -> list[dict[str, Any]]:
        return [{"clock": clock, "by": 1} for clock in self.other_clocks if clock != CLOCK]

    def _acts(self, *acts: str) -> list[str]:
        return [act for act in acts if act in self.ruleset.actions]


def _rule(
    rule_id: str,
    on: dict[str, Any],
    effects: Sequence[dict[str, Any]],
    say: str = "",
    *,
    when: dict[str, Any] | None = None,
    once: bool = False,
) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": rule_id, "on": on, "success": list(effects), "once": once}
    rule |= {"when": when} if when else {}
    return rule | ({"say": {"success": say}} if say else {})
