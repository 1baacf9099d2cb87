"""What an author writes of one golden query: what is asked by whom, and what must and must not be answered."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, model_validator

from lorewright.ids import canonical_json
from lorewright.retrieval.query import DEFAULT_LIMIT

# `viktor:withholds`, with its pack `neo_seattle:viktor:withholds`; `…~2` is the second part of a split section.
ChunkId = Annotated[str, StringConstraints(pattern=r"^([^\s:]+:)?[^\s:]+:[^\s:]+$")]
# `viktor:withholds#debt`, with or without its pack; `viktor/withholds#debt`, as scenarios write it, is the same.
ItemId = Annotated[str, StringConstraints(pattern=r"^([^\s:#]+:)?[^\s:#]+[:/][^\s:#]+#[^\s:#]+$")]
Viewer = Annotated[str, StringConstraints(pattern=r"^(gm|player|npc:\S+)$")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
# So much of a sentence can be told apart from any other.
Sentence = Annotated[str, StringConstraints(min_length=3, max_length=2000)]

DEFAULT_BUDGET = 1000


class _Written(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class GoldenScene(_Written):
    """A place, and who and what is at hand there: the scene itself asks."""

    location: Name = Field(description="The place of the scene: the ID of a location.")
    present: tuple[Name, ...] = Field(default=(), description="Who is there: IDs of characters.")
    threads: tuple[Name, ...] = Field(default=(), description="Threads that are open.")


class GivenFact(_Written):
    """Something that is established."""

    fact: Name = Field(description="The predicate, as a condition names it.")
    subject: Name = Field(description="Whom or what it is about.")


class Given(_Written):
    """What holds in the campaign in which it is asked: what conditions (`when:`) are judged by."""

    threads: dict[Name, Name] = Field(default_factory=dict, description="Thread -> its status.")
    clocks: dict[Name, int] = Field(default_factory=dict, description="Clock -> its value.")
    facts: tuple[GivenFact, ...] = Field(default=(), description="What is established.")


class GoldenQuery(_Written):
    """A question and what its answer must and must not hold.

    It is asked in words (`query`), by a scene, by filters, or by several of these together. IDs may leave out the pack
    that the file belongs to.
    """

    name: Name | None = Field(default=None, description="What reports call it; unique in the pack.")
    query: str = Field(default="", max_length=4000, description="The question, in the words of whoever asks.")
    scene: GoldenScene | None = Field(
        default=None, description="A scene that asks; with `query` that is what the player does in it."
    )
    location: Name | None = Field(default=None, description="Filter: the place at hand.")
    entities: tuple[Name, ...] = Field(default=(), description="Filter: who or what is at hand.")
    factions: tuple[Name, ...] = Field(default=(), description="Filter: factions.")
    threads: tuple[Name, ...] = Field(default=(), description="Filter: threads of the story.")
    tags: tuple[Name, ...] = Field(default=(), description="Filter: tags.")
    viewer: Viewer = Field(default="gm", description="Who asks: gm, player, or npc:ID for a character.")
    revealed: tuple[ItemId, ...] = Field(
        default=(), description="Items that whoever asks has learned: `viktor:withholds#debt`."
    )
    given: Given | None = Field(
        default=None, description="What holds where it is asked; without it there is no campaign."
    )
    budget: int = Field(default=DEFAULT_BUDGET, ge=1, description="At most so many tokens of text.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=1000, description="At most so many sections.")
    top: int | None = Field(
        default=None, ge=1, le=1000, description="What is to be included must be among the first so many sections."
    )
    include: tuple[ChunkId, ...] = Field(default=(), description="Sections that must be in the answer.")
    exclude: tuple[ChunkId, ...] = Field(default=(), description="Sections that must not be in the answer.")
    include_text: tuple[Sentence, ...] = Field(default=(), description="Sentences that must stand in the answer.")
    exclude_text: tuple[Sentence, ...] = Field(default=(), description="Sentences that must not stand in the answer.")
    needs: Literal["meaning"] | None = Field(
        default=None, description="`meaning`: words alone do not find it; it is skipped where nothing embeds."
    )

    @model_validator(mode="after")
    def _asks(self) -> Self:
        filters = (self.location, self.entities, self.factions, self.threads, self.tags)
        if not self.query.strip() and self.scene is None and not any(filters):
            raise ValueError("ask something: query, scene, location, entities, factions, threads or tags")
        if self.scene is not None and any(filters):
            raise ValueError("a scene brings its filters along: leave out location, entities, factions, threads, tags")
        if self.viewer == "gm" and self.revealed:
            raise ValueError("the game master knows everything: revealed is for viewer player or npc:ID")
        return self

    @model_validator(mode="after")
    def _can_fail(self) -> Self:
        """One that names nothing would hold whatever the answer, and one that contradicts itself never."""
        if not (self.include or self.exclude or self.include_text or self.exclude_text):
            raise ValueError("name a chunk under include or exclude, or a sentence under include_text or exclude_text")
        both = sorted({*self.include} & {*self.exclude}) or sorted({*self.include_text} & {*self.exclude_text})
        if both:
            raise ValueError(f"{both[0]} is to be both in the answer and not in it")
        if self.top is not None and not self.include:
            raise ValueError("top says where what is under include must stand: name a chunk there")
        if self.top is not None and self.top > self.limit:
            raise ValueError(f"top is {self.top}, and the answer has at most {self.limit} sections (limit)")
        return self

    @property
    def title(self) -> str:
        """What a person calls it: its name, else what is asked."""
        if self.name is not None:
            return self.name
        if self.scene is not None:
            there = ", ".join((self.scene.location, *self.scene.present))
            return f"scene {there}: {self.query}" if self.query else f"scene {there}"
        filters = ", ".join(filter(None, (self.location, *self.entities, *self.factions, *self.threads, *self.tags)))
        return self.query or filters

    @property
    def asked(self) -> str:
        """What is asked by whom, and nothing of what is expected: the same text for the same question."""
        fields = {"name", "include", "exclude", "include_text", "exclude_text", "top", "needs"}
        return canonical_json(self.model_dump(mode="json", exclude=fields, exclude_defaults=True))


GOLDEN_QUERIES = TypeAdapter(tuple[GoldenQuery, ...], config=ConfigDict(defer_build=True))


def golden_schema() -> dict[str, Any]:
    """The JSON Schema of a file of golden queries: a list of them."""
    return {**GOLDEN_QUERIES.json_schema(), "title": "Golden queries of a Lorewright pack"}
