"""A desk -> the prompts of the server, which a person picks from a menu: each brings along what it asks about. And what
may stand for their arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, Completion, GetPromptResult, InputRequiredResult
from pydantic import Field

from lorewright.errors import LorewrightError
from lorewright.ids import local
from lorewright.logs import logged_request
from lorewright.service.binding import bound_to
from lorewright.service.desk import MOST_TURNS, Desk
from lorewright.service.errors import told
from lorewright.service.rendering import entity_text, scene_text, state_text, transcript_text

_ONLY_THIS = "Use only what stands above. Where it does not say, say that it does not; invent nothing."
_MOST_COMPLETIONS = 100
# Of a name that a client sent (characters).
_SHOWN = 80

Campaign = Annotated[str, Field(description="The campaign, by its ID.")]


class PromptServer(MCPServer[Any]):
    """A server that tells a client by name which argument of a prompt it does not take, or lacks."""

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt, filled in.

        Raises:
            MCPError: there is no such prompt, or its arguments are others; the message says which it has.
        """
        known = {prompt.name: prompt.arguments or [] for prompt in await self.list_prompts()}
        if name not in known:
            raise _refusal(f"there is no prompt {name[:_SHOWN]}; there are: {', '.join(known)}")
        given = set(arguments or {})
        names = {one.name for one in known[name]}
        if unknown := sorted(given - names):
            taken = ", ".join(sorted(names)) or "none"
            raise _refusal(f"the prompt {name} takes no argument {unknown[0][:_SHOWN]}; its arguments are: {taken}")
        if missing := [one.name for one in known[name] if one.required and one.name not in given]:
            raise _refusal(f"the prompt {name} needs the argument {missing[0]}")
        return await super().get_prompt(name, arguments, context)


def _refusal(message: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=message)


def add_prompts(server: MCPServer[Any], desk: Desk) -> None:
    """The prompts, and completions of what they and the resource templates ask for."""
    bound = desk.campaign_id is not None

    def brief_scene(campaign: Campaign) -> str:
        """Brief me on this scene: where we are, who is here and what they bring to it, what is open."""
        return _asking(
            scene_text(desk.scene(campaign_id=campaign)) + "\n" + state_text(desk.state(campaign_id=campaign)),
            f"Brief me on this scene for somebody who {_whose(desk)}: first the place in two sentences, then each "
            "person in one, then what is open or pressing.",
        )

    def story_so_far(
        campaign: Campaign, turns: Annotated[str, Field(description=f"So many turns, at most {MOST_TURNS}.")] = "20"
    ) -> str:
        """What happened so far: a short retelling of the last turns."""
        last = int(turns) if turns.isdecimal() else 20
        return _asking(
            transcript_text(desk.transcript(campaign_id=campaign, last=last)),
            "Tell me in a few sentences what happened so far, in order, and what was left open.",
        )

    def tell_me_about(
        entity: Annotated[str, Field(description="A person, place or thing, by ID.")], campaign: Campaign = ""
    ) -> str:
        """Tell me about somebody or something: all that the lore holds on it, in short."""
        found = desk.entity(entity, campaign_id=campaign or None)
        return _asking(entity_text(found), f"Tell me what matters about {found.entity.name}, with the sources.")

    for function, title in (
        (brief_scene, "Brief me on this scene"),
        (story_so_far, "What happened so far"),
        (tell_me_about, "Tell me about …"),
    ):
        called = _telling(desk, function)
        server.prompt(title=title, description=inspect.getdoc(function))(
            bound_to(desk.campaign_id, called) if bound else called
        )

    async def complete(ref: Any, argument: Any, context: Any) -> Completion | None:
        given = dict(context.arguments or {}) if context is not None else {}
        values = _values(desk, argument.name, given)
        matching = [one for one in values if argument.value.casefold() in one.casefold()]
        return Completion(values=matching[:_MOST_COMPLETIONS], has_more=len(matching) > _MOST_COMPLETIONS)

    server.completion()(complete)  # type: ignore[no-untyped-call]


def _values(desk: Desk, name: str, given: dict[str, str]) -> list[str]:
    try:
        if name == "campaign":
            return [one.id for one in desk.campaigns().campaigns]
        if name == "pack":
            return [one.id for one in desk.packs().packs]
        if name == "entity" and "pack" in given:
            return [local(one.id) for one in desk.entities(packs=[given["pack"]]).entities]
        if name == "entity":
            return [one.id for one in desk.entities(campaign_id=given.get("campaign") or None).entities]
    except LorewrightError:
        return []  # to know no answer is an answer here
    return []


def _whose(desk: Desk) -> str:
    if desk.viewer.is_gm:
        return "runs the game and may know its secrets"
    return "plays in it" if desk.viewer.name == "player" else f"is {desk.viewer.name.removeprefix('npc:')}"


def _asking(text: str, question: str) -> str:
    return f"{text}\n---\n{question} {_ONLY_THIS}"


def _telling(desk: Desk, function: Callable[..., str]) -> Callable[..., str]:
    @wraps(function)
    def told_of(*args: Any, **kwargs: Any) -> str:
        try:
            tool = f"prompt:{function.__name__}"
            with logged_request(tool, campaign=desk.campaign_id, asked_for=kwargs.get("campaign")):
                return function(*args, **kwargs)
        except LorewrightError as error:
            raise MCPError(code=INVALID_PARAMS, message=told(error, desk.app.workspace.root)) from None

    return told_of
