"""Templates and plain values -> pages. Everything is escaped; a page loads scripts and styles of the service alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse

from lorewright.authoring.query_page import fill_template

_TEMPLATES = Path(__file__).with_name("templates")


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
    return fill_template(_TEMPLATES / f"{name}.hbs", values)
