"""What a player says to the program rather than in the story: `what time is it`, `give me a hint`, `undo that`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from lorewright.scene_lore.nouns import is_verb
from lorewright.shipped_tables import read_table

_SIGNS = re.compile(r"[^\w\s'-]+")
_BEFORE = re.compile(
    r"(?:please|ok(?:ay)?|so|well|um+|uh|hey|and|but|now|then|wait|right|look|listen|sorry|just|actually|seriously"
    r"|hang on|hold on|really|quick question|game|computer|narrator|gm|dm|oh|no|yes|again|can you|could you"
    r"|would you|i want to|i would like to"
    r"|i'd like to|let me|let's"
    r"|help(?= (?:what|how|where|why|is|are|can|does|do|which|who)\b)"
    r"|before (?:i|we) (?:do|commit|start|go|begin|type|move|decide|try|act)(?: to| with| on)?"
    r"(?: anything| any further| further| on| this| something| at all)*(?: else)?"
    r"|just (?:to be clear|so i know|out of curiosity|curious)|out of curiosity|to be clear"
    r"|(?:meta|rules|random|honest|stupid|silly|dumb|noob|serious|technical) question"
    r"|hmm+|umm+|uhh*|er+|idk|lol|ooc|excuse me|question|one question|first) "
)
_AFTER = re.compile(
    r" (?:please|pls|plz|now|again|though|tho|anyway|already|exactly|thanks|thx|right|ok|for me|or what|lol|haha"
    r"|(?<!happened )then|btw|brb)$"
)
_EMPTY = frozenset(("exactly", "actually", "really", "even", "currently", "basically", "anyway"))
# After a question to the program so many words more are no story.
_SHORT = 6
# What stands for the name of any clock in the phrases about them, and the space behind it.
_CLOCK = "CLOCK "
_TOKEN = re.compile(r"\(|\)\??|\[|\]|\||\*|[^\s()\[\]|*]+|\s+")


def aside_in(text: str) -> str:
    """Return the kind of aside that a line is; empty for what belongs to the story."""
    plain = " ".join(_SIGNS.sub(" ", text.casefold()).split()) or text.strip()
    if plain == "?":
        return "help"
    at_once, stop, _ = text.partition(". ")
    if stop and (kind := _kind_of(" ".join(_SIGNS.sub(" ", at_once.casefold()).split()))) in _AT_ONCE:
        return kind
    first, stop, rest = text.partition("? ")
    if stop and len(rest.split()) > _SHORT:
        kind = aside_in(f"{first}?")
        return kind if kind in _PLAIN else ""
    if stop and (kind := aside_in(f"{first}?")):
        return kind
    plain = " ".join(word for word in plain.split() if word not in _EMPTY) or plain
    kind = _kind_of(plain)
    if not kind and (joint := re.search(r",? and (?=(?:what|how|where|can|is|are|am|do|who) )", text.casefold())):
        # Two asides in one question: what can be told counts for more than what the story has no answer to.
        both = (aside_in(text[: joint.start()]), aside_in(text[joint.end() :]))
        kind = max(both, key=lambda kind: kind not in _NO_ANSWERS) if all(both) else ""
    return kind


def clocks_asked_about(text: str, clocks: Iterable[str]) -> tuple[str, ...]:
    """Return the clocks of these names that a question about the game names: what they do, what happens when one is
    full, how one is raised. What a person may know of the thing that is called so is no question about the game."""
    names = {name: called for name in clocks if (called := names_of_clock(name))}
    if not names:
        return ()
    asked = _asked_about("clocks", [word for called in names.values() for word in called])
    # The other sentences of the line may be asides, too, or go on about it: `What's Heat again? Is it bad?`
    parts = [f"{said} " for part in re.split(r"[?.!](?: |$)", text) if (said := _without_lead(part))]
    words = {word for called in names.values() for word in called}
    others = [part for part in parts if not (asked.fullmatch(part) or _WHAT_OF.sub("", part).strip() in words)]
    if not any(map(asked.fullmatch, parts)) or any(
        not aside_in(part.strip()) and not _GOES_ON.match(part) for part in others
    ):
        return ()
    plain = f" {_bare(text)} "
    return tuple(name for name, called in names.items() if any(f" {word} " in plain for word in called))


# Before a name alone: `and what about the tide?`
_WHAT_OF = re.compile(r"^(?:(?:what|how) about )?(?:(?:my|the) )?")


def _asked_about(kind: str, names: Iterable[str]) -> re.Pattern[str]:
    """Return the phrases of a kind with these names in the place of the one that stands for any."""
    either = "|".join(sorted((f"{re.escape(word)} " for word in names), key=len)[::-1])
    return re.compile(_patterns()[kind].pattern.replace(_CLOCK, f"(?:{either})"))


def numbers_asked_about(text: str, clocks: Iterable[str], stats: Iterable[str], *, is_called: bool = False) -> str:
    """Return the kind of aside that a question about clocks, or stats, of these names is: what they mean, which of them
    is to be used; or that a throw of dice for one is; empty for others. With `is_called` somebody is asked."""
    text = _FIGURES.sub("", text)
    names = [_bare(name) for name in stats]
    if names and _asked_about("thrown", names).fullmatch(f"{_without_lead(text)} "):
        return "rolling"
    is_of_stats = not is_called and _asks_about_stats(text, names)
    return "clocks" if clocks_asked_about(text, clocks) else "rules" if is_of_stats else ""


# How full a clock is shown to be: `comfort 3/5`.
_FIGURES = re.compile(r"(?<=\w) \d+ ?/ ?\d+")


def _asks_about_stats(text: str, names: Sequence[str]) -> bool:
    parts = [part for part in map(_without_lead, re.split(r"[?.!](?: |$)", text)) if _WONDERS.search(part)]
    return bool(names and parts) and any(map(_asked_about("traits", names).fullmatch, (f"{part} " for part in parts)))


_WONDERS = re.compile(r"\b(?:whats?|what's|how|which|is|does|do|should|can|would|explain|describe|difference)\b")


def names_of_clock(name: str) -> tuple[str, ...]:
    """Return the names that a clock is asked about by: its whole name, and what it is a clock of (`trust` of `the
    level's trust`, `minutes` of `minutes left`)."""
    whole = _bare(name).removeprefix("the ")
    owned = whole.rpartition("'s ")[2] if "'s " in whole else whole.removesuffix(" left")
    return tuple(dict.fromkeys(said for said in (whole, owned) if said))


def _without_lead(text: str) -> str:
    """Return a sentence in plain words, without what only leads in to a question."""
    plain = _bare(text)
    while (found := _BEFORE.match(plain)) is not None:
        plain = plain[found.end() :]
    return plain


# A sentence that goes on about what was asked before it.
_GOES_ON = re.compile(
    r"(?:and |or |so )?(?:is|does|do|will|should|can|how|what|why|would|was) "
    r"(?:is |does |do |did |would |will |was |(?:do|can|would) i \w+ )?(?:it|that|this|i)\b"
)


def _bare(text: str) -> str:
    return " ".join(_SIGNS.sub(" ", text.casefold()).split())


def is_impossible(text: str) -> bool:
    """Tell whether a clause is a deed that no story has an answer to: time is stopped, thoughts are read."""
    plain = " ".join(_SIGNS.sub(" ", text.casefold()).split())
    return _patterns()["story"].fullmatch(f"{plain} ") is not None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question about the game, or an impossible deed, may be about: the phrases that `asked` and that mean it
    whatever `alone` they stand in, and its answer, where that is always the same."""

    asked: re.Pattern[str] | None
    alone: re.Pattern[str] | None
    answer: str


