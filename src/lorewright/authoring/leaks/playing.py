"""Planted packs, played -> leaks in what each stage was shown and made, in what was narrated, and in all that a player
can ask for afterwards. Each is played once with the builtin stages, once with a parrot in every stage, which repeats
what it is shown."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lorewright.authoring.leaks.asking import spread
from lorewright.authoring.leaks.planting import NOTHING, Blocked, Canaries, Looker, Secret, plant
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.exchange import export
from lorewright.campaigns.history import Histories
from lorewright.campaigns.lore import CampaignViews, ask_lore, introductions
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.scenarios.rulesets import rulesets_beside
from lorewright.campaigns.sessions import begin, end
from lorewright.campaigns.sessions import session_fields as shown_session
from lorewright.campaigns.stage_models import FixedStageModels
from lorewright.campaigns.viewers import scene_of, state_of, transcript_of
from lorewright.errors import LorewrightError, NotFound
from lorewright.generate.explore.completing import complete_scenario
from lorewright.generate.explore.explorer import Explorer
from lorewright.index.library import Library
from lorewright.index.lore_indexer import LoreIndexer
from lorewright.llm.doubles import ParrotModel
from lorewright.llm.model import Model
from lorewright.llm.prompt_library import PromptLibrary
from lorewright.packs.models import Pack
from lorewright.retrieval.pack_views import PackViews
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.storage.containers import open_container
from lorewright.turn.stages.stages import STAGES
from lorewright.turn.views.story import seen_by
from lorewright.values.records import Message
from lorewright.visibility import Viewer
from lorewright.world.state import WorldState

# A temporary workspace: copies of packs, scenarios and rulesets, in which campaigns are played and thrown away.


@dataclass(frozen=True, slots=True)
class Planted:
    """Packs as their authors wrote them, and what was planted in the copies."""

    packs: tuple[Pack, ...]
    canaries: Canaries


class Rehearsal:
    """A temporary workspace in one folder, which its maker deletes. Lore is found by words alone."""

    def __init__(self, folder: Path, prompts: PromptLibrary) -> None:
        self._folder = folder
        self._prompts = prompts
        self._content_packs = folder / "content_packs"
        self._scenarios = folder / "scenarios"
        self._scenarios.mkdir(parents=True)
        self._library = Library(folder / "indexes")
        self._histories = Histories(folder / "history", None)

    def install(self, roots: Iterable[Path]) -> Planted:
        """Plant canaries in copies of packs, in the order of their dependencies, and install those. Files with errors
        are left out.

        Raises:
            PackError: a folder is no pack, or its manifest cannot be read.
        """
        packs: list[Pack] = []
        words: dict[str, Secret] = {}
        unproven: list[Secret] = []
        for number, root in enumerate(roots):
            # The folder's name is the ID of a pack whose manifest names none.
            into = self._content_packs / f"{number}" / root.resolve().name
            pack, canaries = plant(root, into)
            LoreIndexer(self._library).index_pack(into, lenient=True)
            packs.append(pack)
            words |= canaries.words
            unproven += canaries.unproven
        return Planted(tuple(packs), Canaries(words, tuple(unproven)))

    def install_as_they_are(self, folders: Iterable[Path]) -> None:
        """Install packs that lie in folders, in the order of their dependencies. Files with errors are left out."""
        for folder in folders:
            LoreIndexer(self._library).index_pack(folder, lenient=True)

    def write_scenario(self, name: str, text: str, beside: Path) -> None:
        """Write a scenario under a file's name, and copy the rulesets that stand beside its own folder."""
        (self._scenarios / name).write_text(text, encoding="utf-8")
        self._add_rulesets(beside)

    def add_scenarios(self, paths: Iterable[Path], beside: Path) -> None:
        """Copy scenarios, and the rulesets that stand beside their folder."""
        for path in paths:
            shutil.copyfile(path, self._scenarios / path.name)
        self._add_rulesets(beside)

    def _add_rulesets(self, beside: Path) -> None:
        rulesets, own = rulesets_beside(beside), rulesets_beside(self._scenarios)
        if rulesets.is_dir() and not own.exists():
            shutil.copytree(rulesets, own)

    @property
    def retriever(self) -> LoreRetriever:
        """Return a retriever over the installed copies."""
        return LoreRetriever(PackViews(self._library))

    @property
    def explorer(self) -> Explorer:
        """Return a maker of walks in the installed copies."""
        return Explorer(self._library, self._content_packs)

    def campaigns(self, models: Mapping[str, Model]) -> Campaigns:
        """Return campaigns whose stages are run by these models."""
        stage_models = FixedStageModels(models, self._prompts)
        return Campaigns(
            self._folder / "campaigns",
            self._scenarios,
            self._content_packs,
            self._library,
            stage_models,
            self._histories,
            complete=complete_scenario,
        )

    def lore(self, campaigns: Campaigns) -> LoreRetriever:
        """Return a retriever over packs and campaigns."""
        return LoreRetriever(CampaignViews(self._library, campaigns, self._histories))

    @property
    def folder(self) -> Path:
        """Return the folder for temporary files."""
        return self._folder


