"""The list of tested versions: it fits pyproject.toml, is whole, and is written only where it can be."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import constraints

ROOT = Path(__file__).parents[2]


def listed() -> dict[str, Version]:
    found = (Requirement(line) for line in constraints.FILE.read_text(encoding="utf-8").splitlines() if line[0] != "#")
    return {one.name: Version(str(one.specifier).removeprefix("==")) for one in found}


def asked() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for name in constraints.EXTRAS for line in project["optional-dependencies"][name]]
    assert set(project["optional-dependencies"]) == set(constraints.EXTRAS)
    return [Requirement(line) for line in [*project["dependencies"], *extras]]


def test_each_requirement_of_ours_is_listed_with_a_version_that_it_admits() -> None:
    versions = listed()
    assert [str(one) for one in asked() if versions[canonicalize_name(one.name)] not in one.specifier] == []


def test_each_version_is_listed_once_in_order_and_exactly() -> None:
    lines = [line for line in constraints.FILE.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    assert lines == sorted(set(lines), key=lambda line: line.partition("==")[0])
    assert [line for line in lines if "==" not in line or "+" in line] == []


def test_the_torch_that_make_installs_is_the_one_that_is_listed() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"torch=={listed()['torch']}" in makefile


def test_all_that_a_package_needs_is_found_with_what_that_needs() -> None:
    found = constraints.pinned("lorewright", frozenset({"dev"}))
    assert {"typer", "click", "httpx", "anthropic", "pytest", "iniconfig"} <= set(found)
    assert {"lorewright", "pip", "voyageai", "torch"} & set(found) == set()
    assert found["typer"] == version("typer")


def test_where_something_is_missing_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(constraints, "distribution", missing)
    assert constraints.main(tmp_path / "constraints.txt") == 1
    assert "run make extras first" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
