"""A folder of notes as a stranger might send it: beside the notes lie modules of Python that tell when they were run."""

from __future__ import annotations

from pathlib import Path

# What our processes import, directly or through a library: of ours, of theirs, of Python's own.
MODULES = (
    *("lorewright/__init__.py", "lorewright/__main__.py", "lorewright/cli/__init__.py", "sitecustomize.py"),
    *("usercustomize.py", "typer.py", "click.py", "rich.py", "yaml.py", "numpy/__init__.py", "pydantic.py"),
    *("onnxruntime.py", "tokenizers.py", "chromadb/__init__.py", "json.py", "sqlite3.py", "tomllib.py", "tempfile.py"),
)


class StrangeFolder:
    """The folder and what was run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._told = folder.parent / f"{folder.name}.run"
        (folder / "locations").mkdir(parents=True)
        (folder / "locations" / "Mill.md").write_text("# The Mill\n\nThe mill grinds rye.\n", encoding="utf-8")
        (folder / "locations" / "Ford.md").write_text("# The Ford\n\nBelow [[The Mill]].\n", encoding="utf-8")
        for name in MODULES:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"open({str(self._told)!r}, 'a').write({name!r} + '\\n')\n", encoding="utf-8")

    @property
    def run(self) -> list[str]:
        """The modules of the folder that were run, in order."""
        return self._told.read_text(encoding="utf-8").split() if self._told.exists() else []
