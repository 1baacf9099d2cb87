"""Any cross-encoder of sentence-transformers, by name or folder. It needs the extra `st`, and with it torch."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lorewright.errors import EmbedderError
from lorewright.index.embedders.embedder import encodable
from lorewright.index.embedders.st import INSTALL
from lorewright.telemetry import import_silenced


class CrossEncoderReranker:
    """A model, loaded with the first question. Pairs run one at a time: padding changes the last bits of a score."""

    def __init__(self, name: str) -> None:
        """`name` is a folder with a model, or a model's name; the library may fetch that."""
        folder = Path(name).expanduser()
        self._name = str(folder.absolute()) if folder.is_dir() else name
        self._offline = folder.is_dir()
        self._model: Any = None
        self._loading = threading.Lock()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score for each text; see `Reranker`. The model cuts texts that are too long."""
        if not texts:
            return []
        pairs = [(encodable(question), encodable(text)) for text in texts]
        try:
            found = [float(score) for score in self._loaded().predict(pairs, batch_size=1, show_progress_bar=False)]
        except EmbedderError:
            raise
        except Exception as problem:  # torch and a model's own code raise what they like
            raise EmbedderError(f"{self._name} cannot rerank: {problem}", hint="try another model") from None
        if not all(map(math.isfinite, found)):
            raise EmbedderError(f"{self._name} gave a score that is no number", hint="try another model")
        return found

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                self._model = _load(self._name, offline=self._offline)
            return self._model


def _load(name: str, *, offline: bool) -> Any:
    try:
        # Imported late: it brings torch, which takes seconds and hundreds of megabytes.
        library = import_silenced("sentence_transformers")
    except ImportError:
        raise EmbedderError("sentence-transformers is not installed", hint=INSTALL) from None
    try:
        model = library.CrossEncoder(name, local_files_only=offline, trust_remote_code=False)
    except Exception as problem:  # anything from a missing file to the hub's own errors
        first_line = str(problem).strip().partition("\n")[0]
        hint = "check the name; a model that was not fetched before needs the network"
        raise EmbedderError(f"the model {name} cannot be loaded: {first_line}", hint=hint) from None
    if model.config.num_labels != 1:
        raise EmbedderError(f"{name} gives {model.config.num_labels} scores a pair", hint="name a model that ranks")
    return model
