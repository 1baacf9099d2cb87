"""A clause and the scope -> the same in words that a verb reads: `through the trap` is gone through, `what does it say`
is read, `take her hand` touches her; and what the player did, as it is told to them: `you shake your head`.

What is meant hangs on what is here, and on who and what was mentioned: by their form alone clauses are put in other
words in `utterances`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from lorewright.builtin.parser.readings import ParseContext, Reading, typeable
from lorewright.builtin.words.clauses import Word, lexicon, longest_prefix, lows, typed, words_of
from lorewright.builtin.words.english import is_english
from lorewright.builtin.words.noun_phrases import PhraseMatch, exact, in_prose, pronoun_fits, resolve
from lorewright.rules.verbs import typed as typed_lines
from lorewright.scene_lore.nouns import function_words, is_verb, known_words


def reworded(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word]:
    """Return the words as the first of the rewordings that fits has them; other words as they are."""
    if any(word.kind == "speech" for word in words):
        return words
    found = (reword(ctx, words) for reword in _REWORDINGS)
    return next((said for said in found if said is not None), words)


def _as_way(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word] | None:
    """Return `go through the trap` for `through the trap`."""
    low = lows(words)
    is_way = len(low) > 1 and low[0] in _THROUGH and (low[1] in lexicon().articles or low[1:2] == ["to"])
    if not is_way or all(word.kind != "word" for word in words[1:]):
        return None
    goal = typed(words[1:])
    shown = in_prose(goal, ctx.nouns)
    is_here = resolve(goal, (*ctx.nouns.exits, *ctx.nouns.doors)) or (shown is not None and shown.standing == "shown")
    return words_of(typed_lines("way", way=typed(words))[0]) if is_here else None


_THROUGH = frozenset(("through", "into", "across", "inside", "up", "down"))


def _as_reading(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word] | None:
    """Return `read the label` for `what does it say`, where it is anything that could be read."""
    found = next(filter(None, (pattern.match(typed(words)) for pattern in _SAYS)), None)
    if found is None:
        return None
    what = found["what"]
    if what.lower() in lexicon().thing_pronouns | {"they", "there"}:
        thing = ctx.thing if ctx.thing in (*ctx.nouns.things, *ctx.nouns.doors) else None
        shown = in_prose(ctx.prose_noun, ctx.nouns) if ctx.prose_noun else None
        noted = ctx.prose_noun if shown is not None and shown.standing == "shown" else ""
        name = typeable(thing.name) if thing is not None else noted
    else:
        shown = in_prose(what, ctx.nouns)
        is_here = resolve(what, (*ctx.nouns.things, *ctx.nouns.doors), whole=True) is not None
        name = what if is_here or (shown is not None and shown.standing == "shown") else ""
    return words_of(f"read {name}") if name else None


_SAYS = (
    re.compile(
        r"(?:and |so )?what(?:'s| is| does| do| did)? (?P<what>it|that|this|they|(?:the|my|this|that) [\w' -]+?)"
        r" (?:say|says|read|reads)(?: (?:on it|inside|exactly|then|there))?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:and |so )?(?:what(?:'s| is| was)|is (?:there )?anything) (?:it )?(?:written|printed|painted|carved|drawn"
        r"|engraved|scratched|stamped)(?: down)? (?:on|in|inside|under) (?P<what>[\w' -]+)$",
        re.IGNORECASE,
    ),
)


def _as_touch(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word] | None:
    """Return `touch Lena` for `take her hand`: another's hand is no thing, and not one's own."""
    found = _OF_ANOTHER.match(typed(words))
    if found is None:
        return None
    parts = found["part"].lower().split()
    if not {parts[-1], parts[-1].removesuffix("s")} & lexicon().body or parts[-1] in _WORN:
        return None
    whose = found["whose"].lower()
    if whose in ("his", "her", "their"):
        word = {"his": "he", "her": "she"}.get(whose, "they")
        known = (ctx.person, ctx.listener, *ctx.nouns.people)
        person = next((p for p in known if p in ctx.nouns.people and pronoun_fits(p, word)), None)
    else:
        match = resolve(found["whose"][:-2], ctx.nouns.people)
        person = match.candidate if isinstance(match, PhraseMatch) else None
    if person is None:
        return None
    name = typeable(person.name)
    is_kiss = found["verb"].lower() == "kiss"
    return words_of(f"kiss {name}" if is_kiss else typed_lines("touch_thing", thing=name)[0])


_OF_ANOTHER = re.compile(
    r"(?P<verb>take|hold|grab|touch|squeeze|kiss|stroke|pat|shake|clasp|seize|catch|press|brush|feel|reach for"
    r"|take hold of|(?:put|lay|place|rest) (?:my|a|one) (?:hand|fingers|palm|arm) (?:on|over|around|round))"
    r" (?P<whose>his|her|their|[\w-]+'s) (?P<part>(?:[\w-]+ ){0,1}?[\w-]+)"
    r"(?: (?:gently|softly|lightly|again|briefly|in mine|in my (?:hand|own)|to \w+.*|for a .*|if .*))?$",
    re.IGNORECASE,
)
# What others have on them that can be taken off.
_WORN = frozenset("hat cap hood scarf glove gloves glasses watch coat jacket cloak ring tie belt".split())


def _as_search(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word] | None:
    """Return `search behind the sheet` for `reach behind the sheet`, `look through it` for `put my eye to it`."""
    if peeped := _PEEPED.match(typed(words)):
        return words_of(f"look through {peeped['what']}")
    found = _REACHED.match(typed(words))
    return words_of(f"{typed_lines('rummage')[0]} {found['where']}") if found is not None else None


_PEEPED = re.compile(
    r"(?:put|press|set|place|hold|lay) (?:my|an|one|her|his|their) eyes? (?:up )?(?:to|against|at) (?P<what>.+)$",
    re.IGNORECASE,
)
_REACHED = re.compile(
    r"(?:reach|feel|grope|fumble|grab)(?: around| about| down| up| in)?(?: with (?:my|one|a|both) hands?)?"
    r" (?P<where>(?:behind|under|underneath|beneath|inside|into|between|below) (?:the|my|his|her|its|their|that"
    r"|this|a|it|them)\b.*)$",
    re.IGNORECASE,
)


def _as_crowning(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word] | None:
    """Return `use the crown on Mara` for `crown Mara`, where a crown is at hand: a thing's name is done to somebody."""
    low = lows(words)
    if len(low) < 2 or (low[0],) in lexicon().verb_phrases:
        return None
    thing = exact(low[0], ctx.nouns.things)
    whom = typed(words[1:])
    is_person = whom.lower() in ("him", "her", "them") or exact(whom, ctx.nouns.people) is not None
    return words_of(f"use {typeable(thing.label)} on {whom}") if thing is not None and is_person else None


