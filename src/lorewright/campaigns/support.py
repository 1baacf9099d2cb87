"""A turn -> what each sentence of its narration rests on: chunks, items and events that its narrator was shown, with
the file and section of what stands in a pack. Nothing here that the player was not told of in that turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lorewright.campaigns.campaigns import Campaigns
from lorewright.errors import NotFound
from lorewright.ids import shown_item
from lorewright.index.generation import Generation
from lorewright.scene_lore.sections import in_sentences
from lorewright.turn.stages.narrate.sources import Kind, Source, sources_of
from lorewright.turn.stages.narrate.stage import Narrate
from lorewright.turn.views.player_ids import PlayerIds
from lorewright.values.records import NarratorInput
from lorewright.values.result import TurnResult
from lorewright.values.stage_run import BUILTIN


@dataclass(frozen=True, slots=True)
class Ground:
    """What a sentence rests on: `id` as it is shown (`viktor/knows#pier9`, `outcome:0`), the text that the narrator was
    shown of it, and where that stands in a pack; of what happened there is neither file nor section."""

    kind: Kind
    id: str
    text: str
    file_path: str | None = None
    section_path: str | None = None


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence of a narration and what it rests on, in order."""

    sentence: str
    grounds: tuple[Ground, ...]


@dataclass(frozen=True, slots=True)
class Support:
    """The narration of a turn, sentence by sentence, and who told it.

    `unsupported_share` is how many of a model's sentences rest on nothing that they name; None for a built-in
    narration, which quotes packs or tells what the rules did, and nothing else.
    """

    turn_no: int
    model_key: str
    sentences: tuple[GroundedSentence, ...]

    @property
    def is_builtin(self) -> bool:
        """Whether no model told it."""
        return self.model_key == BUILTIN

    @property
    def unsupported_share(self) -> float | None:
        """See the class."""
        if self.is_builtin or not self.sentences:
            return None
        return sum(not one.grounds for one in self.sentences) / len(self.sentences)


def support_of(campaigns: Campaigns, campaign_id: str, turn_no: int) -> Support:
    """What the sentences of a turn on the way to the head rest on.

    Raises:
        NotFound: there is no such campaign or turn, or nothing was narrated in it.
    """
    with campaigns.open(campaign_id) as campaign:
        found = [turn for turn in campaign.store.turns() if turn["turn_no"] == turn_no]
        if not found:
            raise NotFound(f"there is no turn {turn_no}", hint=f"see: lorewright campaign log {campaign_id}")
        records = [one for one in campaign.store.stage_records(found[0]["turn_id"]) if one["stage"] == Narrate.name]
        if not records:
            raise NotFound(
                f"nothing was narrated in turn {turn_no}", hint="choose a turn in which something was played"
            )
        # A narration that contradicted the record was written once more: the last one was told.
        record, ids = records[-1], campaign.player_ids()
        if record["model_key"] == BUILTIN:
            sentences = tuple(_quoted(TurnResult.model_validate(ids.told(found[0]["result"]))))
        else:
            sentences = tuple(_cited(record, campaign.setting.generations, ids))
        return Support(turn_no, record["model_key"], sentences)


def _cited(record: Mapping[str, Any], generations: Sequence[Generation], ids: PlayerIds) -> Iterator[GroundedSentence]:
    """The sentences of a model, with what they cite."""
    shown: dict[str, list[Source]] = {}
    given = NarratorInput.model_validate(record["input"])
    for source in sources_of(given):
        shown.setdefault(source.id, []).append(source)
    chunks = {one.item_id: one.chunk_id for one in given.evidence}
    for told in record["output"]["support"]:
        grounds = (_ground(one, shown.get(one, ()), chunks.get(one, one), generations, ids) for one in told["ids"])
        yield GroundedSentence(told["sentence"], tuple(grounds))


def _ground(
    cited: str, shown: Sequence[Source], chunk_id: str, generations: Sequence[Generation], ids: PlayerIds
) -> Ground:
    kind: Kind = shown[0].kind if shown else "event"
    # A chunk may be shown in several sentences; which of them is meant is not recorded.
    text = " ".join(dict.fromkeys(source.text for source in shown))
    if kind == "event":
        return Ground(kind, cited, text)
    chunk = next((found for one in generations if (found := one.chunk(chunk_id)) is not None), None)
    if chunk is None:
        return Ground(kind, shown_item(cited), text)
    where = {"cite": shown_item(cited), "file_path": chunk.file_path, "section_path": chunk.section_path}
    told = ids.told({"chunk_id": chunk_id, **where})
    return Ground(kind, told["cite"], text, told["file_path"], told["section_path"])


def _quoted(result: TurnResult) -> Iterator[GroundedSentence]:
    """The sentences of the built-in narrator, with what they quote."""
    for sentence in in_sentences(result.final_text):
        yield GroundedSentence(sentence, tuple(_quotations(sentence, result)))


def _quotations(sentence: str, result: TurnResult) -> Iterable[Ground]:
    for one in result.citations:
        if one.quote in sentence or sentence.strip(' “”"') in one.quote:
            kind: Kind = "chunk" if one.item_id is None else "item"
            yield Ground(kind, one.cite, one.quote, one.file_path, one.section_path)
