"""The narrator: what is quoted stays word for word, what is ours never repeats too soon, and nothing else gets in."""

from __future__ import annotations

import itertools
import re
from typing import Any, get_args

import pytest

from lorewright.builtin.narrator import narrate
from lorewright.builtin.narrator.authored import plain, reminder_of
from lorewright.builtin.narrator.grammar import grammar
from lorewright.builtin.narrator.scenery import sentences
from lorewright.rules.patch import Outcome, OutcomeCode, ReasonCode
from lorewright.rules.rulesets import BandName, Phrase
from lorewright.values.records import ClockTick, Evidence, LoreLine, Movement, NarratorInput, PersonView
from lorewright.world.ops import ChangeInventory, ChangeRelation, SetDoor
from support.narrator_scenes import ATMOSPHERE, BAR, DISPOSITION, PIER, UNIT, VIKTOR, after, given, outcome, played

VIKTOR_ASKED = {"target_id": "p:viktor", "words": "jin"}
BANDS: tuple[BandName | None, ...] = (None, *get_args(BandName))
UGLY = re.compile(
    r"[*_`#{}\[\]|]|\w:\w|(?<!\.)\.\.(?!\.)|[?!:,;]\.|  | [.,;:?!]|“”|\bNone\b|\bthe (?:the|The|Viktor|Agent)\b"
)
HEAT = ClockTick(id="p:heat", name="Heat", before=1, after=2, max=6)
LESS_TRUST = ChangeRelation(a="c:jo", b="p:viktor", trust=-1)
TELLING = outcome("told", item_ids=(PIER.item_id,), **VIKTOR_ASKED)
FINDING = outcome("found", item_ids=(UNIT.item_id,), words="behind the bar")


def _fields(code: str) -> dict[str, Any]:
    """What an outcome of the code would carry."""
    if code in ("told", "told_before", "deflected", "does_not_know"):
        known = (PIER.item_id,) if code == "told_before" else ()
        return {**VIKTOR_ASKED, "item_ids": (PIER.item_id,) if code == "told" else (), "known_item_ids": known}
    if code in ("found", "found_before", "nothing_found"):
        known = (UNIT.item_id,) if code == "found_before" else ()
        item = (UNIT.item_id,) if code == "found" else ()
        return {"words": "behind the bar", "item_ids": item, "known_item_ids": known}
    return {"taken": {"target_id": "p:unit"}, "moved": {"location_id": "p:bar", "minutes": 5}}.get(code, {})


def _evidence(code: str) -> tuple[Evidence, ...]:
    known = {"known_before": code.endswith("_before")}
    if code.startswith("told"):
        return (PIER.model_copy(update=known),)
    return (UNIT.model_copy(update=known),) if code.startswith("found") else ()


def _matrix() -> list[NarratorInput]:
    reasons: dict[str, tuple[ReasonCode | None, ...]] = {"blocked": get_args(ReasonCode)}
    targets = {"blocked": (None, "p:viktor", "p:unit", "c:unnamed")}
    rows = []
    for code, band, first in itertools.product(get_args(OutcomeCode), BANDS, (False, True)):
        for reason, target in itertools.product(reasons.get(code, (None,)), targets.get(code, (None,))):
            fields = {**_fields(code), "band": band, "reason": reason}
            fields |= {"target_id": target, "location_id": target or "p:alley"} if target else {}
            rows.append(
                given(
                    outcome(code, **fields),
                    evidence=_evidence(code),
                    scene=BAR.model_copy(update={"first_visit": first}),
                    scene_changed=code == "moved",
                    clocks=(HEAT,) if band in ("mixed", "fail") else (),
                    ops=(LESS_TRUST,) if band == "fail" else (),
                )
            )
    return rows


MATRIX = _matrix()


IN_VAIN = ("blocked", "deflected", "does_not_know", "nothing_found", "nothing_recorded")


@pytest.mark.parametrize("turn_no", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "rows", [MATRIX[::12], pytest.param(MATRIX, marks=pytest.mark.campaign)], ids=["every twelfth", "all"]
)
def test_every_outcome_reads_clean_and_keeps_to_its_length(rows: list[Any], turn_no: int) -> None:
    for row in rows:
        text = narrate(row.model_copy(update={"turn_no": turn_no})).final_text
        assert not UGLY.search(text), text
        # What was in vain is said, and nothing is put in its place.
        is_in_vain = any(outcome.code in IN_VAIN or outcome.band == "fail" for outcome in row.outcomes)
        assert (3 if is_in_vain else 15) <= len(text.split()) <= 110, text
        assert text[0].isupper() or text[0] == "“"
        for start in re.findall(r"[.!?]”? (\w)", text):
            assert start.isupper() or start.isdigit(), text


