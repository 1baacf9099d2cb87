"""Text -> an estimate of its length in tokens, the same everywhere and without a tokenizer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from lorewright.scripts import count_unspaced, is_unspaced, without_unspaced

# Providers quote four characters a token for English prose; other scripts come nearer to a token a word.
_CHARACTERS_PER_TOKEN = 4

# The version of the rules for reading packs from which on tokens are counted by script.
BY_SCRIPT = 2

# A sentence of a script without spaces, with the brackets that close after it.
_SENTENCE = re.compile("[^\u3002\uff01\uff1f]+[\u3002\uff01\uff1f]*[」』”’）】》]*|[\u3002\uff01\uff1f]+")


def count_tokens(text: str, *, reading: int = BY_SCRIPT) -> int:
    """Estimate the tokens of a text: the larger of characters / 4 and the number of words; 0 for an empty text.

    In scripts without spaces between words each character is a token, unless the rules for reading the text (`reading`)
    are older than that.
    """
    unspaced = count_unspaced(text) if reading >= BY_SCRIPT else 0
    if unspaced:
        return unspaced + count_tokens(without_unspaced(text), reading=1)
    return max(math.ceil(len(text) / _CHARACTERS_PER_TOKEN), len(text.split()))


def cut_line(line: str, max_tokens: int) -> Iterator[str]:
    """Yield a line without line feeds inside in parts of at most `max_tokens` that joined are the line: sentences, and
    of a sentence that is too long the pieces between spaces, or else as many characters as fit.

    A text has at most as many tokens as characters.
    """
    piece = re.compile(rf"[\s\S]{{1,{max_tokens}}}(?:(?<=\s)|\Z)|[\s\S]{{1,{max_tokens}}}")
    for sentence in _SENTENCE.findall(line) if is_unspaced(line) else [line]:
        yield from piece.findall(sentence)
