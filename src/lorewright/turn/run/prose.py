"""A model's prose -> what is wrong with it: markup, what the player has not learned, names that nobody was shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from lorewright.ids import canonical_json
from lorewright.scene_lore.gather import in_sentences
from lorewright.turn.checks.accepting import Accepted
from lorewright.turn.stages.narrate.stage import Prose
from lorewright.values.annotations import read_marks
from lorewright.values.records import NarratorInput
from lorewright.world.ops import AddEntity
from lorewright.world.state import OFFSTAGE, WorldState

# Checks of a model's prose: it quotes nothing that the player has not learned, and names nobody unknown. Known names
# are those that the narrator was shown, those of the world's people, places and things, and those that the narration
# itself brings in, where the rules accept them.

# A text -> what is wrong with it if it quotes what the player has not learned, or None.
Leak = Callable[[str], str | None]


# What is written to us and is no part of a story: our prompts' markup, and a model's words about its own answer.
_MARKUP = re.compile(r"</?[a-z][a-z_]*\b[^<>\n]{0,40}>|```|\bfinal_text\b")
_ABOUT_THE_ANSWER = re.compile(
    r"\b(?:as an ai\b|(?:large )?language model\b|you are the narrator|the narrator[’']s assistant"
    r"|the (?:original|revised|corrected) (?:paragraph|text|narration|answer)"
    r"|(?:paragraph|narration|answer|text) has been (?:edited|revised|corrected|rewritten)"
    r"|here (?:is|[’']s) (?:the|a|my) (?:revised|corrected|rewritten|new) "
    r"|i apologi[sz]e for (?:the|my) (?:mistake|error))",
    re.IGNORECASE,
)


class ProseChecks:
    """The checks of one narration. With `may_introduce` an unknown name is judged later, when it is known what the
    rules have accepted of the narration."""

    def __init__(self, given: NarratorInput, state: WorldState, leak: Leak, *, may_introduce: bool) -> None:
        self._given = given
        self._state = state
        self._leak = leak
        self.may_introduce = may_introduce

    @cached_property
    def _known(self) -> str:
        """Return the known names as text; made only when needed: a built-in narration is not checked."""
        # JSON writes a line feed as `\n`, whose letter would become part of the word after it.
        shown = canonical_json(self._given.model_dump(mode="json")).replace("\\n", " ")
        return " | ".join((shown, *_names(self._state)))

    def wrong_with(self, prose: Prose) -> str | None:
        """Return what is wrong with an answer, or None."""
        # A mark between two words must neither hide a quotation nor make a name of the word after it.
        told = read_marks(prose.final_text).text
        if (found := _MARKUP.search(told) or _ABOUT_THE_ANSWER.search(told)) is not None:
            return f"“{found[0][:60]}” is no part of a story: write the narration alone"
        return self._leak(told) or (None if self.may_introduce else self.unknown_in(told))

    def unknown_in(self, told: str, record: Accepted | None = None) -> str | None:
        """Return what is wrong with a text that names an entity which is neither known nor among those accepted from
        it, or None."""
        names = unknown_names(told, shown=" | ".join((self._known, *_introduced(record))))
        return f"it names what it was not shown: {', '.join(names[:5])}; leave the name out" if names else None


def _names(state: WorldState) -> Iterator[str]:
    """Yield the names of all entities in the world, except people who have not come into it yet."""
    for _, entity in sorted(state.entities.items()):
        if state.positions.get(entity.id) != OFFSTAGE:
            yield from (entity.name, *entity.aliases)


def _introduced(record: Accepted | None) -> Iterable[str]:
    if record is None:
        return ()
    return [op.entity.name for op in record.accepted if isinstance(op, AddEntity)]


# Names in a narration that its input does not have: the narrator may use no names but those that it was shown. A name
# is a word that is capitalised where no sentence begins, after an abbreviated title, or before what only people do
# ("Moreau nods"). Words that are ordinary in capitals (days, titles, peoples) are no names, nor are words that the
# narration or its input also writes small.

_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
# What may stand before the first word of a sentence, also of one that is quoted within another.
_BEGINS = re.compile(r"[“\"‘'«(—–:…]\s*$|[.!?…][”\"’')]*\s*$|^\W*$")
# A point after one of these ends no sentence.
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Capt|Cpt|Sgt|Lt|Col|Gen|Rev|Fr|Sr|Jr|St|Mme|Mlle|Hr)\.\s*$")
# What only people do: a word before it that begins a sentence is a name, unless it is one of those below.
_DOES = re.compile(
    r"\s+(?:says?|said|asks?|asked|repl(?:ies|ied)|answers|answered|whispers?|whispered|mutters|muttered|nods|nodded"
    r"|smiles|smiled|grins|grinned|shrugs|shrugged|frowns|frowned|winks|winked|laughs|laughed|sighs|sighed|chuckles"
    r"|chuckled|comes in|came in|walks in|walked in|steps in|stepped in)\b"
)
_NOT_NAMED = frozenset(
    (
        "he she it they we you i who what which this that these those one some somebody someone nobody everybody "
        "everyone anybody anyone each both neither either all none another other others and but so then or yet nor if "
        "when as while men women people voices"
    ).split()
)
_ORDINARY = frozenset(
    (
        "i i'm i'll i've i'd ok god gods lord lady sir madam ma'am miss mister mr mrs ms dr doctor captain sergeant "
        "inspector officer father mother brother sister uncle aunt professor judge mayor king queen boss monday "
        "tuesday wednesday thursday friday saturday sunday january february march april may june july august "
        "september october november december christmas english french german spanish italian russian chinese japanese "
        "korean latin dutch irish scottish welsh turkish persian greek roman arabic indian victorian georgian "
        "edwardian gothic darling dear friend love sweetheart stranger nobody european african american asian earth "
        "north south east west sun moon"
    ).split()
)


def unknown_names(narration: str, *, shown: str) -> list[str]:
    """Return the names in a narration, each once, that do not occur in what was shown."""
    small = {word for word in _words(narration) if word[:1].islower()}
    known = {_plain(word) for word in _words(shown)}
    found = [
        word
        # A paragraph begins with a sentence, however the one before it ended.
        for paragraph in narration.splitlines()
        for sentence in in_sentences(paragraph)
        for word in _capitalised(sentence)
        if not {_plain(word), _singular(word)} & (known | _ORDINARY | small)
    ]
    return list(dict.fromkeys(found))


def _capitalised(sentence: str) -> list[str]:
    return [
        match[0]
        for match in _WORD.finditer(sentence)
        if match[0][:1].isupper()
        and not (len(match[0]) > 1 and match[0].isupper())
        and (_is_within(sentence[: match.start()]) or _is_a_person(match[0], sentence[match.end() :]))
    ]


def _is_within(before: str) -> bool:
    """Return True if a word after this text begins no sentence."""
    return _BEGINS.search(before) is None or _TITLE.search(before) is not None


def _is_a_person(word: str, after: str) -> bool:
    """Return True if a word that may begin a sentence does what only people do."""
    return _DOES.match(after) is not None and _plain(word) not in _NOT_NAMED


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _singular(word: str) -> str:
    """Return a name without the ending of its plural: `the Ormes` are known to a reader who knows an Orme."""
    return _plain(word).removesuffix("s")


def _plain(word: str) -> str:
    """Return a word in small letters and without the ending of a possessive."""
    plain = word.lower().replace("’", "'")
    return plain.removesuffix("'s").removesuffix("'")
