"""What the packs give in place of keys of the scenarios that ship is listed on the reference page."""

from __future__ import annotations

import pytest

import underived


@pytest.mark.campaign
def test_the_reference_page_lists_what_differs_when_a_key_is_taken_out() -> None:
    found = list(underived.lines())
    page = underived.PAGE.read_text(encoding="utf-8")
    assert page == underived.page_with(underived.table(found), page), "python scripts/underived.py --write writes it"
    assert len({scenario for scenario, _, _ in found}) == 7
    # A start is never made of anything but the places.
    starts = {scenario: told for scenario, key, told in found if key == "start"}
    assert starts.pop("tic_tac_toe").startswith("needed: ")
    assert set(starts.values()) == {"same"}


def test_keys_are_grouped_by_what_their_packs_give() -> None:
    rows = underived.table(
        [("boat", "start", "same"), ("boat", "cast", "positions: -motel_verse:ada"), ("boat", "things", "needed: x")]
    )
    assert "| `boat` | `start` | `cast`: positions: -ada | `things` |" in rows
