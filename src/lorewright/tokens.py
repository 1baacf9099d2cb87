"""Text -> an estimate of its length in tokens, the same everywhere and with no tokenizer to download."""

from __future__ import annotations

import math

# Four characters a token is what the providers quote for English prose; other scripts come nearer to one a word.
_CHARACTERS_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """Estimated tokens: the larger of characters / 4 and the number of words; 0 for an empty text."""
    return max(math.ceil(len(text) / _CHARACTERS_PER_TOKEN), len(text.split()))
