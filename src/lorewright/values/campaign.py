"""What a campaign is and was made from, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lorewright.rules.rulesets import CampaignRules


@dataclass(frozen=True, slots=True)
class PackPin:
    """Which text of a pack a campaign was made from."""

    pack_id: str
    version: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class CampaignRow:
    """What a campaign is and was made from; rules and pins as they are at its head. `upgrade_id` is the turn that set
    them, None where they are those that it was begun with. `calibration` is what was agreed on before its first turn,
    as JSON has it."""

    id: str
    name: str
    scenario_id: str
    scenario: dict[str, Any]
    rules: CampaignRules
    ruleset_hash: str
    seed: int
    current_turn: int
    revision: int
    created_at: str
    updated_at: str
    pins: tuple[PackPin, ...]
    upgrade_id: str | None = None
    calibration: Mapping[str, Any] = field(default_factory=dict)