Section = Literal["questions", "deeds"]


# What has words that stand in many a question counts for nothing beside what is clearly asked.
_LOOSE = frozenset("may restart display undo part dice help hint machine typing turns important".split())


def subjects_in(text: str, section: Section) -> tuple[str, ...]:
    """Return the subjects of a section that words are about, the first that is named first."""
    plain = f" {_bare(text.replace('’', chr(39)))} "
    found: dict[str, int] = {}
    for name, subject in subjects()[section].items():
        places = [
            match.start() for pattern in (subject.alone, subject.asked) if pattern and (match := pattern.search(plain))
        ]
        if subject.alone is not None and subject.alone.search(plain):
            # What is meant by these words alone counts for more than what only stands beside it.
            places = [-1]
        if places:
            found[name] = min(places)
    if section == "questions" and -1 in found.values():
        found = {name: place for name, place in found.items() if place < 0 or name not in _LOOSE}
    return tuple(sorted(found, key=found.__getitem__))


_BRACKETED = re.compile(
    r"\(\((?P<double>.+?)\)*\)|[(\[{]?\s*(?:ooc|out of character)\b[:,.)\]]*\s*(?P<ooc>.+?)[)\]}]?"
    r"|(?:(?:wait|hey|ok|okay|so|dear|yo|hi|hello),? )?(?:(?:(?:a |one |quick |just )*(?:question|query|q) (?:for|to) )"
    r"(?:the )?(?:game|narrator|computer|gm|dm|program)[,:]?|(?:game|narrator|storyteller|computer|gm|dm)[,:])"
    r" (?P<front>.+)"
    r"|(?P<tail>[^()\[\]]+?) ?[(\[](?:(?:asking|question for|for|to) )?(?:the )?(?:gm|dm|narrator|game|ooc)[)\]][?.!]*"
    r"|(?P<end>.+), (?:game|(?:mr |dear )?narrator|storyteller|game ?master|computer|gm|dm|ai)\s*[?.!]*",
    re.IGNORECASE,
)
_IS_ASKED = re.compile(
    r"(?:what|whats|what's|how|hows|who|who's|whos|where|why|when|which|is|are|can|could|do|does|did|will|would|should|am|any|may"
    r"|tell|show|explain|i|im|i'm|give|let me|undo|restart) "
)


