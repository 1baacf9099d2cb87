"""The routes of the service's API -> docs/api.md: every operation, who may, what it does; codes of refusals; examples.

`python scripts/api_page.py` writes the page; a test compares it with what is there.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from lorewright import errors
from lorewright.service.web.api.accounts import accounts_api
from lorewright.service.web.api.chat import chat_api
from lorewright.service.web.api.desk import desk_api
from lorewright.service.web.api.lore import lore_api
from lorewright.service.web.api.play import play_api
from lorewright.service.web.api.tables import tables_api
from lorewright.service.web.openapi import action_rows, describe_app, descriptions, op_rows, op_schemas
from lorewright.service.web.problems import status_of_error

ROOT = Path(__file__).parents[1]
FILE = ROOT / "docs" / "api.md"
BOT = ROOT / "examples" / "bot" / "table_bot.py"
ROUTERS = (accounts_api, tables_api, play_api, lore_api, chat_api, desk_api)
# What HTTP itself is refused with: no error of the library has these codes.
HTTP_CODES = {
    "request_invalid": (422, "What was sent does not fit its description; 400 where it cannot be read at all."),
    "foreign_origin": (403, "A page of another site asked for this."),
    "method_not_allowed": (405, "There is something at this path, but not with this method."),
    "request_timeout": (408, "The request took too long to arrive."),
    "too_large": (413, "The request has too many bytes."),
    "media_type": (415, "The body is of another kind than the one that is read here."),
    "unknown_host": (421, "The service is not called by this name."),
}
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


_BOT = """\

## A bot

A bot for a chat by the client, whole; [the file](../examples/bot/table_bot.py) plays the lines of a terminal, and a
test runs it. The ID of a message is the key of its turn, and the client sends a turn again when the connection breaks
off: it is played once all the same. A refusal is the library's own error, such as `HeadMoved` or `NotFound`.

"""

_OPS = """\
## Ops

What `ops` and `ops:preview` take: a list of objects, each with its kind in `op` and the keys of that kind; those with a
question mark may be left out. All of a list are done, or none. One that is no op, or does not fit, is refused with
`edit_refused`: `index` is its place in the list, `field` the key, and the hint has the keys of its kind, or all kinds.
"""
_ACTIONS = """\
## Actions

What `turns` takes in place of words, and what an answer has as `actions`: what was understood. A type that no verb here
has may be one of the campaign's ruleset. What is no action at all is refused with `campaign_error`, which names its
place and key; an action that is not possible in the story is judged there.
"""


def page() -> str:
    """Return the whole page."""
    tables = "".join(f"\n## {title}\n\n{table}\n" for title, table in _tables())
    code = f"```python {BOT.relative_to(ROOT).as_posix()}\n{BOT.read_text(encoding='utf-8')}```\n"
    return _HEAD + tables + _ops() + _actions() + _refusals() + _BOT + code


def _tables() -> Iterator[tuple[str, str]]:
    rows: dict[str, list[str]] = {}
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute) and route.include_in_schema:
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


def _ops() -> str:
    """Return the section of ops: each kind with its keys and an example."""
    nested = op_schemas()
    parts = [_kind(kind, schema, schema["properties"]) for kind, schema in op_rows()]
    for model in ("Entity", "Fact", "Relationship"):
        said = nested[model]["description"]
        parts.append(f"### {model}\n\n{said}\n\n{_fields(nested[model]['properties'], nested[model])}\n")
    return "\n" + _OPS + "\n" + "\n".join(parts)


def _actions() -> str:
    """Return the section of actions: the keys of all, the keys of their metadata, each verb with an example."""
    said = descriptions()
    keys = "\n".join(f"| `{key}` | {text} |" for key, text in said["action"].items())
    metadata = "\n".join(f"| `{key}` | {text} |" for key, text in said["metadata"].items())
    rows = []
    for kind, schema in action_rows():
        taken = ", ".join(f"`{key}`" for key in schema["properties"]["metadata"].get("properties", {})) or "–"
        (example,) = schema["examples"]
        rows.append(f"| `{kind}` | {schema['description']} | {taken} | `{json.dumps(example)}` |")
    verbs = "\n".join(rows)
    return (
        f"\n{_ACTIONS}\n| key | |\n|---|---|\n{keys}\n\n"
        f"| `type` | | metadata | example |\n|---|---|---|---|\n{verbs}\n\n"
        f"| key of the metadata | |\n|---|---|\n{metadata}\n"
    )


def _kind(kind: str, schema: dict[str, Any], fields: dict[str, Any]) -> str:
    (example,) = schema["examples"]
    own = {name: field for name, field in fields.items() if name != "op"}
    table = f"\n{_fields(own, schema)}\n" if own else ""
    return f"### `{kind}`\n\n{schema['description']}\n{table}\n```json\n{json.dumps(example)}\n```\n"


def _fields(fields: dict[str, Any], schema: dict[str, Any]) -> str:
    needed = schema.get("required", ())
    rows = (
        f"| `{name}`{'' if name in needed else '?'} | {_type(field)} | {field['description']} |"
        for name, field in fields.items()
    )
    return "| key | | |\n|---|---|---|\n" + "\n".join(rows)


def _type(field: dict[str, Any]) -> str:
    """Return a key's type in a word or two, or what it may be."""
    if "$ref" in field:
        return str(field["$ref"]).rpartition("/")[2]
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    kinds = [_type(choice) for choice in field.get("anyOf", ()) if choice.get("type") != "null"]
    if kinds:
        return " or ".join(kinds)
    return f"{field['items'].get('type', 'any')}s" if field.get("type") == "array" else str(field.get("type", "any"))


def _refusals() -> str:
    found = {kind.code: (status_of_error(_made(kind)), _meaning(kind)) for kind in _errors()}
    rows = sorted({**found, **HTTP_CODES}.items(), key=lambda row: (row[1][0], row[0]))
    table = "\n".join(f"| {status} | `{code}` | {meaning} |" for code, (status, meaning) in rows)
    return (
        "\n## Refusals\n\n`application/problem+json` with `title`, `status`, `detail`, `code`, and often a `hint`.\n\n"
        f"| status | code | |\n|---|---|---|\n{table}\n"
    )


def _errors() -> list[type[errors.LorewrightError]]:
    """Return the errors that a service can answer with: `ServiceError` is one of its clients'."""
    found = [kind for kind in vars(errors).values() if inspect.isclass(kind)]
    theirs = (errors.LorewrightError, errors.ServiceError)
    return [kind for kind in found if issubclass(kind, errors.LorewrightError) and kind not in theirs]


def _made(kind: type[errors.LorewrightError]) -> Any:
    return kind.__new__(kind)


def _meaning(kind: type[errors.LorewrightError]) -> str:
    """Return the first sentence of an error's docstring."""
    return " ".join((kind.__doc__ or "").split()).partition(". ")[0].removesuffix(".") + "."


def document() -> dict[str, Any]:
    """Return the API's OpenAPI document, without a service behind it."""
    app = FastAPI(title="Lorewright")
    for router in ROUTERS:
        app.include_router(router)
    describe_app(app)
    return app.openapi()


def main() -> None:
    """Write the page."""
    FILE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
