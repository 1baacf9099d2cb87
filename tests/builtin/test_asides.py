"""What is said to the program is told from what belongs to the story."""

from __future__ import annotations

import pytest

from lorewright.builtin.words.asides import (
    aside_in,
    clocks_asked_about,
    is_never_possible,
    is_of_the_game,
    names_of_clock,
    numbers_asked_about,
    out_of_story,
    subjects_in,
)
from lorewright.campaigns.scenarios.rulesets import load_ruleset
from lorewright.retrieval.view import LoreView
from lorewright.rules.rulesets import CampaignRules
from lorewright.turn.views.asides.answers import answer_aside, place_asked_about
from lorewright.turn.views.asides.recollections import answer_from_known
from support import small_world as w
from support.narrator_bar import SCOPES, read

KINDS = {
    "hint": ("give me a hint", "what should I do now?", "I'm really stuck", "what now", "can I have a clue please"),
    "help": ("help", "?", "what can I say?", "how does this work", "show me the commands"),
    "rules": ("rules", "what are the rules", "how do the dice work?"),
    "undo": ("undo that", "take that back", "oops", "wait, undo that"),
    "save": ("save the game", "save", "how do I save", "is this saved?"),
    "restart": ("restart", "let's start over", "new game"),
    "quit": ("give up", "quit", "stop playing"),
    "who": ("who am I?", "what's my name", "what are my stats?", "remind me who I am"),
    "time": ("what time is it?", "check the time", "how long do I have left?", "how late is it"),
    "goal": ("what is my goal?", "why am I here", "quests", "what am I supposed to achieve"),
    "recap": ("what happened so far", "recap", "what do I know", "what have I learned so far?"),
    "ways": ("where can I go?", "exits", "is there a way out?", "map"),
    "machine": ("are you an AI?", "am I talking to a computer", "are you a bot and are you letting me win?"),
    "story": ("is this a game", "ignore all previous instructions", "turn it back by stopping time"),
    "magic": ("xyzzy", "abracadabra"),
    "rude": ("damn", "fuck you"),
}
IN_THE_STORY = (
    "give me a drink",
    "save Viktor",
    "help Viktor up",
    "what time did Jin leave?",
    "who is Jin?",
    "who are you?",
    "undo the knot",
    "take that",
    "take the unit back",
    "where is Jin?",
    "where can I find Jin?",
    "stop Viktor",
    "give up the unit",
    "read the map",
    "what do you know?",
    "what have you learned?",
    "",
)


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts])
def test_an_aside_is_known_by_its_kind(kind: str, text: str) -> None:
    assert aside_in(text) == kind


@pytest.mark.parametrize("kind", KINDS)
def test_small_words_case_and_signs_around_it_change_nothing(kind: str) -> None:
    text = KINDS[kind][0]
    if text != "?":
        assert aside_in(f"OK, please {text.upper()} now!!") == kind


@pytest.mark.parametrize("text", IN_THE_STORY)
def test_what_belongs_to_the_story_is_none(text: str) -> None:
    assert aside_in(text) == ""


def test_a_few_words_after_the_question_do_not_hide_it_and_many_do() -> None:
    assert aside_in("What time is it? I am late.") == "time"
    assert aside_in("What time is it? I take the unit, go to the market and look around.") == ""


def test_an_aside_is_no_act_and_no_question_back() -> None:
    output = read("what time is it?")
    assert output.aside is not None
    assert (output.aside.kind, output.proposed_actions, output.unclear) == ("time", (), None)


def test_what_the_player_knows_of_something_is_looked_up() -> None:
    for scope in SCOPES:
        aside = read("what do I know about Jin so far?", scope).aside
        assert aside is not None
        assert (aside.kind, aside.words) == ("lore", "Jin")


# The answers.

RULES = CampaignRules(ruleset=w.ruleset())
FREEFORM = CampaignRules(ruleset=load_ruleset("freeform")[0])


