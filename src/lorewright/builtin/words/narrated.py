"""A line -> the sentences of it that tell what others do, or what happens, as an author would: `Jin walks in`.
What is said in conversation of others, how they are and what they do every day, is none of it. The lists of words are
in `narrated.yaml`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise

from lorewright.builtin.words.clauses import lexicon
from lorewright.builtin.words.noun_phrases import Candidate, Nouns, PhraseMatch, exact, resolve
from lorewright.scene_lore.nouns import function_words, is_verb
from lorewright.shipped_tables import read_table

# What is quoted in a line is one word of it.
_QUOTED = re.compile(r"[\"“][^\"“”]*[\"”]|'[^']{4,}'(?![a-z])")
_QUOTE = "quote"
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”']? +(?=\S)")
_SIGNS = re.compile(r"[^\w\s',.-]+")


@cache
def _words() -> Mapping[str, frozenset[str]]:
    rows: dict[str, str] = read_table(__package__, "narrated.yaml")
    return {name: frozenset(words.split()) for name, words in rows.items()}


@cache
def _inventions() -> Sequence[re.Pattern[str]]:
    rows: dict[str, str] = read_table(__package__, "invented.yaml")
    return [re.compile(line.strip()) for row in rows.values() for line in row.splitlines()]


def invents(text: str) -> bool:
    """Tell whether words say of the world, of one's own past or belongings what nothing has told."""
    plain = " ".join(_plain(text))
    return "?" not in text and any(pattern.fullmatch(plain) for pattern in _inventions())


def in_parts(text: str, nouns: Nouns) -> tuple[tuple[bool, str], ...]:
    """Return a line in parts, in their order, each with True where it narrates what is not the player's to decide. What
    goes on about it belongs to it, whatever it is about: `… and I wake up. The end.`"""
    parts: list[tuple[bool, str]] = []
    for sentence in _sentences(text):
        goes_on = bool(parts) and parts[-1][0]
        is_told = (goes_on and _goes_on(sentence)) or narrates(sentence, nouns)
        if parts and parts[-1][0] == is_told:
            parts[-1] = (is_told, f"{parts[-1][1]} {sentence}")
        else:
            parts.append((is_told, sentence))
    if len(parts) == 2 and _END.fullmatch(parts[-1][1].strip(" .!").casefold()) and not _QUOTED.search(text):
        # `… and she gets on the bus, smiling. The end.`
        return ((True, text),)
    return tuple(parts)


_END = re.compile(r"(?:and )?(?:the end|end of (?:the )?(?:story|game)|fin|happily ever after|(?:and )?i win)")


def _sentences(text: str) -> list[str]:
    """Return the sentences of a line; none ends within a quotation."""
    masked = _QUOTED.sub(lambda found: "x" * len(found[0]), text)
    ends = [0, *(found.end() for found in _SENTENCE.finditer(masked)), len(text)]
    return [said for at, end in pairwise(ends) if (said := text[at:end].strip())]


def _goes_on(sentence: str) -> bool:
    """Tell whether a sentence goes on with what the one before it narrates."""
    words = _plain(sentence)
    if not words or "?" in sentence:
        return False
    is_of_other = words[0] in _words()["pronouns"] | {"they", "it's"} and len(words) > 1
    # `Jin walks in. I hug her.`
    is_to_other = words[0] == "i" and bool(_words()["of_them"] & set(_stripped(words)))
    return is_of_other or is_to_other or _END.fullmatch(" ".join(word.strip(",.") for word in words)) is not None


def _plain(text: str) -> list[str]:
    """Return the words of a sentence in lower case, what is quoted as one; commas stay with the word before them."""
    quoted = _QUOTED.sub(_QUOTE, text)
    return _SIGNS.sub(" ", quoted.casefold().replace("’", "'")).strip(" .*-'").split()


