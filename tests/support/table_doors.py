"""Everything that can be asked of a service with GET, from its own routes, and the questions to its lore: what is asked
and what is answered, for one client."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from fastapi.routing import APIRoute

from lorewright.service.web.api.accounts import accounts_api
from lorewright.service.web.api.chat import chat_api
from lorewright.service.web.api.desk import desk_api
from lorewright.service.web.api.lore import lore_api
from lorewright.service.web.api.play import play_api
from lorewright.service.web.api.tables import tables_api
from lorewright.service.web.api.workshop import workshop_api
from lorewright.service.web.pages.desk import desk_pages
from lorewright.service.web.pages.entry import entry_pages
from lorewright.service.web.pages.table import table_pages
from lorewright.service.web.pages.workshop import workshop_pages
from support.table_service import Browser

_ROUTERS = (
    *(accounts_api, tables_api, play_api, lore_api, desk_api, chat_api, workshop_api),
    *(entry_pages, table_pages, desk_pages, workshop_pages),
)
# Routes of the app itself.
_OWN = ("/healthz", "/readyz", "/metrics", "/openapi.json", "/nothing")
_FIELD = re.compile(r"\{([a-z_]+)(?::[a-z]+)?\}")
# These are not asked as a page is: one never ends, one is a file.
EVENTS, EXPORT = "/v1/campaigns/game/events", "/v1/campaigns/game/export"
GAME, PAGE = "/v1/campaigns/game", "/table/game"


def paths_of_service() -> list[str]:
    """Return the path of every operation and page that is asked for with GET, with the fields in it, in order."""
    routes = (route for router in _ROUTERS for route in router.routes)
    return sorted(
        {route.path for route in routes if isinstance(route, APIRoute) and "GET" in (route.methods or ())} | {*_OWN}
    )


@dataclass(frozen=True, slots=True)
class Asking:
    """What the paths of a service are filled with, and with what questions."""

    # Field of a path -> its values.
    fields: Mapping[str, Sequence[str]]
    # Seats and viewers that are asked for, one's own or not.
    viewers: Sequence[str]
    # Questions to the lore; none of the answers is expected to say them.
    questions: Sequence[str]
    # Sections that are asked about by name.
    chunks: Sequence[str]

    def paths(self) -> Iterator[str]:
        """Yield all that is asked with GET, but for events and the export."""
        for path in paths_of_service():
            names = _FIELD.findall(path)
            for values in product(*(self.fields[name] for name in names)):
                filled = path
                for name, value in zip(names, values, strict=True):
                    filled = re.sub(rf"\{{{name}(?::[a-z]+)?\}}", lambda _, value=value: value, filled)  # type: ignore[misc]
                if filled not in (EVENTS, EXPORT):
                    yield filled
        for path in (
            "",
            "/state",
            "/scene",
            "/codex",
            "/turns?last=50",
            "/recap",
            "/desk",
            "/secrets?limit=1&cursor=1",
            "/stream?last=50",
            "/entities",
        ):
            mark = "&" if "?" in path else "?"
            yield from (f"{GAME}{path}{mark}as={viewer}" for viewer in self.viewers)
        yield from (f"{GAME}/turns?last=3&before={turn}" for turn in (1, 4, 9))
        yield from (f"{GAME}/hint?step={step}" for step in (2, 3))
        yield from (f"{GAME}/entities?type={kind}" for kind in ("npc", "location", "item"))
        yield from (f"{GAME}/entities?named={name}" for name in ("o", "keeper", "zz", "pier"))
        for page in ("", "/codex", "/story", "/desk"):
            yield from (f"{PAGE}{page}?as={viewer}" for viewer in self.viewers)
        yield from (f"{PAGE}/entity?id={entity}" for entity in self.fields["entity"])
        for question in self.questions:
            yield from (f"{PAGE}/{page}?q={question}" for page in ("codex", "story", "desk"))
            yield f"{GAME}/secrets?q={question}"
            yield f"/workshop/query?q={question}&as=gm,player"
        yield "/workshop/scene?place=tavern&present=osk&as=gm,player"

    def answers(self, client: Browser) -> Iterator[tuple[str, int, Mapping[str, str], str]]:
        """Yield all that a client is answered: what was asked, the status, the headers, the text."""
        for path in self.paths():
            answer = client.get(path)
            yield path, answer.status_code, answer.headers, answer.text
        for question in self.questions:
            sent = {"text": question, "campaign_id": "game", "corpus": "all", "limit": 50, "max_tokens": 20_000}
            for door in ("query", "context", "explain"):
                answer = client.post(f"/v1/lore/{door}", sent)
                yield f"{door} {question}", answer.status_code, answer.headers, answer.text
            alone = client.post("/v1/lore/query", {"text": question})
            yield f"packs {question}", alone.status_code, alone.headers, alone.text
        for chunk in self.chunks:
            answer = client.post("/v1/lore/why-not", {"text": "keeper", "campaign_id": "game", "chunk_id": chunk})
            yield f"why not {chunk}", answer.status_code, answer.headers, answer.text
        for path, refused in ((GAME, "delete"), (f"{GAME}/turns", "put"), (EXPORT, "delete")):
            answer = client.client.request(refused.upper(), f"{path}x", headers={"X-CSRF-Token": client.csrf})
            yield f"{refused} {path}", answer.status_code, answer.headers, answer.text
        exported = client.get(EXPORT)
        text = unpacked(exported.content) if exported.status_code == 200 else exported.text
        yield "export", exported.status_code, exported.headers, text

    def answered_in_packs(self, client: Browser, questions: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield what many questions are answered, by twenties."""
        for at in range(0, len(questions), 20):
            asked = [
                {"text": text, "campaign_id": "game", "corpus": "all", "limit": 10} for text in questions[at : at + 20]
            ]
            yield f"questions from {at}", client.post("/v1/lore/batch", {"questions": asked}).text


def events_of(client: Browser, *, last: int) -> tuple[Mapping[str, str], str]:
    """Return the headers and the bytes of a stream up to the committed turn of a number, from the first turn on."""
    lines = []
    with client.client.stream("GET", f"{EVENTS}?after=0") as answer:
        if answer.status_code != 200:
            return answer.headers, answer.read().decode()
        is_last = False
        for line in answer.iter_lines():
            lines.append(line)
            is_last = is_last or line == f"id: {last}.0"
            if is_last and not line:
                break
    return answer.headers, "\n".join(lines)


def unpacked(content: bytes) -> str:
    """Return the names and the texts of the members of an exported file."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name).decode("utf-8", "replace") for name in archive.namelist()}
    return json.dumps(members, ensure_ascii=False)
