"""A campaign <-> one file. Two kinds: all of it, which can be imported and played on, or what the player saw of it.

The whole campaign has every row of every table as JSON, and the text of every pinned pack: no index, which can be made
again, and no database file, since a stranger's database is a program. The player's file has the story along the path to
the head and nothing else: no state, no rules, no pack, no input of a stage.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from lorewright import __version__
from lorewright.bounded_files import describe_bound
from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.checks import check
from lorewright.campaigns.copying import check_copy, new_campaign
from lorewright.campaigns.sessions import as_played_by, recap_for, sittings
from lorewright.campaigns.viewers import persona_of, turns_told, viewer_in
from lorewright.errors import CampaignError, DamagedFile, FileUnavailable, LorewrightError, NotFound, SettingsError
from lorewright.grants import forget_agreements
from lorewright.ids import canonical_json
from lorewright.packs.content_hash import reading_of
from lorewright.packs.files import MAX_FILE_BYTES
from lorewright.retrieval.pack_views import close_with
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.containers import Container, open_container, write_container
from lorewright.storage.database import Database
from lorewright.storage.enclosure import Enclosure, error_for
from lorewright.storage.faults import step
from lorewright.storage.integrity import Refused, campaign_row, pinned_texts
from lorewright.storage.tables import Table, Value, migrate, read_tables, write_tables
from lorewright.turn.store.projection import bring_projection_up
from lorewright.turn.store.store import CampaignStore
from lorewright.values.records import CampaignRow

_FORMAT = "lorewright-campaign"
# Raised whenever an older program could not read the file correctly.
_VERSION = 1
_CONSENT = "agreed_keys_json"
_AGAIN = "have it exported and sent again"
# The largest rows are whole states of a world; one with a thousand people and places is under 1 MiB.
MAX_ROW_BYTES = 16 * 1024 * 1024
# A campaign has this many rows in all its tables after some 40,000 turns with models.
MAX_ROWS = 500_000
# More columns than any table has.
_MAX_CELLS = 200
_CELL_STARTS = frozenset('"-0123456789n')

# `gm`, `player` or `pc:ID`; files of versions without personas have the first two.
AudienceName = Annotated[str, StringConstraints(pattern=r"^(gm|player|pc:[^\s:]+(:[^\s:]+)?)$")]


class ExportManifest(BaseModel):
    """What an exported file says of itself, beside the list of its members."""

    model_config = ConfigDict(defer_build=True, extra="ignore", strict=True, frozen=True)

    format: Literal["lorewright-campaign"]
    format_version: int
    written_by: str
    audience: AudienceName
    campaign_id: str
    name: str
    migrations: tuple[str, ...] = ()


def export(campaigns: Campaigns, campaign_id: str, path: Path, *, audience: str = "gm") -> None:
    """Write a campaign to a new file, whole or not at all: all of it, or what a player saw (`player` or `pc:ID`).

    Raises:
        NotFound: there is no such campaign, or nobody plays that persona.
        SettingsError: the audience is neither the game master nor a player.
        CampaignError: there is a file already.
        DamagedFile: the campaign's file is damaged; nothing was written.
    """
    with campaigns.reading(campaign_id) as store:
        kept = campaigns.kept if audience == "gm" else None
        place = campaigns.shelf.place(campaign_id)
        checked = check(place, kept) if isinstance(place, Path) else check_copy(place, campaign_id, kept)
        found = checked.findings
        if found:
            raise DamagedFile(
                f"{campaign_id} is damaged and was not exported: {found[0].where}: {found[0].what}",
                hint=f"see: lorewright db check {campaign_id}",
            )
        row = store.campaign()
        seer = viewer_in(store.head().state, audience)
        if not seer.is_gm:
            persona_of(store.head().state, audience)
        members = _whole(campaigns, store) if seer.is_gm else _story(campaigns, store, row, seer.name)
        try:
            write_container(path, _about(row, seer.name), members)
        except FileExistsError:
            raise CampaignError(f"there is a file {path} already", hint="choose another name") from None


def _about(row: CampaignRow, audience: str) -> dict[str, Any]:
    about = {
        "format": _FORMAT,
        "format_version": _VERSION,
        "written_by": __version__,
        "audience": audience,
        "campaign_id": row.id,
        "name": row.name,
    }
    return {**about, "migrations": [migration.name for migration in CAMPAIGN_MIGRATIONS]} if audience == "gm" else about


def _whole(campaigns: Campaigns, store: CampaignStore) -> Iterator[tuple[str, bytes]]:
    written = 0
    for table in map(_without_consent, read_tables(store.database)):
        lines = [f"{canonical_json(line)}\n".encode() for line in (table.columns, *table.rows)]
        if max(map(len, lines)) > MAX_ROW_BYTES:
            message = f"a row of {table.name} is {describe_bound(MAX_ROW_BYTES)}, which no import would take"
            raise CampaignError(message, hint="copy the campaign's .db file instead, while nothing is played")
        written += len(lines) - 1
        if written > MAX_ROWS:
            message = f"the campaign has over {MAX_ROWS} rows, which no import would take"
            raise CampaignError(message, hint="copy the campaign's .db file instead, while nothing is played")
        yield f"tables/{table.name}.jsonl", b"".join(lines)
    for content_hash in sorted({text_hash for _, text_hash in pinned_texts(store.database)}):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            campaigns.kept.unpack(content_hash, root)
            for file in sorted(root.rglob("*")):
                if file.is_file():
                    yield f"packs/{content_hash}/{file.relative_to(root).as_posix()}", file.read_bytes()


def _without_consent(table: Table) -> Table:
    """Return the table without the consent that an older version stored there (models that its user agreed to pay
    for)."""
    if table.name != "campaigns" or _CONSENT not in table.columns:
        return table
    at = table.columns.index(_CONSENT)
    return replace(table, rows=tuple((*row[:at], "[]", *row[at + 1 :]) for row in table.rows))


def _story(campaigns: Campaigns, store: CampaignStore, row: CampaignRow, viewer: str) -> Iterator[tuple[str, bytes]]:
    """Yield what a player saw on the path to the head: results and summaries are made for players."""
    head = store.head().state
    who = persona_of(head, viewer)
    state = as_played_by(who, head)
    told_turns = turns_told(store, store.turns(), viewer)
    turns = [{key: turn[key] for key in ("turn_no", "kind", "player_text", "result")} for turn in told_turns]
    summed_up = [sitting for sitting in sittings(store) if sitting.summary is not None]
    if head.personas:
        with ExitStack() as stack:
            generations = tuple(close_with(stack, generation) for generation in campaigns.generations(row))
            recaps = [recap_for(store, generations, sitting, who=who) for sitting in summed_up]
        summed_up = [replace(sitting, summary=text) for sitting, text in zip(summed_up, recaps, strict=True)]
    story = {
        "name": row.name,
        "current_turn": row.current_turn,
        "location": state.name_of(state.scene.location_id),
        "present": [state.name_of(present_npc) for present_npc in state.present_npcs()],
        "carried": [state.name_of(item) for item in state.held_by(state.player_id)],
        "minutes": state.minutes,
        "clocks": list(state.clocks_shown()),
        "ended": state.ended is not None,
        "sittings": [{"from": s.turn_range_start, "to": s.turn_range_end, "summary": s.summary} for s in summed_up],
        "turns": turns,
    }
    told = campaigns.player_ids(store).told(story)
    yield "story.json", (canonical_json(told) + "\n").encode()


def import_campaign(campaigns: Campaigns, path: Path, *, campaign_id: str | None = None) -> CampaignRow:
    """Import a campaign from a file that holds all of it, under its own ID or another, and return it. What its last
    owner agreed to pay for is not agreed to by this user.

    Raises:
        NotFound: there is no such file.
        DamagedFile: it is not what was exported, or what was exported breaks an invariant.
        SettingsError: a newer version wrote it.
        CampaignError: the ID is taken, or the file holds what a player saw.
    Whatever is raised, there is no new campaign.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}", hint="give the file that `campaign export` wrote")
    with open_container(path) as container:
        manifest = _manifest(path, container)
        wanted = campaigns.free_id(campaign_id or manifest.campaign_id)
        left = count(MAX_ROWS - 1, -1)
        tables = [
            _without_consent(_table(container, name, left)) for name in container.names if name.startswith("tables/")
        ]
        with tempfile.TemporaryDirectory() as folder:
            texts = _unpacked(container, Path(folder))
            _write(campaigns, wanted, manifest, tables, texts)
    with campaigns.reading(wanted) as store:
        return store.campaign()


