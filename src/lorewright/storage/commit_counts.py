"""How often a campaign's file was written, kept outside of it, so that lost changes are noticed.

SQLite drops a damaged tail of its write-ahead log without a word, and the file that is left is sound: the last turns
that were acknowledged are missing, and nothing in it tells. So the revision is written to `ID.db.count` after each
commit.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lorewright.errors import LorewrightError
from lorewright.storage.enclosure import Enclosure

_LIMIT_BYTES = 200

LOSS_HINT = (
    "nothing of what is left is wrong, and it can be played on; with a copy or an export from before, "
    "import that under another name and compare: lorewright campaign import FILE --id NAME"
)


def tell_loss(lost: int) -> str:
    """Return a sentence that says how many acknowledged changes are missing, and from what that comes."""
    changes = "the last acknowledged change is" if lost == 1 else f"the last {lost} acknowledged changes are"
    return f"{changes} missing: a damaged end of SQLite's log (.db-wal), or an older copy in the file's place"


def count_path(path: Path) -> Path:
    """Return the path of the count of a campaign's file."""
    return path.with_name(f"{path.name}.count")


@dataclass(frozen=True, slots=True)
class CommitCount:
    """The count of one campaign's file. `begun` is when the campaign was begun, in UTC: the count of another campaign,
    which had the name before, does not hold for it."""

    path: Path
    begun: str

    def keep(self, revision: int) -> None:
        """Write the revision. It is not synced: that would cost each turn milliseconds. Where it cannot be written the
        old one is deleted, if that is possible, and nothing is told of losses until the next commit."""
        kept = count_path(self.path)
        try:
            with Enclosure(kept.parent).writing(kept, synced=False) as file:
                file.write(f"{revision} {self.begun}\n".encode())
        except (OSError, LorewrightError):
            with suppress(OSError, LorewrightError):
                Enclosure(kept.parent).remove(kept)

    def lost(self, revision: int) -> int:
        """Return how many changes the file once had beyond `revision`, which it has now; 0 where nothing is known. A
        copy from before that was put in its place lacks them, too."""
        return max(self._beyond(revision), 0)

    def bring_up(self, revision: int) -> None:
        """Write the revision where the count is of an earlier one or missing: its process was killed after the commit,
        and has left the file that was to be the count."""
        if revision and (self._beyond(revision) < 0 or not count_path(self.path).exists()):
            self.keep(revision)

    def _beyond(self, revision: int) -> int:
        try:
            said = Enclosure(self.path.parent).read(count_path(self.path), limit=_LIMIT_BYTES)
            kept, _, begun = said.decode().partition(" ")
            return int(kept) - revision if begun.strip() == self.begun else 0
        except (OSError, LorewrightError, ValueError):
            return 0
