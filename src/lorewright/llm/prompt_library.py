"""PromptLibrary: the prompts that there are, one's own over those that ship, and which version of each is in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from lorewright.errors import NotFound, PromptError
from lorewright.llm.prompt_template import FILE_NAME, SUFFIX, PromptTemplate, parse_template, read_template


class PromptLibrary:
    """Prompts by name and version, from folders; later folders go before earlier ones where both have a file.

    In force is the version that a campaign has pinned, with its text as it was then; else the newest.
    """

    def __init__(self, folders: Iterable[Path], pins: Mapping[str, PromptTemplate] | None = None) -> None:
        """Look through the folders; those that are not there have no prompts. Files are read when they are asked for.

        Raises:
            PromptError: a file's name is not one that a prompt can have.
        """
        self._folders = tuple(folders)
        self._files = {key: path for folder in self._folders for key, path in _files(folder)}
        self._read: dict[tuple[str, str], PromptTemplate] = {}
        self._pins = dict(pins or {})

    def names(self) -> tuple[str, ...]:
        """The names of all prompts, sorted."""
        return tuple(sorted({name for name, _ in self._files} | set(self._pins)))

    def versions(self, name: str) -> tuple[str, ...]:
        """The versions of a prompt that there are files of, the oldest first."""
        return tuple(sorted((version for one, version in self._files if one == name), key=_number))

    def get(self, name: str, version: str) -> PromptTemplate:
        """A prompt in one version.

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
        """The version in force.

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
        """One version of each prompt, by name.

        Raises:
            PromptError: one cannot be read as a prompt.
        """
        return tuple(self.prompt(name) for name in self.names())

    def paths(self) -> tuple[Path, ...]:
        """The files of all versions, by name, the oldest first."""
        return tuple(self._files[name, version] for name in self.names() for version in self.versions(name))

    def pinned(self, pins: Iterable[PromptTemplate]) -> PromptLibrary:
        """The same prompts with these in force."""
        library = PromptLibrary((), {**self._pins, **{pin.name: pin for pin in pins}})
        library._folders, library._files, library._read = self._folders, self._files, self._read
        return library

    def replaced(self, versions: Mapping[str, str]) -> PromptLibrary:
        """The same prompts with other versions in force, by name.

        Raises:
            NotFound: there is no such prompt or version.
            PromptError: one cannot be read as a prompt.
        """
        return self.pinned(self.get(name, version) for name, version in versions.items())


# A campaign that is opened reads all that it has pinned, and most have pinned the same.
@lru_cache(maxsize=64)
def kept_template(source: str, *, name: str, version: str) -> PromptTemplate:
    """A prompt that a campaign kept the text of.

    Raises:
        PromptError: the text is no prompt any more.
    """
    return parse_template(source, where=f"the pinned {name} {version}")


def _files(folder: Path) -> list[tuple[tuple[str, str], Path]]:
    """((name, version), path) of a folder's prompts."""
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        fits = FILE_NAME.fullmatch(path.name)
        if fits is None:
            raise PromptError(f"{path}: no prompt has such a name", hint="call it NAME_v1.hbs: narrator_v2.hbs")
        found.append(((fits.group(1), fits.group(2)), path))
    return found


def _number(version: str) -> int:
    return int(version[1:])
