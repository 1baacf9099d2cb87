"""The scenarios of a workspace and the campaigns that were begun of them: listed, chosen and begun at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lorewright.bootstrap import App
from lorewright.campaigns.open_campaign import OpenCampaign
from lorewright.campaigns.recap import shortened
from lorewright.campaigns.scenarios.beginning import USUAL, Beginning
from lorewright.campaigns.session_zero import Calibration, calibration_of
from lorewright.campaigns.stage_models import BUILTIN_KEYS, ModelKeys
from lorewright.cli.game.play_session import answered
from lorewright.cli.game.session_zero import agreed_on
from lorewright.cli.output import note, page_width, progress_bar, say, say_parts
from lorewright.storage.model_rows import own_model_keys
from lorewright.values.records import CampaignRow

# Of the campaigns of one scenario the newest are listed.
_NEWEST = 3
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Story:
    """Something to play: a scenario, with the campaigns that were begun of it, the one last played first. Without a
    scenario's file (`can_begin` is False) there are only the campaigns."""

    scenario_id: str
    name: str
    summary: str
    campaigns: tuple[CampaignRow, ...]
    can_begin: bool = True


class Stories:
    """The stories of a workspace, and the campaigns that are begun of them with the models of `keys`."""

    def __init__(self, lorewright: App, keys: ModelKeys = BUILTIN_KEYS) -> None:
        self._lorewright = lorewright
        self._keys = keys

    def listed(self) -> list[Story]:
        """Return the scenarios of the workspace by file, then the campaigns of no scenario that is there."""
        begun: dict[str, list[CampaignRow]] = {}
        for row in sorted(self._lorewright.campaigns.rows(), key=lambda row: (row.updated_at, row.id), reverse=True):
            begun.setdefault(row.scenario_id, []).append(row)
        scenarios, _ = self._lorewright.scenarios.listed()
        found = [
            Story(scenario.id, scenario.name, scenario.summary, tuple(begun.pop(scenario.id, ())))
            for scenario in scenarios
            if scenario.packs_here or scenario.id in begun
        ]
        others = (Story(name, rows[0].name, "", tuple(rows), False) for name, rows in sorted(begun.items()))
        return [*found, *others]

    def show(self, stories: Sequence[Story]) -> None:
        """Print stories by number, each with a line about it and the campaigns that were begun of it."""
        for number, story in enumerate(stories, start=1):
            say_parts((f"{number:>2}  {story.name}", "bold"), (f"  {story.scenario_id}", "dim"))
            if story.summary:
                say(f"{_INDENT}{shortened(story.summary, page_width() - len(_INDENT))}")
            for line in _begun(story):
                say(f"{_INDENT}{line}", style="dim")
        if not stories:
            say("There is nothing to play here. Next: lorewright explore FOLDER")

    def choose(self) -> str | None:
        """Show all stories and ask for one; return the ID of its campaign, begun if need be, or None where the player
        chooses none."""
        stories = self.listed()
        say()
        self.show(stories)
        say()
        chosen = _number(f"Which one? 1 to {len(stories)}, Enter for none: ", len(stories)) if stories else None
        if chosen is None:
            return None
        story = stories[chosen - 1]
        if story.campaigns and not (story.can_begin and _wants_another(story.campaigns[0])):
            return story.campaigns[0].id
        agreed = None
        if answered("Set tone and limits first? [y/N] ") == "y":
            agreed = agreed_on(self._lorewright.campaigns, story.scenario_id, None, ask=True)
        return self.begin(story.scenario_id, calibration=agreed)

    def begin(
        self,
        scenario: str,
        *,
        seed: int | None = None,
        calibration: Calibration | None = None,
        by_words: bool = True,
        beginning: Beginning = USUAL,
    ) -> str:
        """Begin a campaign from a scenario, given by its ID or as a path, under a free ID, which is returned. With
        `by_words` no new pack is embedded for it: that is left for later.

        Raises:
            LorewrightError: there is no such scenario, or it cannot be begun.
        """
        return self._begin(scenario, self._keys, seed, calibration, by_words, beginning)

    def begin_again(self, campaign: OpenCampaign) -> str:
        """Begin the scenario of a campaign once more, with other dice, but its calibration and models; return the new
        campaign's ID.

        Raises:
            LorewrightError: it cannot be begun.
        """
        row = campaign.row
        small, large = own_model_keys(campaign.store.database)
        calibration = calibration_of(row.calibration) if row.calibration else None
        return self._begin(row.scenario_id, ModelKeys(small, large), None, calibration, True)

    def has_scenario_of(self, campaign: OpenCampaign) -> bool:
        """Return whether the scenario of a campaign can be begun again."""
        return self._lorewright.campaigns.scenario_path(campaign.row.scenario_id).is_file()

    def notice(self, campaign: OpenCampaign) -> str:
        """Return a line that says what has changed since a campaign began, with the command to see it; empty where
        nothing has."""
        upgrades, campaign_id = self._lorewright.upgrades, campaign.store.campaign_id
        if packs := upgrades.newer_packs(campaign):
            what = f"{' and '.join(packs)} {'is' if len(packs) == 1 else 'are'} installed with another text by now"
            return f"{what}: lorewright campaign upgrade {campaign_id}"
        if upgrades.has_other_scenario(campaign):
            return (
                f"the scenario's file has changed since; what differs: lorewright campaign upgrade {campaign_id}; "
                "--new begins with what it is now"
            )
        return ""

    def _begin(
        self,
        scenario: str,
        keys: ModelKeys,
        seed: int | None,
        calibration: Calibration | None,
        by_words: bool,
        beginning: Beginning = USUAL,
    ) -> str:
        campaigns = self._lorewright.campaigns
        campaigns.hold_to_trust()
        note(f"beginning a campaign from {scenario} (packs are read when they are new) …")
        library = self._lorewright.by_words if by_words else None
        with progress_bar() as progress:
            row = campaigns.new(
                scenario,
                seed=seed,
                keys=keys,
                calibration=calibration,
                beginning=beginning,
                library=library,
                progress=progress,
            )
        return row.id


def _begun(story: Story) -> Iterator[str]:
    for row in story.campaigns[:_NEWEST]:
        yield f"begun: {row.id}, last played {_time(row)}"
    if len(story.campaigns) > _NEWEST:
        yield f"and {len(story.campaigns) - _NEWEST} more: lorewright campaign list"


def _time(row: CampaignRow) -> str:
    return f"{row.updated_at[:16].replace('T', ' ')} UTC"


def _wants_another(row: CampaignRow) -> bool:
    """Ask whether to begin anew although there is a campaign."""
    return answered(f"Go on with {row.id}, last played {_time(row)}? [Y/n] ") == "n"


def _number(question: str, most: int) -> int | None:
    """Ask for a number up to `most` until one is given; None where there is no answer."""
    while True:
        try:
            answer = input(question).strip()
        except (EOFError, KeyboardInterrupt):
            say()
            return None
        if not answer:
            return None
        if answer.isdecimal() and answer.isascii() and 0 < int(answer[:6]) <= most:
            return int(answer[:6])
