"""An errand -> its texts: title, opening, hints, endings. Each is one of several wordings, by lot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from lorewright.generate.scenario.staging import Errand, Lot, ScenarioPlaces, Speaker, within

# The schema of what a model is shown to outline a scenario, and of its answer: IDs of the packs, and words about them.
#
# A model chooses and names. Code decides who holds what, which rules there are and how it can end.

MAX_PLACES, MAX_PEOPLE = 60, 60
# As much as fits on a page, so that every part of a scenario's head does.
_LINE, _PARAGRAPH, _OPENING = 200, 800, 2_000


class Shaped(BaseModel):
    """Frozen, and every key known."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class RulesetBrief(Shaped):
    """How things are resolved, in short."""

    name: str
    summary: str


class PackBrief(Shaped):
    """A pack by its ID and name."""

    id: str
    name: str


class PlaceBrief(Shaped):
    """A place that one may begin in: its open text in a sentence, and the places that ways lead to, by ID."""

    id: str
    name: str
    about: str = ""
    ways_to: tuple[str, ...] = ()


class PersonBrief(Shaped):
    """Somebody for the cast, and how many things they could tell or keep back. Of a group (`speaks_for`) the scenario
    makes a member of its own."""

    id: str
    name: str
    about: str = ""
    knows: int = 0
    withholds: int = 0
    speaks_for: bool = False


class ScenarioContext(Shaped):
    """What the prompt `scenario_generator` is filled in with. Nothing of it is secret: what comes of it is read by
    players. `stable` is what another brief leaves as it is."""

    stable: ClassVar[tuple[str, ...]] = ("ruleset", "packs", "places", "people")

    ruleset: RulesetBrief
    packs: tuple[PackBrief, ...]
    brief: str = ""
    places: tuple[PlaceBrief, ...]
    people: tuple[PersonBrief, ...]
    cast_wanted: int = Field(ge=2)


Line = Annotated[str, Field(min_length=1, max_length=_LINE, pattern=r"\S")]


class OutlinedThread(Shaped):
    """An open question, and the IDs of whom and what it is about."""

    title: Line
    stakes: str = Field(default="", max_length=_PARAGRAPH)
    about: tuple[str, ...] = Field(default=(), max_length=6)


class OutlinedClock(Shaped):
    """What runs out, by a name of one or two words, and the sentence that is told when it has."""

    name: str = Field(min_length=1, max_length=40, pattern=r"\S")
    when_full: str = Field(default="", max_length=_PARAGRAPH)


class Outline(Shaped):
    """A scenario in its bare bones. `location_id` is where it begins; `cast` are IDs of people, the most important
    first: who has what is wanted, who knows the way to it, who is waiting for it; `goals` are what the cast (and
    `player`) are after, by ID."""

    title: str = Field(min_length=1, max_length=80, pattern=r"\S")
    summary: str = Field(min_length=1, max_length=_PARAGRAPH, pattern=r"\S")
    tone: str = Field(default="", max_length=_LINE)
    stakes: str = Field(default="", max_length=_PARAGRAPH)
    location_id: str
    cast: tuple[str, ...] = Field(min_length=2, max_length=6)
    goals: dict[str, Line] = Field(default_factory=dict, max_length=8)
    threads: tuple[OutlinedThread, ...] = Field(default=(), max_length=3)
    clock: OutlinedClock
    opening: str = Field(min_length=1, max_length=_OPENING, pattern=r"\S")


# The texts of an errand: title, opening, hints, endings, each one of several wordings.

TONES = (
    *("quiet and watchful", "dry and quick", "warm, a little worn", "cool and exact", "uneasy, with good manners"),
    *("plain and unhurried", "wry", "tired and kind"),
)


@dataclass(frozen=True, slots=True)
class Pressing:
    """A deadline: its name, what the opening says of it, what is told when it has passed."""

    name: str
    said: str
    full: str


_PRESSING = (
    Pressing("Time", "Every way there and back takes some of what time there is.", "The time for it is over."),
    Pressing("Patience", "Nobody waits for ever, and the waiting has begun.", "Nobody is waiting any more."),
    Pressing("Talk", "Wherever you go, somebody sees you go there.", "By now everybody has heard who asks for what."),
    Pressing("Interest", "Somebody else has heard of it, and is not slow.", "Somebody else has been quicker."),
)