def out_of_story(text: str) -> str:
    """Return the words of a line that is marked as said outside of the story (`((do I save?))`); empty for others."""
    found = _BRACKETED.fullmatch(text.strip())
    return "" if found is None else next(filter(None, found.groups())).strip(" ()[]:")


def is_question(text: str) -> bool:
    """Tell whether a line asks for something, with or without a question mark."""
    return "?" in text or any(map(_IS_ASKED.match, _forms(_bare(text))))


# What matters to somebody is theirs to say.
_OF_SOMEBODY = re.compile(r" (?:to|for) (?:you|u|him|her|them|everyone|us) ")


# Who is asked is nobody in the story.
_TO_GAME = re.compile(
    r" (?:from the (?:game|program|narrator|author|gm)|"
    r"(?:speaking |asking )?(?:strictly )?(?:as (?:one|a) player|player to player|from player to game)"
    r"|(?:to|for) (?:whoever|whomever|who|the one who|the person who)(?:'s| is)? "
    r"(?:runs?|running|narrates?|narrating|writes?|wrote|writing|operates?|made|makes|programmed) "
    r"|whoever(?:'s| is) (?:(?:running|narrating|writing) (?:this|it|the)"
    r"|behind (?:this|it|the (?:game|story|screen|curtain|scenes)))\b) "
)


# A number of the rules: `suggestion +3`.
_WITH_BONUS = re.compile(r"[a-z]['’\"”]? [+-]\d\b", re.IGNORECASE)


def is_of_the_game(text: str) -> bool:
    """Tell whether a question has words that mean nothing but the game, also where somebody is there to be asked."""
    plain = f" {_bare(text.replace('’', chr(39)))} "
    if not is_question(text) or _OF_SOMEBODY.search(plain):
        return False
    return (
        _TO_GAME.search(plain) is not None
        or _WITH_BONUS.search(text) is not None
        or _LIKE_ANOTHER.match(text) is not None
        or any(
            subject.alone is not None and subject.alone.search(plain)
            for name, subject in subjects()["questions"].items()
            if name != "untold" or " you " not in plain
        )
    )


