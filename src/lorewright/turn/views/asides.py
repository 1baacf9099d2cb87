"""An aside of the player's -> its answer, made by code of what the player may see. It changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from lorewright.builtin.parser.decrees import DECREED, INVENTED
from lorewright.builtin.parser.outputs import DECREED_SAID
from lorewright.builtin.words.asides import subjects, subjects_in
from lorewright.builtin.words.board import NUMERALS
from lorewright.builtin.words.clauses import capitalised, listed, place_name, with_article
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.rules.hours import time_of_day
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import typed
from lorewright.scene_lore.cache import COLOURLESS_WORDS
from lorewright.scene_lore.gather import in_sentences, sentences
from lorewright.scene_lore.nouns import singular
from lorewright.turn.views.clocks_told import clocks_named, clocks_told, means_of
from lorewright.turn.views.scope import ways_out
from lorewright.values.records import Citation
from lorewright.world.state import WorldState

Tell = Callable[[WorldState, CampaignRules], str]


# Kinds that say all that is asked; beside others the words say more closely what the question is about.
_WHOLE = frozenset("turn recap state company quit magic rude alone ways undo ooc".split())
# Kinds that answer first, whatever else is asked.
_FIRST = frozenset(("time", "turns", "save", "part", "goal", "hint", "options", "restart", "spoiler", "undo"))
# What the answer to a question of these kinds says already.
_SAID = {
    "who": ("who", "supposed", "part"),
    "time": ("turns", "pace", "hint", "may"),
    "save": ("save", "may"),
    "part": ("part", "may"),
    "restart": ("restart", "undo", "may", "hint", "help", "commands", "turns"),
    "help": ("help", "may", "winning", "losing", "hint"),
    "clocks": ("clocks", "undo", "may"),
    "pace": ("pace", "turns", "may", "save", "undo"),
    "display": ("display", "may"),
    "spoiler": ("hint", "help", "may", "winning", "losing", "voices"),
    "goal": ("goal", "winning", "losing", "hint", "may"),
    "hint": ("hint", "help", "winning", "losing", "may", "save", "undo", "commands"),
    "options": ("hint", "help", "winning", "losing", "may", "save", "undo", "commands", "typing"),
}
# Subjects that count where there is no other, and kinds that say nothing of them by themselves.
_WEAK = frozenset(("may", "help", "voices"))
_GENERAL = frozenset(("rules", "program", "gripe"))
# So many subjects of a question are answered.
_MOST = 3


def answer_aside(
    kind: str, state: WorldState, rules: CampaignRules, words: str = "", *, wanted: str = "", guided: str = ""
) -> str:
    """Return the answer to an aside in these words; `state` is what the player may see, `wanted` says what they want,
    `guided` is what the campaign itself answers to this kind."""
    if kind == "told":
        return words
    if kind == "story":
        return _impossible(words)
    if kind in (DECREED, INVENTED):
        said = re.sub(r"[\"“”]", "’", words.strip(" .,!"))
        return (_NOT_SO if kind == INVENTED else _NOT_HAPPENING).format(said=said)
    if kind in _UNHEARD:
        name = _BEYOND.get(words) or (words if words[:1].isupper() else with_article(words))
        return _UNHEARD[kind].format(name=name, Name=capitalised(name))
    if kind == "save" and {"load"} == set(subjects_in(words, "questions")) & {"load", "save"}:
        kind = "load"
    found = () if kind in _WHOLE else _subjects(kind, state, rules, words)
    if kind == "undo" and "part" in subjects_in(words, "questions"):
        # `Undo. Let me play the ferrywoman instead.`
        found = ("part",)
    if kind == "spoiler" and "endings" in found:
        # Whether there are several is no secret.
        kind, found = "endings", tuple(subject for subject in found if subject != "endings")
    is_first = kind in _FIRST or kind == "endings" or kind in set(subjects_in(words, "questions")) - _WEAK
    answers = [guided or _answer(kind, state, rules)] if is_first or not found else []
    answers += [_WINNING] if kind == "goal" and "winning" in subjects_in(words, "questions") else []
    for subject in found[:_MOST]:
        match subject:
            case "clocks":
                answers.append(clocks_told(state, rules, words) or _score(state, rules))
            case "losing" if "clocks" in found:
                answers.append(_LOSING)
            case "full" if "clocks" in found:
                pass
            case "full":
                answers.append(_full(state, rules, words))
            case "voices" if _TURNED_OFF.search(words.casefold()):
                answers += ["They cannot be turned off.", _voices(state, rules)]
            case "voices" if rules.ruleset.stats and _LISTED.search(words.casefold()):
                answers += [
                    _voices(state, rules),
                    *(_meaning(rules, key, _stat(state, key)) for key in rules.ruleset.stats),
                ]
            case "stats":
                answers.append(_stats(state, rules, words))
            case "winning":
                answers.append(f"{wanted or _answer('goal', state, rules)} {_WINNING}")
            case "success" if "must" in found:
                pass
            case "must" | "success":
                answers.append(_counts(wanted or _answer("goal", state, rules), rules, subject))
            case _:
                answers.append(_answer(subject, state, rules))
    whole = [answer if answer.endswith((".", "?", "!")) else f"{answer}." for answer in answers]
    return " ".join(dict.fromkeys(part for answer in whole for part in in_sentences(answer)))


def _subjects(kind: str, state: WorldState, rules: CampaignRules, words: str) -> tuple[str, ...]:
    """Return what a question about the game is about, beside what its kind answers already."""
    found = [subject for subject in subjects_in(words, "questions") if subject not in _SAID.get(kind, (kind,))]
    if clocks_named(state, words) and "typing" not in found:
        # Who asks how to talk to people means no clock of that name.
        found = ["clocks", *found]
    if _stats_named(rules, words) and "stats" not in found:
        found.append("stats")
    others = [subject for subject in found if subject not in _WEAK]
    if "voices" in found and "voice" in rules.ruleset.summary and "truth" not in found:
        others.append("voices")
    return tuple(others or [subject for subject in found if subject in _WEAK and kind in _GENERAL][:1])


def _answer(kind: str, state: WorldState, rules: CampaignRules) -> str:
    told = _ANSWERS.get(kind)
    return told(state, rules) if told is not None else _TEXTS.get(kind) or subjects()["questions"][kind].answer


def _impossible(words: str) -> str:
    """Return why a deed that no story has an answer to is none, by what it would be."""
    deeds = subjects()["deeds"]
    found = (deeds[subject].answer or _TEXTS.get(subject, "") for subject in subjects_in(words, "deeds"))
    return next(filter(None, found), _TEXTS["story"])


def _who(state: WorldState, rules: CampaignRules) -> str:
    named = {key: stat.name for key, stat in rules.ruleset.stats.items()}
    block = {name: state.stat(state.player_id, key) for key, name in named.items()}
    stats = {name: value for name, value in block.items() if value is not None}
    traits = {named.get(key, key): value for key, value in sorted(state.entities[state.player_id].traits.items())}
    shown = ", ".join(f"{name} {value:+g}" for name, value in (stats or traits).items() if value)
    return f"You are {state.name_of(state.player_id)}{f': {shown}' if shown else ''}. {_carried(state)}"


def _options(state: WorldState, rules: CampaignRules) -> str:
    """Return what can be done here, by who is here and the ways that lead on."""
    people = [state.name_of(person) for person in state.present_npcs()][:_FEW]
    ways = [way.name for way in ways_out(state) if not (way.locked or way.barred)][:_FEW]
    lines = [*typed("view"), *(line for name in people for line in typed("meet", person=name))]
    lines += [line for way in ways for line in typed("way", way=way)]
    lines += [*typed("rummage"), *typed("pass_time")]
    return f"You can, for example: {'; '.join(dict.fromkeys(lines))}. {_TEXTS['help']}"


# So many people and ways are named for an example.
_FEW = 3


def _carried(state: WorldState) -> str:
    names = [state.name_of(item) for item in state.held_by(state.player_id)]
    return f"You carry: {', '.join(names)}." if names else "You carry nothing."


def _time(state: WorldState, rules: CampaignRules) -> str:
    passed = state.minutes
    hours, minutes = divmod(passed, 60)
    parts = [f"{hours} hour{'s' * (hours != 1)}"] * bool(hours) + [f"{minutes} minute{'s' * (minutes != 1)}"]
    began = f"{' and '.join(parts)} have passed since it began." if passed else "It has only just begun."
    if rules.begins:
        began = f"It is {time_of_day(state, rules.begins, rules.until)}. {began}"
    clocks = [f"{capitalised(clock['name'])} {clock['value']} of {clock['max']}" for clock in state.clocks_shown()]
    return f"{began} {' · '.join(clocks)}".strip()


def _ways(state: WorldState, rules: CampaignRules) -> str:
    ways = [_way(way.name, way.to_name, barred=way.barred, locked=way.locked) for way in ways_out(state)]
    return (
        f"From {place_name(state.name_of(state.scene.location_id))} you can go: {listed(ways, limit=8)}."
        if ways
        else ("There is no way out that you know of.")
    )


def _way(name: str, to: str, *, barred: bool, locked: bool) -> str:
    there = f"{name} (to {place_name(to)})" if to and to.casefold() != name.casefold() else name
    return f"{there}, which is {'locked' if locked else 'barred'}" if locked or barred else there


def _rules(state: WorldState, rules: CampaignRules) -> str:
    return f"{' '.join(rules.ruleset.summary.split())} Say in your own words what you do or say; /help lists more."


def _dice(state: WorldState, rules: CampaignRules) -> str:
    bands = [f"{band.minimum} and more is {band.title}" for band in rules.ruleset.bands[:-1]]
    rolled = rules.ruleset.roll or rules.ruleset.dice
    return f"The roll is {rolled}: {', '.join(bands)}, less is {rules.ruleset.bands[-1].title}. {_rules(state, rules)}"


def _stats_named(rules: CampaignRules, words: str) -> list[str]:
    said = f" {' '.join(re.findall(r'[a-z]+', words.casefold()))} "
    return [key for key, stat in rules.ruleset.stats.items() if f" {stat.name.casefold().replace('-', ' ')} " in said]


def _stats(state: WorldState, rules: CampaignRules, words: str) -> str:
    """Return what the stats that are named stand for; else what the player's are, and which is the highest."""
    shown = {key: value for key in rules.ruleset.stats if (value := _stat(state, key)) is not None}
    meant = " ".join(_meaning(rules, key, shown.get(key)) for key in _stats_named(rules, words))
    if meant and not (shown and _ASKS_WHICH.search(words.casefold())):
        return meant
    if not shown:
        return _who(state, rules)
    best = max(shown, key=shown.__getitem__)
    highest = f"The highest is {_meaning(rules, best, shown[best])}" if len(shown) > 1 else ""
    return f"{_who(state, rules)} {highest} {_NO_BEST} {meant}".replace("  ", " ").strip()


