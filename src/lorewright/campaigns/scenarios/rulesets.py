"""The rulesets that ship and those of the workspace: file -> Ruleset, or every fault of the file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.campaigns.scenarios.faults import FileFault, faults_in_lines, faults_of, yaml_fault
from lorewright.campaigns.scenarios.ruleset_defaults import with_defaults
from lorewright.errors import NotFound, RulesetError
from lorewright.ids import content_hash, is_id
from lorewright.packs.bounded_yaml import YamlProblem, line_of, lines_of_yaml, load_yaml
from lorewright.rules.effects import Effect
from lorewright.rules.patch import REASON_CODES
from lorewright.rules.ruleset_checks import ruleset_problems, ruleset_remarks
from lorewright.rules.rulesets import ActionType, Ruleset
from lorewright.rules.validate import COST_KEYS
from lorewright.world.schemas import plain

# The fields that `ruleset list` and `ruleset show` print.


def listed_ruleset(ruleset: Ruleset, content_hash: str) -> dict[str, Any]:
    """Return the fields of a line of `ruleset list`."""
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "profile": ruleset.profile,
        "roll": rolled(ruleset),
        "summary": " ".join(ruleset.summary.split()),
        "stats": list(ruleset.stats),
        "content_hash": content_hash,
    }


def shown_ruleset(ruleset: Ruleset, content_hash: str) -> dict[str, Any]:
    """Return all fields of a ruleset as it is played, and the costs and reason codes that every ruleset has."""
    data = ruleset.model_dump(mode="json", by_alias=True)
    return {
        **data,
        "content_hash": content_hash,
        "roll": rolled(ruleset),
        "character_stat_schema": plain(ruleset.character_stat_schema),
        "scene_state_schema": plain(ruleset.scene_state_schema),
        "costs": costs_in(ruleset),
        "reason_codes": dict(REASON_CODES),
    }


def rolled(ruleset: Ruleset) -> str:
    """Return the roll of a ruleset, as a formula."""
    return ruleset.roll or f"{ruleset.dice} + {'stat' if ruleset.stats else 'trait'}"


def costs_in(ruleset: Ruleset) -> list[str]:
    """Return the costs that an action may have: those of every ruleset, then the ruleset's own."""
    own = {cost for action in ruleset.actions.values() for cost in action.costs}
    return [*COST_KEYS, *sorted(own - set(COST_KEYS))]


def checked_by(action: ActionType) -> str:
    """Return the check of an action, in few words; empty where it has none."""
    check = action.check
    if check is None:
        return ""
    names = ", ".join(check.stats) or check.add or "what the attempt calls for"
    rolled_by = f"{check.roll} " if check.roll else ""
    condition = check.when.model_dump(mode="json", by_alias=True, exclude_none=True) if check.when else {}
    bounds = " ".join(f"{key} {value}" for key, value in condition.items())
    return f"{rolled_by}{names}" + (f" (while {bounds})" if bounds else "")


def priced(action: ActionType) -> str:
    """Return the costs of an action other than its minutes, in few words."""
    return ", ".join(f"{cost} {by:+d}" for cost, by in sorted(action.costs.items()))


def hindrances(ruleset: Ruleset) -> list[tuple[str, str, str, str]]:
    """Return what hinders an attempt, as rows: when (`bound`, `dead (target)`), its summary, what it forbids, its
    modifier of the dice."""
    named = [*ruleset.conditions.items(), *ruleset.situations.items()]
    rows = [
        (key, hindrance.summary, ", ".join(hindrance.forbids), f"{hindrance.modifier:+d}" if hindrance.modifier else "")
        for key, hindrance in named
    ]
    facts = [
        (f"{contradiction.fact} ({contradiction.about})", "known as a fact", ", ".join(contradiction.forbids), "")
        for contradiction in ruleset.contradictions
    ]
    return [*rows, *facts]


