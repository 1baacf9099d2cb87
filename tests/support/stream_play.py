"""A play of the profile `stream` in which everything private has a word of its own, and who may be shown which.

Words: `qt…` thoughts, `qi…` intentions, `qn…` narrations, `ql…` latent states, `qm…` manifest ones, `qf…` a fact that is
withheld; and the canaries that the leak suite plants in a pack's secrets.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lorewright.authoring.leaks.planting import Canaries, may_know, plant
from lorewright.bootstrap import App, open_app
from lorewright.llm.model import Model, ModelRequest
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.turn.run.commit import run_turn
from lorewright.turn.stages.stages import STAGES, make_stages
from lorewright.turn.views.draft import Submission
from lorewright.values.entries import RECENT_TURNS
from lorewright.values.records import Message
from lorewright.world.ops import AddFact
from lorewright.world.state import WorldState
from lorewright.world.things import Fact
from support import harbour as h

_WORD = re.compile(r"q[tinlmf][0-9]{3}x|qz[a-z]{8}")
PLAYER = "game:player"
WHISPERER, CONFIDANTE = "harbour:osk", "harbour:tam"

_PERSON = """
    ---
    id: {id}
    type: npc
    pronoun: {pronoun}
    ---
    # {name}

    {name} has come in from the rain.

    ## Knows

    - {{#ice}} The {word} crates came up without any ice in them, and nobody has asked why.

    ## Withholds

    - {{#price}} {name} was paid in {word} shells for looking at the other wall.
"""
FILES = {
    **h.FILES,
    "npcs/tam.md": _PERSON.format(id="tam", name="Tam", pronoun="he", word="herring"),
    "npcs/una.md": _PERSON.format(id="una", name="Una", pronoun="she", word="cockle"),
}
CAST = """\
    cast:
      osk: {at: tavern, baked: true, states: {grudge: {value: ql001x, level: 3}, pride: {value: qm001x, level: 8}}}
      bea: {at: quay, chattiness: 1}
      tam: {at: tavern, chattiness: 0.5, states: {fear: {value: ql002x, level: 5}, mirth: {value: qm002x, level: 6}}}
      una: {at: tavern, chattiness: 0.5}
"""
SCENARIO = re.sub(r"    cast:\n(      .*\n)+", CAST, h.SCENARIO, count=1).replace(
    "    start: tavern", "    profile: stream\n    start: tavern"
)
LATENT = {"ql001x": "harbour:osk", "ql002x": "harbour:tam"}
FACT = "qf001x"
MANIFEST = {"qm001x": "harbour:osk", "qm002x": "harbour:tam"}

# What the player does, over and over; of the words nothing but the intention tells.
DEEDS: tuple[dict[str, Any], ...] = (
    {"type": "look"},
    {"type": "ask", "target_id": "harbour:osk", "words": "Lin"},
    {"type": "wait", "minutes": 5},
    {"type": "search", "words": "the rafters"},
    {"type": "go", "location_id": "harbour:quay"},
    {"type": "look"},
    {"type": "go", "location_id": "harbour:tavern"},
    {"type": "wait", "minutes": 10},
)


# The story so far is told in short by what is built in: its sentences are the narrations' own.
ASKED = tuple(stage for stage in STAGES if stage != "summariser")


def words_in(text: str) -> set[str]:
    """The words of ours in a text."""
    return set(_WORD.findall(text))


class Honest:
    """Sensible answers of every stage but the summariser, each with words of its own."""

    def __init__(self) -> None:
        self.turn = 0
        self._count = 0

    def __call__(self, request: ModelRequest) -> Any:
        return getattr(self, f"_{request.stage}")(_given(request))

    def _word(self, kind: str) -> str:
        self._count += 1
        return f"q{kind}{self._count:03d}x"

    def _interpreter(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"intent": "go on", "actions": [DEEDS[self.turn % len(DEEDS)]]}

    def _planner(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"beats": ["Keep it short and plain."], "tension_move": "", "next_suggestions": []}

    def _narrator(self, given: dict[str, Any]) -> str:
        return f"A lamp is turned down, and {self._word('n')} goes through the room."

    def _lore_extractor(self, given: dict[str, Any]) -> dict[str, Any]:
        place, people = given["place_id"], [one["id"] for one in given["present"]]
        return {
            "established_facts": [
                {"subject_id": place, "predicate": f"lamp {self.turn}", "detail": "The lamp has been turned down."}
            ],
            "new_observations": [
                {"character_id": people[0], "content": "Somebody turned the lamp down.", "importance": 2}
            ],
        }

    def _npc_intent(self, given: dict[str, Any]) -> dict[str, Any]:
        name = given["char"]["name"]
        intent: dict[str, Any] = {
            "action_text": f"{name} turns a coin over and says {self._word('i')} to nobody.",
            "thought": f"{name} thinks of {self._word('t')} and of how little anybody here has noticed.",
            "intent_tags": ["calm"],
        }
        here = {one["id"] for one in given["people"]}
        if name == "Osk" and CONFIDANTE in here and self.turn % 3 == 0:
            intent["action"] = {"type": "tell", "target_id": CONFIDANTE, "words": "the tide", "whisper": True}
        return intent

    def _persona_extractor(self, given: dict[str, Any]) -> dict[str, Any]:
        return {"changes": []}

    _character_extractor = _persona_extractor


def _given(request: ModelRequest) -> dict[str, Any]:
    """The stage's input, as it is shown where there are no prompts."""
    text = request.prompt.text
    return dict(json.JSONDecoder().raw_decode(text[text.index("{") :])[0])


@dataclass
class Play:
    """A campaign `game` that was played, and what was planted in its pack."""

    app: App
    canaries: Canaries
    played: int = 0


def begun(tmp_path: Path, *, seed: int = 1) -> Play:
    """A workspace with the planted pack, and the campaign begun."""
    root = tmp_path / "workspace"
    make_empty_workspace(root)
    h.write_pack(tmp_path / "authored" / "harbour", FILES)
    _, canaries = plant(tmp_path / "authored" / "harbour", root / "content_packs" / "harbour")
    (root / "scenarios" / "night_boat.yaml").write_text(h.dedent(SCENARIO), encoding="utf-8")
    app = open_app(root)
    app.campaigns.new("night_boat", campaign_id="game", seed=seed)
    withheld = Fact(
        id="flood", subject_id="harbour:tavern", predicate="cellar", object=f"It floods at {FACT}.", visibility="gm"
    )
    with app.campaigns.open("game") as campaign:
        campaign.edit([AddFact(fact=withheld)], action_id="flood")
    return Play(app, canaries)


def played(play: Play, turns: int, models: Mapping[str, Model], honest: Honest) -> Play:
    """So many turns, each with a thought and words of the player's own."""
    stages = make_stages(models)
    with play.app.campaigns.open("game") as campaign:
        for number in range(turns):
            honest.turn = number
            submission = Submission(
                f"brmbl qi{900 + number % 100:03d}x brmbl",
                f"action-{number}",
                thought=f"I think of qt{900 + number % 100:03d}x and would rather be at home just now.",
            )
            asyncio.run(run_turn(campaign.store, submission, campaign.setting, stages))
            play.played += 1
    return play


@dataclass(frozen=True)
class Seen:
    """What a stage was given in one of its calls: `found` words of ours, those that it `may` see and those that it
    `must`."""

    turn_no: int
    stage: str
    who: str
    found: frozenset[str]
    may: frozenset[str]
    must: frozenset[str]

    @property
    def leaked(self) -> list[str]:
        """Words that it was shown and may not see."""
        return sorted(self.found - self.may)

    @property
    def missed(self) -> list[str]:
        """Words that it may see and was not shown."""
        return sorted(self.must - self.found)


def everything_seen(play: Play) -> Iterator[Seen]:
    """Every input of every stage that reads, in order, with what the specification lets it see."""
    with play.app.campaigns.reading("game") as store:
        story: list[tuple[int, Message]] = []
        state = store.state_at(store.turns()[0]["turn_id"])
        for turn in store.turns()[1:]:
            before, state = state, store.state_at(turn["turn_id"])
            messages = [message for _, message in store.messages(turn["turn_id"], last=1)]
            if turn["kind"] != "play":
                continue
            reader = _TurnReader(play, story, messages, turn["turn_no"], before, state)
            for record in store.stage_records(turn["turn_id"]):
                yield from reader.read(record)
            story += [(turn["turn_no"], message) for message in messages]
        thoughts = {word: one.owner for _, one in story if one.type == "thought" for word in words_in(one.content)}
        for attempt in store.attempts():
            told: set[str] = set()
            for record in attempt["records_json"]:
                yield from _of_attempt(play, record, state, thoughts, told)


class _TurnReader:
    """Goes through a turn's records and messages side by side: what a stage may see is what was said by then."""

    def __init__(
        self,
        play: Play,
        story: list[tuple[int, Message]],
        messages: list[Message],
        turn_no: int,
        before: WorldState,
        after: WorldState,
    ) -> None:
        self._play = play
        self._story = [one for one in story if one[0] >= turn_no - RECENT_TURNS]
        self._old = [one for one in story if one[0] < turn_no - RECENT_TURNS]
        self._messages = messages
        self._turn_no = turn_no
        self._before = before
        self._after = after
        # The markers, the player's thought and their words are there before any stage is asked.
        self._said = next(n for n, one in enumerate(messages) if one.type == "intention") + 1
        self._round = self._said

    def read(self, record: Mapping[str, Any]) -> Iterator[Seen]:
        stage, given = str(record["stage"]), record["input"]
        if stage == "npc_intent":
            yield self._seen(stage, given, given["me"]["id"])
            self._intended(given["me"]["id"])
        elif stage == "narrator":
            yield self._seen(stage, given, PLAYER)
            self._told(str(record["output"]["final_text"]))
        elif stage in STAGES:
            yield self._seen(stage, given, str(given.get("who", PLAYER)))

    def _intended(self, who: str) -> None:
        while self._said < len(self._messages) and self._messages[self._said].type in ("thought", "intention"):
            if self._messages[self._said].owner != who:
                break
            self._said += 1
        self._round = self._said

    def _told(self, text: str) -> None:
        while self._messages[self._said].content != text:
            self._said += 1
        self._said += 1

    def _seen(self, stage: str, given: Any, who: str) -> Seen:
        past = [*self._story, *((self._turn_no, one) for one in self._messages[: self._said])]
        before_round = [*self._story, *((self._turn_no, one) for one in self._messages[: self._round])]
        seen = _seen_messages(stage, who, past, before_round)
        older = [one for one in self._old if one[1].type == "narration" and _heard(one[1], who)]
        may = {word for one in seen for word in words_in(one.content)}
        must = {word for one in _within_window(stage, seen) for word in words_in(one.content)}
        also = {word for _, one in older for word in words_in(one.content)} if stage != "lore_extractor" else set()
        found = words_in(json.dumps(given, ensure_ascii=False))
        return Seen(
            self._turn_no,
            stage,
            who,
            frozenset(found),
            frozenset(may | also | self._states(stage, who) | self._lore(stage, who)),
            frozenset(must | self._states_for_sure(stage, who)),
        )

    def _states(self, stage: str, who: str) -> set[str]:
        if stage in ("persona_extractor", "character_extractor"):
            return {word for word, owner in {**LATENT, **MANIFEST}.items() if owner == who}
        if stage in ("npc_intent", "narrator", "planner"):
            known = {word for word, owner in MANIFEST.items() if owner == who or stage != "npc_intent"}
            return known | ({FACT} if stage == "planner" else set())
        return set()

    def _states_for_sure(self, stage: str, who: str) -> set[str]:
        here = self._before.present_npcs()
        if stage == "narrator":
            both = set(here) & set(self._after.present_npcs())
            return {word for word, owner in MANIFEST.items() if owner in both}
        if stage == "planner" and self._before.scene.location_id == "harbour:tavern":
            return {FACT}
        return (
            self._states(stage, who) if stage in ("npc_intent", "persona_extractor", "character_extractor") else set()
        )

    def _lore(self, stage: str, who: str) -> set[str]:
        """The secrets of the pack that the stage may know, by design section 7."""
        viewer = f"npc:{who}" if who != PLAYER else "planner" if stage == "planner" else "narrator"
        learned = self._after.learned_by(who)
        own = frozenset({who})
        secrets = self._play.canaries.words.items()
        return {word for word, one in secrets if may_know(one, viewer, learned, own_ids=own)}


def _seen_messages(
    stage: str, who: str, past: list[tuple[int, Message]], before_round: list[tuple[int, Message]]
) -> list[Message]:
    """The specification's rows, said once more in code of the test's own."""
    narrations = [one for _, one in past if one.type == "narration" and _heard(one, who)]
    own = [one for _, one in past if one.owner == who]
    thoughts = [one for one in own if one.type == "thought"]
    intentions = [one for one in own if one.type == "intention"]
    resolving = [one for _, one in past if one.type == "intention"][-1:]
    match stage:
        case "npc_intent":
            return [*narrations, *thoughts, *intentions]
        case "narrator":
            return [*narrations, *(one for one in resolving if one.subtype != "whisper")]
        case "planner":
            return [*narrations, *resolving]
        case "persona_extractor" | "character_extractor":
            earlier = [one for _, one in before_round if one.type == "narration" and _heard(one, who)]
            return [*earlier, *thoughts, *intentions[-1:]]
        case "lore_extractor":
            return narrations[-1:]
        case "interpreter":
            return intentions
        case _:
            return []


def _within_window(stage: str, seen: list[Message]) -> list[Message]:
    """What a stage surely sees of that: a planner is shown the last three narrations, and an interpreter the words at
    hand and two before them."""
    if stage == "planner":
        return [one for one in seen if one.type == "narration"][-3:]
    return seen[-3:] if stage == "interpreter" else seen


def _heard(message: Message, who: str) -> bool:
    return not message.audience or who in message.audience


def _of_attempt(
    play: Play, record: Mapping[str, Any], state: WorldState, thoughts: dict[str, str], told: set[str]
) -> Iterator[Seen]:
    """Of a turn that came to nothing: nobody else's thoughts or latent states, and no lore that was not learned.
    `thoughts` says whose each of them is, `told` what the player was told in it by then; both grow."""
    stage = str(record["stage"])
    if stage not in STAGES:
        return
    given, made = json.loads(record["input"]), json.loads(record["output"])
    who = given["me"]["id"] if stage == "npc_intent" else str(given.get("who", PLAYER))
    found = words_in(json.dumps(given, ensure_ascii=False))
    private = {word for word in found if word.startswith(("qt", "ql", "qz", "qf"))}
    # The player's own are numbered from 900.
    theirs = {word for word in private if thoughts.get(word, PLAYER if word.startswith("qt9") else "") == who}
    own = theirs if stage in ("npc_intent", "persona_extractor", "character_extractor") else set()
    own |= {FACT} if stage == "planner" else set()
    own |= {word for word, owner in LATENT.items() if owner == who and stage == "character_extractor"}
    viewer = f"npc:{who}" if who != PLAYER else "planner" if stage == "planner" else "narrator"
    # What was told in the turn that came to nothing stands in what its narrator was given.
    told |= {one["item_id"] for one in given.get("evidence", ())}
    learned = state.learned_by(who) | (told if who == PLAYER else set())
    words = play.canaries.words.items()
    known = {word for word, one in words if may_know(one, viewer, learned, own_ids=frozenset({who}))}
    if stage == "npc_intent" and made:
        thoughts |= dict.fromkeys(words_in(made["thought"]), who)
    yield Seen(0, stage, who, frozenset(private), frozenset(own | known), frozenset())
