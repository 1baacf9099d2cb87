"""PromptLibrary: prompts by name and version, the user's before those that ship, and the version of each in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from lorewright.errors import NotFound, PromptError
from lorewright.llm.prompt_template import FILE_NAME, SUFFIX, PromptTemplate, parse_template, read_template


class PromptLibrary:
    """Prompts by name and version, from folders; a later folder goes before an earlier one where both have a file.

    The version in force is the one that a campaign has pinned, with its text as it was then; else the newest.
    """

    def __init__(self, folders: Iterable[Path], pins: Mapping[str, PromptTemplate] | None = None) -> None:
        """List the folders' prompts; a missing folder has none. Files are read when they are asked for.

        Raises:
            PromptError: a file's name is not valid for a prompt.
        """
        self._folders = tuple(folders)
        self._files = {key: path for folder in self._folders for key, path in _files(folder)}
        self._read: dict[tuple[str, str], PromptTemplate] = {}
        self._pins = dict(pins or {})

    def names(self) -> tuple[str, ...]:
        """Return the names of all prompts, sorted."""
        return tuple(sorted({name for name, _ in self._files} | set(self._pins)))

    def versions(self, name: str) -> tuple[str, ...]:
        """Return the versions of a prompt that have files, oldest first."""
        return tuple(sorted((version for prompt_name, version in self._files if prompt_name == name), key=_number))

    def get(self, name: str, version: str) -> PromptTemplate:
        """Return a prompt in one version.

        Raises:
            NotFound: there is no such file.
            PromptError: it cannot be read as a prompt.
        """
        key = (name, version)
        if key not in self._read:
            if key not in self._files:
                known = ", ".join(self.versions(name)) or "none"
                raise NotFound(
                    f"there is no prompt {name} {version}; its versions are: {known}",
                    hint="see: lorewright prompts list",
                )
            self._read[key] = read_template(self._files[key])
        return self._read[key]

    def prompt(self, name: str) -> PromptTemplate:
        """Return a prompt's version in force.

        Raises:
            NotFound: there is no such prompt.
            PromptError: it cannot be read as a prompt.
        """
        if name in self._pins:
            return self._pins[name]
        versions = self.versions(name)
        if not versions:
            raise NotFound(f"there is no prompt {name}", hint="see: lorewright prompts list")
        return self.get(name, versions[-1])

    def in_force(self) -> tuple[PromptTemplate, ...]:
        """Return the version in force of each prompt, by name.

        Raises:
            PromptError: one of them cannot be read as a prompt.
        """
        return tuple(self.prompt(name) for name in self.names())

    def paths(self) -> tuple[Path, ...]:
        """Return the files of all versions, by name, oldest first."""
        return tuple(self._files[name, version] for name in self.names() for version in self.versions(name))

    def plain_texts(self) -> tuple[Path, ...]:
        """Return the `.txt` files in the folders, sorted: prompts in the form of other programs, which none are read
        from."""
        return tuple(path for folder in self._folders if folder.is_dir() for path in sorted(folder.glob("*.txt")))

    def pinned(self, pins: Iterable[PromptTemplate]) -> PromptLibrary:
        """Return a library of the same prompts with these in force."""
        library = PromptLibrary((), {**self._pins, **{pin.name: pin for pin in pins}})
        library._folders, library._files, library._read = self._folders, self._files, self._read
        return library

    def replaced(self, versions: Mapping[str, str]) -> PromptLibrary:
        """Return a library of the same prompts with other versions in force, by name.

        Raises:
            NotFound: there is no such prompt or version.
            PromptError: one of them cannot be read as a prompt.
        """
        return self.pinned(self.get(name, version) for name, version in versions.items())


# Opening a campaign reads all of its pinned prompts, and most campaigns have pinned the same.
@lru_cache(maxsize=64)
def load_stored_template(source: str, *, name: str, version: str) -> PromptTemplate:
    """Return the prompt that a campaign stored the text of.

    Raises:
        PromptError: the text is not a valid prompt any more.
    """
    return parse_template(source, where=f"the pinned {name} {version}")


def _files(folder: Path) -> list[tuple[tuple[str, str], Path]]:
    """Return ((name, version), path) of a folder's prompts."""
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        fits = FILE_NAME.fullmatch(path.name)
        if fits is None:
            raise PromptError(
                f"{path}: this is not the name of a prompt file", hint="call it NAME_v1.hbs: narrator_v2.hbs"
            )
        found.append(((fits.group(1), fits.group(2)), path))
    return found


def _number(version: str) -> int:
    return int(version[1:])
