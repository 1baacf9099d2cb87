"""Queries -> play: turns of the player's, and the moves of the story's head that a player may make at the prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lorewright.campaigns.branches import branch, switch, tree
from lorewright.campaigns.estimate import require_agreement
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.sessions import sit_down
from lorewright.errors import SettingsError
from lorewright.ids import local
from lorewright.service.queries import BranchShown, Moved, Queries, TurnPlayed
from lorewright.turn.store.turn_store import redo, undo_played

Move = Literal["undo", "redo", "branches", "branch", "switch"]
MOST_UNDONE = 100


@dataclass(frozen=True, slots=True)
class PlayTools:
    """Plays the campaigns of `queries` for its viewer, who must be a game master or a player."""

    queries: Queries

    def turn(
        self,
        text: str = "",
        *,
        actions: Sequence[Mapping[str, Any]] | None = None,
        campaign_id: str | None = None,
        persona: str | None = None,
        thought: str = "",
        whisper: str | None = None,
        action_id: str | None = None,
    ) -> TurnPlayed:
        """Play a turn of words, or of actions in their place, and return its result as the player may read it.

        Raises:
            SettingsError: neither words nor actions are given, or the viewer plays somebody else than `persona`.
            NotAgreed: it would ask a model that may cost money and that nobody has agreed to.
            NotFound: there is no such campaign.
        And what `OpenCampaign.submit_actions` raises.
        """
        if not text.strip() and not actions:
            raise SettingsError("there is nothing to play", hint="give text, or actions")
        action_id = self.queries.host.begin_turn(action_id)
        with self.queries.opened(self.queries.needed(campaign_id)) as campaign:
            require_agreement(campaign)
            who = self._persona(persona)
            sit_down(campaign, action_id=action_id)
            playing = (
                campaign.submit(text, persona=who, thought=thought, whisper_to=whisper, action_id=action_id)
                if not actions
                else campaign.submit_actions(
                    actions, text=text, persona=who, thought=thought, whisper_to=whisper, action_id=action_id
                )
            )
            return TurnPlayed.model_validate_json(campaign.player_ids().told_json(asyncio.run(playing)))

    def _persona(self, persona: str | None) -> str | None:
        """Return who is to be played: a viewer with the eyes of one persona plays that one and nobody else."""
        viewer = self.queries.viewer
        if viewer.kind != "pc":
            return persona
        if persona not in (None, viewer.id, local(viewer.id)):
            raise SettingsError(f"{persona} is not yours to play", hint=f"you play {viewer.id}")
        return viewer.id

    def move(
        self,
        move: Move,
        *,
        campaign_id: str | None = None,
        turns: int = 1,
        name: str | None = None,
        turn: int | None = None,
    ) -> Moved:
        """Move the head of the story, or with `branches` only say where it is; return where it stands then.

        Raises:
            CampaignError: it cannot be moved so; nothing was changed.
            SettingsError: the move needs a `name`, or a `turn`.
            NotFound: there is no such campaign, branch or turn.
        """
        with self.queries.opened(self.queries.needed(campaign_id)) as campaign:
            if move != "branches":
                self.queries.host.check_move(campaign, is_last=move == "undo" and turns == 1)
            move_head(campaign, move, turns=turns, name=name, turn=turn, by_gm=self.queries.viewer.is_gm)
            return _moved(campaign)


def move_head(
    campaign: OpenCampaign, move: Move, *, turns: int = 1, name: str | None = None, turn: int | None = None, by_gm: bool
) -> None:
    """Move the head of the story; with `branches` nothing is moved. See `PlayTools.move`."""
    match move:
        case "undo":
            # A game master's change is not a player's to take back by itself.
            undo_played(campaign.store, turns=turns, edits=by_gm)
        case "redo":
            redo(campaign.store)
        case "branch":
            if turn is None:
                raise SettingsError("a branch begins after a turn", hint="give its number as turn")
            branch(campaign.store, turn=str(turn), name=_needed(name))
        case "switch":
            switch(campaign.store, _needed(name))
        case "branches":
            pass


def _needed(name: str | None) -> str:
    if not name or not name.strip():
        raise SettingsError("the branch has no name", hint="give its name")
    return name.strip()


def _moved(campaign: OpenCampaign) -> Moved:
    store = campaign.store
    at, result = store.position(), campaign.player_ids().told(store.turns()[-1]["result"])
    return Moved(
        turn_no=at.turn_no,
        turn_id=at.turn_id,
        revision=at.revision,
        told=result["final_text"],
        suggested_actions=tuple(result["suggested_actions"]),
        can_be_redone=len(store.undone()),
        branches=tuple(
            BranchShown(name=row.name, turn_no=row.head_turn_no, is_here=row.at_hand) for row in tree(store).branches
        ),
    )
