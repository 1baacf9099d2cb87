"""Always, priority, sticky, cooldown, requires, excludes, groups, probability: each rule, their order, and that what a
viewer may not see has no part in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorewright.index.building import build_generation
from lorewright.index.generation import Generation
from lorewright.packs.loader import load_pack
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import Retrieval, retrieve, why_not
from lorewright.retrieval.view import EntryHistory, LoreView
from support.pack_builder import Files, as_bytes, opened_packs, write_pack
from support.scale import scaled


def entry(entity_id: str, text: str, rules: str = "", *, keys: str = "") -> tuple[str, str]:
    """A file of one section, with the rules of its `lore:`."""
    lore = f"lore: {{{rules}}}\n" if rules else ""
    return f"{entity_id}.md", f"---\nid: {entity_id}\ntype: event\n{lore}{keys}---\n\n# {entity_id.title()}\n\n{text}\n"


# The words of the question stand in all of them, oftener in the first: so they rank as they are written here.
STORM = ("storm", "The ferry waits, the ferry waits, the ferry waits.")
FOG = ("fog", "The ferry waits, the ferry waits for light on the water.")
SUN = ("sun", "The ferry sails and nobody waits long on such a morning at the landing stage.")
LAW = ("law", "Nobody carries a blade inside the walls.")


# What the question finds nothing of: words that stand in most of a pack say nothing.
REST = dict(
    entry(f"stone{number}", f"Stone {number} of the wall was cut in the year {number}.") for number in range(20)
)


def files(*entries: tuple[str, str]) -> dict[str, str]:
    return {**REST, **dict(entries)}


@dataclass(frozen=True)
class Throws:
    """Dice that fall as told, by entry; else 1."""

    of: Mapping[str, int] = field(default_factory=dict)

    def __call__(self, entry_id: str) -> int:
        return self.of.get(entry_id, 1)


def history(
    turn: int = 1, found: Mapping[str, int] | None = None, throws: Mapping[str, int] | None = None
) -> EntryHistory:
    return EntryHistory(turn, found or {}, Throws(throws or {}))


@pytest.fixture
def packs(tmp_path: Path) -> Iterator[Callable[..., tuple[Generation, ...]]]:
    """Makes packs given as ID -> files; one alone is called `town`."""
    opened = []

    def make(pack: Files, **others: Files) -> tuple[Generation, ...]:
        context = opened_packs(tmp_path / str(len(opened)), {"town": pack, **others})
        opened.append(context)
        return context.__enter__()

    yield make
    for context in opened:
        context.__exit__(None, None, None)


def ask(
    generations: tuple[Generation, ...],
    words: str = "does the ferry wait",
    *,
    entries: EntryHistory | None = None,
    viewer: str = "gm",
    limit: int = 10,
    max_tokens: int = 1000,
) -> Retrieval:
    view = LoreView(generations, viewer=viewer, entries=entries)
    return retrieve(view, LoreRetrievalQuery(keywords=words, viewer=viewer, limit=limit, max_tokens=max_tokens))


def told(found: Retrieval) -> list[str]:
    """Whose sections are in the answer, in its order."""
    return [chunk.chunk_id.split(":")[1] for chunk in found.result.chunks]


def reason(found: Retrieval, entity_id: str) -> str | None:
    return next((one.reason for one in found.trace.chunks if one.chunk_id.split(":")[1] == entity_id), None)


def rule(found: Retrieval, entity_id: str) -> str:
    return next(one.rule for one in found.trace.chunks if one.chunk_id.split(":")[1] == entity_id)


Packs = Callable[..., tuple[Generation, ...]]


def test_without_rules_the_answer_and_its_trace_hold_nothing_of_them(packs: Packs) -> None:
    plain = packs(files(entry(*STORM), entry(*FOG)))
    assert as_bytes(ask(plain)) == as_bytes(ask(plain, entries=history(7, {"town:storm:overview": 6})))
    assert b'"rule"' not in as_bytes(ask(plain))
    assert plain[0].entry_rules_json is None


def test_what_is_always_there_comes_first_though_nothing_finds_it(packs: Packs) -> None:
    found = ask(packs(files(entry(*STORM), entry(*LAW, "always: true"))))
    assert told(found) == ["law", "storm"]
    trace = next(one for one in found.trace.chunks if one.chunk_id == "town:law:overview")
    assert (trace.rank, trace.kept, trace.rule, trace.reason) == (0, ("always",), "always", None)


def test_what_is_always_there_takes_no_place_of_what_is_found(packs: Packs) -> None:
    town = packs(files(entry(*STORM), entry(*FOG), entry(*LAW, "always: true")))
    assert told(ask(town, limit=1)) == ["law", "storm"]


def test_what_is_always_there_obeys_the_budget(packs: Packs) -> None:
    long = "All of the law of the walls is read aloud, word for word. " * 20
    found = ask(packs(files(entry(*STORM), entry("law", long, "always: true"))), max_tokens=15)
    assert told(found) == []
    assert (reason(found, "law"), reason(found, "storm")) == ("over_half", "over_budget")


def test_no_more_than_a_hundred_sections_go_first_those_of_most_priority(packs: Packs) -> None:
    laws = [entry(f"law{n:03}", f"Law {n} forbids {n} things.", f"always: true, priority: {n}") for n in range(104)]
    found = ask(packs(files(entry(*STORM), *laws)), max_tokens=10_000)
    assert told(found) == [*(f"law{n:03}" for n in range(103, 3, -1)), "storm"]


def test_priority_orders_what_is_in_the_answer_and_brings_nothing_in(packs: Packs) -> None:
    town = packs(files(entry(*STORM), entry(*FOG), entry(*SUN, "priority: 5")))
    assert told(ask(town)) == ["sun", "storm", "fog"]
    assert told(ask(town, limit=2)) == ["storm", "fog"]
    assert rule(ask(town), "sun") == "priority 5"


def test_less_than_no_priority_is_filled_last(packs: Packs) -> None:
    assert told(ask(packs(files(entry(*STORM, "priority: -5"), entry(*FOG), entry(*SUN))))) == ["fog", "sun", "storm"]


def test_what_requires_something_is_there_only_with_it_and_behind_it(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "requires: [sun]"), entry(*FOG), entry(*SUN)))
    assert told(ask(town)) == ["fog", "sun", "storm"]
    # The sun is no more in an answer of two: so the storm goes, and the sun has its place.
    assert told(ask(town, limit=2)) == ["fog", "sun"]


def test_what_is_required_in_vain_is_named(packs: Packs) -> None:
    found = ask(packs(files(entry(*STORM, "requires: [law]"), entry(*FOG), entry(*LAW))))
    assert told(found) == ["fog"]
    assert (reason(found, "storm"), rule(found, "storm")) == ("requires", "requires town:law")


def test_a_chain_of_requirements_falls_whole(packs: Packs) -> None:
    town = packs(
        files(entry(*STORM, "requires: [fog]"), entry(*FOG, "requires: [sun]"), entry(*SUN, "requires: [law]"))
    )
    assert told(ask(town)) == []


def test_entries_that_require_each_other_stand_together(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "requires: [fog]"), entry(*FOG, "requires: [storm]"), entry(*SUN)))
    assert told(ask(town)) == ["sun", "storm", "fog"]


def test_a_section_and_another_packs_entry_can_be_required(packs: Packs) -> None:
    keeper = "---\nid: keeper\ntype: npc\n---\n\n# Keeper\n\nHe keeps it.\n\n## Ferry\n\nThe ferry waits for him.\n"
    town = packs(
        files(entry(*STORM, 'requires: ["isle:keeper:ferry"]'), entry(*FOG, 'requires: ["isle:nobody"]')),
        isle={"keeper.md": keeper},
    )
    assert told(ask(town)) == ["keeper", "storm"]


def test_what_an_override_tells_fulfils_what_is_required_of_the_other(packs: Packs) -> None:
    later = {
        "pack.yaml": "id: later\nname: later\nlayer: homebrew\nlicense: {type: CC0}\ndepends_on: [town]\n",
        "fog2.md": "---\nid: fog2\ntype: event\noverrides: fog\n---\n\n# Fog\n\nThe ferry waits, says the new page.\n",
    }
    town = packs(files(entry(*STORM, "requires: [fog]"), entry(*FOG)), later=later)
    assert told(ask(town)) == ["fog2", "storm"]


def test_of_two_that_exclude_each_other_the_better_one_stays(packs: Packs) -> None:
    assert told(ask(packs(files(entry(*STORM), entry(*FOG, "excludes: [storm]"), entry(*SUN))))) == ["storm", "sun"]
    found = ask(packs(files(entry(*STORM), entry(*FOG, "excludes: [storm], priority: 1"), entry(*SUN))))
    assert told(found) == ["fog", "sun"]
    assert (reason(found, "storm"), rule(found, "storm")) == ("excluded", "not beside town:fog:overview")


def test_of_a_group_the_best_one_stays(packs: Packs) -> None:
    weather = "group: Weather"
    town = packs(
        files(entry(*STORM, weather), entry(*FOG, weather), entry(*SUN, f"{weather}, priority: 1"), entry(*LAW))
    )
    found = ask(town)
    assert told(found) == ["sun"]
    assert rule(found, "fog") == "group weather: town:sun:overview is there"
    assert reason(found, "storm") == "group"


def test_who_loses_its_group_takes_with_it_what_requires_it(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "group: weather"), entry(*FOG, "group: weather"), entry(*SUN, "requires: [fog]")))
    found = ask(town)
    assert told(found) == ["storm"]
    assert (reason(found, "fog"), reason(found, "sun")) == ("group", "requires")


def test_the_place_of_what_is_left_out_goes_to_the_next(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "group: weather"), entry(*FOG, "group: weather"), entry(*SUN)))
    assert told(ask(town, limit=2)) == ["storm", "sun"]


TABLE = """---
id: weather
type: event
lore: {group: weather}
section_lore:
  Rain: {group: rainy}
