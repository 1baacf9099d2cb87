"""An app, a viewer and perhaps one campaign -> the answers of the server's tools, resources and prompts.

This module does not know the protocol: it returns values, and raises errors of `lorewright.errors`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from lorewright.bootstrap import App
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import Transcript, VisibleScene, scene_of, state_of, transcript_of, viewer_in
from lorewright.errors import LorewrightError, NotFound, SettingsError
from lorewright.packs.models import PackEntity
from lorewright.retrieval.query import CorpusFilter, LoreRetrievalQuery, RetrievedChunk
from lorewright.rules.actions import Action
from lorewright.turn.checks.tools import StateSeen
from lorewright.visibility import Viewer
from lorewright.world.ops import StateOp

# An error -> its text for a client: code, message and hint, without a traceback or paths of this machine.

# An absolute path in a message: only its last part is shown.
_PATH = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:[\\/]|/)(?:[^\s\"':;,)(]+[\\/])+")


def error_text(error: LorewrightError, workspace: Path) -> str:
    """Return `code: message`, and the hint on a line of its own."""
    hint = f"\nHint: {error.hint}" if error.hint else ""
    return without_paths(f"{error.code}: {error.message}{hint}", workspace)


def without_paths(text: str, workspace: Path) -> str:
    """Return the text with paths relative to the workspace; of paths elsewhere only the last part."""
    for root in {str(workspace), str(workspace.resolve())}:
        text = text.replace(f"{root}/", "").replace(root, "the workspace")
    return _PATH.sub("", text)


# The results of tools: flat, named fields, in the shapes that the command line prints where it has one.


class _Shape(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


# Ops and actions are typed values. To a model that calls tools their schema says no more than that they are objects,
# for all kinds of them would fill its context; the OpenAPI document has the whole of it.
_AN_OBJECT = WithJsonSchema({"type": "object", "additionalProperties": True})
OpShown = Annotated[StateOp, _AN_OBJECT]
ActionShown = Annotated[Action, _AN_OBJECT]


class PackShown(_Shape):
    """An installed pack."""

    id: str
    name: str
    version: str


class Packs(_Shape):
    """The packs whose lore can be asked."""

    packs: tuple[PackShown, ...]


class CampaignShown(_Shape):
    """A campaign that can be asked."""

    id: str
    name: str
    scenario_id: str
    turn_no: int


class CampaignList(_Shape):
    """The campaigns of the workspace."""

    campaigns: tuple[CampaignShown, ...]


class LoreFound(_Shape):
    """What the lore says to a question, best first. `words_alone` says why meaning was not asked, where it was not."""

    chunks: tuple[RetrievedChunk, ...]
    total_tokens: int
    words_alone: str | None = None


class EntityShown(_Shape):
    """Somebody or something that packs tell of."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Entities(_Shape):
    """Who and what the viewer may know of, by ID; `more` says that there are others behind these."""

    entities: tuple[EntityShown, ...]
    more: bool = False


class EntityFound(_Shape):
    """All that a viewer may read of one entity, its own file first."""

    entity: EntityShown
    chunks: tuple[RetrievedChunk, ...]
    total_tokens: int


class EditDone(_Shape):
    """What a change of the world came to. `repeated` says that the call had been made before: nothing was changed now.

    `followed` are the ops that came by the rules on top of those that were asked for, `told` what the player is told of
    it; `revision` is the campaign's, to be given with the next change that should hold only while nothing else changed.
    """

    turn_no: int
    turn_id: str
    call_id: str
    revision: int
    repeated: bool
    followed: tuple[OpShown, ...] = ()
    told: str = ""
    events: tuple[dict[str, Any], ...] = ()


class EditPreview(_Shape):
    """What a change would come to; nothing was changed."""

    followed: tuple[OpShown, ...] = ()
    told: str = ""
    events: tuple[dict[str, Any], ...] = ()
    state_diff: dict[str, Any] = Field(default_factory=dict)


class ReviewShown(_Shape):
    """A proposal that waits: what a stage read out of the story without being sure enough of it."""

    id: str
    turn_no: int
    stage: str
    kind: str
    subject_id: str
    shown: str
    confidence: float
    reason: str = ""


class LorebookShown(_Shape):
    """A fact that a narration established in a turn; with a `flag` it speaks against what is firm, and changed
    nothing."""

    turn_no: int
    turn_id: str
    subject_id: str
    predicate: str
    detail: str
    confidence: float
    fact_id: str | None = None
    flag: str | None = None
    against: str | None = None


class LorebookEntries(_Shape):
    """What narrations have added to the world, the oldest first."""

    entries: tuple[LorebookShown, ...]


class Reviews(_Shape):
    """The proposals that wait to be accepted or rejected, oldest first."""

    reviews: tuple[ReviewShown, ...]


