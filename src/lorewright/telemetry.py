"""The name of a library that would send telemetry -> the library, imported with telemetry switched off.

`docs/privacy.md` lists the libraries that were examined. They are imported here and nowhere else.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

# Each is read once, when its library starts. They overwrite the user's values: nothing is ever sent.
SWITCHES = {
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime: device, system and each session to Microsoft, and files in the home
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub and hf_xet: what fetches models by name
    "DISABLE_SAFETENSORS_CONVERSION": "1",  # transformers: asks the hub to convert a model, from a thread of its own
    "ANONYMIZED_TELEMETRY": "False",  # chromadb, in releases that had a sender
    "DO_NOT_TRACK": "1",  # whatever else heeds it
}
LIBRARIES = ("chromadb", "onnxruntime", "sentence_transformers", "transformers")


def import_silenced(name: str) -> Any:
    """Import a library, or one of its modules, with the switches set for it and all that it imports; return it.

    Raises:
        ImportError: it is not installed.
    """
    os.environ.update(SWITCHES)
    library = import_module(name)
    if name == "onnxruntime":
        # A program may have imported it before us; then this call leaves only what the library calls essential.
        library.disable_telemetry_events()
    return library
