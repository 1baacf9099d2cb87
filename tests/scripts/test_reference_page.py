"""The tables of the reference page are those that the models make, and each key has a line."""

from __future__ import annotations

import reference_page
from lorewright.authoring.author_schemas import author_schemas, descriptions


def test_the_reference_page_has_the_tables_of_the_models() -> None:
    page = reference_page.PAGE.read_text(encoding="utf-8")
    tables = reference_page.tables()
    assert page == reference_page.page_with(tables, page), "python scripts/reference_page.py writes it"
    for name, table in tables.items():
        assert table.count("\n") > 20, name
        assert table in page


def test_every_key_of_every_schema_has_a_description_and_none_is_left_over() -> None:
    without, models = [], set()
    for name, make in author_schemas().items():
        schema = make()
        for model, part in ((name, schema), *schema.get("$defs", {}).items()):
            models.add(model)
            without += [
                f"{name}: {model}.{key}"
                for key, of_key in part.get("properties", {}).items()
                if "description" not in of_key
            ]
    assert without == []
    assert set(descriptions()) <= models


def test_an_act_is_one_of_a_list_in_the_schema() -> None:
    trigger = author_schemas()["scenario"]()["$defs"]["RuleTrigger"]["properties"]["act"]
    assert {"ask", "persuade", "attempt"} <= set(trigger["anyOf"][0]["enum"])
    assert "asking" not in trigger["anyOf"][0]["enum"]
