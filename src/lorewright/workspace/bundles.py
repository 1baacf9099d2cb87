"""A scenario with its packs and ruleset <-> one file that another machine plays: never campaigns, settings or keys."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lorewright.bounded_files import read_bytes
from lorewright.campaigns.scenarios.rulesets import rulesets_beside
from lorewright.campaigns.scenarios.scenario import Scenario, load_scenario
from lorewright.errors import NotFound, PackError, ScenarioError
from lorewright.ids import is_id
from lorewright.index.library import Library
from lorewright.packs.content_hash import content_hash_of, pinned_paths
from lorewright.packs.files import MAX_FILE_BYTES, Progress, no_progress
from lorewright.packs.installing import unpack_zip
from lorewright.packs.manifest import load_manifest
from lorewright.storage.containers import open_container, write_container
from lorewright.storage.enclosure import Enclosure
from lorewright.workspace.packs import WorkspacePacks

_FORMAT = "lorewright-game"
_VERSION = 1
_SCENARIO, _RULESET, _PACKS, _LICENCES = "scenario.yaml", "ruleset.yaml", "packs", "LICENCES.txt"
_OTHER = "rename yours, or play in another workspace: lorewright init FOLDER"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A game in one file: the scenario's ID and name, its packs by ID, and a line on the licence of each."""

    scenario_id: str
    name: str
    packs: tuple[str, ...]
    licences: tuple[str, ...]