def test_you_opens_at_most_every_second_turn_and_no_turn_opens_as_the_last_did() -> None:
    for turn in (given(outcome("waited")), given(outcome("looked")), given(outcome("nothing_found"))):
        openings = [told.final_text.split()[:2] for told in played([turn] * 30)]
        assert all(one != two for one, two in itertools.pairwise(openings))
        yous = [opening[0] == "You" for opening in openings]
        assert any(yous)
        assert not any(one and two for one, two in itertools.pairwise(yous))


@pytest.mark.parametrize("code", ["waited", "looked", "nothing_found", "deflected", "does_not_know", "told_before"])
def test_no_sentence_of_ours_comes_again_within_twelve_turns(code: str) -> None:
    turn = given(outcome(code, **_fields(code)), evidence=_evidence(code))
    lore = {plain(line.text) for line in (*ATMOSPHERE, *DISPOSITION)}
    last: dict[str, int] = {}
    for number, told in enumerate(played([turn] * 40)):
        own = told.final_text.replace("“Jin's last run was to Pier 9.”", "")
        for sentence in sentences(own):
            assert sentence in lore or number - last.get(sentence, -99) > 12, (number, sentence)
            last[sentence] = number


TURN = given(TELLING, evidence=(PIER,))


def test_what_somebody_tells_is_quoted_word_for_word_and_cited() -> None:
    told = narrate(TURN)
    assert f"“{plain(PIER.text)}”" in told.final_text
    assert "Viktor" in told.final_text.partition("“")[0]
    assert told.cited[0] == PIER.item_id


def test_what_is_found_is_framed_and_not_put_into_anybodys_mouth() -> None:
    told = narrate(given(FINDING, evidence=(UNIT,)))
    assert f": {UNIT.text}." in told.final_text
    assert "“" not in told.final_text
    assert told.cited == (UNIT.item_id,)


def test_atmosphere_stands_as_whole_sentences_and_is_cited_by_chunk() -> None:
    told = narrate(given(scene=BAR.model_copy(update={"first_visit": True}), scene_changed=True))
    assert "Neon bleeds through the slats and pools on the floor." in told.final_text
    assert ATMOSPHERE[1].text in told.final_text
    assert ATMOSPHERE[2].text not in told.final_text
    assert told.cited == ("p:bar:atmosphere",)
    assert {"lore:a1", "lore:a2"} <= set(told.recall)
    assert "Viktor" in told.final_text
    assert "alley" in told.final_text


def test_each_look_shows_the_next_line_and_then_a_short_form() -> None:
    told = played([given(outcome("looked"))] * 4)
    for line, turn in zip(ATMOSPHERE, told, strict=False):
        assert plain(line.text) in turn.final_text
    assert not any(plain(line.text) in told[3].final_text for line in ATMOSPHERE)


def test_a_look_at_somebody_shows_one_line_of_them_once() -> None:
    told = played([given(outcome("looked", target_id="p:viktor"))] * 3)
    assert [DISPOSITION[0].text in turn.final_text for turn in told] == [True, False, False]
    assert [DISPOSITION[1].text in turn.final_text for turn in told] == [False, True, False]


def test_a_return_tells_who_is_there_and_no_atmosphere() -> None:
    told = narrate(given(outcome("moved", location_id="p:bar"), scene_changed=True))
    assert "Viktor" in told.final_text
    assert not any(plain(line.text) in told.final_text for line in ATMOSPHERE)


def test_no_variant_comes_twice_before_all_have_come() -> None:
    nothing = given(outcome("nothing_found"), turn_no=1)
    size = sum(1 for variant in grammar()["nothing_found"] if not variant.when)
    bag = {f"phrase:nothing_found#{index}" for index in range(size)}
    for seed in ("a", "b", "c"):
        turns = played([nothing.model_copy(update={"seed": seed})] * (2 * len(bag)))
        drawn = [key for turn in turns for key in turn.recall if key in bag]
        assert set(drawn[: len(bag)]) == bag == set(drawn[len(bag) :])


