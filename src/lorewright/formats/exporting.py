"""A pack, a reader and a format -> the written files, and counts of the entities and sections that were left out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never, get_args

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.errors import PackError
from lorewright.formats.character_card import card, character_of
from lorewright.formats.handout import INDEX_PAGE, PAGES_MARK, as_html, as_markdown, as_pages
from lorewright.formats.obsidian import MARK, vault
from lorewright.formats.shown import Audience, ReadablePack, shown_pack
from lorewright.formats.sillytavern import world_info
from lorewright.packs.manifest import MANIFEST_FILE
from lorewright.packs.models import Pack
from lorewright.storage.enclosure import is_link
from lorewright.storage.temporary import temporary_path

# A vault's own settings and layout; a new export keeps them.
_KEPT_FOLDER = ".obsidian"


def write_file(path: Path, text: str, *, force: bool) -> None:
    """Write a file completely or not at all: a temporary file next to it is renamed.

    Raises:
        PackError: there is a file already and `force` is not given, or it cannot be written; nothing was changed.
    """
    if path.is_dir() or (path.exists() and not force):
        hint = "name a file" if path.is_dir() else "name another file, or add --force to write over it"
        raise PackError(f"{path} is there already", hint=hint)
    part = temporary_path(path, once=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            file.write(text.encode("utf-8", "replace"))
        part.replace(path)
    except OSError as problem:
        raise _unwritable(path, problem) from None
    finally:
        part.unlink(missing_ok=True)


def write_folder(
    folder: Path, files: Mapping[str, str | bytes], *, force: bool, mark: str, marked: str = MANIFEST_FILE
) -> None:
    """Write a folder completely or not at all: a temporary folder next to it is renamed. `force` replaces a folder only
    if its file `marked` contains `mark`, which this program wrote. Its `.obsidian` stays.

    Raises:
        PackError: the folder is taken, or cannot be written; the existing folder is unchanged.
    """
    folder = folder.absolute()
    taken = folder.is_symlink() or folder.is_file() or (folder.is_dir() and any(folder.iterdir()))
    if taken and not (force and _is_marked(folder, mark, marked)):
        replaced = _is_marked(folder, mark, marked)
        hint = "--force replaces only what pack export wrote; name a new folder" if force else "name a new folder"
        hint = "name a new folder, or add --force to replace it" if replaced else hint
        raise PackError(f"{folder} is there already and not empty", hint=hint)
    part, old = temporary_path(folder, once=True), temporary_path(folder, once=True)
    try:
        for path, content in files.items():
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            (part / path).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
        if folder.is_dir():
            if (folder / _KEPT_FOLDER).is_dir() and not is_link(folder / _KEPT_FOLDER):
                shutil.copytree(folder / _KEPT_FOLDER, part / _KEPT_FOLDER, symlinks=True)
            folder.rename(old)
        try:
            part.rename(folder)
        except OSError:
            if old.is_dir():
                old.rename(folder)
            raise
    except OSError as problem:
        raise _unwritable(folder, problem) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _is_marked(folder: Path, mark: str, marked: str) -> bool:
    try:
        return not folder.is_symlink() and mark in read_text(folder / marked, MAX_WRITTEN_BYTES, PackError)
    except (OSError, UnicodeDecodeError, PackError):
        return False


def _unwritable(path: Path, problem: OSError) -> PackError:
    message = f"{path} cannot be written: {problem.strerror or problem}"
    return PackError(message, hint="check the name, the permissions and the room on the disk")


Format = Literal["sillytavern", "obsidian", "player-handout"]
FORMATS: tuple[Format, ...] = get_args(Format)

_WRITERS = {".html": as_html, ".htm": as_html, ".md": as_markdown, ".markdown": as_markdown}


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export. `hidden` entities and `left_out` sections are kept from the reader."""

    pack_id: str
    format: Format
    kind: str
    reader: str
    path: str
    files: int
    entities: int
    sections: int
    hidden: int
    left_out: int


def export_pack(
    pack: Pack,
    audience: Audience,
    kind: Format,
    out: Path,
    *,
    card_of: str | None = None,
    as_book: bool = False,
    force: bool = False,
) -> Exported:
    """Write a pack for a reader and return what was written. `card_of` names the NPC of the card; a pack imported from
    a card is written as a card, unless `as_book`.

    Raises:
        PackError: the reader may read nothing, or the path is taken, unfit for the format or cannot be written.
        NotFound: the reader knows nobody of that name.
    In both cases nothing was written.
    """
    shown = shown_pack(pack, audience)
    if not shown.entities:
        raise PackError(
            f"{pack.manifest.id} holds nothing that this reader may read", hint="see: lorewright pack validate"
        )
    _check_path(pack, kind, out)
    if kind == "obsidian":
        files = vault(shown, folder_name=out.absolute().name)
        write_folder(out, files, force=force, mark=f"{MARK}:")
        return _exported(shown, kind, "vault", out, len(files))
    if kind == "player-handout" and not out.suffix:
        pages = as_pages(shown)
        write_folder(out, pages, force=force, mark=PAGES_MARK, marked=INDEX_PAGE)
        return _exported(shown, kind, "handout", out, len(pages))
    what, text = _document(shown, kind, out, card_of, as_book)
    write_file(out, text, force=force)
    return _exported(shown, kind, what, out, 1)


def _document(
    shown: ReadablePack, kind: Literal["sillytavern", "player-handout"], out: Path, card_of: str | None, as_book: bool
) -> tuple[str, str]:
    """Return the kind of the file, and its text."""
    match kind:
        case "sillytavern":
            character = None if as_book else character_of(shown, card_of)
            data = world_info(shown) if character is None else card(shown, character)
            what = "world info" if character is None else f"card of {character.entity.name}"
            return what, json.dumps(data, ensure_ascii=False, indent=4, allow_nan=False) + "\n"
        case "player-handout":
            return "handout", _WRITERS[out.suffix.lower()](shown)
        case _:
            assert_never(kind)


def _check_path(pack: Pack, kind: Format, out: Path) -> None:
    """Check that the path is outside of the pack, of which it would become a part, and that its suffix fits the format.

    Raises:
        PackError: it does not.
    """
    if out.absolute().resolve().is_relative_to(Path(pack.root).resolve()):
        raise PackError(f"{out} lies in the pack itself", hint="write it elsewhere: it would become a part of the pack")
    if kind == "sillytavern" and out.suffix.lower() != ".json":
        raise PackError(f"{out} is no .json file", hint="SillyTavern reads .json: name the file so")
    if kind == "player-handout" and out.suffix and out.suffix.lower() not in _WRITERS:
        hint = "the ending says which is written; without one it is a folder of pages"
        raise PackError(f"{out} is neither .html nor .md", hint=hint)


def _exported(shown: ReadablePack, kind: Format, what: str, out: Path, files: int) -> Exported:
    return Exported(
        shown.manifest.id,
        kind,
        what,
        shown.audience.view.viewer,
        str(out),
        files,
        len(shown.entities),
        sum(len(entity.sections) for entity in shown.entities),
        shown.hidden,
        shown.left_out,
    )
