"""A template and plain values -> a page that loads nothing, runs nothing and escapes everything; and its file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lorewright.cli.output import clean
from lorewright.errors import SettingsError

_TEMPLATES = files("lorewright.cli.pages") / "templates"


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A whole page: the template's body in the frame that all pages share. `values` has a `title`; every text in it is
    escaped where it stands, and rid of what is no sign."""
    body = _filled(f"{template}.hbs", values)
    frame = {"title": values["title"], "style": (_TEMPLATES / "style.css").read_text(encoding="utf-8"), "body": body}
    return _filled("frame.hbs", frame)


def write_page(path: Path, page: str) -> None:
    """Write a page to its file.

    Raises:
        SettingsError: the path is a folder, or lies in one that is not there.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise SettingsError(f"{path} cannot be written", hint="name a file in a folder that is there: --html page.html")
    path.write_text(page, encoding="utf-8")


def _filled(name: str, values: Mapping[str, Any]) -> str:
    return str(_compiled(name).render(_cleaned(values)))


@cache
def _compiled(name: str) -> Any:
    # Takes a tenth of a second to import, which only who wants a page should wait for.
    from pydantic_handlebars import HandlebarsEnvironment

    environment = HandlebarsEnvironment(auto_escape=True, strict=True, max_output_size=100_000_000)
    return environment.compile((_TEMPLATES / name).read_text(encoding="utf-8"))


def _cleaned(value: Any) -> Any:
    """The value with no text in it that holds control signs or halves of letters."""
    if isinstance(value, str):
        return clean(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {key: _cleaned(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(one) for one in value]
    return value
