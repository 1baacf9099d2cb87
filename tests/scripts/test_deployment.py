"""What deploy/ says can be done: its files parse, its command lines are taken, what it copies is there."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import typer
import yaml

from lorewright.cli import app

DEPLOY = Path(__file__).parents[2] / "deploy"
PROJECT = DEPLOY.parent


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"])


def parsed(words: list[str]) -> Any:
    """Return what the command line makes of words, without running them."""
    group: Any = typer.main.get_command(app)
    with group.make_context("lorewright", words[:1], resilient_parsing=True) as context:
        command = group.get_command(context, words[0])
        assert command is not None, words
        return command.make_context(words[0], list(words[1:]), parent=context)


def test_the_commands_of_the_containers_are_commands_with_options_that_exist() -> None:
    services = compose()
    worker = [word.replace("${LOREWRIGHT_HOST}", "lore.example.org") for word in services["worker"]["command"]]
    given = parsed(worker).params
    assert given["accounts"]
    assert given["public_url"] == "https://lore.example.org"
    assert given["proxy_from"] == ["172.28.7.0/24"]
    assert given["drain"] == 5
    assert str(parsed(services["setup"]["command"]).params["path"]) == "/var/lib/lorewright"
    command = re.findall(r"^CMD (\[.*\])$", (DEPLOY / "Containerfile").read_text("utf-8"), re.MULTILINE)
    assert yaml.safe_load(command[0])[0] == "serve"


def test_what_containers_mount_and_need_is_there() -> None:
    services = compose()
    for name, service in services.items():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            if source.startswith("./") and source != "./certificates":
                assert (DEPLOY / source).is_file(), (name, source)
        assert set(service.get("depends_on", ())) <= set(services)
    # The proxy is in the network from which the workers believe headers.
    whole = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    assert whole["networks"]["back"]["ipam"]["config"][0]["subnet"] == "172.28.7.0/24"
    assert "back" in services["proxy"]["networks"]


def test_the_image_copies_what_is_in_the_checkout_and_all_that_the_wheel_needs() -> None:
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    copied = [word for line in re.findall(r"^COPY (.*)$", text, re.MULTILINE) for word in shlex.split(line)[:-1]]
    assert copied
    for name in copied:
        assert (PROJECT / name).exists(), name
    carried = re.findall(
        r'^"(\w+)" = "lorewright/shipped', (PROJECT / "pyproject.toml").read_text("utf-8"), re.MULTILINE
    )
    assert set(carried) <= set(copied)
    extras = re.findall(r"/src\[([\w,]+)\]", text)[0].split(",")
    for extra in extras:
        assert re.search(rf"^{extra} = \[", (PROJECT / "pyproject.toml").read_text("utf-8"), re.MULTILINE), extra


def test_the_script_of_the_database_is_one() -> None:
    assert subprocess.run(["sh", "-n", DEPLOY / "make_database.sh"], check=False).returncode == 0