# Another game is named: `is this like Disco Elysium?`
_LIKE_ANOTHER = re.compile(
    r"(?:[Aa]nd |[Ss]o )?(?:[Ii]s|[Ww]as) (?:this|it|this game|the game) (?:a bit |kind of |sort of |more )?"
    r"(?:like|similar to|inspired by|based on) (?!I\b)[A-Z][\w']+(?: (?:[A-Z0-9][\w']*|of|and|the))*\??$"
)


def aside_to_game(text: str, typed: str, *, is_called: bool) -> tuple[str, str]:
    """Return the kind of aside that a line is (empty for none) and its words, without the marks of one. `typed` is the
    line before words were spelled out; with `is_called` it names somebody, who is asked what else the game would be."""
    marked = out_of_story(text)
    text = marked or text
    if not marked and _mused(text):
        return "mused", text
    if _TO_NARRATOR.match(typed.strip()) and not is_question(marked) and not aside_in(marked):
        # Whom one calls tells the story: what they are asked to tell is looked at in it.
        return "", marked
    kind = aside_in(text.lstrip("/")) or aside_in(out_of_story(typed) or typed)
    if kind == "hint" and text.endswith("?") and text != typed and not aside_in(text):
        # Who asks something, and for a hint, is answered what they ask.
        kind = ""
    if kind == "pace" and len(text.split()) > _AWAY and not _ASKS.match(text):
        # Who is away for a moment says no more than that: `brb gonna see if she is ok`.
        kind = ""
    if not kind and marked:
        is_rule = bool(subjects_in(text, "questions"))
        is_typing = not is_rule and _bare(marked).startswith("how ")
        # What is so in the story is not told outside of it.
        is_secret = not is_rule and any(map(_OF_THE_STORY.match, _forms(_bare(marked))))
        kind = "spoiler" if is_secret else "typing" if is_typing else "rules"
        kind = "machine" if _WHO_IS_IT.fullmatch(_bare(marked)) else kind
        kind = kind if is_rule or is_question(marked) else "ooc"
    elif not kind and not is_called and (asked := next(filter(is_of_the_game, (text, typed)), "")):
        kind, text = "rules", asked
    return "help" if not kind and text.startswith("/") else kind, text


# What one says to oneself, whatever it is about; an act that is told after it is played.
_MUSING = re.compile(
    r"(?:(?:and|so|then|ok|well),? )*(?:(?:i|we) (?:\w+ly |just |then )*)?"
    r"(?:say|think|tell|mutter|murmur|mumble|whisper|reason)(?: \w+ly| out loud| aloud)?"
    r"(?: (?:to |at )?myself| under my breath| inwardly)\b(?!,? (?:to be|to stay|not to)\b)(?P<said>.*)"
    r"|(?:i|we) (?:\w+ly )?(?:mutter|mumble|murmur|grumble|muse|think)[,:] (?P<rest>.+)",
    re.IGNORECASE,
)
_ACT_AFTER = re.compile(r"(?:, | )(?:and then|and|then|before i|while i) (?:i )?(?P<verb>[a-z]+)", re.IGNORECASE)


def _mused(text: str) -> bool:
    """Tell whether all of a line is said to oneself."""
    found = _MUSING.fullmatch(text.strip())
    said = "" if found is None else found["said"] or found["rest"] or ""
    is_played = any(is_verb(after["verb"].casefold()) for after in _ACT_AFTER.finditer(said))
    return bool(said.strip(" .,!?")) and not is_played


_TO_NARRATOR = re.compile(r"(?:(?:hey|ok|dear) )?(?:narrator|storyteller|gm|dm|game|computer)[,:] ", re.IGNORECASE)
_WHO_IS_IT = re.compile(r"(?:who|what) (?:the hell )?(?:are|r) (?:you|u)(?: anyway| really)?")
_OF_THE_STORY = re.compile(
    r"(?:is|are|was|were|did|does|who|whose|where|why|has|have) (?!i\b|we\b|there\b|it\b|this\b)"
)
# So many words say that one is away; a question may have more.
_AWAY = 6
_ASKS = re.compile(r".*\?|(?:how|is|are|can|could|does|do|will) ", re.IGNORECASE)