def said_for_speaker(ctx: ParseContext, words: Sequence[Word]) -> bool:
    """Tell whether somebody here is told to do something for the speaker: `play something for me`."""
    low = [word for word in lows(words) if word]
    is_for_me = low[-2:] in (["for", "me"], ["for", "us"], ["to", "me"], ["to", "us"]) and len(low) > _FOR_ME
    return bool(ctx.nouns.people) and is_for_me and low[0] in _DONE_FOR_OTHERS


_FOR_ME = 2
# What is asked of others, and hardly ever done by oneself for oneself.
_DONE_FOR_OTHERS = frozenset(
    "play sing read dance cook pour bring fetch draw perform recite explain describe hold".split()
)


def _without_relative(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word] | None:
    """Return `show Viktor the comm unit` for `show Viktor the comm unit that I found`, where the thing is at hand."""
    text = typed(words)
    found = _RELATIVE.search(text)
    if found is None or resolve(found["noun"], (*ctx.nouns.things, *ctx.nouns.doors)) is None:
        return None
    return words_of(text[: found.end("noun")])


_RELATIVE = re.compile(
    r"\b(?:the|this|that|my|those|these) (?P<noun>[\w'-]+(?: [\w'-]+){0,2}?) (?:(?:that|which) )?"
    r"(?:i|we)(?:'ve| have| had| just)? "
    r"(?:found|took|got|have|brought|carry|bought|stole|saw|noticed|kept|picked up|was given)"
    r"(?: (?:earlier|before|here|there|just now|today|(?:in|on|under|from|behind) [\w' -]+))?$",
    re.IGNORECASE,
)


def _as_climb(ctx: ParseContext, words: Sequence[Word]) -> Sequence[Word] | None:
    """Return `go to the landing` for `climb the stairs to the landing`, where that is a way out."""
    found = _CLIMBED.match(typed(words))
    if found is None or resolve(found["place"], ctx.nouns.exits) is None:
        return None
    return words_of(typed_lines("way", way=found["place"])[0])


