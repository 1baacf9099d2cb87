"""retorts.yaml -> replies that take up the telling words of what is said: `is that an elbow or a mop?`, `nice ring`.

A reply repeats only a noun phrase that is whole when it stands alone, or the words as the listener repeats them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from lorewright.builtin.narrator.grammar import Fact, grammar
from lorewright.builtin.narrator.views import Beat, Person, Slot
from lorewright.builtin.parser.small_talk import any_subject_of
from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.echoes import asked_words
from lorewright.builtin.words.english import is_english, is_name
from lorewright.rules.patch import Outcome
from lorewright.scene_lore.nouns import function_words, is_noun_in_ly, is_verb, shown_nouns
from lorewright.shipped_tables import read_table
from lorewright.values.records import NarratorInput

# What the names of the groups of these replies begin with.
RETORT = "retort."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """Words that are replied to by a group; `a` and `b` in the pattern are phrases that it takes up, with the
    determiner `own` where they have none. `whole`: it takes up all that was said."""

    group: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    own: str = ""
    whole: bool = False
    needs: bool = False


def retort_to(given: NarratorInput, outcome: Outcome, who: Person, regard: str) -> Beat | None:
    """Return the reply of somebody, who stands so to the player, that takes up what was said to them; None where no
    rule has it."""
    if outcome.form == _ORDER or any_subject_of(outcome.words) in _SERVED:
        return None
    only = sum(told.actor_id == given.player_id for told in given.outcomes) == 1
    said = [outcome.words, *([asked_words(given.player_text, outcome.words)[0]] if only else [])]
    for text in dict.fromkeys(_bare(words, who) for words in said):
        for rule in _rules():
            found = rule.pattern.match(text)
            if found is None or (rule.unless is not None and rule.unless.search(text)):
                continue
            if (beat := _reply(rule, found, outcome, who, regard)) is not None:
                return beat
    return None


# What is ordered or treated to has answers of its own, by who serves here.
_ORDER, _SERVED = "order", frozenset(("served", "treat", "tab"))


def _reply(rule: _Rule, found: re.Match[str], outcome: Outcome, who: Person, regard: str) -> Beat | None:
    taken = {name: phrase_of(words or "", rule.own) for name, words in found.groupdict().items() if name in "ab"}
    slots: dict[str, Slot] = {"who": who}
    deed = outcome.deed if rule.whole else taken.get("a", "")
    guards = {key: value for variant in grammar()[rule.group] for key, value in variant.when if key == "regard"}
    if regard and any(("regard", regard) in variant.when for variant in grammar()[rule.group]) and guards:
        return Beat("outcome", rule.group, {"regard": regard}, slots)
    is_whole = bool(deed) and all(taken.values())
    if rule.needs and not is_whole:
        return None
    if not is_whole:
        return Beat("outcome", rule.group, {}, slots)
    facts: dict[str, Fact] = {"detail": True}
    return Beat("outcome", rule.group, facts, {**slots, "deed": deed, "other": taken.get("b", "")})


# Groups that say nothing of the words, by which group takes up a thing that these name.
_TAKEN = MappingProxyType(
    {
        **dict.fromkeys(("heard.view", "heard.statement", "talk.statement", "heard.news", "heard.self"), "taken.said"),
        **dict.fromkeys(("heard.request", "heard.hand_over"), "taken.request"),
        **dict.fromkeys(("asked.self", "asked.own", "asked.view"), "taken.asked"),
    }
)


def taken_up(outcome: Outcome, who: Person, regard: str, group: str) -> Beat | None:
    """Return a reply that takes up the last thing which words name that are not repeated whole, in place of a group's;
    None where they name none, and from somebody cold."""
    if group not in _TAKEN or regard == "cold" or len(outcome.words.split()) < _TELLING:
        return None
    words = _bare(outcome.words, who)
    for noun in reversed(shown_nouns(words)):
        named = re.search(rf"\b(?P<a>(?:the|your|my|this|that|an?) {re.escape(noun.phrase)})\b", words, re.IGNORECASE)
        if named is not None and (deed := phrase_of(named["a"])):
            return Beat("outcome", _TAKEN[group], {}, {"who": who, "deed": deed})
    return None


def thing_ordered(words: str, who: Person) -> str:
    """Return what is asked for in an order, as the listener repeats it: `some tea` of `can I have some tea please`;
    empty where nothing is named."""
    found = _ORDERED.search(_bare(words, who))
    said = found["what"].strip(" ,.!?") if found is not None else ""
    lead = said.partition(" ")[0].casefold()
    head, of, measured = (said.partition(" ")[2] if lead == "some" else said).partition(" of ")
    named = phrase_of(head) and f"{phrase_of(head)}{of}{measured}"
    return f"some {named}" if named and lead == "some" else named


_ORDERED = re.compile(
    r"\b(?:have|has|get|want|need|like|order|take|give me|bring me|pour me|for)\b (?P<what>(?:(?:a|an|some|another|one"
    r"|the|your)\b )?(?!some\b|me\b|you\b|it\b|to\b|what)[a-z][\w'-]*(?: [\w'-]+){0,3}?)"
    r"(?= (?:please|pls|plz|now|here|too|then|for me|if|and|on|from|when|with)\b|\W*$)",
    re.IGNORECASE,
)


# Fewer words name a thing only by the way.
_TELLING = 4


def phrase_of(words: str, own: str = "") -> str:
    """Return a noun phrase as the listener repeats it (`my ring` for `your ring`), with the determiner `own` where it
    has none; empty where it is none that can stand alone."""
    said = words.strip(" ,.!?'\"").split()
    lead = said[0].casefold() if said else ""
    determiner = _REPEATED.get(lead, lead) if lead in _DETERMINERS else own
    rest = said[1:] if lead in _DETERMINERS else said
    kept: list[str] = []
    for word in rest:
        if word.casefold() in _ENDS or (word.casefold() in function_words() and word.casefold() != "of"):
            break
        kept.append(word)
    while kept and (kept[-1].casefold() in lexicon().adverbs | {"of"} or _is_adverb(kept[-1].casefold())):
        kept.pop()
    low = [word.casefold() for word in kept]
    is_plain = all(re.fullmatch(r"[^\W\d_]+(?:['-][^\W\d_]+)*", word) and _is_word(word) for word in kept)
    is_bare_verb = not determiner and bool(low) and is_verb(low[-1]) and not low[-1].endswith("s")
    if not kept or len(kept) > _LONGEST or not is_plain or is_bare_verb or len(low[-1]) < _SHORTEST:
        return ""
    return " ".join(filter(None, (determiner, *kept)))


_LONGEST, _SHORTEST = 4, 3
_DETERMINERS = frozenset("a an the this that these those your my our his her their any some another".split())
# Determiners as the listener says them.
_REPEATED = {"your": "my", "my": "your", "any": "", "some": "", "another": "another"}
# Words that are no part of a phrase before them.
_ENDS = frozenset(
    "is are was were am i you he she it we they here there now then please lol mate today tonight".split()
)


def _is_word(word: str) -> bool:
    low = word.casefold()
    return word[:1].isupper() or any(map(is_english, (low, low.removesuffix("s"), low.removesuffix("'s"))))


def _is_adverb(low: str) -> bool:
    return low.endswith("ly") and not is_noun_in_ly(low) and not is_name(low)


def _bare(words: str, who: Person) -> str:
    """Return what is said without quotation marks, calls of the listener and words that only lead in."""
    text = " ".join(words.replace("’", "'").split()).strip(' *,"“”')
    names = "|".join(re.escape(name) for name in (who.name, *who.name.split()) if len(name) > _SHORTEST)
    calls = rf"(?:(?:{names})\b[,.!? ]*)" if names else ""
    lead = re.compile(rf"(?:{_LEAD}|{calls})" if calls else _LEAD, re.IGNORECASE)
    while (found := lead.match(text)) is not None and found.end() < len(text):
        text = text[found.end() :]
    return re.sub(rf",? (?:{names})(?=\W*$)", "", text, flags=re.IGNORECASE) if names else text


_LEAD = (
    r"(?:so+|and|but|well|oh|ah|hey|ok|okay|right|um+|uh|er|hm+|look|listen|god|wow|man|mate|lol|honestly|seriously|sorry"
    r"|tell me|i say|my god|omg|bruh|dude|yo|oi|ha|haha|excuse me|i mean|now|hello|hi|evening|morning)(?:[,.!…]+ *| +)"
)


@cache
def _rules() -> tuple[_Rule, ...]:
    table = read_table(__package__, "retorts.yaml")
    parts: dict[str, str] = table["parts"]

    def pattern(text: str) -> re.Pattern[str]:
        filled = re.sub(r"\{(?P<part>\w+)\}", lambda match: parts.get(match["part"], match[0]), " ".join(text.split()))
        return re.compile(filled, re.IGNORECASE)

    return tuple(
        _Rule(
            group=f"{RETORT}{row['reply']}",
            pattern=pattern(row["words"]),
            unless=pattern(row["unless"]) if "unless" in row else None,
            own=row.get("own", ""),
            whole=row.get("whole", False),
            needs=row.get("needs", False),
        )
        for row in table["rules"]
    )
