"""A typed client of the service: a method for each operation of its API, with the shapes and errors of the library.

    from lorewright.service.web.client import LorewrightClient

    with LorewrightClient("http://127.0.0.1:8000", token) as client:
        print(client.play("friday", "I ask Viktor about the crate").final_text)

A web server is not needed where the client runs. Every method raises the error that the service refused with, such as
`NotFound`, `HeadMoved` or `ActionIdReused`, and `ServiceError` where it cannot be reached or refuses for a reason of
its own. `role` is one of the account's seats at the table; without it the seat that the account plays from is asked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import httpx2
from pydantic import BaseModel

from lorewright.campaigns.viewers import Transcript, VisibleScene
from lorewright.retrieval.why_not import WhyNot
from lorewright.rules.actions import Action
from lorewright.service.queries import (
    EditDone,
    EditPreview,
    Entities,
    EntityFound,
    LorebookEntries,
    LoreFound,
    Packs,
    Reviews,
    TurnPlayed,
)
from lorewright.service.web.connection import ServiceConnection, TableNews
from lorewright.service.web.shapes import (
    AttemptShown,
    CampaignSummary,
    CaseShown,
    Codex,
    ContextQuestion,
    Desk,
    FindingShown,
    HintShown,
    InvitationShown,
    JobShown,
    LoreContext,
    LoreQuestion,
    Me,
    PackStats,
    Permission,
    RecapShown,
    ScenarioShown,
    SeatShown,
    SecretPage,
    Shape,
    TableShown,
    Turns,
    TurnShown,
    Why,
    WhyNotQuestion,
)
from lorewright.turn.checks.tools import StateSeen
from lorewright.world.ops import StateOp


class _Page(Shape):
    campaigns: tuple[CampaignSummary, ...]
    next: str | None = None


class _Begun(Shape):
    id: str


class _Answers(Shape):
    answers: tuple[LoreFound, ...]


class LorewrightClient:
    """A service, as a token may use it."""

    def __init__(self, url: str, token: str, *, http: httpx2.Client | None = None) -> None:
        """`url` is the service's address; with `http` requests are sent by that client, which stays the caller's."""
        self._service = ServiceConnection(url, token, http=http)

    def __enter__(self) -> Self:
        """Return the client; at the end of the block it is closed."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the client."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    # Tables.

    def me(self) -> Me:
        """Return the account of the token, what it may do, and its seats."""
        return self._service.read(Me, "me")

    def scenarios(self) -> list[ScenarioShown]:
        """Return the stories that a game can be begun of."""
        return self._service.read(list[ScenarioShown], "scenarios")

    def campaigns(self) -> list[CampaignSummary]:
        """Return the tables at which the account sits, the one last played first."""
        found, cursor = list[CampaignSummary](), None
        while True:
            page = self._service.read(_Page, "campaigns", limit=200, cursor=cursor)
            found += page.campaigns
            cursor = page.next
            if cursor is None:
                return found

    def begin(self, scenario_id: str, *, name: str = "") -> str:
        """Begin a game, as its game master and player; return its ID."""
        return self._service.post(_Begun, "campaigns", sent={"scenario_id": scenario_id, "name": name}).id

    def table(self, campaign: str, *, role: str | None = None) -> TableShown:
        """Return the table as the seat sees it."""
        return self._service.read(TableShown, "campaigns", campaign, **_pick_seat(role))

    def remove(self, campaign: str) -> None:
        """Delete a campaign with all its branches. This cannot be taken back."""
        self._service.delete("campaigns", campaign)

    def members(self, campaign: str, *, role: str | None = None) -> list[SeatShown]:
        """Return who sits at the table."""
        return self._service.read(list[SeatShown], "campaigns", campaign, "members", **_pick_seat(role))

    def remove_member(self, campaign: str, account_id: str, *, role: str) -> None:
        """Take somebody's seat away: that of the role."""
        self._service.delete("campaigns", campaign, "members", account_id, role=role)

    def invitations(self, campaign: str) -> list[InvitationShown]:
        """Return the invitations that nobody has used."""
        return self._service.read(list[InvitationShown], "campaigns", campaign, "invites")

    def invite(self, campaign: str, role: str, *, days: int = 14) -> InvitationShown:
        """Return a new invitation to a seat; its `url` lets one person in."""
        return self._service.post(InvitationShown, "campaigns", campaign, "invites", sent={"role": role, "days": days})

    def revoke_invitation(self, campaign: str, invitation_id: str) -> None:
        """Revoke an invitation."""
        self._service.delete("campaigns", campaign, "invites", invitation_id)

    def export(self, campaign: str, *, role: str | None = None) -> bytes:
        """Return the campaign as a .lorewright file: with the role `gm` all of it, else the story as it was read."""
        return self._service.read_bytes("campaigns", campaign, "export", **_pick_seat(role))

    def import_campaign(self, file: bytes) -> str:
        """Add a campaign from the bytes of a .lorewright file, as its game master and player; return its new ID."""
        return self._service.post(_Begun, "import", sent=file).id

    # Turns.

    def play(
        self,
        campaign: str,
        text: str = "",
        *,
        key: str | None = None,
        actions: Sequence[Action | Mapping[str, Any]] | None = None,
        thought: str = "",
        whisper_to: str | None = None,
        revision: int | None = None,
        role: str | None = None,
    ) -> TurnPlayed:
        """Play a turn of words, or of actions, and return its result, as its player may read it.

        The same `key` gives the same result and plays nothing a second time; without one a new key is made. So a
        request whose connection breaks off is sent again, and the turn is played once.
        """
        return self._service.post(
            TurnPlayed,
            *("campaigns", campaign, "turns"),
            sent=_write_turn(text, actions, thought, whisper_to, revision),
            key=key or secrets.token_hex(16),
            **_pick_seat(role),
        )

    def play_unwatched(
        self,
        campaign: str,
        text: str = "",
        *,
        key: str | None = None,
        actions: Sequence[Action | Mapping[str, Any]] | None = None,
        thought: str = "",
        whisper_to: str | None = None,
        revision: int | None = None,
        role: str | None = None,
    ) -> str:
        """Have a turn played without waiting for it: `events` tell how it comes out. Return its key, with which `play`
        and the same words give its result."""
        key = key or secrets.token_hex(16)
        self._service.post(
            dict[str, Any],
            *("campaigns", campaign, "turns"),
            sent=_write_turn(text, actions, thought, whisper_to, revision),
            key=key,
            headers={"Prefer": "respond-async"},
            **_pick_seat(role),
        )
        return key

    def turns(self, campaign: str, *, last: int = 20, before: int | None = None, role: str | None = None) -> Turns:
        """Return the last turns of the story, or those before a turn, as the seat has read them; oldest first."""
        return self._service.read(Turns, "campaigns", campaign, "turns", last=last, before=before, **_pick_seat(role))

    def turn(self, campaign: str, turn_no: int, *, role: str | None = None) -> TurnShown:
        """Return one turn, as the seat has read it."""
        return self._service.read(TurnShown, "campaigns", campaign, "turns", turn_no, **_pick_seat(role))

    def why(self, campaign: str, turn_no: int, *, role: str | None = None) -> Why:
        """Return why a turn of the seat's came out as it did: its sentences with their sources, its dice."""
        return self._service.read(Why, "campaigns", campaign, "turns", turn_no, "why", **_pick_seat(role))

    def undo(
        self, campaign: str, *, turns: int = 1, revision: int | None = None, role: str | None = None
    ) -> TableShown:
        """Take the last turns back, and return the table; they are kept, and can be redone."""
        return self._move(campaign, "undo", role, turns=turns, revision=revision)

    def redo(self, campaign: str, *, revision: int | None = None, role: str | None = None) -> TableShown:
        """Do the turn again that was taken back last, and return the table."""
        return self._move(campaign, "redo", role, revision=revision)

    def branch(
        self, campaign: str, name: str, *, turn: int, revision: int | None = None, role: str | None = None
    ) -> TableShown:
        """Begin a branch after an earlier turn, and return the table; `switch` goes on with it."""
        return self._move(campaign, "branches", role, name=name, turn=turn, revision=revision)

    def switch(self, campaign: str, name: str, *, revision: int | None = None, role: str | None = None) -> TableShown:
        """Go on with another branch, and return the table; `TableShown.branches` are all there are."""
        return self._move(campaign, "switch", role, name=name, revision=revision)

    def _move(self, campaign: str, move: str, role: str | None, **sent: Any) -> TableShown:
        return self._service.post(TableShown, "campaigns", campaign, move, sent=sent, **_pick_seat(role))

    def retry(
        self,
        campaign: str,
        *,
        text: str = "",
        key: str | None = None,
        revision: int | None = None,
        role: str | None = None,
    ) -> TurnPlayed:
        """Play the last turn again with other dice, or other words, and return its result. With the same key it is done
        once."""
        sent, own = {"text": text, "revision": revision}, key or secrets.token_urlsafe(16)
        return self._service.post(TurnPlayed, "campaigns", campaign, "retry", sent=sent, key=own, **_pick_seat(role))

    def events(self, campaign: str, *, after: int | None = None, role: str | None = None) -> Iterator[TableNews]:
        """Yield what happens at the table until the stream closes: first the turns committed after the turn `after`,
        without it nothing that was there before. A stream that breaks off is taken up again, and no turn is missed."""
        start = self.table(campaign, role=role).turn_no if after is None else after
        yield from self._service.follow("campaigns", campaign, "events", after=start, **_pick_seat(role))

    # What a seat knows.

    def state(self, campaign: str, *, role: str | None = None) -> StateSeen:
        """Return where the story stands, as the seat may know it."""
        return self._service.read(StateSeen, "campaigns", campaign, "state", **_pick_seat(role))

    def scene(self, campaign: str, *, role: str | None = None) -> VisibleScene:
        """Return the scene at hand: its atmosphere, who is there, what has been found."""
        return self._service.read(VisibleScene, "campaigns", campaign, "scene", **_pick_seat(role))

    def codex(self, campaign: str, *, role: str | None = None) -> Codex:
        """Return what the seat's character has learned, and in which turn."""
        return self._service.read(Codex, "campaigns", campaign, "codex", **_pick_seat(role))

    def recap(self, campaign: str, *, role: str | None = None) -> RecapShown:
        """Return what one wants, whom one met and what one learned, what is open."""
        return self._service.read(RecapShown, "campaigns", campaign, "recap", **_pick_seat(role))

    def hint(self, campaign: str, *, step: int = 1, role: str | None = None) -> HintShown:
        """Return a hint; the third step is the plainest."""
        return self._service.read(HintShown, "campaigns", campaign, "hint", step=step, **_pick_seat(role))

    def entities(self, campaign: str, *, kind: str | None = None, named: str = "", role: str | None = None) -> Entities:
        """Return who and what the seat may know of, of a type or with a part of a name."""
        return self._service.read(
            Entities, "campaigns", campaign, "entities", type=kind, named=named, **_pick_seat(role)
        )

    def entity(self, campaign: str, entity_id: str, *, role: str | None = None) -> EntityFound:
        """Return all that the seat may read of a person, place or thing."""
        return self._service.read(EntityFound, "campaigns", campaign, "entities", entity_id, **_pick_seat(role))

    # Lore.

    def query(self, question: LoreQuestion) -> LoreFound:
        """Return the sections that answer a question, best first, as far as its seat may see them."""
        return self._service.post(LoreFound, "lore", "query", sent=_write_question(question), again=True)

    def context(self, question: ContextQuestion) -> LoreContext:
        """Return the lore for a question, or for the end of a chat, as a text for a prompt, with its sources."""
        return self._service.post(LoreContext, "lore", "context", sent=_write_question(question), again=True)

    def query_batch(self, questions: Sequence[LoreQuestion]) -> tuple[LoreFound, ...]:
        """Return the answers to several questions, in their order."""
        sent = {"questions": [_write_question(question) for question in questions]}
        return self._service.post(_Answers, "lore", "batch", sent=sent, again=True).answers

    def explain(self, question: LoreQuestion) -> dict[str, Any]:
        """Return the `result` of a question, and its `trace`: how each section was found, what the budget cut."""
        return self._service.post(dict[str, Any], "lore", "explain", sent=_write_question(question), again=True)

    def why_not(self, question: WhyNotQuestion) -> WhyNot:
        """Return why a section did not come."""
        return self._service.post(WhyNot, "lore", "why-not", sent=_write_question(question), again=True)

    def packs(self) -> Packs:
        """Return the installed packs, for their owner."""
        return self._service.read(Packs, "packs")

    def send_pack(self, archive: bytes, *, name: str = "") -> JobShown:
        """Send the .zip of a pack to be installed if it has no errors, and return the job. `name` is the folder's, for
        a pack without a pack.yaml."""
        kind = {"Content-Type": "application/zip"}
        return self._service.post(JobShown, "packs", sent=archive, headers=kind, name=name)

    def lint_pack(self, pack_id: str) -> list[FindingShown]:
        """Return what is found in a pack's files as they lie there now, errors first."""
        return self._service.read(list[FindingShown], "packs", pack_id, "lint")

    def pack_stats(self, pack_id: str) -> PackStats:
        """Return what a pack holds, and how much of it is open to players."""
        return self._service.read(PackStats, "packs", pack_id, "stats")

    def run_pack_tests(self, pack_id: str) -> list[CaseShown]:
        """Run the golden tests of a pack, and return how they came out."""
        return self._service.read(list[CaseShown], "packs", pack_id, "tests")

    def jobs(self) -> list[JobShown]:
        """Return your jobs, the newest first."""
        return self._service.read(list[JobShown], "jobs")

    def job(self, job_id: str) -> JobShown:
        """Return a job as it stands."""
        return self._service.read(JobShown, "jobs", job_id)

    def cancel_job(self, job_id: str) -> None:
        """End a job that has not ended; nothing of it is left."""
        self._service.delete("jobs", job_id)

    def pack_entity(self, pack_id: str, entity_id: str) -> EntityFound:
        """Return all that a pack says of an entity, for the pack's owner."""
        return self._service.read(EntityFound, "packs", pack_id, "entities", entity_id)

    # The game master's desk.

    def desk(self, campaign: str) -> Desk:
        """Return the whole state, the scene, and the first secrets of the packs with who knows them."""
        return self._service.read(Desk, "campaigns", campaign, "desk")

    def find_secrets(
        self, campaign: str, words: str = "", *, limit: int | None = None, cursor: str | None = None
    ) -> SecretPage:
        """Return the secrets with all of these words in their title, section or text, with who knows them: a page, and
        with its `next` as the cursor the next one."""
        query = {"q": words, "limit": limit, "cursor": cursor}
        return self._service.read(SecretPage, "campaigns", campaign, "secrets", **query)

    def stream(
        self, campaign: str, *, viewer: str | None = None, last: int = 10, before: int | None = None
    ) -> Transcript:
        """Return all messages of the last turns, intentions and thoughts too, or those that a viewer may read."""
        query = {"last": last, "before": before, **_pick_seat(viewer)}
        return self._service.read(Transcript, "campaigns", campaign, "stream", **query)

    def preview_ops(self, campaign: str, ops: Sequence[StateOp | Mapping[str, Any]]) -> EditPreview:
        """Return what ops would come to; nothing is changed."""
        sent = {"ops": _write_models(ops)}
        return self._service.post(EditPreview, "campaigns", campaign, "ops:preview", sent=sent, again=True)

    def apply_ops(
        self,
        campaign: str,
        ops: Sequence[StateOp | Mapping[str, Any]],
        *,
        key: str | None = None,
        note: str = "",
        revision: int | None = None,
    ) -> EditDone:
        """Change the world by ops, all of them in one turn or none. The same `key` changes nothing a second time;
        without one a new key is made, so that a request whose connection breaks off is sent again."""
        sent = {"ops": _write_models(ops), "note": note, "revision": revision}
        key = key or secrets.token_hex(16)
        return self._service.post(EditDone, "campaigns", campaign, "ops", sent=sent, key=key)

    def reviews(self, campaign: str) -> Reviews:
        """Return the proposals that wait to be judged."""
        return self._service.read(Reviews, "campaigns", campaign, "reviews")

    def decide_review(self, campaign: str, review_id: str, *, accept: bool, key: str | None = None) -> EditDone:
        """Accept a proposal, so that it becomes true, or reject it."""
        sent = {"accept": accept}
        return self._service.post(EditDone, "campaigns", campaign, "reviews", review_id, sent=sent, key=key)

    def lorebook(self, campaign: str, *, flagged: bool = False) -> LorebookEntries:
        """Return what narrations have added to the world; with `flagged` only what speaks against it."""
        return self._service.read(LorebookEntries, "campaigns", campaign, "lorebook", flagged=flagged)

    def attempts(self, campaign: str) -> list[AttemptShown]:
        """Return the turns that were tried and not committed, the newest first."""
        return self._service.read(list[AttemptShown], "campaigns", campaign, "attempts")

    def stages(self, campaign: str, turn_no: int) -> list[dict[str, Any]]:
        """Return what each stage of a turn was given and made."""
        return self._service.read(list[dict[str, Any]], "campaigns", campaign, "stages", turn_no)

    def test_permission(self, campaign: str, viewer: str, item: str) -> Permission:
        """Return whether a viewer may see an item or a section just now, and by which rule."""
        sent = {"campaign_id": campaign, "viewer": viewer, "item": item}
        return self._service.post(Permission, "permissions:test", sent=sent, again=True)


def _pick_seat(role: str | None) -> dict[str, Any]:
    return {"as": role}


def _write_turn(
    text: str,
    actions: Sequence[Action | Mapping[str, Any]] | None,
    thought: str,
    whisper_to: str | None,
    revision: int | None,
) -> dict[str, Any]:
    return {
        "text": text,
        "actions": None if actions is None else _write_models(actions),
        "thought": thought,
        "whisper_to": whisper_to,
        "revision": revision,
    }


def _write_models(given: Sequence[BaseModel | Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [value.model_dump(mode="json") if isinstance(value, BaseModel) else dict(value) for value in given]


def _write_question(question: LoreQuestion) -> dict[str, Any]:
    return question.model_dump(mode="json", by_alias=True, exclude_none=True)