# The readers of a turn: who was shown what a stage was shown, and what they have learned.

# The viewer of a stage, by its record.
#
# These stages read as somebody; all other records are the engine's, which judges with the whole truth and tells nobody.
READING_STAGES = frozenset(STAGES)
# These stages run before the turn has had any effect.
_BEFORE = frozenset({"interpreter", "planner"})


@dataclass(frozen=True, slots=True)
class StageViewer:
    """A viewer as `may_know` takes it, what it has learned, and the IDs that are its own."""

    viewer: str
    learned: frozenset[str]
    own_ids: frozenset[str] = NOTHING


def viewer_of_record(
    record: Mapping[str, Any],
    before: WorldState,
    after: WorldState,
    heard: Mapping[str, frozenset[str]],
) -> StageViewer:
    """Return the viewer of a stage's record in a turn between two states. Viewers know what was said where they were
    (`heard`, by who)."""
    who = _owner(record)
    if who is not None and who not in (after.player_id, *after.personas):
        return StageViewer(f"npc:{who}", after.learned_by(who) | heard.get(who, NOTHING), frozenset({who}))
    eyes = viewer_of_stage(str(record["stage"]), before, after)
    told = NOTHING if record["stage"] in _BEFORE else heard.get(after.player_id, NOTHING)
    return replace(eyes, learned=eyes.learned | told)


def viewer_of_stage(stage: str, before: WorldState, after: WorldState) -> StageViewer:
    """Return the viewer of a stage of the player's own round."""
    state = before if stage in _BEFORE else after
    viewer = "planner" if stage == "planner" else "narrator"
    return StageViewer(viewer, state.learned_by(state.player_id))


def add_heard_items(
    heard: dict[str, frozenset[str]],
    messages: Iterable[Message],
    items_in: Callable[[str], frozenset[str]],
    *,
    but: str,
) -> None:
    """Add the items that were said to those who were there, by who; not for the player (`but`), who is told of every
    item that they learn."""
    for message in messages:
        said = items_in(message.content) if message.type == "narration" else NOTHING
        for who in message.audience if said else ():
            if who != but:
                heard[who] = heard.get(who, NOTHING) | said


