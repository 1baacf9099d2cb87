"""lorewright ruleset …: list, show, validate."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from lorewright.campaigns.scenarios.rulesets import (
    checked_by,
    effects_in_words,
    find_ruleset,
    hindrances,
    listed_ruleset,
    load_ruleset,
    priced,
    read_ruleset,
    remarks_on_ruleset,
    rolled,
    ruleset_names,
    shown_ruleset,
)
from lorewright.cli.output import note, say, show_json, show_table
from lorewright.errors import RulesetError
from lorewright.rules.dice import DiceContext, DiceRequest, FixedDice, roll_dice
from lorewright.rules.rulesets import Ruleset
from lorewright.settings import find_workspace

app = typer.Typer(
    help="Rulesets: how things are resolved, and what is wrong with one.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("list", epilog="Example: lorewright ruleset list --json")
def list_rulesets(as_json: AsJson = False) -> None:
    """The rulesets that ship, and those in the workspace's `rulesets/`."""
    own = find_workspace(Path.cwd()).rulesets
    rows = []
    for name in ruleset_names(own):
        try:
            rows.append(listed_ruleset(*load_ruleset(name, own)))
        except RulesetError:
            note(f"{name}.yaml is no ruleset: see lorewright ruleset validate {own / name}.yaml")
    if as_json:
        show_json(rows)
        return
    columns = ("id", "name", "profile", "roll", "summary")
    show_table(("ruleset", *columns[1:]), [tuple(row[column] for column in columns) for row in rows])


@app.command(epilog="Example: lorewright ruleset show everyday-tension")
def show(
    name: Annotated[str, typer.Argument(help="A ruleset's ID, as `ruleset list` prints it.")], as_json: AsJson = False
) -> None:
    """What a ruleset is: rulebook, stats, bands, action types, costs, schemas, owners, reason codes."""
    ruleset, content_hash = load_ruleset(name, find_workspace(Path.cwd()).rulesets)
    shown = shown_ruleset(ruleset, content_hash)
    if as_json:
        show_json(shown)
        return
    say(f"{ruleset.name} ({ruleset.id}), profile {ruleset.profile}", style="bold")
    say(f"content hash {content_hash}", style="dim")
    say()
    say(ruleset.rulebook_text.rstrip())
    _show_stats(ruleset)
    _show_rolls(ruleset)
    _show_actions(ruleset)
    _show_hardships(ruleset)
    _show_state(ruleset)
    _titled("Costs")
    say(", ".join(shown["costs"]))
    _titled("Reason codes")
    show_table(("code", "why an attempt is not possible"), list(shown["reason_codes"].items()))


@app.command(epilog="Example: lorewright ruleset validate my_rules.yaml")
def validate(
    name: Annotated[str, typer.Argument(metavar="FILE|ID", help="A ruleset's YAML file, or its ID.")],
    as_json: AsJson = False,
) -> None:
    """Check a ruleset as a compiler would: every key, formula, path, owner and schema. Exit 1 when it is none; what is
    never rolled, remembered or faded is a warning."""
    file, text = find_ruleset(name, find_workspace(Path.cwd()).rulesets)
    ruleset, faults = read_ruleset(text)
    found = [("error", fault) for fault in faults]
    found += [("warning", remark) for remark in (remarks_on_ruleset(ruleset, text) if ruleset else ())]
    if as_json:
        show_json(
            [
                {"file": file, "line": fault.line, "severity": severity, "message": fault.message, "hint": fault.hint}
                for severity, fault in found
            ]
        )
    else:
        for severity, fault in found:
            style = "red" if severity == "error" else "yellow"
            say(f"{file}:{fault.line}: {severity} {fault.message} ({fault.hint})", style=style)
        say(f"{len(faults)} errors" if ruleset is None else f"{ruleset.id}: no errors")
    if ruleset is None:
        raise typer.Exit(1)


