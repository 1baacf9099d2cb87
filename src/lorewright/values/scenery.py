"""Lines of lore that can be quoted, and what the prose shows beside people, things and places: nouns with the sentences
that show them."""

from __future__ import annotations

from pydantic import Field

from lorewright.world.frozen import Frozen


class LoreLine(Frozen):
    """An authored sentence, verbatim, with its chunk; `key` names it in the narrator's memory."""

    key: str
    text: str
    chunk_id: str


# Keys of sentences that were told, and stand in no pack, begin with this.
TOLD = "told:"


class SceneryNoun(Frozen):
    """A thing that the prose shows and that no entity stands for: its name (`beer bucket`) and the last word of it, in
    lower case, and the sentence that shows it.

    `key` names the sentence in the narrator's memory; `source` is the ID of the chunk or item that it is cited by, or
    of the message that told it (`turn/seq`). `is_owned`: the player was told that it is theirs, and has it on them.
    `is_here`: the sentence shows what is there, rather than speaking of it. One that is not `is_sure` is any other word
    of a sentence: it is never said not to be there.
    """

    name: str
    head: str
    text: str
    key: str
    source: str
    is_owned: bool = False
    is_here: bool = True
    is_sure: bool = True


class SceneryView(Frozen):
    """What an action of the player was about where that is no entity: its name as it stands in a sentence (`the
    bucket`, `your handset`), or as it was typed and without an article where nothing of that name is there; and the
    sentences that show it, best first."""

    action_index: int = Field(ge=0)
    name: str
    lines: tuple[LoreLine, ...] = ()
    is_owned: bool = False