def effects_in_words(effects: Sequence[Effect]) -> list[str]:
    """Return each effect as its author wrote it, in one line."""
    written = [effect.model_dump(mode="json", by_alias=True, exclude_defaults=True) for effect in effects]
    return [", ".join(f"{key} {_short(value)}" for key, value in fields.items()) for fields in written]


def _short(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)


# The rulesets that ship and those of the workspace: file -> Ruleset, or every fault of the file.

_KEYS = "see docs/rulesets.md for the keys of a ruleset"
# At most this many rulesets extend one another.
_DEEPEST = 4
_SUFFIX = ".yaml"


def ruleset_names(own: Path | None = None) -> list[str]:
    """Return the IDs of the rulesets that ship and of those in the folder `own`, sorted."""
    library = resources.files("lorewright.rules") / "library"
    names = {file.name.removesuffix(_SUFFIX) for file in library.iterdir() if file.name.endswith(_SUFFIX)}
    return sorted(names | ({file.stem for file in own.glob(f"*{_SUFFIX}")} if own is not None else set()))


def rulesets_beside(scenarios: Path) -> Path:
    """Return the folder of the workspace's own rulesets, which lies beside that of the scenarios."""
    return scenarios.parent / "rulesets"


def load_ruleset(ruleset_id: str, own: Path | None = None) -> tuple[Ruleset, str]:
    """Return a ruleset and the hash of its text; the hash covers the texts of the rulesets that it extends. A ruleset
    that ships goes before one of the same name in the folder `own`.

    Raises:
        NotFound: there is no ruleset of that name.
        RulesetError: the file is no valid ruleset; the message has file, line and key.
    """
    if own is not None and ruleset_id not in ruleset_names() and is_id(ruleset_id):
        file = own / f"{ruleset_id}{_SUFFIX}"
        if file.is_file():
            written = load_ruleset_file(file)
            if written.id != ruleset_id:
                hint = f"write id: {ruleset_id}, or rename the file"
                raise RulesetError(f"{file}:1: id: it is {written.id}", hint=hint)
            return written, _hash_of(read_text(file, MAX_WRITTEN_BYTES, RulesetError))
    return _read_shipped(_shipped(ruleset_id, known=ruleset_names(own)), ruleset_id)


# Each new campaign asks for its ruleset twice, and a ruleset is frozen.
@lru_cache(maxsize=16)
def _read_shipped(text: str, ruleset_id: str) -> tuple[Ruleset, str]:
    ruleset, faults = read_ruleset(text)
    if ruleset is None:
        lines = "\n".join(f"{ruleset_id}{_SUFFIX}:{fault.line}: {fault.message}" for fault in faults[:5])
        raise RulesetError(lines, hint=faults[0].hint)
    return ruleset, _hash_of(text)


def _hash_of(text: str) -> str:
    return content_hash("\n".join([text, *_bases(text)]))


def load_ruleset_file(path: Path) -> Ruleset:
    """Return the ruleset in a file.

    Raises:
        NotFound: there is no such file.
        RulesetError: the file is no valid ruleset; the message has file, line and key.
    """
    ruleset, faults = read_ruleset_file(path)
    if ruleset is None:
        raise RulesetError(faults_in_lines(path, faults), hint=faults[0].hint)
    return ruleset


def read_ruleset_file(path: Path) -> tuple[Ruleset | None, list[FileFault]]:
    """Return the ruleset in a file and no faults, or None and every fault of the file.

    Raises:
        NotFound: there is no such file.
    """
    if not path.is_file():
        raise NotFound(f"there is no ruleset at {path}", hint="see: lorewright ruleset list")
    try:
        return read_ruleset(read_text(path, MAX_WRITTEN_BYTES, RulesetError))
    except UnicodeDecodeError:
        return None, [FileFault(1, "the file is not UTF-8", "save it as UTF-8")]
    except RulesetError as problem:
        return None, [FileFault(1, problem.message.removeprefix(f"{path}: "), problem.hint or _KEYS)]


