"""An open campaign -> what its game master sees of it: the whole state, the secrets of the packs and who knows them,
all messages, what was not played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.viewers import scene_of, state_of, transcript_of
from lorewright.packs.models import Item
from lorewright.service.web.shapes import AttemptShown, Desk, SecretPage, SecretShown
from lorewright.storage.heads import learned_on_path
from lorewright.turn.checks.tools import NamedThing

# So many secrets stand in one answer where no number is asked for, and at most so many.
SECRETS_A_PAGE = 50
MOST_SECRETS = 200

_SECRET_ROLES = ("withholds", "discoverable", "knows")


def show_desk(campaign: OpenCampaign, *, secrets: SecretPage | None = None) -> Desk:
    """Return the game master's desk: the whole state, the scene, the secrets of the packs with who knows them; of those
    the first page, where no other is given."""
    state = campaign.store.head().state
    people = sorted(who for who, entity in state.entities.items() if entity.type == "npc" and who in state.positions)
    personas = state.personas or (state.player_id,)
    page = show_secrets(campaign) if secrets is None else secrets
    return Desk(
        state=state_of(campaign, "gm"),
        scene=scene_of(campaign, "gm"),
        secrets=page.secrets,
        more_secrets=page.next,
        personas=tuple(NamedThing(id=who, name=state.name_of(who)) for who in personas),
        people=tuple(NamedThing(id=who, name=state.name_of(who)) for who in people if who not in personas),
    )


def show_secrets(
    campaign: OpenCampaign, *, words: str = "", limit: int = SECRETS_A_PAGE, cursor: str | None = None
) -> SecretPage:
    """Return a page of the secrets in whose title, section or text all words stand, in the order of the packs; `cursor`
    is what the page before gave as `next`. Letter case does not matter, and a part of a word is enough."""
    wanted = words.casefold().split()
    found = [
        (item, about, section)
        for item, about, section in _secret_items(campaign)
        if all(word in f"{about}\n{section}\n{item.text}".casefold() for word in wanted)
    ]
    start = int(cursor or 0)
    limit = max(1, min(limit, MOST_SECRETS))
    knowers = _knowers(campaign)
    return SecretPage(
        secrets=tuple(
            SecretShown(item_id=item.id, about=about, section=section, text=item.text, known_by=knowers(item.id))
            for item, about, section in found[start : start + limit]
        ),
        found=len(found),
        next=str(start + limit) if len(found) > start + limit else None,
    )


def _secret_items(campaign: OpenCampaign) -> Iterator[tuple[Item, str, str]]:
    """Yield each item that is hidden from players at first, with whom or what it is about, and its section."""
    for generation in campaign.setting.generations:
        for chunk in generation.hidden_chunks():
            if chunk.role in _SECRET_ROLES:
                holder = generation.entity(chunk.entity_id)
                about = chunk.entity_id if holder is None else holder.name
                for item in generation.items_of(chunk.row):
                    yield item, about, chunk.section


def _knowers(campaign: OpenCampaign) -> Callable[[str], tuple[str, ...]]:
    """Return a function from an item's ID to who knows it; of personas with the turn in which they learned it."""
    state = campaign.store.head().state
    personas = state.personas or (state.player_id,)
    learned = learned_on_path(campaign.store.database)
    turns = {(known.item_id, known.character_id): known.turn_no for known in learned}

    def knowers(item_id: str) -> tuple[str, ...]:
        known = []
        for who in sorted(state.reveals):
            if item_id in state.reveals[who]:
                turn = turns.get((item_id, who))
                when = f" (turn {turn})" if who in personas and turn else ""
                known.append(f"{state.name_of(who)}{when}")
        return tuple(known)

    return knowers


def show_stream(campaign: OpenCampaign, viewer: str, *, last: int, before: int | None = None) -> Any:
    """Return the stream of messages as a viewer may read it; see `transcript_of`."""
    return transcript_of(campaign, viewer, last=last, before_turn=before)


def show_attempts(campaign: OpenCampaign) -> list[AttemptShown]:
    """Return the turns that were tried and not committed, the newest first."""
    return [
        AttemptShown(at=row["created_at"], said=row["player_text"], code=row["error_code"], detail=row["message"])
        for row in reversed(campaign.store.attempts())
    ]
