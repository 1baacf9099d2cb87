"""Lines of a chat and of a learner's English are put as plain English puts them; plain English stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorewright.builtin.words.clauses import cleaned
from lorewright.builtin.words.plain_words import cut_apart, in_plain_words, with_spaces
from lorewright.builtin.words.spelling import spelled_out

NAMES = {"viktor", "jin", "ambrose", "dorrie", "teo", "marit"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("you have see my friend jin?", "have you seen my friend jin?"),
        ("I don't suppose there's any chance of you waiting for me?", "could you wait for me?"),
        ("any chance of you giving me a hand?", "could you give me a hand?"),
        ("I don't suppose you could turn that down", "could you turn that down"),
        ("I don't suppose you know her", "do you know her"),
        ("I don't suppose she cares", "I don't suppose she cares"),
        ("Why is there a hen?", "Why is there a hen?"),
        ("why candles everywhere", "why are the candles everywhere"),
        ("Quiet night, huh", "it's a quiet night."),
        ("quiet as a grave", "quiet as a grave"),
        ("smells good in here", "it smells good in here"),
        ("smells the glass", "smells the glass"),
        ("Good night, Viktor. Drive carefully!", "Good night, Viktor. take care!"),
        ("drive carefully to the pier", "drive carefully to the pier"),
        ("tell Viktor Jin sent me", "tell Viktor that Jin sent me"),
        ("yo viktor u seen jin", "hey viktor have you seen jin"),
        ("why you clean glass?", "why do you clean glass?"),
        ("where she put the key", "where did she put the key"),
        ("where you are?", "where are you?"),
        ("where it is the key", "where is the key"),
        ("make out what it is the man wants", "make out what it is the man wants"),
        ("who tf is in 12 tho", "who is in 12 though"),
        ("cant be arsed tbh, feet up on desk, 5 min kip", "put my feet up on the desk, nap for 5 minutes"),
        ("i can't be bothered with that", "i can't be bothered with that"),
        ("brb gonna see wat the cop wants", "i'm going to see what the cop wants"),
        ("check teh front door agian", "try the front door again"),
        ("check the front door for scratches", "check the front door for scratches"),
        ("what you doing there", "what are you doing there"),
        ("me sit. me no understand", "i sit. i don't understand"),
        ("give me sit", "give me sit"),
        ("jin u there?", "jin are you there?"),
        ("is she there?", "is she there?"),
        ("pier 9. wer dat", "where is pier 9?"),
        ("give beer", "give me beer"),
        ("that cup for me?", "is that cup for me?"),
        ("y umbrellas out of order", "why are umbrellas out of order"),
        ("tf was that message about", "what was that message about"),
        ("mmm egg", "egg"),
        ("label itching. off?", "the label is itching. off?"),
        ("gimme a sec gotta dry my boots", "i dry my boots"),
        ("have a nosey about", "look around"),
        ("gonna hav a peek upstairs", "i go upstairs and look around"),
        ("have a gander at the desk", "take a look at the desk"),
        ("i have a look for it", "i have a look for it"),
        ("ngl im just gonna ring the bell", "i ring the bell"),
        ("gonna need a boat", "i'm going to need a boat"),
        ("welp guess ill sit down", "i sit down"),
        ("idk take the cup i guess", "take the cup"),
        ("idk just talk to her abt school or w/e", "ask her about school"),
        ("idk what to do", "i don't know what to do"),
        ("ok thats creepy whos moving stuff, ima knock", "ok that's creepy. who's moving stuff? I'll knock"),
        ("nope nope nope bang on the door", "no. bang on the door"),
        ("nope im outta here", "no i leave"),
        ("give the door a rattle", "try the door"),
        ("give the cup a wipe", "wipe the cup"),
        ("give me a push", "give me a push"),
        ("is the front door defo locked", "is the front door locked"),
        ("hiya dorrie hows things", "hello dorrie how are you"),
        ("put hat on hows it look", "put hat on and look at myself"),
        ("wat time is the bus", "when does the bus go"),
        ("just say smth nice abt her hair", "i tell her her hair is lovely"),
        ("say smth sweet to dorrie", "i compliment dorrie"),
        ("can i insight dorrie, shes def hiding smth", "i watch dorrie closely"),
        ("grab the cup go see whos there", "grab the cup, go see who's there"),
        ("i want to go see who is there", "i want to go see who is there"),
        ("cant we just lite a taper an use that insted", "why don't we just light a taper and use that instead?"),
        ("bring rm 12 a coffee", "take a coffee to room 12"),
        ("ur on teo loser pays", "you're on, teo. loser pays"),
        ("any chance of an egg dor im starvin", "is there any chance of an egg, dor. i'm starving"),
        ("ask if there's any toast going", "ask if there's any toast going"),
        ("have a wander into the office", "have a wander into the office"),
        ("tell dorrie im hungry", "tell dorrie i'm hungry"),
        ("gonna bounce lol", "i leave"),
        ("time to dip", "i leave"),
        ("i am going to split the bill", "i am going to split the bill"),
        ("I leave the lamp where it is", "I leave the lamp alone"),
        ("keep the cup right where it stands", "leave the cup alone"),
        ("I leave the cup where she can see it", "I leave the cup where she can see it"),
        ("I smile and remain where I am", "I smile and stay here"),
        ("knock softly on the door of the kitchen", "knock softly on the kitchen"),
        ("for the record, I hate it", "I hate it"),
        ("gotta drop these candels off lol", "i am here to deliver these candles"),
        ("I must deliver this to Ambrose", "I must deliver this to Ambrose"),
        ("drop the candles off at the chapel", "deliver the candles to the chapel"),
        ("drop off the candels w ambrose i guess", "deliver the candles to ambrose"),
        ("knok knok on the wall", "knock on the wall"),
        ("is it in the draw?", "is it in the drawer?"),
        ("was it a draw?", "was it a draw?"),
        ("did u no jin was comin?", "did you know jin was coming?"),
        ("I make one step back", "I take one step back"),
        ("x the cup and x lamp", "examine the cup and examine lamp"),
        ("miss, i must give candle", "excuse me, i must give candle"),
        ("copper outside y", "why is the copper outside?"),
        ("stool free?", "is the stool taken?"),
        ("is the chair free?", "is the chair free?"),
        ("crate heavy. i put it down ok", "crate is heavy. i put it down"),
        ("where is you jin", "where are you jin"),
        ("i don't want talk", "i don't want to talk"),
        ("how much doors have this house", "how many doors does this house have"),
        ("how many time it have before the boats they go?", "how much time do we have until the boats go?"),
        ("you want we speak about film?", "do you want to talk about film?"),
        ("marit you remember of me?", "marit do you remember me?"),
        ("you can open please?", "can you open please?"),
        ("wtf is he doin out there", "what is he doing out there"),
        ("how i can go out", "how can i go out"),
        ("when goes the bus", "when does the bus go"),
        ("how do you call you", "what is your name"),
        ("who did saw the lamp", "who saw the lamp"),
        ("what means under the ice", "what is the meaning of under the ice"),
        ("wats the hen do", "what does the hen do"),
        ("wot time bus go bk", "when does the bus go back"),
        ("what time does the bus go back", "when does the bus go back"),
        ("what time does it end", "what time does it end"),
        ("What I do if somebody come and ask for twelve?", "What do I do if somebody comes and asks for twelve?"),
        ("if she asks, I hide", "if she asks, I hide"),
        ("What's in the box, do you know?", "do you know what's in the box?"),
        ("You fell asleep, Ambrose, did you not?", "You fell asleep, didn't you, Ambrose?"),
        ("You were here, were you not?", "You were here, weren't you?"),
        ("Are you here, Ambrose, or are you not?", "Are you here, Ambrose, or are you not?"),
    ],
)
def test_questions_without_their_form_get_it(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("take the tapers straight to ambrose", "take the tapers to ambrose"),
        ("i head directly back to the lot", "i head back to the lot"),
        ("put the hat straight", "put the hat straight"),
        ("only then start up the stair", "only then go up the stair"),
        ("start up the engine", "start up the engine"),
        (
            "put first my eye and then my ear to the keyhole",
            "put my eye to the keyhole and then put my ear to the keyhole",
        ),
        ("put my hat and my coat on the chair", "put my hat and my coat on the chair"),
        ("give me a straight answer", "give me a straight answer"),
        ("look straight to the door", "look straight to the door"),
    ],
)
def test_where_one_goes_and_what_one_puts_where_is_put_plainly(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("i no have money", "i don't have money"),
        ("she not answer the door", "she doesn't answer the door"),
        ("he not here", "he is not here"),
        ("i not sure", "i'm not sure"),
        ("i am make a list of the locks", "i am making a list of the locks"),
        ("I am wanting to go home", "I want to go home"),
        ("i want ask you something", "i want to ask you something"),
        ("i want that you tell me", "i want you to tell me"),
        ("my friend she say under the ice", "my friend says under the ice"),
        ("is too dark here", "it is too dark here"),
        ("its itchy", "it's itchy"),
        ("u aint changed", "you haven't changed"),
        ("i have hunger", "i am hungry"),
        ("could i become a beer", "could i get a beer"),
        ("i gonna find it", "i'm going to find it"),
        ("is there something for eat", "is there something to eat"),
        ("I put cross in the up middle, is good?", "I put cross in the top middle."),
    ],
)
def test_statements_of_a_learner_are_put_right(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("wheres ambrose i got his candles", "where's ambrose? i got his candles"),
        ("WHERE IS JIN VIKTOR TELL ME NOW", "where is jin, viktor? tell me now"),
        ("ok bye im off lol when does the bus come", "ok bye i'm off. when does the bus come"),
        ("he locked me in wtf open the door", "he locked me in. open the door"),
        ("even the smell :( hi dorrie", "even the smell. hi dorrie"),
        ("i bring the tapers, where is ambrose", "i bring the tapers. where is ambrose"),
        ("marit its cold can we go now", "marit, it's cold. can we go now"),
        ("dorrie luv u havent changed", "dorrie, you haven't changed"),
        ("teo stop it ur scaring me", "teo, stop it you're scaring me"),
        ("dont chalk it ill pay later", "don't chalk it. i'll pay later"),
        ("i have no idea where the chapel is can u take me", "i have no idea where the chapel is. can you take me"),
        ("viktor,tell me?please", "viktor, tell me? please"),
    ],
)
def test_what_runs_on_into_something_else_is_cut(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("she aint pickin up", "she isn't picking up"),
        ("bang on the door an shout", "bang on the door and shout"),
        ("take an apple", "take an apple"),
        ("wait an hour", "wait an hour"),
        ("cover ur ears 2", "cover your ears too"),
        ("is that 2 much", "is that too much"),
        ("what r u up 2", "what are you up to"),
        ("who was the last 1 here", "who was the last one here"),
        ("who nicked it", "who stole it"),
        ("i dont no where it is", "i don't know where it is"),
        ("i need 2 no what happend", "i need to know what happened"),
        ("go 2 room12", "go to room 12"),
        ("can u do it 4 free", "can you do it for free"),
        ("go up 2 floors", "go up 2 floors"),
        ("ask teo y hes quiet", "ask teo why he's quiet"),
        ("idc about the tide", "i don't care about the tide"),
        ("it got nicked", "it got stolen"),
        ("ur on mate, hope u brought cash", "you're on mate, i hope you brought cash"),
        ("bruh teo wait here", "teo wait here"),
        ("wait wait wait so no lamp = no boats", "so no lamp means no boats"),
        ("wait, what?", "wait, what?"),
        ("wait so long as it takes", "wait so long as it takes"),
        ("rite side midle one", "right side middle one"),
        ("rite a note", "write a note"),
        ("u go 1st", "you go first"),
        ("check the book 4 who is in", "check the book for who is in"),
        ("gonna peek thru the blinds", "i peek through the blinds"),
        ("gonna win this", "going to win this"),
        ("gonna bed", "going to bed"),
        ("im gonna sit", "i sit"),
        ("who pays 4 coffee", "who pays for coffee"),
        ("pay 4 coins", "pay 4 coins"),
        ("idk wat 2 say lol u go first", "i don't know what to say. you go first"),
        ("if you go first", "if you go first"),
        ("nvm the drink", "forget the drink"),
        ("u kno anythin", "do you know anything?"),
        ("fix them brollies", "fix those umbrellas"),
        ("fix them", "fix them"),
        ("kettle on. feet up", "put the kettle on. put my feet up"),
        ("go on. look up", "go on. look up"),
        ("scuse me, Mister Gaunt", "excuse me, Mr Gaunt"),
        ("I look for my friend", "i'm looking for my friend"),
        ("I take the cup, is warm, is good", "I take the cup, it is warm, it is good"),
        ("go outside for look what it is", "go outside and look what it is"),
        ("im bored. gonna ask him", "i'm bored. i ask him"),
        ("we talk or w/e", "we talk"),
        ("hey guys any1 seen jin", "hey guys has anyone seen jin"),
        ("has anyone seen jin", "has anyone seen jin"),
        ("u got a boat 4 hire", "you got a boat for hire"),
        ("im here 4 jin", "i'm here for jin"),
        ("wot taps u selling", "what taps are you selling"),
        ("what are you thinking?", "what are you thinking?"),
        ("what were you doing", "what were you doing"),
        ("what something you need", "what something you need"),
        ("ur breathing 2 loud", "you're breathing too loud"),
        ("chapel plz n step on it", "chapel please"),
        ("step on it", "step on it"),
        ("nip over to the market", "go over to the market"),
        ("pop the cork", "pop the cork"),
        ("give her a hand with the boat", "help her with the boat"),
        ("grab whatevers on that shelf", "look at that shelf"),
        ("wait he locked me in?", "he locked me in?"),
        ("wait until he comes", "wait until he comes"),
        ("call good evening", 'say "good evening"'),
        ("call Viktor over", "call Viktor over"),
        ("examine the stair, why did it stop?", "examine the stair. why did it stop?"),
        ("tell Teo to get lost", "ask Teo to leave"),
        ("I look to see if Lena laughs", "I look to look at Lena"),
        ("wtf is a tin hen", "what is a tin hen"),
        ("have a sip", "take a sip"),
        ("ring the bell jk dont", "i don't ring the bell"),
        ("ask Marit her side of it", "ask Marit what happened"),
        ("see what Viktor knows about the ice", "ask Viktor what Viktor knows about the ice"),
        ("cut the crap viktor", "viktor"),
        ("fold my arms, then unfold them", "fold my arms, then unfold my arms"),
        ("take the tapers to the chapel and give them to Ambrose", "go to the chapel and give the tapers to Ambrose"),
        ("When does it leave, Dorrie, and is there toast?", "When does it leave? Dorrie, and is there toast?"),
        (
            "look up at the shelf and ask Dorrie what's up there",
            "look up at the shelf and ask Dorrie what is on the shelf",
        ),
        ("officer, lost something?", "officer, have you lost something?"),
        ("look around b4 i sit", "look around, then sit"),
        ("he's gotta go", "he has to go"),
        ("excuse sir, this free?", "excuse me, sir, is this seat taken?"),
        ("so lemme get this str8: no lamp no boats?", "no lamp no boats?"),
    ],
)
def test_chat_is_spelled_out(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant


@pytest.mark.parametrize(
    "plain",
    [
        "tell me where she put the key",
        "save game as desk1",
        "I'm like him.",
        "I search him for weapons.",
        "You know what, I'll do it.",
        "How you do it is your business.",
        "Is there no way out?",
        "Whoever is there, come out!",
        "We have met?",
        "I'm out of matches.",
        "So, um. Dark, isn't it.",
        "take down whatever is there",
        "I try to make out what's being dragged about",
        "how do I get it off once it's on",
        "she is ill today",
        "What is it that you want me to do?",
        "in how many games did you let him begin",
        "I wonder when the boat goes",
        "ask him what he wants",
        "Which of us would you put your money on?",
        "You have news for her.",
        "when the rain stops I go out",
        "he is open about it",
        "Taps, is it?",
        "I try the door that's quietest",
        "look at its handle",
        "she sits down on its edge",
        "I am set on it",
        "do you know where he is",
        "I see the boat you came in",
        "the person who is guarding the lamp",
        "if it is too dark I wait",
        "You heard what happened to her, didn't you?",
        "never give up and never go back",
        "look behind the mirror",
        "start with the truth",
        "ask Viktor if I can have a word",
        "I take the coat to the office",
        "there is no ice in the whiskey",
    ],
)
def test_plain_english_stays(plain: str) -> None:
    assert spelled_out(plain, NAMES) == plain


def test_a_shouted_line_is_read_in_lower_case_and_a_shouted_word_stays() -> None:
    assert with_spaces("OPEN THE DOOR NOW") == "open the door now"
    assert with_spaces("open the DOOR now") == "open the DOOR now"
    assert with_spaces("GO N") == "GO N"


@given(st.text(max_size=60))
def test_what_is_put_plainly_is_put_so_no_further(text: str) -> None:
    once = in_plain_words(cleaned(text))
    assert in_plain_words(once) == once


@pytest.mark.parametrize("line", ["look round for anyone who's watching me closely", "sit down and drink what's in it"])
def test_a_clause_about_what_is_done_or_looked_for_is_no_question(line: str) -> None:
    assert cut_apart(line, frozenset()) == line


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("knock on the door v quietly", "knock on the door very quietly"),
        ("gimme a beer an a straight answer", 'give me a beer. say "I want a straight answer"'),
        ("lemme get a whisky n a seat", "let me get a whisky. sit down"),
        ("who dis boat belong to", "whose boat is this?"),
        ("read label what does it say", "read label"),
        ("give me a hint about the lamp", "what do I know about the lamp?"),
        ("read what it says", "read what it says"),
        ("drop the crate", "drop the crate"),
    ],
)
def test_words_cut_short_are_put_in_full(typed: str, meant: str) -> None:
    assert spelled_out(typed, NAMES) == meant
