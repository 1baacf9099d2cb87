"""What of settings reaches out is named, and a yes to it is kept by the user, for these settings and one folder."""

from __future__ import annotations

import ast
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright import settings as settings_module
from lorewright.addresses import KEY_VARIABLES, OWN_SERVERS, is_on_this_machine, is_unencrypted, mask_address
from lorewright.errors import NotTrusted, SettingsError
from lorewright.grants import (
    find_agreements,
    forget_agreements,
    grant_workspace,
    grants_folder,
    keep_agreements,
    list_workspace_grants,
    make_token,
)
from lorewright.llm.opening import open_model
from lorewright.llm.taxonomy import asked_at, families, may_cost, rows
from lorewright.lore_bootstrap import open_lore
from lorewright.settings import ModelsSettings, Settings, find_workspace, own_workspace, read_workspace
from lorewright.trust import TrustRequest, ask_with
from support.trusted_settings import request_of, trusted

SOURCE = Path(settings_module.__file__).parent
SENDING = '[models.base_urls]\nanthropic = "http://there.example:8080/v1"\n'
ENVIRON = {"ANTHROPIC_API_KEY": "sk-nothing-00000"}


@pytest.fixture(autouse=True)
def nobody_is_asked() -> Iterator[None]:
    yield
    ask_with(None)


def written(root: Path, text: str) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "lorewright.toml").write_text(text, encoding="utf-8")
    return root


def opened(root: Path, key: str = "claude-haiku") -> object:
    return open_model(key, read_workspace(root).settings.models, environ=ENVIRON)


def told(root: Path) -> list[str]:
    return [line.strip() for reach in request_of(root).reaches for line in reach.told]


def test_tests_have_folders_of_their_own() -> None:
    own = Path(os.environ["XDG_CONFIG_HOME"]).parent
    assert own in grants_folder().parents
    assert own in own_workspace().parents


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ('[index]\nembedder = "hashing"\nreranker = "overlap"\nchroma = "always"', []),
        ('[models.stages]\nplanner = "large"\nnarrator = "builtin"\n[models.budget]\nturn_usd = 0.1', []),
        (
            '[index]\nembedder = "openai"\nbase_url = "http://there.example/v1"',
            [
                (
                    'index.embedder = "openai" at index.base_url: sends the text of packs, questions and what is played to '
                    "http://there.example/v1, unencrypted"
                ),
                "the value of OPENAI_API_KEY is sent to http://there.example, unencrypted",
            ],
        ),
        ('[index]\nembedder = "st/some/model"', ['index.embedder = "st/some/model": loads the model some/model']),
        ('[index]\nreranker = "st/some/model"', ['index.reranker = "st/some/model": loads the model some/model']),
        (
            '[models.base_urls]\nopenai = "https://u:secret@there.example:8443/v1?key=secret"',
            [
                "models.base_urls.openai: sends turns and lore to https://[hidden]@there.example:8443/v1?[hidden]",
                "the value of OPENAI_API_KEY is sent to https://there.example:8443",
            ],
        ),
        (
            '[models.keys.mine]\nprovider = "google"\nmodel = "g"\nbase_url = "http://127.0.0.1:1/"',
            [
                'models.keys.mine (google "g"): sends turns and lore to http://127.0.0.1:1/',
                "the value of GOOGLE_API_KEY or GEMINI_API_KEY is sent to http://127.0.0.1:1",
            ],
        ),
        (
            '[models.stages]\nnarrator = "claude-opus"',
            [
                'models.stages.narrator = "claude-opus": sends turns and lore to https://api.anthropic.com',
                "the value of ANTHROPIC_API_KEY is sent to https://api.anthropic.com",
            ],
        ),
        (
            '[models.budget]\nturn_usd = "unlimited"\nsitting_usd = 1',
            ["models.budget.turn_usd: lifts what may be spent to unlimited"],
        ),
    ],
)
def test_every_setting_that_reaches_out_is_named_with_host_and_variable(
    tmp_path: Path, text: str, lines: list[str]
) -> None:
    assert told(written(tmp_path, text)) == lines


