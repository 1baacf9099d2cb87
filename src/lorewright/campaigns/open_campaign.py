"""A campaign that is open for play: the rules and packs at its head, its models, its turns."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from lorewright.campaigns.stage_models import ModelKeys, StageModels
from lorewright.errors import CampaignError, HeadMoved, LorewrightError, NotFound
from lorewright.ids import canonical_json, content_hash
from lorewright.index.generation import Generation
from lorewright.llm.gateway import CallUsage
from lorewright.rules.actions import Action
from lorewright.rules.patch import Validation
from lorewright.storage.heads import HeadRow, head_row
from lorewright.storage.model_rows import spent_in
from lorewright.storage.sittings import active_session_row, session_rows
from lorewright.turn.run.commit import run_turn
from lorewright.turn.run.editing import edit
from lorewright.turn.run.judging import AppliedActions, judge, try_out
from lorewright.turn.run.submitted import actions_of, words_of
from lorewright.turn.stages.stages import STAGES, Stages, make_stages, pinned_library
from lorewright.turn.store.store import CampaignStore
from lorewright.turn.store.turn_store import redo, undo_played
from lorewright.turn.views.acquaintance import Acquaintance
from lorewright.turn.views.draft import Setting, Submission, persona_called, persona_ops, somebody_called
from lorewright.turn.views.packet import scene_summary, threads_summary
from lorewright.turn.views.player_ids import PlayerIds, player_ids
from lorewright.values.annotations import NO_ANNOTATIONS, Annotations, summary_for
from lorewright.values.records import BUILTIN, SILENT, CampaignRow, InterpreterOutput, TurnListener
from lorewright.world.apply import apply
from lorewright.world.ops import StateOp
from lorewright.world.state import Thread, WorldState

# A turn that was run by rules that an upgrade has replaced meanwhile is run again, at most this often.
_UPGRADED_MEANWHILE = 3


# What a campaign takes in memory while it is open, as measured: its rules, SQLite and what is cached for it; and of
# each turn, beside what was told in it, what was tried, its part of two states, and where its windows are.
_OPEN_BYTES = 5_000_000
_TURN_BYTES = 3_000

# A campaign's row at its head, and the setting that is made from it.
Made = tuple[CampaignRow, Setting]


@dataclass(slots=True)
class OpenCampaign:
    """A campaign that is open for play: its file, and all that stays the same until it is upgraded or the head goes
    back over an upgrade."""

    store: CampaignStore
    stage_models: StageModels
    _make: Callable[[], Made]
    _made: Made

    @property
    def row(self) -> CampaignRow:
        """Return the campaign's row as it was when its setting was made."""
        return self._current()[0]

    @property
    def setting(self) -> Setting:
        """Return the rules and packs at the head."""
        return self._current()[1]

    @property
    def memory_bytes(self) -> int:
        """Return about how much memory it takes now, while it is open; it grows with its story."""
        story = self.store.last_story
        # What was told is kept as it was told, and in lower case.
        return _OPEN_BYTES + _TURN_BYTES * len(story.exchanges) + 2 * len(story.told)

    @property
    def keys(self) -> ModelKeys:
        """Return the model keys of the active sitting, else those of the campaign."""
        return ModelKeys.of(self.store.database)

    @property
    def asks_models(self) -> bool:
        """Return whether any stage of the next turn asks a model."""
        return self._asks_models(self.keys)

    def _asks_models(self, keys: ModelKeys) -> bool:
        return any(self.stage_models.key(stage, keys) != BUILTIN for stage in STAGES)

    @property
    def stages(self) -> Stages:
        """Return the stages of the next turn, with the current models, prompts and budget."""
        keys = self.keys
        if not self._asks_models(keys):
            return make_stages({})
        return self.stage_models.stages(
            keys, pinned_library(self.store.database, self.stage_models.library), self.spent()
        )

    def spent(self) -> CallUsage:
        """Return the cost of the active sitting so far; without an active sitting, that of the campaign."""
        active = active_session_row(self.store.database)
        return CallUsage(*spent_in(self.store.database, None if active is None else active.id))

    def acquaintance(self, persona: str | None = None, *, of: str = "") -> Acquaintance:
        """Return what the player knows at the head about the people of the story; with `persona`, what they know once
        they play the persona of that ID; with `of`, what the player of that persona knows while another is played.

        Raises:
            CampaignError: the persona is nowhere just now and cannot be played.
        """
        head, setting = self.store.head(), self.setting
        if persona is not None:
            head = replace(head, state=apply(head.state, persona_ops(Submission("", "", persona), head.state)).state)
        if not of or of == head.state.player_id:
            return Acquaintance(head.state, setting.generations, setting.story(head))
        # The story of another persona is read anew: the store remembers that of the one who is played.
        others = replace(head, state=head.state.with_fields(player_id=of))
        return Acquaintance(head.state, setting.generations, self.store.story(others), of)

    def player_ids(self) -> PlayerIds:
        """Return the IDs that disguised entities have for the player; all output for a player is translated with
        them."""
        return ids_in(self.store, self.setting.generations)

    def change_setting(self, **changes: Any) -> None:
        """Replace some fields of the setting until the head goes over an upgrade; for measurements."""
        row, setting = self._current()
        self._made = (row, replace(setting, **changes))

    def reopen_packs(self) -> None:
        """Open the pinned packs again, so that vectors that were added meanwhile are searched from the next turn on."""
        self._made = self._make()

    def _current(self) -> Made:
        if self.store.upgrade_id() != self._made[0].upgrade_id:
            self._made = self._make()
        return self._made

    async def submit(
        self,
        text: str,
        *,
        action_id: str | None = None,
        persona: str | None = None,
        thought: str = "",
        whisper_to: str | None = None,
        builtin: bool = False,
        listener: TurnListener = SILENT,
    ) -> str:
        """Run a turn and return its TurnResult as canonical JSON. See `run_turn` for what it raises. With `builtin` no
        model is asked, whatever the campaign's keys are; `listener` is told the progress.

        `persona` is who speaks from now on, `thought` what they think to themselves, `whisper_to` the only person who
        is to hear it: people by ID or name.

        Without an action ID one is made from the head and the words, so the same words sent twice to the same head are
        one submission. Characters that cannot be encoded as UTF-8 become question marks.
        """
        return await self._run(
            self._submission(text, action_id, persona, thought, whisper_to), builtin=builtin, listener=listener
        )

    async def submit_actions(
        self,
        actions: Sequence[Action | Mapping[str, Any]],
        *,
        text: str = "",
        action_id: str | None = None,
        persona: str | None = None,
        thought: str = "",
        whisper_to: str | None = None,
        builtin: bool = False,
        listener: TurnListener = SILENT,
    ) -> str:
        """Run a turn of actions that somebody else read or thought of: no words are read, and each action goes to the
        rules as it is. Everything else is as in `submit`; `text` are the words that they stand for, if there were any.

        Keys may be in camelCase, and an action without an actor is the player's.

        Raises:
            CampaignError: one of them is no action, or there are too many.
        And what `submit` raises.
        """
        made = self._submission(text, action_id, persona, thought, whisper_to, actions)
        return await self._run(made, builtin=builtin, listener=listener)

    async def parse(self, text: str, *, builtin: bool = False) -> InterpreterOutput:
        """Return how a line would be read at the head: its actions, or the question that it would be answered with.
        Nothing is played or stored."""
        made = self._submission(text, "parse", None, "", None)
        return (await judge(self.store.head(), made, self.setting, self._stages(builtin=builtin))).output

    async def validate(self, actions: Sequence[Action | Mapping[str, Any]]) -> Validation:
        """Return how the rules judge actions at the head. No model is asked, and nothing is played or stored.

        Raises:
            CampaignError: one of them is no action, or there are too many.
        """
        made = self._submission("", "validate", None, "", None, actions)
        return (await judge(self.store.head(), made, self.setting, make_stages({}))).judged

    async def apply(
        self, actions: Sequence[Action | Mapping[str, Any]], *, action_id: str | None = None
    ) -> AppliedActions:
        """Return the state that actions would lead to, with the dice that the action ID would throw, before anybody
        else acts. No model is asked, and nothing is played or stored.

        Raises:
            CampaignError: one of them is no action, or there are too many.
        """
        made = self._submission("", action_id, None, "", None, actions)
        return await try_out(self.store.head(), made, self.setting, make_stages({}))

    def _submission(
        self,
        text: str,
        action_id: str | None,
        persona: str | None,
        thought: str,
        whisper_to: str | None,
        actions: Sequence[Action | Mapping[str, Any]] | None = None,
    ) -> Submission:
        persona, whisper_to = self._named(persona, whisper_to)
        tried: tuple[Action, ...] = ()
        if actions is not None:
            tried = actions_of(actions, player_id=persona or self.store.head().state.player_id)
            text = text or words_of(tried)
        text, thought = (part.encode("utf-8", "replace").decode("utf-8") for part in (text, thought.strip()))
        made = Submission(text, action_id or "", persona=persona, thought=thought, whisper_to=whisper_to, actions=tried)
        return made if action_id else replace(made, action_id=_action_id(head_row(self.store.database), made))

    def _stages(self, *, builtin: bool) -> Stages:
        return make_stages({}) if builtin else self.stages

    async def _run(self, submission: Submission, *, builtin: bool, listener: TurnListener) -> str:
        stages = self._stages(builtin=builtin)
        for _ in range(_UPGRADED_MEANWHILE):
            setting = self.setting
            try:
                return await run_turn(self.store, submission, setting, stages, listener)
            except HeadMoved:
                if self.setting is setting:
                    raise
        return await run_turn(self.store, submission, self.setting, stages, listener)

    def _named(self, persona: str | None, whisper_to: str | None) -> tuple[str | None, str | None]:
        """Return the IDs of the persona and of the person whispered to; each is None where none was named."""
        if persona is None and whisper_to is None:
            return None, None
        state = self.store.head().state
        who = None if persona is None else persona_called(persona, state)
        if whisper_to is None:
            return who, None
        # A player who speaks as another persona whispers where that persona is.
        return who, self.somebody_called(whisper_to, persona=who)

    def somebody_called(self, name: str, *, persona: str | None = None) -> str:
        """Return the ID of the person with that ID or name, among those whom the player may hear of.

        Raises:
            CampaignError: nobody has that ID or name.
        """
        knows = self.acquaintance(persona)
        return somebody_called(name, knows.shown, heard_of=knows.heard_of(name), ids=self.player_ids().ids)

    def edit(
        self,
        ops: Sequence[StateOp],
        *,
        action_id: str,
        by: str = "gm",
        note: str = "",
        revision: int | None = None,
        kept: Annotations = NO_ANNOTATIONS,
    ) -> str:
        """Change the world from outside, in a turn of its own, and return its TurnResult as canonical JSON. See
        `editing.edit` for its arguments and what it raises."""
        make = partial(edit, self.store, ops, action_id=action_id, by=by, note=note, revision=revision, kept=kept)
        for _ in range(_UPGRADED_MEANWHILE):
            setting = self.setting
            try:
                return make(setting=setting)
            except HeadMoved:
                if self.setting is setting:
                    raise
        return make(setting=self.setting)

    def get_summary(self, scope: Literal["scene", "threads", "session", "story"], scope_id: str | None = None) -> str:
        """Return a summary at the head, as the player may know it: of the present scene, of the open threads or of one
        of them, of a sitting that has ended (by default the last), or of the story so far. Empty where there is none.

        Raises:
            NotFound: there is no such thread or sitting.
        """
        head = self.store.head()
        shown = self.acquaintance().shown
        match scope:
            case "scene":
                return scene_summary(shown)
            case "threads":
                return threads_summary(shown if scope_id is None else shown.with_fields(threads=_only(shown, scope_id)))
            case "session":
                ended = [row for row in session_rows(self.store.database) if row.summary is not None]
                found = [row for row in ended if scope_id in (None, row.id)]
                if scope_id is not None and not found:
                    raise NotFound(f"there is no ended sitting {scope_id}", hint="see: lorewright session list")
                return found[-1].summary or "" if found else ""
            case "story":
                return " ".join(sentence.text for sentence in summary_for(head.summary, head.state.player_id))

    async def retry(
        self,
        *,
        words: str = "",
        action_id: str | None = None,
        builtin: bool = False,
        listener: TurnListener = SILENT,
    ) -> str:
        """Take back the last turn that was played and play its words again, or other `words` in their place, with other
        dice; return the TurnResult as canonical JSON. Where a turn was played under the action ID, its result is
        returned, and nothing is taken back.

        Where that fails or is cancelled, the turn that was taken back is redone.

        Raises:
            CampaignError: nothing was played yet.
        And what `submit` raises.
        """
        if action_id is not None and (stored := self.store.result_of(action_id)) is not None:
            return stored
        _, said = undo_played(self.store)
        submission = self.store.submission(self.store.undone()[-1])
        whispered_to = self.player_ids().ids.get(submission.whisper_to or "", submission.whisper_to)
        try:
            again = self._submission(
                words or said,
                action_id,
                submission.persona,
                submission.thought,
                whispered_to,
                None if words or not submission.actions else submission.actions,
            )
            return await self._run(again, builtin=builtin, listener=listener)
        except (LorewrightError, CancelledError):
            with suppress(CampaignError):
                redo(self.store)
            raise


def _only(state: WorldState, thread_id: str) -> dict[str, Thread]:
    if thread_id not in state.threads:
        raise NotFound(f"there is no thread {thread_id}", hint=f"one of {', '.join(sorted(state.threads))}")
    return {thread_id: state.threads[thread_id]}


def ids_in(store: CampaignStore, generations: Sequence[Generation]) -> PlayerIds:
    """Return the IDs that disguised entities have for the player of a campaign, as they were when the campaign began or
    when the entity first came in."""
    opening = store.state_at(store.path()[0].turn_id)
    return player_ids(store.campaign_id, (opening, store.head().state), generations)


def _action_id(head: HeadRow, made: Submission) -> str:
    words = [made.text, made.beside] if made.beside else [made.text]
    return f"auto-{content_hash(canonical_json([head.turn_id, head.revision, *words]))[:16]}"