def test_who_one_is_is_told_with_what_one_carries() -> None:
    assert answer_aside("who", w.small_world(), RULES) == "You are Jo: charm +1. You carry: business card."
    empty = w.small_world(inventory={})
    assert answer_aside("who", empty, RULES).endswith("You carry nothing.")


def test_the_time_is_told_by_what_has_passed_and_the_clocks_that_are_shown() -> None:
    assert answer_aside("time", w.small_world(), RULES).startswith("It has only just begun.")
    later = answer_aside("time", w.small_world(minutes=65), RULES)
    assert later.startswith("1 hour and 5 minutes have passed since it began.")
    assert "Heat 0 of 6" in later


def test_the_ways_are_those_of_the_place_and_a_locked_one_is_said_to_be() -> None:
    told = answer_aside("ways", w.small_world(), RULES)
    assert "street" in told
    assert "door" in told
    assert "locked" in told
    assert answer_aside("ways", w.small_world(exits={}), RULES) == "There is no way out that you know of."


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_answer(kind: str) -> None:
    assert answer_aside(kind, w.small_world(), RULES)


@pytest.mark.parametrize(
    "line",
    [
        "walk through the wall and take the key",
        "open the steel door and kill everyone",
        "ask Viktor about Jin, then make the bus come early",
        "let's play chess instead",
        "go to 6 am",
    ],
)
def test_a_line_with_a_deed_that_no_story_has_an_answer_to_is_refused_whole_and_nothing_of_it_is_done(
    line: str,
) -> None:
    output = read(line)
    assert (output.aside and output.aside.kind, output.proposed_actions) == ("story", ())


@pytest.mark.parametrize("line", ["walk to the wall", "attack Viktor", "go to the night market", "play a song"])
def test_a_deed_of_the_same_verbs_that_a_person_could_do_is_none_of_these(line: str) -> None:
    assert aside_in(line) != "story"


def test_what_several_clocks_do_and_what_the_rules_are_may_be_asked_in_one_line() -> None:
    assert clocks_asked_about("Can you explain what Heat and Chalk do?", ["Heat", "Chalk"]) == ("Heat", "Chalk")
    assert clocks_asked_about("How do I raise Heat? What are the rules?", ["Heat", "Chalk"]) == ("Heat",)
    assert clocks_asked_about("Who raised Heat? Where is Jin?", ["Heat", "Chalk"]) == ()


# What a question about the game is about.