@dataclass(frozen=True, slots=True)
class ErrandWords:
    """The words of one errand on one stage; `names` are of places, by ID."""

    errand: Errand
    stage: ScenarioPlaces
    names: Mapping[str, str]
    lot: Lot

    @property
    def pressing(self) -> Pressing:
        """Return the deadline."""
        return self.lot.pick("pressing", _PRESSING)

    @property
    def title(self) -> str:
        """Return the scenario's name."""
        e = self.errand
        titles = [f"What {e.holder.name} Keeps", f"{titled(e.wanted.name)}", f"Through {e.helper.name}"]
        titles += [f"{titled(e.wanted.name)} for {e.taker.name}"] if e.taker else []
        titles += [f"{titled(e.wanted.name)}, {titled(self.place(e.goal_place))}"] if not e.taker else []
        return self.lot.pick("title", titles)

    @property
    def tone(self) -> str:
        """Return how it is told."""
        return self.lot.pick("tone", TONES)

    @property
    def summary(self) -> str:
        """Return what it is about, for a user who chooses a scenario."""
        e = self.errand
        wants = f"{e.taker.name} wants it" if e.taker else f"It belongs in {self.place(e.goal_place)}"
        at = self.place(self.stage.at[e.holder.key])
        return f"{capital(e.wanted.the)} is with {self.who(e.holder)} at {at}. {wants}. {self.pressing.said}"

    @property
    def stakes(self) -> str:
        """Return what is lost where it fails."""
        e = self.errand
        return self.lot.pick(
            "stakes",
            (
                f"If {e.wanted.the} stays where it is, the wrong people will go by it.",
                f"Without {e.wanted.the} nothing can be shown, and what cannot be shown did not happen.",
                f"The one who has {e.wanted.the} in the end has the last word.",
            ),
        )

    @property
    def aim(self) -> str:
        """Return the player's goal."""
        e = self.errand
        if e.taker is None:
            return f"Get {e.wanted.the} from {e.holder.name} and bring it to {self.place(e.goal_place)}."
        told = ", with what there is to tell about it," if e.aim == "testify" else ""
        to = f"{e.taker.name} at {self.place(e.goal_place)}"
        return f"Get {e.wanted.the} from {e.holder.name} and bring it{told} to {to}."

    @property
    def opening(self) -> str:
        """Return the first narration: what is wanted, who has it, what presses, where the player is."""
        e, start = self.errand, self.place(self.stage.start)
        holds = (
            f"{capital(self.who(e.holder))} has {e.wanted.the}, and keeps to {self.place(self.stage.at[e.holder.key])}."
        )
        if e.taker is None:
            asked = f"It belongs in {self.place(e.goal_place)}, and you have said that you will bring it there."
        else:
            wants = self.lot.pick("wants", ("is waiting for it", "needs it", "has asked you for it"))
            asked = f"{capital(self.who(e.taker))} {wants}, at {self.place(e.goal_place)}."
        if e.aim == "testify":
            asked += " A thing alone proves little: you are to hear what goes with it."
        helped = self.lot.pick(
            "helped",
            (
                f"Nobody gets anything out of {e.holder.name} without {e.helper.name}, it is said.",
                f"They say that {e.helper.name} knows how to deal with {e.holder.name}.",
                f"Ask {e.helper.name} first, you were told.",
            ),
        )
        begins = self.lot.pick("begins", (f"You begin at {start}.", f"You are at {start}.", f"It begins at {start}."))
        return f"{begins} {holds} {asked} {helped} {self.pressing.said}"

    @property
    def question(self) -> str:
        """Return the thread's title."""
        e = self.errand
        where = f"reach {e.taker.name}" if e.taker else f"come to {within(self.place(e.goal_place))}"
        return f"Will {e.wanted.the} {where}?"

    @property
    def hint(self) -> str:
        """Return what the holder says to somebody whom they do not yet give it to."""
        e, name = self.errand, self.errand.holder.name
        where = self.place(self.stage.at[e.helper.key])
        match e.gate:
            case "token":
                wanted = f"{name} would part with {e.wanted.the} for {e.token.the}, and for nothing else."
                return f"{wanted} {e.helper.name} had it last, at {where}."
            case "word":
                subject = e.clue.words if e.clue else ""
                wanted = f"{name} gives {e.wanted.the} to nobody who has not heard what {e.helper.name} says about"
                return f"{wanted} {subject}. That can be asked at {where}."
            case "find":
                hidden = f"There is something to be found at {self.place(e.clue_place or self.stage.start)}"
                return f"{name} shrugs. {hidden}, and who has not looked there knows too little for {e.wanted.the}."
            case "vouch":
                vouching = f"{name} does not know you. {e.helper.name} at {where} might say a good word"
                return f"{vouching}, and then one could speak about {e.wanted.the}."

    @property
    def opened(self) -> str:
        """Return what is told when the holder gives it up."""
        e = self.errand
        return self.lot.pick(
            "opened",
            (
                f"{e.holder.name} looks past you once, to both sides, and then {e.wanted.the} is in your hand.",
                f"{e.holder.name} holds {e.wanted.the} a moment longer than is needed, and lets go.",
                f"{e.holder.name} says that it never was here, and by then {e.wanted.the} is in your hand.",
            ),
        )

    @property
    def vouched(self) -> str:
        """Return what the helper says when they vouch for the player."""
        e = self.errand
        return (
            f"{e.helper.name} thinks about it. {e.holder.name} will be told to expect you, and that you are all right."
        )

    @property
    def lent(self) -> str:
        """Return what is told when the helper hands over the token."""
        e = self.errand
        return self.lot.pick(
            "lent",
            (
                f"{e.helper.name} has no use for {e.token.the}, and gives it to you without asking what yours is.",
                f"{e.helper.name} turns {e.token.the} over once more and gives it to you.",
            ),
        )

    @property
    def done(self) -> str:
        """Return the good ending."""
        e = self.errand
        got = f"{e.holder.name} gave it up {self._way_past}"
        if e.taker is None:
            put = f"At {self.place(e.goal_place)} you put {e.wanted.the} where it belongs."
            return f"{put} {got}, and you brought it all the way. It is done."
        told = "hears you out, and " if e.aim == "testify" else ""
        taken = f"{e.taker.name} {told}takes {e.wanted.the} in both hands."
        proof = " What goes with it you have told, too." if e.aim == "testify" else ""
        return f"{taken} {got}, and you brought it to {self.place(e.goal_place)}.{proof} It is done."

    @property
    def _way_past(self) -> str:
        """Return what the holder gave it up for, within a sentence."""
        e = self.errand
        match e.gate:
            case "token":
                return f"for {e.token.the}, which {e.helper.name} let you have"
            case "word":
                return f"once you had heard what {e.helper.name} says about {e.clue.words if e.clue else 'it'}"
            case "find":
                return f"after what you found at {self.place(e.clue_place or self.stage.start)}"
            case "vouch":
                return f"on the good word of {e.helper.name}"

    @property
    def elsewhere(self) -> str:
        """Return the ending where somebody else was given it."""
        e = self.errand
        rival, waiting = e.rival.name if e.rival else "", e.taker.name if e.taker else "somebody"
        sold = f"{rival} puts {e.wanted.the} away without looking at it, as one does with what one has paid for."
        return f"{sold} {waiting} will hear of it, though not from you."

    @property
    def too_late(self) -> str:
        """Return the ending where the deadline has passed."""
        e = self.errand
        left = f"{e.taker.name} has gone" if e.taker else f"{capital(within(self.place(e.goal_place)))} is shut"
        return f"{self.pressing.full} {left}, and {e.wanted.the} is one more thing that did not get anywhere."

    def place(self, place_id: str) -> str:
        """Return a place's name within a sentence."""
        return within(self.names[place_id])

    def who(self, speaker: Speaker) -> str:
        """Return a speaker's name, with the group that they speak for."""
        return f"{speaker.name}, who speaks for {within(speaker.speaks_for)}," if speaker.speaks_for else speaker.name

    def remembered(self) -> dict[str, str]:
        """Return what each of those concerned remembers when it begins, by key; the player's by `player`."""
        e = self.errand
        holds = f"{e.holder.name} has {e.wanted.the}, at {self.place(self.stage.at[e.holder.key])}."
        found = {
            "player": holds,
            e.helper.key: f"{holds} It takes something to get it from there.",
            e.holder.key: f"{e.wanted.the} is not to be given to the first who asks.",
        }
        if e.taker is not None:
            found[e.taker.key] = f"Somebody is to bring {e.wanted.the} from {e.holder.name}."
        if e.rival is not None:
            found[e.rival.key] = f"{capital(e.wanted.the)} will come by, and would be worth something."
        return {key: capital(text) for key, text in found.items()}

    def after(self) -> dict[str, str]:
        """Return the goal of each of those concerned, by key."""
        e = self.errand
        found = {
            "player": self.aim,
            e.holder.key: f"Not to part with {e.wanted.the} without a reason.",
            e.helper.key: f"To be rid of {e.token.the}, and to stay out of it otherwise.",
        }
        if e.taker is not None:
            found[e.taker.key] = f"To have {e.wanted.the} before it is too late."
        if e.rival is not None:
            found[e.rival.key] = f"To have {e.wanted.the} before {e.taker.name if e.taker else 'anybody'} does."
        return found


def capital(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def titled(name: str) -> str:
    """Return a name as it stands in a title: `The Tin Box` for `tin box`."""
    small = {"of", "the", "a", "an", "in", "on", "for", "and", "to"}
    words = within(name).split()
    return " ".join(capital(word) if n == 0 or word not in small else word for n, word in enumerate(words))
