"""An app, a viewer and perhaps one campaign -> the answers of the server's tools, resources and prompts.

It knows nothing of the protocol: what it gives are values, and what goes wrong is an error of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from typing import Literal

from lorewright.bootstrap import App
from lorewright.campaigns.eyes import SceneFound, Transcript, scene_of, state_of, transcript_of, viewer_in
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.errors import NotFound, SettingsError
from lorewright.packs.models import Entity
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.service.shapes import (
    Campaigns,
    CampaignShown,
    Entities,
    EntityFound,
    EntityShown,
    LoreFound,
    Packs,
    PackShown,
)
from lorewright.service.viewer import Viewer
from lorewright.turn.checks.tools import StateSeen

Corpus = Literal["authored", "history", "all"]

# What one call may ask for at most.
MOST_CHUNKS = 50
MOST_TOKENS = 20_000
MOST_TURNS = 50
_MOST_ENTITIES = 500


@dataclass(frozen=True, slots=True)
class Desk:
    """Answers for one viewer, over one campaign or over all of them. Calls are answered one after the other, whatever
    thread they come from."""

    app: App
    viewer: Viewer
    campaign_id: str | None = None
    lock: RLock = field(default_factory=RLock)

    def __post_init__(self) -> None:
        """Find out at once whether there is such a campaign, and such a character in it, whose full ID is taken.

        Raises:
            NotFound: there is not.
        """
        if self.campaign_id is not None:
            object.__setattr__(self, "viewer", Viewer(self._viewer(self.campaign_id)))

    def packs(self) -> Packs:
        """The packs that are asked: those that the campaign pins, else all that are installed."""
        with self.lock:
            if self.campaign_id is None:
                return Packs(packs=tuple(_pack(one.id, one.name, one.version) for one in self.app.library.packs()))
            with self.app.campaigns.reading(self.campaign_id) as store:
                pins = store.campaign().pins
            names = {one.id: one.name for one in self.app.library.packs()}
            return Packs(packs=tuple(_pack(pin.pack_id, names.get(pin.pack_id), pin.version) for pin in pins))

    def campaigns(self) -> Campaigns:
        """The campaigns that can be asked."""
        with self.lock:
            rows = [row for row in self.app.campaigns.rows() if self.campaign_id in (None, row.id)]
            return Campaigns(
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
        corpus: Corpus = "all",
        packs: Sequence[str] = (),
        location: str | None = None,
        entities: Sequence[str] = (),
        tags: Sequence[str] = (),
        limit: int | None = None,
        max_tokens: int | None = None,
    ) -> LoreFound:
        """What the packs, and in a campaign what happened in it, say to a question.

        Raises:
            NotFound: there is no such pack or campaign.
            SettingsError: nothing was asked, or for history without a campaign.
        """
        campaign_id = self._campaign(campaign_id)
        defaults = self.app.workspace.settings.lore
        asked = LoreRetrievalQuery(
            keywords=question,
            location_id=location,
            entity_ids=tuple(entities),
            tags=tuple(tags),
            corpus=corpus,
            viewer=self._viewer(campaign_id),
            limit=min(limit or defaults.limit, MOST_CHUNKS),
            max_tokens=min(max_tokens or defaults.max_tokens, MOST_TOKENS),
        )
        if not asked.keywords.strip() and not asked.has_filters:
            raise SettingsError("nothing was asked", hint="give a question, a location, an entity or a tag")
        with self.lock:
            found = self.app.lore.query(asked, packs=packs, campaign_id=campaign_id)
        missing = self.app.without_vectors
        degraded = found.degraded or (() if missing is None else (missing.message,))
        return LoreFound(
            chunks=found.result.chunks, total_tokens=found.result.total_tokens, words_alone="; ".join(degraded) or None
        )

    def entity(self, entity_id: str, *, campaign_id: str | None = None, max_tokens: int | None = None) -> EntityFound:
        """All that the viewer may read of an entity.

        Raises:
            NotFound: there is none of that ID for the viewer, or no such campaign.
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
        """Who and what the viewer may know of, of a type or with a part of a name.

        Raises:
            NotFound: there is no such pack or campaign.
        """
        campaign_id = self._campaign(campaign_id)
        with self.lock:
            known = self.app.lore.entities(viewer=self._viewer(campaign_id), packs=packs, campaign_id=campaign_id)
        wanted = named.casefold().strip()
        found = [
            one
            for one in known
            if kind in (None, one.type) and any(wanted in name.casefold() for name in (one.name, one.id, *one.aliases))
        ]
        shown = tuple(_shown(one) for one in found[:_MOST_ENTITIES])
        return Entities(entities=shown, more=len(found) > len(shown))

    def state(self, *, campaign_id: str | None = None, parts: Sequence[str] = ()) -> StateSeen:
        """Where the campaign stands; for a game master with these parts of the complete state.

        Raises:
            NotFound: there is no such campaign, or the viewer is nobody in it.
        """
        with self.opened(self.needed(campaign_id)) as campaign:
            return state_of(campaign, self.viewer.name, parts=parts)

    def scene(self, *, campaign_id: str | None = None, place: str | None = None) -> SceneFound:
        """What belongs to the viewer's scene; for a game master also to another place and whoever is there.

        Raises:
            NotFound: there is no such campaign or place, or the viewer is nobody in it, or nowhere.
        """
        with self.opened(self.needed(campaign_id)) as campaign:
            return scene_of(campaign, self.viewer.name, place=place)

    def transcript(
        self, *, campaign_id: str | None = None, last: int = 10, before_turn: int | None = None
    ) -> Transcript:
        """The last turns of the story, or those before one, as the viewer may read them.

        Raises:
            NotFound: there is no such campaign, or the viewer is nobody in it.
        """
        with self.opened(self.needed(campaign_id)) as campaign:
            bounded = max(1, min(last, MOST_TURNS))
            return transcript_of(campaign, self.viewer.name, last=bounded, before_turn=before_turn)

    @contextmanager
    def opened(self, campaign_id: str) -> Iterator[OpenCampaign]:
        """A campaign, one call at a time.

        Raises:
            NotFound: there is no such campaign.
        """
        with self.lock, self.app.campaigns.open(campaign_id) as campaign:
            yield campaign

    def needed(self, campaign_id: str | None) -> str:
        """The campaign that is meant.

        Raises:
            NotFound: none is named, or another than the one that is served.
        """
        found = self._campaign(campaign_id)
        if found is None:
            raise NotFound("no campaign is named", hint="name one: list_campaigns tells which there are")
        return found

    def _viewer(self, campaign_id: str | None) -> str:
        """The viewer of lore: the same character as in the game, where packs have several of a name."""
        if campaign_id is None:
            return self.viewer.name
        with self.lock, self.app.campaigns.reading(campaign_id) as store:
            return viewer_in(store.head().state, self.viewer.name)

    def _campaign(self, campaign_id: str | None) -> str | None:
        if self.campaign_id is not None and campaign_id not in (None, self.campaign_id):
            raise NotFound(f"there is no campaign {campaign_id}", hint=f"only {self.campaign_id} is served")
        return self.campaign_id or campaign_id


def _shown(entity: Entity) -> EntityShown:
    return EntityShown(id=entity.id, name=entity.name, type=entity.type, aliases=entity.aliases, tags=entity.tags)


def _pack(pack_id: str, name: str | None, version: str) -> PackShown:
    return PackShown(id=pack_id, name=name or pack_id, version=version)