# A question which of the stats is best, and its answer.
_ASKS_WHICH = re.compile(
    r"\b(?:which|what)\b.*\b(?:good|best|useful|main|strongest|highest|right|important|better|use|using|choose|pick)\b"
)
_NO_BEST = "None is the best one: which one counts depends on what you try."


def _stat(state: WorldState, key: str) -> float | None:
    value = state.stat(state.player_id, key)
    return state.entities[state.player_id].traits.get(key) if value is None else value


def _meaning(rules: CampaignRules, key: str, value: float | None) -> str:
    stat = rules.ruleset.stats[key]
    stands = "" if value is None else f" (yours is {value:+g})"
    ends = [f"high means {stat.high}" if stat.high else "", f"low means {stat.low}" if stat.low else ""]
    means = f" {capitalised('; '.join(filter(None, ends)))}." if any(ends) else ""
    formula = rules.ruleset.roll or ""
    counts = next((said for sign, said in _COUNTS.items() if re.search(rf"\{sign} {re.escape(key)}\b", formula)), "")
    return f"{stat.name}{stands}: {stat.represents}.{means}{counts}"


# How a stat counts that stands in a formula, by the sign before it.
_COUNTS = {"-": " In a roll it counts against you.", "+": " It is added to your rolls."}


def _voices(state: WorldState, rules: CampaignRules) -> str:
    return f"They are parts of you, and nobody else hears them. {' '.join(rules.ruleset.summary.split())}"


