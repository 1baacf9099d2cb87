"""The built-in acts of the cast: authored ones first, then answers, then what they are after; never what they do not
know, and nothing again that was done just now."""

from __future__ import annotations

import re
import string
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lorewright.builtin.npc.considered import grammar
from lorewright.builtin.npc.intending import intend
from lorewright.rules.actions import AuthoredAct, done_key, tried_key
from lorewright.values.proposals import NpcIntent, NpcIntentInput
from lorewright.values.records import Recorded
from support.narrator_bar import CHEN, CREDSTICK, JIN, KNIFE, PIER, PLAYER, STREET
from support.narrator_moments import (
    DEBT,
    JO,
    LINE,
    ME,
    NAMES,
    PIER9,
    SCOPE,
    concern,
    memory,
    moment,
    outcome,
    said,
    toward,
)
from support.scale import scaled

GIFT = outcome("give", "given", target_id=ME, item_id=CREDSTICK.id)
ASKED_OF_JIN = outcome("ask", "does_not_know", target_id=CHEN.id, words="Jin")


def act(act_id: str = "wave", kind: str = "attempt", **more: Any) -> AuthoredAct:
    do = {"type": kind, "topic": "wave at the door", **more.pop("do", {})}
    return AuthoredAct.model_validate({"id": act_id, "do": do, "say": (f"Viktor does {act_id}.",), **more})


def over_turns(turns: int, *, succeeds: bool = True, **more: Any) -> list[NpcIntent]:
    """What is done in so many turns in a row, each remembered; authored acts as done where it `succeeds`."""
    done: list[NpcIntent] = []
    recall: Counter[str] = Counter()
    for turn_no in range(1, turns + 1):
        before = tuple(said(one.action_text, at) for at, one in enumerate(done, start=1))
        done.append(intend(moment(turn_no=turn_no, minutes=turn_no, recall=dict(recall), messages=before, **more)))
        recall.update(done[-1].recall)
        if done[-1].act_id is not None:
            recall.update([tried_key(ME, str(done[-1].act_id))])
            recall.update([done_key(ME, str(done[-1].act_id))] if succeeds else [])
    return done


def kinds(intents: list[NpcIntent]) -> Counter[str]:
    return Counter("gesture" if one.action is None else one.action.type for one in intents)


# ---- what an author wrote ----


def test_the_first_authored_act_that_holds_is_done_with_its_words_and_thought() -> None:
    done = intend(moment(acts=(act(thought="Not him again."), act("second")), outcomes=(GIFT,)))
    assert (done.act_id, done.say, done.action_text) == ("wave", ("Viktor does wave.",), "Viktor does wave.")
    assert done.thought == "Not him again."
    assert done.action is not None and (done.action.actor_id, done.action.words) == (ME, "wave at the door")


def test_the_same_authored_act_is_not_done_twice_running() -> None:
    assert [one.act_id for one in over_turns(4, acts=(act("a"), act("b")))] == ["a", "b", "a", "b"]
    alone = [one.act_id for one in over_turns(4, acts=(act("a"),))]
    assert alone == ["a", None, "a", None]


def test_an_act_aimed_at_somebody_who_is_gone_waits() -> None:
    talk = act("talk", "ask", do={"target": JIN.id})
    assert intend(moment(acts=(talk, act("other")))).act_id == "other"


def test_what_cannot_be_done_is_tried_once() -> None:
    give = act("give", "give", do={"target": JO, "item": KNIFE.id})
    assert [one.act_id for one in over_turns(6, succeeds=False, acts=(give,))].count("give") == 1
    # What came off although it did not look like it is tried again.
    assert [one.act_id for one in over_turns(6, acts=(give,))].count("give") == 3


def test_a_tell_of_an_author_carries_the_item_and_the_whisper() -> None:
    tell = act("tell", "tell", do={"target": JO, "item": PIER9.id, "whisper": True, "topic": ""})
    done = intend(moment(acts=(tell,), knows=(PIER9,)))
    assert (done.item_id, done.whisper_to) == (PIER9.id, JO)


def test_sentences_that_go_with_waiting_ask_nothing_of_the_rules() -> None:
    assert intend(moment(acts=(act("wait", "wait", do={"topic": ""}),))).action is None


# ---- what was just done to it ----