_DECIDED = re.compile(
    r"i (?:hereby |now )?(?:decide|decree|declare|ordain|determine|establish|narrate|will it|rule)"
    r"(?: it)?(?: so)? that "
)
_SO_IT_IS = re.compile(
    r"(?:let it be (?:known|so) that|it is (?:decided|decreed) that|(?:as )?(?:it )?turns out(?:,| that)?"
    r"|it so happens(?: that)?|it transpires that|plot twist|by (?:a|some) miracle,?|out of nowhere,?|all of a sudden,?"
    r"|all at once,?|from now on,?|just then,?|at that (?:very )?moment,?|deus ex machina)[ ,:]+"
)
_EVER_AFTER = re.compile(r"(?:and )?(?:\w+ )?(?:\w+ )?lived? happily ever after\b")
_OUT_TO_BE = re.compile(r".* turns out to (?:be|have)\b")
_NEW_THERE = re.compile(
    r"there (?:just |so )?(?:happens?|turns? out) to be |there(?: is|'s| are| appears?)(?: (?:also|now|suddenly))* "
    r"(?:(?:a|an|the|another) (?:\w+ )?"
    r"(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|secret|hidden|magic)\b"
    r"|.*\b(?:nobody|no one|no-one) (?:has |had )?(?:ever )?noticed\b)"
)
_NOW_THERE = re.compile(
    r"(?:and )?there(?: is|'s| are)? (?:suddenly|now appears?|appears?|suddenly appears) (?:a|an|the)\b"
)
_HOUR = re.compile(
    r"(?:and |now |then )*(?:suddenly |now )?(?:it's|its|it is|the time is)(?: (?:now|suddenly|already|finally))*"
    r"(?: (?:half|quarter)(?: past| to)?)?"
    r"(?: [\w:]+)? ?(?:o'?clock|am|pm|in the (?:morning|evening|afternoon)|at night|midnight|noon|morning|dawn|daylight"
    r"|tomorrow|already|the next (?:day|morning)|spring|summer|autumn|winter)\b"
    r"|(?:and |then )*(?:the|our|my|these|those) (?:\w+ )?(?:minutes|hours|time|hour|night|evening|day|game|round)"
    r" (?:is|are) (?:over|up|done)\b"
    r"|(?:and |then )*(?:suddenly |now )(?:it's|its|it is) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|\d{1,2})\b"
)
# `It is six already, the bus is here, I get on.`
_HAS_COME = re.compile(r"\b(?:is|are) here\b|\b(?:comes|arrives|has (?:come|arrived))\b")
_STRUCK = re.compile(
    r"(?!i\b|we\b|you\b)(?:[\w'.]+ ){1,3}(?:suddenly )?(?:has|have|gets?|suffers?) (?:a|an) (?:\w+ )?"
    r"(?:heart attack|stroke|seizure|change of heart|fit|breakdown|epiphany)\b"
)
# `I say the words and the lift hums to life`; `three more minutes are added to the clock`.
_COMES_OF_IT = re.compile(
    r".* and (?:the|all the) [\w ]+? (?:hums?|comes?|springs?|roars?|whirrs?|starts?|bursts?|lights?|goes)"
    r" (?:to life|alive|into flames|back on)\b"
    r"|(?:\w+ ){1,4}(?:minutes|hours|points) (?:is|are|gets?) (?:added|given|restored|removed)\b"
    r"|.*\btime (?:stops|freezes|reverses|rewinds|stands still)\b"
)
_BECOME = re.compile(
    r"(?:and |now |suddenly )*(?:i am|i'm|im)(?: (?:now|suddenly|magically|instantly|once more))* "
    r"(?:[\w-]+ years old again|[\w-]+ years old,? and it is|(?:a|the) (?:little )?(?:child|kid|boy|girl|baby) again"
    r"|(?:young|small|little|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|\d{1,2}) again)\b"
)
_SUDDENLY = re.compile(
    r"(?:i am|i'm|im) now (?:a|an|the|invisible|immortal|rich|king|queen|god)\b|"
    r"(?:and )?(?:suddenly|magically|miraculously) (?:i|we) (?:have|own|hold) (?!to |got to |an idea|a feeling)"
    r"|(?:and )?(?:suddenly |now )(?:i am|i'm|im) |(?:i am|i'm|im) (?:suddenly|magically|instantly) "
)
_WEATHER = re.compile(
    r"(?:and |then |now |suddenly )*(?:it|(?:the )?(?:rain|snow|storm|wind|fog|sun|sky)) (?:suddenly |now |finally )*"
    r"(?:(?:stops|starts|begins)(?: to)? (?:rain|snow|hail|pour|storm|shin|clear)(?:e|ing)?|stops|clears(?: up)?"
    r"|comes out|dies down|lets up|turns to snow)(?= |$)(?! by itself)"
)
# What one never knew comes to mind all at once.
_CAME_TO_MIND = re.compile(
    r"(?:and |then )*(?:i|we) (?:(?:suddenly|now|just|finally|instantly) )+(?:recall|remember|reali[sz]e|discover) "
    r"(?:that )?(?:i|we|my|the key|the lamp)(?:'ve|'m)? "
    r"(?!(?:don't|do not|can't|cannot|need|must|should|want|forgot|left"
    r"|have to|had to|was (?:told|asked)|promised|am late)\b)"
)
# `… are being set down by my dead grandmother`.
_DONE_BY = re.compile(
    r"(?:the|a|an|his|her|their|my|all|some) [^.,;]*?\b(?:is|are|was|were) "
    r"(?:being |secretly )\w+(?: \w+)?(?: \w+)? by \w+"
)
# `Viktor, moved to tears, hands me the key`.
_APPOSED = re.compile(
    r"^([\w' ]{2,30}), (?:\w+(?:ed|ing|en)|in|out|at|with|without|now|suddenly|finally)\b[^,.;!?]*, (?=[a-z]+s\b)"
)
# What the world is after all, by somebody's say-so.
_AFTER_ALL = re.compile(
    r"(?:the|my|his|her|their) [^.,;]+ (?:(?:is|are|was|isn't|aren't|wasn't|is not) [^.,;]+ after all$"
    r"|(?:is|are|was) (?:actually|secretly|really) my\b)"
)
# Who one was all along: `I was Jin all along`.
_IDENTITY = re.compile(
    r"(?:and )?(?:i am|i'm|im|i was|i have (?P<ever>always )?been|i've (?:always )?been) "
    r"(?P<how>(?:now |actually |really |secretly |in fact |suddenly )*)(?P<who>[\w' ]+?)"
    r"(?P<since> all along| all the time| the whole time| now| in disguise)?(?: and .*)?$"
)
_MADE_TO = re.compile(r"(?P<how>have|let) (?P<rest>.+)")


