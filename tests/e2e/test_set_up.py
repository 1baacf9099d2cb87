"""What setting up shows: how far it is at a terminal, little in a file, everything where it fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pexpect

from step import Seen, drawn

STEP = [sys.executable, str(Path(__file__).parents[2] / "scripts" / "step.py")]
PIP = """
import time
print("Collecting grpcio<2,>=1.58 (from chromadb)", flush=True)
time.sleep(0.5)
print("Installing collected packages: grpcio, numpy, rich", flush=True)
time.sleep(0.5)
"""


def stepped(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*STEP, "[1/2] baking", sys.executable, "-c", code], capture_output=True, text=True)


def test_what_a_step_that_works_prints_is_kept_from_the_reader() -> None:
    done = stepped("print('noise')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[1/2] baking …\n", "")


def test_a_step_that_fails_says_all_that_it_said_and_how_it_ended() -> None:
    done = stepped("import sys; print('no oven'); sys.exit(3)")
    assert done.returncode == 3
    assert done.stdout.endswith("[1/2] baking: failed\n")
    assert done.stderr == "  no oven\n"


def test_at_a_terminal_one_sees_what_is_fetched_then_how_much_is_in_place() -> None:
    environment = {**os.environ, "TERM": "xterm"}
    command = [*STEP[1:], "baking", sys.executable, "-c", PIP]
    child = pexpect.spawn(STEP[0], command, env=environment, encoding="utf-8", timeout=30, dimensions=(24, 60))
    child.expect_exact("grpcio (1)")
    child.expect("0/3")
    child.expect(r"\x1b\[2Kbaking: \d+ s\r\n")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_the_line_is_never_wider_than_the_screen_and_full_when_all_is_in_place() -> None:
    seen = Seen()
    for line in ("Collecting a-package-with-a-very-long-name==1", "Installing collected packages: a, b"):
        assert len(drawn("baking", seen, done=0, seconds=2.0, columns=30)) < 30
        seen.take(line)
    whole = drawn("baking", seen, done=2, seconds=2.0, columns=80)
    assert "2/2" in whole
    assert "─" not in whole
