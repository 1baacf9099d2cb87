"""A chat of an OpenAI client -> what it asks of a seat: a turn and the place where it goes, a task beside the story, or
nothing that can be played.

A client sends the whole chat each time, or the end of it, with system prompts of its own. None of that decides where
the story stands: the last answer in it is looked for among the seat's own committed turns. Texts are compared by their
letters and digits, because clients trim, mark up and re-wrap what they show.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from lorewright.errors import NotPlayed, UnknownAnswer
from lorewright.ids import content_hash

Task = Literal["title", "tags", "follow_ups", "summary", "queries", "emoji", "autocomplete"]

# What clients ask models for beside the story. Open WebUI writes `### Task:` before most of its tasks, LibreChat and
# SillyTavern ask in sentences of their own.
_TASKS: tuple[tuple[Task, re.Pattern[str]], ...] = (
    (
        "title",
        re.compile(
            r"### Task:.{0,60}\btitle\b|^(?:please )?(?:provide|generate|create|write) a concise.{0,60}\btitle\b"
            r"|^(?:analy[sz]e this conversation and provide|based on the chat history, give this conversation a name)",
            re.I | re.S,
        ),
    ),
    ("tags", re.compile(r"### Task:.{0,60}\btags\b", re.I | re.S)),
    # The later Open WebUI says that only in the JSON that it wants.
    (
        "follow_ups",
        re.compile(r"### Task:(?:.{0,80}\bfollow[- ]?ups?\b|(?:(?!<chat_history>).)*\"follow_ups\")", re.I | re.S),
    ),
    ("queries", re.compile(r"### Task:.{0,200}\bquer(?:y|ies)\b", re.I | re.S)),
    (
        "emoji",
        re.compile(r"### Task:.{0,120}\bemoji\b|^your task is to reflect the speaker's likely facial exp", re.I | re.S),
    ),
    ("autocomplete", re.compile(r"### Task:.{0,80}\bautocompletion\b", re.I | re.S)),
    (
        "summary",
        re.compile(
            r"^\W*(?:ignore (?:all )?previous instructions|pause (?:your|the) rol).{0,80}\bsummar"
            r"|^\W*summari[sz]e the (?:most important facts|conversation|chat|story|following)"
            r"|### Task:\s*summari[sz]e the conversation",
            re.I | re.S,
        ),
    ),
)
# Requests of clients that want neither a turn nor any of the above.
_NO_TURN = re.compile(
    r"### Task:|^detect the language used in"
    r"|^\[(?:continue your last message|write (?:your|the) next reply (?:from|as)|pause your rol)"
    r"|^\W*ignore (?:all )?previous instructions|^\W*pause (?:your|the) rol"
    r"|^you have been provided with a set of responses from|^review the completed conversation turn"
    # Of Open WebUI's menu at the button that regenerates.
    r"|^(?:add details|more concise)$",
    re.I,
)
# The system prompt of requests that choose a tool for the words of a player.
_CHOOSES_TOOL = re.compile(r"^available tools:", re.I)
# Open WebUI puts documents that are sent along, and their names, before the words.
_DOCUMENTS = re.compile(
    r"\A(?:### Task:\s*respond to the user query using the provided context.*</context>\s*)?"
    r"(?:<attached_files>.*?</attached_files>\s*)?",
    re.I | re.S,
)


_TITLE = _TASKS[0][1]
_SYSTEM = ("system", "developer")


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a chat: who speaks, and the text of it."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """What is to be played: the words, and the last answer of the chat before them, with the words that that answered;
    `answer` is None where the chat has none, and `answered` is empty where nothing was said before it: a greeting."""

    words: str
    answer: str | None = None
    answered: str = ""


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """A turn of the seat's: what was said, what was told, and whether the story of today comes from it."""

    turn_id: str
    turn_no: int
    said: str
    told: str
    is_on_path: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where words go: after the turn of an ID, the seat's last one where `is_last`; `turn_id` is None where the chat
    has no answer in it, so that it goes on where the story stands."""

    turn_id: str | None
    is_last: bool = True


def message_of(sent: dict[str, Any]) -> ChatMessage:
    """Return a message from its JSON; of content in parts only the text counts, and of documents that are sent along
    with the words, none."""
    content = sent.get("content")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "\n".join(part for part in parts if isinstance(part, str))
    role = sent.get("role")
    text = _DOCUMENTS.sub("", content) if isinstance(content, str) else ""
    return ChatMessage(role if isinstance(role, str) else "", text)


def task_of(messages: Sequence[ChatMessage]) -> Task | None:
    """Return the task that a client asks for in place of a turn, None where its last message is one to be played.

    Raises:
        NotPlayed: it asks for something else that is no turn.
    """
    asked = _asked_beside(messages)
    for task, marks in _TASKS:
        if marks.search(asked[:2_000]):
            return task
    # Some ask for a title by the system prompt of a chat of its own.
    system = messages[0].text.strip()[:2_000] if messages and messages[0].role in _SYSTEM else ""
    if _TITLE.search(system):
        return "title"
    if _NO_TURN.search(asked[:2_000]) or _CHOOSES_TOOL.search(system):
        raise NotPlayed(
            "that asks for something beside the story",
            hint="say what your character does or says",
            reason="not_a_turn",
        )
    return None


def _asked_beside(messages: Sequence[ChatMessage]) -> str:
    return messages[-1].text.strip() if messages and messages[-1].role != "assistant" else ""


def wants_json(messages: Sequence[ChatMessage]) -> bool:
    """Return whether a task is to be answered with JSON: its text says so."""
    asked = _asked_beside(messages)
    return asked.startswith("### Task:") or "json" in asked.casefold()


def said_in(messages: Sequence[ChatMessage]) -> Said:
    """Return what a chat wants played. System prompts and empty messages count for nothing.

    Raises:
        NotPlayed: it ends with an answer, so that nothing new is said.
    """
    told = [message for message in messages if message.role in ("user", "assistant") and message.text.strip()]
    if not told or told[-1].role != "user":
        raise NotPlayed(
            "the chat says nothing new", hint="end it with a message of the user's", reason="no_new_message"
        )
    last = next((place for place in range(len(told) - 1, -1, -1) if told[place].role == "assistant"), None)
    if last is None:
        return Said(told[-1].text.strip())
    words = "\n".join(message.text.strip() for message in told[last + 1 :])
    before = [message.text for message in told[:last] if message.role == "user"]
    return Said(words, told[last].text, before[-1] if before else "")


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, in lower case: what clients leave as it is."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())


def place_of(said: Said, turns: Sequence[OwnTurn], *, opening: OwnTurn) -> Place:
    """Return where words go. `turns` are the seat's own that may be meant, oldest first, with its last one on the path;
    `opening` is the beginning of the story. Of turns in which the same was told the one is meant that answered the same
    words, then one on the path, then the latest. A greeting that was told in none of them is the client's own, such as
    that of a character's card, and counts for nothing.

    Raises:
        UnknownAnswer: the chat's last answer was told in none of them; nothing is played.
    """
    if said.answer is None:
        return Place(None)
    wanted, answered = letters_of(said.answer), letters_of(said.answered)
    found = [turn for turn in (opening, *turns) if turn.told and letters_of(turn.told) == wanted]
    if not found and not said.answered:
        return Place(None)
    if not found:
        raise UnknownAnswer(
            "the last answer of this chat was not told at this table",
            hint="begin a new chat: it goes on where the story stands; answers that were edited cannot be gone on from",
        )
    meant = max(found, key=lambda turn: (letters_of(turn.said) == answered, turn.is_on_path, turn.turn_no))
    on_path = [turn for turn in turns if turn.is_on_path]
    last = on_path[-1] if on_path else opening
    return Place(meant.turn_id, is_last=meant.turn_id == last.turn_id)


def fingerprint_of(said: Said, place: Place) -> str:
    """Return what two requests have in common that ask for the same turn."""
    return content_hash(json.dumps([place.turn_id, said.words]))


def task_answer(task: Task, *, name: str, recap: str, suggested: Sequence[str], as_json: bool = True) -> str:
    """Return the answer to a task beside the story, in the form in which its client reads it."""
    match task:
        case "title" if not as_json:
            return name
        case "title":
            return json.dumps({"title": name}, ensure_ascii=False)
        case "tags":
            return json.dumps({"tags": ["Fiction", "Role-playing"]})
        case "follow_ups":
            return json.dumps({"follow_ups": list(suggested)}, ensure_ascii=False)
        case "queries":
            return json.dumps({"queries": []})
        case "autocomplete":
            return json.dumps({"text": ""})
        case "emoji":
            return "\N{BOOKS}"
        case "summary":
            return recap or "Nothing has happened yet."