def is_never_possible(text: str) -> bool:
    """Tell whether words name a deed that is impossible whatever else is said: somebody teleports, or casts a spell."""
    plain = f" {_bare(text.replace('’', chr(39)))} "
    return any(deed.alone is not None and deed.alone.search(plain) for deed in subjects()["deeds"].values())


@cache
def subjects() -> Mapping[Section, Mapping[str, Subject]]:
    """Return the subjects of questions about the game, and of impossible deeds, by name."""
    data: dict[Section, dict[str, dict[str, str]]] = read_table(__package__, "questions.yaml")
    return {
        section: {
            name: Subject(_anywhere(row.get("asked", "")), _anywhere(row.get("alone", "")), row.get("answer", ""))
            for name, row in rows.items()
        }
        for section, rows in data.items()
    }


def _anywhere(phrases: str) -> re.Pattern[str] | None:
    lines = [_pattern(line) for line in phrases.splitlines() if line.strip()]
    return re.compile(f" (?:{'|'.join(lines)})") if lines else None


# Kinds that nothing said after them makes a part of the story.
_PLAIN = frozenset(
    "hint help rules save undo goal losing spoiler program authors machine pace part display score strategy".split()
)
# What is bidden in one word, whatever is said of it: `Undo. I did not mean that.`
_AT_ONCE = frozenset(("undo", "restart", "save"))
# Kinds that are answered with why there is no answer.
_NO_ANSWERS = frozenset(("story", "program", "machine"))


def _kind_of(plain: str) -> str:
    for form in _forms(plain):
        for kind, pattern in _patterns().items():
            if pattern.fullmatch(f"{form} "):
                return kind
    return ""


def _forms(plain: str) -> list[str]:
    """Return a line as it is, and without the small words before and after it."""
    forms = [plain]
    while (found := _BEFORE.match(forms[-1])) is not None:
        forms.append(forms[-1][found.end() :])
    for form in list(forms):
        while (shorter := _AFTER.sub("", form)) != form:
            form = shorter
            forms.append(form)
    return list(dict.fromkeys(form for form in forms if form))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return patterns_by_kind(read_table(__package__, "asides.yaml"))


def patterns_by_kind(phrases: Mapping[str, str]) -> Mapping[str, re.Pattern[str]]:
    """Return one pattern for the phrases of each kind, which stand in lines of their own. In a text that is compared
    with it a space stands behind each word."""
    return {
        kind: re.compile("|".join(_pattern(line) for line in lines.splitlines() if line.strip()))
        for kind, lines in phrases.items()
    }


_SYNTAX = {"(": "(?:", "[": "(?:", ")": ")", "]": ")?", ")?": ")?", "|": "|", "*": r"(?:\S+ )*", "_": r"\S+ "}


def _pattern(phrase: str) -> str:
    """Return a phrase as a pattern of words, each with a space behind it."""
    tokens = (token for token in _TOKEN.findall(phrase) if not token.isspace())
    return "".join(_SYNTAX[token] if token in _SYNTAX else f"{re.escape(token)} " for token in tokens)


def has_words(wanted: str, text: str) -> bool:
    """Tell whether a text has the words of one of the alternatives, which are parted by commas: all of its words in any
    order. `teach*` is any word that begins so, words that are joined by `_` stand beside each other, and `=leave` is
    the whole of the text."""
    said = _WORD.findall(text.casefold().replace("’", "'"))
    plain = f" {' '.join(said)} "
    return any(all(_is_said(word, said, plain) for word in words) for words in _alternatives(wanted))


_WORD = re.compile(r"[\w']+")


@cache
def _alternatives(wanted: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(part.split()) for part in wanted.casefold().split(",") if part.strip())


def _is_said(word: str, said: Iterable[str], plain: str) -> bool:
    if word.startswith("="):
        return plain.strip() == word[1:].replace("_", " ")
    if "_" in word:
        return f" {word.replace('_', ' ')} " in plain
    return any(each.startswith(word[:-1]) for each in said) if word.endswith("*") else word in said
