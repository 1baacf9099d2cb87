"""Where and how a campaign begins in place of its scenario's start: `play --at PLACE --with EFFECTS`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from lorewright.campaigns.scenarios.faults import faults_of
from lorewright.campaigns.scenarios.scenario import MAX_YAML_NODES
from lorewright.errors import SettingsError
from lorewright.packs.bounded_yaml import YamlProblem, load_yaml
from lorewright.rules.effects import Effect
from lorewright.world.frozen import Frozen


class Beginning(Frozen):
    """Where a campaign begins in place of the scenario's start, and effects that have happened before that."""

    at: str = ""
    given: tuple[Effect, ...] = ()


# A campaign begins where its scenario says.
USUAL = Beginning()


def read_beginning(at: str | None, written: Sequence[str]) -> Beginning:
    """Return a beginning whose effects are written as in a scenario, each text one effect or a list of them.

    Raises:
        SettingsError: a text is no effect; the message says why.
    """
    effects: list[Any] = []
    hint = "write effects as a scenario does: --with '{give: lamp_oil}' --with '[{clock: storm, by: 3}]'"
    for text in written:
        try:
            data = load_yaml(text, max_nodes=MAX_YAML_NODES).data
        except YamlProblem as problem:
            raise SettingsError(f"--with {text}: {problem.message}", hint=hint) from None
        effects += data if isinstance(data, list) else [data]
    try:
        return Beginning.model_validate({"at": at or "", "given": effects})
    except ValidationError as problem:
        faults = faults_of(problem, {}, data={"given": effects}, model=Beginning, hint=hint)
        said = "; ".join(fault.message.removeprefix("given.") for fault in faults[:3])
        raise SettingsError(f"--with: {said}", hint=hint) from None