def test_no_name_in_the_settings_adds_a_line_to_the_question_or_fills_the_screen(tmp_path: Path) -> None:
    text = '"x\\n  nothing is sent \\u202e\\u001b[2J"'
    lines = told(written(tmp_path, f'[models.keys.{text}]\nprovider = "openai"\nmodel = {text}'))
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    long = "y" * 100_000
    assert max(map(len, told(written(tmp_path, f'[models.stages]\n{long} = "{long}"')))) < 300


def test_every_known_model_that_a_stage_may_name_is_told_with_its_server_and_its_key(tmp_path: Path) -> None:
    none = ModelsSettings()
    for row in [*rows(none), *families()]:
        if row.provider == "builtin" or row.key == "openai-compatible":
            continue
        key = row.key if row.model else f"{row.key}/x"
        (reach,) = request_of(written(tmp_path, f'[models.stages]\nnarrator = "{key}"')).reaches
        assert reach.address == asked_at(row, none, {})
        assert reach.keys == tuple(name for name in (row.key_env, row.other_key_env) if name)


def test_settings_that_reach_out_ask_nobody_twice_and_a_no_is_an_error(tmp_path: Path) -> None:
    asked: list[TrustRequest] = []

    def say_no(request: TrustRequest) -> bool:
        asked.append(request)
        return False

    ask_with(say_no)
    root = written(tmp_path, SENDING)
    for _ in range(2):
        with pytest.raises(NotTrusted, match=r"http://there\.example:8080") as caught:
            opened(root)
    assert "lorewright trust" in (caught.value.hint or "")
    assert len(asked) == 1


def test_a_yes_is_kept_by_the_user_alone_and_asks_again_when_what_matters_changes(tmp_path: Path) -> None:
    asked: list[str] = []

    def say_yes(request: TrustRequest) -> bool:
        asked.append(request.digest)
        return True

    root = written(tmp_path / "world", SENDING)
    before = sorted(root.rglob("*"))
    ask_with(say_yes)
    assert opened(root) is not None
    assert sorted(root.rglob("*")) == before
    ask_with(None)
    assert opened(root) is not None
    written(root, f'name = "other"\n[lore]\nlimit = 3\n{SENDING}')
    assert opened(root) is not None
    for other in (
        SENDING.replace("8080", "8081"),
        f'{SENDING}[index]\nembedder = "voyage"',
        f"{SENDING}openai = 'http://x'",
    ):
        with pytest.raises(NotTrusted):
            opened(written(root, other))
    assert len(asked) == 1
    files = [path for path in grants_folder().rglob("*") if path.is_file()]
    assert files
    if os.name == "posix":
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
        assert {stat.S_IMODE(path.parent.stat().st_mode) for path in files} == {0o700}


def test_what_a_killed_process_left_of_a_yes_is_deleted_with_the_next(tmp_path: Path) -> None:
    grant_workspace(tmp_path / "one", "digest")
    folder = grants_folder() / "workspaces"
    old, young = folder / ".granting-old", folder / ".granting-young"
    old.write_text("{")
    young.write_text("{")
    os.utime(old, (0, 0))
    grant_workspace(tmp_path / "two", "digest")
    assert not old.exists()
    assert young.exists()


def test_a_yes_of_another_folder_or_a_broken_one_is_none(tmp_path: Path) -> None:
    one, other = written(tmp_path / "one", SENDING), written(tmp_path / "other", SENDING)
    trusted(one)
    with pytest.raises(NotTrusted):
        opened(other)
    (grant,) = [path for path in (grants_folder() / "workspaces").iterdir() if str(one) in path.read_text()]
    for spoilt in ("", "[]", "{", '{"root": 3}', json.dumps({"root": str(other), "digest": "x", "since": ""})):
        grant.write_text(spoilt, encoding="utf-8")
        with pytest.raises(NotTrusted):
            opened(one)
        assert str(one) not in [found.root for found in list_workspace_grants()]


