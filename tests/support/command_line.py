"""Words of a command line -> its exit code and what it printed: run within this process, as in a pipe, or in one of its
own where that is the point."""

from __future__ import annotations

import contextlib
import contextvars
import io
import json
import logging
import os
import subprocess
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from unittest import mock

from lorewright import settings, trust
from lorewright.cli import main


def workspace_environment(root: Path, **more: str) -> dict[str, str]:
    """Return this process's environment with a workspace named in it, and `more` over it."""
    return {**os.environ, "LOREWRIGHT_WORKSPACE": str(root), **more}


def run_command(
    *arguments: str, environment: Mapping[str, str], cwd: Path | None = None, stdin: str | bytes | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `lorewright` with these arguments here and now; nothing of it is left in this process.

    It sees the environment and the working folder that are given, pipes instead of a terminal (an empty one where
    `stdin` is None), and of this process neither who answers questions about trust nor what has been warned of. An
    error that it does not tell in words is raised: a process would have printed its traceback.
    """
    given = stdin.encode() if isinstance(stdin, str) else stdin or b""
    pipes = {name: io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for name in ("stdout", "stderr")}
    with _as_in_a_process(["lorewright", *arguments], environment, cwd, {"stdin": _read_from(given), **pipes}):
        try:
            contextvars.copy_context().run(main)
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    printed = {}
    for name, pipe in pipes.items():
        pipe.flush()
        printed[name] = pipe.buffer.getvalue().decode()  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(["lorewright", *arguments], code, **printed)


def spawn_command(
    *arguments: str,
    environment: Mapping[str, str],
    cwd: Path | None = None,
    stdin: str | None = None,
    prepare: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `lorewright` with these arguments in a process of its own, without a terminal; some two CPU seconds.

    `prepare` is called in the process before anything else. It must end within five minutes.
    """
    return subprocess.run(
        [sys.executable, "-m", "lorewright", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        cwd=cwd,
        timeout=300,
        preexec_fn=prepare,
    )


def outputs_of_a_process(
    commands: Sequence[Sequence[str]], environment: Mapping[str, str], *, hash_seed: str
) -> list[str]:
    """Return what each of these commands prints, run one after the other in a new process with that hash seed."""
    done = subprocess.run(
        [sys.executable, "-m", "support.command_line"],
        input=json.dumps(commands),
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[1])},
        check=True,
    )
    printed: list[str] = json.loads(done.stdout)
    return printed


def _read_from(given: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")


@contextlib.contextmanager
def _as_in_a_process(
    words: list[str], environment: Mapping[str, str], cwd: Path | None, streams: Mapping[str, io.TextIOWrapper]
) -> Iterator[None]:
    """What a process has for itself, for a while: words, environment, folder, streams, hooks, warnings, loggers."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.object(sys, "argv", words))
        # Usage names the program by the module that was run.
        # (Not with `patch.dict`, which would take away what is imported meanwhile.)
        stack.callback(sys.modules.__setitem__, "__main__", sys.modules["__main__"])
        sys.modules["__main__"] = types.ModuleType("__main__")
        stack.enter_context(mock.patch.dict(os.environ, environment, clear=True))
        for name, stream in streams.items():
            stack.enter_context(mock.patch.object(sys, name, stream))
            # The width of the terminal is asked of these.
            stack.enter_context(mock.patch.object(sys, f"__{name}__", stream))
        stack.enter_context(mock.patch.object(sys, "unraisablehook", sys.unraisablehook))
        stack.enter_context(mock.patch.object(settings, "_warned", set()))
        stack.enter_context(mock.patch.object(trust, "_answers", trust._Answers()))
        # Without a handler of its own a process prints what is logged as a warning.
        stack.enter_context(mock.patch.object(logging.root, "handlers", []))
        stack.enter_context(warnings.catch_warnings())
        if cwd is not None:
            stack.enter_context(contextlib.chdir(cwd))
        yield


if __name__ == "__main__":
    outputs = [run_command(*words, environment=dict(os.environ)).stdout for words in json.load(sys.stdin)]
    sys.stdout.write(json.dumps(outputs))