def _turns(state: WorldState, rules: CampaignRules) -> str:
    ends = [
        f"{clock.name} ({clock.value} of {clock.max}) counts to {hour}"
        for key, hour in sorted(rules.until.items())
        if (clock := state.clocks.get(key)) is not None
    ]
    counted = [f"{gauge.name} ({gauge.value} of {gauge.max})" for gauge in state.gauges()]
    now = f" It is {time_of_day(state, rules.begins, rules.until)} now." if rules.begins else ""
    until = f"{now} {capitalised(listed(ends))}: later than that it does not go on." if ends else now
    runs = f" Counted are {listed(counted)}." if counted and not ends else ""
    return f"There is no set number of turns: it lasts until one of its ends is reached.{until}{runs}"


def _map(state: WorldState, rules: CampaignRules) -> str:
    return f"There is no map. {_ways(state, rules)}"


def _part(state: WorldState, rules: CampaignRules) -> str:
    others = [state.name_of(who) for who in state.personas if who != state.player_id]
    beside = f" The story lets you play {listed(others)} as well; nobody else." if others else ""
    named = state.name_of(state.player_id)
    return f"You are {named} in this story, and keep that name and that part: that cannot be changed.{beside}"


def _counts(wanted: str, rules: CampaignRules, subject: str) -> str:
    """Return what one has to do, and what it counts by: what the player wants, and that there are ends."""
    many = f" The story knows {len(rules.endings)} ends, and does not give marks." if len(rules.endings) > 1 else ""
    free = "Nothing has to be done in one set way. " if subject == "must" else ""
    return f"{free}{wanted}{many} {_WAYS_TO_END}"


