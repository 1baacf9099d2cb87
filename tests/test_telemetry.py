"""Libraries that would report on their users do not: nobody is looked up, and nothing of theirs is left in the home."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lorewright.errors import EmbedderError
from lorewright.index.embedders.minilm import MiniLM
from lorewright.telemetry import SWITCHES, import_silenced
from support.network_trace import NetworkTrace

# onnxruntime with its telemetry on looks up its server about nine seconds after the first session.
LIVES_S = 15

# Where one of these is set, onnxruntime reports nothing of its own accord: the tests would pass whatever is switched.
SET_BY_SERVICES_THAT_TEST = (
    *("CI", "TF_BUILD", "GITHUB_ACTIONS", "GITLAB_CI", "CIRCLECI", "TRAVIS", "JENKINS_URL", "CODEBUILD_BUILD_ID"),
    *("BUILDKITE", "TEAMCITY_VERSION", "APPVEYOR", "BITBUCKET_BUILD_NUMBER"),
)

NOTES = {
    "Mill.md": "# The Mill\n\nThe mill grinds rye for [[Ada]].\n",
    "npcs/Ada.md": "# Ada\n\nAda keeps the key of the mill.\n",
}

LONG_LIFE = """
import sys, time
from pathlib import Path
from lorewright import open_app, open_lore
lore = open_lore(long_lived=True)
lore.install(sys.argv[1])
assert lore.query("who keeps the key", viewer="player").chunks
app = open_app()
found = app.explorer.walk(*app.explorer.pack(sys.argv[1]), seed=1)
row = app.explorer.begin(found, app.campaigns, seed=1)
print("ready", flush=True)
time.sleep(float(sys.argv[2]))
assert lore.query("what is ground at the mill", viewer="player").chunks
"""

CALLED_FROM_C = """
import ctypes, socket
ctypes.CDLL(None).getaddrinfo(b"localhost", None, None, ctypes.byref(ctypes.c_void_p()))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
    found.connect(("192.0.2.1", 9))  # of a datagram: nothing is sent
    found.connect(("127.0.0.1", 9))
socket.socketpair()
"""


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a user's own machine."""
    for name in SET_BY_SERVICES_THAT_TEST:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def trace(tmp_path: Path) -> NetworkTrace:
    return NetworkTrace(tmp_path / "trace")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of a new user, with notes in it."""
    for name, text in NOTES.items():
        path = tmp_path / "home" / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "home"


def settings(home: Path, **more: str) -> dict[str, str]:
    """What a new user has set: nothing. The default embedder where its weights are, else the one without weights."""
    try:
        MiniLM()
    except EmbedderError:
        more = {"LOREWRIGHT_EMBEDDER": "hashing", **more}
    else:
        more = {"LOREWRIGHT_EMBEDDER": "minilm", **more}
    homes = dict.fromkeys(("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), "")
    return {"HOME": str(home), **homes, **dict.fromkeys(SWITCHES, ""), "LOREWRIGHT_CHROMA": "always", **more}


def left_in(home: Path) -> set[str]:
    """The files in a home that are neither the user's notes nor of the user's own workspace."""
    ours = home / ".local" / "share" / "lorewright"
    files = (path for path in home.rglob("*") if path.is_file())
    return {
        str(path.relative_to(home)) for path in files if ours not in path.parents and home / "notes" not in path.parents
    }


def test_the_trace_sees_what_is_called_from_python_and_from_c_and_not_the_machine_itself(trace: NetworkTrace) -> None:
    subprocess.run([sys.executable, "-c", CALLED_FROM_C], env=trace.environment(), check=True)
    assert trace.calls == ["getaddrinfo localhost", "socket AF_INET", "connect 192.0.2.1 9"]


def test_the_switches_are_set_before_a_library_is_imported_whatever_they_were(tmp_path: Path) -> None:
    (tmp_path / "chromadb.py").write_text("import os; seen = dict(os.environ)", encoding="utf-8")
    code = "from lorewright.telemetry import import_silenced; import json; "
    code += "print(json.dumps(import_silenced('chromadb').seen))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), **dict.fromkeys(SWITCHES, "0")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    seen = json.loads(done.stdout)
    assert {name: seen[name] for name in SWITCHES} == SWITCHES


def test_a_library_that_is_not_installed_is_told_as_such() -> None:
    with pytest.raises(ImportError):
        import_silenced("no_such_library_of_anybody")


@pytest.mark.campaign
def test_embedding_leaves_nothing_in_the_home(home: Path) -> None:
    environment = {**os.environ, **settings(home), "LOREWRIGHT_CHROMA": "never"}
    code = "from lorewright.index.embedders.choosing import open_embedder; import os; "
    code += "open_embedder(os.environ['LOREWRIGHT_EMBEDDER']).embed(['one text', 'and another'])"
    subprocess.run([sys.executable, "-P", "-c", code], env=environment, check=True)
    assert left_in(home) == set()


@pytest.mark.campaign
def test_no_command_looks_anybody_up_and_none_leaves_a_foreign_file(home: Path, trace: NetworkTrace) -> None:
    (home / "lines.txt").write_text("look\nwait\n", encoding="utf-8")
    for command in (
        *("pack install notes", "lore query mill --as player", "doctor", "models list"),
        *("play tic_tac_toe --script lines.txt", "explore notes --script lines.txt"),
    ):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "lorewright", *command.split()],
            env=trace.environment(**settings(home)),
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, (command, done.stderr)
    assert trace.calls == []
    assert left_in(home) == {"lines.txt"}


def say(process: subprocess.Popen[str], *messages: dict[str, object]) -> None:
    """Send messages of the protocol."""
    assert process.stdin is not None
    process.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages))
    process.stdin.flush()


def answer(process: subprocess.Popen[str]) -> dict[str, object]:
    """The next message of the protocol."""
    assert process.stdout is not None
    found: dict[str, object] = json.loads(process.stdout.readline())
    return found


@pytest.mark.campaign
def test_processes_that_live_long_look_nobody_up(home: Path, trace: NetworkTrace) -> None:
    """As a library, with Chroma open and a game begun; and as a server of the protocol that has answered a question."""
    environment = trace.environment(**settings(home))
    library = [sys.executable, "-P", "-c", LONG_LIFE, str(home / "notes"), str(LIVES_S)]
    server = [sys.executable, "-P", "-m", "lorewright", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(library, env=environment, stdout=pipe, text=True, cwd=home) as embedding:
        assert embedding.stdout is not None
        assert embedding.stdout.readline() == "ready\n"
        with subprocess.Popen(server, env=environment, stdin=pipe, stdout=pipe, text=True, cwd=home) as serving:
            client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
            asking = {"name": "query_lore", "arguments": {"text": "who keeps the key of the mill"}}
            say(serving, {"id": 1, "method": "initialize", "params": client})
            assert answer(serving)["id"] == 1
            say(serving, {"method": "notifications/initialized"}, {"id": 2, "method": "tools/call", "params": asking})
            assert "Ada" in json.dumps(answer(serving))
            time.sleep(LIVES_S)
            assert serving.stdin is not None
            serving.stdin.close()
            assert serving.wait(timeout=60) == 0
        assert embedding.wait(timeout=60) == 0
    assert trace.calls == []
    assert left_in(home) == set()
