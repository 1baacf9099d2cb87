"""What a pack's files say of their entries -> each chunk's EntryRules, with the IDs that are meant, and a finding for
what means nothing or can never be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lorewright.ids import qualify, slug
from lorewright.packs.entry_rules import NO_RULES, WrittenRules
from lorewright.packs.findings import Finding, info, warning
from lorewright.packs.linking import LinkTable
from lorewright.packs.models import Chunk, EntryRules


@dataclass(frozen=True, slots=True)
class Said:
    """What a file says of one of its chunks: of all of them, and of this one's section. `lines` are its keys'."""

    path: str
    lines: Mapping[str, int]
    file: WrittenRules = NO_RULES
    section: WrittenRules = NO_RULES

    def key_of(self, rule: str) -> str:
        """Where a rule is written: the section's goes before the file's."""
        return f"{(self.section if rule in self.section.values else self.file).key}.{rule}"

    def line_of(self, rule: str) -> int:
        """On which line it is written."""
        return self.lines.get(self.key_of(rule), 1)


def with_entry_rules(
    pack_id: str, chunks: Sequence[Chunk], said: Mapping[str, Said], links: LinkTable, findings: list[Finding]
) -> tuple[Chunk, ...]:
    """The chunks of a pack with their rules; `said` has what is said of those of which anything is, by their ID."""
    if not said:
        return tuple(chunks)
    sections = {chunk.id.partition("~")[0] for chunk in chunks}
    linker = _Linker(pack_id, sections, links)
    ruled = [
        chunk if (words := said.get(chunk.id)) is None else replace(chunk, rules=linker.rules(chunk, words, findings))
        for chunk in chunks
    ]
    findings += _lonely(ruled, said)
    findings += _contradictions({chunk.id: chunk for chunk in ruled if chunk.rules is not None}, said)
    return tuple(ruled)


class _Linker:
    """Finds the entries that references mean."""

    def __init__(self, pack_id: str, sections: set[str], links: LinkTable) -> None:
        self._pack_id = pack_id
        self._sections = sections
        self._links = links

    def rules(self, chunk: Chunk, said: Said, findings: list[Finding]) -> EntryRules | None:
        """All that holds for a chunk; None where that is nothing."""
        values = {**said.file.values, **said.section.values}
        section_id = chunk.id.partition("~")[0]
        own = {name: section_id if name in said.section.values else chunk.entity_id for name in values}
        probability = values.get("probability", 1.0)
        rules = EntryRules(
            always=values.get("always", False),
            priority=values.get("priority", 0),
            sticky=values.get("sticky", 0),
            cooldown=values.get("cooldown", 0),
            requires=self._meant("requires", values.get("requires", ()), own, said, findings),
            excludes=self._meant("excludes", values.get("excludes", ()), own, said, findings),
            groups=values.get("group", ()),
            probability=probability,
            group_of=own["group"] if values.get("group") else "",
            thrown_for=own["probability"] if probability < 1 else "",
        )
        return None if rules == EntryRules() else rules

    def _meant(
        self, rule: str, references: Iterable[str], own: Mapping[str, str], said: Said, findings: list[Finding]
    ) -> tuple[str, ...]:
        found: list[str] = []
        for reference in references:
            entry_id, is_known = self._find(reference)
            if not is_known:
                findings.append(_dangling(said, rule, reference))
            if entry_id == own[rule]:
                message = f"{rule}: the entry names itself; that is left out"
                findings.append(_wrong(said, rule, message, "name another entry"))
            else:
                found.append(entry_id)
        return tuple(dict.fromkeys(found))

    def _find(self, reference: str) -> tuple[str, bool]:
        """The entity or section that is meant, and whether it is there, as far as can be known: what is another pack's
        may be installed later."""
        entity = self._links.find(reference)
        if entity is not None:
            return entity.id, True
        pack_id, _, rest = reference.partition(":")
        if rest.count(":") == 1 and pack_id != self._pack_id:
            return reference, True
        entry, _, section = reference.rpartition(":")
        owner = self._links.find(entry) if entry and section else None
        if owner is not None:
            section_id = f"{owner.id}:{slug(section)}"
            return section_id, section_id in self._sections
        return qualify(self._pack_id, reference), bool(rest) and pack_id != self._pack_id


def _lonely(chunks: Iterable[Chunk], said: Mapping[str, Said]) -> Iterator[Finding]:
    """Groups of one: most often a slip in the name."""
    members = [(group, chunk) for chunk in chunks if chunk.rules for group in chunk.rules.groups]
    owners = {(group, chunk.rules.group_of) for group, chunk in members if chunk.rules}
    counts = Counter(group for group, _ in owners)
    for group, chunk in members:
        if counts[group] == 1:
            words = said[chunk.id]
            message = f"nothing else in the pack is in the group {group}"
            yield info(words.path, "lonely-group", message, line=words.line_of("group"), hint="check its name")


def _contradictions(chunks: Mapping[str, Chunk], said: Mapping[str, Said]) -> Iterator[Finding]:
    """Entries that can never be in an answer."""
    groups: dict[str, set[tuple[str, str]]] = {}
    for chunk in chunks.values():
        assert chunk.rules is not None
        section_id = chunk.id.partition("~")[0]
        for one in (chunk.entity_id, section_id):
            groups.setdefault(one, set()).update((group, chunk.rules.group_of) for group in chunk.rules.groups)
    excluding = {
        (owner, one)
        for chunk in chunks.values()
        if chunk.rules
        for one in chunk.rules.excludes
        for owner in (chunk.entity_id, chunk.id.partition("~")[0])
    }
    for chunk_id, chunk in chunks.items():
        rules, words = chunk.rules, said[chunk_id]
        assert rules is not None
        if rules.probability == 0:
            yield _never(words, "probability", "with probability 0 it is never there")
        for one in rules.requires:
            if one in rules.excludes:
                yield _never(words, "requires", f"it requires {one}, which it excludes")
            elif excluding & {(one, chunk.entity_id), (one, chunk.id.partition("~")[0])}:
                yield _never(words, "requires", f"it requires {one}, which excludes it")
            elif any(group in rules.groups and of != rules.group_of for group, of in groups.get(one, ())):
                yield _never(words, "requires", f"it requires {one}, which is in the same group")


def _dangling(said: Said, rule: str, reference: str) -> Finding:
    shown = reference if len(reference) <= 60 else reference[:57] + "…"
    message = f"{rule}: nothing in the pack is named {shown}"
    hint = "fix the name, or write pack:entity for another pack's"
    return warning(said.path, "dangling-reference", message, line=said.line_of(rule), hint=hint)


def _wrong(said: Said, rule: str, message: str, hint: str) -> Finding:
    return warning(said.path, "bad-entry-rule", message, line=said.line_of(rule), hint=hint)


def _never(said: Said, rule: str, message: str) -> Finding:
    hint = "take one of the two out; visibility: gm keeps a file from players"
    return warning(said.path, "entry-never-there", message, line=said.line_of(rule), hint=hint)
