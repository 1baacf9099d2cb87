"""The story so far: when it is made, what every sentence of it rests on, who is shown which, and what it costs."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App
from lorewright.builtin.summariser import passages, summarise
from lorewright.cli.game.turn_output import show_result
from lorewright.errors import ProviderError
from lorewright.llm.doubles import ScriptedModel
from lorewright.llm.model import ModelRequest
from lorewright.tokens import count_tokens
from lorewright.turn.store.rows import told_turns
from lorewright.values.annotations import (
    SENTENCES,
    SUMMARY_TOKENS,
    SummarisedSentence,
    SummariserInput,
    Summary,
    SummarySentence,
    ToldTurn,
    summary_for,
)
from lorewright.values.entries import RECENT_TURNS, SUMMARISE_AFTER
from lorewright.values.records import Message, TurnResult
from support import harbour as h
from support.prompted_campaigns import campaigns as prompted_campaigns
from support.scale import scaled

# The first turn that has so many before the window, the opening among them.
FIRST = RECENT_TURNS + SUMMARISE_AFTER
LINES = (
    *("look around", "ask Osk about the boat", "wait", "search under the counter", "take the rope"),
    *("ask Osk about the weather", "go to the quay", "talk to Bea", "ask Bea about the cellar", "go to the tavern"),
    *("drop the rope", "take the rope", "wait 10 minutes"),
)
Answer = Callable[[ModelRequest], Any]


def lines(number: int) -> list[str]:
    return [LINES[at % len(LINES)] for at in range(number)]


@pytest.fixture
def app(tmp_path: Path) -> App:
    return h.harbour(tmp_path)


@pytest.fixture
def app_before(tmp_path: Path) -> App:
    """Return a game one turn before its first summary."""
    return h.harbour(tmp_path, played=tuple(lines(FIRST - 1)))


def head(app: App) -> Any:
    with app.campaigns.reading("game") as store:
        return store.head()


def records(app: App) -> list[tuple[int, dict[str, Any]]]:
    """(turn number, record) of every run of the summariser."""
    with app.campaigns.reading("game") as store:
        return [
            (turn["turn_no"], record)
            for turn in store.turns()
            for record in store.stage_records(turn["turn_id"])
            if record["stage"] == "summariser"
        ]


def told(turn_no: int, *texts: str, audience: tuple[str, ...] = ("p", "osk")) -> ToldTurn:
    return ToldTurn(turn_no=turn_no, turn_id=f"t{turn_no}", text=" ".join(texts), audience=audience)


def given(*turns: ToldTurn, before: Sequence[tuple[str, tuple[int, ...]]] = (), names: tuple[str, ...] = ()) -> Any:
    old = tuple(SummarisedSentence(text=text, turns=numbers) for text, numbers in before)
    return SummariserInput(told=turns, before=old, names=names)


# When.


@pytest.mark.campaign
def test_a_story_is_summarised_once_in_so_many_turns_and_never_what_is_shown_anyway(app_before: App) -> None:
    app = app_before
    assert head(app).summary is None
    assert records(app) == []
    h.say(app, "look around")
    summary = head(app).summary
    assert [turn_no for turn_no, _ in records(app)] == [FIRST]
    assert (summary.from_turn_no, summary.to_turn_no) == (0, SUMMARISE_AFTER - 1)
    h.say(app, *lines(SUMMARISE_AFTER))
    assert [turn_no for turn_no, _ in records(app)] == [FIRST, FIRST + SUMMARISE_AFTER]
    assert head(app).summary.to_turn_no == 2 * SUMMARISE_AFTER - 1


def test_a_summary_goes_with_its_turn(app_before: App) -> None:
    app = app_before
    h.say(app, lines(FIRST)[-1])
    with app.campaigns.open("game") as campaign:
        from lorewright.turn.store.turn_store import redo, undo

        after = campaign.store.head().summary
        undo(campaign.store)
        assert campaign.store.head().summary is None
        redo(campaign.store)
        assert campaign.store.head().summary == after != None  # noqa: E711


def test_a_question_summarises_nothing(app_before: App) -> None:
    app = app_before
    asked = h.say(app, "use")[0]
    assert asked["clarification_question"]
    assert records(app) == []


@pytest.mark.campaign
def test_an_old_campaign_that_has_none_catches_up_bit_by_bit(app: App) -> None:
    h.say(app, *lines(FIRST + 45))
    with app.campaigns.open("game") as campaign, campaign.store.database.transaction() as connection:
        connection.execute("DELETE FROM story_summaries")
    before = len(records(app))
    h.say(app, "look around", "look around", "look around")
    assert len(records(app)) == before + 3
    assert head(app).summary.from_turn_no == 0
    assert head(app).summary.to_turn_no == 3 * SUMMARISE_AFTER - 1


# What it rests on.


def names_of(app: App) -> dict[str, tuple[str, ...]]:
    state = head(app).state
    return {one.id: (one.name, *one.aliases) for one in state.entities.values()}


def named_in(text: str, names: dict[str, tuple[str, ...]]) -> set[str]:
    return {
        one_id
        for one_id, called in names.items()
        if any(re.search(rf"\b{re.escape(name.removeprefix('The '))}\b", text, re.IGNORECASE) for name in called)
    }


def narrations(app: App) -> dict[str, str]:
    with app.campaigns.reading("game") as store:
        found: dict[str, str] = {}
        for turn in store.turns():
            told = [one.content for _, one in store.messages(turn["turn_id"], last=1) if one.type == "narration"]
            found[turn["turn_id"]] = "\n".join(told)
        return found


@pytest.mark.campaign
def test_over_200_turns_every_sentence_names_what_its_turns_do_and_no_prompt_grows(app: App) -> None:
    h.say(app, *lines(200))
    texts, names, summary = narrations(app), names_of(app), head(app).summary
    assert summary.to_turn_no >= 200 - RECENT_TURNS - SUMMARISE_AFTER
    assert sum(count_tokens(one.text) for one in summary.sentences) <= SUMMARY_TOKENS
    assert len(summary.sentences) <= SENTENCES
    for one in summary.sentences:
        source = "\n".join(texts[turn_id] for turn_id in one.turn_ids)
        assert one.text in source
        assert named_in(one.text, names) <= named_in(source, names)
    assert [one.turn_nos[0] for one in summary.sentences] == sorted(one.turn_nos[0] for one in summary.sentences)
    # From the beginning to the end, not only what was last.
    assert summary.sentences[0].turn_nos == (0,)
    assert any(one.turn_nos[0] > 100 for one in summary.sentences)


def recorder(request: ModelRequest) -> dict[str, Any]:
    """A summariser that keeps the last sentences it had, and takes the first sentence of every third narration."""
    shown = request.prompt.changing
    before, _, new = shown.rpartition("<narrations>")
    kept = [
        {"text": text, "turns": [int(one) for one in turns.split(", ")]}
        for turns, text in re.findall(r"^\[([\d, ]+)\] (.+)$", before, re.MULTILINE)
    ]
    fresh = [
        {"text": passages(text)[0][:300], "turns": [int(turn)]}
        for turn, text in re.findall(r"^\[(\d+)\] (.+)$", new, re.MULTILINE)
        if int(turn) % 3 == 0 and passages(text)
    ]
    return {"sentences": [*kept[-10:], *fresh][:SENTENCES]}


# Two hundred turns are played with CAMPAIGN_SCALE=2.
TURNS = scaled(100)


@pytest.mark.campaign
def test_over_many_turns_with_models_the_narrators_prompt_stays_under_its_budget(app: App, tmp_path: Path) -> None:
    narrator = ScriptedModel(lambda _: "Osk counts his coins. Nothing else moves in the tavern just now.")
    summariser = ScriptedModel(recorder)
    campaigns = prompted_campaigns(app, {"narrator": narrator, "summariser": summariser}, tmp_path / "asked")
    campaigns.new("night_boat", campaign_id="game", seed=1)
    import asyncio

    with campaigns.open("game") as campaign:
        for line in lines(TURNS):
            asyncio.run(campaign.submit(line))
        summary = campaign.store.head().summary
    assert len(summariser.requests) == (TURNS - FIRST) // SUMMARISE_AFTER + 1
    sizes = [count_tokens(request.text) for request in narrator.requests]
    # A prompt of 8,000 tokens is what the packet's budget is made for.
    assert max(sizes) < 8_000
    # Once there is a summary it grows no further: neither by what is told nor by what is told in short.
    assert max(sizes[TURNS * 4 // 5 :]) <= max(sizes[TURNS * 3 // 10 : TURNS * 4 // 5]) + 150
    assert "Earlier in the story:" in narrator.requests[-1].prompt.stable
    assert all(one.text in narrator.requests[-1].prompt.stable for one in summary.sentences[:3])
    # And between two turns in one scene it is the same.
    assert narrator.requests[-1].prompt.stable == narrator.requests[-2].prompt.stable


def by_model(app: App, *answers: Any) -> tuple[ScriptedModel, Summary]:
    """Play the turn of the first summary, asked of a model: what it was asked, and the summary."""
    model, summary, _ = result_by_model(app, *answers)
    return model, summary


def result_by_model(app: App, *answers: Any) -> tuple[ScriptedModel, Summary, dict[str, Any]]:
    """Play the turn of the first summary, asked of a model: what it was asked, the summary, and the turn's result."""
    model = ScriptedModel(answers)
    (result,) = h.say(h.with_models(app, {"summariser": model}), "look around")
    return model, head(app).summary, result


