"""Templates and plain values -> pages. Everything is escaped; a page loads scripts and styles of the service alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from starlette.responses import HTMLResponse

from lorewright.packs.markdown.text_layout import clean

_TEMPLATES = files("lorewright.service.web.pages") / "templates"


def render_page(template: str, values: Mapping[str, Any], *, status: int = 200) -> HTMLResponse:
    """Return a page: the template's body in the frame of all pages. `values` has `title`, and `me`, `csrf` of a session
    or None."""
    body = _filled(template, values)
    frame = {
        "title": values["title"],
        "me": values.get("me"),
        "csrf": values.get("csrf"),
        "is_owner": values.get("is_owner", False),
        "table": values.get("table_nav"),
        "body": body,
    }
    return HTMLResponse(_filled("frame", frame), status)


def _filled(name: str, values: Mapping[str, Any]) -> str:
    return str(_compiled(f"{name}.hbs").render(_cleaned(values)))


@cache
def _compiled(name: str) -> Any:
    from pydantic_handlebars import HandlebarsEnvironment

    environment = HandlebarsEnvironment(auto_escape=True, strict=True, max_output_size=20_000_000)
    return environment.compile((_TEMPLATES / name).read_text(encoding="utf-8"))


def _cleaned(value: Any) -> Any:
    """Return the value with texts rid of control characters and unpaired surrogates."""
    if isinstance(value, str):
        return clean(value).encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {key: _cleaned(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(part) for part in value]
    return value
