"""A text and a number of tokens -> so much of it as fits."""

from __future__ import annotations

from lorewright.tokens import count_tokens

# A number in brackets and what stands around a line.
AROUND = 5


def cost(text: str) -> int:
    """What a line adds to a prompt, in tokens as estimated."""
    return count_tokens(text) + AROUND


def cut(text: str, budget_tokens: int) -> str:
    """So much of a text as fits, to a sentence's end where there is one, else to a word's; empty where little does."""
    if count_tokens(text) <= budget_tokens:
        return text
    part = text[: max(budget_tokens, 0) * 4]
    while part and count_tokens(part) > budget_tokens:
        part = part[: len(part) * 3 // 4]
    ends = max(part.rfind(mark) for mark in (". ", "! ", "? ", ".\n", "\n"))
    if ends > len(part) // 3:
        return part[: ends + 1].strip()
    word = part.rfind(" ")
    return f"{part[:word]} …" if word > 20 else ""