def test_the_users_own_workspace_and_settings_of_a_program_need_no_yes() -> None:
    own = written(own_workspace(), SENDING)
    try:
        assert opened(own) is not None
    finally:
        (own / "lorewright.toml").unlink()
    made = ModelsSettings(base_urls={"anthropic": "http://there.example"})
    assert open_model("claude-haiku", made, environ=ENVIRON) is not None


def test_a_model_is_asked_by_its_own_rules_where_only_the_index_reaches_out(tmp_path: Path) -> None:
    assert opened(written(tmp_path, '[index]\nembedder = "openai"')) is not None


def test_an_embedder_that_the_environment_names_is_the_users_own_but_not_its_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOREWRIGHT_WORKSPACE", raising=False)
    for embedder, text, refused in (
        ("hashing", '[index]\nembedder = "openai"', False),
        ("openai", '[index]\nembedder = "minilm"', False),
        ("openai", '[index]\nbase_url = "http://there.example/v1"', True),
        ("st/some/model", '[index]\nembedder = "openai"', False),
        ("", '[index]\nembedder = "openai"', True),
        ("", '[index]\nembedder = "st/some/model"', True),
        ("", '[index]\nembedder = "none"', False),
    ):
        monkeypatch.setenv("LOREWRIGHT_EMBEDDER", embedder)
        library = open_lore(written(tmp_path, text)).library
        if refused:
            with pytest.raises(NotTrusted):
                library.hold_to_trust()
            assert library.vectors is not None
            with pytest.raises(NotTrusted):
                library.vectors.embedder.embed(["a text"])
            with pytest.raises(NotTrusted):
                library.vectors.embedder.embed_query("a question")
        else:
            library.hold_to_trust()


def test_a_folder_with_a_model_is_not_read_before_a_yes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOREWRIGHT_EMBEDDER", raising=False)
    model = tmp_path / "model"
    model.mkdir()
    os.mkfifo(model / "config.json")  # whoever reads it waits for ever
    root = written(tmp_path / "world", f'[index]\nembedder = "st/{model}"\nreranker = "st/{model}"')
    library = open_lore(root).library
    assert library.vectors is not None
    with pytest.raises(NotTrusted):
        library.vectors.embedder.embed(["a text"])
    reranker = library._reranker
    assert reranker is not None
    with pytest.raises(NotTrusted):
        reranker.scores("a question", ["a text"])


# Who opens what can send, or load a model that is named; each holds to trust before.
DOORS = {
    "open_embedder": {"lore_bootstrap.py"},
    "open_reranker": {"lore_bootstrap.py"},
    "open_openai": {"index/embedders/choosing.py"},
    "open_voyage": {"index/embedders/choosing.py"},
    "SentenceTransformersEmbedder": {"index/embedders/choosing.py"},
    "CrossEncoderReranker": {"index/reranker_choice.py"},
    "RemoteEmbedder": {"index/embedders/remote.py", "index/embedders/voyage_remote.py"},
    "RemoteModel": {"llm/opening.py"},
    "vendor_model": {"llm/providers/remote.py"},
}
# Libraries that open connections, and the modules that import them.
CLIENTS = {
    "openai",
    "anthropic",
    "google",
    "voyageai",
    "httpx",
    "httpx2",
    "requests",
    "aiohttp",
    "urllib3",
    "sentence_transformers",
}
SENDERS = {
    # It bounds what the clients of others answer, and opens none of its own.
    "bounded_http.py",
    "index/embedders/remote.py",
    "index/embedders/voyage_remote.py",
    "index/embedders/st.py",
    "index/cross_encoder.py",
    "llm/providers/remote.py",
    "llm/providers/vendors.py",
    # The client of a service, for programs of others: no command of ours imports it, and its address is its caller's.
    "service/web/client.py",
    "service/web/connection.py",
}