class TurnPlayed(_Shape):
    """A TurnResult: what came of a turn, as its player may read it. With a `clarification_question` nothing did."""

    turn_no: int
    turn_id: str
    final_text: str
    next_prompt: str
    suggested_actions: tuple[str, ...]
    clarification_question: str | None
    actions: tuple[ActionShown, ...] = ()
    assumptions: tuple[str, ...] = ()
    risk_flags: tuple[str, ...] = ()
    perception_flags: tuple[str, ...] = ()
    validation: dict[str, Any]
    rolls: tuple[dict[str, Any], ...]
    clocks: tuple[dict[str, Any], ...]
    citations: tuple[dict[str, Any], ...]
    engine_events: tuple[dict[str, Any], ...]
    messages: tuple[dict[str, Any], ...]
    tokens: dict[str, int]


class BranchShown(_Shape):
    """A branch of the story and the turn that it stands at."""

    name: str
    turn_no: int
    is_here: bool


class Moved(_Shape):
    """Where the story stands: the last turn, what was told in it, how many turns can be redone, and all branches."""

    turn_no: int
    turn_id: str
    revision: int
    told: str
    suggested_actions: tuple[str, ...]
    can_be_redone: int
    branches: tuple[BranchShown, ...]


# The most that one call may ask for.
MOST_CHUNKS = 50
MOST_TOKENS = 20_000
MOST_TURNS = 50
_MOST_ENTITIES = 500


class PlayHost:
    """What a program that plays for others checks before it plays; this one lets everything through."""

    def begin_turn(self, action_id: str | None) -> str | None:
        """Return the action ID that a turn is played under, given the caller's own."""
        return action_id

    def check_move(self, campaign: OpenCampaign, *, is_last: bool) -> None:
        """Refuse a move of the story's head; `is_last` says that it takes the last turn back and nothing else."""


