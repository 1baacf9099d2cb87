"""Taxonomy: a model's key -> its row: provider, name there, context window, how it is held to a schema, and price. The
one table of models; users add rows in `lorewright.toml`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from lorewright.addresses import OWN_SERVERS, choose_address, host_of, is_on_this_machine
from lorewright.errors import SettingsError
from lorewright.llm.model import ModelReply
from lorewright.settings import ModelSettings, ModelsSettings

Provider = Literal["anthropic", "openai", "google", "openai-compatible", "builtin"]
Mode = Literal["native", "tool", "prompted"]

BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in dollars per million tokens, which is also millionths of a dollar per token."""

    input: float
    output: float
    cache_read: float
    cache_write: float

    def cost_microusd(self, read: int, written: int, *, cache_read: int = 0, cache_write: int = 0) -> int:
        """Return the cost of a call in millionths of a dollar, rounded up; `read` counts the cached parts as well."""
        plain = max(read - cache_read - cache_write, 0)
        parts = (plain * self.input, cache_read * self.cache_read, cache_write * self.cache_write)
        return math.ceil(round(sum(parts) + written * self.output, 6))

    def cost_of(self, reply: ModelReply) -> int:
        """Return the cost of a reply in millionths of a dollar."""
        return self.cost_microusd(
            reply.input_tokens,
            reply.output_tokens,
            cache_read=reply.cache_read_tokens,
            cache_write=reply.cache_write_tokens,
        )


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model that can be chosen by its key.

    `family` is its name in `[models.base_urls]`: the provider, or the family of the key. `window` is how many tokens it
    reads, None where unknown. `key_env` names the environment variable of its API key, `other_key_env` the one that is
    read where that is not set; with `key_needed` one of them must be set. `base_url` is the address that a user's row
    gives, `url_env` the variable whose address goes before all settings. Without `prices` a call is counted as free.
    """

    key: str
    provider: Provider
    model: str
    window: int | None = None
    mode: Mode = "native"
    prices: Prices | None = None
    key_env: str | None = None
    key_needed: bool = True
    url_env: str | None = None
    base_url: str | None = None
    family: str = ""
    other_key_env: str | None = None

    @property
    def is_paid(self) -> bool:
        """True if a call may cost money, as far as the table knows."""
        return self.prices is not None and (self.prices.input > 0 or self.prices.output > 0)


def _claude(key: str, model: str, *prices: float) -> ModelRow:
    return _row(key, "anthropic", model, 1_000_000, Prices(*prices), "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")


def _row(
    key: str,
    provider: Provider,
    model: str,
    window: int,
    prices: Prices,
    key_env: str,
    url_env: str,
    *,
    other_key_env: str | None = None,
) -> ModelRow:
    row = ModelRow(key, provider, model, window, "native", prices, key_env, url_env=url_env, family=provider)
    return replace(row, other_key_env=other_key_env)


# Windows and prices are those of the library genai-prices, which pydantic-ai counts with; a test holds them to it. They
# are listed here because importing that library takes longer. Where a price rises with the length of the input, this is
# the price of short requests: ours are a hundredth of such lengths.
_ROWS: dict[str, ModelRow] = {
    row.key: row
    for row in (
        _claude("claude-sonnet", "claude-sonnet-5-5", 2, 10, 0.1, 2.5),
        _claude("claude-haiku", "claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125),
        _claude("claude-opus", "claude-opus-5-5", 4, 20, 0.2, 5),
        _row(
            "gpt-5.2", "openai", "gpt-5.2", 400_000, Prices(1.75, 14, 0.175, 1.75), "OPENAI_API_KEY", "OPENAI_BASE_URL"
        ),
        _row(
            "google-pro",
            "google",
            "gemini-3.1-pro-preview",
            1_048_576,
            Prices(2, 12, 0.2, 2),
            "GOOGLE_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            other_key_env="GEMINI_API_KEY",
        ),
        ModelRow(
            "deepseek-v32",
            "openai-compatible",
            "deepseek-v3.2",
            128_000,
            # Their chat API takes no JSON schema as the format of an answer, but strict enough tools.
            "tool",
            Prices(0.2288, 0.3432, 0.2288, 0.2288),
            "DEEPSEEK_API_KEY",
            url_env="DEEPSEEK_BASE_URL",
            family="deepseek",
        ),
    )
}

# Families: the text after the slash is the model's name.
_FAMILIES: dict[str, ModelRow] = {
    "ollama": ModelRow(
        "ollama",
        "openai-compatible",
        "",
        key_env="OLLAMA_API_KEY",
        key_needed=False,
        url_env="OLLAMA_BASE_URL",
        family="ollama",
    ),
    "openai-compatible": ModelRow(
        "openai-compatible",
        "openai-compatible",
        "",
        key_env="OPENAI_COMPATIBLE_API_KEY",
        key_needed=False,
        url_env="OPENAI_COMPATIBLE_BASE_URL",
        family="openai-compatible",
    ),
}

_BUILTIN_ROW = ModelRow(BUILTIN, "builtin", "deterministic, built in", key_needed=False, family="builtin")


def rows(settings: ModelsSettings) -> list[ModelRow]:
    """Return every model that has a row of its own: `builtin`, the known ones, the user's. Families have none: see
    `families`.

    Raises:
        SettingsError: a user's row has a key that is taken, or lacks a field.
    """
    return [_BUILTIN_ROW, *_ROWS.values(), *(_own(key, given, settings) for key, given in settings.keys.items())]


def families() -> list[ModelRow]:
    """Return the rows of `ollama/NAME` and `openai-compatible/NAME`, with an empty model."""
    return list(_FAMILIES.values())


def row_of(key: str, settings: ModelsSettings) -> ModelRow:
    """Return the row of a key.

    Raises:
        SettingsError: there is no such key; the hint lists those that there are.
    """
    known = {row.key: row for row in rows(settings)}
    if key in known:
        return known[key]
    family, _, name = key.partition("/")
    if family in _FAMILIES and name:
        return replace(_FAMILIES[family], key=key, model=name)
    listed = ", ".join([*known, *(f"{family}/NAME" for family in _FAMILIES)])
    raise SettingsError(
        f"there is no model {key!r}", hint=f"known are: {listed}; add one under [models.keys.NAME] in lorewright.toml"
    )


def address_of(row: ModelRow, settings: ModelsSettings, environ: Mapping[str, str]) -> str | None:
    """Return where a model is asked, as `asked_at` does, with None for its provider's own server.

    Raises:
        SettingsError: it has no provider, and nothing gives its address.
    """
    url = asked_at(row, settings, environ)
    return None if url == OWN_SERVERS.get(row.provider) else url


def asked_at(row: ModelRow, settings: ModelsSettings, environ: Mapping[str, str]) -> str | None:
    """Return the address at which a model is asked: from the environment, else its row, else `[models.base_urls]`, else
    its family's own server; None for what is built in.

    Raises:
        SettingsError: it has no provider, and nothing gives its address.
    """
    named = (environ.get(row.url_env) or "").strip() if row.url_env else ""
    url = named or choose_address(row.family, row.base_url, settings.base_urls)
    if url is None and row.provider == "openai-compatible":
        raise SettingsError(
            f"{row.key} has no address",
            hint=f"set {row.url_env or 'base_url in its row'} to the server's address, or `{row.family} = URL` under "
            "[models.base_urls] in lorewright.toml",
        )
    return url


def may_cost(row: ModelRow, address: str | None) -> bool:
    """Return whether a call may cost money: it has a price, or it leaves this machine. A price of zero is no promise of
    a remote server.
    """
    return row.is_paid or (address is not None and not is_on_this_machine(address))


def _own(key: str, given: ModelSettings, settings: ModelsSettings) -> ModelRow:
    if key in _ROWS or key == BUILTIN or key.partition("/")[0] in _FAMILIES:
        raise SettingsError(
            f"lorewright.toml: models.keys.{key}: that key is taken", hint="give your model a name of its own"
        )
    if given.provider == "openai-compatible" and given.base_url is None:
        raise SettingsError(f"lorewright.toml: models.keys.{key}: it has no address", hint="add base_url to its row")
    known = next((row for row in _ROWS.values() if row.provider == given.provider), None)
    return ModelRow(
        key=key,
        provider=given.provider,
        model=given.model,
        window=given.window,
        mode=given.mode,
        prices=_prices(given, settings),
        key_env=given.key_env or (known.key_env if known and given.provider != "openai-compatible" else None),
        key_needed=given.key_env is not None or given.provider != "openai-compatible",
        # A row with an address is asked there, whatever address the environment gives for its provider.
        url_env=known.url_env if known and given.base_url is None else None,
        base_url=given.base_url,
        other_key_env=known.other_key_env if known and given.key_env is None else None,
        family=key if given.base_url is not None else given.provider,
    )


def _prices(given: ModelSettings, settings: ModelsSettings) -> Prices | None:
    """Return a row's prices, but no less than the table's where that knows the model at its vendor's own server. Prices
    of zero count as unknown.
    """
    told, known = _told_prices(given), _known_prices(given, settings)
    if told is None or known is None:
        return told or known
    return Prices(
        max(told.input, known.input),
        max(told.output, known.output),
        max(told.cache_read, known.cache_read),
        max(told.cache_write, known.cache_write),
    )


def _told_prices(given: ModelSettings) -> Prices | None:
    told = given.prices
    if told is None or (told.input == 0 and told.output == 0):
        return None
    read = told.input if told.cache_read is None else told.cache_read
    write = told.input if told.cache_write is None else told.cache_write
    return Prices(told.input, told.output, read, write)


def _known_prices(given: ModelSettings, settings: ModelsSettings) -> Prices | None:
    address = choose_address(given.provider, given.base_url, settings.base_urls) or ""
    for row in _ROWS.values():
        own_server = OWN_SERVERS[row.family]
        if host_of(address) == host_of(own_server) and _plain_name(given.model) == _plain_name(row.model):
            return row.prices
    return None


def _plain_name(model: str) -> str:
    """Return a name without the date or `latest` at its end and the folder before it, as vendors know it too."""
    return re.sub(r"[-@](latest|\d{4}-?\d\d-?\d\d)$", "", model.casefold().removeprefix("models/"))


# Tiers: a stage -> the key of the model that it asks. The one table of the stages that need a large model.

Tier = Literal["small", "large"]

TIERS: dict[str, Tier] = {
    "interpreter": "small",
    "resolution": "small",
    "npc_intent": "small",
    "persona_extractor": "small",
    "character_extractor": "small",
    "lore_extractor": "small",
    "summariser": "small",
    "planner": "large",
    "narrator": "large",
    "recap": "large",
    "scenario_generator": "large",
}

# These are built in unless the settings say otherwise: models seldom do better there.
BUILTIN_UNLESS_SET = frozenset({"planner"})


def key_for(stage: str, *, small: str, large: str, settings: ModelsSettings) -> str:
    """Return the key of the model that a stage asks, `builtin` where it asks none.

    `small` and `large` are the keys of the campaign's tiers; where a tier is `builtin`, so are its stages. Under
    `[models.stages]` the settings may name another tier for a stage, a key, or `builtin`.

    Raises:
        SettingsError: there is no such stage, or the settings name an unknown one.
    """
    unknown = sorted({stage, *settings.stages} - set(TIERS))
    if unknown:
        raise SettingsError(f"there is no stage {unknown[0]!r}", hint=f"stages are: {', '.join(TIERS)}")
    of_tier = {"small": small, "large": large}
    told = settings.stages.get(stage)
    if told is not None:
        return of_tier.get(told, told)
    return BUILTIN if stage in BUILTIN_UNLESS_SET else of_tier[TIERS[stage]]


# Estimate: the models of a campaign's tiers -> what a turn may cost with them, before one was played.


@dataclass(frozen=True, slots=True)
class Typical:
    """The typical use of a call in the midst of a scene, in tokens, and in how many of a hundred turns it is made."""

    read: int
    cached: int
    written: int
    in_hundred: int = 100


# Read and cached: means over twelve turns of Dead Drop. Written: a narration of some 180 words, a handful of proposals.
# The interpreter asks where the built-in one is unsure, resolution where a rulebook decides: rough guesses at how
# often.
TYPICAL: dict[str, Typical] = {
    "narrator": Typical(1_900, 950, 250),
    "lore_extractor": Typical(800, 400, 120),
    "planner": Typical(1_000, 500, 120),
    "interpreter": Typical(900, 500, 80, in_hundred=20),
    "resolution": Typical(1_200, 500, 200, in_hundred=20),
}
# Further calls of some campaigns: where others act of their own accord, and in a long game. Rough guesses, with one or
# two of the cast acting in a turn.
BESIDE: dict[str, Typical] = {
    "npc_intent": Typical(1_100, 400, 90, in_hundred=150),
    "persona_extractor": Typical(700, 300, 40),
    "character_extractor": Typical(700, 300, 40, in_hundred=150),
    "summariser": Typical(3_000, 300, 250, in_hundred=5),
}


def estimate_turn_cost(*, small: str, large: str, settings: ModelsSettings) -> int | None:
    """Return what a turn costs with these two models, in millionths of a dollar, about; None where a model that is
    asked has no price in the table.

    Raises:
        SettingsError: there is no such key, or the settings name an unknown stage.
    """
    total = 0.0
    for stage, typical in TYPICAL.items():
        row = row_of(key_for(stage, small=small, large=large, settings=settings), settings)
        if row.provider == "builtin":
            continue
        if row.prices is None:
            return None
        total += _call_microusd(row, typical) * typical.in_hundred / 100
    return math.ceil(total)


def _call_microusd(row: ModelRow, typical: Typical) -> float:
    assert row.prices is not None
    return row.prices.cost_microusd(typical.read, typical.written, cache_read=typical.cached)
