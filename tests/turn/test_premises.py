"""What is claimed is read from the words, and checked against the record, what was told, what is in hand, and the stream."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lorewright.builtin.words.claims import claim_in
from lorewright.rules.actions import Action
from lorewright.rules.effects import record_op
from lorewright.turn.run.player_round import Grounds, check_claims
from lorewright.turn.views.disguises import supports_claim
from lorewright.values.records import Message, Premise
from lorewright.world import ops as o
from lorewright.world.state import WorldState
from support import small_world as w

PEOPLE = {"viktor": w.VIKTOR, "mara": w.MARA, "agent chen": w.CHEN}
TEXTS = {
    w.PIER_9: "Jin's last run went to Pier 9. She never came back, and nobody asked.",
    w.GOSSIP: "People say that Jin is dead.",
    w.DEBT: "Viktor owes the Guild four hundred.",
    w.LEDGER: "A ledger lies under the third board.",
}


def promised(by: str, to: str, what: str, *, at: WorldState | None = None, predicate: str = "promised") -> WorldState:
    state = at or w.small_world()
    _, op = record_op(state, by=by, to=to, predicate=predicate, what=what)
    assert op is not None
    return w.after(state, op)


def told(*items: str, how: str = "told") -> WorldState:
    reveals = [o.RevealItem.model_validate({"item_id": one, "to": w.JO, "how": how}) for one in items]
    return w.after(w.small_world(), *reveals)


def checked(
    text: str, state: WorldState | None = None, *, said: Sequence[Message] = (), to: str | None = w.VIKTOR
) -> list[Premise]:
    grounds = Grounds(state or w.small_world(), [(number, one) for number, one in enumerate(said)], TEXTS.get)
    aimed = [] if to is None else [Action(actor_id=w.JO, type="ask", target_id=to)]
    return list(check_claims(text, aimed, grounds, people=PEOPLE))


def holds(text: str, state: WorldState | None = None, **given: Sequence[Message]) -> bool:
    (one,) = checked(text, state, **given)  # type: ignore[arg-type]
    # A promise that does not hold may name others that were given.
    assert one.evidence or not one.holds
    return one.holds


@pytest.mark.parametrize(
    ("text", "kind", "by", "to", "what"),
    [
        ("you promised me the key", "promised", "you", "i", "the key"),
        ("you said you would give me the key", "promised", "you", "i", "give me the key"),
        ("you swore you'd keep quiet", "promised", "you", "i", "keep quiet"),
        ("but you told me yesterday that Jin is dead", "said", "you", "i", "Jin is dead"),
        ("as you said, the boat is gone", "said", "you", "i", "the boat is gone"),
        ("the boat is gone, as you said", "said", "you", "i", "the boat is gone"),
        ("I told you about the ledger", "said", "i", "you", "the ledger"),
        ("according to Mara, the boat is gone", "said", "mara", "i", "the boat is gone"),
        ("Viktor owes me fifty", "owes", "viktor", "i", "fifty"),
        ("that's my umbrella", "owns", "i", "", "umbrella"),
        ("give me back my knife", "owns", "i", "", "knife"),
        ("didn't you promise me the key?", "promised", "you", "i", "the key"),
        ("what did you say about the moon?", "said", "you", "i", "the moon"),
    ],
)
def test_a_claim_is_read_with_who_and_what(text: str, kind: str, by: str, to: str, what: str) -> None:
    claim = claim_in(text)
    assert claim is not None
    assert (claim.kind, claim.by, claim.to, claim.what) == (kind, by, to, what)


@pytest.mark.parametrize(
    "text",
    [
        *("did you promise me the key?", "where is Jin", "tell me about Jin", "give me the key", "you told me so"),
        *("that's my business", "he said so", "give Viktor my card", "take the key", "you", "", "no", "I think so"),
    ],
)
def test_what_claims_nothing_is_no_claim(text: str) -> None:
    assert claim_in(text) is None


def test_a_promise_holds_by_the_record_and_for_whom_it_was_given() -> None:
    state = promised(w.VIKTOR, w.JO, "lend you the boat")
    assert holds("you promised me the boat", state)
    assert not holds("you promised me the boat and fifty", state)
    assert not holds("you promised me the key", state)
    assert not holds("Mara promised me the boat", state)
    assert not holds("I promised you the boat", state)


def test_a_promise_that_was_not_given_names_the_one_that_was() -> None:
    state = promised(w.VIKTOR, w.JO, "lend you the boat")
    (other,) = checked("you promised me the key", state)
    assert not other.holds
    assert [state.facts[fact_id].object["what"] for fact_id in other.evidence] == ["lend you the boat"]
    (none,) = checked("you promised me the key", promised(w.MARA, w.JO, "lend you the boat"))
    assert not none.evidence


def test_a_debt_is_no_promise() -> None:
    state = promised(w.VIKTOR, w.JO, "50 credits", predicate="owes")
    assert holds("you owe me fifty credits", state)
    assert not holds("you promised me fifty credits", state)


def test_what_is_on_the_record_and_not_the_players_to_know_bears_nothing_out() -> None:
    state = promised(w.VIKTOR, w.MARA, "lend you the boat")
    assert checked("Viktor promised Mara the boat", state) == []
    assert not holds("you promised me the boat", state)


def test_what_was_told_was_said_by_whose_it_is_and_not_by_others() -> None:
    state = told(w.PIER_9)
    assert holds("you told me that Jin's last run went to Pier 9", state)
    assert not holds("Mara told me that Jin's last run went to Pier 9", state)
    assert not holds("you told me that Jin's last run went to Pier 8", state)


def test_what_nobody_has_told_yet_is_not_confirmed_though_it_is_so() -> None:
    assert not holds("you told me that Jin's last run went to Pier 9")
    assert not holds("you told me that you owe the Guild four hundred")


def test_what_was_found_was_told_by_nobody() -> None:
    assert not holds("you told me that Jin's last run went to Pier 9", told(w.PIER_9, how="found"))


def test_what_was_passed_on_was_said_by_the_player() -> None:
    state = w.after(told(w.LEDGER, how="found"), o.RevealItem(item_id=w.LEDGER, to=w.VIKTOR, how="told"))
    assert holds("I told you about the ledger", state)
    assert not holds("I told Mara about the ledger", state)


def test_what_is_carried_is_ones_own_and_nothing_else_is() -> None:
    assert holds("that's my business card")
    assert holds("that card is mine")
    assert not holds("that's my coin")
    assert not holds("that key is mine")


def message(owner: str, kind: str, content: str) -> Message:
    return Message.model_validate({"owner": owner, "type": kind, "turn_id": "t1", "seq": 1, "content": content})


def test_words_that_were_quoted_were_said_by_whoever_is_named_beside_them() -> None:
    quoted = message("narrator", "narration", "Viktor shrugs. “The tide turns at nine.”\n\nMara says, “Not so.”")
    assert holds("you told me that the tide turns at nine", said=[quoted])
    assert not holds("Mara told me that the tide turns at nine", said=[quoted])
    unquoted = message("narrator", "narration", "Viktor shrugs. The tide turns at nine.")
    assert not holds("you told me that the tide turns at nine", said=[unquoted])


def test_what_the_player_typed_was_said_to_whom_it_names_and_a_claim_bears_out_no_claim() -> None:
    typed = message(w.JO, "intention", "tell viktor the tide turns at nine")
    assert holds("I told you that the tide turns at nine", said=[typed])
    assert not holds("I told Mara that the tide turns at nine", said=[typed])
    claimed = message(w.JO, "intention", "Viktor, I told you that the tide turns at nine")
    assert not holds("I told you that the tide turns at nine", said=[claimed])


def test_a_claim_within_other_words_is_found_and_each_once() -> None:
    found = checked("Viktor, you promised me the key. You promised me the key, so give me the key!")
    assert [one.what for one in found] == ["the key"]
    assert checked("tell Viktor that you promised me fifty")[0].put_to == w.VIKTOR


def test_where_nobody_can_be_meant_nothing_is_claimed() -> None:
    assert checked("you promised me the key", to=None) == []  # two are here, and neither is spoken to


def test_who_heard_a_claim_is_shown_no_evidence() -> None:
    (one,) = checked("you told me that Jin's last run went to Pier 9", told(w.PIER_9))
    assert one.evidence and "evidence" not in one.shown()


@pytest.mark.parametrize(
    ("text", "claimed", "so"),
    [
        ("Jin asked me how long it stays open.", "Jin asked you how long it stays open", True),
        ("Jin asked me how long it stays open.", "you asked Jin how long it stays open", False),
        ("A body comes up on the ninth day, and this is the fourth.", "a body comes up on the ninth day", True),
        ("A body comes up on the ninth day, and this is the fourth.", "a body comes up on the fourth day", False),
        ("He did not take the boat.", "he took the boat", False),
        ("He did not take the boat.", "he did not take the boat", True),
        ("One crate went out, and nothing came back.", "a crate went out", True),
        ("One crate went out, and nothing came back.", "no crate went out", False),
        ("People say that Jin is dead.", "Jin is dead", False),
        ("If the tide is late, Jin is dead.", "Jin is dead", False),
        ("Fifty boats.", "50 boats", True),
        ("Jin is dead.", "she is", False),
    ],
)
def test_a_text_says_what_stands_in_it_and_not_what_only_shares_its_words(text: str, claimed: str, so: bool) -> None:
    state = w.small_world(entities={**w.entities(), "town:jin": w.person("town:jin", "Jin")})
    assert supports_claim(text, claimed, state) is so
