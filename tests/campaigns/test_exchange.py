"""A campaign goes into a file and out of it again whole; a file that is not whole is refused; a player's has no secret."""

from __future__ import annotations

import asyncio
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.campaigns import exchange
from lorewright.campaigns.branches import branch, rollback, switch, tree
from lorewright.campaigns.checks import check
from lorewright.campaigns.exchange import export, import_campaign
from lorewright.campaigns.sessions import active_or_new_session, end
from lorewright.errors import CampaignError, DamagedFile, LorewrightError, NotFound, ProviderError, SettingsError
from lorewright.llm.doubles import ScriptedModel
from lorewright.lore_bootstrap import make_empty_workspace
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.storage.containers import MANIFEST, open_container, write_container
from lorewright.storage.projection import REBUILT_TABLES
from lorewright.storage.tables import read_tables
from lorewright.turn.store.turn_store import undo
from support import harbour as h
from support.harbour_canaries import CANARIES, canaries_in, canary_town

LINES = ("look", "ask Osk about Lin", "take rope", "search under the counter")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> App:
    """A campaign with everything that one can hold: branches, a pile, sittings, an attempt that failed."""
    app = h.harbour(tmp_path_factory.mktemp("home"))
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        h.say(app, *LINES)
        end(campaign, session)
    with pytest.raises(ProviderError):
        h.say(h.with_models(app, {"narrator": ScriptedModel([ProviderError("gone")])}), "wait")
    with app.campaigns.reading("game") as store:
        branch(store, turn="2", name="side")
        switch(store, "side")
    with app.campaigns.open("game") as campaign:
        active_or_new_session(campaign)
        h.say(app, "go door", "ask Bea about the cellar", "wait", "look")
    with app.campaigns.reading("game") as store:
        rollback(store)
        undo(store)
    return app


@pytest.fixture
def away(tmp_path: Path) -> App:
    """Another workspace, which has neither the pack nor the scenario."""
    make_empty_workspace(tmp_path / "away")
    return open_app(tmp_path / "away")


@pytest.fixture(scope="module")
def file(home: App, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exported") / "game.lorewright"
    export(home.campaigns, "game", path)
    return path


def rows(app: App, campaign_id: str = "game") -> dict[str, Any]:
    with app.campaigns.reading(campaign_id) as store:
        return {table.name: (table.columns, table.rows) for table in read_tables(store.database)}


def changed(file: Path, path: Path, change: Any) -> Path:
    """A container of its own manifest and sums, with other content: as somebody would make it who knows how."""
    with open_container(file) as container:
        about, members = dict(container.about), {name: container.read(name) for name in container.names}
    change(about, members)
    write_container(path, about, members.items())
    return path


def test_every_row_and_every_text_arrives(home: App, away: App, file: Path) -> None:
    assert import_campaign(away.campaigns, file).id == "game"
    assert rows(away) == rows(home)
    assert check(away.campaigns.path("game"), away.campaigns.kept).findings == ()
    with home.campaigns.reading("game") as one, away.campaigns.reading("game") as other:
        assert one.head() == other.head()
        assert tree(one) == tree(other)


@pytest.mark.campaign
def test_what_was_imported_is_played_on_as_at_home(home: App, away: App, file: Path, tmp_path: Path) -> None:
    import_campaign(away.campaigns, file)
    import_campaign(home.campaigns, file, campaign_id="twin")
    told = []
    for app, name in ((away, "game"), (home, "twin")):
        with app.campaigns.open(name) as campaign:
            for line in ("ask Bea about the cellar", "go tavern", "ask Osk about debt", "look"):
                told.append(json.loads(asyncio.run(campaign.submit(line, action_id=f"after {line}"))))
        query = LoreRetrievalQuery(keywords="cellar bath Lin", corpus="all", viewer="player", limit=20)
        told.append([chunk.text for chunk in app.lore.retrieve(query, campaign_id=name).result.chunks])
    here, there = told[:5], told[5:]
    assert here[-1] == there[-1]
    for one, other in zip(here[:-1], there[:-1], strict=True):
        assert (one["final_text"], one["rolls"], one["turn_no"]) == (
            other["final_text"],
            other["rolls"],
            other["turn_no"],
        )


def test_under_another_id_sittings_and_branches_are_its_own(away: App, file: Path) -> None:
    import_campaign(away.campaigns, file)
    assert import_campaign(away.campaigns, file, campaign_id="second").id == "second"
    assert [one.id for one in away.sessions.session_history("second")] == ["second:session_1", "second:session_2"]
    assert away.sessions.end_session("second:session_2").ended_at is not None
    assert away.sessions.active_session("game") is not None
    with away.campaigns.reading("second") as store:
        switch(store, "main")
    assert check(away.campaigns.path("second")).findings == ()
    assert away.campaigns.ids() == ["game", "second"]


def test_an_export_is_the_same_bytes_each_time_and_never_written_over_a_file(home: App, file: Path) -> None:
    again = file.with_name("again")
    export(home.campaigns, "game", again)
    assert again.read_bytes() == file.read_bytes()
    with pytest.raises(CampaignError, match="there is a file"):
        export(home.campaigns, "game", again)
    assert sorted(one.name for one in file.parent.iterdir()) == ["again", "game.lorewright"]


def test_an_id_that_is_taken_or_none_is_refused(away: App, file: Path) -> None:
    import_campaign(away.campaigns, file)
    for name, words in ((None, "there is a campaign game already"), ("../x", "cannot be a campaign ID")):
        with pytest.raises(CampaignError, match=words):
            import_campaign(away.campaigns, file, campaign_id=name)
    with pytest.raises(NotFound):
        import_campaign(away.campaigns, file.with_name("nothing"))


def nothing_was_imported(app: App) -> bool:
    folder = app.workspace.campaigns
    return not [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.9, 0.999])