def test_the_same_input_gives_the_same_text_and_less_memory_gives_the_older_one() -> None:
    recall: dict[str, int] = {}
    first = narrate(TURN)
    assert first == narrate(TURN)
    second = narrate(TURN.model_copy(update={"recall": after(recall, first)}))
    assert second.final_text != first.final_text
    assert narrate(TURN.model_copy(update={"recall": recall})) == first


def test_another_seed_draws_in_another_order() -> None:
    waits = given(outcome("waited"))
    assert len({narrate(waits.model_copy(update={"seed": str(seed)})).final_text for seed in range(12)}) > 3


@pytest.mark.parametrize("reason", get_args(ReasonCode))
def test_every_reason_has_three_sentences_of_its_own(reason: ReasonCode) -> None:
    blocked = given(outcome("blocked", reason=reason))
    assert len({turn.final_text.partition(".")[0] for turn in played([blocked] * 3)}) == 3


@pytest.mark.parametrize("level", [0, 1, 2, 3, 4])
def test_pressure_rises_with_the_clock_and_never_says_its_number(level: int) -> None:
    sizes = [variant for variant in grammar()["pressure"] if dict(variant.when)["level"] == level]
    assert len(sizes) >= 3
    tick = HEAT.model_copy(update={"before": 8 if level == 0 else 0, "after": level * 2 or 6, "max": 8})
    text = narrate(given(outcome("waited"), clocks=(tick,))).final_text
    assert text.count("Heat") == 1
    assert not re.search(r"\d", text)


def test_only_the_most_pressing_of_several_clocks_is_told() -> None:
    dawn = ClockTick(id="p:dawn", name="Dawn", before=3, after=5, max=6)
    text = narrate(given(outcome("waited"), clocks=(HEAT, dawn))).final_text
    assert "Dawn" in text
    assert "Heat" not in text


def test_a_mixed_result_brings_the_evidence_and_then_names_the_price() -> None:
    mixed = TELLING.model_copy(update={"band": "mixed"})
    text = narrate(given(mixed, evidence=(PIER,), clocks=(HEAT,))).final_text
    assert text.index("Pier 9") < text.index("Heat")


def test_a_failure_names_what_changed() -> None:
    failed = outcome("acted", type="ask", band="fail", **VIKTOR_ASKED)
    assert "Heat" in narrate(given(failed, clocks=(HEAT,))).final_text
    told = narrate(given(failed, ops=(LESS_TRUST,)))
    assert any(key.startswith("phrase:price.relation") for key in told.recall)
    chen = Movement(entity_id="p:chen", name="Agent Chen", kind="arrival")
    assert "Agent Chen" in narrate(given(failed, movements=(chen,))).final_text
    assert any(key.startswith("phrase:price.none") for key in narrate(given(failed)).recall)


def test_what_is_won_and_lost_is_told_by_name() -> None:
    ops = (
        ChangeInventory(owner_id="c:jo", item_id="p:unit", delta=1),
        SetDoor(door_id="p:steel_door", locked=False),
    )
    text = narrate(given(outcome("acted"), ops=ops)).final_text
    assert "the backup comm unit" in text
    assert "the steel door" in text
    lost = ChangeInventory(owner_id="c:jo", item_id="p:unit", delta=-1)
    assert "the backup comm unit" in narrate(given(outcome("acted", band="fail"), ops=(lost,))).final_text


def test_the_scenarios_own_sentence_stands_in_place_of_ours() -> None:
    say = "Viktor sets the glass down. Slowly."
    told = narrate(given(TELLING.model_copy(update={"say": (say,)}), evidence=(PIER,)))
    assert told.final_text.startswith(f"{say} “{plain(PIER.text)}”")
    assert not any(key.startswith("phrase:told") for key in told.recall)


def test_what_a_scenario_says_so_well_it_says_once() -> None:
    say = "The bucket by the door fills, and is emptied."
    first, second = played([given(outcome("waited", say=(say,)))] * 2)
    assert first.final_text.startswith(say)
    assert say not in second.final_text
    assert any(key.startswith("phrase:waited") for key in second.recall)


def test_an_answer_in_two_sentences_may_have_the_speaker_between_them() -> None:
    calm = DISPOSITION[0].model_copy(update={"text": "Viktor wipes a glass."})
    scene = BAR.model_copy(update={"people": (VIKTOR.model_copy(update={"disposition": (calm,)}),)})
    two = PIER.model_copy(update={"text": "She went to Pier 9. Nobody saw her come back."})
    told = {narrate(given(TELLING, evidence=(two,), scene=scene, turn_no=turn_no)).final_text for turn_no in range(4)}
    assert any("“She went to Pier 9.” Viktor wipes a glass. “Nobody saw her come back.”" in text for text in told)
    assert any(text.startswith("Viktor wipes a glass. “She went") for text in told)
    assert any("“She went to Pier 9. Nobody saw her come back.”" in text for text in told)