def _manifest(path: Path, container: Container) -> ExportManifest:
    version = container.about.get("format_version")
    if container.about.get("format") == _FORMAT and type(version) is int and version > _VERSION:
        raise SettingsError(f"{path} was written by a newer version", hint="upgrade lorewright")
    try:
        # Validated as JSON, so that a list may become a tuple.
        manifest = ExportManifest.model_validate_json(json.dumps(dict(container.about)))
    except ValidationError:
        raise DamagedFile(f"{path} is not an exported campaign", hint=_AGAIN) from None
    if manifest.audience != "gm":
        raise CampaignError(
            f"{path} holds what the player saw, which cannot be played on",
            hint="have all of it exported, without --as player",
        )
    known = tuple(migration.name for migration in CAMPAIGN_MIGRATIONS)
    unknown = [name for name in manifest.migrations if name not in known]
    if unknown:
        raise SettingsError(f"{path} was written by a newer version ({unknown[0]})", hint="upgrade lorewright")
    if manifest.migrations != known[: len(manifest.migrations)] or not manifest.migrations:
        raise DamagedFile(f"{path} is not an exported campaign: its list of migrations", hint=_AGAIN)
    return manifest


def _table(container: Container, member: str, left: Iterator[int]) -> Table:
    """Return a table whose rows are read from the file on demand; `left` counts down how many there may be of all
    tables together."""
    rows = _rows(container, member, left)
    return Table(PurePosixPath(member).stem, tuple(map(str, next(rows, ()))), rows)


