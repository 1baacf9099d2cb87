"""How what others do is told: each act once, as it came out, and nothing that is hidden."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import Any, get_args

import pytest
from hypothesis import given as with_values
from hypothesis import settings
from hypothesis import strategies as some

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.authored import plain
from lorewright.builtin.narrator.grammar import grammar
from lorewright.builtin.narrator.scenery import sentences
from lorewright.rules.patch import OutcomeCode, ReasonCode
from lorewright.rules.rulesets import BandName
from lorewright.values.records import Movement, NarratorInput, NpcAct
from lorewright.world.ops import ChangeInventory
from support.deeds_of_others import GOLDENS, every_act, written_out
from support.narrator_company import (
    ALL_NAMES,
    ALLEY,
    COMPANY,
    DOOR,
    JO,
    MARA_LINE,
    OVERHEARD,
    PEOPLE,
    UNIT,
    act,
    came_of,
    company,
    news,
    night,
)
from support.narrator_scenes import PIER, outcome
from support.scale import scaled

UGLY = re.compile(r"[*_`#{}\[\]|]|\w:\w|(?<!\.)\.\.(?!\.)|  | [.,;:?!]|“”|\bNone\b|\bthe (?:the|The|Viktor|Mara)\b")
EVERY = dict(every_act())
ASIDES = {"npc.after", "npc.bystander", "npc.again", "npc.came_off"}
KINDS = ("go", "take", "drop", "give", "ask", "tell", "persuade", "threaten", "promise", "recall", "attack", "open",
         "close", "lock", "unlock", "use", "search", "wait", "attempt", "sneak", "look", "inventory", "mark")  # fmt: skip


def told(*acts: NpcAct, **fields: Any) -> str:
    return narrate(company(*acts, **fields)).final_text


@pytest.mark.parametrize("what", EVERY)
def test_an_act_of_any_kind_is_one_to_three_clean_sentences_about_whoever_acts(what: str) -> None:
    for seed in range(6):
        text = narrate(EVERY[what].model_copy(update={"seed": str(seed), "turn_no": seed + 1})).final_text
        assert not UGLY.search(text), text
        assert 15 <= len(text.split()) <= 60, text
        assert "Viktor" in text
        assert "Jo" not in re.sub(r"“[^”]*”", "", text).split(), text


def test_the_acts_read_as_they_were_read_over() -> None:
    """After a change of the grammar: `PYTHONPATH=tests python -m support.deeds_of_others`, and read what has changed."""
    assert GOLDENS.read_text(encoding="utf-8") == written_out()


@pytest.mark.parametrize(
    "group", sorted(set(grammar()) & {name for name in grammar() if name.startswith("npc.")} - ASIDES)
)
def test_every_sentence_about_an_act_names_whoever_acts(group: str) -> None:
    assert all("{name}" in one.text.lower() for one in grammar()[group])


def test_every_reason_and_every_deed_has_enough_sentences() -> None:
    for reason in get_args(ReasonCode):
        assert len(grammar()[f"npc.blocked.{reason}"]) >= 3
    for group in (name for name in grammar() if name.startswith("npc.") and "blocked" not in name):
        bags = Counter(one.when for one in grammar()[group])
        assert sum(bags.values()) >= 4, group


def test_what_the_author_wrote_is_told_word_for_word_and_once() -> None:
    say = ("Mara sets down a *cup* that nobody ordered.", "It steams")
    text = told(act("p:mara", say=say, text="Mara brings a cup."))
    assert text.count("Mara sets down a cup that nobody ordered. It steams.") == 1
    assert "brings" not in text


def test_what_the_author_wrote_of_a_deed_that_does_not_come_off_is_not_told() -> None:
    say = ("Mara walks out into the alley.",)
    blocked = came_of("go", "blocked", reason="door_locked", location_id=ALLEY)
    text = told(act("p:mara", blocked, say=say))
    assert say[0] not in text
    assert "the steel door" in text or "lock" in text.lower()


def test_an_act_that_comes_again_is_told_by_the_grammar_where_that_has_words_for_it() -> None:
    again = act("p:mara", came_of("take", "taken", target_id=UNIT), say=("Mara pockets the unit, quick as a cat.",))
    first, second = (one[0].final_text for one in night([[company(again)]] * 2))
    assert "quick as a cat" in first
    assert "quick as a cat" not in second
    assert "the backup comm unit" in second


def test_a_gesture_of_an_author_comes_again_and_is_said_to() -> None:
    again = act("p:mara", say=("The clock is wound by Mara.",))
    told_each = [one[0].final_text for one in night([[company(again)]] * 3)]
    assert all("The clock is wound by Mara." in text for text in told_each)
    assert sentences(told_each[1])[0] != "The clock is wound by Mara."


def test_the_players_name_within_a_longer_name_stays() -> None:
    text = told(act("p:mara", text="Mara asks Jo about The Boat in Cold Jo. She goes to Jo's Corner with Jo."))
    assert "Mara asks you about The Boat in Cold Jo." in text
    assert "to Jo's Corner with you." in text


def test_a_gesture_is_told_in_its_own_words_with_the_player_as_you() -> None:
    text = told(act("p:mara", text="Mara looks past Jo, at Jo's hands, and says “Jo” to nobody."))
    assert "Mara looks past you, at your hands, and says “Jo” to nobody." in text


@pytest.mark.parametrize("text", ["I lock the door.", "p:mara#x does it.", "{{player}} Mara nods.", "", "x" * 500])
def test_words_that_are_no_prose_are_not_told(text: str) -> None:
    shown = told(act("p:mara", text=text))
    assert "Mara" in shown
    assert not text or text not in shown
    assert not UGLY.search(shown)


def test_a_line_of_the_notes_in_a_gesture_is_cited_and_not_told_again() -> None:
    for turn_no in range(1, 7):
        output = narrate(company(act("p:mara", text=MARA_LINE.text), turn_no=turn_no))
        assert MARA_LINE.chunk_id in output.cited
        assert MARA_LINE.key in output.recall
        assert output.final_text.count(MARA_LINE.text) == 1


def test_a_gesture_that_is_still_in_the_ear_is_not_told_in_the_same_words() -> None:
    same = company(act("p:mara", text="Mara turns a coin over."))
    told_each = [one[0].final_text for one in night([[same]] * 4)]
    assert [("turns a coin over" in text) for text in told_each] == [True, False, False, False]


def test_news_to_the_player_is_quoted_and_cited() -> None:
    heard = came_of("tell", "heard", target_id=JO, item_ids=(PIER.item_id,))
    output = narrate(company(act("p:viktor", heard), evidence=news()))
    assert f"“{plain(PIER.text)}”" in output.final_text
    assert output.cited == (PIER.item_id,)


def test_news_that_the_authors_sentence_quotes_is_not_quoted_again() -> None:
    heard = came_of("tell", "heard", target_id=JO, item_ids=(PIER.item_id,))
    say = (f"Viktor bends over the bar. “{PIER.text}”",)
    assert told(act("p:viktor", heard, say=say), evidence=news()).count("two nights before") == 1


def test_what_is_told_to_another_is_overheard() -> None:
    heard = came_of("tell", "heard", target_id="p:mara", item_ids=(PIER.item_id,))
    text = told(act("p:viktor", heard), evidence=(OVERHEARD,))
    frame = text.partition("“")[0] or text
    assert "Mara" in frame
    assert plain(PIER.text) in text


def test_of_a_whisper_to_another_one_sees_that_there_is_one_and_hears_nothing() -> None:
    secret = came_of("tell", "heard", target_id="p:mara", words="the drowned bell", item_ids=(PIER.item_id,))
    hidden = act("p:viktor", secret, text="The bell has drowned.", say=("A bell.",), hidden=True, whisper_to="p:mara")
    for seed in range(20):
        text = told(hidden, evidence=news(), seed=str(seed))
        assert "bell" not in text.lower()
        assert "Pier 9" not in text
        assert "Viktor" in text


def test_a_whisper_to_the_player_says_so_before_what_is_whispered() -> None:
    asked = came_of("ask", "acted", target_id=JO, words="Jin")
    text = told(act("p:viktor", asked, whisper_to=JO))
    first = sentences(text)[0]
    assert re.search(r"whisper|lowers|low |ear|alone|listening", first)
    assert "Jin" in text


@pytest.mark.parametrize(("place", "kind"), [(ALLEY, "departure"), ("p:bar", "arrival")])
def test_who_goes_or_comes_by_an_act_does_so_once(place: str, kind: str) -> None:
    moved = act("p:mara", came_of("go", "moved", location_id=place))
    movement = Movement.model_validate({"entity_id": "p:mara", "name": "Mara", "kind": kind})
    people = tuple(view for view in COMPANY.people if kind == "arrival" or view.id != "p:mara")
    text = told(moved, movements=(movement,), scene=COMPANY.model_copy(update={"people": people}))
    assert len(re.findall(r"\bMara\b", sentences(text)[0])) >= 1
    assert not any(re.search(r"\bMara\b.*(?:leaves|comes|arrives|appears|gone)", one) for one in sentences(text)[1:])


def test_a_gift_to_the_player_is_told_once() -> None:
    given_to = came_of("give", "given", target_id=JO, item_id=UNIT)
    op = ChangeInventory(owner_id=JO, item_id=UNIT, delta=1)
    for seed in range(8):
        assert told(act("p:mara", given_to), ops=(op,), seed=str(seed)).count("backup comm unit") == 1


def test_after_the_players_outcomes_come_all_acts_in_their_order_in_a_paragraph_of_their_own() -> None:
    acts = (
        act("p:viktor", came_of("take", "taken", target_id=UNIT)),
        act("p:mara", say=("A cup is set down, by Mara.",)),
        act("p:porter", came_of("ask", "does_not_know", target_id="p:viktor", words="Jin")),
    )
    text = told(*acts, outcomes=(outcome("waited", minutes=5),))
    waited, _, theirs = text.partition("\n\n")
    assert (
        "minute" in waited.lower() or "wait" in waited.lower() or "while" in waited.lower() or "time" in waited.lower()
    )
    places = [theirs.index(word) for word in ("comm unit", "A cup is set down", "night porter")]
    assert places == sorted(places)


def test_however_much_is_told_no_act_is_left_out() -> None:
    acts = tuple(
        act(
            who,
            came_of("give", "given", target_id=JO, item_id=UNIT),
            came_of("wait", "waited"),
            say=(f"{number} bells.",),
        )
        for number, who in enumerate([*PEOPLE] * 3)
    )
    text = told(*acts, outcomes=(outcome("looked"), outcome("waited", minutes=5)))
    assert [f"{number} bells." in text for number in range(9)] == [True] * 9


def test_what_two_do_alike_is_not_told_twice_in_the_same_words() -> None:
    text = told(
        act("p:viktor", text="Viktor looks at the clock."),
        act("p:mara", text="Mara looks at the clock."),
        outcomes=(outcome("waited"),),
    )
    assert text.count("looks at the clock") == 1
    assert "Mara" in text


def test_of_three_gestures_two_make_one_sentence_and_what_an_author_wrote_stays_whole() -> None:
    nods, counts = act("p:viktor", text="Viktor nods."), act("p:porter", text="The night porter counts the keys.")
    looks = act("p:mara", text="Mara looks up.")
    written = act("p:mara", say=("Mara looks up.",))
    after_waiting = (outcome("waited"),)
    text = told(nods, counts, looks, outcomes=after_waiting)
    assert re.search(r"Viktor nods, (?:while|and) the night porter counts the keys\.", text)
    assert "Mara looks up." in text
    assert "Viktor nods. " in told(nods, written, counts, outcomes=after_waiting)
    assert ", and" not in told(nods, counts, outcomes=after_waiting).partition("nods")[2][:6]


def test_what_is_said_after_the_authors_sentence_stays_beside_it() -> None:
    heard = came_of("tell", "heard", target_id=JO, item_ids=(PIER.item_id,))
    say = (
        "Viktor puts an ear to the wall, and then the other ear, and waits for what the wall has to say to that.",
    ) * 2
    text = told(act("p:viktor", heard, say=say), evidence=news(), outcomes=(outcome("waited"),))
    assert f"to that. “{plain(PIER.text)}”" in text


def test_the_quiet_is_told_once_and_then_not_for_a_while() -> None:
    still = company(outcomes=(outcome("nothing_found"),), quiet=("p:mara", "p:porter"))
    each = night([[still]] * 9)
    told_in = [number for number, one in enumerate(each, start=1) if _is_quiet(one[0].recall)]
    assert told_in == [3, 8]
    assert not _is_quiet(narrate(still.model_copy(update={"quiet": (), "turn_no": 3})).recall)


def _is_quiet(recall: tuple[str, ...]) -> bool:
    return any(key.startswith("phrase:quiet") for key in recall)


def test_who_is_no_longer_here_is_not_said_to_be_quiet() -> None:
    gone = COMPANY.model_copy(update={"people": ()})
    still = company(outcomes=(outcome("waited"),), quiet=("p:mara",), scene=gone, turn_no=3)
    assert not _is_quiet(narrate(still).recall)


TURN = [
    company(outcomes=(outcome("waited", minutes=5),), acts=()),
    company(act("p:viktor", came_of("ask", "acted", target_id=JO, words="Jin"))),
    company(act("p:mara", came_of("ask", "does_not_know", target_id="p:viktor", words="the drain"))),
    company(act("p:porter", came_of("wait", "waited"))),
]


def test_no_two_narrations_of_a_turn_open_alike() -> None:
    for rounds in night([TURN] * 40):
        openings = [one.final_text.lower().split()[:2] for one in rounds]
        assert all(a != b for a, b in itertools.combinations(openings, 2)), openings


def test_a_long_night_hardly_says_a_sentence_twice() -> None:
    texts = [one.final_text for rounds in night([TURN] * 40) for one in rounds[1:]]
    counts = Counter(sentence for text in texts for sentence in sentences(text))
    last: dict[str, int] = {}
    for number, text in enumerate(texts):
        for sentence in sentences(text):
            assert number - last.get(sentence, -99) > 8, sentence
            last[sentence] = number
    # The same three acts forty times over: what is said of each comes from a dozen sentences and more.
    assert max(counts.values()) <= 5
    assert sum(count == 1 for count in counts.values()) >= len(counts) // 4


def _outcomes() -> some.SearchStrategy[Any]:
    return some.builds(
        lambda kind, code, reason, band, target, words, items: came_of(
            kind,
            code,
            reason=reason if code == "blocked" else None,
            band=band,
            target_id=target,
            words=words,
            location_id=ALLEY,
            item_id=UNIT,
            item_ids=items,
        ),
        some.sampled_from(KINDS),
        some.sampled_from(get_args(OutcomeCode)),
        some.sampled_from(get_args(ReasonCode)),
        some.sampled_from((None, *get_args(BandName))),
        some.sampled_from((None, JO, *PEOPLE, UNIT, DOOR, "c:unnamed")),
        some.sampled_from(("", "Jin", "the drain", "a_b", "behind the bar", "{x}", "that Jin is dead")),
        some.sampled_from(((), (PIER.item_id,))),
    )


def _acts() -> some.SearchStrategy[NpcAct]:
    return some.builds(
        lambda who, outcomes, text, say, whisper, hidden: act(
            who, *outcomes, text=text, say=say, whisper_to=whisper, hidden=hidden and whisper not in (None, JO)
        ),
        some.sampled_from(sorted(PEOPLE)),
        some.lists(_outcomes(), max_size=2),
        some.sampled_from(("", "Mara nods at Jo.", "He nods.", "I go.", "x_y {z}", "“Hm,” says the night porter.")),
        some.sampled_from(((), ("A bell rings once.",))),
        some.sampled_from((None, JO, *PEOPLE)),
        some.booleans(),
    )


@settings(max_examples=scaled(40), deadline=None)
@with_values(
    some.lists(_acts(), min_size=1, max_size=5), some.booleans(), some.integers(1, 9), some.sampled_from("abc")
)
def test_any_acts_are_told_whole_clean_and_within_their_length(
    acts: list[NpcAct], after_the_players: bool, turn_no: int, seed: str
) -> None:
    outcomes = (outcome("waited", minutes=5),) if after_the_players else ()
    learned = [one for told in acts if not told.hidden for one in told.outcomes if one.item_ids]
    evidence = news() if learned else ()
    given = company(*acts, outcomes=outcomes, evidence=evidence, turn_no=turn_no, seed=seed)
    text = narrate(given).final_text
    assert not UGLY.search(text), text
    _is_told_whole(given, text)
    outcomes_told = sum(max(len(one.outcomes), 1) for one in acts)
    assert 15 <= len(text.split()) <= 60 + 75 * outcomes_told + 30 * after_the_players, text


def _is_told_whole(given: NarratorInput, text: str) -> None:
    for one in given.acts:
        name = ALL_NAMES[one.who].removeprefix("the ")
        if one.say and not one.hidden and not one.outcomes:
            assert "A bell rings once." in text
        else:
            assert name in text or "A bell rings once." in text, (one, text)
    if all(one.hidden for one in given.acts):
        assert "A bell" not in text
        assert "Pier 9" not in text
