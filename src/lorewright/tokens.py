"""Text -> an estimate of its length in tokens, the same everywhere and without a tokenizer."""

from __future__ import annotations

import math

# Providers quote four characters a token for English prose; other scripts come nearer to a token a word.
_CHARACTERS_PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """Estimate the tokens of a text: the larger of characters / 4 and the number of words; 0 for an empty text."""
    return max(math.ceil(len(text) / _CHARACTERS_PER_TOKEN), len(text.split()))
