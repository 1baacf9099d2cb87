"""A new campaign's file, written whole or not at all; and the stored texts of the packs that campaigns pin."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from lorewright.bounded_files import describe_bound, open_zip
from lorewright.errors import DamagedFile, FileUnavailable, LorewrightError, NotFound, UnsafePath
from lorewright.ids import is_hash, is_id
from lorewright.index.generation import Generation
from lorewright.packs.content_hash import READING, pinned_paths, reading_of
from lorewright.packs.files import MAX_FILE_BYTES, MAX_FILES
from lorewright.rules.rulesets import CampaignRules
from lorewright.storage.annotation_rows import PromptPin, pinning
from lorewright.storage.campaign_tables import CAMPAIGN_MIGRATIONS
from lorewright.storage.database import Database, building_name, insert_row, opened
from lorewright.storage.enclosure import Enclosure, Trouble, plain_parts
from lorewright.storage.faults import step
from lorewright.storage.heads import MAIN_BRANCH
from lorewright.storage.integrity import all_pins, turn_hash_row
from lorewright.storage.packed_texts import packed_row
from lorewright.storage.packing import pack
from lorewright.storage.tables import first_reveals, migrate
from lorewright.storage.temporary import maker, sweep
from lorewright.turn.run.dry_run import DryRun
from lorewright.turn.run.suggestions import player_scope, suggest
from lorewright.turn.store.projection import StateOf, first_projection
from lorewright.turn.store.rows import message_row, now
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.draft import turn_id_of
from lorewright.turn.views.story import StorySoFar
from lorewright.values.records import Message, PackPin, TurnResult
from lorewright.world.state import WorldState

# The text of every pack version that a campaign pins is stored beside the campaigns, so that an index can always be
# built again.

# A fixed date, so that the same text gives the same archive.
_NO_DATE = (1980, 1, 1, 0, 0, 0)
_RESTORE = "restore campaigns/packs-kept"
# Markdown is compressed to a third or less; small archives may have any ratio.
_MAX_RATIO = 200
_SMALL_BYTES = 32 * 1024 * 1024
_MAX_BYTES = 1024 * 1024 * 1024


def _refuse_bomb(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse an archive whose list of members says that it unpacks to more than a pack has; no member gives more than
    the list says."""
    unpacked = sum(info.file_size for info in archive.infolist())
    if unpacked > min(_MAX_BYTES, max(_SMALL_BYTES, _MAX_RATIO * path.stat().st_size)):
        raise NotFound(f"{path.name} is damaged: it unpacks to {unpacked // 2**20} MiB", hint=_RESTORE)


# The hash of a text -> its archive, from wherever else there is one; None where there is none.
FindText = Callable[[str], bytes | None]