@pytest.mark.parametrize(
    ("what", "group"),
    [
        (outcome("give", "given", target_id=ME, item_id=CREDSTICK.id), "answer.give"),
        (outcome("threaten", "acted", target_id=ME), "answer.threaten"),
        (outcome("promise", "promised", target_id=ME, words="to pay"), "answer.promise"),
        (outcome("ask", "deflected", target_id=ME, words="the debt"), "answer.deflected"),
        (outcome("tell", "heard", target_id=ME), "answer.heard"),
        (outcome("look", "looked", target_id=ME), "answer.look"),
    ],
)
def test_what_is_done_to_somebody_is_answered(what: Any, group: str) -> None:
    done = intend(moment(outcomes=(what,), me={"disposition": (LINE,)}))
    assert done.recall[0].partition("#")[0] == f"cast:{group}"


def test_a_gift_wins_something_that_is_known_where_there_is_trust_and_never_what_is_kept_back() -> None:
    given_ = {"outcomes": (GIFT,), "knows": (DEBT, PIER9)}
    trusting = [intend(moment(turn_no=n, toward=toward(trust=1), **given_)) for n in range(30)]
    wary = [intend(moment(turn_no=n, toward=toward(trust=0), **given_)) for n in range(30)]
    assert {one.item_id for one in trusting} == {None, PIER9.id}
    assert {one.item_id for one in wary} == {None}


def test_what_somebody_does_not_know_they_ask_of_another() -> None:
    asked = outcome("ask", "does_not_know", target_id=ME, words="the night boat")
    done = [intend(moment(turn_no=n, outcomes=(asked,))) for n in range(30)]
    asking = [one.action for one in done if one.action is not None]
    assert asking and {(one.type, one.target_id, one.words) for one in asking} == {("ask", CHEN.id, "the night boat")}


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("jin", "Jin"),
        ("song", "the song"),
        ("the song", "the song"),
        ("bar knife", "the bar knife"),
        ("me", "me"),
        ("X-1", "X-1"),
    ],
)
def test_a_question_is_handed_on_as_one_would_say_it(words: str, asked: str) -> None:
    unknown = outcome("ask", "does_not_know", target_id=ME, words=words)
    done = [intend(moment(turn_no=n, outcomes=(unknown,))) for n in range(20)]
    assert {one.action.words for one in done if one.action is not None} == {asked}


def test_whoever_was_struck_makes_for_a_free_way_once() -> None:
    struck = outcome("attack", "acted", target_id=ME)
    done = intend(moment(outcomes=(struck,)))
    assert done.action is not None and (done.action.type, done.action.location_id) == ("go", STREET.to)
    barred = SCOPE.model_copy(update={"exits": (STREET.model_copy(update={"barred": True}),)})
    assert intend(moment(outcomes=(struck,), scope=barred)).action is None


def test_whoever_never_said_a_thing_says_so() -> None:
    claims = ({"kind": "said", "by": ME, "to": JO, "what": "that Jin is dead", "holds": False},)
    done = intend(moment(claims=claims))
    assert done.recall[0].startswith("cast:claim.denied#")
    assert intend(moment(claims=({**claims[0], "holds": True},))).recall[0] != done.recall[0]
    # Said to one's face it was denied where it was said.
    to_me = outcome("tell", "acted", target_id=ME)
    assert not intend(moment(claims=claims, outcomes=(to_me,))).recall[0].startswith("cast:claim.")


# ---- what it is after, knows and remembers ----


def test_what_has_come_up_is_told_to_whom_one_trusts_once_each() -> None:
    done = over_turns(20, knows=(PIER9, DEBT), toward=toward(trust=2), remembers=(memory("Jo asked Chen about Jin."),))
    told = [one for one in done if one.item_id is not None]
    assert [(one.item_id, one.action.target_id if one.action else None) for one in told] == [(PIER9.id, JO)]


@pytest.mark.parametrize("felt", [{"trust": 0}, {"trust": -2}])
def test_nothing_is_volunteered_without_trust(felt: dict[str, int]) -> None:
    done = over_turns(20, knows=(PIER9,), toward=toward(**felt), remembers=(memory("Jo asked Chen about Jin."),))
    assert {one.item_id for one in done} == {None}


def test_nothing_is_volunteered_that_has_not_come_up_or_is_known_already() -> None:
    assert {one.item_id for one in over_turns(20, knows=(PIER9,), toward=toward(trust=3))} == {None}
    known = PIER9.model_copy(update={"told_to": (JO,)})
    about = (memory("Jo asked Chen about Jin."),)
    assert {one.item_id for one in over_turns(20, knows=(known,), toward=toward(trust=3), remembers=about)} == {None}