def narrates(sentence: str, nouns: Nouns) -> bool:
    """Tell whether a sentence narrates what others do, or what happens, or what it decides of the world."""
    plain = _plain(_APPOSED.sub(r"\1 ", sentence))
    if "?" in sentence or len(plain) < _FEWEST or sentence.lstrip(" *")[:1] in "\"“'":
        return False
    is_to_somebody = bool(nouns.people) and bool({"you", "your", "you're", "yours"} & set(_stripped(plain)))
    text = " ".join(plain)
    decided = _DECIDED.match(text)
    if decided is not None:
        return not _OWN.match(text[decided.end() :])
    if is_to_somebody:
        return False
    if invents(sentence):
        return True
    is_alone = not nouns.people
    told = _SO_IT_IS.match(text)
    if told is not None and (_owns_it(text[told.end() :]) or not _OWN.match(text[told.end() :])):
        return text[told.end() :] != "" and (_has_clause(plain) or is_alone)
    if _EVER_AFTER.match(text) and not is_to_somebody:
        return True
    if _OUT_TO_BE.match(text) and not _OWN.match(text):
        return True
    if any(pattern.match(text) for pattern in (_NEW_THERE, _NOW_THERE, _BECOME, _SUDDENLY, _WEATHER, _CAME_TO_MIND)):
        return True
    if _SWITCHED.match(text) and not set(_stripped(plain)) & _words()["habits"]:
        return True
    if _DONE_BY.match(text) and not _OWN.match(text):
        return True
    if _HOUR.match(text):
        return is_alone or " and " in text or _HAS_COME.search(text) is not None
    if _STRUCK.match(text) or _COMES_OF_IT.match(text) or (is_alone and _AFTER_ALL.match(text)):
        return True
    if is_alone and _SO_I.search(text) and (subject := _subject(plain, nouns)) is not None:
        return subject[0] in ("absent", "everybody")
    self = _IDENTITY.match(text)
    if self is not None and (self["how"] or self["since"] or self["ever"]):
        # `I have always been Viktor's boss`
        who, others = self["who"].partition("'s ")[0], (*nouns.people, *nouns.known_people)
        return exact(who, others) is not None and exact(who, (nouns.player,)) is None
    made = _MADE_TO.match(text)
    if made is not None:
        return _is_made_to(made["how"], made["rest"].split(), nouns, _capitals(sentence))
    return _happens(plain, nouns)