_WAYS_TO_END = "By which way you come to one is left to you, and which, you find out by what you do."


def _free(state: WorldState, rules: CampaignRules) -> str:
    return f"You can go wherever a way leads, and come back; more ways show as you go. {_ways(state, rules)}"


def _endings(state: WorldState, rules: CampaignRules) -> str:
    many = f"It can end in {len(rules.endings)} ways. " if len(rules.endings) > 1 else ""
    return f"{many}{_TEXTS['spoiler']}"


def _score(state: WorldState, rules: CampaignRules) -> str:
    clocks = " · ".join(f"{clock['name']} {clock['value']} of {clock['max']}" for clock in state.clocks_shown())
    return f"Nobody keeps a score. {f'So it stands: {clocks}.' if clocks else '/goal says what you want.'}"


# What a sentence about the end of a clock speaks of.
_AT_ITS_END = re.compile(r"\bfull\b|\bat \d|everybody", re.IGNORECASE)


def _losing(state: WorldState, rules: CampaignRules) -> str:
    ends = []
    for clock in state.clocks_shown():
        said = [part for part in in_sentences(means_of(rules, clock["id"])) if _AT_ITS_END.search(part)]
        if said and clock["id"] not in rules.good_clocks:
            ends.append(f"{capitalised(clock['name'])} ({clock['value']} of {clock['max']}): {said[-1]}")
    runs = " ".join(ends) or ("" if state.clocks_shown() else " ".join(rules.ruleset.summary.split()))
    return f"{_LOSING} {runs} /undo takes a turn back, at the end too."


def _clocks(state: WorldState, rules: CampaignRules) -> str:
    """Return where all clocks that are shown stand, and what they count."""
    return " ".join(
        f"{capitalised(clock['name'])} is at {clock['value']} of {clock['max']}. {means_of(rules, clock['id'])}".strip()
        for clock in state.clocks_shown()
    ) or _score(state, rules)


def _full(state: WorldState, rules: CampaignRules, words: str) -> str:
    """Return what becomes of clocks that are full: of those that are as long as a question says, else of all."""
    said = {*re.findall(r"[a-z]+|\d+", words.casefold())}
    asked = [clock for clock in state.clocks_shown() if said & {str(clock["max"]), NUMERALS.get(int(clock["max"]), "")}]
    lines = [
        f"{capitalised(clock['name'])} is at {clock['value']} of {clock['max']}. {means_of(rules, clock['id'])}"
        for clock in asked
    ]
    return " ".join(lines) or _losing(state, rules)


