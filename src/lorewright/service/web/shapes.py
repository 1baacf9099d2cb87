"""What the API answers with, beside the shapes of `service.queries`, and the questions to the lore. The pages are made
from them, the typed client reads them, and OpenAPI is made of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lorewright.campaigns.viewers import VisibleScene
from lorewright.retrieval.query import CorpusFilter
from lorewright.service.queries import MOST_CHUNKS, MOST_TOKENS, BranchShown
from lorewright.turn.checks.tools import Carried, NamedThing, StateSeen


class Shape(BaseModel):
    """A frozen answer."""

    model_config = ConfigDict(frozen=True)


class Problem(Shape):
    """A refusal (RFC 9457), with our code and what to do about it. Of ops that do not fit, `index` is the place of the
    first, from 0, `reason` a code, `field` the path in it."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = ""
    code: str
    hint: str | None = None
    index: int | None = None
    reason: str | None = None
    field: str | None = None


class SeatShown(Shape):
    """A seat at a table: the account's name and its role, `gm`, `player`, `pc:ID` or `watcher`."""

    account_id: str
    account: str
    role: str


class OwnSeat(Shape):
    """A seat of one's own: the campaign and the role there."""

    campaign_id: str
    role: str


class InvitationShown(Shape):
    """An invitation that nobody has used; `url` is told once, when it is made."""

    id: str
    role: str
    expires_at: str
    url: str | None = None


class CampaignSummary(Shape):
    """A campaign in a list, with one's own roles in it."""

    id: str
    name: str
    scenario_id: str
    turn_no: int
    played_at: str
    roles: tuple[str, ...]


class ScenarioShown(Shape):
    """A scenario that a game can be begun of."""

    id: str
    name: str
    summary: str


class ClockShown(Shape):
    """A clock that players know, with its steps."""

    name: str
    value: int
    max: int
    means: str = ""


class StatShown(Shape):
    """A stat or trait, or the progress of an inquiry with `of` steps."""

    name: str
    value: int | float
    of: int | None = None


class ImpendingShown(Shape):
    """A threat or situation, and the minutes that are left of it."""

    title: str
    minutes_left: int | None = None


class WayShown(Shape):
    """A way out of a place: what a player types, where it leads as far as they know, the minutes it takes."""

    way: str
    to: str
    minutes: int
    locked: bool = False
    visited: bool = False


class PlaceShown(Shape):
    """A place where the player has been, with its ways."""

    name: str
    here: bool
    ways: tuple[WayShown, ...]


class SheetShown(Shape):
    """A character's sheet: what they are, have and remember."""

    name: str
    stats: tuple[StatShown, ...] = ()
    conditions: tuple[str, ...] = ()
    threats: tuple[ImpendingShown, ...] = ()
    situations: tuple[ImpendingShown, ...] = ()
    inquiries: tuple[StatShown, ...] = ()
    memories: tuple[str, ...] = ()
    carried: tuple[Carried, ...] = ()


class CitationShown(Shape):
    """The source of a sentence."""

    cite: str
    quote: str
    file_path: str
    section_path: str


class RollShown(Shape):
    """A roll of dice, and what it came to."""

    text: str


class TurnShown(Shape):
    """A turn as one seat may read it: its own words, what was told, the sources and dice of what it played itself."""

    turn_no: int
    turn_id: str
    kind: str
    by: str = ""
    said: str = ""
    told: str = ""
    is_question: bool = False
    citations: tuple[CitationShown, ...] = ()
    rolls: tuple[RollShown, ...] = ()
    suggested_actions: tuple[str, ...] = ()
    is_own: bool = False


class Turns(Shape):
    """Turns of the story, oldest first; `earlier` is given as `before` for those before them."""

    turns: tuple[TurnShown, ...]
    earlier: int | None = None


class TableShown(Shape):
    """A table as a seat sees it at the head: place, time, people, ways, clocks, sheet, goal, suggestions."""

    id: str
    name: str
    scenario_id: str
    role: str
    can_play: bool
    is_gm: bool
    turn_no: int
    turn_id: str
    revision: int
    ended: bool
    place: str
    time: str
    persona: NamedThing | None = None
    present: tuple[NamedThing, ...] = ()
    clocks: tuple[ClockShown, ...] = ()
    threads: tuple[str, ...] = ()
    places: tuple[PlaceShown, ...] = ()
    sheet: SheetShown | None = None
    goal: str = ""
    opening: tuple[str, ...] = ()
    suggested_actions: tuple[str, ...] = ()
    board: tuple[str, ...] = ()
    can_be_redone: int = 0
    branches: tuple[BranchShown, ...] = ()


class CodexItem(Shape):
    """Something that was learned: its words, in which turn and how, and where it is written."""

    item: str
    text: str
    turn_no: int
    how: str
    section_path: str = ""


class CodexEntry(Shape):
    """What is known of one person, place or thing."""

    id: str
    name: str
    items: tuple[CodexItem, ...]


class Codex(Shape):
    """What a persona has learned, by whom or what it is about, and the established facts that they know."""

    entries: tuple[CodexEntry, ...]
    facts: tuple[str, ...] = ()


class SentenceShown(Shape):
    """A sentence of a narration, with what it rests on."""

    sentence: str
    sources: tuple[CitationShown, ...] = ()


