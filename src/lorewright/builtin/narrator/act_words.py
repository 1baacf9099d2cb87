"""An intention in its own words -> the same as narration: whole sentences, the player as `you`, or nothing that could
not stand there."""

from __future__ import annotations

import re
from types import MappingProxyType

from lorewright.builtin.narrator import views
from lorewright.builtin.narrator.act_slots import Actor
from lorewright.builtin.narrator.authored import ended, is_named_in, plain, word_count
from lorewright.builtin.narrator.beats import Beat
from lorewright.builtin.parser.naming import capitalised
from lorewright.scene_lore.sections import in_sentences
from lorewright.values.records import NarratorInput

_MOST_WORDS = 45
_UNFIT = re.compile(r"\w:\w|\w_\w|[#{}\[\]<>|]|/\w")
_BY_PRONOUN = re.compile(r"(?:He|She|They|It|His|Her|Their|Its)\b")
_QUOTED = re.compile(r"(“[^”]*”|\"[^\"]*\")")
# After these a name before them has been an object, so that `you` can stand there as well.
_AFTER_OBJECT = (
    r"about|again|and|as|at|away|back|before|by|down|for|from|in|into|of|off|on|out|over|then|to|up|with|without|"
    r"a|an|the|his|her|its|their|what|where|who|why|when|how|whether|that|this"
)
# What somebody does of whom one says that another looks at what they do, and the same of `you`.
_YOUR_VERBS = MappingProxyType(
    {
        "wants": "want", "means": "mean", "says": "say", "said": "said", "does": "do", "did": "did", "has": "have",
        "had": "had", "is": "are", "was": "were", "goes": "go", "looks": "look", "will": "will", "can": "can",
    }
)  # fmt: skip


def own_words(actor: Actor) -> str:
    """The words of the intention as they can be told; empty where they name nobody, or show what is no prose.

    They are sentences of ours or a model's, not an author's: the player's name becomes `you` where that fits.
    """
    text = plain(actor.act.text)
    if not text or _UNFIT.search(text):
        return ""
    text = ended(_first_sentences(text))
    named = is_named_in([actor.person.name, plain(actor.act.name)], text)
    if not (named or _BY_PRONOUN.match(text)) or word_count(text) > _MOST_WORDS:
        return ""
    return _to_you(capitalised(text), views.name_of(actor.told, actor.told.player_id) or actor.told.player.name)


def worded(actor: Actor, words: str) -> list[Beat]:
    """The words as a beat, after a short sentence with the name where they have a pronoun alone."""
    told = quoting(actor, words)
    return [told] if is_named_in([actor.person.name], words) else [actor.beat("act", "npc.own"), told]


def quoting(actor: Actor, text: str, *keys: str) -> Beat:
    """A text as a beat. The lines of the notes that it quotes are cited, and are not told by themselves any more."""
    lines = [line for view in actor.told.scene.people if view.id == actor.act.who for line in view.disposition]
    found = [line for line in lines if (words := plain(line.text).rstrip(".")) and words in text]
    cites = tuple(dict.fromkeys(line.chunk_id for line in found))
    return Beat(
        "act",
        slots={"who": actor.person},
        authored=text,
        cites=cites,
        keys=(*keys, *(line.key for line in found)),
    )


def speaks(words: str) -> bool:
    """Whether somebody is quoted in the words."""
    return bool(_QUOTED.search(words))


def _first_sentences(text: str) -> str:
    """So many whole sentences as are not too many words."""
    if word_count(text) <= _MOST_WORDS:
        return text
    kept: list[str] = []
    for sentence in in_sentences(text):
        if kept and word_count(" ".join([*kept, sentence])) > _MOST_WORDS:
            break
        kept.append(sentence)
    return " ".join(kept)


def _to_you(text: str, name: str) -> str:
    """The player's name as `you` and `your` where it is an object; what is quoted, and where it is a subject, stays."""
    if not name.strip():
        return text
    called = re.escape(name)
    possessive = re.compile(rf"(?<=\w )(?<![.!?] ){called}['’]s?(?!\w)")
    aimed = re.compile(rf"(?<=[\w,] ){called}(?=[.,;:!?…]|$)|(?<=[\w,] )(?<!\band ){called}(?= (?:{_AFTER_OBJECT})\b)")
    doing = re.compile(rf"(?<=[\w,] ){called} ({'|'.join(_YOUR_VERBS)})\b")
    parts = _QUOTED.split(text)
    parts[::2] = [aimed.sub("you", possessive.sub("your", part)) for part in parts[::2]]
    parts[::2] = [doing.sub(lambda found: f"you {_YOUR_VERBS[found[1]]}", part) for part in parts[::2]]
    return "".join(parts)


def tells_of_player(given: NarratorInput, words: str) -> bool:
    """Whether the words still call the player by name outside of a quotation, as nobody would who tells it to them."""
    name = views.name_of(given, given.player_id) or given.player.name
    return is_named_in([name], "".join(_QUOTED.split(words)[::2]))