_LISTED = re.compile(r"\b(?:list|each|all|every|names?|explain|describe|introduce|which|who are|what are|how many)\b")
_TURNED_OFF = re.compile(r"\b(?:turn|turned|switch|shut|off|silence|mute|stop|disable|rid|remove|hide)\b")
_ELSEWHERE = re.compile(
    r"\b(?:(?:in|inside|at|behind|on) (?!here|this|there)(?:the |that |my |an? )?(?P<where>[\w' -]+)"
    r"|(?P<side>upstairs|downstairs|outside|next door|out there))"
)


def place_asked_about(state: WorldState, words: str) -> str:
    """Return the words for another place that a question is about; empty where it is about this one."""
    found = _ELSEWHERE.search(words.casefold())
    if found is None:
        return ""
    said = (found["where"] or found["side"]).strip()
    here = {*content_words(state.name_of(state.scene.location_id)), "room", "place"}
    return "" if set(content_words(said)) <= here else said


def _company(state: WorldState, rules: CampaignRules) -> str:
    names = [state.name_of(person) for person in state.present_npcs()]
    return f"Here with you: {listed(names, limit=8)}." if names else "Nobody is here but you, as far as you can tell."


def _condition(state: WorldState, rules: CampaignRules) -> str:
    ails = state.conditions_of(state.player_id)
    said = f"You are {listed(sorted(map(str, ails)))}." if ails else "Nothing ails you, as far as you can tell."
    clocks = " · ".join(f"{clock['name']} {clock['value']} of {clock['max']}" for clock in state.clocks_shown())
    return f"{said} {capitalised(clocks)}".strip()


_ANSWERS: Mapping[str, Tell] = {
    "company": _company,
    "options": _options,
    "state": _condition,
    "who": _who,
    "time": _time,
    "ways": _ways,
    "rules": _rules,
    "score": _score,
    "losing": _losing,
    "dice": _dice,
    "voices": _voices,
    "turns": _turns,
    "map": _map,
    "free": _free,
    "clocks": _clocks,
    "meters": _clocks,
    "part": _part,
    "endings": _endings,
}
_LOSING = "Yes, one can lose: it can end well or badly, and what you do decides it."
_WINNING = "It can be reached; how, you find out by what you do, and /hint gives a nudge."
_TEXTS: Mapping[str, str] = {
    "help": "Say in your own words what you do, or what you say and to whom: look at things, search places, ask people "
    "about what you have heard of, take, give, use, open, go somewhere, wait. /help lists all of it.",
    "hint": "Try somebody or something that you have not tried yet.",
    "goal": "Nobody has told you what to want here. Look about.",
    "recap": "Nothing has happened yet that is worth a summary. /recap tells who you are and what is open.",
    "machine": "A program answers here, by rules and in words that people wrote for it; it plays fair, and "
    "knows no more than the story does.",
    "undo": "/undo takes the last turn back, /undo 3 the last three.",
    "gripe": "Noted. /hint gives a nudge where nothing seems to move, and /undo takes a turn back.",
    "ooc": "Noted, outside of the story: nobody there hears it, and no time passes.",
    "save": "There is nothing to do for that: every turn is saved as it is played. /save NAME marks this point.",
    "quit": "/quit leaves the game, and everything is kept.",
    "story": "That is beyond you here: you can do and say what a person in your place could, and the story's own rules "
    "hold for it.",
    "magic": "The word is spoken. Somewhere a hollow voice is pleased to be remembered; here, nothing stirs.",
    "program": "That is a matter of the program, not of the story: lorewright --help says what it can do, and /help "
    "what is typed in it.",
    "spoiler": "No, nothing is given away: the end, and who is behind what, are for you to find out. That would be "
    "telling. /hint gives a nudge.",
    "turn": "The next move is yours: the others have theirs as soon as you have made it.",
    "strategy": "Nobody here plays your side for you: the next move is yours. /hint gives a nudge.",
    "within": "You say it inwardly, and nobody else hears it.",
    "alone": "You say it aloud. Nobody is here with you, and no answer comes.",
    "rude": "Noted, and kept between us.",
}