class StoredPackTexts:
    """The folder of `packs-kept/<sha256>.zip`, each written once and never changed."""

    def __init__(self, folder: Path, elsewhere: FindText | None = None) -> None:
        """`folder` lies in that of the campaigns; neither may be a link. What is not in it is looked for `elsewhere`,
        and kept."""
        self._campaigns = Enclosure(folder.parent)
        self._folder = folder
        self._elsewhere = elsewhere

    def keep(self, root: Path, content_hash: str) -> None:
        """Store a pack's text unless it is stored already; whole or not at all.

        Raises:
            UnsafePath: its path is a link.
            NotFound: its folder is not here, and the text is not elsewhere.
        """
        path = self.path(content_hash)
        if path.is_file():
            return
        if self._elsewhere is not None and not root.is_dir():
            if self._is_brought(content_hash):
                return
            raise NotFound(f"the text {content_hash[:16]} was not pushed", hint="push its pack where it is installed")
        self._campaigns.make_folder(self._folder)
        with (
            self._campaigns.writing(path) as building,
            zipfile.ZipFile(building, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name in pinned_paths(root, reading=reading_of(root, content_hash) or READING):
                archive.writestr(zipfile.ZipInfo(name, _NO_DATE), (root / name).read_bytes())

    def unpack(self, content_hash: str, into: Path) -> None:
        """Write a stored text into an empty folder. The names in the archive are checked although this program wrote
        it.

        Raises:
            NotFound: the text is not stored, or its copy is damaged.
            UnsafePath: the archive is a link, or a name in it leads out of the folder.
        """
        path = self.path(content_hash)
        if not path.is_file() and not self._is_brought(content_hash):
            raise NotFound(f"the text {content_hash[:16]} is not stored", hint=_RESTORE)
        enclosure = Enclosure(into)
        with open_zip(path, max_members=2 * MAX_FILES) as archive:
            _refuse_bomb(archive, path)
            for name in archive.namelist():
                with archive.open(name) as member:
                    data = member.read(MAX_FILE_BYTES + 1)
                if len(data) > MAX_FILE_BYTES:
                    raise NotFound(f"{path.name} is damaged: {name} is {describe_bound(MAX_FILE_BYTES)}", hint=_RESTORE)
                enclosure.write_new(enclosure.path(*plain_parts(name)), data)

    def problem_with(self, content_hash: str) -> str | None:
        """Return why a text cannot be unpacked as it was stored; None where it can."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                self.unpack(content_hash, Path(folder))
                is_whole = reading_of(Path(folder), content_hash) is not None
            except (LorewrightError, OSError, zipfile.BadZipFile) as problem:
                return str(problem)
        return None if is_whole else f"the stored copy of {content_hash[:16]} is another text"

    def _is_brought(self, content_hash: str) -> bool:
        """Keep a text that is elsewhere, once it was compared with its hash; return whether there is one.

        Raises:
            DamagedFile: it is another text.
        """
        found = None if self._elsewhere is None else self._elsewhere(content_hash)
        if found is None:
            return False
        path = self.path(content_hash)
        self._campaigns.make_folder(self._folder)
        self._campaigns.write(path, found)
        problem = self.problem_with(content_hash)
        if problem is not None:
            self._campaigns.remove(path)
            hint = "push its pack again where it is installed: lorewright pack push PACK --to URL --anew"
            raise DamagedFile(f"the text {content_hash[:16]} came damaged: {problem}", hint=hint)
        return True

    def path(self, content_hash: str) -> Path:
        """Return the archive of a text, whether it is there or not.

        Raises:
            NotFound: it is no hash of a text.
            UnsafePath: it is a link.
        """
        if not is_hash(content_hash):
            raise NotFound(f"{content_hash[:16]!r} is not the hash of a text", hint="do not use the file that names it")
        return self._campaigns.checked(self._folder / f"{content_hash}.zip")


# A new campaign's file, written whole or not at all.

# Some eighty tables and indexes have a page or more each, and most have a row or none for long.
PAGE_BYTES = 512


def first_narration(campaign_id: str, text: str, state: WorldState) -> Message:
    """Return the message that a campaign begins with: the scenario's opening text, heard by those who are there."""
    return Message(
        owner="narrator",
        type="narration",
        turn_id=turn_id_of(campaign_id, None, "start"),
        seq=0,
        content=" ".join(text.split()),
        audience=state.present(),
    )


def first_result(
    intro: Message, state: WorldState, rules: CampaignRules, generations: Sequence[Generation]
) -> TurnResult:
    """Return the result of turn 0: the first narration, and what could be done now."""
    story = StorySoFar().grown([(0, intro)], state.player_id)
    knows = Acquaintance(state, generations, story)
    run = DryRun(rules, generations, scope=player_scope(knows))
    return TurnResult.of_no_play(
        turn_no=0,
        turn_id=intro.turn_id,
        messages=(intro,),
        final_text=intro.content,
        suggested_actions=suggest(run, knows, [intro.content]),
        clocks=state.clocks_shown(),
    )


def create_campaign(
    place: Path | Database,
    *,
    row: dict[str, Any],
    pins: Sequence[PackPin],
    state: WorldState,
    result_json: str,
    intro: Message,
    prompts: Sequence[PromptPin] = (),
) -> None:
    """Write a new campaign with its turn 0, whole or not at all: a file is made under another name and renamed, an
    open database has it in one transaction.

    `row` holds id, name, scenario_id, scenario_json, rules_json, ruleset_id, ruleset_hash and seed.

    Raises:
        FileExistsError: there is a campaign of that name.
    """
    with ExitStack() as stack:
        if isinstance(place, Database):
            database = place
            if database.row("SELECT id FROM campaigns") is not None:
                raise FileExistsError(place.path.stem)
        else:
            database = stack.enter_context(new_file(place))
            migrate(database, CAMPAIGN_MIGRATIONS)
        with database.transaction() as connection:
            for sql, parameters in _creation(row, pins, state, result_json, intro, database.has_projection):
                connection.execute(sql, parameters)
            for sql, parameters in pinning(row["id"], prompts):
                connection.execute(sql, parameters)


@contextmanager
def new_file(path: Path) -> Iterator[Database]:
    """Open a new database that gets its name when the block ends, and does not exist when it raises.

    Raises:
        FileExistsError: there is a file of that name.
    """
    sweep(path.parent, name=path.stem)
    building = building_name(path, maker())
    _remove(building)
    try:
        with opened(building, page_bytes=PAGE_BYTES) as database:
            yield database
            # One plain file without a log beside it, so that the rename moves all of it.
            database.rows("PRAGMA journal_mode = DELETE")
        step("new:built")
        Enclosure(path.parent).name_new(building, path)
        step("new:linked")
    finally:
        _remove(building)


def _remove(path: Path) -> None:
    for suffix in ("", ".lock", "-wal", "-shm", "-journal"):
        Enclosure(path.parent).remove(path.with_name(path.name + suffix))


def _creation(
    row: dict[str, Any],
    pins: Sequence[PackPin],
    state: WorldState,
    result_json: str,
    intro: Message,
    has_projection: bool,
) -> list[tuple[str, tuple[Any, ...]]]:
    time, campaign_id, turn_id, state_json = now(), row["id"], intro.turn_id, state.to_json()
    row = packed_row(row)
    columns = [*row, "head_turn_id", "revision", "current_turn", "created_at", "updated_at"]
    values = (*row.values(), turn_id, 0, 0, time, time)
    marks = ", ".join("?" * len(values))
    start = (campaign_id, turn_id, 0, None, "start", "start", "", "", "[]", state.content_hash(), result_json, time)
    return [
        (f"INSERT INTO campaigns ({', '.join(columns)}) VALUES ({marks})", values),
        *(insert_row("pack_pins", (campaign_id, p.pack_id, p.version, p.content_hash)) for p in pins),
        # Turn 0 belongs to no sitting and has read no lore.
        insert_row("turns", (*start, None, None, "{}")),
        insert_row(*turn_hash_row(start)),
        insert_row("world_states", (campaign_id, turn_id, pack(state_json))),
        *first_reveals(campaign_id, state_json),
        insert_row(*message_row(campaign_id, intro)),
        insert_row("branches", (campaign_id, MAIN_BRANCH, turn_id, time)),
        *(first_projection(campaign_id, StateOf(turn_id, state)) if has_projection else ()),
    ]


def pins_of(path: Path) -> tuple[PackPin, ...] | None:
    """Return the texts that a campaign's file pins on any branch, whatever version wrote it; None where the file cannot
    be read, or has a pin that no loader makes: an ID or hash that could lead out of a folder."""
    try:
        with opened(path) as database:
            pins = tuple(PackPin(*row) for row in all_pins(database))
    except (DamagedFile, FileUnavailable, UnsafePath, *Trouble):
        return None
    return pins if all(is_id(pin.pack_id) and is_hash(pin.content_hash) for pin in pins) else None