_SWITCHED = re.compile(
    r"(?:and |then |but )*(?:all )?the (?:\w+ )?"
    r"(?:(?:lights?|power|lamps|alarm|radio|music) (?:all )?(?:goes?|comes?|turns?) (?:back )?(?:on|out|off)"
    r"|(?:bus|train|taxi|cab|boat) (?:arrives|comes|pulls up) (?:early|already|right))\b"
)
# `Mr Gaunt forgot to lock it, so I just leave.`
_SO_I = re.compile(r"\b(?:forgot|left|dropped|lost|never|has|had)\b.*\bso (?:now )?i\b")
_FEWEST = 2
_OWN = re.compile(r"(?:i|i'm|i'll|i've|i'd|we|we're|we'll|to|not|my (?:mind|heart)|enough)\b")


_OWNS_IT = re.compile(
    r"(?:i|we) (?:secretly |actually |really )?(?:own|inherit|inherited|rule|(?:am|was|m) (?:the|a|his|her))\b"
)


def _owns_it(text: str) -> bool:
    """Tell whether somebody says of themselves what they own or are by birth: `it turns out I own the Heron`."""
    return _OWNS_IT.match(text.replace("'", " ")) is not None


def _has_clause(plain: Sequence[str]) -> bool:
    return len(plain) > _CLAUSE


# So many words, with what leads in, are a clause.
_CLAUSE = 4


def _stripped(words: Sequence[str]) -> list[str]:
    return [word.strip(",.") for word in words]


def _capitals(sentence: str) -> frozenset[str]:
    """Return the words after the first that begin with a capital letter: names."""
    return frozenset(word.casefold() for word in re.findall(r"(?<=\s)[A-Z][\w'-]+", sentence))


def _is_made_to(how: str, words: Sequence[str], nouns: Nouns, capitals: Collection[str]) -> bool:
    """Tell whether somebody is made to do what is not the player's: who is not here anything, others what one cannot
    help doing."""
    for size in (3, 2, 1):
        name, after = " ".join(words[:size]), _stripped(words[size:])
        person = _called(name, (*nouns.people, *nouns.known_people))
        if not after or (person is None and not (size == 1 and words[0] in capitals)):
            continue
        is_act = is_verb(after[0]) or after[0] in lexicon().verb_words | _words()["involuntary"]
        is_absent = person not in nouns.people
        return is_act and ((is_absent and how == "have") or after[0] in _words()["involuntary"])
    return False


def _happens(plain: Sequence[str], nouns: Nouns) -> bool:
    """Tell whether a sentence is about somebody or something else, and says what they do now."""
    words, is_sudden = list(plain), False
    while words and words[0].strip(",") in _words()["leads"] | _words()["sudden"]:
        is_sudden = is_sudden or words[0].strip(",") in _words()["sudden"]
        words = words[1:]
    subject = _subject(words, nouns)
    if subject is None:
        return False
    who, at = subject
    said = _stripped(words)
    while at < len(said) and (said[at] in _words()["between"] or said[at].endswith("ly")):
        is_sudden = is_sudden or said[at] in _words()["sudden"]
        at += 1
    verb, after = (said[at], said[at + 1 :]) if at < len(said) else ("", [])
    # `walks in as if she had never died`
    told = _LIKENED.split(" ".join(after))[0].split()
    if set(told) & _words()["habits"] or _REMARKED.search(" ".join(said)):
        return False
    is_sudden = is_sudden or bool(set(after[:3]) & _words()["sudden"]) or _AT_ONCE.search(" ".join(after)) is not None
    if who == "several" and after and verb in _words()["climbing"] and after[0] in ("up", "down"):
        # Stairs do.
        return is_sudden
    if who == "several":
        return verb != "" and (
            is_sudden or not nouns.people or bool(set(after[:3]) & (_words()["particles"] | {"me"})) or not after
        )
    is_person = who in ("listener", "present", "absent")
    is_odd = _is_moving(said, at) or (is_person and verb.endswith("s") and "'" not in verb and "me" in after[:3])
    is_odd = is_odd or (who == "listener" and _ODD.fullmatch(verb) is not None and verb not in function_words())
    if not (is_third_person(verb) or is_odd):
        return False
    chain = _is_chain(words[at:])
    return _decides(who, verb, after, nouns, is_sudden=is_sudden, is_chain=chain, is_new=said[0] in _NEW)


_LIKENED = re.compile(r"\b(?:as (?:if|though)|like) ")
# What comes from nowhere; and a word that may be a verb of whom one speaks to.
_NEW, _ODD = frozenset(("a", "an", "another")), re.compile(r"[a-z]{3,}[^s']s")
# A remark, told as one.
_REMARKED = re.compile(
    r"\bi(?: have| 've|'ve)? (?:heard?|suppose|think|guess|believe|bet|mean|gather|reckon|notice|see)\b"
    r"|\bthey (?:say|tell me)\b"
    r"|\bi'm told\b|\bapparently\b|\b(?:does|do|is|are|has|have)n't (?:she|he|it|they)\b|\bno wonder\b"
    r"|\b(?:every|each) (?:single )?(?:\w*day|night|morning|evening|time|week|month|year|hour|now and)\b"
)


