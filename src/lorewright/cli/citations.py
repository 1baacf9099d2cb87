"""What each sentence of a turn rests on, as it is printed."""

from __future__ import annotations

from dataclasses import asdict

from lorewright.campaigns.campaigns import Campaigns
from lorewright.campaigns.support import Ground, Support, support_of
from lorewright.cli.output import say, show_json
from lorewright.cli.prose import wrapped


def show_support(campaigns: Campaigns, campaign_id: str, turn_no: int, *, as_json: bool = False) -> None:
    """Print the sentences of a turn's narration, each with its sources, and how many have none.

    Raises:
        NotFound: there is no such campaign or turn, or nothing was narrated in it.
    """
    support = support_of(campaigns, campaign_id, turn_no)
    if as_json:
        show_json({"id": campaign_id, **asdict(support), "unsupported_share": support.unsupported_share})
        return
    for one in support.sentences:
        say(wrapped(one.sentence))
        for ground in one.grounds:
            say(wrapped(_line(ground), indent="  "), style="dim")
        if not one.grounds:
            say(
                "  by the rules" if support.is_builtin else "  no source",
                style="dim" if support.is_builtin else "yellow",
            )
    say()
    say(_sum(support), style="dim")


def _line(ground: Ground) -> str:
    if ground.file_path is None:
        return f"[{ground.id}] {ground.text}".rstrip()
    section = (ground.section_path or "").partition(" > ")[2] or ground.section_path
    return f"[{ground.id}] {ground.file_path} > {section}"


def _sum(support: Support) -> str:
    share = support.unsupported_share
    if share is None:
        return "Told without a model: it quotes, or tells what the rules did."
    without = sum(not one.grounds for one in support.sentences)
    return (
        f"Told by {support.model_key}: {without} of {len(support.sentences)} sentences without a source ({share:.0%})."
    )
