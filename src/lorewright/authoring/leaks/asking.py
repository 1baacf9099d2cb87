"""Planted packs, asked by every viewer -> leaks by lore queries, traces, why-nots, entities and scenes; and open lore
that somebody was not given."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeVar

from lorewright.authoring.leaks.planting import ALIAS, COMMENT, KEY, OWN_KINDS, TRIGGER, Blocked, Looker, Secret
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.pack_views import entity_lore
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve, why_not
from lorewright.retrieval.view import LoreView, hidden_entities, in_force, visible_text
from lorewright.scene_lore.gather import gather
from lorewright.scene_lore.lore_retriever import LoreRetriever
from lorewright.scene_lore.models import SceneFocus, StageViewer, scene_view
from lorewright.scene_lore.scene_trace import find_scene

T = TypeVar("T")

_EVERYTHING = 10_000_000
_WORDS_ASKED = 40
_SCENE_TOKENS = 20_000
_SCENE_VIEWERS: tuple[StageViewer, ...] = ("player", "narrator", "planner")


@dataclass(frozen=True, slots=True)
class AskLimits:
    """The most that is asked, spread evenly over everything that there is: a large pack must not take all day."""

    characters: int = 40
    player_entities: int = 250
    npc_entities: int = 16
    player_questions: int = 400
    npc_questions: int = 5
    scenes: int = 30


@dataclass(slots=True)
class AskReport:
    """The result of asking: `viewers` in order, open text that somebody was `not_shown`, remarks on what was passed
    over."""

    viewers: list[str] = field(default_factory=list)
    not_shown: list[Blocked] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class Asker:
    """Asks planted packs as every viewer that there is."""

    def __init__(
        self,
        lore: LoreRetriever,
        packs: Sequence[str],
        looker: Looker,
        *,
        conditioned: Collection[str] = (),
        bounds: AskLimits = AskLimits(),
    ) -> None:
        """Prepare to ask. `conditioned` are the chunks that hold only in some campaign: without one nobody is given
        them."""
        self._lore = lore
        self._packs = list(packs)
        self._looker = looker
        self._conditioned = frozenset(conditioned)
        self._bounds = bounds
        self._secrets = [word for word in looker.canaries.words.values() if word.pack_id in packs]
        self.asked = AskReport()

    def ask(self, *, progress: Progress = no_progress) -> AskReport:
        """Ask everything as every viewer and return the report."""
        with self._lore.view("gm", self._packs) as view:
            characters = [
                entity.id for pack in view.generations for entity in pack.entities().values() if entity.type == "npc"
            ]
            self._ask_as_game_master(view)
        viewers = ["player", *(f"npc:{character}" for character in spread(characters, self._bounds.characters))]
        self._remark("characters look", len(viewers) - 1, len(characters))
        for done, viewer in enumerate(viewers):
            progress("asking", done, len(viewers))
            with self._lore.view(viewer, self._packs) as view:
                self._ask_as_viewer(view)
        self.asked.viewers = viewers
        with self._lore.view("gm", self._packs) as view:
            self._ask_scenes(view, characters)
        return self.asked

    def _ask_as_game_master(self, view: LoreView) -> None:
        """Check that the game master finds the canaries: what not even the game master finds could not leak."""
        shown = "\n".join(
            visible_text(view, pack, chunk) or "" for pack in view.generations for chunk in pack.all_chunks()
        )
        found = {secret.id for secret in self._looker.canaries.found_in(shown)}
        expected = [secret for secret in self._secrets if secret.kind not in (ALIAS, COMMENT, KEY, TRIGGER)]
        missing = [secret for secret in expected if secret.id not in found]
        if missing:
            places = ", ".join(secret.place for secret in missing[:3])
            self.asked.remarks.append(f"{len(missing)} secrets are nowhere to be found, first at {places}")

    def _ask_as_viewer(self, view: LoreView) -> None:
        viewer, is_player = view.viewer, view.viewer == "player"
        self._check_predicate(view)
        entities = [entity for pack in view.generations for entity in pack.entities()]
        most = self._bounds.player_entities if is_player else self._bounds.npc_entities
        chosen = dict.fromkeys([*sorted(view.own_ids), *spread(entities, most)])
        for entity_id in chosen:
            self._ask_entity(view, entity_id)
        worded = [secret for secret in self._secrets if secret.kind not in (KEY, ALIAS)]
        asked = spread(worded, self._bounds.player_questions if is_player else self._bounds.npc_questions)
        for secret in asked:
            self._ask_question(view, secret)
        if is_player:
            self._remark("entities were asked for", min(len(chosen), len(entities)), len(entities))
            self._remark("secrets were asked about in their own words", len(asked), len(worded))
        if not is_player:
            self._check_own_sheet(view, viewer)

    def _check_predicate(self, view: LoreView) -> None:
        """Look at every chunk that is not open, without a search."""
        for pack in view.generations:
            text = "\n".join(filter(None, (visible_text(view, pack, chunk) for chunk in pack.hidden_chunks())))
            self._look(view, text, "lore", f"the hidden sections of {pack.pack_id}")

    def _ask_entity(self, view: LoreView, entity_id: str) -> None:
        if entity_id in hidden_entities(view):
            return
        found = entity_lore(view, entity_id, max_tokens=_EVERYTHING)
        where = f"lore entity {entity_id}"
        self._look(view, json.dumps(asdict(found.entity), ensure_ascii=False, default=str), "entity", where)
        self._look(view, found.lore.result.model_dump_json(), "entity", where)
        self._look(view, found.lore.trace.model_dump_json(), "trace", where)
        ranked = {chunk.chunk_id for chunk in found.lore.trace.chunks}
        self.asked.not_shown += [
            Blocked(chunk.file_path, chunk.line, chunk.id, view.viewer, f"{where} does not give it")
            for pack in view.generations
            for chunk in pack.chunks_of(entity_id)
            if chunk.role in OPEN_ROLES and chunk.text and chunk.id not in ranked | self._conditioned
        ]

    def _ask_question(self, view: LoreView, secret: Secret) -> None:
        words = " ".join(secret.text.split()[:_WORDS_ASKED]) or secret.holder
        query = LoreRetrievalQuery(keywords=words, viewer=view.viewer, limit=50, max_tokens=20_000)
        found = retrieve(view, query)
        where = f"lore query with the words of {secret.id}"
        self._look(view, found.result.model_dump_json(), "query", where)
        self._look(view, found.trace.model_dump_json(), "trace", where)
        answer = why_not(view, query, secret.chunk_id) if view.viewer == "player" else None
        if answer is not None:
            self._look(view, answer.model_dump_json(), "why-not", where)

    def _check_own_sheet(self, view: LoreView, viewer: str) -> None:
        """Check that viewers know their own lore."""
        there = {entity for pack in view.generations for entity in pack.entities()}
        # A character whose file is for the game master alone does not read it either.
        own = sorted(view.own_ids & there - hidden_entities(view))
        text = "\n".join(
            entity_lore(view, entity_id, max_tokens=_EVERYTHING).lore.trace.model_dump_json() for entity_id in own
        )
        self.asked.not_shown += [
            Blocked(secret.file, secret.line, secret.id, viewer, "it is their own, and they do not find it")
            for secret in self._secrets
            if secret.kind in OWN_KINDS and secret.holder in view.own_ids and secret.chunk_id not in text
        ]

    def _ask_scenes(self, view: LoreView, characters: Sequence[str]) -> None:
        places = [
            entity.id for pack in view.generations for entity in pack.entities().values() if entity.type == "location"
        ]
        threads = tuple(sorted({secret.id.rpartition("#")[2] for secret in self._secrets if secret.kind == "threads"}))
        everyone = tuple(characters[: self._bounds.characters])
        for place in spread(places, self._bounds.scenes):
            focus = SceneFocus(scene_id="leaks", location_id=place, present_ids=everyone, thread_ids=threads)
            lore = gather(view.generations, focus)
            for viewer in _SCENE_VIEWERS:
                shown = json.dumps(scene_view(lore, viewer, learned=frozenset()), ensure_ascii=False)
                self._looker.look(shown, viewer=viewer, channel="scene lore", where=f"lore scene --location {place}")
            self._ask_scene_as_player(LoreView(view.generations, viewer="player"), place, everyone, threads)

    def _ask_scene_as_player(
        self, view: LoreView, place: str, characters: Sequence[str], threads: Sequence[str]
    ) -> None:
        """Look at a scene as it is explained to a player, who knows of no place or person that only secrets tell of."""
        hidden = hidden_entities(in_force(view).view)
        if place in hidden:
            return
        present = [character for character in characters if character not in hidden]
        found = find_scene(view, location=place, present=present, threads=threads, limit=50, max_tokens=_SCENE_TOKENS)
        told = [
            found.trace.model_dump_json(),
            found.beside.result.model_dump_json(),
            *(line.text for line in found.lines),
        ]
        self._look(view, "\n".join(told), "scene lore", f"lore scene --location {place} --as player --explain")

    def _look(self, view: LoreView, text: str, channel: str, where: str) -> None:
        self._looker.look(text, viewer=view.viewer, channel=channel, where=where, own_ids=view.own_ids)

    def _remark(self, what: str, done: int, there: int) -> None:
        if done < there:
            self.asked.remarks.append(f"{done} of {there} {what}")


def spread(things: Sequence[T], most: int) -> list[T]:
    """Return at most so many of the things, evenly chosen, in their order."""
    if len(things) <= most:
        return list(things)
    return [things[number * len(things) // most] for number in range(most)]