def find_ruleset(name: str, own: Path) -> tuple[str, str]:
    """Return the file and the text of a ruleset, named by its file or by its ID: one that ships, or one of the
    folder `own`.

    Raises:
        NotFound: there is neither such a file nor such a ruleset.
        RulesetError: the file is too large, or not UTF-8.
    """
    file = Path(name) if Path(name).is_file() or Path(name).suffix else own / f"{name}{_SUFFIX}"
    if not file.is_file():
        return f"{name}{_SUFFIX}", _shipped(name, known=ruleset_names(own))
    try:
        return str(file), read_text(file, MAX_WRITTEN_BYTES, RulesetError)
    except UnicodeDecodeError:
        raise RulesetError(f"{file}:1: the file is not UTF-8", hint="save it as UTF-8") from None


def remarks_on_ruleset(ruleset: Ruleset, text: str) -> list[FileFault]:
    """Return what is probably a mistake in a ruleset that can be played, by line."""
    lines = lines_of_yaml(text)
    return [FileFault(line_of(lines, found.path), found.message, found.hint) for found in ruleset_remarks(ruleset)]


def read_ruleset(text: str) -> tuple[Ruleset | None, list[FileFault]]:
    """Return the ruleset of a text and no faults, or None and every fault, by line."""
    try:
        data = _whole(_mapping(text))
        lines = lines_of_yaml(text)
    except YamlProblem as problem:
        return None, [yaml_fault(problem)]
    except NotFound as problem:
        return None, [FileFault(1, f"extends: {problem.message}", problem.hint or _KEYS)]
    if data is None:
        return None, [FileFault(1, "a ruleset is `key: value` lines", _KEYS)]
    try:
        ruleset = Ruleset.model_validate(data)
    except ValidationError as problem:
        return None, sorted(
            faults_of(problem, lines, data=data, model=Ruleset, hint=_KEYS), key=lambda fault: fault.line
        )
    problems = [
        FileFault(
            line_of(lines, ruleset_problem.path),
            f"{'.'.join(map(str, ruleset_problem.path))}: {ruleset_problem.message}",
            ruleset_problem.hint,
        )
        for ruleset_problem in ruleset_problems(ruleset)
    ]
    return (None, sorted(problems, key=lambda fault: fault.line)) if problems else (ruleset, [])


def _shipped(ruleset_id: str, *, known: list[str] | None = None) -> str:
    if ruleset_id not in ruleset_names():
        names = ", ".join(known or ruleset_names())
        raise NotFound(f"there is no ruleset {ruleset_id}", hint=f"one of: {names}")
    return (resources.files("lorewright.rules") / "library" / f"{ruleset_id}{_SUFFIX}").read_text(encoding="utf-8")


def _mapping(text: str) -> dict[str, Any] | None:
    data = load_yaml(text).data
    return data if isinstance(data, dict) else None


def _whole(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the data with those of the ruleset that it extends, and with what it may leave out."""
    found = _with_base(data)
    return (
        None
        if found is None
        else with_defaults(found, lambda ruleset_id: _with_base(_mapping(_shipped(ruleset_id))) or {})
    )


def _with_base(data: dict[str, Any] | None, *, depth: int = 0) -> dict[str, Any] | None:
    """Return the data on top of the ruleset that it `extends`: a key that it has replaces that key whole."""
    if data is None or "extends" not in data:
        return data
    if depth >= _DEEPEST:
        raise NotFound("too many rulesets stand upon one another", hint="extend a ruleset that extends none")
    base = _with_base(_mapping(_shipped(str(data["extends"]))), depth=depth + 1)
    return {**(base or {}), **{key: value for key, value in data.items() if key != "extends"}}


def _bases(text: str) -> list[str]:
    """Return the texts of the rulesets that a ruleset extends, nearest first."""
    found: list[str] = []
    data = _mapping(text)
    while data is not None and "extends" in data and len(found) < _DEEPEST:
        found.append(_shipped(str(data["extends"])))
        data = _mapping(found[-1])
    return found