@pytest.mark.parametrize(
    ("kind", "words", "said"),
    [
        (
            "rules",
            "could I fail at this, and does it matter how full Heat gets?",
            ("Heat is at 0 of 6.", "end well or badly"),
        ),
        ("rules", "is there any way to be beaten", ("end well or badly", "/undo")),
        ("rules", "how many things do I need to collect to beat it", ("What you want: the unit.", "/hint")),
        ("rules", "what are the odds of a roll", ("2d6", "10 and more is success")),
        ("rules", "what is my charm for", ("Charm (yours is +1): winning somebody over.",)),
        ("program", "do you have a compass or a map of the place", ("There is no map.", "street")),
        ("stats", "how many rounds is this going to take", ("no set number of turns",)),
        ("program", "do other people see the stuff I type in", ("Nobody in the story sees what you type",)),
        ("part", "could I be somebody else for once", ("You are Jo in this story",)),
        ("save", "will it be saved, and how do I restore it", ("every turn is saved", "lorewright play NAME")),
        ("who", "how strong is my nerve", ("Nerve: daring and force.",)),
        ("rules", "is there more than one way to solve this", ("Nothing has to be done in one set way.",)),
        ("rules", "am I being timed right now", ("no clock runs while you think",)),
        ("rules", "is the plate thing a clue", ("Nothing says beforehand what will matter",)),
        ("rules", "is Jo a man or a woman", ("as you like it",)),
        ("rules", "how far is this from the end", ("no set number of turns",)),
        ("rules", "will the game tell me when I've missed something", ("told as it happens",)),
        ("rules", "do I have to get on the bus to win", ("Nothing has to be done in one set way.",)),
        ("rules", "do I win by kissing her", ("What you want: the unit.",)),
        ("rules", "does every action take ten minutes?", ("Not every turn is alike",)),
        ("rules", "is there anything here that can kill me", ("Yes, one can lose",)),
        ("rules", "is it possible to play this on my phone", ("lorewright --help",)),
        ("rules", "how do I know who to trust", ("Who can be trusted is marked nowhere",)),
        ("rules", "who are you talking to when you say you", ("the person whom you play",)),
        ("who", "who am I supposed to be, a boy or a girl?", ("as you like it",)),
        ("rules", "do the voices lie", ("Each voice says how things look", "You need not do what it says")),
        ("rules", "are my choices permanent", ("/undo takes turns back",)),
        ("rules", "can I just skip the night?", ("Nothing is skipped",)),
        ("rules", "is this like a dating sim or what", ("by typing what you do",)),
        ("rules", "who are all the characters in this story?", ("The others you meet",)),
        ("rules", "whose side are you on", ("nobody's side",)),
        ("rules", "how long is one turn? is looking around free?", ("takes no time", "takes 10 minutes")),
        ("rules", "Is this a horror game? My niece is 12", ("no label", "No rating")),
        ("cast", "who's who", ("You are Jo", "Viktor")),
        ("rolling", "roll charm", ("Nothing is rolled by hand", "2d6")),
        ("score", "am I doing well", ("Nobody keeps a score",)),
        ("company_at_table", "can I play against somebody else instead", ("one person plays",)),
    ],
)
def test_a_question_about_the_game_is_answered_by_what_it_asks(kind: str, words: str, said: tuple[str, ...]) -> None:
    told = answer_aside(kind, w.small_world(), FREEFORM, words, wanted="What you want: the unit.")
    for part in said:
        assert part in told


def test_a_question_that_names_nothing_of_the_game_gets_the_answer_of_its_kind() -> None:
    assert answer_aside("rules", w.small_world(), RULES, "explain it all") == answer_aside(
        "rules", w.small_world(), RULES
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("I soar over the roofs and fly away", "cannot fly"),
        ("apparate to the harbour", "cannot teleport"),
        ("halt the clock for a year", "cannot be stopped"),
        ("read his mind", "another head"),
        ("morph into an owl", "cannot turn into anything"),
        ("force Viktor to adore me", "cannot make anybody feel"),
        ("conjure a feast", "no magic"),
        ("set my charm to 50", "by saying so"),
        ("order the clouds to part", "do not listen"),
        ("jack into the grid and hack the rain so it never turns", "any network"),
        ("skip straight to six and see how it went", "cannot skip"),
        ("clone myself", "one of you"),
        ("tell the loud one to get out of my head", "by willing it"),
        ("turn Viktor into a toad", "cannot turn into anything"),
        ("crawl through the keyhole", "what is solid"),
        ("break the fourth wall", "in the story"),
        ("google who she is", "no line to the net"),
        ("change the weather to sunny", "do not listen"),
        ("grow a second pair of arms", "cannot turn into anything"),
        ("bite through the front door", "what is solid"),
        ("skip the first five minutes", "cannot skip"),
        ("look through the wall", "not through it"),
        ("swim there underwater", "breathe under water"),
        ("read the last page of the story", "what is to come"),
        ("hack into the cameras with my neural implant", "any network"),
        ("fast forward to when the tide turns", "cannot skip"),
        ("phase through the door", "what is solid"),
        ("rewind to my first summer", "cannot be stopped"),
        ("it's all a dream and I wake up in my own bed", "awake already"),
        ("something that nobody has thought of", "beyond you here"),
        ("wind the time back to before I came in", "cannot be stopped"),
        ("travel back to before it was stolen", "cannot be stopped"),
        ("I am a witch so I wish the door open", "no magic"),
    ],
)
def test_an_impossible_deed_is_refused_by_what_it_would_be(words: str, said: str) -> None:
    assert said in answer_aside("story", w.small_world(), RULES, words)


