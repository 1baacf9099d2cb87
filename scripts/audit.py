"""constraints.txt -> the known vulnerabilities of the versions in it, as pip-audit has them from an advisory service.

`python scripts/audit.py [FILE]`, run by an environment with pip-audit. Exit code 0: a service was asked of every
version, and knows of none. 1: it knows of some, which are printed. 2: no service could be asked of every version.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "constraints.txt"
SERVICES = ("pypi", "osv")
NONE, SOME, UNKNOWN = 0, 1, 2


def asked(file: Path, service: str) -> list[dict[str, Any]] | str:
    """What pip-audit says of each version; where it says nothing, the last line of why."""
    options = [
        "--no-deps",
        "--disable-pip",
        "--progress-spinner=off",
        "--format=json",
        f"--vulnerability-service={service}",
    ]
    command = [sys.executable, "-m", "pip_audit", f"--requirement={file}", *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        complaint = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        return complaint[-1] if complaint else f"pip-audit ended with {done.returncode} and without an answer"
    return found


def told(found: list[dict[str, Any]] | str, service: str) -> tuple[int, list[str]]:
    """The exit code and the lines for an answer.

    A version that was passed over, because the service has no page of it, counts as not asked; pip-audit itself calls a
    list of such versions free of vulnerabilities.
    """
    if isinstance(found, str):
        return UNKNOWN, [f"{service}: could not be asked: {found}"]
    passed_over = [each for each in found if "skip_reason" in each]
    known = [(each["name"], each["version"], flaw) for each in found for flaw in each.get("vulns", [])]
    lines = [
        f"{name} {version}: {flaw['id']}, mended in {', '.join(flaw['fix_versions']) or 'no version'}"
        for name, version, flaw in known
    ]
    if passed_over:
        lines.append(f"{service}: has no answer for {len(passed_over)} of {len(found)} versions")
    return SOME if known else UNKNOWN if passed_over or not found else NONE, lines


def main(file: Path = FILE) -> int:
    """Ask one service after the other until one has an answer for every version; print what it says."""
    for service in SERVICES:
        found = asked(file, service)
        code, lines = told(found, service)
        print("\n".join(lines), end="\n" if lines else "")  # noqa: T201
        if code != UNKNOWN:
            if code == NONE:
                print(f"{service} knows of no vulnerability in {len(found)} versions")  # noqa: T201
            return code
    print("audit: no service could be asked, so whether a vulnerability is known is not known", file=sys.stderr)  # noqa: T201
    return UNKNOWN


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