def _rows(container: Container, member: str, left: Iterator[int]) -> Iterator[tuple[Value, ...]]:
    for number, line in enumerate(container.lines(member, max_bytes=MAX_ROW_BYTES)):
        # The first line has the names of the columns.
        if number and next(left) < 0:
            raise DamagedFile(f"it has over {MAX_ROWS} rows, and no campaign has", hint=_AGAIN)
        try:
            yield tuple(_cells(line.decode()))
        except (ValueError, IndexError, RecursionError):
            raise DamagedFile(f"{member} in it cannot be read", hint=_AGAIN) from None


def _cells(line: str) -> Iterator[Value]:
    """Yield the values of a row: texts, numbers and null. Nested lists are refused: they need many times their
    length."""
    if not line.startswith("["):
        raise ValueError("no row")
    decoder, at = json.JSONDecoder(), 0
    for _ in range(_MAX_CELLS):
        while line[at + 1] == " ":
            at += 1
        if line[at + 1] not in _CELL_STARTS:
            raise ValueError("no value")
        value, at = decoder.raw_decode(line, at + 1)
        yield value
        if line[at:] == "]\n":
            return
        if line[at] != ",":
            raise ValueError("no row")
    raise ValueError("too many values")


def _unpacked(container: Container, folder: Path) -> dict[str, Path]:
    """Return content hash -> the folder of that text, for every pack in the file."""
    roots: dict[str, Path] = {}
    enclosure = Enclosure(folder)
    for member in container.names:
        name = PurePosixPath(member)
        if name.parts[0] == "tables":
            continue
        content_hash, inner = name.parts[1] if len(name.parts) > 2 else "", name.parts[2:]
        leads_out = not inner or ".." in name.parts or "\\" in member or ":" in member or "\0" in member
        if name.parts[0] != "packs" or not content_hash.isalnum() or leads_out:
            raise DamagedFile(f"the member {member!r} does not belong in an exported campaign", hint="do not import it")
        roots.setdefault(content_hash, folder / content_hash)
        enclosure.write_new(enclosure.path(content_hash, *inner), container.read(member, max_bytes=MAX_FILE_BYTES))
    for content_hash, root in roots.items():
        if reading_of(root, content_hash) is None:
            raise DamagedFile(f"the text {content_hash[:16]} in it is another one", hint=_AGAIN)
    return roots


def _write(
    campaigns: Campaigns, campaign_id: str, manifest: ExportManifest, tables: Sequence[Table], texts: Mapping[str, Path]
) -> None:
    # The user may have agreed to an earlier campaign of the same name.
    forget_agreements(campaigns.name_of(campaign_id))
    try:
        with new_campaign(campaigns.shelf.place(campaign_id), campaign_id) as database:
            migrate(database, CAMPAIGN_MIGRATIONS[: len(manifest.migrations)])
            step("import:unpacked")
            write_tables(database, tables, campaign_id=campaign_id, was=manifest.campaign_id)
            migrate(database, CAMPAIGN_MIGRATIONS)
            _project(database)
            step("import:written")
            _judge(database, campaign_id, texts)
            for content_hash, root in texts.items():
                campaigns.kept.keep(root, content_hash)
            step("import:kept")
    except (Refused, OverflowError) as problem:
        trouble = error_for(problem, campaigns.name_of(campaign_id))
        if isinstance(trouble, FileUnavailable):
            raise trouble from problem
        raise DamagedFile(f"what it holds does not fit together: {problem}", hint=_AGAIN) from None
    except FileExistsError:
        raise CampaignError(f"there is a campaign {campaign_id} already", hint="choose another --id") from None


def _project(database: Database) -> None:
    """Make the projection, which is not exported. Where the head cannot be read, `_judge` reports it."""
    with suppress(LorewrightError, ValueError, LookupError):
        bring_projection_up(database, anew=True)


def _judge(database: Database, campaign_id: str, texts: Mapping[str, Path]) -> None:
    """Refuse a campaign that is not sound."""
    found = check(database.path).findings
    if found:
        raise DamagedFile(f"what it holds is not sound: {found[0].where}: {found[0].what}", hint=_AGAIN)
    if campaign_row(database)["id"] != campaign_id:
        raise DamagedFile("its manifest tells of another campaign", hint=_AGAIN)
    if {text_hash for _, text_hash in pinned_texts(database)} != set(texts):
        raise DamagedFile("it does not hold the texts that its campaign pins", hint=_AGAIN)