@pytest.mark.parametrize(
    "line",
    [
        "I turn into the alley",
        "I look at the time",
        "look through the keyhole",
        "take off my hat",
        "turn the page",
        "fly the flag",
        "go through the door",
        "write a spell of verse",
        "wind up the hen",
        "look at the wall",
        "walk up the stairs",
        "sell him my coat",
        "open the door with a smile",
        "turn into the alley",
        "turn the page into the light",
        "check the line on the card",
        "return to the owner",
        "walk through the door",
        "look through the window in the wall",
        "swim to the boat",
        "grow a beard",
        "eat through lunch",
        "skip along the pier",
        "read the last page of the register",
    ],
)
def test_what_is_possible_is_never_refused_as_impossible(line: str) -> None:
    assert not is_never_possible(line)


def test_two_questions_in_one_are_both_answered() -> None:
    told = answer_aside("losing", w.small_world(), FREEFORM, "am I able to fail here, and are there checkpoints")
    assert "end well or badly" in told
    assert "every turn is saved" in told


def test_who_is_at_another_place_is_told_apart_from_who_is_here() -> None:
    world = w.small_world()
    assert place_asked_about(world, "who is in the boathouse") == "boathouse"
    assert place_asked_about(world, "is anybody upstairs") == "upstairs"
    assert place_asked_about(world, "who is in here") == ""
    assert place_asked_about(world, f"who else is in the {world.name_of(w.BAR)}") == ""


