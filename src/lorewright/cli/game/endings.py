"""What a player may do at a terminal after an ending: the same story again, back to before it, another story."""

from __future__ import annotations

from lorewright.cli.game.play_session import PlaySession
from lorewright.cli.game.stories import Stories
from lorewright.cli.game.turn_output import show_last_lines, show_ways_on, take_back

# Each way on with the label under which it is offered, and the words that choose it as its number does.
_AGAIN = "begin it again"
_BEFORE = "go back to before the end"
_ANOTHER = "another story"
_WORDS = {
    _AGAIN: frozenset({"again", "begin again", "begin it again", "restart", "new", "new game", "play again"}),
    _BEFORE: frozenset({"before", "back", "go back", "go back to before the end"}),
    _ANOTHER: frozenset({"another", "other", "another story", "list"}),
}


class WaysOn:
    """The ways on from the end of a campaign's story, as soon as that is reached."""

    def __init__(self, session: PlaySession, stories: Stories | None) -> None:
        """Without `stories` there are no other campaigns to go on in."""
        self._session = session
        self._stories = stories
        can_begin = stories is not None and stories.has_scenario_of(session.campaign)
        self.labels: tuple[str, ...] = (
            *((_AGAIN,) if can_begin else ()),
            _BEFORE,
            *((_ANOTHER,) if stories is not None else ()),
        )

    @property
    def is_reached(self) -> bool:
        """Return whether the story has ended at the head."""
        return self._session.campaign.store.head().state.ended is not None

    def answer(self, words: str) -> str:
        """Take the way on that a line chooses, or show them all again; return the ID of the campaign to go on in.

        Raises:
            LorewrightError: another campaign cannot be begun, or nothing can be taken back; nothing was changed.
        """
        campaign = self._session.campaign
        here = campaign.store.campaign_id
        chosen = self._chosen(words)
        if chosen == _BEFORE:
            take_back(campaign)
        elif chosen == _AGAIN and self._stories is not None:
            return self._stories.begin_again(campaign)
        elif chosen == _ANOTHER and self._stories is not None:
            found = self._stories.choose()
            if found is not None and found != here:
                return found
            show_ways_on(self.labels)
        else:
            show_last_lines(campaign)
            show_ways_on(self.labels)
        return here

    def _chosen(self, words: str) -> str:
        said = words.casefold().strip(" .!")
        if said.isdecimal() and said.isascii() and len(said) == 1 and 0 < int(said) <= len(self.labels):
            return self.labels[int(said) - 1]
        return next((label for label in self.labels if said in _WORDS[label]), "")
