"""Packs and a ruleset as they are pinned and as they are now -> the changes, as remarks of an upgrade plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import Any, Literal

from lorewright.ids import local, shown_item, slug, with_other_ids
from lorewright.index.generation import Generation, StoredChunk
from lorewright.packs.models import OPEN_ROLES, Item
from lorewright.rules.rulesets import CampaignRules, Ruleset
from lorewright.world.ops import Reshape
from lorewright.world.ruleset_state import RulesetState
from lorewright.world.schemas import filled, plain
from lorewright.world.state import OFFSTAGE, WorldState

# The values of an upgrade plan.

Kind = Literal[
    "pack-missing",
    "entity-gone",
    "section-gone",
    "section-renamed",
    "renamed",
    "secret-opened",
    "secret-closed",
    "item-gone",
    "condition",
    "scenario",
    "scenario-file",
    "ruleset-missing",
    "bands",
    "cast",
    "action",
    "schema",
    "state-misfit",
]


@dataclass(frozen=True, slots=True)
class Remark:
    """A change that an upgrade would make: a stable code, its subject (an ID, a field), the change, and what to do. A
    remark that `blocks` refuses the upgrade."""

    kind: Kind
    about: str
    what: str
    blocks: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A pack or ruleset: its version and the hash of its text as they are pinned, and as they would be. A ruleset has
    no version."""

    id: str
    version_then: str
    version_now: str
    hash_then: str
    hash_now: str

    @property
    def is_other(self) -> bool:
        """Tell whether the text differs."""
        return self.hash_then != self.hash_now


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """What an upgrade would change for a campaign. `prompts` are empty: no stage has any yet."""

    campaign_id: str
    packs: tuple[VersionChange, ...]
    ruleset: VersionChange
    prompts: tuple[VersionChange, ...]
    remarks: tuple[Remark, ...]

    @property
    def is_needed(self) -> bool:
        """Tell whether any text differs from the pinned one."""
        return any(change.is_other for change in (*self.packs, self.ruleset, *self.prompts))

    @property
    def blocking(self) -> tuple[Remark, ...]:
        """Return the remarks that refuse the upgrade; none where it may be done."""
        return tuple(remark for remark in self.remarks if remark.blocks)


