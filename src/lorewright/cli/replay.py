"""lorewright replay: think recorded turns again, and see what comes out otherwise."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lorewright.cli.opening import open_app
from lorewright.cli.output import console, note, say, show_json, show_table, wrapped
from lorewright.errors import SettingsError
from lorewright.replay.comparing import TurnReplay
from lorewright.replay.metrics import ALL_TURNS, MICRO, read_range
from lorewright.replay.page import metric_rows
from lorewright.replay.recording import Overrides
from lorewright.replay.replay import Estimate, Replay, Replays

EXAMPLES = {"replay": "Example: lorewright replay friday --turns 3:8 --prompt narrator=v2 --out report.json"}

# Two narrations in columns, on the widest page that is easy to read.
_WIDEST = 160
# At most this many differences of one turn are printed; all of them are in the JSON.
_SHOWN = 4


def replay(
    campaign_id: Annotated[str, typer.Argument(help="The campaign's ID.")],
    turns: Annotated[str | None, typer.Option(help="These turns: 3:8, 3:, :8 or 5. All, if not given.")] = None,
    prompt: Annotated[
        list[str] | None, typer.Option(help="Another version of a prompt: narrator=v2 (may be repeated).")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="Another model for all stages that ask one: KEY; or for one: narrator=KEY. `builtin` is one."
        ),
    ] = None,
    rethink: Annotated[
        bool,
        typer.Option("--rethink", help="Run built-in stages anew where another version of them played the turn."),
    ] = False,
    reroll: Annotated[
        bool, typer.Option("--reroll", help="Throw the dice anew from the campaign's seed, instead of as recorded.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**31, help="Throw the dice anew from this seed; implies --reroll.")
    ] = None,
    each: Annotated[
        bool, typer.Option("--each", help="Begin each turn where it was recorded to begin, not where the last one led.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask paid models without asking you first.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the JSON to this file as well.")] = None,
) -> None:
    """Think turns again from what was recorded of them. Nothing of the campaign is changed.

    Models answer and dice fall as recorded, so that states and narrations come out the same, byte for byte; if not,
    the exit code is 1 and the report says where they part first. With --prompt or --model the stages that are named ask
    a model now, and the report shows what that changes. What costs money is named first, with an estimate, and asked
    about. What another version of a built-in stage made is taken as recorded too, and the report says so; --rethink
    runs it anew. The report may hold secrets.
    """
    replays = open_app().replays
    wanted = ALL_TURNS if turns is None else read_range(turns)
    overrides = Overrides(dict(_pairs(prompt or (), "--prompt narrator=v2")), _models(model or (), replays), rethink)
    if overrides and not yes:
        _ask_first(replays.estimate(campaign_id, wanted, overrides), replays)
    found = asyncio.run(
        replays.rerun_turns(
            campaign_id,
            wanted,
            overrides.prompts,
            override_models=overrides.models,
            rethink=rethink,
            reroll=reroll,
            seed=seed,
            each=each,
        )
    )
    if out is not None:
        out.write_text(json.dumps(found.as_dict(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        note(f"written to {out}")
    if as_json:
        show_json(found.as_dict())
    else:
        _show(found)
    asked_for = overrides.prompts or overrides.models or any(turn.rethought for turn in found.turns)
    if not found.is_identical and not asked_for:
        raise typer.Exit(1)


def _ask_first(estimate: Estimate, replays: Replays) -> None:
    """Name the models that may cost money and their address, and go on only if the user agrees."""
    if estimate.keys:
        price = f"about ${estimate.microusd / MICRO:.2f}"
        if estimate.unpriced:
            price += f" and the price of {', '.join(estimate.unpriced)}, which is unknown"
        named, times = ", ".join(estimate.keys), estimate.calls
        where = ", ".join(sorted({replays.address(key) or "" for key in estimate.keys}))
        note(f"this asks {named} {times} times, for {price}, and more where it is repaired, at {where}")
        typer.confirm("Go on?", abort=True, err=True)


def _pairs(texts: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value:
            raise SettingsError(f"{text!r} is not NAME=VALUE", hint=f"write {example}")
        yield name, value


def _models(texts: Sequence[str], replays: Replays) -> dict[str, str]:
    """Return keys by stage; a key that is given for a stage goes before one that is given for all."""
    general = [text for text in texts if "=" not in text]
    if len(general) > 1:
        raise SettingsError(
            "only one --model may be given for all stages", hint="name the stages: --model narrator=KEY"
        )
    keys = dict(replays.stages_of(general[0])) if general else {}
    return keys | dict(_pairs([text for text in texts if "=" in text], "--model narrator=KEY"))


def _show(found: Replay) -> None:
    thought = [turn for turn in found.turns if turn.is_thought]
    first, last = found.turns[0].turn_no, found.turns[-1].turn_no
    verdict = "identical" if found.is_identical else "not identical"
    say(f"{found.campaign_id}, turns {first} to {last}, {len(thought)} thought again: {verdict}", style="bold")
    for text in _remarks(found, thought):
        say(wrapped(text))
    parted = found.first_divergence
    if parted is not None:
        say(wrapped(f"first divergence: turn {parted.turn_no}: {parted.error or parted.differences[0]}", hanging="  "))
    for turn in found.turns:
        if turn.note or not turn.is_identical:
            _show_turn(turn)
    say()
    _show_metrics(found)


def _remarks(found: Replay, thought: Sequence[TurnReplay]) -> Iterator[str]:
    """Yield remarks that concern more than one turn."""
    if found.stopped is not None:
        yield f"stopped: {found.stopped}"
    if found.reroll:
        rolls = [roll for turn in thought for roll in turn.rolls]
        same = all(turn.rolls == turn.recorded_rolls for turn in thought)
        origin = "" if found.seed is None else f" from the seed {found.seed}"
        yield f"dice thrown anew{origin}: {len(rolls)} rolls, {'all as recorded' if same else 'not as recorded'}"
    yield from _version_remarks(thought)
    if found.overrides and not any(turn.anew or turn.rethought for turn in thought):
        if found.overrides.rethink:
            yield "nothing is otherwise: every built-in stage is of the version that played"
        else:
            yield "nothing is otherwise: no model ran these stages, and what is built in has no prompt"
    elif (
        found.overrides
        and not found.is_identical
        and all(turn.state_hash == turn.recorded_hash for turn in found.turns)
    ):
        yield "every state is as recorded: only what was told differs"
    elif found.overrides and all(turn.same_truth for turn in found.turns):
        yield "every state is as recorded but for the narrator's memory of its phrases"
    inward = [turn for turn in thought if turn.differences and turn.is_identical]
    if inward:
        yield f"in {len(inward)} turns a stage was given or made something else and nothing came of it: see --json"
    stale = sorted({stage for turn in thought for stage in turn.stale})
    if stale:
        yield f"answered as recorded, although given something else: {', '.join(stale)} (anew: --model {stale[0]}=KEY)"


def _version_remarks(thought: Sequence[TurnReplay]) -> Iterator[str]:
    """Yield which built-in stages of another version were taken as recorded, and which were run anew."""
    for turns, what in (
        ([turn.taken for turn in thought], "taken as recorded, because another version of the built-in stage made it"),
        ([turn.rethought for turn in thought], "run anew, in place of another version of the built-in stage"),
    ):
        counted = Counter(str(other) for others in turns for other in others)
        if counted:
            named = ", ".join(f"{other} in {_turns(times)}" for other, times in counted.items())
            yield f"{what}: {named}{' (anew: --rethink)' if what.startswith('taken') else ''}"


def _turns(number: int) -> str:
    return "1 turn" if number == 1 else f"{number} turns"


def _show_turn(turn: TurnReplay) -> None:
    say()
    say(f"turn {turn.turn_no}: {turn.player_text or turn.kind}", style="bold")
    if turn.note:
        say(wrapped(turn.note, indent="  "))
    if turn.error is not None:
        say(wrapped(f"failed: {turn.error}", indent="  "))
    for difference in turn.differences[:_SHOWN]:
        say(wrapped(str(difference), indent="  ", hanging="    "))
    if len(turn.differences) > _SHOWN:
        say(f"  and {len(turn.differences) - _SHOWN} more, see --json")
    for name, diff in (("recorded", turn.recorded_diff), ("replayed", turn.diff)):
        if diff is not None:
            changed = {key: value for key, value in diff.model_dump(mode="json").items() if value}
            say(wrapped(f"{name} changes: {json.dumps(changed, ensure_ascii=False)}", indent="  ", hanging="    "))
    if turn.text != turn.recorded_text and turn.error is None:
        half = (min(console().width, _WIDEST) - 4) // 2
        show_table(
            ("recorded", "replayed"),
            [(turn.recorded_text, turn.text)],
            widths={"recorded": half, "replayed": half},
        )


def _show_metrics(found: Replay) -> None:
    rows: list[tuple[Any, ...]] = [
        (name, recorded, replayed)
        for (name, recorded), (_, replayed) in zip(
            metric_rows(found.recorded_metrics), metric_rows(found.metrics), strict=True
        )
        if recorded != replayed
    ]
    if rows:
        show_table(("metric", "recorded", "replayed"), rows, right=("recorded", "replayed"))
    else:
        say("all metrics are as recorded", style="dim")
