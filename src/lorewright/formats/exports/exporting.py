"""A pack's text, a reader and a format -> what was written where, and how much was left out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never, get_args

from lorewright.errors import PackError
from lorewright.formats.exports.audience import Audience
from lorewright.formats.exports.card import card, character_of
from lorewright.formats.exports.handout import as_html, as_markdown
from lorewright.formats.exports.shown import ShownPack, shown_pack
from lorewright.formats.exports.sillytavern import world_info
from lorewright.formats.exports.vault import MARK, vault
from lorewright.formats.exports.writing import write_file, write_folder
from lorewright.packs.models import Pack

Format = Literal["sillytavern", "obsidian", "player-handout"]
FORMATS: tuple[Format, ...] = get_args(Format)

_WRITERS = {".html": as_html, ".htm": as_html, ".md": as_markdown, ".markdown": as_markdown}


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written. `hidden` entities and `left_out` sections are kept from the reader."""

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
    """Write a pack for a reader. `card_of` names whose card is made; a pack that was a card goes back as one, unless it
    is wanted as a book.

    Raises:
        PackError: there is nothing to be read, or the place is taken, unfit for the format or cannot be written.
        NotFound: the reader knows nobody of that name.
    Whatever is raised, nothing was written.
    """
    shown = shown_pack(pack, audience)
    if not shown.entities:
        raise PackError(
            f"{pack.manifest.id} holds nothing that this reader may read", hint="see: lorewright pack validate"
        )
    _check_place(pack, kind, out)
    if kind == "obsidian":
        texts = vault(shown, folder_name=out.absolute().name)
        write_folder(out, texts, force=force, mark=f"{MARK}:")
        return _exported(shown, kind, "vault", out, len(texts))
    what, text = _document(shown, kind, out, card_of, as_book)
    write_file(out, text, force=force)
    return _exported(shown, kind, what, out, 1)


def _document(
    shown: ShownPack, kind: Literal["sillytavern", "player-handout"], out: Path, card_of: str | None, as_book: bool
) -> tuple[str, str]:
    """What the file is, and its text."""
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


def _check_place(pack: Pack, kind: Format, out: Path) -> None:
    """What is written must not be read as a part of the pack some day, and must have a name that says what it is."""
    if out.absolute().resolve().is_relative_to(Path(pack.root).resolve()):
        raise PackError(f"{out} lies in the pack itself", hint="write it elsewhere: it would become a part of the pack")
    if kind == "sillytavern" and out.suffix.lower() != ".json":
        raise PackError(f"{out} is no .json file", hint="SillyTavern reads .json: name the file so")
    if kind == "player-handout" and out.suffix.lower() not in _WRITERS:
        raise PackError(f"{out} is neither .html nor .md", hint="the ending says which of the two is written")


def _exported(shown: ShownPack, kind: Format, what: str, out: Path, files: int) -> Exported:
    return Exported(
        shown.manifest.id,
        kind,
        what,
        shown.audience.view.viewer,
        str(out),
        files,
        len(shown.entities),
        sum(len(one.sections) for one in shown.entities),
        shown.hidden,
        shown.left_out,
    )
