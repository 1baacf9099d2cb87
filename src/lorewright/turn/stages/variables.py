"""The variables that prompts share: `player`, `char`, `chars`, `turn`, `lore`, `msgs`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from pydantic import Field

from lorewright.ids import local
from lorewright.rules.actions import Action
from lorewright.rules.patch import REASON_CODES, ActionResult, Outcome, OutcomeCode
from lorewright.rules.verbs import verb_of
from lorewright.tokens import count_tokens
from lorewright.turn.views.circumstances import value_in_words
from lorewright.values.packet import ContextPacket
from lorewright.values.records import FIRST_CODE, InnerState, Message, NarratorInput, NpcAct, Premise
from lorewright.world.frozen import Frozen
from lorewright.world.ops import ChangeInventory, ChangeRelation, SetDoor
from lorewright.world.schemas import plain
from lorewright.world.things import MANIFEST_LEVEL

# Premises -> lines for a prompt: what the player claims, and whether anybody may agree to it.

CLAIMED = {
    "said": "{by} told {to}: “{what}”",
    "promised": "{by} promised {to}: “{what}”",
    "owes": "{by} owes {to}: “{what}”",
    "owns": "“{what}” is {by}'s own",
}


def claims_in_words(premises: Iterable[Premise], names: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each premise; the claimed words are the player's, and the evidence is not told."""
    for premise in premises:
        by, to = names.get(premise.by, "somebody"), names.get(premise.to or "", "somebody")
        claimed = CLAIMED[premise.kind].format(by=by, to=to, what=premise.what)
        said = "That is so." if premise.holds else "Nothing bears this out: nobody agrees to it or repeats it as true."
        yield f"The player claims that {claimed}. {said}"


# A text and a number of tokens -> the part of it that fits.

# The tokens of a number in brackets and the line's own formatting.
AROUND = 5


def cost(text: str) -> int:
    """Return how many tokens, as estimated, a line adds to a prompt."""
    return count_tokens(text) + AROUND