class Bundles:
    """Writes games to files, and adds games from files to the workspace."""

    def __init__(self, packs: WorkspacePacks, library: Library, scenarios: Path, content_packs: Path) -> None:
        self._packs = packs
        self._library = library
        self._scenarios = scenarios
        self._content_packs = content_packs

    def write(self, scenario_path: Path, out: Path) -> Bundle:
        """Write a scenario, the text of its packs and of those that they depend on, and its ruleset where that is the
        workspace's own.

        Raises:
            NotFound: there is no such scenario or pack.
            ScenarioError: the scenario is invalid.
            PackError: a pack has no folder any more, or the file exists; nothing was written.
        """
        scenario = load_scenario(scenario_path)
        folders = self._folders_of(scenario.content_packs)
        licences = tuple(_licence(pack_id, folder) for pack_id, folder in folders.items())
        bundle = Bundle(scenario.id, scenario.name or scenario.id, tuple(folders), licences)
        about = {
            "format": _FORMAT,
            "version": _VERSION,
            "scenario": bundle.scenario_id,
            "name": bundle.name,
            "packs": list(bundle.packs),
            "licences": list(licences),
        }
        try:
            write_container(out, about, self._members(scenario, scenario_path, folders, licences))
        except FileExistsError:
            raise PackError(f"{out} exists already", hint="choose another name, or remove it") from None
        return bundle

    def add(self, path: Path, *, progress: Progress = no_progress) -> Bundle:
        """Add the game of a file to the workspace: its packs are installed, its ruleset and its scenario are laid
        beside the others. What is there already with the same text stays.

        Raises:
            NotFound: there is no such file.
            DamagedFile: the file is not what was written.
            PackError: it is no game, or has a pack with errors.
            ScenarioError: a pack, ruleset or scenario of its name is there with another text; nothing was added.
        """
        if not path.is_file():
            raise NotFound(f"there is no file {path}", hint="name the .zip that lorewright scenario bundle has written")
        with tempfile.TemporaryDirectory() as folder:
            unpacked = Path(folder) / "game"
            with open_container(path) as container:
                bundle = _bundle_in(path, container.about)
                for name in container.names:
                    container.read(name)
            unpack_zip(path, unpacked)
            scenario = load_scenario(unpacked / _SCENARIO)
            packs = {folder.name: load_manifest(folder)[0].id for folder in _folders_in(unpacked / _PACKS)}
            as_named = {pack_id: pack_id for pack_id in bundle.packs}
            if scenario.id != bundle.scenario_id or packs != as_named or not is_id(scenario.ruleset):
                raise PackError(f"{path} is no game that lorewright wrote", hint="have it bundled and sent again")
            written = dict(self._written(scenario, unpacked))
            wanted = [pack for pack in bundle.packs if self._is_wanted(pack, unpacked / _PACKS / pack)]
            for pack in wanted:
                self._packs.install(unpacked / _PACKS / pack, copy=True, progress=progress)
            for target, data in written.items():
                home = Enclosure(self._scenarios.parent.resolve())
                written_to = home.root / target.parent.name / target.name
                home.write_new(written_to, data)
                home.sync(written_to)
        return bundle

    def _folders_of(self, pack_ids: Sequence[str]) -> Mapping[str, Path]:
        """Return the folders of packs and of those that they depend on, in the order in which they are needed."""
        installed = {pack.id: Path(pack.path) for pack in self._library.packs()}
        found: dict[str, Path] = {}

        def visit(pack_id: str) -> None:
            if pack_id in found:
                return
            folder = installed.get(pack_id, self._content_packs / pack_id)
            if not folder.is_dir():
                there = pack_id in installed
                said = f"the folder of the pack {pack_id} is gone: {folder}" if there else f"there is no pack {pack_id}"
                raise (PackError if there else NotFound)(said, hint="lorewright pack install FOLDER")
            for dependency in load_manifest(folder)[0].depends_on:
                visit(dependency.id)
            found[pack_id] = folder

        for pack_id in pack_ids:
            visit(pack_id)
        return found

    def _members(
        self, scenario: Scenario, scenario_path: Path, folders: Mapping[str, Path], licences: Sequence[str]
    ) -> Iterator[tuple[str, bytes]]:
        yield _SCENARIO, read_bytes(scenario_path, MAX_FILE_BYTES, ScenarioError)
        own = rulesets_beside(self._scenarios) / f"{scenario.ruleset}.yaml"
        if own.is_file():
            yield _RULESET, read_bytes(own, MAX_FILE_BYTES, ScenarioError)
        for pack_id, folder in folders.items():
            for name in pinned_paths(folder):
                yield f"{_PACKS}/{pack_id}/{name}", read_bytes(folder / name, MAX_FILE_BYTES, PackError)
        yield _LICENCES, "".join(f"{line}\n" for line in licences).encode()

    def _is_wanted(self, pack_id: str, folder: Path) -> bool:
        """Tell whether a pack is to be installed; it is not where it is with the same text."""
        digest = content_hash_of(folder)
        installed = next((pack for pack in self._library.packs() if pack.id == pack_id), None)
        if installed is not None and installed.content_hash == digest:
            return False
        there = self._content_packs / pack_id
        if installed is not None or (there.is_dir() and content_hash_of(there) != digest):
            raise ScenarioError(f"there is a pack {pack_id} with another text", hint=_OTHER)
        return True

    def _written(self, scenario: Scenario, unpacked: Path) -> Iterator[tuple[Path, bytes]]:
        """Yield the files that are to be written, and their bytes; those that are there with the same bytes are not."""
        rulesets = rulesets_beside(self._scenarios)
        for name, target in (
            (_SCENARIO, self._scenarios / f"{scenario.id}.yaml"),
            (_RULESET, rulesets / f"{scenario.ruleset}.yaml"),
        ):
            source = unpacked / name
            if not source.is_file():
                continue
            data = read_bytes(source, MAX_FILE_BYTES, ScenarioError)
            if not target.is_file():
                yield target, data
            elif read_bytes(target, MAX_FILE_BYTES, ScenarioError) != data:
                raise ScenarioError(f"{target} is there with another text", hint=_OTHER)


def _folders_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _licence(pack_id: str, folder: Path) -> str:
    manifest = load_manifest(folder)[0]
    said = ", ".join(f"{key}: {value}" for key, value in manifest.license.items() if value)
    return f"{manifest.name or pack_id} ({pack_id} {manifest.version}): {said or 'no licence is given'}"


def _bundle_in(path: Path, about: Mapping[str, object]) -> Bundle:
    match about:
        case {
            "format": "lorewright-game",
            "version": int(version),
            "scenario": str(scenario_id),
            "name": str(name),
            "packs": [*packs],
            "licences": [*licences],
        }:
            if version > _VERSION:
                raise PackError(f"{path} was written by a later version", hint="update lorewright")
            return Bundle(scenario_id, name, tuple(map(str, packs)), tuple(map(str, licences)))
    raise PackError(f"{path} is no game", hint="write one with lorewright scenario bundle NAME FILE.zip")
