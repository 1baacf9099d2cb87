"""A campaign as it was played -> secrets that stand in what a stage, the player or somebody else was shown before they
had learned them. They are found by overlap of texts: no canaries are planted in somebody's campaign."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.authoring.leaks.asking import spread
from lorewright.authoring.leaks.planting import NOTHING, OURS, Leak, Secret, Tally, may_know
from lorewright.authoring.leaks.playing import (
    READING_STAGES,
    StageViewer,
    add_heard_items,
    shown_to_player,
    viewer_of_record,
)
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import session_fields as shown_session
from lorewright.campaigns.sessions import sittings
from lorewright.index.generation import Generation
from lorewright.index.keywords import STOP_WORDS
from lorewright.packs.files import Progress, no_progress
from lorewright.packs.models import OPEN_ROLES
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.turn.views.leaks import QUOTED_WORDS, plain_words, runs_of
from lorewright.values.entries import lore_conditions

# The search for secrets in texts: a text may copy a sentence of a secret, or only share a phrase with it.

_SENTENCE = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|\n\s*\n")

# A sentence counts as copied where a text holds this share of it, or so many runs of it: twelve words in a row, or as
# many in two places. A little may have been changed.
_COPIED = 0.75
_COPIED_RUNS = 7
# A text of fewer words, or of fewer words that mean anything, is a common phrase.
_FEWEST_WORDS = 4
_FEWEST_TELLING = 2
_FEWEST_TELLING_OF_SIX = 3


@dataclass(frozen=True, slots=True)
class SecretHit:
    """The words of a secret in a text: the run at which they begin, its first word's place, and whether a whole
    sentence was copied or only a phrase is shared."""

    secret: Secret
    phrase: str
    at: int
    copied: bool


class Overlaps:
    """A search for many secrets at once."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._runs: dict[str, list[tuple[int, int]]] = {}
        self._secrets = list(secrets)
        self._sizes: dict[tuple[int, int], int] = {}
        self._lengths: set[int] = {QUOTED_WORDS}
        for number, secret in enumerate(self._secrets):
            for nth, words in enumerate(_distinct_sentences(secret.text)):
                if _is_telling(words):
                    runs = set(runs_of(words))
                    self._sizes[number, nth] = len(runs)
                    self._lengths |= {len(words)} if len(words) < QUOTED_WORDS else set()
                    for run in sorted(runs):
                        self._runs.setdefault(run, []).append((number, nth))

    def hits(self, words: Sequence[str]) -> Iterator[SecretHit]:
        """Yield what of each secret stands in a text (as `plain_words`): its copied sentences, else the first phrase
        that is shared, in the order of the secrets."""
        places: dict[tuple[int, int], dict[str, int]] = {}
        for length in sorted(self._lengths):
            for at in range(len(words) - length + 1):
                run = " ".join(words[at : at + length])
                for sentence in self._runs.get(run, ()):
                    places.setdefault(sentence, {}).setdefault(run, at)
        told: dict[int, SecretHit] = {}
        for (number, nth), found in sorted(places.items()):
            copied = len(found) >= min(_COPIED * self._sizes[number, nth], _COPIED_RUNS)
            at, phrase = min((at, run) for run, at in found.items())
            if number not in told or (copied and not told[number].copied):
                told[number] = SecretHit(self._secrets[number], phrase, at, copied)
        yield from told.values()


def sentences_of(text: str) -> list[str]:
    """Return a text's sentences."""
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def _distinct_sentences(text: str) -> list[list[str]]:
    """Return the sentences that are long enough to be recognised by themselves; where none is, all of the text."""
    sentences = [words for words in map(plain_words, _SENTENCE.split(text)) if len(words) >= QUOTED_WORDS]
    return sentences or [plain_words(text)]


def _is_telling(words: list[str]) -> bool:
    telling = {word for word in words if word not in STOP_WORDS and not word.isdigit()}
    fewest = _FEWEST_TELLING if len(words) < QUOTED_WORDS else _FEWEST_TELLING_OF_SIX
    return len(words) >= _FEWEST_WORDS and len(telling) >= fewest


# A campaign as it was played, searched turn by turn.

_QUESTIONS = 100


def secrets_in(generations: Sequence[Generation]) -> list[Secret]:
    """Return every secret of indexed packs, in source order."""
    return [secret for generation in generations for secret in _of_generation(generation)]


class TurnInspector:
    """Looks at a campaign's turns on the way to its head, and at what can be asked there."""

    def __init__(self, campaign: OpenCampaign, tally: Tally) -> None:
        self._campaign = campaign
        self._tally = tally
        generations = campaign.setting.generations
        self.secrets = secrets_in(generations)
        self._overlaps = Overlaps(self.secrets)
        # Text that everybody may look up is no secret, even if an item says the same.
        self._open = _OpenLore(generations, self._overlaps)

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
            add_heard_items(heard, messages, self._said_in, but=state.player_id)
            for record in store.stage_records(turn["turn_id"]):
                self._look_at_record(record, viewer_of_record(record, before, state, heard), said, where)
            told = json.dumps(turn["result"], ensure_ascii=False)
            self._look_at_text(told, "player", "narration", where, has, said, watched=True)
            for message in shown_to_player(messages, state):
                self._look_at_text(message.content, "player", "log", where, has, said, watched=True)
            before = state
        learned = before.learned_by(before.player_id)
        for session in sittings(store):
            text = json.dumps(shown_session(session), ensure_ascii=False, default=str)
            self._look_at_text(
                text,
                "player",
                "recap",
                f"sitting {session.id}",
                learned,
                said,
                watched=True,
            )
        self._look_at_answers(said)

    def _look_at_record(self, record: dict[str, Any], eyes: StageViewer, said: Sequence[str], where: str) -> None:
        stage = str(record["stage"])
        for channel in ("input", "output") if stage in READING_STAGES else ():
            self._look_at_text(
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

    def _look_at_answers(self, said: Sequence[str]) -> None:
        head = self._campaign.store.head()
        state = head.state
        everybody = [
            entity.id for entity in state.entities.values() if entity.type == "npc" and entity.origin != "campaign"
        ]
        for viewer in ("player", *(f"npc:{entity_id}" for entity_id in sorted(everybody))):
            learned = state.learned_by(state.player_id if viewer == "player" else viewer.removeprefix("npc:"))
            generations = self._campaign.setting.generations
            view = LoreView(generations, viewer=viewer, revealed=learned, conditions=lore_conditions(state))
            for secret in spread(self.secrets, _QUESTIONS if viewer == "player" else _QUESTIONS // 10):
                query = LoreRetrievalQuery(keywords=secret.text[:300], viewer=viewer, limit=30, max_tokens=9_000)
                text = retrieve(view, query).result.model_dump_json()
                where = f"lore query with the words of {secret.id}"
                self._look_at_text(text, viewer, "query", where, learned, said, own_ids=view.own_ids)

    def _look_at_text(
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


class _OpenLore:
    """The secrets whose words stand in open lore."""

    def __init__(self, generations: Sequence[Generation], overlaps: Overlaps) -> None:
        self._ids = {
            hit.secret.id
            for generation in generations
            for chunk in generation.all_chunks()
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