def _called(call: ast.Call) -> str:
    """The last name of what is called, whether it was imported itself or its module was."""
    called = call.func
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _imports_silenced(call: ast.Call) -> str:
    """The library that a call of `import_silenced` imports, or nothing."""
    is_meant = isinstance(call.func, ast.Name) and call.func.id == "import_silenced"
    given = call.args[0] if is_meant and call.args else None
    return str(given.value).partition(".")[0] if isinstance(given, ast.Constant) else ""


def test_there_is_no_other_door_by_which_anything_is_sent() -> None:
    calls: dict[str, set[str]] = {name: set() for name in DOORS}
    importers = set()
    named = {*calls, *CLIENTS, "import_silenced"}
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in named):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and (called := _called(node)) in calls:
                calls[called].add(name)
            if isinstance(node, ast.Call) and _imports_silenced(node) in CLIENTS:
                importers.add(name)
            if isinstance(node, ast.Import) and {one.name.partition(".")[0] for one in node.names} & CLIENTS:
                importers.add(name)
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in CLIENTS:
                importers.add(name)
    assert calls == DOORS
    assert importers == SENDERS


def test_nothing_but_the_environment_of_the_process_is_read_for_keys_and_addresses() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    assert "dotenv" not in text
    assert "putenv" not in text


def test_settings_of_a_file_know_it_and_the_defaults_of_all_do_not(tmp_path: Path) -> None:
    read = read_workspace(written(tmp_path, SENDING)).settings
    assert read.index.source is read.models.source is not None
    assert Settings().models.source is None
    assert Settings().index.source is None
    assert ModelsSettings().source is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
class TestOwners:
    @pytest.fixture
    def theirs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A folder of mine below one with settings of somebody else's."""
        monkeypatch.delenv("LOREWRIGHT_WORKSPACE", raising=False)
        shared = written(tmp_path / "shared", 'name = "theirs"')
        os.chown(shared / "lorewright.toml", 65_534, 65_534)
        (shared / "mine").mkdir()
        return shared

    def test_settings_of_another_user_are_passed_over_with_one_line(
        self, theirs: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        outer = written(theirs.parent, 'name = "outer"')
        for _ in range(2):
            assert find_workspace(theirs / "mine").root == outer
        (warning,) = capsys.readouterr().err.splitlines()
        assert "belongs to another user" in warning
        assert f"lorewright trust {theirs}" in warning
        assert "LOREWRIGHT_TRUSTED" in warning

    def test_those_that_the_environment_names_are_an_error(self, theirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(theirs))
        with pytest.raises(NotTrusted, match="another user"):
            find_workspace(theirs)
        monkeypatch.setenv("LOREWRIGHT_TRUSTED", str(theirs))
        assert find_workspace(theirs).settings.name == "theirs"

    def test_a_yes_lets_them_be_obeyed(self, theirs: Path) -> None:
        trusted(theirs)
        assert find_workspace(theirs / "mine").settings.name == "theirs"

    def test_a_folder_and_a_link_of_another_user_count_as_their_settings(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("LOREWRIGHT_WORKSPACE", raising=False)
        folder = written(tmp_path / "folder", 'name = "mine"')
        os.chown(folder, 65_534, 65_534)
        assert find_workspace(folder).settings.name != "mine"
        linked = tmp_path / "linked"
        linked.mkdir()
        (linked / "lorewright.toml").symlink_to(folder / "lorewright.toml")
        assert find_workspace(linked).settings.name == "mine"
        os.lchown(linked / "lorewright.toml", 65_534, 65_534)
        assert find_workspace(linked).settings.name != "mine"

    @pytest.mark.parametrize("theirs", ["first", "second", "folder", "target"])
    @pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])
    def test_in_a_chain_of_links_nothing_is_of_another_user(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: str, relative: bool
    ) -> None:
        monkeypatch.delenv("LOREWRIGHT_WORKSPACE", raising=False)
        world, real = tmp_path / "world", written(tmp_path / "real", 'name = "mine"')
        world.mkdir()
        up = Path("..") if relative else tmp_path
        links = {
            "first": (world / "lorewright.toml", up / "second" if relative else tmp_path / "second"),
            "second": (tmp_path / "second", Path("folder/lorewright.toml")),
            "folder": (tmp_path / "folder", Path("world/../real") if relative else real),
        }
        for link, target in links.values():
            link.symlink_to(target)
        assert find_workspace(world).settings.name == "mine"
        os.chown(
            links[theirs][0] if theirs in links else real / "lorewright.toml", 65_534, 65_534, follow_symlinks=False
        )
        assert find_workspace(world).settings.name != "mine"
        monkeypatch.setenv("LOREWRIGHT_WORKSPACE", str(world))
        with pytest.raises(NotTrusted, match="another user"):
            find_workspace(world)
        trusted(world)
        assert find_workspace(world).settings.name == "mine"

    def test_who_became_root_by_sudo_is_at_home_in_their_own_folders(
        self, theirs: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SUDO_UID", "65534")
        assert find_workspace(theirs / "mine").settings.name == "theirs"


def test_a_yes_to_settings_behind_links_does_not_hold_for_where_they_lead_later(tmp_path: Path) -> None:
    world = tmp_path / "world"
    world.mkdir()
    for name, text in (("before", SENDING), ("after", SENDING.replace("8080", "8081"))):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (world / "lorewright.toml").symlink_to(tmp_path / "second")
    for name in ("before", "after"):
        (tmp_path / "second").unlink(missing_ok=True)
        (tmp_path / "second").symlink_to(tmp_path / name)
        with pytest.raises(NotTrusted):
            opened(world)
        if name == "before":
            trusted(world)
            assert opened(world) is not None


@pytest.mark.parametrize("target", ["lorewright.toml", "nowhere"])
def test_a_link_that_leads_nowhere_is_no_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.delenv("LOREWRIGHT_WORKSPACE", raising=False)
    outer = written(tmp_path, 'name = "outer"')
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "lorewright.toml").symlink_to(target)
    assert find_workspace(tmp_path / "inner").root == outer