def test_what_is_about_somebody_who_stands_by_is_whispered() -> None:
    of_chen = PIER9.model_copy(update={"text": "Agent Chen has been asking for Jin."})
    about = (memory("Jo asked Mira about Jin."),)
    done = over_turns(20, knows=(of_chen,), toward=toward(trust=2), remembers=about)
    (told,) = [one for one in done if one.item_id is not None]
    assert told.whisper_to == JO


def test_what_was_seen_is_told_later_to_who_was_not_there_and_to_nobody_else() -> None:
    seen = memory("Jo took the knife.")
    told = [one for one in over_turns(20, remembers=(seen,)) if "Jo took the knife." in one.action_text]
    assert len(told) == 1 and "Agent Chen" in told[0].action_text and told[0].action is None
    shared = memory("Jo took the knife.", shared_with=(CHEN.id,))
    assert not any("took the knife" in one.action_text for one in over_turns(20, remembers=(shared,)))


@pytest.mark.parametrize(
    "kept",
    [
        memory("Jo took the knife.", minute=0),
        memory("You lied to him."),
        memory("The harbour master was paid."),
        memory("Jo whispered something to Agent Chen."),
        memory("Jo asked Viktor about Jin."),
        memory("Jo took the knife.", priority=0.5),
    ],
)
def test_what_was_not_seen_in_play_or_is_between_two_is_told_to_nobody(kept: Any) -> None:
    done = over_turns(20, remembers=(kept,))
    assert not any(kept.content in one.action_text for one in done)


def test_an_open_question_is_put_to_each_once_and_not_to_who_has_just_asked_it() -> None:
    done = over_turns(30, concerns=concern(JIN.id, CHEN.id))
    asked = [(one.action.target_id, one.action.words) for one in done if one.action and one.action.type == "ask"]
    assert asked == [(JO, "Jin")]
    mine = memory("Jo asked Viktor about Jin.")
    after = over_turns(30, concerns=concern(JIN.id), remembers=(mine,))
    assert JO not in {one.action.target_id for one in after if one.action}


def test_another_of_the_cast_is_asked_about_what_has_come_up() -> None:
    done = over_turns(30, concerns=concern(JIN.id), outcomes=(outcome("look", "looked", words="Jin"),))
    asked = {one.action.target_id for one in done if one.action and one.action.type == "ask"}
    assert asked == {JO, CHEN.id}


def test_a_promise_is_asked_after_once_when_a_while_has_passed() -> None:
    promise = Recorded(fact_id="f1", by_id=JO, to_id=ME, predicate="promised", what="to pay")
    just_now = memory("Jo promised Viktor something.", minute=58)
    assert "recall" not in kinds(
        [intend(moment(turn_no=n, recorded=(promise,), remembers=(just_now,))) for n in range(20)]
    )
    done = over_turns(20, recorded=(promise,))
    assert kinds(done)["recall"] == 1
    (own,) = [one.action for one in done if one.action is not None]
    assert own.target_id == JO


def test_a_goal_takes_what_it_names_gives_it_where_it_says_and_goes_where_it_leads() -> None:
    taken = over_turns(10, me={"goal": "Have the bar knife before anybody else."})
    assert kinds(taken)["take"] == 1
    given_ = over_turns(10, me={"goal": "Give the credstick to Jo."})
    assert kinds(given_)["give"] == 1
    gone = over_turns(10, me={"goal": "Get to the Night Market unseen."})
    assert kinds(gone)["go"] == 1
    assert set(kinds(over_turns(10, me={"goal": "Keep the Night Market quiet."}))) == {"gesture"}


def test_what_the_ruleset_has_no_action_for_is_not_tried() -> None:
    bare = {"verbs": ("mark",), "concerns": concern(JIN.id), "toward": toward(trust=3), "knows": (PIER9,)}
    done = over_turns(20, me={"goal": "Have the bar knife. Get to the Night Market."}, outcomes=(GIFT,), **bare)
    assert set(kinds(done)) == {"gesture"}


# ---- what it is like ----


