"""The routes of the service's API -> docs/api.md: every operation, who may, what it does; codes of refusals; examples.

`python scripts/api_page.py` writes the page; a test compares it with what is there.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from lorewright import errors
from lorewright.service.web.api.accounts import accounts_api
from lorewright.service.web.api.desk import desk_api
from lorewright.service.web.api.lore import lore_api
from lorewright.service.web.api.play import play_api
from lorewright.service.web.api.tables import tables_api
from lorewright.service.web.problems import status_of_error

FILE = Path(__file__).parents[1] / "docs" / "api.md"
ROUTERS = (accounts_api, tables_api, play_api, lore_api, desk_api)
_HEAD = """\
# The API

Every operation of the service under `/v1` ([serving.md](serving.md) says how to run it, what tokens, keys and events
are). This page is made from the code (`python scripts/api_page.py`); `/openapi.json` has every field.

With curl:

```text
curl -H "Authorization: Bearer lw_…" -H "Content-Type: application/json" -H "Idempotency-Key: turn-17" \\
    -d '{"text": "I ask Viktor about the crate"}' http://127.0.0.1:8000/v1/campaigns/friday/turns
```

With the client of the package, which needs no extra:

```text
from lorewright.service.web.client import LorewrightClient

client = LorewrightClient("http://127.0.0.1:8000", "lw_…")
print(client.play("friday", "I ask Viktor about the crate", key="turn-17").final_text)
```

A `scope` is what a token must have; a browser that is signed in has all but `admin`. Where a seat is asked for, an
account without one is answered as if the campaign did not exist.
"""


def page() -> str:
    """Return the whole page."""
    return _HEAD + "".join(f"\n## {title}\n\n{table}\n" for title, table in _tables()) + _refusals()


def _tables() -> Iterator[tuple[str, str]]:
    rows: dict[str, list[str]] = {}
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute):
                tag = str(route.tags[0])
                rows.setdefault(tag, []).append(_row(route))
    for tag, found in rows.items():
        head = "| | | scope | |\n|---|---|---|---|\n"
        yield tag.capitalize(), head + "\n".join(found)


def _row(route: APIRoute) -> str:
    (method,) = route.methods
    does = " ".join((route.description or "").split()).replace("|", "\\|")
    return f"| {method} | `{route.path.removeprefix('/v1')}` | {_scope(route)} | {does} |"


def _scope(route: APIRoute) -> str:
    """Return the scope that an operation's dependencies ask for; a dash where any account, or nobody, will do."""
    for dependency in route.dependencies:
        found = inspect.getclosurevars(dependency.dependency).nonlocals if dependency.dependency else {}
        if "scope" in found:
            return f"`{found['scope']}`"
    return "–"


def _refusals() -> str:
    rows = sorted({(status_of_error(made), made.code) for made in map(_made, _errors())})
    table = "\n".join(f"| {status} | `{code}` |" for status, code in rows)
    return (
        "\n## Refusals\n\n`application/problem+json` with `title`, `status`, `detail`, `code`, and often a `hint`. "
        "Besides these codes there are `request_invalid` (400, 405, 422), `request_timeout` (408), `too_large` (413), "
        "`unknown_host` (421) and `foreign_origin` (403).\n\n| status | code |\n|---|---|\n" + table + "\n"
    )


def _errors() -> list[type[errors.LorewrightError]]:
    found = [kind for kind in vars(errors).values() if inspect.isclass(kind)]
    return [kind for kind in found if issubclass(kind, errors.LorewrightError) and kind is not errors.LorewrightError]


def _made(kind: type[errors.LorewrightError]) -> Any:
    return kind.__new__(kind)


def document() -> dict[str, Any]:
    """Return the API's OpenAPI document, without a service behind it."""
    app = FastAPI(title="Lorewright")
    for router in ROUTERS:
        app.include_router(router)
    return app.openapi()


def main() -> None:
    """Write the page."""
    FILE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