class Why(Shape):
    """Why a turn came out as it did: its sentences with their sources, its dice, what it cost, who told it."""

    turn_no: int
    told_by: str
    sentences: tuple[SentenceShown, ...]
    rolls: tuple[RollShown, ...] = ()
    minutes: int | None = None


class HintShown(Shape):
    """A hint; asked again at the same place, it is plainer."""

    text: str
    step: int


class RecapShown(Shape):
    """What one wants, whom one met and what one learned, what is open."""

    text: str


class SecretShown(Shape):
    """A withheld or hidden item, and who knows it: name and, for personas, the turn in which they learned it."""

    item_id: str
    about: str
    section: str
    text: str
    known_by: tuple[str, ...] = ()


class SecretPage(Shape):
    """Secrets of the packs, in their order; `found` is how many there are in all, `next` the cursor of those that
    follow."""

    secrets: tuple[SecretShown, ...]
    found: int
    next: str | None = None


class Desk(Shape):
    """The game master's desk: the whole state, and the first secrets of the packs with who knows them; `more_secrets`
    is the cursor of those that follow."""

    state: StateSeen
    scene: VisibleScene
    secrets: tuple[SecretShown, ...]
    more_secrets: str | None = None
    personas: tuple[NamedThing, ...]
    people: tuple[NamedThing, ...]


class AttemptShown(Shape):
    """A turn that was tried and not committed: when, with what words, and why it failed."""

    at: str
    said: str
    code: str
    detail: str = ""


class Me(Shape):
    """The account that asks, what it may do, its seats, and what models have cost for it this month and may cost, in
    dollars."""

    id: str
    name: str
    is_owner: bool
    scopes: tuple[str, ...]
    seats: tuple[OwnSeat, ...]
    spent_usd: float = 0.0
    most_usd: float | None = None


class TokenShown(Shape):
    """A token; `secret` is told once, when it is made."""

    id: str
    name: str
    scopes: tuple[str, ...]
    campaign_id: str | None = None
    role: str | None = None
    created_at: str
    expires_at: str | None = None
    secret: str | None = None


class Permission(Shape):
    """Whether a viewer may see an item or an entity, and by which rule."""

    viewer: str
    item: str
    allowed: bool
    rule: str


class Health(Shape):
    """Whether the service answers, and whether it can play."""

    status: Literal["ok", "stopping", "failing"]
    version: str
    detail: dict[str, Any] = Field(default_factory=dict)


# Questions to the lore.

NameOrId = Annotated[str, Field(min_length=1, max_length=300)]


class LoreQuestion(BaseModel):
    """A question to the lore."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=True, validate_by_alias=True)

    text: str = Field(default="", max_length=2_000, examples=["What does Viktor keep in the crate?"])
    campaign_id: str | None = Field(
        default=None, max_length=100, description="Ask as your seat in this campaign; without it as the packs' owner."
    )
    seat: str | None = Field(
        default=None, alias="as", max_length=200, description="As the query parameter `as`; of packs `player` or `gm`."
    )
    corpus: CorpusFilter = "authored"
    packs: tuple[NameOrId, ...] = Field(default=(), max_length=50)
    location: NameOrId | None = None
    entities: tuple[NameOrId, ...] = Field(default=(), max_length=50)
    tags: tuple[NameOrId, ...] = Field(default=(), max_length=50)
    limit: int | None = Field(default=None, ge=1, le=MOST_CHUNKS)
    max_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS)


class ContextQuestion(LoreQuestion):
    """A question, or the chat at whose end lore is wanted: what was said last counts."""

    messages: tuple[dict[str, Any], ...] = Field(
        default=(), max_length=10_000, examples=[[{"role": "user", "content": "What is in the crate?"}]]
    )


class ContextSource(Shape):
    """Where a part of a context comes from; `mark` stands before it there."""

    mark: str
    chunk_id: str
    pack_id: str
    file_path: str
    section_path: str


class LoreContext(Shape):
    """Lore to be put into a prompt: sections, each with its mark and title, best first. `tokens` are those of the
    sections, estimated."""

    text: str
    sources: tuple[ContextSource, ...]
    tokens: int


class WhyNotQuestion(LoreQuestion):
    """A question, and a section that did not come."""

    chunk_id: NameOrId


# The workshop.


class JobShown(Shape):
    """A piece of work: `state` is queued, running, done, refused, failed or cancelled; `told`, `done` and `of` are its
    progress, `result` has a pack's ID and findings, `problem` says why it was not done."""

    id: str
    kind: str
    name: str
    state: str
    told: str
    done: int
    of: int
    result: dict[str, Any] | None
    problem: str
    created_at: str


class FindingShown(Shape):
    """A remark on a pack's file, with its place."""

    file: str
    line: int
    column: int
    severity: str
    code: str
    message: str
    hint: str


class PackStats(Shape):
    """What a pack holds; `open_share` is the share of its sections that are open to players."""

    pack_id: str
    version: str
    sections: int
    open_sections: int
    open_share: float
    campaigns: tuple[str, ...]


class CaseShown(Shape):
    """A golden test of a pack, and how it came out."""

    name: str
    file: str
    line: int
    status: str
    expected: str
    found: str
    why: str
    hint: str


class PackLook(Shape):
    """A look at a pack's files after they were saved: what was found, whether they were indexed, and which golden tests
    fail. `problem` says why they were not."""

    findings: tuple[FindingShown, ...]
    indexed: bool
    problem: str
    failing: tuple[CaseShown, ...]