def test_a_line_of_ones_nature_is_told_as_it_stands_and_not_while_it_was_just_told() -> None:
    done = over_turns(30, me={"disposition": (LINE,)})
    assert LINE.text in {one.action_text for one in done}
    told = (
        4,
        said("")[1].model_copy(update={"owner": "narrator", "type": "narration", "content": f"Dusk. {LINE.text}"}),
    )
    again = [intend(moment(turn_no=n, me={"disposition": (LINE,)}, messages=(told,))) for n in range(20)]
    assert LINE.text not in {one.action_text for one in again}


def test_how_somebody_is_in_general_is_not_what_they_do() -> None:
    general = LINE.model_copy(update={"text": "Viktor never answers a question about his brother."})
    other = LINE.model_copy(update={"text": "The bar is older than its keeper."})
    done = over_turns(30, me={"disposition": (general, other)})
    assert not {general.text, other.text} & {one.action_text for one in done}


@pytest.mark.parametrize(
    ("felt", "group"), [({"tension": 3}, "tense"), ({"trust": -1}, "cold"), ({"trust": 3}, "warm")]
)
def test_how_one_stands_to_the_player_shows(felt: dict[str, int], group: str) -> None:
    keys = [one.recall[0] for one in over_turns(20, toward=toward(**felt))]
    assert any(key.startswith(f"cast:moment.{group}#") for key in keys)
    assert not any(key.startswith(f"cast:moment.{group}#") for one in over_turns(20) for key in one.recall)


def test_no_act_comes_twice_in_a_row_and_a_quiet_evening_does_not_repeat_itself() -> None:
    done = over_turns(40, outcomes=(outcome("wait", "waited"),))
    texts = [one.action_text for one in done]
    assert all(a != b for a, b in pairwise(texts))
    # Of waiting and of nothing in particular there are 22 sentences.
    assert len(set(texts)) >= 18


def test_two_who_think_at_once_do_not_say_the_same() -> None:
    chen = SCOPE.model_copy(update={"player": CHEN, "people": (PLAYER, SCOPE.player)})
    seen = (outcome("wait", "waited"),)
    for turn_no in range(20):
        mine = intend(moment(turn_no=turn_no, outcomes=seen))
        other = intend(moment(turn_no=turn_no, outcomes=seen, scope=chen, me={"id": CHEN.id, "name": "Agent Chen"}))
        assert mine.recall[0] != other.recall[0]


# ---- laws ----

TEXT = st.text(alphabet=st.sampled_from([*string.ascii_letters, *" {}<>[]“”'\n\\.$#:é\u202e"]), min_size=1, max_size=80)
TYPES = st.sampled_from(
    ["give", "ask", "tell", "look", "wait", "attack", "threaten", "promise", "search", "moo", "open"]
)
CODES = st.sampled_from(["acted", "told", "deflected", "does_not_know", "given", "heard", "blocked", "looked", "moved"])
OUTCOMES = st.builds(
    lambda kind, code, by, target, words: outcome(kind, code, by=by, target_id=target, words=words),
    TYPES, CODES, st.sampled_from([JO, CHEN.id, "p:nobody"]), st.sampled_from([ME, JO, CHEN.id, KNIFE.id, None]), TEXT,
)  # fmt: skip


@st.composite
def moments(draw: st.DrawFn) -> NpcIntentInput:
    name, other, player = draw(TEXT), draw(TEXT), draw(TEXT)
    scope = SCOPE.model_copy(
        update={
            "player": SCOPE.player.model_copy(update={"name": name}),
            "people": (PLAYER.model_copy(update={"name": player}), CHEN.model_copy(update={"name": other})),
        }
    )
    return moment(
        scope=scope,
        me={"name": name, "pronoun": draw(st.sampled_from(["he", "she", "they", "it"])), "goal": draw(TEXT)},
        names={**NAMES, ME: name, JO: player, CHEN.id: other, PIER.id: draw(TEXT)},
        player_name=player,
        outcomes=tuple(draw(st.lists(OUTCOMES, max_size=3))),
        knows=draw(st.sampled_from([(), (DEBT,), (PIER9, DEBT)])),
        toward=toward(trust=draw(st.integers(-3, 5)), tension=draw(st.integers(0, 6))),
        remembers=tuple(memory(f"{player} {draw(TEXT)}.") for _ in range(draw(st.integers(0, 2)))),
        concerns=concern(JIN.id, PIER.id),
        turn_no=draw(st.integers(1, 50)),
        seed=draw(st.sampled_from(["1", "2"])),
        verbs=draw(st.sampled_from([tuple(sorted(moment().verbs)), ("mark",), ()])),
    )  # fmt: skip