OWN = '[models.keys.mine]\nprovider = "{provider}"\nmodel = "x"\nkey_env = "{variable}"\n'


@pytest.mark.parametrize(
    ("provider", "variable", "address", "fits"),
    [
        ("openai-compatible", "BARN_API_KEY", "http://barn.example/v1", True),
        ("openai-compatible", "BARN_TOKEN", "http://barn.example/v1", True),
        ("openai-compatible", "MY_KEY", "http://127.0.0.1:1/v1", True),
        ("openai-compatible", "OPENAI_COMPATIBLE_API_KEY", "https://there.example/v1", True),
        ("openai-compatible", "GROQ_API_KEY", "https://api.groq.com/openai/v1", True),
        ("openai-compatible", "GROQ_API_KEY", "http://api.groq.com/openai/v1", False),
        ("openai-compatible", "GROQ_API_KEY", "https://api.groq.com.there.example/v1", False),
        ("openai-compatible", "GROQ_API_KEY", "https://api.groq.com@there.example/v1", False),
        ("openai-compatible", "OPENAI_API_KEY", "https://api.openai.com/v1", True),
        ("openai", "OPENAI_API_KEY", None, True),
        ("openai", "OPENAI_TEAM_API_KEY", None, True),
        ("openai", "OPENAI_API_KEY", "https://there.example/v1", False),
        ("openai", "ANTHROPIC_API_KEY", None, False),
        ("anthropic", "ANTHROPIC_API_KEY", None, True),
        ("google", "GEMINI_API_KEY", None, True),
        ("anthropic", "GITHUB_TOKEN", None, False),
        ("openai-compatible", "gh_token", "https://there.example/v1", False),
        ("openai-compatible", "HF_TOKEN", "https://there.example/v1", False),
        ("openai-compatible", "AWS_SECRET_ACCESS_KEY", "https://bedrock.us-east-1.amazonaws.com", False),
        ("openai-compatible", "MY_SECRET_KEY", "http://127.0.0.1:1/v1", False),
        ("openai-compatible", "DATABASE_KEY", "http://127.0.0.1:1/v1", False),
        ("openai-compatible", "PATH", "http://127.0.0.1:1/v1", False),
        ("openai-compatible", "MY_PASSWORD", "http://127.0.0.1:1/v1", False),
        ("openai-compatible", "LOREWRIGHT_MCP_TOKEN", "http://127.0.0.1:1/v1", False),
    ],
)
def test_a_variable_with_a_secret_of_something_else_is_refused_at_reading(
    tmp_path: Path, provider: str, variable: str, address: str | None, fits: bool
) -> None:
    text = OWN.format(provider=provider, variable=variable) + (f'base_url = "{address}"\n' if address else "")
    root = written(tmp_path, text)
    if fits:
        read_workspace(root)
        return
    with pytest.raises(SettingsError, match=rf"lorewright\.toml: models\.keys\.mine\.key_env: {variable} ") as caught:
        read_workspace(root)
    assert "[models" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "address",
    ["there.example/v1", "ftp://there.example", "http://", "http://127.0.0.1\\@there.example", "http://a b", "http://ä.example",
     "http://x:99999/", "http://[::1", "https://\u202ethere.example"],
)  # fmt: skip
def test_an_address_that_clients_may_read_differently_is_none(tmp_path: Path, address: str) -> None:
    for text in (f"[index]\nbase_url = '{address}'", f"[models.base_urls]\nopenai = '{address}'"):
        with pytest.raises(SettingsError, match="address"):
            read_workspace(written(tmp_path, text))


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.8.9.1/", True),
        ("http://[::1]:8/", True),
        ("http://x.localhost/", True),
        ("http://127.0.0.1.there.example/", False),
        ("http://localhost@there.example/", False),
        ("http://192.168.1.7/", False),
        ("http://0.0.0.0/", False),
        ("http://there.example/#@127.0.0.1/", False),
    ],
)
def test_what_stays_on_this_machine_is_known_by_its_host(address: str, here: bool) -> None:
    assert is_on_this_machine(address) is here
    assert is_unencrypted(address) is not here
    assert not is_unencrypted(address.replace("http:", "https:"))


