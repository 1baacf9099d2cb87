"""The text of every pack version that a campaign pins, kept beside the campaigns: an index can always be built
again."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from pathlib import Path

from lorewright.bounded_files import open_zip, over
from lorewright.errors import LorewrightError, NotFound
from lorewright.ids import is_hash
from lorewright.packs.files import MAX_FILE_BYTES, MAX_FILES
from lorewright.packs.loader import content_hash_of, source_paths
from lorewright.storage.enclosure import Enclosure, plain_parts

# The same text gives the same archive.
_NO_DATE = (1980, 1, 1, 0, 0, 0)
_RESTORE = "restore campaigns/packs-kept"
# Markdown is packed to a third or less; what is small may be as it likes.
_MAX_RATIO = 200
_SMALL_BYTES = 32 * 1024 * 1024
_MAX_BYTES = 1024 * 1024 * 1024


def _refuse_bomb(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse an archive whose list of members says that it unpacks to more than a pack has; no member gives more than
    the list says of it."""
    unpacked = sum(info.file_size for info in archive.infolist())
    if unpacked > min(_MAX_BYTES, max(_SMALL_BYTES, _MAX_RATIO * path.stat().st_size)):
        raise NotFound(f"{path.name} is damaged: it unpacks to {unpacked // 2**20} MiB", hint=_RESTORE)


class KeptPacks:
    """`packs-kept/<sha256>.zip`, written once and never changed."""

    def __init__(self, folder: Path) -> None:
        """`folder` lies in that of the campaigns; neither may be a link."""
        self._campaigns = Enclosure(folder.parent)
        self._folder = folder

    def keep(self, root: Path, content_hash: str) -> None:
        """Keep a pack's text unless it is kept already; whole or not at all.

        Raises:
            UnsafePath: a link stands where it belongs.
        """
        path = self._path(content_hash)
        if path.is_file():
            return
        self._campaigns.make_folder(self._folder)
        with (
            self._campaigns.writing(path) as building,
            zipfile.ZipFile(building, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name in source_paths(root):
                archive.writestr(zipfile.ZipInfo(name, _NO_DATE), (root / name).read_bytes())

    def unpack(self, content_hash: str, into: Path) -> None:
        """Write a kept text into an empty folder. We wrote the archive; its names are checked all the same.

        Raises:
            NotFound: the text is not kept, or what is kept is damaged.
            UnsafePath: a link stands in its place, or a name in it leads out.
        """
        path = self._path(content_hash)
        if not path.is_file():
            raise NotFound(f"the text {content_hash[:16]} is not kept", hint=_RESTORE)
        here = Enclosure(into)
        with open_zip(path, max_members=2 * MAX_FILES) as archive:
            _refuse_bomb(archive, path)
            for name in archive.namelist():
                with archive.open(name) as member:
                    data = member.read(MAX_FILE_BYTES + 1)
                if len(data) > MAX_FILE_BYTES:
                    raise NotFound(f"{path.name} is damaged: {name} is {over(MAX_FILE_BYTES)}", hint=_RESTORE)
                here.write_new(here.path(*plain_parts(name)), data)

    def problem_with(self, content_hash: str) -> str | None:
        """Why a text could not be unpacked as it was kept; None where it can."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                self.unpack(content_hash, Path(folder))
                found = content_hash_of(Path(folder))
            except (LorewrightError, OSError, zipfile.BadZipFile, zlib.error) as problem:
                return str(problem)
        return None if found == content_hash else f"what is kept of {content_hash[:16]} is another text"

    def _path(self, content_hash: str) -> Path:
        if not is_hash(content_hash):
            raise NotFound(f"{content_hash[:16]!r} is no hash of a text", hint="do not use the file that names it")
        return self._campaigns.checked(self._folder / f"{content_hash}.zip")
