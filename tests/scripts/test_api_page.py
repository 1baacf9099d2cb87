"""docs/api.md is of today, and has every operation of the API's document."""

from __future__ import annotations

import re
from pathlib import Path

import api_page
from lorewright.service import web


def test_the_page_of_the_api_is_of_today() -> None:
    page = api_page.page()
    assert api_page.FILE.read_text(encoding="utf-8") == page, "python scripts/api_page.py writes it"


def test_every_operation_of_the_document_stands_on_the_page_with_what_it_does() -> None:
    page = api_page.page()
    for path, operations in api_page.document()["paths"].items():
        for method in operations:
            (row,) = [line for line in page.splitlines() if line.startswith(f"| {method.upper()} | `{path[3:]}` |")]
            assert len(row.split("|")[4].split()) > 1, row


def test_the_page_names_every_code_of_a_refusal() -> None:
    page = api_page.page()
    sources = [path.read_text(encoding="utf-8") for path in Path(web.__file__).parent.rglob("*.py")]
    codes = {code for text in sources for code in re.findall(r'code="(\w+)"', text)}
    assert codes >= {"unknown_host", "request_invalid"}
    assert sorted(code for code in codes if f"| `{code}` |" not in page) == []