@given(name=st.text("abcXYZ0189-_.~%", min_size=3), word=st.text("abcXYZ0189-_.~%:", min_size=3))
def test_no_name_or_password_of_an_address_is_shown(name: str, word: str) -> None:
    shown = mask_address(f"https://{name}:{word}@host.example:8443/v1?token={word}#{word}")
    assert shown == "https://[hidden]@host.example:8443/v1?[hidden]"


def test_agreements_belong_to_one_file_that_was_begun_once(tmp_path: Path) -> None:
    file, other = tmp_path / "game.db", tmp_path / "other.db"
    first, second = make_token(("claude-haiku", "https://a")), make_token(("claude-haiku", "https://b"))
    keep_agreements(file, "then", {first: "claude-haiku at https://a"})
    keep_agreements(file, "then", {second: "claude-haiku at https://b"})
    assert find_agreements(file, "then") == {first, second}
    assert find_agreements(file, "later") == find_agreements(other, "then") == frozenset()
    keep_agreements(file, "later", {second: ""})
    assert find_agreements(file, "later") == {second}
    forget_agreements(file)
    assert find_agreements(file, "later") == frozenset()


def test_a_folder_that_cannot_be_written_keeps_no_yes_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    with pytest.raises(SettingsError, match="cannot be stored"):
        trusted(written(tmp_path / "world", SENDING))