def test_a_file_that_is_cut_or_has_one_byte_changed_is_refused(
    away: App, file: Path, tmp_path: Path, share: float
) -> None:
    whole = file.read_bytes()
    place = int(len(whole) * share)
    flipped = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
    for number, spoilt in enumerate((whole[:place], flipped)):
        path = tmp_path / f"spoilt{number}"
        path.write_bytes(spoilt)
        if spoilt is flipped and (read := members_of(path)) is not None:
            # A zip says the sizes of a member twice, and reads them once: nothing that is read has changed.
            assert read == members_of(file)
            continue
        with pytest.raises(DamagedFile) as caught:
            import_campaign(away.campaigns, path)
        assert caught.value.hint
        assert nothing_was_imported(away)


def members_of(path: Path) -> dict[str, bytes] | None:
    """The members of a file, and what its manifest says; None where it is damaged."""
    try:
        with open_container(path) as container:
            about = json.dumps(dict(container.about), sort_keys=True).encode()
            return {"about": about, **{name: container.read(name) for name in container.names}}
    except DamagedFile:
        return None


def _newer(about: Any, members: Any) -> None:
    about["format_version"] = 2


def _later_tables(about: Any, members: Any) -> None:
    about["migrations"] = [*about["migrations"], "campaign_999_future"]


def _no_migrations(about: Any, members: Any) -> None:
    about["migrations"] = []


def _other_format(about: Any, members: Any) -> None:
    about["format"] = "recipes"


def _other_id(about: Any, members: Any) -> None:
    about["campaign_id"] = "other"


def _no_turns(about: Any, members: Any) -> None:
    del members["tables/turns.jsonl"]


def _fewer_turns(about: Any, members: Any) -> None:
    members["tables/turns.jsonl"] = b"\n".join(members["tables/turns.jsonl"].split(b"\n")[:3]) + b"\n"


def _another_table(about: Any, members: Any) -> None:
    members["tables/evil.jsonl"] = b'["x"]\n'


def _another_column(about: Any, members: Any) -> None:
    members["tables/undone.jsonl"] = b'["x) VALUES (1); DROP TABLE turns; --"]\n'


def _no_json(about: Any, members: Any) -> None:
    members["tables/turns.jsonl"] = b"[" * 100_000 + b"\n"


def _a_huge_number(about: Any, members: Any) -> None:
    members["tables/undone.jsonl"] += b'["game",' + b"9" * 30 + b',"x"]\n'


def _a_list_in_a_row(about: Any, members: Any) -> None:
    members["tables/undone.jsonl"] += b'["game",[1],"x"]\n'


def _another_story(about: Any, members: Any) -> None:
    members["tables/turns.jsonl"] = members["tables/turns.jsonl"].replace(b"take rope", b"take rake")


def _another_text(about: Any, members: Any) -> None:
    name = next(one for one in members if one.endswith("osk.md"))
    members[name] += b"\n## Knows\n\n- The marmoset is his.\n"


def _no_text(about: Any, members: Any) -> None:
    for name in [one for one in members if one.startswith("packs/")]:
        del members[name]


def _outside(about: Any, members: Any) -> None:
    members["packs/abc/../../../evil"] = b"x"


