"""A campaign as it was played -> secrets that stand in what a stage, the player or somebody else was shown before they
had learned them. By overlap of texts: nothing is planted in a campaign that is somebody's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from lorewright.authoring.leaks.asking import spread
from lorewright.authoring.leaks.findings import Leak, Tally
from lorewright.authoring.leaks.looking import NOTHING, OURS
from lorewright.authoring.leaks.overlap import Overlaps
from lorewright.authoring.leaks.readers import READING_STAGES, Eyes, eyes_of, grow, shown_to_player
from lorewright.authoring.leaks.secrets import Secret, may_know
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import shown as shown_session
from lorewright.campaigns.sessions import sittings
from lorewright.index.generation import Generation
from lorewright.packs.loader import Progress, no_progress
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.turn.views.leaks import plain_words
from lorewright.values.lore_conditions import lore_conditions

_QUESTIONS = 100


def secrets_in(generations: Sequence[Generation]) -> list[Secret]:
    """Every secret of indexed packs, in source order."""
    return [secret for one in generations for secret in _of_generation(one)]


class Recorded:
    """Looks at a campaign's turns on the way to its head, and at what can be asked there."""

    def __init__(self, campaign: OpenCampaign, tally: Tally) -> None:
        self._campaign = campaign
        self._tally = tally
        generations = campaign.setting.generations
        self.secrets = secrets_in(generations)
        self._overlaps = Overlaps(self.secrets)
        # What everybody may look up is no secret, though an item should say the same.
        self._open = _Open(generations, self._overlaps)

    def look(self, *, progress: Progress = no_progress) -> None:
        """Look at every turn, then at the head."""
        store = self._campaign.store
        turns = store.turns()
        before = store.state_at(turns[0]["turn_id"])
        heard: dict[str, frozenset[str]] = {}
        said: list[str] = []
        for done, turn in enumerate(turns):
            progress("looking at turns", done, len(turns))
            state = store.state_at(turn["turn_id"])
            has = state.learned_by(state.player_id)
            where = f"turn {turn['turn_no']}"
            said.append(turn["player_text"] or "")
            messages = [message for _, message in store.messages(turn["turn_id"], last=1)]
            grow(heard, messages, self._said_in, but=state.player_id)
            for record in store.stage_records(turn["turn_id"]):
                self._record(record, eyes_of(record, before, state, heard), said, where)
            told = json.dumps(turn["result"], ensure_ascii=False)
            self._text(told, "player", "narration", where, has, said, watched=True)
            for message in shown_to_player(messages, state):
                self._text(message.content, "player", "log", where, has, said, watched=True)
            before = state
        learned = before.learned_by(before.player_id)
        for session in sittings(store):
            text = json.dumps(shown_session(session), ensure_ascii=False, default=str)
            self._text(
                text,
                "player",
                "recap",
                f"sitting {session.id}",
                learned,
                said,
                watched=True,
            )
        self._ask(said)

    def _record(self, record: dict[str, Any], eyes: Eyes, said: Sequence[str], where: str) -> None:
        stage = str(record["stage"])
        for channel in ("input", "output") if stage in READING_STAGES else ():
            self._text(
                json.dumps(record[channel], ensure_ascii=False),
                eyes.viewer,
                f"stage {channel}",
                where,
                eyes.learned,
                said,
                own_ids=eyes.own_ids,
                watched=True,
                named=stage if not eyes.own_ids else f"{stage} of {eyes.viewer}",
            )

    def _said_in(self, text: str) -> frozenset[str]:
        return frozenset(hit.secret.id for hit in self._overlaps.hits(plain_words(text)) if hit.copied)

    def _ask(self, said: Sequence[str]) -> None:
        head = self._campaign.store.head()
        state = head.state
        everybody = [one.id for one in state.entities.values() if one.type == "npc" and one.origin != "campaign"]
        for viewer in ("player", *(f"npc:{one}" for one in sorted(everybody))):
            learned = state.learned_by(state.player_id if viewer == "player" else viewer.removeprefix("npc:"))
            generations = self._campaign.setting.generations
            view = LoreView(generations, viewer=viewer, revealed=learned, conditions=lore_conditions(state))
            for secret in spread(self.secrets, _QUESTIONS if viewer == "player" else _QUESTIONS // 10):
                query = LoreRetrievalQuery(keywords=secret.text[:300], viewer=viewer, limit=30, max_tokens=9_000)
                text = retrieve(view, query).result.model_dump_json()
                where = f"lore query with the words of {secret.id}"
                self._text(text, viewer, "query", where, learned, said, own_ids=view.own_ids)

    def _text(
        self,
        text: str,
        viewer: str,
        channel: str,
        where: str,
        learned: frozenset[str],
        said: Sequence[str],
        *,
        own_ids: frozenset[str] = NOTHING,
        watched: bool = False,
        named: str | None = None,
    ) -> None:
        self._tally.looked(channel)
        words = plain_words(text)
        for hit in self._overlaps.hits(words):
            secret = hit.secret
            if not hit.copied or may_know(secret, viewer, learned, own_ids=own_ids, watched=watched):
                continue
            if secret.id in self._open or hit.phrase in " ".join(plain_words(" ".join(said))):
                continue
            quote = " ".join(words[hit.at : hit.at + 12])
            self._tally.found(Leak(secret.file, secret.line, secret.id, named or viewer, channel, where, quote, OURS))


class _Open:
    """The secrets whose words stand in open lore."""

    def __init__(self, generations: Sequence[Generation], overlaps: Overlaps) -> None:
        self._ids = {
            hit.secret.id
            for one in generations
            for chunk in one.all_chunks()
            if chunk.role in OPEN_ROLES
            for hit in overlaps.hits(plain_words(chunk.text))
            if hit.copied
        }

    def __contains__(self, secret_id: str) -> bool:
        return secret_id in self._ids


def _of_generation(generation: Generation) -> Iterator[Secret]:
    for chunk in generation.hidden_chunks():
        items = generation.items_of(chunk.row)
        held = (chunk.role, chunk.pack_id, chunk.entity_id, chunk.file_path)
        for item in items:
            yield Secret(item.id, *held, item.line, item.text, chunk.id, item.id)
        if not items:
            yield Secret(chunk.id, *held, chunk.line, chunk.text, chunk.id)