@dataclass(frozen=True, slots=True)
class Queries:
    """Answers for one viewer, over one campaign or over all of them. Calls are answered one after the other, from any
    thread. `host` says which turns and moves of theirs are let through."""

    app: App
    viewer: Viewer
    campaign_id: str | None = None
    lock: RLock = field(default_factory=RLock)
    host: PlayHost = field(default_factory=PlayHost)

    def __post_init__(self) -> None:
        """Check that the campaign, and a character in it, exist; the character's full ID becomes the viewer's.

        Raises:
            NotFound: one of them does not exist.
        """
        if self.campaign_id is not None:
            object.__setattr__(self, "viewer", self._viewer_in(self.campaign_id))

    def packs(self) -> Packs:
        """Return the packs that are searched: those that the campaign pins, else all that are installed."""
        with self.lock:
            if self.campaign_id is None:
                return Packs(packs=tuple(_pack(pack.id, pack.name, pack.version) for pack in self.app.library.packs()))
            with self.app.campaigns.reading(self.campaign_id) as store:
                pins = store.campaign().pins
            names = {pack.id: pack.name for pack in self.app.library.packs()}
            return Packs(packs=tuple(_pack(pin.pack_id, names.get(pin.pack_id), pin.version) for pin in pins))

    def campaigns(self) -> CampaignList:
        """Return the campaigns that are served."""
        with self.lock:
            rows = [row for row in self.app.campaigns.rows() if self.campaign_id in (None, row.id)]
            return CampaignList(
                campaigns=tuple(
                    CampaignShown(id=row.id, name=row.name, scenario_id=row.scenario_id, turn_no=row.current_turn)
                    for row in rows
                )
            )

    def lore(
        self,
        question: str,
        *,
        campaign_id: str | None = None,
        corpus: CorpusFilter = "all",
        packs: Sequence[str] = (),
        location: str | None = None,
        entities: Sequence[str] = (),
        factions: Sequence[str] = (),
        threads: Sequence[str] = (),
        tags: Sequence[str] = (),
        limit: int | None = None,
        max_tokens: int | None = None,
    ) -> LoreFound:
        """Return the best lore of the packs, and in a campaign of its history, for a question.

        Raises:
            NotFound: there is no such pack or campaign, or the viewer knows no such place or entity.
            SettingsError: nothing was asked, or for history without a campaign.
        """
        campaign_id = self._campaign(campaign_id)
        defaults = self.app.workspace.settings.lore
        query = LoreRetrievalQuery(
            keywords=question,
            location_id=location,
            entity_ids=tuple(entities),
            faction_ids=tuple(factions),
            thread_ids=tuple(threads),
            tags=tuple(tags),
            corpus=corpus,
            viewer=self._viewer(campaign_id),
            limit=min(limit or defaults.limit, MOST_CHUNKS),
            max_tokens=min(max_tokens or defaults.max_tokens, MOST_TOKENS),
        )
        if not query.keywords.strip() and not query.has_filters:
            raise SettingsError("nothing was asked", hint="give a question, a location, an entity or a tag")
        with self.lock:
            found = self.app.lore.retrieve(query, packs=packs, campaign_id=campaign_id, explained=False)
        missing = self.app.without_vectors
        degraded = found.degraded or (() if missing is None else (missing.message,))
        return LoreFound(
            chunks=found.result.chunks, total_tokens=found.result.total_tokens, words_alone="; ".join(degraded) or None
        )

    def entity(self, entity_id: str, *, campaign_id: str | None = None, max_tokens: int | None = None) -> EntityFound:
        """Return all that the viewer may read of an entity.

        Raises:
            NotFound: there is none of that ID or name for the viewer, or several are, or no such campaign.
        """
        budget = min(max_tokens or self.app.workspace.settings.lore.max_tokens, MOST_TOKENS)
        campaign_id = self._campaign(campaign_id)
        with self.lock:
            found = self.app.lore.entity(
                entity_id, viewer=self._viewer(campaign_id), campaign_id=campaign_id, max_tokens=budget
            )
        result = found.lore.result
        return EntityFound(entity=_shown(found.entity), chunks=result.chunks, total_tokens=result.total_tokens)

    def entities(
        self, *, kind: str | None = None, named: str = "", campaign_id: str | None = None, packs: Sequence[str] = ()
    ) -> Entities:
        """Return the entities that the viewer may know of, of a type or with a part of a name.

        Raises:
            NotFound: there is no such pack or campaign.
        """
        campaign_id = self._campaign(campaign_id)
        with self.lock:
            known = self.app.lore.entities(viewer=self._viewer(campaign_id), packs=packs, campaign_id=campaign_id)
        wanted = named.casefold().strip()
        found = [
            entity
            for entity in known
            if kind in (None, entity.type)
            and any(wanted in name.casefold() for name in (entity.name, entity.id, *entity.aliases))
        ]
        shown = tuple(_shown(entity) for entity in found[:_MOST_ENTITIES])
        return Entities(entities=shown, more=len(found) > len(shown))

    def state(self, *, campaign_id: str | None = None, parts: Sequence[str] = ()) -> StateSeen:
        """Return where the campaign stands; for a game master also these parts of the complete state.

        Raises:
            NotFound: there is no such campaign, or the viewer is nobody in it.
        """
        with self.opened(self.needed(campaign_id)) as campaign:
            return state_of(campaign, self.viewer.name, parts=parts)

    def scene(self, *, campaign_id: str | None = None, place: str | None = None) -> VisibleScene:
        """Return the lore of the viewer's scene; for a game master also of another place and the people in it.

        Raises:
            NotFound: there is no such campaign or place, or the viewer is nobody in it, or nowhere.
        """
        with self.opened(self.needed(campaign_id)) as campaign:
            return scene_of(campaign, self.viewer.name, place=place)

    def transcript(
        self, *, campaign_id: str | None = None, last: int = 10, before_turn: int | None = None
    ) -> Transcript:
        """Return the last turns of the story, or those before a turn, as the viewer may read them.

        Raises:
            NotFound: there is no such campaign, or the viewer is nobody in it.
        """
        with self.opened(self.needed(campaign_id)) as campaign:
            bounded = max(1, min(last, MOST_TURNS))
            return transcript_of(campaign, self.viewer.name, last=bounded, before_turn=before_turn)

    @contextmanager
    def opened(self, campaign_id: str) -> Iterator[OpenCampaign]:
        """Open a campaign, one call at a time.

        Raises:
            NotFound: there is no such campaign.
        """
        with self.lock, self.app.campaigns.open(campaign_id) as campaign:
            yield campaign

    def needed(self, campaign_id: str | None) -> str:
        """Return the campaign that is served, or else the named one.

        Raises:
            NotFound: none is named, or another than the one that is served.
        """
        found = self._campaign(campaign_id)
        if found is None:
            raise NotFound("no campaign is named", hint="name one: list_campaigns tells which there are")
        return found

    def _viewer(self, campaign_id: str | None) -> str:
        """Return the viewer of lore: the same character as in the game, where packs have several of a name."""
        if campaign_id is None:
            return self.viewer.name
        return self._viewer_in(campaign_id).name

    def _viewer_in(self, campaign_id: str) -> Viewer:
        with self.lock, self.app.campaigns.reading(campaign_id) as store:
            return viewer_in(store.head().state, self.viewer.name)

    def _campaign(self, campaign_id: str | None) -> str | None:
        if self.campaign_id is not None and campaign_id not in (None, self.campaign_id):
            raise NotFound(f"there is no campaign {campaign_id}", hint=f"only {self.campaign_id} is served")
        return self.campaign_id or campaign_id


def _shown(entity: PackEntity) -> EntityShown:
    return EntityShown(id=entity.id, name=entity.name, type=entity.type, aliases=entity.aliases, tags=entity.tags)


def _pack(pack_id: str, name: str | None, version: str) -> PackShown:
    return PackShown(id=pack_id, name=name or pack_id, version=version)