_AT_ONCE = re.compile(
    r"\b(?:all at once|all of a sudden|out of nowhere|by (?:itself|themselves|magic)|on (?:its|their) own)\b"
)


def _decides(
    who: str, verb: str, after: Sequence[str], nouns: Nouns, *, is_sudden: bool, is_chain: bool, is_new: bool
) -> bool:
    """Tell whether what somebody does is more than a remark about them could say."""
    lists, is_alone = _words(), not nouns.people
    is_at_me = not {"me", "we", "us"}.isdisjoint(after if who == "pronoun" else after[:4])
    if verb in lists["felt"]:
        is_event = is_sudden and is_chain and who not in ("thing", "pronoun")
        is_of_me = who == "listener" or (is_sudden and who != "thing") or _GAUGE.search(" ".join(after)) is not None
        return is_event or (is_at_me and is_of_me)
    if verb in lists["stative"]:
        return is_sudden and who in ("somebody", "absent", "thing") and verb in ("is", "has")
    if verb in lists["said"]:
        return who == "listener" or (who == "present" and (is_at_me or is_chain))
    is_moved = bool(set(after[:2]) & lists["particles"])
    is_event = verb in lists["events"]
    is_at_me = is_at_me or (after[:1] == ["my"] and bool(lexicon().body & set(after[1:3])))
    if verb in lists["drastic"] or (who == "thing" and is_new and (is_event or bool(set(after) & lists["particles"]))):
        return True
    is_seen = verb in (lists["lasting"] if who == "thing" else lists["posed"])
    if set(after) & lists["idioms"] or (is_seen and not (is_chain or is_sudden or "again" in after)):
        return who != "thing" and is_moved
    match who:
        case "listener":
            return True
        case "present":
            return is_event or is_moved or is_sudden or is_chain or is_at_me
        case "pronoun":
            return is_at_me and (is_chain or is_moved or is_event or "herself" in after or "himself" in after)
        case "absent" | "everybody":
            is_here = verb in lists["arrivals"] or is_moved
            return is_sudden or is_chain or is_here or (is_event and (is_at_me or is_alone))
        case _:
            is_final = is_event and "forever" in after
            return is_sudden or is_chain or is_final or is_moved or (is_event and (is_at_me or is_alone))


_GAUGE = re.compile(r"\d ?/ ?\d|\bcompletely\b|\b\d+ \d+\b")


def _is_chain(words: Sequence[str]) -> bool:
    """Tell whether what somebody does goes on with what they do then: `walks in, laughing, and says …`."""
    for at, word in enumerate(words[:-1]):
        if not (word.endswith(",") or word == "and"):
            continue
        after = [each.strip(",.") for each in words[at + 1 : at + 6]]
        while after and (after[0] in _words()["between"] or after[0] in _words()["joints"] or after[0].endswith("ly")):
            after = after[1:]
        if after[:1] and after[0] in _words()["determiners"] and len(after) > _FEWEST:
            # `and the sun comes out`
            after = after[2:] if is_third_person(after[2]) else after[3:]
        if after and is_third_person(after[0]) and after[0] not in _words()["stative"] | _words()["felt"]:
            return True
    return False