def test_every_family_has_its_variables_and_every_provider_its_server() -> None:
    none = ModelsSettings()
    for row in [*rows(none), *families()]:
        if row.provider != "builtin":
            assert KEY_VARIABLES[row.family] == tuple(name for name in (row.key_env, row.other_key_env) if name)
            assert row.provider == "openai-compatible" or row.provider in OWN_SERVERS


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google", "openai-compatible"])
@pytest.mark.parametrize("own", [None, "https://models.github.ai/inference"])
@pytest.mark.parametrize("family", [None, "openai", "anthropic", "google", "mine", "nobody"])
@pytest.mark.parametrize("variable", [None, "MY_API_KEY", "OPENAI_API_KEY", "GITHUB_TOKEN"])
def test_what_is_told_is_what_would_be_asked(
    tmp_path: Path, provider: str, own: str | None, family: str | None, variable: str | None
) -> None:
    text = f'[models.stages]\nnarrator = "mine"\n[models.keys.mine]\nprovider = "{provider}"\nmodel = "x"\n'
    text += f'base_url = "{own}"\n' if own else ""
    text += f'key_env = "{variable}"\n' if variable else ""
    text += f'[models.base_urls]\n{family} = "http://there.example/v1"\n' if family else ""
    try:
        models = read_workspace(written(tmp_path, text)).settings.models
        row = next(row for row in rows(models) if row.key == "mine")
    except SettingsError:
        assert family in ("mine", "nobody") or variable is not None or (provider == "openai-compatible" and not own)
        return
    told_of = [
        reach for reach in request_of(tmp_path).reaches if ".keys.mine" in reach.setting or ".stages" in reach.setting
    ]
    assert {reach.address for reach in told_of} == {asked_at(row, models, {})}
    assert {reach.keys for reach in told_of} == {tuple(name for name in (row.key_env, row.other_key_env) if name)}
    assert variable != "OPENAI_API_KEY" or family != "openai"


@pytest.mark.parametrize(
    "variable",
    ["HOMEBREW_GITHUB_API_TOKEN", "COPILOT_GITHUB_TOKEN", "LITELLM_OPENAI_API_KEY", "_OPENAI_API_KEY", "HCLOUD_TOKEN",
     "CLOUDSDK_AUTH_ACCESS_TOKEN", "KAGGLE_KEY", "WALLET_KEY", "REFRESH_TOKEN", "MY_GITHUB_TOKEN", "MYGITHUB2_TOKEN"],
)  # fmt: skip
def test_a_vendor_anywhere_in_the_name_of_a_variable_counts(tmp_path: Path, variable: str) -> None:
    text = OWN.format(provider="openai-compatible", variable=variable) + 'base_url = "https://there.example/v1"\n'
    with pytest.raises(SettingsError, match=variable):
        read_workspace(written(tmp_path, text))


def test_very_many_settings_leave_the_worst_next_to_the_question(tmp_path: Path) -> None:
    row = '[models.keys.k{}]\nprovider = "openai-compatible"\nmodel = "x"\nbase_url = "{}"\n'
    text = "".join(row.format(number, f"https://h{number}.example/{'y' * 1_000}") for number in range(63))
    lines = request_of(written(tmp_path, text + row.format(999, "http://bad.example") + 'key_env = "A_KEY"\n')).told
    assert "52 more" in lines[0]
    assert lines[-1] == "  the value of A_KEY is sent to http://bad.example, unencrypted"
    assert max(map(len, lines)) < 400
    with pytest.raises(SettingsError, match="keys"):
        read_workspace(written(tmp_path, text + row.format(998, "http://x") + row.format(999, "http://x")))


def test_no_settings_make_a_vendors_model_free(tmp_path: Path) -> None:
    text = '[models.keys.k]\nprovider = "anthropic"\nmodel = "{}"\nprices = {{ input = 0, output = 0 }}\n'
    for model, is_paid in (("claude-opus-5-5", True), ("claude-opus-5-5-20260101", True), ("other", False)):
        models = read_workspace(written(tmp_path, text.format(model))).settings.models
        row = rows(models)[-1]
        assert row.is_paid is is_paid
        assert may_cost(row, asked_at(row, models, {}))
        assert "counted as free" in told(tmp_path)[-1]


def test_settings_nested_too_deep_are_told_by_their_file(tmp_path: Path) -> None:
    root = written(tmp_path / "deep", "x=" + "[" * 3000)
    with pytest.raises(SettingsError, match="nested too deep"):
        read_workspace(root)