@app.command("roll", epilog="Example: lorewright ruleset roll 1d20+3 --seed 4f1c")
def roll_for(
    expression: Annotated[str, typer.Argument(help="NdM, NdM+K or NdM-K.")],
    seed: Annotated[
        str | None, typer.Option(help="Throw the same again: a roll's own seed. Any, if not given.")
    ] = None,
    character: Annotated[str, typer.Option(help="For whom: their ID.")] = "",
    check: Annotated[str, typer.Option(help="What is checked, in a word or two.")] = "",
    as_json: AsJson = False,
) -> None:
    """Throw dice as a turn does. The seed that a turn has stored of a roll has it fall again."""
    context = DiceContext(character_id=character, check_type=check)
    try:
        request = DiceRequest(expression=expression, seed=seed or secrets.token_hex(8), context=context)
        result = roll_dice(request, FixedDice([]))
    except ValueError as problem:
        raise RulesetError(str(problem).partition("\n")[0], hint="write for example 2d6 or 1d20+3") from None
    shown = result.model_dump(mode="json")
    if as_json:
        show_json({**shown, "context": context.model_dump(mode="json")})
        return
    whose = " ".join(word for word in (character, check) if word)
    fell = f"{' + '.join(map(str, result.rolls))}{f' {result.modifier:+d}' if result.modifier else ''} = {result.total}"
    say(f"{f'{whose}: ' if whose else ''}{result.expression}: {fell} (seed {result.seed})")


def _show_stats(ruleset: Ruleset) -> None:
    if not ruleset.stats:
        return
    _titled("Stats")
    rows = [(key, stat.represents, stat.high, stat.low, stat.success, stat.fail) for key, stat in ruleset.stats.items()]
    show_table(("stat", "represents", "high", "low", "success", "fail"), rows)
    for trait, names in ruleset.traits.items():
        say(f"what calls for {trait} is rolled with {' or '.join(names)}", style="dim")


def _show_rolls(ruleset: Ruleset) -> None:
    _titled(f"Bands of {rolled(ruleset)}")
    last = ruleset.bands[-1]
    rows = [
        (band.name, "less" if band is last and len(ruleset.bands) > 1 else f"{band.minimum}+", band.title, band.summary)
        for band in ruleset.bands
    ]
    show_table(("band", "total", "title", "what it means"), rows)


def _show_actions(ruleset: Ruleset) -> None:
    _titled("Action types")
    rows = [
        (kind, action.minutes, priced(action), checked_by(action), action.summary)
        for kind, action in ruleset.actions.items()
    ]
    show_table(("action", "minutes", "costs", "rolled with", "what it is"), rows)


def _show_hardships(ruleset: Ruleset) -> None:
    """Print what hinders people, what speaks against an act, what failures and provocations bring."""
    rows = hindrances(ruleset)
    if rows:
        _titled("What stands in the way")
        show_table(("when", "what it is", "forbids", "dice"), rows)
    if ruleset.streak is not None:
        _titled(f"After {ruleset.streak.threshold} failures in a row")
        say("; ".join(effects_in_words(ruleset.streak.effects)) or "nothing")
    if ruleset.escalation:
        _titled("How far people go")
        steps = [
            (step, "; ".join(effects_in_words(level.effects)), level.say) for step, level in ruleset.escalation.items()
        ]
        show_table(("step", "effects", "told"), steps)


def _show_state(ruleset: Ruleset) -> None:
    """Print the paths that the two schemas describe, and who may change each."""
    rows: list[tuple[Any, ...]] = []
    for part, schema in (("scene", ruleset.scene_state_schema), ("stats", ruleset.character_stat_schema)):
        for name, prop in schema.get("properties", {}).items():
            path = f"{part}.{name}"
            needed = "yes" if name in schema.get("required", ()) else ""
            rows.append(
                (path, prop.get("type", ""), _bounds(prop), prop.get("default", ""), needed, ruleset.owner_of(path))
            )
    if rows:
        _titled("State")
        show_table(("path", "type", "bounds", "default", "required", "owner"), rows)
    if ruleset.timers:
        say("with every minute: " + ", ".join(f"{path} {by:+d}" for path, by in ruleset.timers.items()))


def _bounds(schema: Any) -> str:
    if "enum" in schema:
        return " ".join(map(str, schema["enum"]))
    low, high = schema.get("minimum"), schema.get("maximum")
    return f"{'' if low is None else low}..{'' if high is None else high}" if (low, high) != (None, None) else ""


def _titled(title: str) -> None:
    say()
    say(title, style="bold")