def _subject(words: Sequence[str], nouns: Nouns) -> tuple[str, int] | None:
    """Return what kind of subject a sentence begins with and where its verb is looked for; None where it is the player,
    or where it has none."""
    people = (*nouns.people, *nouns.known_people)
    said = _stripped(words)
    for size in (4, 3, 2, 1):
        name = " ".join(words[:size])
        if exact(name, (nouns.player,)) is not None:
            return None
        if len(words) <= size or name.endswith(","):
            continue
        person = _called(name, people)
        if person is not None:
            joined = _other_end(said, size + 1, people) if said[size] == "and" else 0
            return ("several", joined) if joined else (_standing(person, nouns), size)
    if len(said) < _FEWEST:
        return None
    if said[0] in ("mr", "mrs", "ms", "miss", "dr", "captain", "constable", "sergeant", "inspector", "officer"):
        return "absent", 2
    if said[0] in _words()["people"]:
        return _with_its_verb("everybody", said, 1, nouns)
    if said[0] in _words()["pronouns"]:
        return "pronoun", 1
    if said[0] in ("all", "both") or (said[0] == "the" and said[1] == "others"):
        at = next((at for at in range(2, min(len(said), 6)) if said[at - 1].endswith("s") and is_verb(said[at])), 0)
        return ("several", at) if at else None
    if said[0].endswith("'s") and _called(said[0][:-2], people) is not None:
        # `Teo's hen breaks`
        return _with_its_verb("thing", said, 2, nouns)
    if said[0] not in _words()["determiners"]:
        is_named = not (is_verb(said[0]) or said[0] in function_words() | lexicon().verb_words | lexicon().articles)
        is_act = said[1] in _words()["events"] | _words()["arrivals"] or (said[1] in _words()["plain"])
        return ("thing", 1) if is_named and is_act and not words[0].endswith(",") else None
    if said[0] != "the" and said[1] in lexicon().body:
        return None
    several = _with_plain_verb(said)
    return several if several == ("several", 2) else _with_its_verb("thing", said, 2, nouns) or several


def _called(name: str, people: Sequence[Candidate]) -> Candidate | None:
    """Return who is called so, by a whole name or the last word of one: `Bao`."""
    found = exact(name, people)
    if found is not None or " " in name:
        return None if found is None else found.candidate
    return next(
        (person for person in people if any(key.main and key.words[-1:] == (name,) for key in person.keys)), None
    )


def _other_end(said: Sequence[str], at: int, people: Sequence[Candidate]) -> int:
    for size in (3, 2, 1):
        name = " ".join(said[at : at + size])
        if len(said) > at + size and (name in ("everybody", "everyone", "the others") or _called(name, people)):
            return at + size
    return 0


def _standing(person: Candidate, nouns: Nouns) -> str:
    if person not in nouns.people:
        return "absent"
    return "listener" if len(nouns.people) == 1 else "present"


def _with_its_verb(who: str, said: Sequence[str], first: int, nouns: Nouns) -> tuple[str, int] | None:
    """Return the place of the verb of a subject of several words, what belongs to its noun and is said of it left out:
    `the heavy thing in the music room opens`."""
    within = False
    for at in range(first, min(len(said), first + _LONGEST)):
        word = said[at]
        if word in _words()["who"]:
            within = True
        elif word in _words()["between"] | _words()["sudden"] and not within:
            return who, at
        elif (is_third_person(word) or _is_moving(said, at)) and not _is_name(said[:at], word, nouns):
            if within:
                within = False
                continue
            return who, at
    return None


def _with_plain_verb(said: Sequence[str]) -> tuple[str, int] | None:
    """Return the place of the verb of several things: `the lights go out`."""
    for at in range(2, min(len(said), 5)):
        is_act = is_verb(said[at]) or said[at] in lexicon().verb_words or f"{said[at]}s" in _words()["plain"]
        is_act = is_act or f"{said[at]}es" in _words()["plain"]
        if said[at - 1 - (said[at - 1] in _words()["between"])].endswith("s") and not said[at].endswith("s") and is_act:
            return "several", at
    return None


# So many words a subject may have.
_LONGEST = 9


def _is_moving(said: Sequence[str], at: int) -> bool:
    """Tell whether a word is a verb by what follows it: `drains out`."""
    if len(said) <= at + 1 or said[at + 1] not in _words()["particles"]:
        return False
    return said[at].endswith("s") and not said[at].endswith("ss") and "'" not in said[at]


def _is_name(before: Sequence[str], word: str, nouns: Nouns) -> bool:
    """Tell whether a word that may be a verb belongs to the name of something: `the storage boxes`."""
    # `everyone outside bursts in`
    if before[-1] in (_words()["of"] - {"outside", "inside"}) | _words()["determiners"]:
        return True
    found = resolve(" ".join((*before[1:], word)), nouns.everything(), whole=True)
    return isinstance(found, PhraseMatch) and not found.mended


def is_third_person(word: str) -> bool:
    """Tell whether a word is a verb as others do it: `stops`, `hands`, `flies`."""
    if not word.endswith("s") or word.endswith("ss"):
        return False
    forms = {word[:-1], word.removesuffix("es"), f"{word.removesuffix('ies')}y"} - {word, f"{word}y"}
    return any(map(is_verb, forms)) or any(
        word in _words()[name] for name in ("events", "arrivals", "felt", "said", "plain", "drastic")
    )