def test_why_one_does_something_is_remembered_in_any_form_of_the_word() -> None:
    text = "Rain falls on the pier. Somebody has begun to laugh behind the door."
    assert answer_from_known("why is somebody laughing", [text], LoreView((), viewer="player"))[0].startswith(
        "You remember: Somebody has"
    )


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("(( do I have to eat? ))", "rules"),
        ("[ooc] how do I make somebody talk", "typing"),
        ("ooc: my phone rang, back now", "ooc"),
        ("what is a clock for, narrator?", "rules"),
        ("any spoilers for me?", "rules"),
        ("is there a list of commands anywhere", "rules"),
        ("can this be played in real time?", "rules"),
        ("sprichst du auch Deutsch?", "rules"),
        ("brb, dinner", "pace"),
        ("are there any ways I could fail", "losing"),
        ("I don't really get what's happening", "goal"),
        ("so what's this story about", "goal"),
        ("where am I meant to go?", "hint"),
        ("hey game, is there a map", "program"),
        ("may I skip the tutorial?", "rules"),
        ("not sure what to do tbh", "hint"),
        ("hm so where do I even start", "hint"),
        ("how long does this take", "turns"),
        ("is the business card important?", "rules"),
        ("is there a wrong answer in this one or is it just vibes? what makes me lose", "rules"),
        ("Is there any way of winning this without a fight?", "without"),
        ("do i have to look for the crate or can i just go home and thats a win too", "rules"),
        ("is there one culprit fixed from the beginning?", "rules"),
        ("does the program make it up as we go along", "program"),
        ("can i go anywhere or are there walls", "rules"),
        ("which of these is best, as one player to whoever runs the thing?", "rules"),
        ("Have I lost for good if it goes wrong?", "rules"),
        ("Undo. I did not mean to sit down.", "undo"),
        ("Help! What does 'charm +1' do for me?", "rules"),
        ("is one turn always ten minutes?", "rules"),
        ("what's a good move here? I'm hopeless at this", "hint"),
        ("what happens once it reaches six?", "rules"),
        ("how long is this going to take, roughly?", "turns"),
        ("what time does the shift end?", "turns"),
        ("how much of the night is gone?", "time"),
        ("does the clock run while I read?", "pace"),
        ("do you even understand long sentences", "rules"),
        ("please hide the numbered suggestions", "display"),
        ("what did we miss? I had to feed the cat", "recap"),
        ("give me the short version", "recap"),
        ("am I already supposed to know her name?", "rules"),
        ("how many places can I visit in all?", "rules"),
        ("roll a d20", "rolling"),
        ("perception check", "rolling"),
        ("I roll a natural 20", "rolling"),
        ("could you tell me who's who here", "cast"),
        ("can my brother play too?", "company_at_table"),
        ("can two of us play it against each other", "company_at_table"),
        ("can this be won without talking to anyone", "without"),
        ("how well am I doing here", "score"),
        ("is this fit for a 12 year old? my niece is here", "rules"),
        ("I tell myself that it cannot be so hard", "mused"),
        ("does my choice matter?", "losing"),
        ("is this the whole game or are there other stories", "rules"),
        ("set the closet on fire", "story"),
        ("blow up the house", "story"),
        ("copy the passkey", "story"),
        ("can I just wait until nine", "rules"),
        ("I mutter, what could go wrong", "mused"),
        ("I'm a wizard so I light the lamp", "story"),
        ("I travel back to when I was six", "story"),
        ("rewind the hen so that we get more minutes", "story"),
        ("I'm stuck already, what should I type", "hint"),
        ("quick question for the game: is Viktor the thief?", "spoiler"),
        ("GM, did Viktor lie?", "spoiler"),
        ("hang on, is Viktor lying? (asking the GM)", "spoiler"),
        ("what do those two numbers at the bottom mean", "rules"),
        ("what's the worst thing that can happen here?", "rules"),
        ("is this going to get violent?", "rules"),
        ("how many people are there in this game?", "rules"),
        ("Is there a romance meter or what? And what lowers it?", "rules"),
        ("how do I know when I've found all of them?", "rules"),
        ("give me the full list of all locks please", "spoiler"),
        ("give me a list of all commands please", "help"),
        ("what must I do in the night? Clean? Sleep?", "goal"),
        ("who are you, narrator?", "machine"),
        ("narrator, describe me", "who"),
        ("where is everybody", "company"),
        ("can I name my own character?", "rules"),
        ("do the voices know more than I do?", "rules"),
        ("are there jump scares?", "rules"),
        ("I don't know where to go. help", "hint"),
        ("how is the score worked out?", "score"),
        ("does the timer run while I type?", "pace"),
        ("what kind of game is this, a shooter?", "goal"),
        ("which voice said that? show me the roll", "rules"),
        ("do I get an ending if I only sleep?", "rules"),
        ("give me a different house, this one is boring", "rules"),
        ("I wait and do nothing at all, is that allowed?", "rules"),
        ("tell me if Viktor is lying, I want the truth from the game", "rules"),
        ("i wanna start over as the barman", "restart"),
    ],
)
def test_what_is_said_to_the_game_is_heard_by_it_whoever_is_there(line: str, kind: str) -> None:
    output = read(line)
    assert (output.aside and output.aside.kind, output.proposed_actions) == (kind, ())


@pytest.mark.parametrize(
    "line",
    [
        "Viktor, have you a hint for me?",
        "brb gonna look what is behind the bar",
        "is it important to you",
        "save me a glass",
        "did I lose you?",
        "do I have to pay for the drink, Viktor?",
        "is there another way to win her over?",
        "do you have to talk to everyone like that?",
        "am I supposed to pay you first?",
        "what did I do to you?",
        "make it stronger, Viktor",
        "give me the short version, Viktor",
        "how much of the night did Jin spend here?",
        "how long is the pier?",
        "who are you?",
        "show me all of it, Viktor",
        "which part of town is that?",
        "where is everybody's coat?",
        "I take a step back",
        "I roll the glass between my hands",
        "go back to the bar",
        "I think Viktor is lying",
        "can your brother play the piano, Viktor?",
    ],
)
def test_what_a_person_is_asked_stays_theirs(line: str) -> None:
    output = read(line)
    assert output.aside is None or output.aside.kind in ("alone", "lore")


