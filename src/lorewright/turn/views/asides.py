"""An aside of the player's -> its answer, made by code of what the player may see. It changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from lorewright.builtin.parser.asides import clocks_asked_about
from lorewright.builtin.parser.clauses import capitalised, listed, place_name, with_article
from lorewright.index.keywords import STOP_WORDS, content_words
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
from lorewright.rules.hours import time_of_day
from lorewright.rules.rulesets import CampaignRules
from lorewright.scene_lore.cache import COLOURLESS_WORDS
from lorewright.scene_lore.gather import in_sentences, sentences
from lorewright.scene_lore.nouns import singular
from lorewright.turn.views.scope import ways_out
from lorewright.values.records import Citation
from lorewright.world.state import WorldState

Tell = Callable[[WorldState, CampaignRules], str]


def answer_aside(kind: str, state: WorldState, rules: CampaignRules, words: str = "") -> str:
    """Return the answer to an aside in these words; `state` is what the player may see."""
    if kind == "clocks":
        return _clocks(state, rules, words)
    if kind in _UNHEARD:
        name = words if words[:1].isupper() else with_article(words)
        return _UNHEARD[kind].format(name=name, Name=capitalised(name))
    kind = "help" if kind == "options" else kind
    return _ANSWERS[kind](state, rules) if kind in _ANSWERS else _TEXTS[kind]


def _who(state: WorldState, rules: CampaignRules) -> str:
    named = {key: stat.name for key, stat in rules.ruleset.stats.items()}
    block = {name: state.stat(state.player_id, key) for key, name in named.items()}
    stats = {name: value for name, value in block.items() if value is not None}
    traits = {named.get(key, key): value for key, value in sorted(state.entities[state.player_id].traits.items())}
    shown = ", ".join(f"{name} {value:+g}" for name, value in (stats or traits).items() if value)
    return f"You are {state.name_of(state.player_id)}{f': {shown}' if shown else ''}. {_carried(state)}"


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
    clocks = [f"{clock['name']} {clock['value']} of {clock['max']}" for clock in state.clocks_shown()]
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


def _score(state: WorldState, rules: CampaignRules) -> str:
    clocks = " · ".join(f"{clock['name']} {clock['value']} of {clock['max']}" for clock in state.clocks_shown())
    return f"Nobody keeps a score. {f'So it stands: {clocks}.' if clocks else '/goal says what you want.'}"


def _clocks(state: WorldState, rules: CampaignRules, words: str) -> str:
    """Return what the clocks that a question names stand at and count; a hint where the author says nothing of one."""
    shown = state.clocks_shown()
    names = [clock["name"] for clock in shown]
    asked = clocks_asked_about(words, names) or [name for name in names if name.casefold() in words.casefold()]
    lines = []
    for clock in shown:
        if clock["name"] in asked:
            stands = f"{clock['name'][:1].upper()}{clock['name'][1:]} is at {clock['value']} of {clock['max']}."
            means = rules.clock_means.get(clock["id"], "What moves it the story shows.")
            lines.append(f"{stands} {means}")
    return " ".join(lines) or _score(state, rules)


def _losing(state: WorldState, rules: CampaignRules) -> str:
    clocks = [f"{clock['name']} ({clock['value']} of {clock['max']})" for clock in state.clocks_shown()]
    runs = f" What runs out or fills up is {listed(clocks)}; /goal says what each of them means." if clocks else ""
    return f"It can end well or badly, and what you do decides it.{runs} /undo takes a turn back, at the end too."


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
    "state": _condition,
    "who": _who,
    "time": _time,
    "ways": _ways,
    "rules": _rules,
    "score": _score,
    "losing": _losing,
}
_TEXTS: Mapping[str, str] = {
    "help": "Say in your own words what you do, or what you say and to whom: look at things, search places, ask people "
    "about what you have heard of, take, give, use, open, go somewhere, wait. /help lists all of it.",
    "hint": "Try somebody or something that you have not tried yet.",
    "goal": "Nobody has told you what to want here. Look about.",
    "recap": "Nothing has happened yet that is worth a summary. /recap tells who you are and what is open.",
    "machine": "A program answers here, by rules and in words that people wrote for it; it plays fair, and "
    "knows no more than the story does.",
    "undo": "/undo takes the last turn back, /undo 3 the last three.",
    "save": "There is nothing to do for that: every turn is saved as it is played. /save NAME marks this point.",
    "restart": "/undo 3 goes back three turns; lorewright play NAME --new begins the story anew.",
    "quit": "/quit leaves the game, and everything is kept.",
    "story": "That is beyond you here: you can do and say what a person in your place could, and the story's own rules "
    "hold for it.",
    "magic": "The word is spoken. Somewhere a hollow voice is pleased to be remembered; here, nothing stirs.",
    "program": "That is a matter of the program, not of the story: lorewright --help says what it can do, and /help "
    "what is typed in it.",
    "spoiler": "That would be telling: the end, and who is behind what, are for you to find out. /hint gives a nudge.",
    "part": "You keep the part that this story gives you; who am I says which it is. Another story has another part.",
    "display": "The sentences are as people wrote them, in their language and at their length; how they look is up to "
    "your terminal.",
    "pace": "No clock runs while you think or type. Time passes in the story alone, by what you do; a question to the "
    "program costs none.",
    "strategy": "Nobody here plays your side for you: the next move is yours. /hint gives a nudge.",
    "authors": "People wrote the story and its sentences; a program chooses among them by rules, and makes nothing up.",
    "alone": "You say it aloud. Nobody is here with you, and no answer comes.",
    "rude": "Noted, and kept between us.",
}


# What is said to somebody who is not here, or to what has no speech, in the player's words for them.
_UNHEARD: Mapping[str, str] = {
    "afar": "You say it to {name}, as loud as you like. No answer comes: {name} is not near enough to hear it.",
    "mute": "You say it to {name}. Whatever {name} may know or think, there are no words in answer.",
}

# From so many telling words on what was told is looked through first.
_TELLING = 2
# The tokens of sections that are looked through for an answer.
_TOKENS = 600


def answer_from_known(words: str, told: Iterable[str], view: LoreView) -> tuple[str, tuple[Citation, ...]]:
    """Return what the player was told of something, in the words of the first text that says it; else what a viewer may
    read of it, in the words of the section that says it, with that section; a plain sentence where nothing says it."""
    texts = () if len(_stems(words)) < _TELLING else told
    for text in texts:
        if quote := _quote_about(words, in_sentences(text)):
            return f"You remember: {quote}", ()
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
        return f"You ask yourself. So much you know: {quote}", (cited,)
    # A name alone stands in many sentences that say nothing of its bearer.
    for text in told if not texts else ():
        if quote := _quote_about(words, in_sentences(text)):
            return f"You remember: {quote}", ()
    return "You ask yourself, and have no answer: you have heard nothing of it yet.", ()


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
    return {singular(word) for word in content_words(text) if word not in COLOURLESS_WORDS | STOP_WORDS}