def one(text: str, *turns: int) -> dict[str, Any]:
    return {"sentences": [{"text": text, "turns": list(turns)}]}


def test_a_model_tells_it_in_its_own_words(app_before: App) -> None:
    told = "You were told that Lin had taken the night boat."
    model, summary = by_model(app_before, one(told, 2))
    assert [(s.text, s.turn_nos, s.audience) for s in summary.sentences] == [
        (told, (2,), ("game:player", "harbour:osk"))
    ]
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (one("Bea told you of the boat.", 2), "names Bea"),
        (one("You went to Mr Carraway of the Customs House.", 2), "names Carraway"),
        (one("You asked Osk.", 99), "turn 99"),
        ({"sentences": [{"text": "You waited in the rain.", "turns": [0]}] * 25}, "sentences"),
        (one("I sold her passage to the harbour master for a marmoset and a month of quiet.", 2), "sentence 1"),
        ({"sentences": []}, "sentences"),
        (one("Osk told you. " * 40, 2), "text"),
    ],
)
def test_a_sentence_that_its_turns_do_not_bear_out_is_sent_back(app_before: App, bad: Any, why: str) -> None:
    model, summary = by_model(app_before, bad, one("You were in the tavern.", 0))
    assert [s.text for s in summary.sentences] == ["You were in the tavern."]
    assert why in model.requests[1].talk[-1].text