def _absolute(about: Any, members: Any) -> None:
    members["/etc/evil"] = b"x"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (_newer, SettingsError),
        (_later_tables, SettingsError),
        (_no_migrations, DamagedFile),
        (_other_format, DamagedFile),
        (_other_id, DamagedFile),
        (_no_turns, DamagedFile),
        (_fewer_turns, DamagedFile),
        (_another_table, DamagedFile),
        (_another_column, DamagedFile),
        (_no_json, DamagedFile),
        (_a_huge_number, DamagedFile),
        (_a_list_in_a_row, DamagedFile),
        (_another_story, DamagedFile),
        (_another_text, DamagedFile),
        (_no_text, DamagedFile),
        (_outside, DamagedFile),
        (_absolute, DamagedFile),
    ],
)
def test_a_file_that_somebody_made_is_judged_by_what_it_holds(
    away: App, file: Path, tmp_path: Path, change: Any, kind: type[LorewrightError]
) -> None:
    path = changed(file, tmp_path / "made", change)
    with pytest.raises(kind) as caught:
        import_campaign(away.campaigns, path)
    assert caught.value.hint
    assert nothing_was_imported(away)
    assert not list(tmp_path.rglob("evil"))


def test_a_file_of_an_older_version_is_brought_up_to_date(home: App, away: App, file: Path, tmp_path: Path) -> None:
    def older(about: Any, members: Any) -> None:
        about["migrations"] = about["migrations"][:2]
        later_tables = ("branches", "upgrades", "upgrade_pins", "prompt_texts", "prompt_pins", "model_calls")
        for table in (
            *later_tables,
            "story_summaries",
            "lorebook",
            "lorebook_decisions",
            "reviews",
            "review_decisions",
            "turn_hashes",
        ):
            del members[f"tables/{table}.jsonl"]
        # The columns that later versions added stand last.
        for table, later in (("campaigns", 3), ("turns", 1), ("sessions", 2), ("stage_records", 5), ("attempts", 1)):
            lines = [json.loads(line) for line in members[f"tables/{table}.jsonl"].splitlines()]
            older_lines = [json.dumps(line[:-later]) for line in lines]
            members[f"tables/{table}.jsonl"] = "".join(f"{line}\n" for line in older_lines).encode()

    import_campaign(away.campaigns, changed(file, tmp_path / "older", older))
    with home.campaigns.reading("game") as one, away.campaigns.reading("game") as other:
        assert one.head().state == other.head().state
        assert [row.name for row in tree(other).branches] == ["main"]


def test_what_follows_from_the_rest_is_made_anew_and_not_carried(away: App, file: Path) -> None:
    with zipfile.ZipFile(file) as archive:
        carried = {name for name in archive.namelist() if name.startswith("tables/")}
    assert "tables/turns.jsonl" in carried
    assert carried.isdisjoint({f"tables/{table}.jsonl" for table in REBUILT_TABLES})
    import_campaign(away.campaigns, file, campaign_id="other")
    # Without having been opened: who sends a file on does not open it.
    assert check(away.campaigns.path("other")).clean


@pytest.mark.parametrize("table", ["entities", "projection", "events"])
def test_a_file_that_brings_such_tables_is_refused(away: App, file: Path, tmp_path: Path, table: str) -> None:
    def more(about: Any, members: Any) -> None:
        members[f"tables/{table}.jsonl"] = b'["campaign_id","id"]\n["game","harbour:osk"]\n'

    with pytest.raises(DamagedFile, match=table):
        import_campaign(away.campaigns, changed(file, tmp_path / "more", more))
    assert nothing_was_imported(away)


@pytest.mark.parametrize(
    "row",
    [
        "[" + "[]," * 50_000 + "1]",
        "[" * 50_000,
        '["game",{"a":1}]',
        "[true]",
        "[1" + ",1" * 10_000 + "]",
        "[1,]",
        "[]",
        "[1",
        "[1] ",
        "[NaN]",
        "{}",
        "",
    ],
)
def test_a_row_of_other_than_values_is_refused_before_it_is_built(
    away: App, file: Path, tmp_path: Path, row: str
) -> None:
    def other(about: Any, members: Any) -> None:
        columns = members["tables/attempts.jsonl"].split(b"\n")[0]
        members["tables/attempts.jsonl"] = columns + b"\n" + row.encode() + b"\n"

    with pytest.raises(DamagedFile, match="attempts"):
        import_campaign(away.campaigns, changed(file, tmp_path / "other", other))
    assert nothing_was_imported(away)


def test_a_row_that_is_too_long_is_refused_on_both_ways(
    home: App, away: App, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "MAX_ROW_BYTES", 2048)
    with pytest.raises(DamagedFile, match="line over 2 KiB"):
        import_campaign(away.campaigns, file)
    assert nothing_was_imported(away)
    with pytest.raises(CampaignError, match="no import would take"):
        export(home.campaigns, "game", tmp_path / "file")
    assert not (tmp_path / "file").exists()


