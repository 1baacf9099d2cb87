"""A bot for a chat: what people write is played at a table, and the answers are posted. Run: table_bot.py CAMPAIGN"""

import os
import sys
import uuid
from collections.abc import Iterable, Iterator

from lorewright.errors import LorewrightError
from lorewright.service.web.client import LorewrightClient
from lorewright.service.web.shapes import LoreQuestion


def answer(client: LorewrightClient, campaign: str, message_id: str, text: str) -> Iterator[str]:
    """Yield what is posted for a message. Its ID is the turn's key: delivered twice, it is played once."""
    match text.split(maxsplit=1):
        case ["!undo"]:
            yield f"Back at turn {client.undo(campaign).turn_no}."
        case ["!hint"]:
            yield client.hint(campaign).text
        case ["!lore", question]:
            for chunk in client.query(LoreQuestion(text=question, campaign_id=campaign, limit=2)).chunks:
                yield f"> {chunk.text}"
        case _:
            played = client.play(campaign, text, key=message_id)
            yield played.clarification_question or played.final_text


def run(client: LorewrightClient, campaign: str, messages: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield what is posted for messages, each an ID and a text; a refusal is posted too, and the bot goes on."""
    for message_id, text in messages:
        try:
            yield from answer(client, campaign, message_id, text)
        except LorewrightError as refusal:
            yield f"({refusal.message}. {refusal.hint or ''})"


if __name__ == "__main__":
    with LorewrightClient(os.environ["LOREWRIGHT_URL"], os.environ["LOREWRIGHT_TOKEN"]) as service:
        for post in run(service, sys.argv[1], ((str(uuid.uuid4()), line.strip()) for line in sys.stdin)):
            print(post, flush=True)
