"""What a line asks of the program -> its answers, one after the other. Nothing is played for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lorewright.builtin.words.asides import subjects_in
from lorewright.scene_lore.gather import in_sentences
from lorewright.turn.run.steps import TurnContext
from lorewright.turn.views.asides.answers import answer_aside, place_asked_about
from lorewright.turn.views.asides.recollections import NOTHING_HEARD
from lorewright.turn.views.asides.unheard import (
    answer_of_oneself,
    answer_unheard,
    asked_things,
    told_at,
    with_noises,
    with_told,
)
from lorewright.turn.views.point import TurnPoint
from lorewright.values.annotations import summary_for
from lorewright.values.readings import Aside
from lorewright.values.records import Citation


def answers_to(
    turn: TurnContext, asides: Iterable[Aside], at: TurnPoint, *, before: TurnPoint | None = None
) -> tuple[str, tuple[Citation, ...]]:
    """Return the answers to asides at a point of a turn, in turn, no sentence of them twice; and what they cite. What
    the player is said to remember was told them `before` what the turn tells."""
    told = told_at(before or at)
    texts: list[str] = []
    cited: list[Citation] = []
    asked = tuple(asides)
    for aside in asked:
        text, found = _answer_to(turn, aside, at, told, line=turn.submission.text if len(asked) == 1 else aside.words)
        texts.append(text)
        cited += found
    if len(texts) > 1:
        texts = list(dict.fromkeys(part for text in texts for part in in_sentences(text)))
    return " ".join(texts), tuple(cited)


def _answer_to(
    turn: TurnContext, aside: Aside, at: TurnPoint, told: Sequence[str], *, line: str
) -> tuple[str, tuple[Citation, ...]]:
    """Return the answer to one aside, which was typed as this line."""
    shown, rules = turn.views.acquaintance(at.state).shown, turn.setting.rules
    names = [entity.name for entity in shown.entities.values() if entity.type == "npc"]
    if aside.kind == "lore":
        text, cited = turn.views.known_of(aside.words, at)
        noticed = with_noises(text, aside.words, names, told)
        return (text, cited) if noticed == text else (noticed, ())
    if aside.kind == "company" and (place := place_asked_about(shown, aside.words)):
        known, cited = turn.views.known_of(place, at)
        known = with_noises(known, place, names, told)
        return f"Who is there cannot be seen from here. {'' if known == NOTHING_HEARD else known}".strip(), cited
    if aside.kind == "rules" and subjects_in(aside.words, "questions")[:1] == ("hint",):
        aside = aside.model_copy(update={"kind": "hint"})
    wanted = turn.setting.goal(turn.head)
    guided = _guide(turn, aside.kind)
    text = answer_aside(aside.kind, shown, rules, aside.words, wanted=wanted, guided=guided)
    if aside.kind in ("who", "state"):
        return answer_of_oneself(text, line, told, wanted if aside.kind == "who" else ""), ()
    if aside.kind in ("hint", "help", "options") and (thing := asked_things(aside.words)):
        known, cited = turn.views.known_of(thing, at)
        return f"{with_noises(known, thing, names, told)} {text}", cited
    return with_told(answer_unheard(aside, text, line, names, told), aside, told), ()


def _guide(turn: TurnContext, kind: str) -> str:
    """Return what the campaign itself says to an aside of this kind; empty where it says nothing."""
    head = turn.head
    match kind:
        case "hint":
            nudge = turn.setting.nudge(head)
            return f"{nudge} You could begin like this: {head.options[0]}.".strip() if head.options else nudge
        case "options" if head.options:
            help_text = answer_aside("help", head.state, turn.setting.rules)
            return f"You can, for example: {'; '.join(head.options)}. {help_text}"
        case "undo" if head.turn_no == 0:
            return "There is nothing to take back yet. After a turn /undo takes it back, /undo 3 the last three."
        case "goal":
            return turn.setting.goal(head)
        case "recap":
            summed = " ".join(sentence.text for sentence in summary_for(head.summary, head.state.player_id))
            return (
                summed or f"{answer_aside('recap', head.state, turn.setting.rules)} {turn.setting.goal(head)}".strip()
            )
    return ""
