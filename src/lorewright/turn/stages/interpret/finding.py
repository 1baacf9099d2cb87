"""The player's words -> a search, where an author wrote them as what finds something (`read the diary: …`).

Only here are the words of a whole line compared with triggers of hidden items. What comes out has the player's own
words and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.words.clauses import (
    Clause,
    Phrase,
    Phrasing,
    Syntax,
    Word,
    cleaned,
    is_adverb,
    lexicon,
    longest_prefix,
    lows,
    typed,
    words_of,
)
from lorewright.builtin.words.utterances import split_clauses
from lorewright.packs.files import Finding, warning
from lorewright.packs.models import Pack
from lorewright.rules.verbs import Verb, typed_line, verb_of, verbs
from lorewright.scene_lore.cache import search_items
from lorewright.scene_lore.models import SceneItem
from lorewright.turn.views.scope import scene_item
from lorewright.values.records import InterpreterInput, InterpreterOutput
from lorewright.values.scope import Named, Scope

# Words between a verb and the thing that it is done to.
_LEADS = frozenset(("at", "on", "onto", "in", "into", "to", "through", "over", "up", "with"))

Read = Callable[[InterpreterInput], InterpreterOutput]


def as_searches(
    given: InterpreterInput, hidden: Sequence[SceneItem], learned: Collection[str], read: Read = interpret
) -> str | None:
    """Return the player's words with each clause that finds one of the hidden items as a search; None where none does.

    A clause finds an item if it has the words of its trigger, or does anything else to the thing that the trigger is
    about, unless that is something that is plainly here. Where the trigger says to search, only a search finds it.
    """
    items = [item for item in hidden if item.trigger]
    words = words_of(cleaned(given.player_text))
    if not items or not words or any(word.kind == "speech" for word in words):
        return None
    if any(_core(words) == _core_of(item) for item in items):
        return _line(Clause(words), given, items, learned, read)
    lines: list[str] = []
    is_found = False
    for clause in split_clauses(words, names=(), people=()):
        line = None if clause.question else _line(clause, given, items, learned, read)
        is_found = is_found or line is not None
        lines.append(line or f"{clause.text}{'?' if clause.question else ''}")
    return ". ".join(lines) if is_found else None


def _line(
    clause: Clause, given: InterpreterInput, items: Sequence[SceneItem], learned: Collection[str], read: Read
) -> str | None:
    """Return the search that a clause amounts to; None where it finds nothing, or means something else."""
    words = _without_lead_in(clause.words)
    meant = [item for item in items if _core(words) == _core_of(item)]
    others = [item for item in items if _is_done_to_the_same(words, item)] if not meant else []
    if not meant and not others:
        return None
    reading = read(given.model_copy(update={"player_text": clause.text}))
    kinds = [verb for action in reading.proposed_actions if (verb := verb_of(action.type)) is not None]
    if any(verb.grounding == "hidden" for verb in kinds):
        return None
    is_new = any(item.id not in learned for item in meant)
    if not is_new and any(action.target_id or action.location_id for action in reading.proposed_actions):
        return None
    _, thing = _verb_and_thing(words)
    # Of one thing there may be several triggers.
    told_apart = [item for item in items if _thing_of(item) == _core(thing)]
    where = typed(thing if thing and len(told_apart) == 1 else words)
    line = typed_line("search_at", thing=where)
    return None if line is None else line.text


def _is_done_to_the_same(words: Sequence[Word], item: SceneItem) -> bool:
    """Tell whether the words do something with the thing that the trigger is about, which is not to be searched."""
    verb, thing = _verb_and_thing(words)
    is_handled = bool(verb and _core(thing)) and verb not in _phrases(_is_no_handling)
    return is_handled and _core(thing) == _thing_of(item) and _trigger(item.trigger).verb not in _phrases(_is_search)


def _verb_and_thing(words: Sequence[Word]) -> tuple[Phrase, Sequence[Word]]:
    """Return the verb phrase that words begin with, or their first word, and what follows it."""
    low = lows(words)
    if low and low[0] in lexicon().articles:
        return (), words
    verb = longest_prefix(low, lexicon().verb_phrases) or tuple(low[:1])
    rest = words[len(verb) :]
    while rest and (rest[0].low in _LEADS or is_adverb(rest[0])):
        rest = rest[1:]
    return verb, rest


def _without_lead_in(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words without `please`, `I want to` and the like."""
    while len(words) > 1:
        lead = longest_prefix(lows(words), lexicon().lead_ins)
        if not (0 < len(lead) < len(words)) and not is_adverb(words[0]):
            break
        words = words[len(lead) or 1 :]
    return words


def _core(words: Sequence[Word]) -> tuple[str, ...]:
    """Return what tells words apart: in lower case, without articles, adverbs and signs."""
    articles = lexicon().articles
    return tuple(word.low for word in words if word.kind == "word" and word.low not in articles and not is_adverb(word))


def _core_of(item: SceneItem) -> tuple[str, ...]:
    return _trigger(item.trigger).core


def _thing_of(item: SceneItem) -> tuple[str, ...]:
    return _trigger(item.trigger).thing


@dataclass(frozen=True, slots=True)
class _Trigger:
    core: tuple[str, ...]
    verb: Phrase
    thing: tuple[str, ...]


@lru_cache(maxsize=1000)
def _trigger(text: str | None) -> _Trigger:
    words = words_of(cleaned(text or ""))
    verb, thing = _verb_and_thing(words)
    return _Trigger(_core(words), verb, _core(thing))


def _is_search(verb: Verb) -> bool:
    return verb.grounding == "hidden"


def _is_no_handling(verb: Verb) -> bool:
    """Tell whether a verb is about people, ways or time, never about a thing."""
    syntax = verb.part(Syntax)
    return verb.is_speech or verb.is_violent or (syntax is not None and syntax.is_travel)


@cache
def _phrases(has: Callable[[Verb], bool]) -> frozenset[Phrase]:
    return frozenset(
        tuple(phrase.split())
        for verb in verbs().values()
        if has(verb)
        for part in verb.parts
        if isinstance(part, Phrasing)
        for phrase in part.phrases.split(", ")
    )


# A pack -> the triggers that no line finds.

_NOBODY = Named(id="you", name="you", kind="person")


def lint_triggers(pack: Pack) -> Iterator[Finding]:
    """Yield a warning for each trigger of a discoverable that finds something else, or nothing, when it is typed."""
    names = {entity.id: (entity.name, *entity.aliases) for entity in pack.entities}
    for chunk in pack.chunks:
        if chunk.role != "discoverable":
            continue
        place = names.get(chunk.entity_id, (chunk.entity_id,))
        hidden = [scene_item(item) for item in chunk.items]
        for item in chunk.items:
            if item.trigger and item.id not in _found_by(item.trigger, place, hidden):
                yield warning(
                    chunk.file_path,
                    "trigger-finds-nothing",
                    f"typing “{item.trigger}” does not find this",
                    line=item.line,
                    hint="begin with a verb and a thing that no other item here has: read the diary: …",
                )


def _found_by(line: str, place: Sequence[str], hidden: Sequence[SceneItem]) -> set[str]:
    scope = Scope(player=_NOBODY, place=Named(id="here", name=place[0], kind="place"))
    given = InterpreterInput(player_text=line, scope=scope)
    text = as_searches(given, hidden, ()) or line
    actions = interpret(given.model_copy(update={"player_text": text})).proposed_actions
    searched = [action for action in actions if (verb := verb_of(action.type)) is not None and _is_search(verb)]
    return {item.id for action in searched for item in search_items(action.words, place, hidden, ()).items}