def test_a_detail_that_is_looked_at_again_is_told_again_and_cited_again() -> None:
    line = "A paper dragon turns under the ceiling fan."
    first, second = played([given(outcome("looked", words="paper dragon"))] * 2)
    assert first.final_text.startswith(line)
    assert line in second.final_text.partition(". ")[2]
    assert first.cited[0] == second.cited[0] == "p:bar:atmosphere"


def test_a_person_who_is_not_here_is_named_without_an_article() -> None:
    blocked = given(outcome("blocked", type="look", reason="object_not_found", target_id="p:chen"))
    for turn in played([blocked] * 6):
        assert "the Agent Chen" not in turn.final_text


def test_who_is_here_is_not_told_again_while_it_is_in_the_ear() -> None:
    told = [turn.recall for turn in played([given(outcome("looked"))] * 4)]
    assert any(key.startswith("phrase:people") for key in told[0])
    assert not any(key.startswith("phrase:people") for key in told[1])
    assert sum(any(key.startswith("phrase:exits") for key in recall) for recall in told) == 1


def test_a_clock_is_told_of_when_it_comes_to_a_new_quarter_and_while_it_is_near() -> None:
    told = []
    for value in range(8):
        tick = HEAT.model_copy(update={"before": value, "after": value + 1, "max": 8})
        text = narrate(given(outcome("waited"), clocks=(tick,))).final_text
        told.append("Heat" in text)
    assert told == [True, False, True, False, True, True, True, True]


def test_a_scenarios_phrases_come_first_and_ours_when_they_are_used_up() -> None:
    phrase = Phrase(text="The rain has found the seam again.", when={"at": "bar"})
    turn = given(outcome("nothing_found"), grammar={"nothing_found": (phrase,)}, scene=BAR)
    first, second = played([turn] * 2)
    assert first.final_text.startswith(phrase.text)
    assert phrase.text not in second.final_text
    elsewhere = BAR.model_copy(update={"place_id": "p:alley"})
    assert phrase.text not in narrate(turn.model_copy(update={"scene": elsewhere})).final_text


def test_a_question_that_asks_more_than_was_told_is_not_answered_with_the_same_quote() -> None:
    asked = {**VIKTOR_ASKED, "known_item_ids": (PIER.item_id,), "form": "ask"}
    known = (PIER.model_copy(update={"known_before": True}),)
    for words, is_reminded in (("who rowed her", False), ("Jin", True)):
        turn = given(outcome("told_before", **{**asked, "words": words}), evidence=known)
        assert ("Jin's last run was to Pier 9" in narrate(turn).final_text) is is_reminded


def test_what_was_told_before_is_only_reminded_of() -> None:
    known = PIER.model_copy(update={"known_before": True})
    before = outcome("told_before", known_item_ids=(PIER.item_id,), **VIKTOR_ASKED)
    told = narrate(given(before, evidence=(known,)))
    assert "Jin's last run was to Pier 9" in told.final_text
    assert "two nights before" not in told.final_text
    assert told.cited == (PIER.item_id,)


def test_a_deflection_names_neither_the_topic_nor_what_is_kept_back() -> None:
    asked = outcome("deflected", target_id="p:viktor", words="the debt to the Tong")
    for turn in played([given(asked)] * 6):
        assert "debt" not in turn.final_text
        assert "Tong" not in turn.final_text
        assert set(turn.cited) <= {"p:viktor:disposition", "p:bar:atmosphere"}


def test_a_topic_is_said_by_its_display_name_and_odd_words_are_not_repeated() -> None:
    calm = VIKTOR.model_copy(update={"disposition": ()})
    scene = BAR.model_copy(update={"people": (calm,)})
    assert "Jin" in narrate(given(outcome("does_not_know", **VIKTOR_ASKED), scene=scene)).final_text
    odd = outcome("does_not_know", target_id="p:viktor", words="p:secret#x_y **bold**")
    assert not UGLY.search(narrate(given(odd, scene=scene)).final_text)


def test_the_ending_is_a_paragraph_of_its_own_and_comes_last() -> None:
    told = narrate(given(outcome("waited"), ending="You walk out into the *rain*."))
    assert told.final_text.split("\n\n")[-1] == "You walk out into the rain."


