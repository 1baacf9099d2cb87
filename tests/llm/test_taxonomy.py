"""The table of models, the user's rows in it, and which model each stage asks."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lorewright.errors import SettingsError
from lorewright.llm.opening import has_key, open_model
from lorewright.llm.taxonomy import TIERS, Prices, address_of, families, key_for, row_of, rows
from lorewright.settings import USUAL_ANSWERS, AnswerTokens, ModelsSettings, read_workspace
from support.trusted_settings import trusted

NONE = ModelsSettings()
PRICED = [row for row in rows(NONE) if row.prices is not None]


def written(folder: Path, text: str) -> ModelsSettings:
    (folder / "lorewright.toml").write_text(text, encoding="utf-8")
    return read_workspace(folder).settings.models


@pytest.mark.parametrize("row", PRICED, ids=lambda row: row.key)
def test_prices_and_windows_are_those_of_the_library_that_counts_them(row: object) -> None:
    from genai_prices.data_snapshot import get_snapshot

    assert row in PRICED  # for the type
    _, model = get_snapshot().find_provider_model(row.model, None, row.family, None)  # type: ignore[attr-defined]
    prices = model.get_prices(datetime(2026, 11, 22, 12, tzinfo=UTC))

    def of(name: str, otherwise: float) -> float:
        price = getattr(prices, name)
        return otherwise if price is None else float(getattr(price, "base", price))

    read = of("input_mtok", 0)
    theirs = Prices(read, of("output_mtok", 0), of("cache_read_mtok", read), of("cache_write_mtok", read))
    assert row.prices == theirs  # type: ignore[attr-defined]
    assert model.context_window in (None, row.window)  # type: ignore[attr-defined]


def test_what_was_cached_is_paid_as_such() -> None:
    prices = Prices(2, 10, 0.1, 2.5)
    assert prices.cost_microusd(1_000, 100) == 3_000
    assert prices.cost_microusd(1_000, 100, cache_read=600, cache_write=300) == 200 + 60 + 750 + 1_000
    assert Prices(0.1, 0, 0, 0).cost_microusd(1, 0) == 1


def test_a_family_takes_any_name() -> None:
    row = row_of("ollama/qwen3:8b", NONE)
    assert (row.model, row.provider, row.is_paid) == ("qwen3:8b", "openai-compatible", False)
    assert row_of("openai-compatible/org/model", NONE).model == "org/model"


def test_an_unknown_key_is_told_with_all_that_there_are() -> None:
    with pytest.raises(SettingsError, match="'claude'") as caught:
        row_of("claude", NONE)
    assert all(row.key in (caught.value.hint or "") for row in [*rows(NONE), *families()])


def test_a_row_of_ones_own_is_a_key_like_any_other(tmp_path: Path) -> None:
    settings = written(
        tmp_path,
        """
        [models.keys.mine]
        provider = "openai-compatible"
        model = "big-1"
        base_url = "http://127.0.0.1:9/v1"
        key_env = "MY_KEY"
        window = 32000
        mode = "prompted"
        prices = { input = 1.5, output = 6.0, cache_read = 0.2 }
        """,
    )
    row = row_of("mine", settings)
    assert (row.window, row.mode, row.prices) == (32_000, "prompted", Prices(1.5, 6.0, 0.2, 1.5))
    assert address_of(row, settings, {}) == "http://127.0.0.1:9/v1"
    trusted(tmp_path)
    with pytest.raises(SettingsError, match="MY_KEY is not set"):
        open_model("mine", settings, environ={})
    assert has_key(row, {"MY_KEY": "x"}) is True


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[models.keys.mine]\nprovider = "openia"\nmodel = "x"', "models.keys.mine.provider"),
        ('[models.keys.mine]\nprovider = "openai"', "models.keys.mine.model"),
        ('[models.keys.mine]\nprovider = "openai"\nmodel = "x"\nbase_url = "file:///etc"', "models.keys.mine.base_url"),
        ("[models.budget]\nturn_usd = -1", "models.budget.turn_usd"),
        ("[models]\ntries = 0", "models.tries"),
        ("[models]\ntemperature = 1", "models.temperature"),
    ],
)
def test_what_is_wrong_with_the_settings_is_told_with_file_and_field(tmp_path: Path, text: str, field: str) -> None:
    with pytest.raises(SettingsError) as caught:
        written(tmp_path, text)
    assert f"lorewright.toml: {field}" in caught.value.message
    assert "[models" in (caught.value.hint or "")


@pytest.mark.parametrize("key", ["claude-sonnet", "builtin", "ollama/mine"])
def test_nobody_takes_a_key_that_is_taken(tmp_path: Path, key: str) -> None:
    settings = written(tmp_path, f'[models.keys."{key}"]\nprovider = "anthropic"\nmodel = "x"')
    with pytest.raises(SettingsError, match="taken"):
        row_of(key, settings)


def test_the_environment_says_where_a_model_is_asked_before_the_settings_do() -> None:
    settings = ModelsSettings(base_urls={"ollama": "http://there/v1"})
    row = row_of("ollama/x", settings)
    assert address_of(row, NONE, {}) == "http://127.0.0.1:11434/v1"
    assert address_of(row, settings, {}) == "http://there/v1"
    assert address_of(row, settings, {"OLLAMA_BASE_URL": "http://here/v1"}) == "http://here/v1"


def test_a_server_that_nobody_named_is_asked_for() -> None:
    with pytest.raises(SettingsError, match="has no address") as caught:
        open_model("openai-compatible/x", NONE, environ={})
    assert "OPENAI_COMPATIBLE_BASE_URL" in (caught.value.hint or "")


def test_a_missing_key_names_its_variable() -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY is not set"):
        open_model("claude-sonnet", NONE, environ={})
    with pytest.raises(SettingsError, match="GOOGLE_API_KEY is not set"):
        open_model("google-pro", NONE, environ={"GOOGLE_API_KEY": " \n"})


def test_a_key_may_stand_under_its_other_name() -> None:
    row = row_of("google-pro", NONE)
    assert has_key(row, {"GEMINI_API_KEY": "k-123"}) is True
    assert open_model("google-pro", NONE, environ={"GEMINI_API_KEY": "k-123"}) is not None
    assert has_key(row_of("claude-opus", NONE), {"GEMINI_API_KEY": "k-123"}) is False


def test_what_is_built_in_is_no_model() -> None:
    assert open_model("builtin", NONE, environ={}) is None


def test_stages_ask_the_model_of_their_tier_and_the_planner_none() -> None:
    keys = {stage: key_for(stage, small="s", large="l", settings=NONE) for stage in TIERS}
    assert keys["narrator"] == keys["recap"] == keys["scenario_generator"] == "l"
    assert keys["interpreter"] == keys["resolution"] == keys["lore_extractor"] == keys["summariser"] == "s"
    assert keys["planner"] == "builtin"


@pytest.mark.parametrize(
    ("told", "asked"), [("large", "l"), ("small", "s"), ("builtin", "builtin"), ("gpt-5.2", "gpt-5.2")]
)
def test_the_settings_say_what_a_stage_asks(told: str, asked: str) -> None:
    settings = ModelsSettings(stages={"planner": told})
    assert key_for("planner", small="s", large="l", settings=settings) == asked
    assert key_for("narrator", small="s", large="l", settings=settings) == "l"


def test_a_stage_that_there_is_not_is_told() -> None:
    with pytest.raises(SettingsError, match="narator"):
        key_for("planner", small="s", large="l", settings=ModelsSettings(stages={"narator": "large"}))


@pytest.mark.campaign
def test_to_open_a_model_imports_no_sdk() -> None:
    script = (
        "import sys; from lorewright.llm.opening import open_model; from lorewright.settings import ModelsSettings; "
        "open_model('claude-sonnet', ModelsSettings(), environ={'ANTHROPIC_API_KEY': 'k'}); "
        "print([name for name in ('pydantic_ai', 'anthropic', 'openai', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.campaign
def test_what_the_first_question_needs_can_be_imported_beforehand() -> None:
    script = (
        "import sys; from lorewright.llm.opening import load_sdk; from lorewright.settings import ModelsSettings; "
        "load_sdk('builtin', ModelsSettings()); assert 'pydantic_ai' not in sys.modules; "
        "load_sdk('claude-sonnet', ModelsSettings()); print('anthropic' in sys.modules, 'openai' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("True False", "")


# Lengths of answers.


def test_every_stage_has_a_usual_length_of_its_answers() -> None:
    assert set(AnswerTokens.model_fields) == set(TIERS)


def test_the_length_of_answers_is_set_by_stage_and_the_others_keep_theirs(tmp_path: Path) -> None:
    lengths = written(tmp_path, "[models.answer_tokens]\nnarrator = 600").answer_tokens
    assert (lengths.of("narrator"), lengths.of("planner")) == (600, USUAL_ANSWERS.planner)
    assert lengths.of("check") is None


@pytest.mark.parametrize(
    ("text", "field"), [("narator = 600", "narator"), ("planner = 10", "planner"), ("recap = 1000000", "recap")]
)
def test_a_length_of_no_stage_or_out_of_bounds_is_told_with_the_stages_that_there_are(
    tmp_path: Path, text: str, field: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        written(tmp_path, f"[models.answer_tokens]\n{text}")
    assert f"lorewright.toml: models.answer_tokens.{field}: " in caught.value.message
    assert "from 64 to 32000; stages are: interpreter, planner" in (caught.value.hint or "")