_CLIMBED = re.compile(
    r"(?:climb|ascend|descend|mount|follow|take|run|hurry|walk)(?: (?:up|down|along))? the (?:[\w'-]+ )?"
    r"(?:stairs?|steps|staircase|stairway|ladder|path|lane|corridor|passage|bridge|road|alley|track|ramp) "
    r"(?:up |down |back |out )?(?:to|into|onto) (?P<place>[\w' -]+)$",
    re.IGNORECASE,
)


_REWORDINGS: tuple[Callable[[ParseContext, Sequence[Word]], Sequence[Word] | None], ...] = (
    _as_way,
    _as_reading,
    _as_touch,
    _as_search,
    _as_crowning,
    _without_relative,
    _as_climb,
)


def topic_confronted(ctx: ParseContext, words: Sequence[Word]) -> str:
    """Return what a statement brings up before somebody, where it is something that is known here: `comm unit` of `I
    found your comm unit`; empty for other statements."""
    found = _BROUGHT_UP.match(typed(words))
    if found is None:
        return ""
    what = found["what"]
    known = exact(what, ctx.nouns.everything()) or resolve(what, ctx.nouns.things, whole=True)
    return what if isinstance(known, PhraseMatch) and not known.mended else ""


_BROUGHT_UP = re.compile(
    r"(?:(?:i|we)(?: have|'ve|'m| am)?(?: just| already| also| really)? (?:found|know about|know of|heard about"
    r"|heard of|learned about|read about|read|got|have|saw|opened|here about|here for|looking for|searching for"
    r"|trying to find|look for|come about|came about|want to (?:talk|ask) about|need to (?:talk|ask) about"
    r"|wanted to ask about)"
    r"|this is about|it's about|it is about|about)"
    r" (?:(?:your|the|his|her|that|this|my|a|an|their) )?(?P<what>[\w' -]+)$",
    re.IGNORECASE,
)


def courtesy_pronoun(words: str) -> str:
    """Return the pronoun of whom a form of address is for: `sir`; empty for other words."""
    return _COURTESIES.get(words.lower(), "")


_COURTESIES = dict.fromkeys(("sir", "mister", "good sir", "old man"), "he") | dict.fromkeys(
    ("madam", "ma'am", "miss", "my lady", "lady", "missus"), "she"
)


# A clause -> the same with the plain verb in it, by the form of the words alone: `nod to Marit` for `give Marit a nod`.


def with_sign(words: Sequence[Word]) -> Sequence[Word]:
    """Return `nod to Marit` for `give Marit a nod`, other words as they are."""
    found = _SIGNS.match(typed(words))
    return (
        words_of(f"{found['sign'].lower()} {'at' if found['sign'] == 'wink' else 'to'} {found['who']}")
        if found
        else words
    )


_SIGNS = re.compile(
    r"(?:give|shoot|throw) (?P<who>.+?) (?:a|the|my) (?:[\w-]+ )?(?P<sign>nod|smile|wave|bow|salute)(?: .*)?$",
    re.IGNORECASE,
)


def with_plain_verb(words: Sequence[Word]) -> Sequence[Word]:
    """Return `sip the tea` for `take a slow sip of the tea`, `shove the door` for `give the door a good shove`, other
    words as they are."""
    said = typed(words)
    if any(word.kind == "speech" for word in words):
        return words
    for pattern, plain in _LIGHT_VERBS:
        if (found := pattern.match(said)) is not None:
            return words_of(plain(found))
    return words


def _hearers(words: str) -> str:
    """Return `them` for all who are there, another name as it is."""
    return (
        "them" if re.match(r"(?:whoever|whomever|any(?:one|body) who)\b", words, re.IGNORECASE) else words.strip(" ,")
    )


def _swallow(found: re.Match[str]) -> str:
    return f"{'eat' if found['what'].casefold() in _BITES else 'drink'} {found['of']}"


