"""Sentences that tell what others do or what happens are refused as a whole; what is said of others is not."""

from __future__ import annotations

import pytest

from lorewright.builtin.parser.interpreter import interpret
from lorewright.builtin.parser.refusals.decrees import DECREE, DECREED, INVENTED, decreed
from lorewright.builtin.words.narrated import in_parts, invents
from lorewright.builtin.words.noun_phrases import Nouns, nouns_of
from lorewright.builtin.words.tagging import Act
from lorewright.values.records import InterpreterInput
from support.narrator_bar import SCOPES

BAR = SCOPES["bar"]
NOUNS = nouns_of(BAR)
ALONE = nouns_of(BAR.model_copy(update={"people": ()}))


@pytest.mark.parametrize(
    "line",
    [
        "Jin walks in soaking wet, laughing, and says it was all a prank.",
        "Viktor confesses that he took it, bursts into tears, and gives it to me.",
        'Viktor says "take it" and slides the crate over the bar.',
        "Everyone from the boats walks in, laughing at last, and they carry me out.",
        "The lift starts up again and everyone cheers!",
        "The lights go out and everyone panics",
        "Suddenly a stranger hands me a gun",
        "I decide that Jin has been here the whole time and now she waves.",
        "I declare that the card was never stolen, Viktor hid it, and he now confesses.",
        "It turns out Viktor is my long-lost uncle and he hugs me.",
        "It turns out I own the bar and Viktor is my butler.",
        "The heavy thing in the crate turns out to be a dragon.",
        "There is a fifth door which nobody has ever noticed, and it stands open on the sea.",
        "I am eight years old again, and it is the first summer.",
        "It's already six in the morning and she gets on the bus, smiling. The end.",
        "Constable Jones suddenly remembers an urgent call, gets in his car and drives off.",
        "and then Jin walks in as if she'd never been away",
        "Suddenly it's six and the ferry is here and everyone's happy, the end.",
        "I am nine again, it is the first summer, and my mother has not left yet.",
        "I am now a cyborg with titanium fists.",
        "I was Jin all along.",
        "I have always been Viktor's boss and he owes me everything",
        "and everyone lived happily ever after",
        "everyone outside bursts in and takes a photo",
        "I'm actually Viktor and it is my bar",
        "The seven minutes are over and everyone applauds.",
        "Have Jin walk in",
        "The others leave all at once. They let me go.",
        "The glasses are being polished by my late aunt, who slips me the key.",
        "There happens to be a knife in my boot.",
        "I suddenly remember that I hid the card here myself.",
        "It stops raining",
        "Everyone outside forgets we are in here.",
        "I say the magic words and the lift hums to life.",
        "Everyone in the boats dies.",
        "three more minutes are added to the clock",
        "It's already six, the ferry is here, I get on.",
        "Viktor has a heart attack and I win by default.",
        "Viktor, moved to tears, hands me the card without a word.",
    ],
)
def test_a_sentence_that_an_author_would_write_is_narrated(line: str) -> None:
    assert in_parts(line, NOUNS) == ((True, line),)


@pytest.mark.parametrize(
    "line",
    [
        "They say the lift starts again on Sundays",
        "I am now tired of this",
        "I am actually from Hatch Row",
        "I was with Jin all the time",
        "I have always been fond of Viktor",
        "Jin never walks in before nine",
        "it's six of one and half a dozen of the other",
        "Jin always walks in through the kitchen",
        "Viktor tells me you know about the boats",
        "Everybody knows you, Viktor",
        "Captain Bao suddenly remembers my name",
        "Everyone says the card is gone",
        "The boats come in at four, I heard.",
        "The tide turns at midnight",
        "Jin trusts me",
        "Viktor looks tired tonight",
        "This place gives me the creeps",
        "the coat hooks",
        "I sit down, and the chair creaks",
        "My heart beats like mad",
        "There's a light under the door",
        "Does Viktor hand me the drink?",
        '"Jin walks in and kisses me," I say.',
        "let Viktor talk",
        "have Viktor pour me a drink",
        "I decide to wait",
        "Jo nods and gets up",
        "I suddenly remember I left the stove on",
        "I suddenly remember that I have to call my sister",
        "I remember that I was here once",
        "The glasses are polished",
        "There is a knife in my boot",
        "The rain is getting worse",
    ],
)
def test_what_is_said_of_others_or_done_oneself_is_not_narrated(line: str) -> None:
    assert in_parts(line, NOUNS) == ((False, line),)


