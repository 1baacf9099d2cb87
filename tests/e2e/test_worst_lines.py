"""Lines that players typed and that went worst, in the scenarios that ship: what each is understood as now."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lorewright.bootstrap import App, open_app
from lorewright.lore_bootstrap import make_workspace
from support.copied_workspaces import copied_workspace

pytestmark = pytest.mark.campaign

# What an answer never is: a menu of what is here, or a sentence that says no more than that it was not understood.
_MENUS = ("did not catch", "persuade Captain Bao, 2", "attack Mira, 2")
STRANGERS = ("Teodora Wick", "Abel Nance", "Agent Chen")


@dataclass(frozen=True, slots=True)
class Line:
    """A line, those typed before it, and what must hold of its answer: how it is read (types of actions in order, or an
    aside's kind, where it is fixed), who is spoken to, whether it may be asked back about, what is not said and not
    rolled."""

    text: str
    before: tuple[str, ...] = ()
    scenario: str = "dead_drop"
    acts: tuple[str, ...] | None = None
    aside: str = ""
    to: str = ""
    goes_to: str = ""
    topic: str = ""
    may_ask: bool = False
    says: str = ""
    never: tuple[str, ...] = ()
    is_rolled: bool | None = None
    fails: str = ""


LINES = (
    # What was served, shown or given away is meant by `it`, and never the one thing in hand.
    Line("drink it", before=("order a beer",), acts=("attempt",), never=("credstick",)),
    Line("give it to lund", before=("order a beer",), acts=("attempt",), never=("credstick",)),
    Line("eat noodles", before=("order noodles",), acts=("attempt",), never=("no noodles",)),
    Line("take it", before=("x bucket",), acts=("attempt",), never=("credstick",)),
    Line("read it", before=("x sign",), acts=("look",), never=("credstick",)),
    Line("take it back", before=("give credstick to bao",), to="bao", never=("/undo",)),
    Line("take credstick from bao", before=("give credstick to bao",), to="bao", never=("no credstick",)),
    Line("get it", before=("drop credstick",), acts=("take",)),
    # What hangs on an act before it, as that decides: where a search finds something, nothing hangs on its failure.
    Line(
        "search the mat and if there is nothing go upstairs",
        scenario="locked_house",
        acts=("search", "go"),
        goes_to="landing",
    ),
    Line(
        "search the hat stand, if I don't find anything go upstairs",
        scenario="locked_house",
        acts=("search", "go"),
        says="visiting card",
        goes_to="hall",
    ),
    Line(
        "try the study door, and if it's locked go upstairs",
        scenario="locked_house",
        acts=("open", "go"),
        goes_to="landing",
    ),
    Line(
        "tiptoe over to the music room, peek through the keyhole, and if it looks safe go in",
        scenario="locked_house",
        acts=("look", "go"),
        goes_to="hall",
    ),
    Line("go to the kitchen and go in", scenario="locked_house", goes_to="kitchen"),
    # The twenty worst.
    Line("look behind me to see if I'm being followed", is_rolled=False),
    Line("look behind me", is_rolled=False),
    Line("knock on the door", acts=("knock",), is_rolled=False, never=STRANGERS),
    Line("thank you, you've been very kind", to="viktor", is_rolled=False),
    Line("what do I have on me?", acts=("inventory",)),
    Line(
        "what would my character know about this place?",
        aside="lore",
        never=("laundromat",),
    ),
    # What is looked for is found there or not, and what is shown of a thing is told without the rest of its sentence.
    Line("check the mat for a key", scenario="locked_house", acts=("look",), says="a key"),
    Line("look for a key under the mat", scenario="locked_house", never=("a mat, a hat",)),
    Line("look at the stair", scenario="locked_house", acts=("look",), says="fourteen steps", never=("a mat, a hat",)),
    Line("look for a way out", scenario="locked_house", aside="ways"),
    Line("get me out of here", scenario="locked_house", says="front door", never=("Which way",)),
    Line("check the register for room 12", scenario="night_desk", says="for 12 a line"),
    Line("look at the tin hen", scenario="seven_minutes", says="Teo winds the tin hen", never=("nearer than she",)),
    Line("check how much is on the credstick", acts=("look",), to="credsticks"),
    # Who is called by another word, and what by a number alone.
    Line("go see what the cop wants", scenario="night_desk", acts=("go",), goes_to="parking_lot"),
    Line("go knock on 12", scenario="night_desk", goes_to="walkway", says="You knock"),
    Line("look out of the window at the constable", scenario="night_desk", says="Constable Oakes"),
    # What happened is asked of who can tell.
    Line("what happened?", acts=("ask",), to="viktor", topic="ice"),
    Line("ask viktor what's wrong", acts=("ask",), to="viktor", topic="ice"),
    Line("what happened?", scenario="locked_house", aside="recap"),
    # Kindness needs no dice.
    Line("sit with bao", acts=("pose",), is_rolled=False, says="You sit down beside Captain Bao"),
    Line("join bao", acts=("pose",), is_rolled=False, says="Captain Bao"),
    Line("walk over and sit with lund", acts=("pose",), is_rolled=False, says="Captain Lund"),
    Line("sit next to him", before=("x lund",), acts=("pose",), is_rolled=False, says="beside Captain Lund"),
    Line("sit with the captains", acts=("pose",), is_rolled=False, says="Captain Bao"),
    Line("sit with jin", is_rolled=False, says="Jin is not here"),
    Line("sit next to marlow", scenario="lost_property", acts=("pose",), is_rolled=False, says="Mr Marlow"),
    Line("join marlow at breakfast", scenario="lost_property", acts=("pose",), is_rolled=False, says="Mr Marlow"),
    Line("sit beside her", before=("x lena",), scenario="seven_minutes", is_rolled=False, says="beside Lena"),
    Line("stand next to lena", scenario="seven_minutes", is_rolled=False, says="You stand beside Lena"),
    Line("follow lund", acts=("pose",), is_rolled=False, says="Captain Lund"),
    Line("follow mrs pell", before=("enter kitchen",), scenario="locked_house", is_rolled=False, says="Mrs Pell"),
    Line("follow the street", acts=("go",), goes_to="night_market"),
    Line("think about lund", aside="lore", is_rolled=False, says="Captain Lund"),
    Line("worry about jin", aside="lore", is_rolled=False, says="Jin"),
    Line("miss jin", aside="lore", is_rolled=False, says="Jin"),
    Line("think about the lamp", scenario="lamp_night", is_rolled=False, never=("is gone",)),
    Line("think of a plan", acts=("pose",), is_rolled=False, says="You think of a plan"),
    Line("pay viktor", acts=("give",), to="viktor"),
    Line("tip the barman", acts=("give",), to="viktor"),
    Line("pay mira", before=("go street",), acts=("give",), to="mira"),
    Line("pay marit", scenario="lamp_night", acts=("pose",), is_rolled=False, says="pay Marit"),
    Line("pay viktor for the beer", acts=("pose",), is_rolled=False, says="pay Viktor for the beer"),
    Line("pay for it", before=("order a beer",), acts=("pose",), is_rolled=False),
    Line("x captains", acts=("look", "look"), to="lund"),
    Line("watch the captains", acts=("look", "look"), to="lund"),
    Line("walk over to the captains", is_rolled=False, never=("find no captains",)),
    Line("listen to marit and penhale", scenario="lamp_night", acts=("look", "look"), to="penhale"),
    Line("eavesdrop on marit and penhale", scenario="lamp_night", acts=("look", "look"), to="penhale"),
    Line("shake hands with oakes", before=("go to lot",), scenario="night_desk", to="bram", is_rolled=False),
    Line("call the police", scenario="night_desk", acts=("pose",), is_rolled=False, never=("find no police",)),
    Line("how much do you want for it?", to="viktor", never=("much do you want",)),
    Line("order a drink", acts=("call_for",), to="viktor"),
    Line("buy bao a drink", acts=("call_for",), to="bao", never=("Wrong person",)),
    Line("invite bao for a drink", acts=("call_for",), to="bao", is_rolled=False),
    Line("compliment bao", acts=("compliment",), to="bao", never=("Compliment Bao",)),
    Line("invite lena to dance", scenario="seven_minutes", acts=("dance",)),
    Line("tell teo to turn round", scenario="seven_minutes", to="teo", is_rolled=False),
    Line("let lena out", scenario="seven_minutes", acts=("open",)),
    Line("tell ambrose marit sends her regards", ("go to chapel",), "lamp_night", to="ambrose", acts=("tell",)),
    Line("offer marit my chalk for a ride", scenario="lamp_night", to="marit", acts=("persuade",)),
    Line("don't answer him", ("go to lot",), "night_desk", acts=("hush",)),
    Line("order a whisky", acts=("call_for",), to="viktor"),
    Line("Viktor, a whisky please", acts=("call_for",), to="viktor"),
    Line(
        "I burn the letter, scatter the ashes and wash my hands",
        acts=("attempt", "attempt", "pose"),
        never=("letter scatter",),
    ),
    Line("check the time", aside="time"),
    Line("look out of the window", acts=("look",), never=("of the of", "the of the")),
    Line("I keep my head down and watch the room", acts=("pose", "look")),
    Line("say nothing and just stare at them", acts=("hush", "look"), never=("I don't know",)),
    Line(
        "I walk over to the bar, order a whisky, and ask the barman what he's heard",
        acts=("pose", "call_for", "ask"),
        to="viktor",
    ),
    Line("give me a hint", aside="hint"),
    Line("give up", aside="quit"),
    Line("undo that", aside="undo"),
    Line("save the game", aside="save"),
    Line(
        "tell them I'm looking for a friend",
        never=("the truth",),
    ),
    Line(
        "tell em im a cop lol",
        never=("the truth",),
    ),
    Line(
        "leave a chalk mark on the wall and go home",
        may_ask=True,
        never=("Which way",),
    ),
    Line(
        "Viktor, who do you owe money to?",
        before=("press Viktor about the debt",),
        never=("finds nothing", "Nothing,"),
    ),
    Line("thank Captain Bao", acts=("thank",), to="bao", is_rolled=False, never=("storm drain",)),
    Line("nod at Viktor", acts=("wave",), to="viktor", is_rolled=False),
    Line("hi Viktor", acts=("greet",), to="viktor", is_rolled=False),
    Line("bow to Captain Bao", to="bao", is_rolled=False),
    Line("goodbye Viktor", acts=("farewell",), to="viktor", is_rolled=False),
    Line("lie to Viktor about being sent by Jin", acts=("persuade",), to="viktor", never=("this one is shut",)),
    # An unknown clause kills no line.
    Line("I shake the rain off my jacket, take the free stool and nod at Viktor.", acts=("pose", "sit", "wave")),
    Line(
        "I lean on the stall and ask Mira who has a key to that door",
        before=("go street",),
        acts=("pose", "ask"),
        to="mira",
    ),
    Line("I buy Captain Bao a drink and ask her about the tide", acts=("call_for", "ask"), to="bao"),
    Line("She left me a message. Under the ice… Does that mean anything to you?", to="viktor"),
    Line("I'm a friend of Jin's. Let me look in the bin.", acts=("remark", "search")),
    Line(
        "I am sorry about the lamp. What happened, Ambrose?",
        scenario="lamp_night",
        before=("go to the flood chapel",),
        to="ambrose",
        never=("is not here",),
    ),
    Line("ok, back to the bar", before=("go street",), goes_to="neon_dragon"),
    Line(
        "I answer Bram: I never met Odile",
        scenario="night_desk",
        before=("go lot",),
        acts=("remark",),
        to="bram",
    ),
    # A conversation stays with the person.
    Line("where did she go", acts=("ask",), to="viktor"),
    Line("when was that", before=("ask Viktor about Jin",), acts=("ask",), to="viktor", topic="Jin"),
    Line("what did she look like", before=("ask Viktor about Jin",), acts=("ask",), to="viktor", topic="Jin"),
    Line("did she say anything else", before=("ask Viktor about Jin",), acts=("ask",), to="viktor", topic="Jin"),
    Line("is she in trouble?", before=("ask Viktor about Jin",), acts=("ask",), to="viktor", topic="Jin"),
    Line("who is Ottoline", before=("go street",), acts=("ask",), to="mira", topic="Ottoline"),
    # Verbs of everyday life.
    Line("knock on the kitchen door", scenario="locked_house", acts=("knock",), is_rolled=False),
    Line("knock on the door of room 12", scenario="night_desk", acts=("go", "go", "knock"), is_rolled=False),
    Line(
        "hide the passkey",
        scenario="night_desk",
        before=("take the passkey",),
        never=("Your body", "So you stay"),
    ),
    Line("make coffee", scenario="night_desk", is_rolled=False, says="coffee"),
    Line(
        "ask Ines for a plate of toast to take away",
        before=("go to the diner",),
        scenario="night_desk",
        says="under a bowl",
    ),
    Line("a beer please", before=("go to the diner",), scenario="night_desk", acts=("call_for",), to="ines"),
    Line("Where is Hallam now?", before=("go to the lot",), scenario="night_desk", acts=("ask",), to="bram"),
    Line("Who is the man in number 3?", before=("go to the lot",), scenario="night_desk", acts=("ask",), to="bram"),
    Line(
        "What are they saying about room 12 tonight?",
        before=("go to the lot",),
        scenario="night_desk",
        acts=("ask",),
        to="bram",
    ),
    Line("What are you typing?", before=("go to the lot",), scenario="night_desk", acts=("ask",), to="bram"),
    Line("I go to the lot and wait until 23:00", scenario="night_desk", acts=("go", "wait")),
    Line("buy dumplings", before=("go street",), acts=("call_for",)),
    Line("apologise to Viktor", acts=("apologise",), to="viktor"),
    Line("laugh", acts=("laugh",)),
    Line("sing", acts=("sing",)),
    Line("dance", acts=("dance",)),
    Line("pray", acts=("pose",)),
    Line("jump", acts=("pose",), is_rolled=False),
    Line("swim", is_rolled=False, says="water"),
    Line("kitchen", goes_to="back_alley"),
    Line("I go up to Hatch Row", before=("go street",), goes_to="hatch_row"),
    Line(
        "up the stairs",
        scenario="locked_house",
        goes_to="landing",
    ),
    Line(
        "stairs",
        scenario="locked_house",
        goes_to="landing",
    ),
    # What the prose shows exists.
    Line("show Viktor my handset", never=("There is no",)),
    Line(
        "play Jin's message to Viktor",
        never=("There is no", "your eyes"),
        says="under the ice, before the tide",
    ),
    Line("take the hat", scenario="locked_house", never=("There is no “",)),
    Line("examine the hat", scenario="locked_house", acts=("look",), says="hat"),
    Line("x glass", acts=("look",), says="glass"),
    Line("read the note", never=("You would have to know",)),
    Line("examine my gun", never=("You would have to know",)),
    # Names.
    Line("I wave to Constable Oakes", scenario="night_desk", never=("Bram",)),
    Line(
        "go back inside",
        scenario="night_desk",
        before=("go lot",),
        goes_to="office",
    ),
    Line("I ask the clerk about the lease", never=STRANGERS),
    # Questions to nobody.
    Line("what is upstairs?", scenario="locked_house", aside="lore"),
    Line("who is Abbess Hild?", scenario="locked_house", aside="lore"),
    Line("what do I know about the Drowned Psalter?", scenario="locked_house", aside="lore"),
    Line("what have I learned about Jin so far?", aside="lore"),
    # Walking beyond a step.
    Line("back to the bar", before=("go kitchen", "go to the laundromat"), goes_to="neon_dragon"),
    Line("back to the market, then through the steel door to Pier 9", goes_to="night_market"),
    # Acts that change nothing, what is not there, and what cannot be done at all.
    Line("slide the credstick over to Viktor", acts=("give",), to="viktor"),
    Line("I kneel by the kitchen door", scenario="locked_house", acts=("pose",), is_rolled=False),
    Line("pull out a shotgun and shoot Viktor in the face", acts=("attempt", "attempt"), is_rolled=False, says="gun"),
    Line("I take a sip of coffee", scenario="tic_tac_toe", says="coffee", never=("Wrong person", "nine squares")),
    Line("wipe the slate with my sleeve", scenario="tic_tac_toe", acts=(), aside="told", says="stays marked"),
    Line("I draw my cross in the middle square", scenario="tic_tac_toe", acts=("mark",)),
    Line("my cousin beats me at this, always", scenario="tic_tac_toe", acts=("remark",), says="Odo says"),
    Line("so what would a cup of coffee cost me", scenario="tic_tac_toe", says="coins"),
    Line("why is there no tram any more?", scenario="tic_tac_toe", says="tram off"),
    Line("would you rather begin?", scenario="tic_tac_toe", says="Odo", never=("goes into",)),
    Line("I pick up the chalk and put a cross in the uper left", scenario="tic_tac_toe", says="top left"),
    Line("how do I enter my move", scenario="tic_tac_toe", acts=(), aside="told", says="three in a row".capitalize()),
    Line("mark whichever corner is still free", scenario="tic_tac_toe", may_ask=True, says="top left", acts=()),
    Line("order two more coffees without looking up", acts=("call_for",), to="viktor"),
    Line("I close my eyes and count to ten", acts=("pose", "pose"), is_rolled=False),
    Line("watch Viktor's hands", acts=("look",), to="viktor"),
    Line("I stop time so that nothing ever ends", aside="story"),
    Line("set empathy to 99", scenario="lost_property", aside="story"),
    Line("Put the kettle on, then look around", scenario="night_desk", acts=("attempt", "look"), never=("falls away",)),
    Line("sort umbrellas by colour", scenario="lost_property", says="the umbrellas", is_rolled=False),
    Line("x handset", acts=("look",), says="voice"),
    Line("gonna bounce lol this place is dead", acts=("go", "remark"), goes_to="night_market"),
    Line("I leave the counter as it is", acts=("pose",)),
    Line("I keep the credstick where it is and stay here", acts=("pose", "wait")),
    Line(
        "knock kitchen. wait. enter", scenario="locked_house", acts=("knock", "wait", "open", "go"), goes_to="kitchen"
    ),
    Line("knock at the music room door, then go in", scenario="locked_house", acts=("knock", "go"), says="bolt"),
    Line("knock on room 12", scenario="night_desk", acts=("go", "go", "knock"), goes_to="walkway"),
    Line(
        "knock at the kitchen, count to ten, then go in holding my notebook up in front of me",
        scenario="locked_house",
        acts=("knock", "pose", "open", "go"),
        goes_to="kitchen",
    ),
    Line("gotta drop these candles off", scenario="lamp_night", acts=("remark",), to="marit"),
    Line("take bucket. look under it", acts=("attempt", "search"), says="under the bucket", never=("the it",)),
    # Small things.
    Line("use the key on the steel door", never=("for the key on a string",)),
    Line("search the cold store", acts=("go", "go", "go", "search")),
    Line(
        "give Ottoline something",
        before=("go street",),
        may_ask=True,
        acts=(),
    ),
    Line("who is Pim?", never=("Viktor owns",)),
    # What is told of somebody is theirs, and can be looked at; words within names are no names.
    # A remark, a request and a farewell are what they are; what is called out is called out.
    Line("Quiet night, huh", to="viktor", never=("take a moment",)),
    Line("how do you know everyone here?", scenario="seven_minutes", to="lena"),
    Line("where's the lamp?", scenario="lamp_night", never=("Take the duckboards", "you can go")),
    Line(
        "I've got tapers for Ambrose. Where can I find him?", scenario="lamp_night", to="marit", never=("Penhale is",)
    ),
    Line("could you take me to Ambrose please?", scenario="lamp_night", goes_to="flood_chapel"),
    Line("could I have some tea please", scenario="lost_property", to="dorrie", says="Some tea?"),
    Line("Goodnight, Dorrie. Drive carefully!", scenario="night_desk", goes_to="office"),
    Line(
        '"I\'m only here to count the locks."',
        scenario="locked_house",
        never=("say it to yourself", "Mr Gaunt lets you"),
    ),
    Line(
        "say excuse me", before=("knock on the kitchen door",), scenario="locked_house", never=("say it to yourself",)
    ),
    Line("x ring", scenario="seven_minutes", acts=("look",), says="ring", never=("find no ring",)),
    Line("x his hat", before=("go to the lot",), scenario="night_desk", acts=("look",), says="hat", never=("no hat",)),
    Line("read penhale's book", scenario="lamp_night", acts=("look",), says="small book", never=("find no book",)),
    Line("x tap", scenario="lost_property", acts=("look",), says="mixer"),
    Line(
        "take his hat", before=("go to the lot",), scenario="night_desk", is_rolled=False, never=("You take his hat",)
    ),
    Line("x the wooden heron", scenario="night_desk", acts=("look",), says="wooden heron"),
    Line("take the key", scenario="night_desk", acts=("take",), says="passkey"),
    Line("look at the car", before=("go to the lot",), scenario="night_desk", says="Four cars", never=("Cold Ash",)),
    # By nose, and what is written.
    Line("smell the coat", scenario="lost_property", acts=("look",), never=("with your eyes",)),
    Line("smell", scenario="locked_house", acts=("look",), says="floor polish", never=("Ways on",)),
    Line("look for room 12 in the register", scenario="night_desk", acts=("look",), says="the register has names"),
    Line("open the register", scenario="night_desk", acts=("look",), says="the register has names"),
    Line("x initials", before=("look under the door",), scenario="seven_minutes", never=("not much to read",)),
    Line("open hat box", scenario="lost_property", acts=("open",), never=("handle",)),
    Line("check my handset", acts=("look",), says="six words"),
    Line("time", aside="time"),
    # Who stands there.
    Line("who is that man?", scenario="lamp_night", acts=("ask",), says="Penhale"),
    Line("who is Mr Penhale?", scenario="lamp_night", acts=("ask",), never=("couldn't say", "don't know")),
    Line("go through the street door", acts=("go",), goes_to="night_market"),
    Line("open the street door", may_ask=True, acts=()),
    Line("move closer to lena", scenario="seven_minutes", never=("You open the door",)),
    Line("force the study lock", scenario="locked_house", acts=("attempt",), to="study_door", never=("of brass",)),
    Line("pick the study lock", scenario="locked_house", acts=("attempt",), to="study_door", never=("of brass",)),
    Line("who is in the music room?", scenario="locked_house", acts=(), says="something heavy"),
    Line("what is in the attic?", scenario="locked_house", acts=(), never=("You find",)),
    Line("leave", scenario="tic_tac_toe", acts=(), says="You keep your chair"),
    Line("let's go", scenario="tic_tac_toe", acts=(), says="You keep your chair"),
    Line("inventory", scenario="tic_tac_toe", acts=("inventory",), never=("nine squares",)),
    Line("how do I win", scenario="tic_tac_toe", acts=(), says="Three in a row win"),
    # What is put away, put down, worn, and left to whom it belongs.
    Line("put credstick in pocket", acts=("pose",)),
    Line("put credstick into coat", acts=("pose",)),
    Line("put credstick in bucket", acts=("drop",), says="You put credstick in bucket"),
    Line("put notebook under mat", scenario="locked_house", acts=("drop",), says="You put notebook under mat"),
    Line("drop the credstick", acts=("drop",)),
    Line("wear coat", scenario="lost_property", acts=("take", "use"), never=("Whatever the grey coat",)),
    Line("wear the coat", scenario="lost_property", before=("take coat",), acts=("use",), never=("Whatever",)),
    Line("hide the passkey", scenario="night_desk", acts=("take",)),
    Line(
        "take the key from mrs pell",
        scenario="locked_house",
        before=("enter kitchen",),
        acts=("attempt",),
        is_rolled=False,
        says="the key",
        never=("put everything back", "closer look"),
    ),
    Line("eat a biscuit", scenario="seven_minutes", before=("search shelf",), acts=("pose",), says="You eat a biscuit"),
    # What cannot be is refused for what it is, and the game answers for itself.
    Line(
        "rewind the hen so we have ten more minutes", scenario="seven_minutes", aside="story", says="cannot be stopped"
    ),
    Line("I'm a wizard so I just make light", scenario="lamp_night", aside="story", says="no magic"),
    Line("travel back to when I was eight", scenario="lost_property", aside="story", says="cannot be stopped"),
    Line("my mother is sitting at the next table", scenario="lost_property", aside="invented"),
    Line("roll perception", scenario="lost_property", aside="rolling", says="Perception (yours is +4)"),
    Line("who's who", scenario="lost_property", aside="cast", says="Mr Marlow"),
    Line(
        "How long is one turn? Is looking around free?", scenario="lamp_night", aside="rules", says="takes 10 minutes"
    ),
    Line(
        "what happens when comfort gets to 5?", scenario="seven_minutes", aside="clocks", says="nobody tells beforehand"
    ),
    Line("Can I play against another person instead of Odo?", scenario="tic_tac_toe", says="one person plays"),
    Line("mark the square outside the board", scenario="tic_tac_toe", says="There is no such square"),
    Line(
        "give me a hint, what am I supposed to do in here?",
        scenario="locked_house",
        aside="hint",
        says="List the locks",
    ),
    Line("I say to myself, three rules, how hard can it be", scenario="night_desk", aside="mused"),
    # What is carried is taken to whom it is for, and somebody with a boat takes one to whom one wants to see.
    Line("take the tapers to Ambrose", scenario="lamp_night", acts=("go", "give"), to="ambrose"),
    Line("drop these off with Ambrose first", scenario="lamp_night", acts=("go", "give"), to="ambrose"),
    Line("could you take me to Ambrose?", scenario="lamp_night", goes_to="flood_chapel"),
    # A place that was asked about is where one goes then.
    Line("ask Marit where the chapel is, then go there", scenario="lamp_night", goes_to="flood_chapel"),
    # What hangs on what can be seen from here is done.
    Line("if Oakes is still there, go and ask him about room 12", scenario="night_desk", acts=("go", "ask"), to="bram"),
    Line("if Viktor isn't busy, ask him about the ice", acts=("ask",), to="viktor"),
    Line("call Jin, and if she doesn't answer, go out to the street", goes_to="night_market"),
    # Each of them is tried by itself.
    Line("try all four doors one after the other", scenario="locked_house", acts=("open",) * 4, says="study"),
    Line("check which doors are locked", scenario="locked_house", aside="ways"),
    Line("look behind me to check nobody followed me in", never=("still you", "all there")),
    Line("order a whiskey, drink it, ask about pier 9", acts=("call_for", "ask"), to="viktor", never=("credstick",)),
    Line("order a beer and take it over to Bao", acts=("call_for",), to="bao", never=("picking up",)),
    Line(
        "check the hat for a name, hang it back up, then go to the kitchen",
        scenario="locked_house",
        goes_to="kitchen",
        never=("the name back",),
    ),
    Line("go over and put the umbrellas back in order", scenario="lost_property", never=("Office",)),
    Line("knock on the study door, then give up and go to the kitchen", scenario="locked_house", goes_to="kitchen"),
    Line("look at the study door and then try it", scenario="locked_house", never=("Attic",)),
    Line("start with the lock on the front door", scenario="locked_house", acts=("look",)),
    # What is asked for in the form of a question whether one may have it is asked for.
    Line("ask Mr Marlow if I could have the salt", scenario="lost_property", to="marlow", never=("tempted",)),
    Line("ask Viktor if I can have a gin", acts=("call_for",), to="viktor"),
    Line("Whiskey, no ice.", acts=("call_for",), to="viktor"),
    # What others are made to do is refused and not done oneself; so is what is nothing without a thing that is lacked.
    Line("I force Mr Marlow to go to the counter and fetch the box", scenario="lost_property", aside="decreed"),
    Line("I make Odo put his mark in the corner and lose", scenario="tic_tac_toe", aside="decreed"),
    Line("I get Marit to fall in love with me", scenario="lamp_night", aside="decreed"),
    Line("rewind to this afternoon", scenario="night_desk", aside="story"),
    Line("I go home to bed", scenario="night_desk", may_ask=True, never=("You go home",)),
    Line("I hug my mother, who is sitting next to the window", scenario="lost_property", never=("Who is sitting",)),
    Line("I take the escalator back up", scenario="lamp_night", never=("six years ago",)),
    # What is asked of the game is told of its clocks.
    Line("is there a time limit?", scenario="lamp_night", says="Nine o'clock (0 of 12) counts to 21:00"),
    Line("is there a time limit?", scenario="seven_minutes", says="Minutes left (7 of 7)"),
    Line("let more people join", scenario="lamp_night", aside="company_at_table"),
    Line("who are you, the computer?", scenario="night_desk", aside="machine"),
    # Who takes a photo takes no thing.
    Line("I take a photo of the box", scenario="lost_property", acts=("attempt",), says="no camera"),
    Line("can I skip this scene", scenario="seven_minutes", says="Nothing is skipped"),
)


@pytest.fixture
def begun(request: pytest.FixtureRequest, tmp_path: Path) -> App:
    line: Line = request.getfixturevalue("line")

    def make(root: Path) -> None:
        make_workspace(root)
        open_app(root).campaigns.new(line.scenario, campaign_id="game", seed=9)

    return open_app(copied_workspace(tmp_path / "workspace", make, "worst lines", line.scenario))


def play(app: App, lines: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The last line's result, and how it was read."""
    with app.campaigns.open("game") as campaign:
        results = [json.loads(asyncio.run(campaign.submit(line))) for line in lines]
        kept = campaign.store.stage_records(results[-1]["turn_id"])
    # A walk is taken apart into its steps after it was read.
    return results[-1], [r["output"] for r in kept if r["stage"] in ("interpreter", "settle", "steps")][-1]


def _param(line: Line) -> Any:
    marks = [pytest.mark.xfail(strict=True, reason=line.fails)] if line.fails else []
    return pytest.param(line, marks=marks, id=f"{line.scenario}: {line.text}")


@pytest.mark.parametrize("line", [_param(line) for line in LINES])
def test_what_is_typed_is_understood(line: Line, begun: App) -> None:
    result, read = play(begun, (*line.before, line.text))
    acts, told = read["proposed_actions"], result["final_text"]
    if not line.may_ask:
        assert result["clarification_question"] is None
    if line.acts is not None:
        assert tuple(act["type"] for act in acts) == line.acts
    if line.aside:
        assert (read["aside"] or {}).get("kind") == line.aside
    if line.to:
        targets = [act["target_id"] for act in acts if act["target_id"]]
        assert targets
        assert all(target.endswith(f":{line.to}") for target in targets[-1:])
    if line.topic:
        assert line.topic in acts[-1]["metadata"]["topic"]
    if line.goes_to:
        with begun.campaigns.reading("game") as store:
            assert store.head().state.scene.location_id.endswith(f":{line.goes_to}")
    if line.is_rolled is not None:
        assert bool(result["rolls"]) == line.is_rolled
    assert line.says in told
    assert not [words for words in (*_MENUS, *line.never) if words in told]


def test_a_whisper_goes_to_whom_it_is_whispered(tmp_path: Path) -> None:
    def make(root: Path) -> None:
        make_workspace(root)
        open_app(root).campaigns.new("dead_drop", campaign_id="game", seed=9)

    app = open_app(copied_workspace(tmp_path / "workspace", make, "worst lines", "dead_drop"))
    with app.campaigns.open("game") as campaign:
        asyncio.run(campaign.submit("ask Viktor about Jin"))
        result = json.loads(asyncio.run(campaign.submit("are you with me?", whisper_to="neo_seattle:bao")))
        (read,) = [r["output"] for r in campaign.store.stage_records(result["turn_id"]) if r["stage"] == "interpreter"]
    assert {act["target_id"] for act in read["proposed_actions"]} == {"neo_seattle:bao"}
    assert "Viktor says" not in result["final_text"]
