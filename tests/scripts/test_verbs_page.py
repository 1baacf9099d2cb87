"""The page of verbs is made from their records."""

from __future__ import annotations

import verbs_page
from lorewright.rules.verbs import verbs


def test_the_page_is_what_the_records_say() -> None:
    page = verbs_page.page()
    assert verbs_page.FILE.read_text(encoding="utf-8") == page, "python scripts/verbs_page.py writes it"
    assert [verb.name for verb in verbs().values() if f"\n## {verb.name}\n" not in page] == []
    assert [verb.name for verb in verbs().values() if verb.summary not in page] == []