---

# Weather

The ferry waits for weather.

## Wind

The ferry waits for wind, the ferry waits.

## Rain

The ferry waits for rain.
"""


def test_a_groups_file_keeps_its_sections_together_and_a_section_can_stand_for_itself(packs: Packs) -> None:
    town = packs({"weather.md": TABLE, **files(entry(*FOG, "group: [weather, rainy], priority: 1"))})
    assert [one.chunk_id for one in ask(town).result.chunks] == ["town:fog:overview"]
    alone = packs({"weather.md": TABLE})
    assert sorted(one.chunk_id for one in ask(alone).result.chunks) == [
        "town:weather:overview",
        "town:weather:rain",
        "town:weather:wind",
    ]


def test_what_was_found_stays_and_then_stays_away(packs: Packs) -> None:
    town = packs(files(entry(*STORM), entry(*LAW, "sticky: 2, cooldown: 2")))
    words, found = "who carries a blade", {"town:law:overview": 4}

    def at(turn: int, asked: str) -> list[str]:
        return told(ask(town, asked, entries=history(turn, found)))

    assert [at(turn, "does the ferry wait") for turn in (4, 5, 6, 7)] == [
        ["storm"],
        ["law", "storm"],
        ["law", "storm"],
        ["storm"],
    ]
    assert [at(turn, words) for turn in (6, 7, 8, 9)] == [["law"], [], [], ["law"]]
    away = ask(town, words, entries=history(7, found))
    assert (reason(away, "law"), rule(away, "law")) == ("cooldown", "cooldown, 1 turn more")


def test_without_a_campaign_nothing_is_sticky_or_stays_away(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "cooldown: 9"), entry(*LAW, "sticky: 9")))
    assert told(ask(town)) == ["storm"]


def test_a_turn_leaves_what_it_found_anew(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "sticky: 1"), entry(*FOG), entry(*LAW, "sticky: 1, cooldown: 1")))
    before = history(5, {"town:law:overview": 4, "town:gone:overview": 4})
    answered = ["town:storm:overview", "town:fog:overview", "town:law:overview"]
    assert before.after(answered, town) == {"town:law:overview": 4, "town:storm:overview": 5}
    assert history(7, {"town:law:overview": 4}).after(answered, town)["town:law:overview"] == 7
    assert history(7, {"town:law:overview": 4}).after([], town) == {}


def test_dice_are_thrown_in_a_campaign_only_and_the_trace_says_so(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "probability: 0.3"), entry(*FOG)))
    without = ask(town)
    assert told(without) == ["storm", "fog"]
    assert rule(without, "storm") == "probability 0.3, thrown in a campaign only"
    against = ask(town, entries=history(throws={"town:storm": 301}))
    assert told(against) == ["fog"]
    assert (reason(against, "storm"), rule(against, "storm")) == ("not_rolled", "threw 301 of 1000, at most 300 is in")
    assert told(ask(town, entries=history(throws={"town:storm": 300}))) == ["storm", "fog"]


def test_what_is_sticky_is_not_thrown_for_again(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "probability: 0.3, sticky: 3"), entry(*FOG)))
    again = history(2, {"town:storm:overview": 1}, {"town:storm": 999})
    assert told(ask(town, entries=again)) == ["storm", "fog"]


def test_a_file_is_thrown_for_once_and_its_section_by_itself(packs: Packs) -> None:
    text = TABLE.replace("lore: {group: weather}", "lore: {probability: 0.5}").replace(
        "group: rainy", "probability: 0.5"
    )
    town = packs({"weather.md": text})
    thrown = history(throws={"town:weather": 900})
    assert [one.chunk_id for one in ask(town, entries=thrown).result.chunks] == ["town:weather:rain"]


def test_why_not_answers_for_what_a_rule_left_out(packs: Packs) -> None:
    view = LoreView(packs(files(entry(*STORM), entry(*FOG, "excludes: [storm]"))))
    answer = why_not(view, LoreRetrievalQuery(keywords="does the ferry wait"), "fog:overview")
    assert answer is not None
    assert (answer.rank, answer.reason) == (2, "excluded")


def test_what_came_in_by_itself_can_be_left_out_of_an_answer(packs: Packs) -> None:
    view = LoreView(packs(files(entry(*STORM), entry(*LAW, "always: true"))))
    assert told(retrieve(view, LoreRetrievalQuery(keywords="does the ferry wait"), takes_in=False)) == ["storm"]


def test_an_empty_question_is_answered_with_what_is_always_there(packs: Packs) -> None:
    assert told(ask(packs(files(entry(*STORM), entry(*LAW, "always: true"))), "")) == ["law"]


def test_a_condition_that_does_not_hold_takes_its_entry_out_of_every_rule(packs: Packs) -> None:
    shut = "when: {thread: siege, status: open}\n"
    town = packs(files(entry(*STORM, "group: weather, always: true", keys=shut), entry(*FOG, "group: weather")))
    assert told(ask(town, viewer="player")) == ["fog"]


def test_no_rule_stands_in_what_a_chunk_tells_of_itself(packs: Packs) -> None:
    town = packs(files(entry(*STORM, "requires: [law], always: true"), entry(*LAW)))
    shown = [chunk.metadata for chunk in ask(town, "blade ferry").result.chunks]
    assert all("lore" not in metadata and "rules" not in metadata for metadata in shown)
    assert all("lore" not in one.attrs for one in town[0].entities().values())


HIDDEN = "visibility: gm\n"


@pytest.mark.parametrize(
    ("storm", "secret"),
    [
        ("group: weather", "group: weather, priority: 9"),
        ("priority: 1", "excludes: [storm], priority: 9"),
        ("requires: [secret]", "always: true"),
        ("excludes: [secret]", "always: true, priority: 9"),
        ("sticky: 1", "requires: [storm], always: true, sticky: 4"),
    ],
)
def test_what_a_player_may_not_see_changes_no_byte_of_their_answer(packs: Packs, storm: str, secret: str) -> None:
    secrets = entry("secret", "The ferry waits, the ferry waits, the ferry waits for the drowned.", secret, keys=HIDDEN)
    told_all = packs(files(entry(*STORM, storm), entry(*FOG), secrets))
    told_open = packs(files(entry(*STORM, storm), entry(*FOG)))
    for one in (None, history(2, {"town:secret:overview": 1, "town:storm:overview": 1}, {"town:secret": 1})):
        assert as_bytes(ask(told_all, viewer="player", entries=one)) == as_bytes(
            ask(told_open, viewer="player", entries=one)
        )


_RULES = st.fixed_dictionaries(
    {},
    optional={
        "always": st.booleans(),
        "priority": st.integers(-3, 3),
        "sticky": st.integers(0, 3),
        "cooldown": st.integers(0, 3),
        "requires": st.lists(st.sampled_from("abcdef"), min_size=1, max_size=2, unique=True),
        "excludes": st.lists(st.sampled_from("abcdef"), min_size=1, max_size=2, unique=True),
        "group": st.sampled_from(["one", "two"]),
        "probability": st.sampled_from([0.3, 0.7]),
    },
)
_BOOKS = st.fixed_dictionaries(dict.fromkeys("abcdef", _RULES))


@pytest.mark.campaign
@settings(max_examples=scaled(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    book=_BOOKS,
    turn=st.integers(1, 6),
    limit=st.integers(1, 6),
    throws=st.lists(st.integers(1, 1000), min_size=6, max_size=6),
)
def test_a_larger_budget_never_loses_and_no_rule_is_broken(
    tmp_path_factory: pytest.TempPathFactory,
    book: Mapping[str, Mapping[str, object]],
    turn: int,
    limit: int,
    throws: list[int],
) -> None:
    texts = {}
    for number, (name, rules) in enumerate(book.items()):
        words = f"The ferry {name * 4} waits " * (7 - number) + f"for {name * 5} and {name * 6} at {name * 7}."
        texts |= files(
            entry(
                name,
                words,
                ", ".join(
                    f"{key}: {str(one).lower() if isinstance(one, bool) else one}" for key, one in rules.items()
                ).replace("'", ""),
            )
        )
    known = history(
        turn,
        {f"town:{name}:overview": 1 for name in "ace"},
        {f"town:{name}": one for name, one in zip("abcdef", throws, strict=True)},
    )
    with opened_packs(tmp_path_factory.mktemp("books"), {"town": texts}) as town:
        smaller: set[str] = set()
        for budget in (0, 20, 45, 70, 120, 1000):
            found = ask(town, "ferry waits", entries=known, limit=limit, max_tokens=budget)
            there = set(told(found))
            assert smaller <= there
            smaller = there
            assert as_bytes(found) == as_bytes(ask(town, "ferry waits", entries=known, limit=limit, max_tokens=budget))
            assert len({one.chunk_id for one in found.trace.chunks}) == len(found.trace.chunks)
            assert {one.chunk_id.split(":")[1] for one in found.trace.chunks if one.reason is None} == there
            groups = [str(book[name]["group"]) for name in there if "group" in book[name]]
            assert len(groups) == len(set(groups))
            for name in there:
                others = there - {name}
                assert {*map(str, book[name].get("requires", ()))} - {name} <= others  # type: ignore[call-overload]
                assert not {*map(str, book[name].get("excludes", ()))} & others  # type: ignore[call-overload]


def constants(count: int, *, words: int = 80) -> tuple[tuple[str, str], ...]:
    """Entries that are always there, the later ones of more priority; each of them about as long as it has words."""
    texts = (" ".join(f"law{number}w{word}" for word in range(words)) for number in range(count))
    return tuple(entry(f"law{n}", f"{text}.", f"always: true, priority: {n}") for n, text in enumerate(texts))


def test_what_is_always_there_fills_at_most_half_of_the_budget_by_priority(packs: Packs) -> None:
    laws = packs(files(entry(*STORM), entry(*FOG), *constants(6)))
    found = ask(laws, max_tokens=800)
    assert told(found) == ["law5", "law4", "storm", "fog"]
    assert sum(one.given for one in found.trace.chunks if "law" in one.chunk_id) <= 400
    assert [reason(found, f"law{n}") for n in range(4)] == ["over_half"] * 4
    assert told(ask(laws, max_tokens=5000))[:6] == [f"law{n}" for n in (5, 4, 3, 2, 1, 0)]


def test_what_has_no_room_there_has_its_place_where_the_question_names_it(packs: Packs) -> None:
    laws = packs(files(entry(*STORM), *constants(6)))
    assert set(told(ask(laws, "the ferry and law0w7 law0w8", max_tokens=800))[2:]) == {"storm"}
    found = ask(laws, "the ferry and Law0", max_tokens=800)
    assert told(found)[:2] == ["law5", "law4"]
    assert set(told(found)[2:]) == {"law0", "storm"}
    assert reason(found, "law1") == "over_half"


def test_by_the_first_rules_what_is_always_there_may_fill_the_budget(tmp_path: Path) -> None:
    text = files(entry(*STORM), *constants(6))
    pack = load_pack(write_pack(tmp_path, text), reading=1)
    generation = Generation(tmp_path / "generations" / build_generation(pack, tmp_path / "generations").folder)
    try:
        assert told(ask((generation,), max_tokens=800))[:4] == ["law5", "law4", "law3", "law2"]
        assert "storm" not in told(ask((generation,), max_tokens=800))
    finally:
        generation.close()


@given(one=st.integers(0, 1500), other=st.integers(0, 1500))
@settings(max_examples=scaled(30), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_with_half_for_what_is_always_there_a_larger_budget_still_loses_nothing(
    halved: tuple[Generation, ...], one: int, other: int
) -> None:
    small, large = (set(told(ask(halved, max_tokens=budget))) for budget in sorted((one, other)))
    assert small <= large


@pytest.fixture(scope="module")
def halved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Generation, ...]]:
    text = files(entry(*STORM), entry(*FOG), entry(*SUN), *constants(4), *constants(1, words=9))
    with opened_packs(tmp_path_factory.mktemp("halved"), {"town": text}) as generations:
        yield generations