def revealed_in(records: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """Return the items that somebody came to know in a turn that was never committed, by who."""
    found: dict[str, frozenset[str]] = {}
    for record in records:
        made = record.get("output")
        made = json.loads(made) if isinstance(made, str) else made
        for op in made.get("ops", ()) if isinstance(made, dict) else ():
            if "item_id" in op and isinstance(op.get("to"), str):
                found[op["to"]] = found.get(op["to"], NOTHING) | {op["item_id"]}
    return found


def shown_to_player(messages: list[Message], state: WorldState) -> list[Message]:
    """Return the messages that the player may read."""
    return seen_by("player", messages, own_id={state.player_id, *state.personas})


def _owner(record: Mapping[str, Any]) -> str | None:
    """Return the character whose intent or inner life a stage was about, None where there is none."""
    given = record.get("input")
    given = json.loads(given) if isinstance(given, str) else given
    if not isinstance(given, dict):
        return None
    who = given["me"]["id"] if "me" in given else given.get("who")
    return None if who is None else str(who)


# Planted packs, played -> the leaks in all that somebody was shown.

# A character who says all that it knows is rightly refused: only other refusals are wrong. And a ruling must name a
# band.
_NOT_PARROTED = frozenset({"npc_intent", "resolution"})
# The stage's input, which is on record with all that the prompt is made of, names the prompt's viewer.
_OF_ONE = frozenset({"npc_intent", "character_extractor"})
_REFUSED = re.compile(r"quotes what was not revealed \(([^)]+)\)")
_ASKED_AFTERWARDS = 6
_ASKING_AFTERWARDS = 5
_WHY = 160


@dataclass(slots=True)
class PlayReport:
    """The result of a play: the number of lines, and narrations of a parrot that were refused although it said only
    what it was shown."""

    lines: int = 0
    refused: list[Blocked] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class Playing:
    """Plays one campaign of a rehearsal and looks at everything that it leaves."""

    def __init__(self, rehearsal: Rehearsal, looker: Looker, name: str) -> None:
        self._rehearsal = rehearsal
        self._looker = looker
        self._name = name
        self.played = PlayReport()

    def play(
        self, campaigns: Campaigns, campaign_id: str, lines: Iterable[str], parrots: dict[str, ParrotModel]
    ) -> None:
        """Play the lines in a sitting, and look."""
        with campaigns.open(campaign_id) as campaign:
            session = begin(campaign)
            for line in lines:
                self._play_line(campaign, line, parrots)
            self._look_at_turns(campaign)
            ended = end(campaign, session)
            shown = json.dumps(shown_session(ended), ensure_ascii=False, default=str)
            self._look(shown, self._learned(campaign), "recap", "the sitting's summary and lore")
            self._look_at_head(campaign)
        self._look_at_export(campaigns, campaign_id)
        self._look_at_answers(self._rehearsal.lore(campaigns), campaigns, campaign_id)

    def _play_line(self, campaign: OpenCampaign, line: str, parrots: dict[str, ParrotModel]) -> None:
        before = {stage: len(parrot.requests) for stage, parrot in parrots.items()}
        had, tried = campaign.store.head().state, len(campaign.store.attempts())
        try:
            asyncio.run(campaign.submit(line))
        except LorewrightError as problem:
            self._note_refusal(line, problem)
        self.played.lines += 1
        has = campaign.store.head().state
        # A turn that failed had its effects, too, as far as its stages could see.
        failed = [revealed_in(attempt["records_json"]) for attempt in campaign.store.attempts()[tried:]]
        learned = NOTHING.union(*(found.get(had.player_id, NOTHING) for found in failed))
        for stage, parrot in parrots.items():
            eyes = viewer_of_stage(stage, had, has)
            if stage not in _BEFORE:
                eyes = replace(eyes, learned=eyes.learned | learned)
            for request in parrot.requests[before[stage] :] if stage not in _OF_ONE else ():
                self._look_as(stage, request.text, eyes, "prompt", f"“{line}”")

    def _note_refusal(self, line: str, problem: LorewrightError) -> None:
        item = _REFUSED.search(str(problem))
        if item is None:
            why = " ".join(str(problem).split())[:_WHY]
            self.played.remarks.append(f"{self._name}: “{line}” failed: {why}")
            return
        words = self._looker.canaries.words.values()
        secret = next((word for word in words if word.id == item[1]), None)
        if secret is not None:
            why = f"{self._name}: a parrot was refused at “{line}”, and said nothing but what it was shown"
            self.played.refused.append(Blocked(secret.file, secret.line, secret.id, "narrator", why))

    def _look_at_turns(self, campaign: OpenCampaign) -> None:
        store = campaign.store
        heard: dict[str, frozenset[str]] = {}
        before = store.state_at(store.turns()[0]["turn_id"])
        for turn in store.turns():
            after = store.state_at(turn["turn_id"])
            has = after.learned_by(after.player_id)
            where = f"turn {turn['turn_no']} (“{turn['player_text']}”)"
            self._look(json.dumps(turn["result"], ensure_ascii=False), has, "narration", where)
            said = [message for _, message in store.messages(turn["turn_id"], last=1)]
            add_heard_items(heard, said, self._items_in, but=after.player_id)
            for record in store.stage_records(turn["turn_id"]):
                self._look_at_record(record, viewer_of_record(record, before, after, heard), where)
            for message in shown_to_player(said, after):
                self._look(message.content, has, "log", where)
            before = after
        for attempt in store.attempts():
            learned = revealed_in(attempt["records_json"])
            known = {who: heard.get(who, NOTHING) | learned.get(who, NOTHING) for who in (*heard, *learned)}
            for record in attempt["records_json"]:
                where = f"the attempt “{attempt['player_text']}”"
                self._look_at_record(record, viewer_of_record(record, before, before, known), where)

    def _look_at_record(self, record: dict[str, Any], eyes: StageViewer, where: str) -> None:
        stage = str(record["stage"])
        if stage in READING_STAGES:
            given = json.dumps(record.get("input"), ensure_ascii=False)
            made = json.dumps(record.get("output"), ensure_ascii=False)
            self._look_as(stage, given, eyes, "stage input", where)
            self._look_as(stage, made, eyes, "stage output", where)

    def _look_as(self, stage: str, text: str, eyes: StageViewer, channel: str, where: str) -> None:
        self._looker.look(
            text,
            viewer=eyes.viewer,
            channel=channel,
            where=f"{self._name}, {where}",
            learned=eyes.learned,
            own_ids=eyes.own_ids,
            # How people are may stand in every narration that is shown.
            watched=True,
            named=stage if not eyes.own_ids else f"{stage} of {eyes.viewer}",
        )

    def _look_at_head(self, campaign: OpenCampaign) -> None:
        learned = self._learned(campaign)
        people = json.dumps(
            [f"{introduction.name} {introduction.line}" for introduction in introductions(campaign)], ensure_ascii=False
        )
        self._look(people, learned, "/who", "who is here")
        for words in self._words():
            self._look(ask_lore(campaign, words).model_dump_json(), learned, "/lore", f"/lore {words}")

    def _look_at_export(self, campaigns: Campaigns, campaign_id: str) -> None:
        path = self._rehearsal.folder / f"{campaign_id}.player"
        export(campaigns, campaign_id, path, audience="player")
        with campaigns.reading(campaign_id) as store:
            state = store.head().state
        with open_container(path) as container:
            text = "\n".join(container.read(name).decode() for name in container.names)
        self._look(text, state.learned_by(state.player_id), "export", "what is exported for a player")

    def _look_at_answers(self, lore: LoreRetriever, campaigns: Campaigns, campaign_id: str) -> None:
        """Look at lore and history after the play, as each player and as every character who was met."""
        with campaigns.reading(campaign_id) as store:
            state = store.head().state
            told = store.messages(store.head().turn_id, last=store.head().turn_no + 1)
        heard: dict[str, frozenset[str]] = {}
        add_heard_items(heard, [message for _, message in told], self._items_in, but=state.player_id)
        self._look_at_mcp_answers(campaigns, campaign_id, heard)
        for viewer, learned in self._viewers(state):
            learned |= heard.get(Viewer(viewer).id, NOTHING)
            for words in self._words():
                query = LoreRetrievalQuery(keywords=words, viewer=viewer, limit=30, max_tokens=15_000)
                found = lore.retrieve(query, campaign_id=campaign_id)
                for text in (found.result.model_dump_json(), found.trace.model_dump_json()):
                    self._look_as_viewer(text, viewer, learned, "history", f"lore query “{words}” in the campaign")

    def _look_at_mcp_answers(self, campaigns: Campaigns, campaign_id: str, heard: Mapping[str, frozenset[str]]) -> None:
        """Look at what the MCP server answers about the campaign, as the player and as every character who was met."""
        with campaigns.open(campaign_id) as campaign:
            head = campaign.store.head()
            for viewer, learned in self._viewers(head.state):
                learned |= heard.get(Viewer(viewer).id, NOTHING)
                answers = {
                    "campaign_state": state_of(campaign, viewer).model_dump_json(),
                    "transcript": transcript_of(campaign, viewer, last=head.turn_no + 1).model_dump_json(),
                }
                # A character who is nowhere has no scene.
                with suppress(NotFound):
                    answers["scene_lore"] = scene_of(campaign, viewer).model_dump_json()
                for tool, text in answers.items():
                    self._look_as_viewer(text, viewer, learned, "mcp", f"the tool {tool}")

    def _look_as_viewer(self, text: str, viewer: str, learned: frozenset[str], channel: str, where: str) -> None:
        own = frozenset({Viewer(viewer).id})
        where = f"{self._name}, {where}"
        self._looker.look(text, viewer=viewer, channel=channel, where=where, learned=learned, own_ids=own, watched=True)

    def _items_in(self, text: str) -> frozenset[str]:
        return frozenset(
            secret.item_id for secret in self._looker.canaries.found_in(text) if secret.item_id is not None
        )

    def _viewers(self, state: WorldState) -> Iterator[tuple[str, frozenset[str]]]:
        yield "player", state.learned_by(state.player_id)
        for persona in state.personas:
            yield f"pc:{persona}", state.learned_by(persona)
        met = [position for position in state.positions if position not in (state.player_id, *state.personas)]
        for npc in spread(sorted(met), _ASKING_AFTERWARDS):
            yield f"npc:{npc}", state.learned_by(npc)

    def _words(self) -> list[str]:
        secrets = [word for word in self._looker.canaries.words.values() if word.item_id is not None and word.text]
        return list(dict.fromkeys(" ".join(secret.text.split()[:10]) for secret in spread(secrets, _ASKED_AFTERWARDS)))

    def _learned(self, campaign: OpenCampaign) -> frozenset[str]:
        state = campaign.store.head().state
        return state.learned_by(state.player_id)

    def _look(self, text: str, learned: frozenset[str], channel: str, where: str) -> None:
        where = f"{self._name}, {where}"
        self._looker.look(text, viewer="player", channel=channel, where=where, learned=learned, watched=True)


def parrots() -> dict[str, ParrotModel]:
    """Return a parrot for every stage that a model may run, except characters' intents and rulings."""
    return {stage: ParrotModel() for stage in STAGES if stage not in _NOT_PARROTED}