@settings(max_examples=scaled(50), deadline=None)
@given(moments())
def test_whatever_it_is_shown_it_does_one_thing_of_its_own_that_it_can_name_and_knows(given_: NpcIntentInput) -> None:
    done = intend(given_)
    assert done == intend(given_)
    assert done.action_text.strip()
    assert "\n" not in done.action_text
    if done.action is not None:
        scope = given_.scope
        known = {one.id for one in (*scope.people, *scope.here, *scope.carried)} | {way.to for way in scope.exits}
        assert done.action.actor_id == ME and done.action.type in given_.verbs
        assert {done.action.target_id, done.action.location_id} - {None} <= known
    tellable = {item.id for item in given_.knows if not item.kept_back}
    assert done.item_id is None or done.item_id in tellable
    # What is kept back is in nothing that it says, does or thinks.
    assert DEBT.text not in f"{done.action_text} {done.thought} {done.say}"


@pytest.mark.parametrize("group", sorted(grammar()))
def test_sentences_end_name_who_acts_and_make_nobody_else_the_subject_of_a_verb(group: str) -> None:
    for text in grammar()[group]:
        assert text[-1] in ".?!”", text
        assert set(re.findall(r"\{([^}]*)\}", text)) <= {
            "N", "he", "He", "him", "his", "himself", "P", "P's", "T", "T's", "thing", "what", "memory",
        }, text  # fmt: skip
        if not group.startswith("think."):
            assert "{N}" in text or "“" in text, text
            # The player is `you` in these: `you is` would be told.
            assert not re.search(r"\{[PT]\} (is|has|was|does|comes|goes|means|wants|had|knew)\b", text), text


def test_every_group_has_other_words_for_what_comes_often() -> None:
    often = [group for group in grammar() if group.startswith(("seen.", "moment."))]
    assert min(len(grammar()[group]) for group in often) >= 2
    assert len(grammar()["moment.any"]) >= 15


@pytest.mark.parametrize("pronoun", ["he", "she", "they", "it"])
def test_every_sentence_reads_for_every_pronoun(pronoun: str) -> None:
    wrong = re.compile(r"\bthey (is|was|has|thinks|likes|does)\b", re.IGNORECASE)
    for kind in ("give", "look", "wait", "ask", "search", "threaten", "attack", "persuade", "tell", "go"):
        done = over_turns(12, outcomes=(outcome(kind, "acted", target_id=CHEN.id),), me={"pronoun": pronoun})
        assert not any(wrong.search(one.action_text) for one in done)


def test_a_name_that_is_a_page_long_is_cut_and_not_refused() -> None:
    long = "x" * 900
    who = SCOPE.player.model_copy(update={"name": long})
    done = intend(moment(me={"name": long}, scope=SCOPE.model_copy(update={"player": who}), outcomes=(GIFT,)))
    assert len(done.action_text) <= 600


# Blows and threats before scripts; nothing told to somebody who has it.


@pytest.mark.parametrize("kind", ["attack", "threaten", "insult"])
def test_whoever_is_struck_or_threatened_answers_that_before_anything_written(kind: str) -> None:
    hurt = outcome(kind, "acted", target_id=ME)
    assert intend(moment(acts=(act(),), outcomes=(hurt,))).act_id is None
    assert intend(moment(acts=(act(),), outcomes=(hurt,))).action_text != intend(moment(acts=(act(),))).action_text
    assert intend(moment(acts=(act(),), outcomes=(outcome("give", "given", target_id=ME),))).act_id == "wave"


def test_a_blow_at_somebody_else_or_one_that_was_not_possible_leaves_the_script_as_it_is() -> None:
    for spared in (outcome("attack", "acted", target_id=CHEN.id), outcome("attack", "blocked", target_id=ME)):
        assert intend(moment(acts=(act(),), outcomes=(spared,))).act_id == "wave"


def test_an_item_is_not_told_to_somebody_who_has_it() -> None:
    tells = act("tells", "tell", do={"target": JO, "item": PIER9.id})
    assert intend(moment(acts=(tells,), knows=(PIER9,))).act_id == "tells"
    heard = PIER9.model_copy(update={"told_to": (JO,)})
    assert intend(moment(acts=(tells,), knows=(heard,))).act_id is None