def test_a_long_telling_drops_ours_and_never_the_evidence_or_the_price() -> None:
    long = PIER.model_copy(update={"text": "word " * 90 + "end."})
    first = BAR.model_copy(update={"first_visit": True})
    told = narrate(
        given(
            TELLING.model_copy(update={"band": "mixed"}),
            outcome("moved", action_index=1, location_id="p:bar"),
            evidence=(long,),
            clocks=(HEAT,),
            scene=first,
            scene_changed=True,
        )
    )
    assert plain(long.text) in told.final_text
    assert "Heat" in told.final_text
    assert plain(ATMOSPHERE[0].text) not in told.final_text
    assert "lore:a1" not in told.recall


def test_a_pronoun_comes_only_after_the_name_and_only_while_nobody_else_was_named() -> None:
    failed = outcome("deflected", band="fail", **VIKTOR_ASKED)
    calm = VIKTOR.model_copy(update={"disposition": ()})
    for turn in played([given(failed, ops=(LESS_TRUST,), scene=BAR.model_copy(update={"people": (calm,)}))] * 8):
        before, _, _ = turn.final_text.partition("Viktor")
        assert not re.search(r"\b(he|him|his)\b", before)
        assert re.search(r"\b([Hh]e|him|his)\b", turn.final_text)


def test_somebody_without_a_known_pronoun_is_called_by_name() -> None:
    chen = PersonView(id="p:chen", name="Agent Chen")
    asked = outcome("deflected", target_id="p:chen", words="jin", band="fail")
    less = ChangeRelation(a="c:jo", b="p:chen", trust=-1)
    for turn in played([given(asked, scene=BAR.model_copy(update={"people": (chen,)}), ops=(less,))] * 8):
        assert not re.search(r"\b[Tt]hey\b", turn.final_text)


def test_a_name_that_is_only_an_id_is_never_shown() -> None:
    stranger = PersonView(id="p:stranger_two", name="p:stranger_two")
    asked = outcome("told", target_id="p:stranger_two", item_ids=(PIER.item_id,))
    evidence = PIER.model_copy(update={"speaker_id": "p:stranger_two"})
    text = narrate(given(asked, evidence=(evidence,), scene=BAR.model_copy(update={"people": (stranger,)}))).final_text
    assert "stranger_two" not in text
    assert plain(PIER.text) in text


def test_what_lies_in_two_attempts_is_told_in_two_paragraphs_and_no_lore_line_twice() -> None:
    again = TELLING.model_copy(update={"action_index": 1, "code": "deflected", "item_ids": ()})
    text = narrate(given(TELLING, again, evidence=(PIER,))).final_text
    assert text.count("\n\n") == 1
    assert text.count(DISPOSITION[0].text) == 1


def test_advice_of_the_rules_is_passed_on() -> None:
    blocked = outcome("blocked", reason="door_locked", location_id="p:alley")
    row = given(blocked)
    result = row.results[0].model_copy(update={"message": "The steel door is locked. Viktor wears the key."})
    assert "Viktor wears the key." in narrate(row.model_copy(update={"results": (result,)})).final_text


def test_a_place_without_atmosphere_is_told_by_hearsay() -> None:
    line = LoreLine(key="lore:o1", text="Viktor won the place in a card game.", chunk_id="p:bar:history")
    scene = BAR.model_copy(update={"atmosphere": (), "overview": (line,), "first_visit": True})
    text = narrate(given(scene=scene, scene_changed=True)).final_text
    assert f": {line.text}" in text


def test_a_turn_of_which_nothing_is_known_is_still_told() -> None:
    bare = BAR.model_copy(update={"people": (), "exits": (), "things": (), "atmosphere": ()})
    assert narrate(given(scene=bare)).final_text
    unnamed = Outcome(action_index=0, actor_id="c:jo", type="ask", code="told", target_id="p:nobody")
    assert "p:" not in narrate(given(unnamed, scene=bare)).final_text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("the dry end", "The dry end is not mine"),
        ("aboard", "I am fifty-eight and live aboard"),
        ("", "I am fifty-eight and live aboard"),
    ],
)
def test_a_reminder_is_of_what_was_asked_for(asked: str, said: str) -> None:
    text = "I am fifty-eight and live aboard, in the wet end. The dry end is not mine, and neither is the blanket."
    assert reminder_of(text, asked.split()) == said