def in_order(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Return the remarks without repetition, those that block first."""
    found: Sequence[Remark] = list(dict.fromkeys(remarks))
    return (*(remark for remark in found if remark.blocks), *(remark for remark in found if not remark.blocks))


# The changes of a pack: what is gone, renamed, or not secret any more.

# Two texts that are at least this much alike count as one text, edited.
_ALIKE = 0.6
# Longer texts are compared by their beginnings: two sections of one heading differ early or not at all.
_COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class _Section:
    """A section with all its parts."""

    id: str
    entity_id: str
    heading: str
    role: str
    text: str


def pack_changes(then: Generation, now: Generation, state: WorldState, ids: Mapping[str, str]) -> Iterator[Remark]:
    """Yield everything that a pack's other text would change for a campaign in a state, in the order of the pack's
    files; `ids` are those of `other_ids`."""
    yield from (Remark("renamed", old, f"{shown_item(old)} is {shown_item(new)} now") for old, new in ids.items())
    yield from _entities(then, now, state, ids)
    before, after = _sections(then), _sections(now)
    renamed = dict(_renamed(before, after, ids))
    yield from _headings(before, after, renamed, ids)
    yield from _opened_or_hidden(before, after, renamed)
    yield from _items(then, now, state, ids)


def other_ids(then: Generation, now: Generation) -> dict[str, str]:
    """Return ID then -> ID now of what other rules of reading named anew: entities by their files, and items by their
    entity and their name, else their text. Where both texts were read by the same rules an ID is never followed."""
    if then.reading == now.reading:
        return {}
    by_path = {entity.file_path: entity_id for entity_id, entity in now.entities().items()}
    ids = {
        entity_id: by_path[entity.file_path]
        for entity_id, entity in then.entities().items()
        if now.entity(entity_id) is None and entity.file_path in by_path
    }
    after = list(_items_of(now))
    by_text = {(entity_id, _words(item)): item.id for entity_id, _, item in after}
    by_name = {(entity_id, item.name): item.id for entity_id, _, item in after}
    for entity_id, _, item in _items_of(then):
        owner = ids.get(entity_id, entity_id)
        found = by_text.get((owner, _words(item))) or by_name.get((owner, item.name))
        if found is not None and found != with_other_ids(item.id, ids):
            ids[item.id] = found
    return ids


def names_then(now: Generation) -> dict[str, str]:
    """Return local ID -> local ID now of the entities that had an ID of their path by the first rules of reading, for
    scenarios that were written with it."""
    paths = {entity_id: PurePosixPath(entity.file_path) for entity_id, entity in now.entities().items()}
    then = {slug("-".join(path.with_suffix("").parts), fallback="file"): local(own) for own, path in paths.items()}
    known = {local(entity_id) for entity_id in paths}
    return {old: own for old, own in then.items() if old not in known}


def _entities(then: Generation, now: Generation, state: WorldState, ids: Mapping[str, str]) -> Iterator[Remark]:
    """Yield the entities that have lost their file; the upgrade is blocked where the state uses them, not where they
    are only known of."""
    used = _used(state)
    for entity_id, entity in then.entities().items():
        copies = [copy.id for copy in state.entities.values() if entity_id in (copy.id, copy.pack_entity_id)]
        if now.entity(ids.get(entity_id, entity_id)) is not None or not copies:
            continue
        ways = [used[copy] for copy in copies if copy in used]
        if ways:
            hint = f"give {then.pack_id} a file for it again (it was {entity.file_path}), and install that"
            yield Remark("entity-gone", entity_id, f"{entity.name} is {ways[0]} and has no file any more", True, hint)
        else:
            yield Remark("entity-gone", entity_id, f"{entity.name} is known of and has no file any more")


def _used(state: WorldState) -> dict[str, str]:
    """Return entity ID -> how the campaign uses it, in words."""
    threads = {
        related_id: f"what the thread {thread.title!r} is about"
        for thread in state.threads.values()
        for related_id in thread.related_entity_ids
    }
    things = {item: "a thing" for held in state.inventory.values() for item in held} | dict.fromkeys(
        state.doors, "a door"
    )
    cast = dict.fromkeys(state.positions, "one of the cast")
    places = {place: "a place" for place in (*state.exits, *state.positions.values()) if place != OFFSTAGE}
    return {**threads, **things, **cast, **places, state.scene.location_id: "the place of the scene"}


def _sections(generation: Generation) -> dict[str, _Section]:
    parts: dict[str, list[StoredChunk]] = {}
    for chunk in generation.all_chunks():
        parts.setdefault(chunk.section_id, []).append(chunk)
    return {
        section_id: _Section(
            section_id, found[0].entity_id, found[0].section, found[0].role, "\n".join(part.text for part in found)
        )
        for section_id, found in parts.items()
    }


def _renamed(
    before: Mapping[str, _Section], after: Mapping[str, _Section], ids: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield each section that is gone with the new section that has its text, else with the most similar one of the
    same file."""
    free = {candidate.id: candidate for candidate in after.values() if candidate.id not in before}
    for section in before.values():
        if section.id in after or not section.text.strip():
            continue
        owner = ids.get(section.entity_id, section.entity_id)
        near = [candidate for candidate in free.values() if candidate.entity_id == owner]
        same = [candidate for candidate in (*near, *free.values()) if candidate.text == section.text]
        alike = same or [candidate for candidate in near if _likeness(section, candidate) >= _ALIKE]
        if alike:
            found = alike[0] if same else max(alike, key=lambda candidate: _likeness(section, candidate))
            del free[found.id]
            yield section.id, found.id


def _likeness(section: _Section, other: _Section) -> float:
    matcher = SequenceMatcher(None, section.text[:_COMPARED], other.text[:_COMPARED], autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= _ALIKE else 0.0


def _headings(
    before: Mapping[str, _Section], after: Mapping[str, _Section], renamed: Mapping[str, str], ids: Mapping[str, str]
) -> Iterator[Remark]:
    """Yield the sections that are gone or called otherwise; not those of which only the entity has another ID."""
    for section in before.values():
        if section.id in after or not section.text.strip():
            continue
        other = after.get(renamed.get(section.id, ""))
        if other is None:
            yield Remark("section-gone", section.id, f"the section {section.heading!r} is gone")
        elif other.id != with_other_ids(section.id, ids) or other.text != section.text:
            how = "" if other.text == section.text else ", and its text is another one"
            yield Remark("section-renamed", section.id, f"the section is {other.heading!r} now ({other.id}){how}")


def _opened_or_hidden(
    before: Mapping[str, _Section], after: Mapping[str, _Section], renamed: Mapping[str, str]
) -> Iterator[Remark]:
    """Yield sections that were hidden and are open to all now, or the reverse: a heading says what a section is for."""
    for section in before.values():
        other = after.get(renamed.get(section.id, section.id))
        if other is None or (section.role in OPEN_ROLES) == (other.role in OPEN_ROLES):
            continue
        if other.role in OPEN_ROLES:
            what = f"{section.heading!r} was hidden ({section.role}), and {other.heading!r} is open to all now"
            yield Remark("secret-opened", section.id, what)
        else:
            what = f"{section.heading!r} was open to all, and {other.heading!r} is hidden now ({other.role})"
            yield Remark("secret-closed", section.id, what)


def _items(then: Generation, now: Generation, state: WorldState, ids: Mapping[str, str]) -> Iterator[Remark]:
    """Yield items that change between what somebody tells and what they withhold, and those that are gone although
    somebody has learned them."""
    learned = {item for known in state.reveals.values() for item in known}
    after = list(_items_of(now))
    by_name = {(entity_id, item.name): (role, item) for entity_id, role, item in after}
    by_text = {(entity_id, _words(item)): (role, item) for entity_id, role, item in after}
    for entity_then, role, item in _items_of(then):
        entity_id = ids.get(entity_then, entity_then)
        role_now, other = by_name.get((entity_id, item.name)) or by_text.get((entity_id, _words(item))) or ("", None)
        moved: Mapping[tuple[str, str], tuple[Kind, str]] = {
            ("withholds", "knows"): ("secret-opened", "was withheld and is told to anybody who asks now"),
            ("knows", "withholds"): ("secret-closed", "was told to anybody who asked and is withheld now"),
        }
        if other is not None and (role, role_now) in moved:
            kind, what = moved[role, role_now]
            yield Remark(kind, item.id, f"{shown_item(item.id)} {what} ({shown_item(other.id)})")
        if item.id in learned and now.item(with_other_ids(item.id, ids)) is None:
            is_now = f"is {shown_item(other.id)} now" if other is not None else "is gone"
            lost = "those who learned it will not know it under that ID"
            what = f"{shown_item(item.id)}, which was revealed, {is_now}: {lost}"
            yield Remark("item-gone", item.id, what)


def _items_of(generation: Generation) -> Iterator[tuple[str, str, Item]]:
    """Yield (entity, role of the section, item) of every item."""
    for chunk in generation.hidden_chunks():
        for item in generation.items_of(chunk.row):
            yield chunk.entity_id, chunk.role, item


def _words(item: Item) -> str:
    return " ".join(item.text.split())


# The changes of a ruleset, and what in the state does not fit any more.

_SCHEMAS = {"character_stat_schema": "stats", "scene_state_schema": "scene"}


def ruleset_changes(then: Ruleset, now: Ruleset, state: WorldState) -> Iterator[Remark]:
    """Yield everything that another ruleset would change for a campaign in a state."""
    if then.bands != now.bands:
        yield Remark("bands", "bands", "the bands of the dice have changed")
    for kind in sorted(then.actions.keys() | now.actions.keys()):
        if kind not in now.actions:
            yield Remark("action", kind, f"there is no action {kind} any more")
        elif kind not in then.actions:
            yield Remark("action", kind, f"there is an action {kind} now")
        elif then.actions[kind] != now.actions[kind]:
            yield Remark("action", kind, f"the action {kind} is another")
    for field, short in _SCHEMAS.items():
        yield from _schema_changes(plain(getattr(then, field)), plain(getattr(now, field)), short)
    yield from _misfits(then, now, state)


def cast_changes(then: CampaignRules, now: CampaignRules, state: WorldState) -> Iterator[Remark]:
    """Yield the members of the cast, by ID, whose own rules the packs have changed."""
    for who in sorted(then.cast.keys() | now.cast.keys()):
        if then.of_cast(who) != now.of_cast(who):
            yield Remark("cast", who, f"how {state.name_of(who)} acts of their own accord is another")


def reshaping(then: Ruleset, now: Ruleset, state: WorldState) -> tuple[Reshape, ...]:
    """Return the op that changes a state to other schemas; none where they are the same or the state has no ruleset
    part."""
    same = all(plain(getattr(then, field)) == plain(getattr(now, field)) for field in _SCHEMAS)
    if same or state.ruleset is None:
        return ()
    return (Reshape(stat_schema=now.character_stat_schema, scene_schema=now.scene_state_schema),)


def _schema_changes(then: Mapping[str, Any], now: Mapping[str, Any], short: str) -> Iterator[Remark]:
    was, will = then.get("properties", {}), now.get("properties", {})
    for name in sorted(was.keys() | will.keys()):
        if name not in will:
            yield Remark("schema", f"{short}.{name}", f"the ruleset describes no {name} any more")
        elif name not in was:
            yield Remark("schema", f"{short}.{name}", f"the ruleset describes {name} now")
        elif was[name] != will[name]:
            yield Remark("schema", f"{short}.{name}", f"the ruleset describes {name} otherwise")
    if was == will and then != now:
        yield Remark("schema", short, "which fields are required or allowed has changed")


def _misfits(then: Ruleset, now: Ruleset, state: WorldState) -> Iterator[Remark]:
    """Yield the stored values that do not fit, by field, once the defaults have filled what is new."""
    hint = "mend the ruleset, or go back to a turn where it fits"
    held = state.ruleset
    if held is None:
        wanted = (now.scene_state_schema, now.character_stat_schema.get("required"))
        before = (then.scene_state_schema, then.character_stat_schema.get("required"))
        if any(wanted) and wanted != before:
            what = "the ruleset asks for a scene or stats now, and this campaign was begun without any"
            yield Remark("state-misfit", "ruleset", what, True, "begin another campaign with it")
        return
    other = RulesetState.model_construct(
        stat_schema=now.character_stat_schema,
        scene_schema=now.scene_state_schema,
        stats={who: filled(block, now.character_stat_schema) for who, block in held.stats.items()},
        scene=filled(held.scene, now.scene_state_schema),
    )
    for misfit in other.misfits():
        yield Remark(
            "state-misfit", ".".join(misfit.field), f"what is stored does not fit: {misfit.message}", True, hint
        )