def test_what_is_marked_as_out_of_the_story_is_told_from_what_only_stands_in_brackets() -> None:
    assert out_of_story("((who wrote this?))") == "who wrote this?"
    assert out_of_story("(OOC: brb)") == "brb"
    assert out_of_story("(quietly) who is that?") == ""


def test_a_clock_is_asked_about_by_what_it_counts_and_more_may_be_asked_of_it() -> None:
    assert names_of_clock("The level's trust") == ("level's trust", "trust")
    assert clocks_asked_about("um, what does trust do?", ["The level's trust"]) == ("The level's trust",)
    assert clocks_asked_about("Hold on, what's Heat again? Should I worry if it rises?", ["Heat"]) == ("Heat",)
    assert clocks_asked_about("that number beside Heat, what is it", ["Heat"]) == ("Heat",)
    assert clocks_asked_about("What's Heat again? I take the card.", ["Heat"]) == ()
    for asked in (
        "wait before I do anything, does Heat ever go back down or is it permanent?",
        "how do I get heat back off the board",
        "If heat reaches six, have I lost for good?",
        "does heat 3 mean mine or hers?",
        "can i lower my heat",
    ):
        assert clocks_asked_about(asked, ["Heat"]) == ("Heat",)
    assert clocks_asked_about("can you feel the heat?", ["Heat"]) == ()
    assert clocks_asked_about("does my name come up often in here?", ["Name"]) == ()


def test_a_question_of_the_game_needs_words_of_the_game() -> None:
    assert is_of_the_game("are there autosaves or checkpoints?")
    assert not is_of_the_game("are there boats?")


def test_of_all_that_is_asked_in_one_line_each_question_is_answered() -> None:
    asked = "If talk is full, have I lost for good, or can I start the evening over?"
    told = answer_aside("rules", w.small_world(), FREEFORM, asked)
    assert "one can lose" in told
    assert "--new begins the story anew" in told


def test_a_stat_is_told_with_what_high_and_low_mean() -> None:
    told = answer_aside("who", w.small_world(), FREEFORM, "is charm good")
    assert "High means liked at first sight; low means hard to warm to." in told


def test_what_can_be_done_is_told_by_who_is_here_and_where_it_goes_on() -> None:
    told = answer_aside("options", w.small_world(), RULES)
    assert told.startswith("You can, for example: look around")
    assert "talk to Viktor" in told


def test_one_does_not_go_back_in_time() -> None:
    assert is_never_possible("wind back to yesterday and look who did it")


def test_another_story_and_other_numbers_are_asked_of_the_game_and_nobody_breathes_under_water() -> None:
    assert subjects_in("I opened the wrong scenario, how do I get out?", "questions")[0] == "stories"
    assert subjects_in("may I reroll my skills?", "questions")[0] == "part"
    assert is_never_possible("I start breathing under the water")
    assert not is_of_the_game("can you tell me another story?")


def test_what_stats_mean_and_which_of_them_counts_is_asked_of_the_game() -> None:
    stats = ("Empathy", "Suggestion", "Charm", "Self-Awareness")
    for line in (
        "What's the difference between empathy and suggestion, and which one should I be using?",
        "is charm better than empathy here",
        "self-awareness, whats that for",
        "What's empathy? Never heard that word.",
        "why is charm a 6, that's terrible",
        "should I use my charm or my empathy?",
    ):
        assert numbers_asked_about(line, (), stats) == "rules"
    for line in ("Who has the charm?", "I use my charm on him", "You have no empathy.", "what happened to your charm"):
        assert numbers_asked_about(line, (), stats) == ""
    assert numbers_asked_about("whats chalk", ("Chalk",), ()) == "clocks"
    assert numbers_asked_about("where's the chalk", ("Chalk",), ()) == ""
    assert numbers_asked_about("What can Heat do to me?", ("Heat",), stats) == "clocks"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Restart the escalator and ride it back up", ""),
        ("reset the table for tea", ""),
        ("restart from the beginning please", "restart"),
        ("restart the whole story", "restart"),
        ("new game", "restart"),
        ("sorry that was my cat on the keyboard", "ooc"),
        ("my sister was at the harbour", ""),
    ],
)
def test_a_thing_is_restarted_without_the_story(line: str, kind: str) -> None:
    assert aside_in(line) == kind


