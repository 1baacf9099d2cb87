"""An aside of the player's -> its answer, made by code of what the player may see. It changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from lorewright.builtin.parser.outputs import DECREED_SAID
from lorewright.builtin.parser.refusals.decrees import DECREED, INVENTED
from lorewright.builtin.words.asides import clocks_asked_about, subjects, subjects_in
from lorewright.builtin.words.clauses import capitalised, listed, place_name, with_article
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.rules.hours import time_of_day
from lorewright.rules.rulesets import CampaignRules
from lorewright.rules.verbs import typed
from lorewright.scene_lore.gather import in_sentences
from lorewright.shipped_tables import read_table
from lorewright.turn.views.asides.clocks_told import (
    LOSING,
    clocks_all,
    clocks_named,
    clocks_told,
    cost_told,
    full_told,
    losing_told,
    means_of,
    ride_told,
    score_told,
)
from lorewright.turn.views.asides.stats_told import meaning_of, player_told, stat_of, stats_named, stats_told
from lorewright.turn.views.scope import ways_out
from lorewright.world.state import WorldState

Tell = Callable[[WorldState, CampaignRules], str]


# Kinds that say all that is asked; beside others the words say more closely what the question is about.
_WHOLE = frozenset(
    "turn recap state company quit magic rude alone ways undo ooc cast without company_at_table mused".split()
)
# Kinds that answer first, whatever else is asked.
_FIRST = frozenset("time turns save part goal hint options restart spoiler undo who".split())
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
# A subject that is told with another one: by the latter it is answered.
_TOLD_WITH = {"full": "clocks", "success": "must"}
# What a question about a clock is not about, whatever words it has: `how do I make it go down`.
_OF_THE_PROGRAM = frozenset(("display", "difficulty", "offers"))
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
    if kind == "rolling":
        named = (meaning_of(rules, key, stat_of(state, key)) for key in stats_named(rules, words))
        return " ".join((_rolling(state, rules), *named))
    if kind == "ride":
        return ride_told(state, rules, words)
    if kind in (DECREED, INVENTED):
        said = re.sub(r"[\"“”]", "’", words.strip(" .,!"))
        return (_NOT_SO if kind == INVENTED else _NOT_HAPPENING).format(said=said)
    if kind in _written()["unheard"]:
        name = _BEYOND.get(words) or (words if words[:1].isupper() else with_article(words))
        return _written()["unheard"][kind].format(name=name, Name=capitalised(name))
    if kind == "save" and {"load"} == set(subjects_in(words, "questions")) & {"load", "save"}:
        kind = "load"
    if kind == "state":
        return _condition(state, rules, words)
    found = () if kind in _WHOLE else _subjects(kind, state, rules, words)
    if kind == "undo" and "part" in subjects_in(words, "questions"):
        # `Undo. Let me play the ferrywoman instead.`
        found = ("part",)
    if kind == "spoiler" and "endings" in found:
        # Whether there are several is no secret.
        kind, found = "endings", tuple(subject for subject in found if subject != "endings")
    is_first = kind in _FIRST or kind == "endings" or kind in set(subjects_in(words, "questions")) - _WEAK
    answers = [guided or _answer(kind, state, rules)] if is_first or not found else []
    if kind == "hint" and wanted and _SUPPOSED.search(words.casefold()):
        answers = [wanted, *answers]
    answers += [_WINNING] if kind == "goal" and "winning" in subjects_in(words, "questions") else []
    for subject in found[:_MOST]:
        match subject:
            case "clocks":
                answers.append(clocks_told(state, rules, words) or score_told(state, rules))
            case "losing" if "clocks" in found:
                answers.append(LOSING)
            case "full" | "success" if _TOLD_WITH[subject] in found:
                pass
            case "full":
                answers.append(full_told(state, rules, words))
            case "voices" if _TURNED_OFF.search(words.casefold()):
                answers += ["They cannot be turned off.", _voices(state, rules)]
            case "voices" if rules.ruleset.stats and _LISTED.search(words.casefold()):
                answers += [
                    _voices(state, rules),
                    *(meaning_of(rules, key, stat_of(state, key)) for key in rules.ruleset.stats),
                ]
            case "why_here":
                answers.append(f"{wanted or _answer('goal', state, rules)} {_text('began')}")
            case "stats":
                answers.append(stats_told(state, rules, words))
            case "winning":
                answers.append(f"{wanted or _answer('goal', state, rules)} {_WINNING}")
            case "must" | "success":
                answers.append(_counts(wanted or _answer("goal", state, rules), rules, subject))
            case _:
                answers.append(_answer(subject, state, rules))
    whole = [answer if answer.endswith((".", "?", "!")) else f"{answer}." for answer in answers]
    return " ".join(dict.fromkeys(part for answer in whole for part in in_sentences(answer)))


def _subjects(kind: str, state: WorldState, rules: CampaignRules, words: str) -> tuple[str, ...]:
    """Return what a question about the game is about, beside what its kind answers already."""
    found = [subject for subject in subjects_in(words, "questions") if subject not in _SAID.get(kind, (kind,))]
    stats = stats_named(rules, words)
    is_of_clocks = clocks_asked_about(words, [clock["name"] for clock in state.clocks_shown()]) or not stats
    if is_of_clocks and clocks_named(state, words) and "typing" not in found:
        # Who asks how to talk to people means no clock of that name.
        found = ["clocks", *(subject for subject in found if subject not in _OF_THE_PROGRAM)]
    if "whatif" in found and (kind == "losing" or "losing" in found) and _OF_LOSING.search(words.casefold()):
        found = [subject for subject in found if subject != "whatif"]
    if stats and "stats" not in found:
        found = [*(subject for subject in found if subject != "meters"), "stats"]
    others = [subject for subject in found if subject not in _WEAK]
    if "voices" in found and "voice" in rules.ruleset.summary and "truth" not in found:
        others.append("voices")
    return tuple(others or [subject for subject in found if subject in _WEAK and kind in _GENERAL][:1])


_OF_LOSING = re.compile(r"\b(?:if|when) (?:i|we) (?:lose|win|die|fail|run out)\b")


def _answer(kind: str, state: WorldState, rules: CampaignRules) -> str:
    told = _ANSWERS.get(kind)
    return told(state, rules) if told is not None else _text(kind) or subjects()["questions"][kind].answer


def _impossible(words: str) -> str:
    """Return why a deed that no story has an answer to is none, by what it would be."""
    deeds = subjects()["deeds"]
    found = (deeds[subject].answer or _text(subject) for subject in subjects_in(words, "deeds"))
    return next(filter(None, found), _text("story"))


def _options(state: WorldState, rules: CampaignRules) -> str:
    return f"You can, for example: {'; '.join(_examples(state))}. {_written()['texts']['help']}"


def _examples(state: WorldState) -> list[str]:
    """Return what can be done here, by who is here and the ways that lead on."""
    people = [state.name_of(person) for person in state.present_npcs()][:_FEW]
    ways = [way.name for way in ways_out(state) if not (way.locked or way.barred)][:_FEW]
    lines = [*typed("view"), *(line for name in people for line in typed("meet", person=name))]
    lines += [line for way in ways for line in typed("way", way=way)]
    lines += [*typed("rummage"), *typed("pass_time")]
    return list(dict.fromkeys(lines))


# So many people and ways are named for an example.
_FEW = 3


def _time(state: WorldState, rules: CampaignRules) -> str:
    passed = state.minutes
    hours, minutes = divmod(passed, _HOUR)
    parts = [f"{hours} hour{'s' * (hours != 1)}"] * bool(hours) + [f"{minutes} minute{'s' * (minutes != 1)}"]
    verb = "has" if passed == 1 or passed == _HOUR else "have"
    began = f"{' and '.join(parts)} {verb} passed since it began." if passed else "It has only just begun."
    if rules.begins:
        began = f"It is {time_of_day(state, rules.begins, rules.until)}. {began}"
    clocks = [f"{capitalised(clock['name'])} {clock['value']} of {clock['max']}" for clock in state.clocks_shown()]
    return f"{began} {' · '.join(clocks)}".strip()


_HOUR = 60  # minutes


def _ways(state: WorldState, rules: CampaignRules) -> str:
    ways = [_way(way.name, way.to_name, barred=way.barred, locked=way.locked) for way in ways_out(state)]
    return (
        f"From {place_name(state.name_of(state.scene.location_id))} you can go: {listed(ways, limit=8)}."
        if ways
        else ("There is no way out that you know of.")
    )


def _way(name: str, to: str, *, barred: bool, locked: bool) -> str:
    there = f"{name} (to {place_name(to)})" if to and to.casefold() != name.casefold() else name
    return f"{there}, which is {'locked' if locked else 'shut'}" if locked or barred else there


def _rules(state: WorldState, rules: CampaignRules) -> str:
    return f"{' '.join(rules.ruleset.summary.split())} Say in your own words what you do or say; /help lists more."


def _hint(state: WorldState, rules: CampaignRules) -> str:
    return f"{_written()['texts']['hint']} You can, for example: {'; '.join(_examples(state))}."


# Who calls for a hint asks what it is all for, too.
_SUPPOSED = re.compile(r"\b(?:supposed|meant|goal|aim|point|objective|trying) (?:to|of|here)\b")


def _rolling(state: WorldState, rules: CampaignRules) -> str:
    """Return how dice are thrown, to words that throw them by hand."""
    rolled = rules.ruleset.roll or rules.ruleset.dice
    is_risky = any(act.check is not None for act in rules.ruleset.actions.values())
    by_itself = (
        f"; where that is risky, {rolled} is rolled for you" if rolled and is_risky else ": that is all it takes"
    )
    return f"Nothing is rolled by hand here. Say what you do, in your own words{by_itself}."


def _cast(state: WorldState, rules: CampaignRules) -> str:
    names = [state.name_of(person) for person in state.present_npcs()]
    here = f"Here with you: {listed(names, limit=8)}." if names else "Nobody else is here just now."
    known = f" “What do I know about {names[0]}?” tells what you have been told." if names else ""
    return f"You are {state.name_of(state.player_id)}. {here} The others you meet on your ways.{known}"


def _content(state: WorldState, rules: CampaignRules) -> str:
    """Return that nobody rates a story; what its ruleset says of those whom it is for stands before that."""
    said = [part for part in in_sentences(" ".join(rules.ruleset.summary.split())) if _FOR_WHOM.search(part)]
    return " ".join([*said, _text("content")])


_FOR_WHOM = re.compile(r"\b(?:adults?|grown-ups?|children|kids|violen\w+|horror|gore)\b", re.IGNORECASE)


def _dice(state: WorldState, rules: CampaignRules) -> str:
    bands = [f"{band.minimum} and more is {band.title}" for band in rules.ruleset.bands[:-1]]
    rolled = rules.ruleset.roll or rules.ruleset.dice
    return f"The roll is {rolled}: {', '.join(bands)}, less is {rules.ruleset.bands[-1].title}. {_rules(state, rules)}"


def _voices(state: WorldState, rules: CampaignRules) -> str:
    return f"They are parts of you, and nobody else hears them. {' '.join(rules.ruleset.summary.split())}"


def _turns(state: WorldState, rules: CampaignRules) -> str:
    return (
        f"There is no set number of turns: it lasts until one of its ends is reached. {_limits(state, rules)}".strip()
    )


def _limits(state: WorldState, rules: CampaignRules) -> str:
    """Return what counts towards an end by itself, and the hour; empty where nothing does."""
    clocks = ((state.clocks.get(key), hour) for key, hour in sorted(rules.until.items()))
    ends = [f"{clock.name} ({clock.value} of {clock.max}) counts to {hour}" for clock, hour in clocks if clock]
    counted = [f"{gauge.name} ({gauge.value} of {gauge.max})" for gauge in state.gauges()]
    now = f"It is {time_of_day(state, rules.begins, rules.until)} now. " if rules.begins else ""
    if ends:
        return f"{now}{capitalised(listed(ends))}: later than that it does not go on."
    return f"{now}Counted are {listed(counted)}." if counted else now.strip()


def _pace(state: WorldState, rules: CampaignRules) -> str:
    return f"{_limits(state, rules)} {subjects()['questions']['pace'].answer}".strip()


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
    return f"{many}{_written()['texts']['spoiler']}"


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


def _condition(state: WorldState, rules: CampaignRules, words: str) -> str:
    """Return what ails the player, what the clocks count that the words are about, and where the others stand."""
    ails = state.conditions_of(state.player_id)
    said = f"You are {listed(sorted(map(str, ails)))}." if ails else "Nothing ails you, as far as you can tell."
    asked = {word for word in content_words(words) if word not in STOP_WORDS}
    shown = state.clocks_shown()
    meant = [clock["name"] for clock in shown if asked & set(content_words(means_of(rules, clock["id"])))]
    others = " · ".join(f"{clock['name']} {clock['value']} of {clock['max']}" for clock in shown)
    return f"{said} {clocks_told(state, rules, ', '.join(meant)) if meant else capitalised(others)}".strip()


_ANSWERS: Mapping[str, Tell] = {
    "company": _company,
    "options": _options,
    "hint": _hint,
    "cost": cost_told,
    "cast": _cast,
    "content": _content,
    "who": player_told,
    "time": _time,
    "ways": _ways,
    "rules": _rules,
    "score": score_told,
    "losing": losing_told,
    "dice": _dice,
    "voices": _voices,
    "turns": _turns,
    "pace": _pace,
    "map": lambda state, rules: f"There is no map. {_ways(state, rules)}",
    "free": _free,
    "clocks": clocks_all,
    "meters": clocks_all,
    "part": _part,
    "endings": _endings,
}
_WINNING = "It can be reached; how, you find out by what you do, and /hint gives a nudge."


def _text(kind: str) -> str:
    return _written()["texts"].get(kind, "")


@cache
def _written() -> Mapping[str, Mapping[str, str]]:
    table: dict[str, dict[str, str]] = read_table(__package__, "asides.yaml")
    return table


# What lies there, where a way has no name but where it leads.
_BEYOND = {"up": "what is above", "down": "what is below", "out": "what is outside"}

_NOT_HAPPENING = f"Nothing of the kind happens: “{{said}}”. {DECREED_SAID}"
# What is answered to facts, memories and belongings that are only said to be.
_NOT_SO = (
    "Nothing of the kind is known here: “{said}”. You have what you carry, and know what you have seen and been told; "
    "what else is so, the story decides."
)