def test_more_rows_than_any_campaign_has_are_refused_on_both_ways(
    home: App, away: App, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with home.campaigns.reading("game") as store:
        rows = sum(len(list(table.rows)) for table in exchange.read_tables(store.database))
    monkeypatch.setattr(exchange, "MAX_ROWS", rows - 1)
    with pytest.raises(DamagedFile, match=f"over {rows - 1} rows"):
        import_campaign(away.campaigns, file)
    assert nothing_was_imported(away)
    with pytest.raises(CampaignError, match="no import would take"):
        export(home.campaigns, "game", tmp_path / "file")
    assert not (tmp_path / "file").exists()
    monkeypatch.setattr(exchange, "MAX_ROWS", rows)
    export(home.campaigns, "game", tmp_path / "whole")
    assert import_campaign(away.campaigns, file).id == "game"


def test_json_of_more_values_than_any_row_holds_is_a_finding_and_is_not_read(
    away: App, file: Path, tmp_path: Path
) -> None:
    def other(about: Any, members: Any) -> None:
        names, row = members["tables/campaigns.jsonl"].splitlines()
        columns, cells = json.loads(names), json.loads(row)
        cells[columns.index("scenario_json")] = json.dumps({"cast": [{}] * 1_000_001})
        members["tables/campaigns.jsonl"] = f"{json.dumps(columns)}\n{json.dumps(cells)}\n".encode()

    with pytest.raises(DamagedFile, match="over 1000000 values"):
        import_campaign(away.campaigns, changed(file, tmp_path / "other", other))
    assert nothing_was_imported(away)


def test_a_damaged_campaign_is_not_exported(tmp_path: Path) -> None:
    app = h.harbour(tmp_path)
    h.say(app, "look")
    with app.campaigns.reading("game") as store, store.database.transaction() as connection:
        connection.execute("UPDATE campaigns SET current_turn = 7")
    for audience in ("gm", "player"):
        with pytest.raises(DamagedFile, match="head is turn 1"):
            export(app.campaigns, "game", tmp_path / "file", audience=audience)
    assert not (tmp_path / "file").exists()


def all_bytes_of(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode()}" for name in archive.namelist())


def test_a_players_export_tells_the_story_and_holds_no_secret(tmp_path: Path) -> None:
    app = canary_town(tmp_path)
    h.say(app, "look", "ask Osk about Lin", "ask Osk about the harbour master", "take rope", "go door", "look")
    export(app.campaigns, "game", tmp_path / "story", audience="player")
    told = all_bytes_of(tmp_path / "story")
    assert canaries_in(told) == []
    assert h.KNOWS in told
    story = json.loads(told.split("\n")[1])
    assert [turn["player_text"] for turn in story["turns"]][1:3] == ["look", "ask Osk about Lin"]
    assert story["location"] == "The Quay"
    assert not {"ops", "state", "rules", "seed", "goals", "scenario"} & set(story)
    # The whole one holds them: so the canaries are where one looks for them.
    export(app.campaigns, "game", tmp_path / "whole")
    assert len(canaries_in(all_bytes_of(tmp_path / "whole"))) == len(CANARIES)


def test_a_players_export_holds_nothing_of_another_branch_nor_of_a_turn_taken_back(tmp_path: Path) -> None:
    app = canary_town(tmp_path)
    with app.campaigns.open("game") as campaign:
        session = active_or_new_session(campaign)
        h.say(app, "ask Osk about Lin")
        end(campaign, session)
        told = campaign.store.turns()[-1]["result"]["final_text"]
        assert h.KNOWS in told
        rollback(campaign.store)
    h.say(app, "wait")
    export(app.campaigns, "game", tmp_path / "story", audience="player")
    assert h.KNOWS not in all_bytes_of(tmp_path / "story")


def test_what_the_player_saw_cannot_be_imported(tmp_path: Path, away: App) -> None:
    app = h.harbour(tmp_path)
    export(app.campaigns, "game", tmp_path / "story", audience="player")
    with pytest.raises(CampaignError, match="cannot be played on"):
        import_campaign(away.campaigns, tmp_path / "story")


def test_a_zip_that_is_no_export_is_refused(tmp_path: Path, away: App) -> None:
    for name, content in (("a.txt", "x"), (MANIFEST, "[]"), (MANIFEST, '{"members": {"a": 1}}')):
        with zipfile.ZipFile(tmp_path / "file", "w") as archive:
            archive.writestr(name, content)
        with pytest.raises(DamagedFile):
            import_campaign(away.campaigns, tmp_path / "file")


def test_what_failed_in_a_sitting_comes_along_under_another_id(tmp_path: Path) -> None:
    app = h.harbour(tmp_path / "failing", models={"narrator": ScriptedModel([ProviderError("the server is gone")])})
    with app.campaigns.open("game") as campaign:
        active_or_new_session(campaign)
    with pytest.raises(ProviderError):
        h.say(app, "look")
    file = tmp_path / "failed.lorewright"
    export(app.campaigns, "game", file)
    import_campaign(app.campaigns, file, campaign_id="second")
    with app.campaigns.reading("second") as store:
        (attempt,) = store.attempts()
    assert attempt["session_id"].startswith("second")
