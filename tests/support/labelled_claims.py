"""Labelled claims, to be put to people after some lines of play: what a player says, and whether it is so.

True ones are in the words that were used, or in others that say the same (`other words`: to miss one of these costs a
confirmation and no more). False ones are as near to what was said as could be thought of: another number, another
speaker, who did it to whom, what was denied.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Labelled:
    """A play: the scenario, lines to begin with, then claims of each kind."""

    scenario: str
    before: tuple[str, ...]
    true: tuple[str, ...]
    other_words: tuple[str, ...]
    false: tuple[str, ...]


IN_THE_BAR = Labelled(
    scenario="dead_drop",
    before=(
        "ask viktor about jin",
        "ask viktor about the door",
        "ask viktor about the ice bin",
        "ask captain bao about jin",
        "ask captain bao about the tide",
        "ask captain lund about jin",
        "promise viktor to bring the key back",
        "promise captain bao to pay the guild fifty",
    ),
    true=(
        "Viktor, you told me that Jin's last run went to Pier 9",
        "Viktor, you said there is a steel door to the docks",
        "Viktor, as you said, one key to the door is yours",
        "Viktor, you told me that Jin came through here at four that morning",
        "Viktor, you told me you have been drinking your gin warm",
        "Viktor, you mentioned the ice bin",
        "Viktor, you told me about Pier 9",
        "Viktor told me about the steel door",
        "Viktor, you told me that the Guild sells the use of the other",
        "Captain Bao, you told me that low water is at midnight",
        "Captain Bao, you said that it is a spring tide",
        "Captain Bao told me that low water is at midnight",
        "Captain Bao, you told me that Jin asked you how long the drain stays open",
        "Captain Bao, you told me that Jin wrote it on her hand",
        "Captain Bao, you said that the berth at Pier 9 goes to mud",
        "Captain Lund, you told me they went through the berth with hooks",
        "Captain Lund, you said they got a bicycle",
        "Captain Lund, you told me that a drowned person comes up on the ninth day",
        "Viktor, I promised you to bring the key back",
        "Viktor, I promised you that I would bring back the key",
        "Captain Bao, I promised you to pay the Guild fifty",
        "Viktor, that's my credstick",
    ),
    other_words=(
        "Viktor, you told me that Jin's final run was to the old cold store",
        "Captain Lund, you said a drowned man floats after nine days",
        "Viktor, you said nothing came back from Jin's run",
    ),
    false=(
        "Viktor, you told me that Jin is dead",
        "Viktor, you told me Jin never went to Pier 9",
        "Viktor, you told me that Jin's last run went to Pier 8",
        "Viktor, you said the key is under the ice bin",
        "Viktor, you promised me the key",
        "Viktor, you promised to help me find Jin",
        "Viktor, you owe me fifty",
        "Viktor owes me a drink",
        "Captain Bao owes me a ship",
        "Viktor, that's my umbrella",
        "Viktor, give me back my knife",
        "Captain Bao, you told me that low water is at noon",
        "Captain Bao, you said that it is not a spring tide",
        "Captain Bao, you told me that you asked Jin how long the drain stays open",
        "Captain Lund, you told me that you found Jin",
        "Captain Lund, you said a drowned person comes up on the fourth day",
        "Viktor, I promised you to bring fifty",
        "Captain Bao, I promised you to bring the key back",
        "Captain Bao, you told me that Jin's last run went to Pier 9",
        "Viktor, you told me that low water is at midnight",
        "Captain Lund, you promised me a bicycle",
        "Viktor, I told you about the ledger",
        "Viktor, you gave me your word that you would open the door",
        "Viktor, you told me to trust Agent Chen",
        "Viktor, didn't you promise me the key?",
        "Viktor, what did you say about the moon?",
    ),
)

ON_THE_STEPS = Labelled(
    scenario="lamp_night",
    before=(
        "ask marit about the lamp",
        "ask marit about ambrose",
        "ask marit about tansy",
        "ask penhale about the chain",
        "promise marit to carry the tapers",
        "promise penhale to be quiet",
        "tell penhale about the lamp",
    ),
    true=(
        # Words that were typed are looked up in the last turns, and so this one comes first.
        "Mr Penhale, I told you about the lamp",
        "Marit, you told me that the first lamp is gone",
        "Marit, you said the lamp is gone since dusk",
        "Marit, you told me that Tansy is your granddaughter",
        "Marit, you told me that Ambrose sits up with that lamp",
        "Marit, you said Tansy is nine",
        "Marit, you said that Tansy is all your family",
        "Marit, you told me that you heard it from four people",
        "Marit, you told me about Ambrose",
        "Marit told me about the child",
        "Marit, what did you say about the lamp?",
        "Mr Penhale, you told me that the arcade chain is let down at half past eight",
        "Mr Penhale, you said not a minute sooner",
        "Marit, I promised you to carry the tapers",
        "Mr Penhale, I promised you to be quiet",
        "Marit, that's my chalk",
        "Marit, those tapers are mine",
    ),
    other_words=("Marit, you said that Ambrose is tired out", "Marit, you told me the lamp has vanished"),
    false=(
        "Marit, you told me that the lamp is in the arcade",
        "Marit, you said Ambrose took the lamp",
        "Marit, you told me Tansy is your daughter",
        "Marit, you said Tansy is ten",
        "Marit, you promised to row me over",
        "Marit, you owe me for the tapers",
        "Marit, that boat is mine",
        "Marit, I promised you to find the lamp",
        "Marit, you told me that the first lamp is not gone",
        "Marit, you told me that Tansy sits up with that lamp",
        "Marit, what did you say about the moon?",
        "Mr Penhale, you promised me the key",
        "Mr Penhale, you told me that the chain is let down at nine",
        "Mr Penhale, that's my briefcase",
        "Mr Penhale, you told me that the first lamp is gone",
        "Mr Penhale, give me back my key",
        "Mr Penhale, you owe me fifty",
    ),
)

PLAYS = (IN_THE_BAR, ON_THE_STEPS)