_BITES = frozenset(("bite", "mouthful", "nibble", "piece"))
_LIGHT_VERBS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(
            r"(?:wish|bid|say) (?P<who>.+?,? )?(?:a )?(?:very )?(?P<what>good (?:evening|morning|day|night|afternoon))"
            r"(?: to (?P<to>.+))?$",
            re.IGNORECASE,
        ),
        lambda found: f"say {found['what']} to {_hearers(found['who'] or found['to'] or '')}".removesuffix(" to "),
    ),
    (
        re.compile(
            r"(?:take|have|get|try|sneak|steal) (?:a|one|another|my|some)(?: [\w-]+){0,2}? "
            r"(?P<what>sip|swig|gulp|swallow|mouthful|bite|nibble|taste)s? (?:out )?(?:of|from) (?P<of>.+)$",
            re.IGNORECASE,
        ),
        _swallow,
    ),
    (
        re.compile(
            r"(?:take|go) (?:a|one|another|two|three|a few|some|several)(?: [\w-]+){0,2}? (?:step|pace)s?"
            r"(?: (?P<way>back|backwards?|forwards?|aside|away|closer|towards?.*|to .*|inside|outside))?(?: .*)?$",
            re.IGNORECASE,
        ),
        lambda found: f"take a step {(found['way'] or '').split(' ')[0]}".strip(),
    ),
    (
        re.compile(
            r"hold (?P<what>.+?) (?:out|up) (?:to|for|towards?|in front of|so (?:that )?)(?P<who> ?[\w' ]+?)"
            r"(?: can .*| could .*)?$",
            re.IGNORECASE,
        ),
        lambda found: f"show {found['what']} to {found['who'].strip()}",
    ),
    (
        re.compile(
            r"(?:slide|push|shove) (?P<what>.+?) (?:(?:over|across|along)(?: the [\w-]+)? )?(?:to|towards?|over to) "
            r"(?P<who>[\w' ]+)$",
            re.IGNORECASE,
        ),
        lambda found: f"hand {found['what']} to {found['who']}",
    ),
    (
        re.compile(
            r"give (?P<what>(?:the|my|his|her|their|that|this|its) .+?) (?:a|another|one)(?: [\w-]+){0,2}? "
            r"(?P<verb>push|shove|kick|knock|shake|tap|pat|squeeze|poke|nudge|rub|wipe|stir|turn|twist|tug|pull|spin|slap"
            r"|prod|polish|clean|scrub|rattle|stroke)(?: .*)?$",
            re.IGNORECASE,
        ),
        lambda found: f"{found['verb']} {found['what']}",
    ),
)