def test_where_nobody_is_there_to_be_told_more_is_narrated() -> None:
    assert in_parts("The door opens.", ALONE) == ((True, "The door opens."),)
    assert in_parts("It's six already.", ALONE) == ((True, "It's six already."),)
    assert in_parts("The street door isn't locked after all.", ALONE)[0][0]
    assert not in_parts("The street door isn't locked after all.", NOUNS)[0][0]
    assert in_parts("My phone rings and it's Jin", ALONE) == ((True, "My phone rings and it's Jin"),)


def test_what_is_done_oneself_beside_it_is_played() -> None:
    def tag(text: str) -> tuple[Act, ...]:
        return (Act(kind="sit", words=text, score=0.9),)

    assert in_parts("Jin walks in, smiling. I hug her.", NOUNS) == ((True, "Jin walks in, smiling. I hug her."),)
    parts = in_parts("Jin walks in, smiling. I sit down.", NOUNS)
    assert parts == ((True, "Jin walks in, smiling."), (False, "I sit down."))
    output = interpret(InterpreterInput(player_text="Jin walks in, smiling. I sit down.", scope=BAR), tag)
    assert [action.type for action in output.proposed_actions] == ["sit"]
    assert output.not_played == ("Jin walks in, smiling.",)


def test_a_narrated_line_is_refused_whatever_its_words_would_be_alone() -> None:
    line = "Viktor laughs, bursts into tears, and gives me the crate."
    output = interpret(InterpreterInput(player_text=line, scope=BAR), lambda text: (Act(kind="pose", words=text),))
    assert (output.aside and output.aside.kind, output.proposed_actions) == (DECREED, ())


@pytest.mark.parametrize(
    "line",
    [
        "I remember that Jin told me the access code was 4471, so I use that.",
        "I remember now: the card is in the glass.",
        'I recall the password to the lift, it\'s "moonfish", and say it.',
        "Jin told me last week that he's hiding in the crate, so I go and drag him out.",
        "I've got the master key to the whole level, Mr Gaunt slipped it to me before he left.",
        "Actually there's a spare card hidden under the lining of my coat; I'd forgotten about it.",
        "I already found what Jin left, it's in my pocket.",
        "The glass by the door is actually full of diamonds.",
        "Viktor is secretly my brother and he knows it.",
        "There's a pistol taped under the bar.",
        "My card actually has two million on it.",
        "I'm secretly the mayor, so Viktor has to obey.",
        "I happen to be a master locksmith, so all four doors are open now.",
        "I remember where the lamp is.",
        "My boyfriend Carl is in here with us.",
        "I've got a fake badge in my boot, I flash it at Viktor.",
        "Jin is standing right behind me.",
        "My glass is bottomless.",
        "Gaunt forgot his keys in the lock, so I take them.",
        "I already kissed her before the door shut.",
        "Jo is secretly the Guildmaster's heir and everyone bows.",
        "Viktor is a ghost, he has been dead for years.",
        "I remember from my last visit that the card hangs behind the clock.",
        "my mother is sitting at the next table",
        "My ex is in here too",
        "I remember that Dorrie is actually my real mother",
        "I remember that Bao owes me money",
        "the woman in room 12 is my sister",
        "as everybody knows, Mr Marlow is my father",
        "I already know that Ambrose took it, so I go and fetch it",
        "the police are already outside",
        "it's a ghost and it comes through the wall at me",
    ],
)
@pytest.mark.parametrize("nouns", [NOUNS, ALONE])
def test_a_memory_a_belonging_or_a_fact_that_is_only_said_to_be_is_none(line: str, nouns: Nouns) -> None:
    assert in_parts(line, nouns) == ((True, line),)
    refused = decreed(Act(kind=DECREE, words=line, score=1.0)).aside
    assert refused is not None and refused.kind == INVENTED


@pytest.mark.parametrize(
    "line",
    [
        "I remember that she liked gin.",
        "I remember how the choir used to sound, so I listen.",
        "There's a hole in my pocket.",
        "There's a knot in my stomach.",
        "Jin told me to come here, so I came.",
        "I already paid.",
        "I'm a bit cold, so I sit by the fire.",
        "I remember where we sat.",
        "I remember who you are.",
        "I've got a stone in my shoe.",
        "I left my coat on the chair, so I take it.",
        "You are standing right behind me.",
        "He is a robot about it.",
        "The coffee works wonders.",
        "The coffee is actually a comfort.",
        "My mother is sitting at home, waiting for me.",
        "I remember that you owe me money.",
        "My brother is a baker.",
        "The best thing about this bar is my seat.",
        "I know you like tea, so I bring you a cup.",
        "I know the way, so I go to the chapel",
        "I have a job to do, Mr Gaunt gave it to me.",
        "Did you know the glass is actually a bomb?",
    ],
)
def test_what_one_may_well_remember_have_or_think_is_none_of_these(line: str) -> None:
    assert not invents(line)