def cut(text: str, budget_tokens: int) -> str:
    """Return the part of a text that fits, to a sentence's end where there is one, else to a word's; empty where little
    fits."""
    if count_tokens(text) <= budget_tokens:
        return text
    part = text[: max(budget_tokens, 0) * 4]
    while part and count_tokens(part) > budget_tokens:
        part = part[: len(part) * 3 // 4]
    ends = max(part.rfind(mark) for mark in (". ", "! ", "? ", ".\n", "\n"))
    if ends > len(part) // 3:
        return part[: ends + 1].strip()
    word = part.rfind(" ")
    return f"{part[:word]} …" if word > 20 else ""


# Outcomes, acts and changes -> lines for a prompt.

MEANINGS: Mapping[OutcomeCode, str] = MappingProxyType(
    {
        "looked": "it is looked at",
        "listed": "what is carried is gone through",
        "moved": "the new place is reached",
        "told": "an answer is given",
        "told_before": "the answer is the one that was given before",
        "deflected": "the question is turned aside, and nothing is said about it",
        "does_not_know": "there is no answer: they do not know",
        "acted": "it is done",
        "heard": "it is heard, and is news to them",
        "heard_before": "it is heard, and no news to them",
        "promised": "the promise stands",
        "recalled": "what stands between them is named",
        "nothing_recorded": "nothing of the kind stands between them",
        "taken": "it is taken",
        "dropped": "it is put down",
        "given": "it changes hands",
        "used": "it is used",
        "opened": "it is open now",
        "closed": "it is shut now",
        "locked": "it is locked now",
        "unlocked": "it is unlocked now",
        "found": "something is found",
        "found_before": "it is what was found before, and nothing else",
        "nothing_found": "nothing is found",
        "waited": "time passes",
        "blocked": "it cannot be done, and is not",
    }
)
BANDS = {"critical": "full success", "success": "success", "mixed": "success at a price", "fail": "failure"}
# The most tokens that are shown of an intention, and of an author's text for it.
INTENTION_TOKENS = 60
AUTHORED_TOKENS = 90
_RECORDED = {"promised": "promised", "threatened": "threatened", "owes": "owes"}


def name_of(given: NarratorInput, entity_id: str) -> str:
    """Return the display name of an ID in the narrator's input; words made of the ID where there is none."""
    if entity_id == given.player_id:
        return given.player.name
    return given.names.get(entity_id) or local(entity_id).replace("_", " ")


def tried(kind: str) -> str:
    """Return what stands after `tries to` for a type of action."""
    verb = verb_of(kind)
    return kind if verb is None else verb.tried or verb.name


def outcome_in_words(outcome: Outcome, given: NarratorInput) -> str:
    """Return an outcome in a line or a few: who tried what, the result and the reason, and the texts that must be
    said."""
    names = {
        entity_id: name_of(given, entity_id)
        for entity_id in (outcome.target_id, outcome.location_id, outcome.item_id)
        if entity_id is not None
    }
    parts = [name_of(given, outcome.actor_id), f"tries to {tried(outcome.type)}"]
    verb = verb_of(outcome.type)
    joint = "with " if given.code_version > FIRST_CODE and verb is not None and verb.is_free else ""
    parts += [f"{joint}{names[outcome.target_id]}"] if outcome.target_id else []
    parts += [f"to {names[outcome.location_id]}"] if outcome.location_id else []
    parts += [f"with {names[outcome.item_id]}"] if outcome.item_id and outcome.item_id != outcome.target_id else []
    words = f' ("{outcome.words}")' if outcome.words else ""
    band = f"{BANDS[outcome.band]}; " if outcome.band else ""
    # The scenario's own words tell the effect of a failed check; if there are none, it is nothing but the failure.
    meaning = "it does not come off" if outcome.band == "fail" and outcome.code == "acted" else MEANINGS[outcome.code]
    why = f"; {REASON_CODES[outcome.reason]}" if outcome.reason else ""
    say = [f" In these words or close to them: {' '.join(outcome.say)}"] if outcome.say else []
    then = [f" And then: {' '.join(outcome.then)}"] if outcome.then else []
    return "".join([f"{' '.join(parts)}{words}: {band}{meaning}{why}.", *say, *then])


def act_in_words(act: NpcAct, given: NarratorInput) -> str:
    """Return what somebody does of their own accord, in a line: their intention, its outcomes, an author's words for
    it.

    A whisper that the player does not hear is mentioned, without its words."""
    if act.hidden:
        to = f" to {name_of(given, act.whisper_to)}" if act.whisper_to else ""
        return f"{act.name} whispers{to}. Nobody else hears a word of it: what is said must not be told."
    intends = cut(" ".join(act.text.split()), INTENTION_TOKENS)
    parts = [f"{act.name} intends: {intends}"] if intends else [f"{act.name} acts."]
    parts += [f"What comes of it: {_came_of(outcome, given)}" for outcome in act.outcomes]
    if not act.outcomes:
        parts.append("It is words or a gesture, and changes nothing.")
    if act.say:
        parts.append(f"In these words or close to them: {cut(' '.join(act.say), AUTHORED_TOKENS)}")
    if act.whisper_to == given.player_id:
        parts.append(f"It is whispered: {given.player.name} alone hears it.")
    return " ".join(parts)


def _came_of(outcome: Outcome, given: NarratorInput) -> str:
    """Return an outcome of a character's act; where something is only said to the player, the answer is left to
    them."""
    line = outcome_in_words(outcome, given)
    open_end = outcome.target_id == given.player_id and outcome.code == "acted" and outcome.band is None
    verb = verb_of(outcome.type)
    if not open_end or verb is None or not verb.reply:
        return line
    return line.replace(MEANINGS["acted"], f"it is said; the answer is {given.player.name}'s, and is not told", 1)


def changes_in_words(given: NarratorInput) -> Iterator[tuple[str, str]]:
    """Yield (ID, line) of everything that changed in a turn besides its outcomes, as far as the player can see it."""
    yield from (_change(at, op, given) for at, op in enumerate(given.ops))
    for record in given.recorded:
        by, to = name_of(given, record.by_id), name_of(given, record.to_id)
        yield f"record:{record.fact_id}", f"On record: {by} {_RECORDED[record.predicate]} {to}: {record.what}."
    told = {outcome.actor_id for act in given.acts for outcome in act.outcomes if outcome.code == "moved"}
    for movement in (moved for moved in given.movements if moved.entity_id not in told):
        what = "comes in" if movement.kind == "arrival" else "leaves"
        yield f"{movement.kind}:{movement.entity_id}", f"{movement.name} {what}."
    for tick in given.clocks:
        moved = "rises" if tick.after > tick.before else "falls"
        yield f"clock:{tick.id}", f"{tick.name} {moved} from {tick.before} to {tick.after} of {tick.max}."
    if given.minutes_lost:
        yield "time:lost", f"It takes {given.minutes_lost} minutes longer than it should have."
    if given.ending is not None:
        yield "ending", f"The story ends here: {given.ending}"


def _change(at: int, op: ChangeRelation | ChangeInventory | SetDoor, given: NarratorInput) -> tuple[str, str]:
    match op:
        case ChangeInventory():
            verb = "gains" if op.delta > 0 else "loses"
            many = f" ({abs(op.delta)})" if abs(op.delta) > 1 else ""
            line = f"{name_of(given, op.owner_id)} {verb} {name_of(given, op.item_id)}{many}."
        case ChangeRelation():
            felt = {"trust": op.trust, "tension": op.tension, "closeness": op.closeness}
            moved = [f"{name} {'grows' if by > 0 else 'shrinks'}" for name, by in felt.items() if by]
            between = f"{name_of(given, op.a)} and {name_of(given, op.b)}"
            line = f"Between {between}: {', '.join(moved) or 'nothing moves'}."
        case SetDoor():
            line = f"{name_of(given, op.door_id)} is {'locked' if op.locked else 'unlocked'} now."
    return f"change:{at}", line


def attempts_in_words(
    actions: Iterable[Action], results: Iterable[ActionResult], names: Mapping[str, str]
) -> Iterator[str]:
    """Yield a line for each action as it was judged, before anything is rolled."""
    judged = {result.action_index: result for result in results}
    for index, action in enumerate(actions):
        named = [
            names.get(entity_id) or local(entity_id).replace("_", " ")
            for entity_id in (action.target_id, action.location_id)
            if entity_id
        ]
        words = f' ("{action.words}")' if action.words else ""
        result = judged.get(index)
        blocked = result is not None and not result.success
        why = REASON_CODES[result.reason] if result is not None and result.reason else "it is not possible"
        yield f"{' '.join([action.type, *named])}{words}: {f'cannot be done: {why}' if blocked else 'will be tried'}"


# The variables: `player`, `char`, `chars`, `turn`, `lore`, `msgs`.

# The name of a player's character without one.
NOBODY = "the adventurer"
# The most characters of a message that are shown.
MESSAGE_CHARACTERS = 1_500
_SPEECH = re.compile(r"[“\"«„][^“”\"«»„]{2,}[”\"»“]")


class PromptContext(Frozen):
    """The variables of a prompt. `stable` are the keys whose values hold for a scene or longer."""

    stable: ClassVar[tuple[str, ...]] = ()


class StateVariable(Frozen):
    """An inner state (`mood`: `wary`): below level 6 it is latent, and only extractors are shown it."""

    name: str
    value: str
    level: int
    is_subconscious: bool
    is_manifest: bool


class PlayerVariables(Frozen):
    """The active persona; `states` are those that are manifest."""

    description: str = ""
    states: tuple[StateVariable, ...] = ()


class CharVariables(Frozen):
    """The character whose own stage it is; `states` are those that are manifest."""

    name: str
    description: str = ""
    states: tuple[StateVariable, ...] = ()


class CharInside(Frozen):
    """A character as extractors are shown it: `all_states` has the latent ones too."""

    name: str
    description: str = ""
    all_states: tuple[StateVariable, ...] = ()


class CharsVariables(Frozen):
    """Everybody in the scene."""

    summary: str = ""


class LoreVariables(Frozen):
    """Relevant lore, as one text."""

    text: str = ""


class MessageVariables(Frozen):
    """A message of the stream, as a stage may see it: `character` is who speaks (`narrator`, a name), `mark` what the
    message is (a thought, an attempt, a narration and to whom), `is_dialog` that somebody is quoted in it, `emotion`
    the mood that its sender was in, where they have one."""

    character: str
    mark: str = ""
    text: str
    is_dialog: bool = False
    emotion: str = ""
    turn_no: int = 0


def state_variables(states: Iterable[InnerState], *, latent: bool) -> tuple[StateVariable, ...]:
    """Return states as prompts show them, sorted by name; with `latent` also those that their owner does not know
    of."""
    seen = (state for state in states if latent or (state.level >= MANIFEST_LEVEL and state.value is not None))
    shown = sorted(seen, key=lambda state: state.name)
    return tuple(
        StateVariable(
            name=state.name,
            value=in_words(state.value),
            level=state.level,
            is_subconscious=state.level < MANIFEST_LEVEL,
            is_manifest=state.level >= MANIFEST_LEVEL,
        )
        for state in shown
    )


def message_variables(
    messages: Iterable[tuple[int, Message]], name_of: Callable[[str], str], *, told_to: str = ""
) -> tuple[MessageVariables, ...]:
    """Return messages, given as (turn number, message) that the reader may see, as prompts show them; `told_to` is the
    name of the player's character."""
    return tuple(
        MessageVariables(
            character=message.owner if message.owner in ("narrator", "system") else name_of(message.owner),
            mark=_mark(message, told_to, name_of),
            text=message.content[:MESSAGE_CHARACTERS],
            is_dialog=is_dialog(message.content),
            emotion=str(message.payload.get("emotion") or ""),
            turn_no=turn_no,
        )
        for turn_no, message in messages
    )


def _mark(message: Message, told_to: str, name_of: Callable[[str], str]) -> str:
    """Return what a message is, so that a thought does not stand like a narration."""
    whisper_to = str(message.payload.get("to") or "")
    match message.type:
        case "thought":
            return "a thought that nobody hears"
        case "intention" if whisper_to:
            return f"whispered to {name_of(whisper_to)} alone"
        case "intention":
            return "what was said or tried"
        case "narration" if message.subtype == "whisper":
            return "a whisper"
        case _:
            return f"to {told_to}, who is “you” in it" if told_to else "to the player"


def is_dialog(text: str) -> bool:
    """Return True if somebody is quoted in a text."""
    return _SPEECH.search(text) is not None


def in_words(value: Any) -> str:
    """Return a value for reading: no prompt has JSON for what is meant for reading."""
    return value_in_words(plain(value)) or "not set"


# Contexts of the prompts besides the turn's own stages: recaps and repairs; and the output of a recap.


class RecapContext(PromptContext):
    """The course of a sitting: its narrations (`msgs`), open threads, and the recaps of earlier sittings."""

    stable: ClassVar[tuple[str, ...]] = ("player_name", "player")

    player_name: str = NOBODY
    player: PlayerVariables = PlayerVariables()
    summary_before: str = ""
    msgs: tuple[MessageVariables, ...] = ()
    learned: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    place: str = ""


class SummaryOutput(Frozen):
    """A recap: prose."""

    text: str = Field(min_length=1, max_length=6_000)


class RepairContext(PromptContext):
    """The problem of an answer, and whether prose was asked for."""

    stable: ClassVar[tuple[str, ...]] = ()

    stage: str
    problem: str
    prose: bool = False


# What the players asked for before the game -> its variables: tone, lethality, pace, lines and veils.

# The most characters of a wish, which is a sentence or two, and the most wishes.
_LONGEST = 300
_MOST = 12


class CalibrationVariables(Frozen):
    """What the players asked for; empty where nothing was. `lines` never come up, `veils` only off the page."""

    tone: str = ""
    lethality: str = ""
    pace: str = ""
    character: str = ""
    lines: tuple[str, ...] = ()
    veils: tuple[str, ...] = ()


def calibration_of(packet: ContextPacket) -> CalibrationVariables:
    """Return the calibration of a packet; values of another shape are taken as text, unknown keys are dropped."""
    given = packet.calibration
    texts = {key: _text(given.get(key)) for key in ("tone", "lethality", "pace", "character")}
    return CalibrationVariables(**texts, lines=_list(given.get("lines")), veils=_list(given.get("veils")))


def _text(value: Any) -> str:
    return "" if value is None else in_words(value)[:_LONGEST]


def _list(value: Any) -> tuple[str, ...]:
    entries = value if isinstance(value, list | tuple) else [] if value in (None, "") else [value]
    return tuple(_text(entry) for entry in entries[:_MOST])