# What is said to somebody who is not here, or to what has no speech, in the player's words for them.
_UNHEARD: Mapping[str, str] = {
    "afar": "You say it to {name}, as loud as you like. No answer comes: {name} is not near enough to hear it.",
    "unseen": "That is meant for {name}, who is not near, and no sign comes back.",
    "behind": "You say it towards {name}, so that it can be heard there. Whoever may be behind it gives no answer.",
    "missing": "Nobody here is {name}, as far as you can tell, and so nobody answers.",
    "mute": "You say it to {name}. Whatever {name} may know or think, there are no words in answer.",
}

# What lies there, where a way has no name but where it leads.
_BEYOND = {"up": "what is above", "down": "what is below", "out": "what is outside"}

# From so many telling words on what was told is looked through first.
_TELLING = 2
# The tokens of sections that are looked through for an answer.
_TOKENS = 600


# Before what is known of something of which it was asked why it is so: no sentence is looked through for reasons.
_NO_REASON, _ASKED = "Why, nobody has told you in so many words. ", "You ask yourself. "


def answer_from_known(
    words: str, told: Iterable[str], view: LoreView, asked: str = ""
) -> tuple[str, tuple[Citation, ...]]:
    """Return what the player was told of something, in the words of the first text that says it; else what a viewer may
    read of it, in the words of the section that says it, with that section; a plain sentence where nothing says it.
    `asked` is the whole line: of reasons it is said first that nobody told them."""
    lead = _NO_REASON if re.search(r"\b(?:why|how come)\b", asked.casefold()) else ""
    texts = () if len(_stems(words)) < _TELLING else told
    for text in texts:
        if quote := _quote_about(words, in_sentences(text)):
            return f"{lead}You remember: {quote}", ()
    query = LoreRetrievalQuery(keywords=words, corpus="authored", viewer="player", limit=3, max_tokens=_TOKENS)
    for chunk in retrieve(view, query).result.chunks:
        quote = _quote_about(words, sentences(chunk.text), title=chunk.section_path)
        if not quote:
            continue
        cited = Citation(
            cite=chunk.section_path,
            chunk_id=chunk.chunk_id,
            item_id=None,
            file_path=chunk.file_path,
            section_path=chunk.section_path,
            quote=quote,
        )
        return f"{lead or _ASKED}So much you know: {quote}", (cited,)
    # A name alone stands in many sentences that say nothing of its bearer.
    for text in told if not texts else ():
        if quote := _quote_about(words, in_sentences(text)):
            return f"{lead}You remember: {quote}", ()
    return NOTHING_HEARD, ()


_NOT_HAPPENING = f"Nothing of the kind happens: “{{said}}”. {DECREED_SAID}"
# What is answered to facts, memories and belongings that are only said to be.
_NOT_SO = (
    "Nothing of the kind is known here: “{said}”. You have what you carry, and know what you have seen and been told; "
    "what else is so, the story decides."
)
# What is answered where nobody has told the player anything of what they ask.
NOTHING_HEARD = "You ask yourself, and have no answer: you have heard nothing of it yet."


def _quote_about(words: str, said: Sequence[str], *, title: str = "") -> str:
    """Return two sentences from the one on that has the most of the words asked for, two thirds of them at least; empty
    where none has. The words of a title stand in each of its sentences."""
    asked = _stems(words)
    titled = _stems(title)
    found = [len(asked & (titled | _stems(sentence))) for sentence in said]
    best = max(found, default=0)
    if not asked or not best or 3 * best < 2 * len(asked):
        return ""
    at = found.index(best)
    return " ".join(said[at : at + 2])


def _stems(text: str) -> set[str]:
    words = (singular(word) for word in content_words(text) if word not in COLOURLESS_WORDS | STOP_WORDS)
    return {word.removesuffix("ing") if len(word) > _LONG_FORM else word for word in words}


# `crying` is a form of `cry`, and `king` is none.
_LONG_FORM = 5
