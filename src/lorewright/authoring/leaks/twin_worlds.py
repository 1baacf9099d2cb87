"""Packs and scenarios -> the same lines typed in two worlds that differ in hidden names alone; every difference in what
a player is answered is a leak.

The second world is a copy in which all hidden entities bear made-up names. The lines hold the names of both worlds,
whole, in part and misspelt, in both worlds; and words that ask for names: pronouns, ways, maps, whispers, lore.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lorewright.authoring.leaks.asking import spread
from lorewright.authoring.leaks.planting import Leak, Tally
from lorewright.authoring.leaks.playing import Rehearsal
from lorewright.authoring.leaks.surfaces import (
    Disguise,
    EntityNames,
    copy_disguised,
    disguised_scenario,
    disguises_of,
    hidden_of,
    made_up_names,
)
from lorewright.authoring.leaks.twin_lines import all_names, typed_lines
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.exchange import export
from lorewright.campaigns.lore import ask_lore, explain_last_turn, introductions, map_of
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import scene_of, state_of, transcript_of
from lorewright.errors import LorewrightError
from lorewright.ids import canonical_json, local
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.loader import load_pack
from lorewright.packs.models import Pack, PackEntity
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.rules.dice import Dice, SeededDice
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.storage.containers import open_container
from lorewright.world.state import OFFSTAGE, WorldState

CHANNEL = "twin world"
# The number of lines typed in each of the two worlds of a scenario.
LINES = 60
# After so many lines everything is asked that can be asked outside of the story.
_ASKED_EVERY = 20
_NAMES_ASKED = 12
_QUOTED = 60
_CAMPAIGN = "twin"
_STAGE = "stage.yaml"


@dataclass(frozen=True, slots=True)
class TwinsFound:
    """The result of a comparison: how many lines were typed in each world, how many entities are hidden, and remarks
    for the author."""

    lines: int = 0
    hidden: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerText:
    """A text that a player was given: by which way, and where."""

    channel: str
    text: str


class TwinWorlds:
    """Packs in their folders (dependencies first) and in a copy with made-up names, to be played."""

    def __init__(
        self,
        roots: Sequence[Path],
        prompts: PromptLibrary,
        tally: Tally,
        *,
        names: Callable[[PackEntity], EntityNames] = made_up_names,
        lines: int = LINES,
    ) -> None:
        self._roots = [root.resolve() for root in roots]
        self._prompts = prompts
        self._tally = tally
        self._packs = [load_pack(root) for root in self._roots]
        self._lines = lines
        self.disguises, self._remarks = disguises_of(self._packs, names=names)

    def compare(
        self, scenarios: Iterable[tuple[str, str]], beside: Path, *, progress: Progress = no_progress
    ) -> TwinsFound:
        """Play each scenario (a file's name and its text) in both worlds, and one that is made so that everything
        hidden is near; `beside` is the folder of the scenarios. Differences are leaks of the tally."""
        hidden = len(hidden_of(self._packs))
        if not self.disguises or self._lines < 1:
            return TwinsFound(hidden=hidden, remarks=tuple(self._remarks))
        plays = [(_STAGE, self._make_scenario()), *scenarios]
        typed = 0
        with tempfile.TemporaryDirectory(prefix="lorewright-twins-") as folder:
            worlds = [
                _World(Path(folder) / side, self._prompts, self._packs, self._roots, disguises)
                for side, disguises in (("first", ()), ("second", self.disguises))
            ]
            for done, (name, text) in enumerate(plays):
                progress(f"playing {name} in twin worlds", done, len(plays))
                for world in worlds:
                    world.add(name, text, beside)
                typed += self._play(worlds, name)
        return TwinsFound(typed, hidden, tuple(self._remarks))

    def _play(self, worlds: Sequence[_World], name: str) -> int:
        """Play one scenario in both worlds at the same time; return how many lines were typed in each."""
        try:
            begun = [world.begun(name) for world in worlds]
        except LorewrightError as problem:
            self._remarks.append(f"{name} could not be played in twin worlds: {problem.message}")
            return 0
        with begun[0] as first, begun[1] as second:
            if first.staged_otherwise() and first.has_own_will():
                first.end_own_will()
                second.end_own_will()
                self._remarks.append(f"{name} stages somebody hidden: in twin worlds nobody acted of their own accord")
            typed = 0
            asked = list(zip(first.asked_at_first(), second.asked_at_first(), strict=True))
            self._compare_answers(asked, first, second, f"{name}: at the beginning")
            at_first = self._met(first, second)
            # A character who was met has a name in each world, and a line with it means them in one of the worlds only.
            lines = (
                line
                for line in typed_lines(self.disguises, first.state())
                if not any(_is_said(name, line) for met in self._met(first, second) for name in all_names(met))
            )
            for line in islice(lines, self._lines):
                typed += 1
                is_last = first.state().ended is not None
                answers = list(zip(first.typed(line), second.typed(line), strict=True))
                if self._met(first, second) != at_first:
                    # From here on they may be named, and in words that are chosen by what they are.
                    self._remarks.append(
                        f"{name} led to somebody or something hidden: played in twin worlds until there"
                    )
                    break
                if typed % _ASKED_EVERY == 0 or typed == self._lines or is_last:
                    known = self._met(first, second)
                    asked_about = [name for each in self.disguises if each not in known for name in all_names(each)]
                    names = spread(asked_about, _NAMES_ASKED)
                    answers += zip(first.asked(names), second.asked(names), strict=True)
                if not self._compare_answers(answers, first, second, f"{name}: “{line}”") or is_last:
                    break
        return typed

    def _compare_answers(
        self, answers: Sequence[tuple[PlayerText, PlayerText]], first: _Game, second: _Game, where: str
    ) -> bool:
        """Compare answers pairwise; return True if they are the same."""
        named = self._met(first, second)
        unlike: list[tuple[str, str, str]] = []
        for answer, other in answers:
            self._tally.looked(CHANNEL)
            if answer.text != other.text:
                a, b = _without_names(answer.text, named), _without_names(other.text, named)
                unlike += [(answer.channel, a, b)] if a != b else []
        if not unlike:
            return True
        channel, a, b = unlike[0]
        guilty = [
            each for each in self.disguises if _holds_a_name(a, each.own) or _holds_a_name(b, each.made_up)
        ] or self.disguises
        self._tally.found(
            Leak(
                guilty[0].file,
                1,
                guilty[0].entity_id,
                "player",
                CHANNEL,
                f"{where} ({channel})",
                _difference(a, b),
                "what is answered depends on hidden names",
            )
        )
        return False

    def _met(self, first: _Game, second: _Game) -> list[Disguise]:
        """Return the disguises of those whose name a player has learned by meeting them. A character staged under
        another name is met under that one."""
        staged = {*first.staged_otherwise(), *(self._own_id(entity_id) for entity_id in second.staged_otherwise())}
        met = {*first.met(), *(self._own_id(entity_id) for entity_id in second.met())} - staged
        return [disguise for disguise in self.disguises if disguise.entity_id in met]

    def _own_id(self, entity_id: str) -> str:
        made_up = {f"{disguise.pack_id}:{disguise.made_up.id}": disguise.entity_id for disguise in self.disguises}
        return made_up.get(entity_id, entity_id)

    def _make_scenario(self) -> str:
        """Return a scenario in which everything hidden is near, and nothing of it visible to the player."""
        hidden = {entity.id for _, entity in hidden_of(self._packs)}
        is_open = [entity for pack in self._packs for entity in pack.entities if entity.id not in hidden]
        unseen = [disguise for disguise in self.disguises if disguise.type in ("location", "npc")]
        places = [entity.id for entity in is_open if entity.type == "location"][:2]
        start = places[0] if places else "stage"
        beyond = [disguise.entity_id for disguise in unseen if disguise.type == "location"]
        ways = [*places[1:], *beyond]
        people = [entity.id for entity in is_open if entity.type == "npc"][:2]
        lone = [disguise.entity_id for disguise in unseen if disguise.type == "npc"]
        others = [disguise for disguise in self.disguises if disguise.type not in ("location", "npc")]
        kinds = {"faction": "faction"}
        made = {} if places else {"stage": {"name": "The Stage", "exits": {}}}
        data = {
            "id": "stage",
            "name": "Stage",
            "intro_seed": "You have come to look around.",
            "content_packs": [pack.manifest.id for pack in self._packs],
            "start": start,
            "player": {"name": "Jo"},
            "places": {
                **made,
                start: {**made.get(start, {}), "exits": {local(way): {"to": way} for way in ways}},
                **{way: {"exits": {"back": {"to": start}}} for way in ways},
            },
            "cast": {
                **{person: {"at": start} for person in people},
                **{
                    entity_id: {"at": beyond[n % len(beyond)] if beyond else OFFSTAGE}
                    for n, entity_id in enumerate(lone)
                },
            },
            "entities": [{"id": other.entity_id, "type": kinds.get(other.type, "other")} for other in others],
            "threads": {
                "what": {"title": "What is it?", "related": [disguise.entity_id for disguise in self.disguises]}
            },
        }
        return canonical_json(data)


class _World:
    """One of the two worlds: its packs installed, its scenarios written."""

    def __init__(
        self,
        folder: Path,
        prompts: PromptLibrary,
        packs: Sequence[Pack],
        roots: Sequence[Path],
        disguises: Sequence[Disguise],
    ) -> None:
        self._disguises = disguises
        self._rehearsal = Rehearsal(folder, prompts)
        folders = []
        for number, (pack, root) in enumerate(zip(packs, roots, strict=True)):
            folders.append(folder / "packs" / f"{number}" / root.name)
            copy_disguised(root, folders[-1], pack, disguises)
        self._rehearsal.install_as_they_are(folders)
        self._campaigns = self._rehearsal.campaigns({})

    def add(self, name: str, text: str, beside: Path) -> None:
        """Write a scenario as it is in this world."""
        self._rehearsal.write_scenario(name, disguised_scenario(text, self._disguises), beside)

    @contextmanager
    def begun(self, name: str) -> Iterator[_Game]:
        """Begin a campaign of a scenario, with dice that fall alike in both worlds.

        Raises:
            LorewrightError: it cannot be begun.
        """
        campaign_id = f"{_CAMPAIGN}_{Path(name).stem}"
        self._campaigns.new(Path(name).stem, campaign_id=campaign_id, seed=1)
        with self._campaigns.open(campaign_id) as campaign:
            campaign.change_setting(dice=same_dice)
            yield _Game(campaign, self._campaigns, self._rehearsal.lore(self._campaigns), self._rehearsal.folder)


class _Game:
    """A campaign that is played: what a player is answered."""

    def __init__(self, campaign: OpenCampaign, campaigns: Campaigns, lore: LoreRetriever, folder: Path) -> None:
        self._campaign = campaign
        self._campaigns = campaigns
        self._lore = lore
        self._folder = folder
        self._been: set[str] = set()
        self._exports = 0
        self._remember()

    def state(self) -> WorldState:
        """Return the state at the head."""
        return self._campaign.store.head().state

    def met(self) -> frozenset[str]:
        """Return the IDs of everybody and everything that the player has seen so far; judged apart from the product's
        own rule."""
        return frozenset(self._been)

    def staged_otherwise(self) -> frozenset[str]:
        """Return the IDs of entities with another name in the campaign than in the pack that hides them."""
        return frozenset(self._campaign.player_ids().disguised)

    def has_own_will(self) -> bool:
        """Tell whether people act of their own accord."""
        return self._campaign.store.campaign().rules.profile != "freeform"

    def end_own_will(self) -> None:
        """Let nobody act of their own accord from here on: people's actions are drawn by their IDs, which differ
        between the worlds, and no name is told by that."""
        rules = self._campaign.store.campaign().rules
        self._campaign.change_setting(rules=rules.model_copy(update={"profile": "freeform"}))

    def _remember(self) -> None:
        state = self.state()
        self._been |= {*state.present(), *state.visits, state.scene.location_id}
        self._been |= {*state.held_by(state.player_id), *state.held_by(state.scene.location_id)}
        self._been |= {item_id.partition("#")[0].rpartition(":")[0] for item_id in state.learned_by(state.player_id)}

    def typed(self, line: str) -> list[PlayerText]:
        """Type a line, and whisper it to whom it may name; return the answers and the views of the state then."""
        answers = [PlayerText("turn", self._said(line))]
        name = line.partition(" ")[2].removeprefix("to ") or line
        answers.append(PlayerText("whisper", _or_error(lambda: self._campaign.somebody_called(name))))
        self._remember()
        return [*answers, *self._views_of_state()]

    def _said(self, line: str) -> str:
        return _or_error(lambda: self._told(asyncio.run(self._campaign.submit(line, builtin=True))))

    def _told(self, stored: str) -> str:
        return self._campaign.player_ids().told_json(stored)

    def _views_of_state(self) -> list[PlayerText]:
        shown = self._campaign.acquaintance().shown
        return [
            PlayerText("map", repr(map_of(shown))),
            PlayerText("state", _or_error(lambda: state_of(self._campaign, "player").model_dump_json())),
        ]

    def asked_at_first(self) -> list[PlayerText]:
        """Return the texts of a new campaign before anything is typed."""
        turns = self._campaign.store.turns()
        return [
            PlayerText("turn", self._told(canonical_json(turns[-1]["result"]))),
            *self._views_of_state(),
            *self.asked(()),
        ]

    def asked(self, names: Sequence[str]) -> list[PlayerText]:
        """Return everything that can be asked outside of the story, of some names as well."""
        campaign, campaign_id = self._campaign, self._campaign.store.campaign_id
        turn_no = campaign.store.head().turn_no
        answers = [
            PlayerText("scene", _or_error(lambda: scene_of(campaign, "player").model_dump_json())),
            PlayerText("transcript", transcript_of(campaign, "player", last=turn_no + 1).model_dump_json()),
            PlayerText("who", repr(introductions(campaign))),
            PlayerText("why", repr(explain_last_turn(campaign))),
            PlayerText("log", canonical_json([self._logged(turn) for turn in campaign.store.turns()])),
            PlayerText("export", self._exported(campaign_id)),
            PlayerText("entities", repr(self._lore.entities(viewer="player", campaign_id=campaign_id))),
        ]
        for name in names:
            answers += self._asked_about(name, campaign_id)
        return answers

    def _asked_about(self, name: str, campaign_id: str) -> list[PlayerText]:
        words = LoreRetrievalQuery(keywords=name, viewer="player", limit=5, max_tokens=2_000)
        # A tag that only a hidden entity has would confirm a guess at its name.
        tagged = LoreRetrievalQuery(tags=(name,), viewer="player", limit=5, max_tokens=2_000)
        return [
            PlayerText("/lore", _or_error(lambda: ask_lore(self._campaign, name).model_dump_json())),
            PlayerText("lore query", _or_error(lambda: self._queried(words, campaign_id))),
            PlayerText("lore query by tag", _or_error(lambda: self._queried(tagged, campaign_id))),
            PlayerText("lore entity", _or_error(lambda: self._entity(name, campaign_id))),
        ]

    def _logged(self, turn: dict[str, object]) -> dict[str, object]:
        logged = {key: turn[key] for key in ("turn_no", "kind", "player_text", "result")}
        return dict(self._campaign.player_ids().told(logged))

    def _queried(self, query: LoreRetrievalQuery, campaign_id: str) -> str:
        return self._lore.retrieve(query, campaign_id=campaign_id, explained=False).result.model_dump_json()

    def _entity(self, name: str, campaign_id: str) -> str:
        return repr(self._lore.entity(name, viewer="player", campaign_id=campaign_id, max_tokens=2_000).entity)

    def _exported(self, campaign_id: str) -> str:
        self._exports += 1
        path = self._folder / f"{campaign_id}.{self._exports}.player"
        export(self._campaigns, campaign_id, path, audience="player")
        with open_container(path) as container:
            return "\n".join(container.read(name).decode() for name in container.names)


def _or_error(ask: Callable[[], str]) -> str:
    """Return the answer, or the error that stands for it, as JSON."""
    try:
        return ask()
    except LorewrightError as problem:
        return json.dumps([problem.code, problem.message, problem.hint], ensure_ascii=False)


def _is_said(name: str, line: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line, flags=re.IGNORECASE) is not None


def _without_names(text: str, met: Iterable[Disguise]) -> str:
    """Return a text without the names of those who were met in the story: they may be told, and differ."""
    names = {name for disguise in met for names in (disguise.own, disguise.made_up) for name in names.spoken}
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "◊", text, flags=re.IGNORECASE)
    return text


def _holds_a_name(text: str, names: EntityNames) -> bool:
    return any(name.casefold() in text.casefold() for name in names.spoken)


def _difference(a: str, b: str) -> str:
    """Return where two texts part, as each goes on from there."""
    at = next((n for n, (ours, other) in enumerate(zip(a, b, strict=False)) if ours != other), min(len(a), len(b)))
    start = max(0, at - _QUOTED // 2)
    return f"{a[start : at + _QUOTED]} | {b[start : at + _QUOTED]}"


def same_dice(seed: int, state_hash: str, action_id: str) -> Dice:
    """Return dice by seed and action alone: the hash of a state differs with the names that are in it."""
    return SeededDice(seed, "", action_id)