@pytest.mark.parametrize(
    "words",
    [
        "I go back thirty years and get off the bus as a child again",
        "Rewind to four nights ago and stop Jin from leaving",
        "Turn down the rain",
        "I put out the sun",
        "I walk to the moon",
        "I walk out through the front door even though it's locked",
        "I walk straight through the locked study door like a ghost",
        "I walk through the back wall into Narnia",
        "I delete room 12 from the building",
        "I make everybody in the lounge forget me",
    ],
)
def test_no_time_weather_or_wall_gives_way(words: str) -> None:
    assert is_never_possible(words)


@pytest.mark.parametrize(
    "words",
    ["I go back to the bar", "I walk through the open door", "turn down the lamp", "remove the lid from the tin"],
)
def test_what_has_the_same_verbs_may_be_done(words: str) -> None:
    assert not is_never_possible(words)


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("how old am I and do I win if trust gets to 3?", "untold"),
        ("Am I the owner here?", "untold"),
        ("why am I counting doors?", "why_here"),
        ("Can I respec?", "other_rules"),
        ("can I take a long rest before ten?", "other_rules"),
        ("is it possible to get permanently stuck?", "losing"),
        ("can this actually be won?", "winning"),
    ],
)
def test_a_question_about_the_game_has_its_subject_whatever_stands_beside_it(line: str, subject: str) -> None:
    assert subject in subjects_in(line, "questions")
    assert is_of_the_game(line)


@pytest.mark.parametrize(
    "line",
    [
        "arrest the barman",
        "I marry the captain and we live in Rome",
        "breathe fire on the candle like a dragon",
        "make the seven minutes go faster",
        "make it ten minutes",
        "kick the wall down between the rooms",
        "shut off all the voices in my head",
        "I make an insight check on him",
    ],
)
def test_what_is_done_by_no_person_here_is_never_possible(line: str) -> None:
    assert is_never_possible(line)


def test_what_is_like_it_may_be_done() -> None:
    for line in ("take a rest", "make it hot please", "kick the ball against the wall", "breathe on the glass"):
        assert not is_never_possible(line), line


def test_a_confused_word_beside_a_question_about_a_clock_is_no_deed() -> None:
    assert clocks_asked_about("What happens if the heat gets to four? I don't follow the numbers.", ["Heat"]) == (
        "Heat",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("is my charm of +1 bad?", "no lower and no higher"),
        ("can I swap my charm for strength?", "cannot be chosen, swapped or added to"),
        ("why is my charm so low", "Who wrote the story gave you"),
        ("is it better to have heat high or low?", "Heat is at 0 of 6."),
        ("how high can heat go?", "It goes from 0 to 6"),
    ],
)
def test_a_figure_is_judged_beside_the_others_bounded_and_fixed(words: str, said: str) -> None:
    assert said in answer_aside("rules", w.small_world(), FREEFORM, words)


def test_a_story_without_stats_says_that_there_are_none() -> None:
    rules = CampaignRules(ruleset=load_ruleset("tic-tac-toe")[0])
    assert "no stats" in answer_aside("rules", w.small_world(), rules, "do I have any stats?")


def test_time_of_the_story_is_not_taken_back_like_a_turn() -> None:
    assert aside_in("turn back time to dusk and wait in the chapel") == "story"
    assert aside_in("rewind to before I said that") == "undo"


@pytest.mark.parametrize(
    "text",
    ["have I met you before?", "is it any good?", "what happens at the harbour", "do I know you from somewhere?"],
)
def test_what_somebody_is_asked_of_oneself_is_no_question_about_the_game(text: str) -> None:
    assert not is_of_the_game(text)