def without_voice(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words without the voice in which something is said, where they quote nothing."""
    if not _VOICES & set(lows(words)) or any(word.kind == "speech" for word in words):
        return words
    return words_of(_VOICE.sub("", typed(words)))


_VOICES = frozenset(("voice", "tone", "whisper", "breath"))
_VOICE = re.compile(
    r" (?:in|with|under) (?:my|your|a|the)(?: [\w-]+){0,3}? (?:voice|tone|whisper|breath)\b", re.IGNORECASE
)


def with_contents(words: Sequence[Word]) -> Sequence[Word]:
    """Return `drink the cup` for `drink what is in the cup`, other words as they are."""
    found = _CONTENTS.match(typed(words))
    known = lexicon()
    if not found or found["verb"].lower() not in known.verb_words or found["verb"].lower() in known.saying:
        return words
    return words_of(f"{found['verb']} {found['noun']}")


_CONTENTS = re.compile(
    r"(?P<verb>\w+) (?:what(?:'s| is| was)|whatever(?:'s| is)) (?:\w+ )?(?:in|inside|on) (?P<noun>[^,]+)$",
    re.IGNORECASE,
)


# Words for what was done: `*Mara sighs and wipes her eyes*` -> `wipe your eyes`, as it stands after `you`.


def with_deed(reading: Reading, words: str, odd: Collection[str]) -> Reading:
    """Return a reading whose actions carry what was done, where their verb is told and the words can be told to the
    player, and stand for no other deed too; `odd` are words that may be slips."""
    is_told = bool(reading.actions) and all({"verb", "deed"} & set(action.metadata) for action in reading.actions)
    if not is_told or not (deed := in_second_person(words, odd)):
        return reading
    told = (action.model_copy(update={"metadata": {**action.metadata, "deed": deed}}) for action in reading.actions)
    return replace(reading, actions=tuple(told))


def in_second_person(words: str, odd: Collection[str] = ()) -> str:
    """Return what is done as it stands after `you`; empty where that would be no plain sentence."""
    words = re.sub(r"\b(of|between) us\b", r"\1 you", words)
    words = _TO_SEE_IF.sub(r"\1 whether", _THAT_ONE_HAS.sub(r"\1", words))
    if quotes := _IN_QUOTES.findall(words):
        # What is quoted is told as it stands.
        deed = in_second_person(_IN_QUOTES.sub("“”", words), odd)
        filled = re.sub("“”", lambda _: f"“{quotes.pop(0)}”", deed)
        return filled if len(filled) <= _LONGEST_TEXT else deed.replace("“”", "that")
    said = [word.replace("’", "'") for word in words.strip(_AROUND).split()]
    is_of_you = "you" in map(str.casefold, said[:2])
    subject = said[0].casefold() if len(said) > 1 and said[0].casefold() in _OF_SUBJECTS else ""
    said = said[1:] if subject else said
    while said and (skipped := _lead_of(said)):
        said = said[skipped:]
    while said and said[-1].casefold().strip(_AROUND) in _TRAILING and not "".join(said[-3:-2]).endswith(","):
        said = said[:-1]
    text = " ".join(said).strip(_AROUND)
    said = text.split()
    if not said or len(said) > _LONGEST_DEED or len(text) > _LONGEST_TEXT or not _TOLD_DEED.fullmatch(text):
        return ""
    at = 1 if len(said) > 1 and said[0].casefold().endswith(("ly", "almost")) else 0
    if said[0].casefold() in lexicon().body and said[1:2] and said[1].casefold() in _OF_LIMBS:
        return ""  # `elbows on the table`
    verb, is_third = first_form(said[at].rstrip(","), " ".join(said[at + 1 : at + 2]))
    verb = verb or (
        "have" if text.casefold().startswith("have a") and not said[5:] and is_verb(said[-1].casefold()) else ""
    )
    slips = (word for at, word in enumerate(said) if word in odd and (at or not first_form(word)[1]))
    if not verb or any(not _is_sure(word) for word in slips):
        return ""
    owners = {**_OWN, **_OF_SUBJECTS.get(subject, _OWN_OF_THIRD if is_third else {})}
    low = [word.casefold().strip(",") for word in said]
    text = re.split(r", (?=(?:[Ss]?[Hh]e|[Ii]t|[Tt]hey) )", text, maxsplit=1)[0]
    text = _WHERE_ONE_CAN.sub(r"\1 oneself \2", text) if is_third else text
    said = text.split()
    low = [word.casefold().strip(",") for word in said]
    if is_third and ", and " in text:
        return ""
    if is_third and "," in text:
        said = text.partition(",")[0].split()
        low = low[: len(said)]
    others = (_UNTOLD_OF_THIRD if is_third else frozenset()) | (frozenset() if is_of_you else _SAID_TO)
    if set(low) & (_UNTOLD | others):
        return ""
    told = [
        # `give her some room` is of somebody else.
        (spelled.strip(",") if word == "her" and after in lexicon().articles else owners.get(word, spelled.strip(",")))
        + ("," if spelled.endswith(",") else "")
        for word, after, spelled in zip(low, (*low[1:], ""), said, strict=True)
    ]
    told[at] = verb + ("," if said[at].endswith(",") else "")
    # Not of an hour, `6 am`.
    return re.sub(r"\byou was\b", "you were", re.sub(r"\byou am\b", "you are", " ".join(told)))


def _lead_of(said: Sequence[str]) -> int:
    """Return how many words before the verb say only that something is done: `and then I`, `I would like to`."""
    low = [word.casefold().strip(",.!…") for word in said]
    lead = longest_prefix(low, lexicon().lead_ins)
    if lead and len(lead) < len(said):
        return len(lead)
    return 1 if len(said) > 1 and (low[0] in _LEADING or not low[0]) else 0


def first_form(spelled: str, after: str = "") -> tuple[str, bool]:
    """Return the first form of a verb, and whether the word is its third person; nothing for what is no verb. Where an
    act begins, a word that is in no list is one: `hoist`; so is any word before an article or an owner (`after` it), as
    in `thumb my handset`."""
    word = spelled.casefold()
    if word in ("let", "lets") and after:
        return "let", word[3:] == "s"
    thirds = {word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word)}
    for form, is_third in ((word, False), *((third, True) for third in sorted(thirds, key=len, reverse=True))):
        if (not is_third or form != word) and form not in _NO_DEEDS and (is_verb(form) or form in lexicon().verb_words):
            return form, is_third
    if after.casefold() in _OBJECTS | _PARTICLES and (word in lexicon().pasts or word.endswith("ed")):
        verbs = (lexicon().pasts.get(word, ""), word[:-2], word[:-1], word[:-3] if word[-4:-3] == word[-3:-2] else "")
        return next(filter(is_verb, verbs), ""), False
    if word.endswith("ing"):
        stem = word.removesuffix("ing")
        bases = (stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem)
        return next((form for form in bases if form not in _NO_DEEDS and is_verb(form)), ""), True
    if after.casefold() in _OBJECTS and word.isalpha() and word not in _NO_DEEDS | function_words():
        is_form = (word == spelled or is_english(word)) and not word.endswith(_INFLECTED)
        is_third = word.endswith("s") and not word.endswith("ss")
        return (word, False) if is_form else (word[:-1], True) if is_third else ("", False)
    ends = _INFLECTED if after else (*_INFLECTED, *_OF_QUALITY)
    is_rare = word == spelled and word.isalpha() and word not in known_words() and not word.endswith(ends)
    stem = word.removesuffix("s")
    is_rare_third = stem != word == spelled and stem.isalpha() and stem not in known_words() and not stem.endswith("s")
    return (word, False) if is_rare else (stem, True) if is_rare_third else ("", False)


def _is_sure(word: str) -> bool:
    """Tell whether a word that may be a slip is right as it is; one of four letters may lack one."""
    forms = {word.casefold().partition("'")[0], re.split("n?'", word.casefold())[0]}
    known = known_words() | lexicon().found_with.keys()
    return bool(forms & known) or any(len(form[4:]) > 0 and is_english(form) for form in forms)


_INFLECTED, _OF_QUALITY = ("s", "ed", "ing", "ly"), ("y", "ic", "ous", "ful", "ward", "ish", "less")
_THAT_ONE_HAS = re.compile(
    r"\b((?:the|a|an|that) [\w-]+),? (?:that |which )?(?:s?he|they)(?:['’]s|['’]re| is| are) \w+ing\b", re.IGNORECASE
)
_TO_SEE_IF = re.compile(r"\b(to (?:see|check|find out|test|tell|know|learn|hear)) if\b", re.IGNORECASE)
_WHERE_ONE_CAN = re.compile(r"\b(where|so that|so|until) (?:she|he|they) (can|could|will|would)\b")
_OBJECTS = frozenset("the a an my his her their its this that these those it one both each some another".split())
_PARTICLES = frozenset("up off out down on over back into in at to away round them him around across onto".split())
_AROUND = " \t*_.,;:!…-–—"
_LONGEST_DEED, _LONGEST_TEXT = 18, 110
_TOLD_DEED = re.compile(r"[^\W_][\w' ,“”-]*")
_LEADING = frozenset("and then but so while i we you first also next just still again quickly".split())
_TRAILING = frozenset("first then please pls plz now lol too again though and".split())
_NO_DEEDS = frozenset("say tell ask be is am are was do have had has can will would could should may must need".split())
_OF_LIMBS = frozenset("on in at against under behind over above crossed folded wide closed open shut up down".split())
_UNTOLD = frozenset("if unless we us ourselves you're she's he's they're it's what's who's".split())
_UNTOLD_OF_THIRD, _SAID_TO = frozenset("he she they him them i me my and".split()), {"you", "your", "yours", "yourself"}
_IN_QUOTES = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_OWN: Mapping[str, str] = MappingProxyType({
    "my": "your", "mine": "yours", "our": "your", "ours": "yours", "me": "you", "myself": "yourself", "oneself": "you",
    "i": "you", "i'm": "you're", "i've": "you've", "i'd": "you'd", "i'll": "you'll", "im": "you're",
})  # fmt: skip
_OWN_OF_THIRD: Mapping[str, str] = MappingProxyType(
    {"his": "your", "her": "your", "their": "your", "himself": "yourself", "herself": "yourself"}
)
_OF_SUBJECTS: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "she": {"her": "your", "herself": "yourself"}, "he": {"his": "your", "himself": "yourself"},
    "they": {"their": "your", "themselves": "yourself", "themself": "yourself"},
})  # fmt: skip