@pytest.mark.parametrize(
    "answers",
    [
        [one("Bea said so.", 2)] * 3,
        ["no data at all"] * 3,
        [ProviderError("the line is dead")],
    ],
)
def test_no_turn_is_lost_for_want_of_a_summary(app_before: App, answers: list[Any]) -> None:
    app = app_before
    model, summary, result = result_by_model(app, *answers)
    assert len(model.requests) == len(answers)
    assert result["fell_back"] == ["summariser"]
    texts = narrations(app)
    assert summary.sentences
    assert all(one.text in texts[one.turn_ids[0]] for one in summary.sentences)
    # Both attempts are on record.
    failed, built_in = [record for _, record in records(app)]
    assert failed["output"] is None
    assert failed["calls"]
    assert built_in["model_key"] == "builtin"
    assert head(app).turn_no == FIRST


def test_a_turn_whose_summariser_fell_back_says_so_and_is_the_same_when_replayed(
    app_before: App, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, result = result_by_model(app_before, ProviderError("the line is dead"))
    show_result(TurnResult.model_validate(result))
    assert "without the model, which gave nothing valid: summariser" in capsys.readouterr().out
    assert asyncio.run(app_before.replays.rerun_turn("game", FIRST)).is_identical


@pytest.mark.campaign
def test_sentences_of_before_may_become_one_and_keep_all_their_turns(app_before: App) -> None:
    app = app_before
    _, first = by_model(
        app,
        {"sentences": [{"text": "You were told of the boat.", "turns": [2]}, {"text": "You found it.", "turns": [4]}]},
    )
    assert len(first.sentences) == 2
    h.say(app, *lines(SUMMARISE_AFTER - 1))
    model = ScriptedModel([one("You were told of the boat, and found it.", 2, 4)])
    h.say(h.with_models(app, {"summariser": model}), "look around")
    (sentence,) = head(app).summary.sentences
    assert sentence.turn_nos == (2, 4)
    with app.campaigns.reading("game") as store:
        ids = {turn["turn_no"]: turn["turn_id"] for turn in store.turns()}
    assert sentence.turn_ids == (ids[2], ids[4])


def test_a_turn_that_is_known_only_together_with_another_is_not_told_alone() -> None:
    from lorewright.turn.stages.summarise.stage import Summarise
    from lorewright.values.annotations import SummariserOutput

    shown = given(told(30, "Osk waits."), before=[("Osk told you, and you went.", (2, 4))])
    alone = SummariserOutput(sentences=(SummarisedSentence(text="Osk told you.", turns=(2,)),))
    assert "together with other turns" in (Summarise().wrong_with(alone, shown) or "")
    both = SummariserOutput(sentences=(SummarisedSentence(text="Osk told you.", turns=(4, 2, 30)),))
    assert Summarise().wrong_with(both, shown) is None
    assert Summarise().made_of(both, shown).sentences[0].turns == (2, 4, 30)


# For whom.


def test_a_sentence_is_shown_to_those_alone_who_were_there_for_all_of_its_turns() -> None:
    both = SummarySentence(text="a", turn_ids=("t1",), turn_nos=(1,), audience=("p", "osk"))
    alone = SummarySentence(text="b", turn_ids=("t2",), turn_nos=(2,), audience=("p",))
    summary = Summary(from_turn_no=1, to_turn_no=2, sentences=(both, alone))
    assert [one.text for one in summary_for(summary, "p")] == ["a", "b"]
    assert [one.text for one in summary_for(summary, "osk")] == ["a"]
    assert summary_for(summary, "bea") == ()
    assert summary_for(None, "p") == ()


def test_what_the_player_was_not_there_for_is_summarised_for_nobody(app: App) -> None:
    state = head(app).state

    def narration(turn_no: int, text: str, *audience: str) -> tuple[int, Message]:
        message = Message(
            owner="narrator", type="narration", turn_id=f"t{turn_no}", seq=turn_no, content=text, audience=audience
        )
        return turn_no, message

    me = state.player_id
    found = told_turns(
        [
            narration(1, "Osk tells you.", me, "harbour:osk", "harbour:bea"),
            narration(2, "Osk whispers to Bea.", "harbour:osk", "harbour:bea"),
            narration(3, "Of old."),
        ],
        state,
    )
    assert [(one.turn_no, one.text) for one in found] == [(1, "Osk tells you."), (3, "Of old.")]
    assert found[1].audience == (me,)
    two_in_a_turn = [
        narration(1, "Osk tells you.", me, "harbour:osk"),
        narration(1, "Bea whispers.", me, "harbour:bea"),
    ]
    two_in_a_turn[1] = (1, two_in_a_turn[1][1].model_copy(update={"seq": 2}))
    (joined,) = told_turns(two_in_a_turn, state)
    assert joined.text == "Osk tells you.\n\nBea whispers."
    assert joined.audience == (me,)


def test_the_narrator_is_shown_the_story_and_cites_it(app_before: App) -> None:
    app = app_before
    h.say(app, lines(FIRST)[-1])
    shown = head(app).summary.sentences
    narrator = ScriptedModel(lambda request: "You remember the rain.")
    h.say(h.with_models(app, {"narrator": narrator}), "look around")
    stories = json.loads(h.stage_inputs(app)["narrator"][-1])["packet"]["summary"]["story"]
    assert [one["text"] for one in stories] == [one.text for one in shown]


# The built-in one.


def test_what_is_said_in_several_sentences_stays_together() -> None:
    text = "Osk sighs. “Lin took the boat. On Tuesday,” he says, “and I was glad.” You wait."
    assert passages(text) == ["Osk sighs.", "“Lin took the boat. On Tuesday,” he says, “and I was glad.”", "You wait."]
    assert passages("He begins: “I never") == []


def test_what_is_said_again_is_no_news() -> None:
    turns = (told(1, "Osk says: “Lin took the boat.”"), told(2, "Old news from Osk: “Lin took the boat.”"))
    made = summarise(given(*turns, names=("Osk", "Lin")))
    assert [(one.text, one.turns) for one in made.sentences] == [("Osk says: “Lin took the boat.”", (1,))]
    again = summarise(given(told(3, "Osk, once more: “Lin took the boat.”"), before=[(made.sentences[0].text, (1,))]))
    assert again.sentences == made.sentences


def test_where_nothing_can_be_quoted_something_stands_for_all() -> None:
    made = summarise(given(told(1, "…")))
    assert [one.turns for one in made.sentences] == [(1,)]
    assert [one.turns for one in summarise(given(told(1, "No end to it"))).sentences] == [(1,)]


@pytest.mark.campaign
def test_a_thousand_turns_stay_a_page() -> None:
    before: list[tuple[str, tuple[int, ...]]] = []
    for first in range(0, 1_000, SUMMARISE_AFTER):
        turns = [
            told(n, f"Osk gives you the {n}th coin of the tavern, and says: “This is {n} of all that I owe you.”")
            for n in range(first, first + SUMMARISE_AFTER)
        ]
        made = summarise(given(*turns, before=before, names=("Osk", "tavern")))
        before = [(one.text, one.turns) for one in made.sentences]
        assert len(before) <= SENTENCES
        assert sum(count_tokens(text) for text, _ in before) <= SUMMARY_TOKENS
    kept = [numbers[0] for _, numbers in before]
    assert kept == sorted(kept)
    assert kept[0] < SUMMARISE_AFTER
    assert kept[-1] >= 1_000 - SUMMARISE_AFTER
    # The older it is, the less is kept of it, and no stretch is forgotten whole.
    assert sum(n < 500 for n in kept) < sum(n >= 500 for n in kept)
    assert any(100 < n < 700 for n in kept)


def test_a_list_of_ways_or_people_gives_way_to_what_happened() -> None:
    ways = "Ways on: the yard to Old Quay, the stairs to Lin's room and the street to Osk's house."
    people = "Also here, and not by chance: Osk, Lin and Mara."
    turns = (
        told(1, f"{ways} {people}"),
        told(2, f"Osk pockets the coin and looks at Lin. {ways}"),
        told(3, "“The crate went out with the tide,” Lin says to you: all of it, paid in advance. Rain falls."),
    )
    made = summarise(given(*turns, names=("Osk", "Lin", "Mara", "Old Quay")))
    assert [sentence.text for sentence in made.sentences] == [
        "Osk pockets the coin and looks at Lin.",
        "“The crate went out with the tide,” Lin says to you: all of it, paid in advance.",
    ]
