"""Whatever goes wrong while an index is read -> told as damage, where its bytes are not those that were written.

To look at every byte before each question would cost more than the answer: it is done when something went wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lorewright.errors import DamagedFile, LorewrightError
from lorewright.index.building import has_sound_chunks
from lorewright.index.generation import CHUNKS_FILE


@contextmanager
def blaming_damage(folders: Iterable[Path]) -> Iterator[None]:
    """While the generations in these folders are read.

    Raises:
        DamagedFile: something went wrong, and one of them is damaged; what went wrong otherwise is raised as it is.
    """
    try:
        yield
    except LorewrightError:
        raise
    except Exception as problem:
        damaged = [folder for folder in folders if (folder / CHUNKS_FILE).exists() and not has_sound_chunks(folder)]
        if not damaged:
            raise
        raise DamagedFile(f"{damaged[0]} is damaged: {problem}", hint="run: lorewright doctor") from problem
