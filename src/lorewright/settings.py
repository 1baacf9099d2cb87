"""`lorewright.toml` -> Settings, and the folders of a workspace."""

from __future__ import annotations

import os
import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from platformdirs import user_data_path
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from lorewright.addresses import KEY_VARIABLES, check_address, check_key_variable, choose_address
from lorewright.bounded_files import MAX_WRITTEN_BYTES, read_text
from lorewright.errors import NotTrusted, SettingsError
from lorewright.grants import TRUSTED_VARIABLE, find_workspace_grant, is_trusted_by_environment

SETTINGS_FILE = "lorewright.toml"
WORKSPACE_VARIABLE = "LOREWRIGHT_WORKSPACE"
# The address of the PostgreSQL database that keeps the campaigns. No setting of a file: a workspace that somebody sent
# would say where what is played goes, and with which password of this user.
DATABASE_VARIABLE = "LOREWRIGHT_DATABASE"
# These override what `lorewright.toml` says under [index].
EMBEDDER_VARIABLE = "LOREWRIGHT_EMBEDDER"
CHROMA_VARIABLE = "LOREWRIGHT_CHROMA"
_VARIABLES = {"embedder": EMBEDDER_VARIABLE, "chroma": CHROMA_VARIABLE}
_HINT = (
    "known are: name; limit, max_tokens and the budgets of games under [lore]; embedder, base_url, chroma under "
    "[index]; and what is under [models]"
)
_MODELS_HINT = (
    "known are: timeout_seconds, tries, pause_seconds, concurrency under [models]; provider, model, base_url, key_env, "
    "window, mode, prices under [models.keys.NAME]; a tier or a key for a stage under [models.stages]; turn_usd, "
    "sitting_usd, turn_tokens, sitting_tokens under [models.budget]; a URL for a provider under [models.base_urls]; a "
    "number of tokens for a stage under [models.answer_tokens]"
)
Address = Annotated[str, AfterValidator(check_address)]
# The families that [models.base_urls] may name.
_FAMILIES = tuple(family for family in KEY_VARIABLES if family != "voyage")
# More models or stages than anybody needs; each is a line in the question whether settings are trusted.
_MOST_ENTRIES = 64
# The most characters of a name in an error, and the most links that are followed from a settings file.
_LONGEST_NAME = 80
_MOST_LINKS = 256
FOLDERS = ("content_packs", "scenarios", "prompts", "indexes", "campaigns")


@dataclass(frozen=True, slots=True)
class SettingsSource:
    """The origin of settings: the folder of the workspace, all that its file says, and the keys of [index] that the
    environment overrides. Settings that a program makes for itself have none."""

    root: Path
    written: Settings
    by_environment: frozenset[str]


class PlayLore(BaseModel):
    """How much lore a game has, in tokens and sections.

    `scene_tokens` are of what is retrieved for a scene when it opens, besides what belongs to it by ID;
    `standing_tokens` of what stands in every scene; `asked_*` of what is retrieved for a player's words, `history_*` of
    what happened before; `session_*` of what a sitting begins with. `packet_tokens` bounds a stage's whole packet.
    `narrator_*` are the tokens, as estimated, that the narrator's prompt shows of each.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    scene_tokens: int = Field(default=1_200, ge=0)
    standing_tokens: int = Field(default=400, ge=0)
    asked_tokens: int = Field(default=800, ge=0)
    asked_limit: int = Field(default=4, ge=1, le=1000)
    history_tokens: int = Field(default=400, ge=0)
    history_limit: int = Field(default=2, ge=1, le=1000)
    session_tokens: int = Field(default=1_200, ge=0)
    session_limit: int = Field(default=8, ge=1, le=1000)
    # The room for the packet in a prompt of 8,000 tokens.
    packet_tokens: int = Field(default=6_000, ge=0)
    narrator_place_tokens: int = Field(default=900, ge=0)
    narrator_scene_tokens: int = Field(default=600, ge=0)
    narrator_standing_tokens: int = Field(default=500, ge=0)
    narrator_session_tokens: int = Field(default=400, ge=0)
    narrator_asked_tokens: int = Field(default=300, ge=0)


USUAL_LORE = PlayLore()


class LoreSettings(PlayLore):
    """How much a query returns by default, and how much lore a game has."""

    limit: int = Field(default=10, ge=1, le=1000)
    max_tokens: int = Field(default=3000, ge=0)

    @property
    def of_query(self) -> dict[str, int]:
        """Return the fields of a query that have a default here."""
        return {"limit": self.limit, "max_tokens": self.max_tokens}

    @property
    def of_play(self) -> PlayLore:
        """Return the budgets of a game alone."""
        return PlayLore(**self.model_dump(exclude={"limit", "max_tokens"}))


class IndexSettings(BaseModel):
    """How packs are indexed.

    `embedder` is a key for `choosing.open_embedder`; `base_url` is the address of a remote embedder in place of its own
    server; `chroma` says whether installing builds a pack's Chroma, and whether that proposes the nearest: `auto`
    builds it, for other programs, and asks it only in a game or a service, once a pack is so large that this is faster.
    `reranker` is a key for `reranker_choice.open_reranker`.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    embedder: str = Field(default="minilm", min_length=1, max_length=200)
    base_url: Address | None = None
    chroma: Literal["auto", "always", "never"] = "auto"
    reranker: str = Field(default="none", min_length=1, max_length=200)

    _source: SettingsSource | None = PrivateAttr(default=None)

    @property
    def source(self) -> SettingsSource | None:
        """Where the settings were read; see `lorewright.trust`."""
        return self._source


class PriceSettings(BaseModel):
    """The price of a model, in dollars per million tokens. Cached prices that are not given are `input`."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    input: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    output: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    cache_read: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class ModelSettings(BaseModel):
    """A user-defined model, as in `[models.keys.NAME]`; NAME becomes its key.

    `base_url` is its address in place of its provider's server or that of `[models.base_urls]`, `key_env` the
    environment variable with its API key (none for a server that needs none; a well-known vendor's only for that
    vendor's own server), `window` how many tokens it reads, `mode` how it is held to a schema: by the provider's own
    guarantee (`native`), as a tool that it must call (`tool`), or by the words of the prompt (`prompted`).
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    provider: Literal["anthropic", "openai", "google", "openai-compatible"]
    model: str = Field(min_length=1, max_length=200)
    base_url: Address | None = None
    key_env: str | None = Field(default=None, max_length=200, pattern="^[A-Za-z_][A-Za-z0-9_]*$")
    window: int | None = Field(default=None, ge=1_000)
    mode: Literal["native", "tool", "prompted"] = "native"
    prices: PriceSettings | None = None

    @field_validator("key_env")
    @classmethod
    def _names_a_key_of_its_own(cls, given: str | None, so_far: ValidationInfo) -> str | None:
        if given is not None and "provider" in so_far.data and "base_url" in so_far.data:
            check_key_variable(given, provider=so_far.data["provider"], address=so_far.data["base_url"])
        return given


Unlimited = Literal["unlimited"]
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Tokens = Annotated[int, Field(ge=0)]


class BudgetSettings(BaseModel):
    """What models may cost at most, in a turn and in a sitting; `[models.budget]`. A call that could exceed it is not
    made. `"unlimited"` removes a limit that exists by default."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    turn_usd: Dollars | Unlimited = 0.50
    sitting_usd: Dollars | Unlimited = 5.00
    turn_tokens: Tokens | Unlimited = "unlimited"
    sitting_tokens: Tokens | Unlimited = "unlimited"


# The fewest and the most tokens that an answer may be allowed.
_FEWEST_TOKENS, _MOST_TOKENS = 64, 32_000
AnswerLength = Annotated[int, Field(ge=_FEWEST_TOKENS, le=_MOST_TOKENS)]


class AnswerTokens(BaseModel):
    """The most tokens of an answer, by stage; `[models.answer_tokens]`. What a model thinks before it answers counts at
    most providers. The defaults are the one table of answer lengths: about twice the longest answer of each stage, so
    that a model that repeats itself is stopped early.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    interpreter: AnswerLength = 1_024
    planner: AnswerLength = 2_048
    resolution: AnswerLength = 2_048
    npc_intent: AnswerLength = 1_024
    narrator: AnswerLength = 2_048
    lore_extractor: AnswerLength = 2_048
    persona_extractor: AnswerLength = 1_024
    character_extractor: AnswerLength = 1_024
    # A summary holds some 700 tokens, which as JSON, and by a model's own count, are up to 1,300.
    summariser: AnswerLength = 2_048
    recap: AnswerLength = 1_024
    # A whole outline of a scenario.
    scenario_generator: AnswerLength = 4_096

    def of(self, stage: str) -> int | None:
        """Return the most tokens of a stage's answer; None where it is no stage."""
        return getattr(self, stage) if stage in type(self).model_fields else None


USUAL_ANSWERS = AnswerTokens()
_ANSWERS_HINT = (
    f"give a stage a number of tokens from {_FEWEST_TOKENS} to {_MOST_TOKENS}; stages are: "
    f"{', '.join(AnswerTokens.model_fields)}"
)


class ModelsSettings(BaseModel):
    """The models besides the known ones, and how models are asked.

    `keys` are models by key, `stages` gives stages another tier or key than their own (`planner = "large"`),
    `base_urls` the addresses of providers or families (`ollama = "http://…/v1"`). A call takes at most
    `timeout_seconds`, with all its `tries` together, after a pause of `pause_seconds` before the second and longer ones
    before the next; of each provider at most `concurrency` calls run at a time. `answer_tokens` bounds answers.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    keys: dict[str, ModelSettings] = Field(default_factory=dict, max_length=_MOST_ENTRIES)
    stages: dict[str, str] = Field(default_factory=dict, max_length=_MOST_ENTRIES)
    base_urls: dict[str, Address] = Field(default_factory=dict, max_length=_MOST_ENTRIES)
    budget: BudgetSettings = BudgetSettings()
    answer_tokens: AnswerTokens = USUAL_ANSWERS
    timeout_seconds: float = Field(default=120.0, gt=0, le=3600)
    tries: int = Field(default=3, ge=1, le=10)
    pause_seconds: float = Field(default=1.0, ge=0, le=60)
    concurrency: int = Field(default=4, ge=1, le=64)

    _source: SettingsSource | None = PrivateAttr(default=None)

    @field_validator("base_urls")
    @classmethod
    def _names_families_and_misleads_no_key(cls, given: dict[str, str], so_far: ValidationInfo) -> dict[str, str]:
        keys: dict[str, ModelSettings] = so_far.data.get("keys", {})
        for family in given:
            if family in keys:
                raise ValueError(f"{_shorten(family)} is a key of your own: its address is base_url in its row")
            if family not in _FAMILIES:
                raise ValueError(f"{_shorten(family)} is no provider or family; there are: {', '.join(_FAMILIES)}")
        for name, own in keys.items():
            # Without an entry here the row has been checked by itself.
            if own.key_env is not None and own.base_url is None and own.provider in given:
                address = choose_address(own.provider, own.base_url, given)
                try:
                    check_key_variable(own.key_env, provider=own.provider, address=address)
                except ValueError as problem:
                    raise ValueError(f"with {own.provider} there, key_env of {_shorten(name)}: {problem}") from None
        return given

    @property
    def source(self) -> SettingsSource | None:
        """Where the settings were read; see `lorewright.trust`."""
        return self._source


class Settings(BaseModel):
    """All settings of `lorewright.toml`; an unknown key is an error."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    name: str = ""
    lore: LoreSettings = LoreSettings()
    index: IndexSettings = IndexSettings()
    models: ModelsSettings = ModelsSettings()


# How many turns an account of a service may play in a minute, unless its operator says otherwise.
TURNS_A_MINUTE = 60
# How many megabytes the campaigns may take that a service has open, about: 64 of some hundred turns.
CAMPAIGN_ROOM_MB = 400.0
# The file of a served workspace's accounts.
ACCOUNTS_FILE = "service.db"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder with packs, scenarios, indexes and campaigns."""

    root: Path
    settings: Settings

    @property
    def content_packs(self) -> Path:
        """Authored packs."""
        return self.root / "content_packs"

    @property
    def scenarios(self) -> Path:
        """Playable scenarios."""
        return self.root / "scenarios"

    @property
    def rulesets(self) -> Path:
        """The user's rulesets, besides those that ship; the folder need not exist."""
        return self.root / "rulesets"

    @property
    def prompts(self) -> Path:
        """The user's prompts, over those that ship."""
        return self.root / "prompts"

    @property
    def indexes(self) -> Path:
        """Files that can be rebuilt."""
        return self.root / "indexes"

    @property
    def campaigns(self) -> Path:
        """The files of campaigns."""
        return self.root / "campaigns"

    @property
    def accounts(self) -> Path:
        """The file of the service's accounts; there is none where nothing was served."""
        return self.root / ACCOUNTS_FILE


def find_workspace(start: Path) -> Workspace:
    """Return the workspace to use: named by the environment, else around `start`, else the user's own (maybe missing).

    A `lorewright.toml` of another user around `start` is skipped with a warning, as git does with a repository.

    Raises:
        SettingsError: its `lorewright.toml` cannot be read as intended.
        NotTrusted: the workspace that the environment names belongs to another user.
    """
    named = os.environ.get(WORKSPACE_VARIABLE)
    if named:
        root = Path(named).expanduser()
        if not is_obeyed(root):
            raise NotTrusted(
                f"{root / SETTINGS_FILE} belongs to another user, and was not read", hint=_how_to_obey(root)
            )
        return read_workspace(root)
    for folder in (start, *start.parents):
        if (folder / SETTINGS_FILE).is_file():
            if is_obeyed(folder):
                return read_workspace(folder)
            _warn_of(folder)
    return read_workspace(own_workspace())


def nearest_root(start: Path) -> Path:
    """Return the folder of the workspace that is named or found around `start`, of any owner; else the user's own."""
    named = os.environ.get(WORKSPACE_VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    around = (folder for folder in (start, *start.parents) if (folder / SETTINGS_FILE).is_file())
    return next(around, own_workspace())


def own_workspace() -> Path:
    """Return the folder of the user's own workspace, which is used outside of any other; it need not exist."""
    return user_data_path("lorewright")


def is_obeyed(root: Path) -> bool:
    """Return True if the settings of a workspace may be read: they and their folder belong to this user or to root, or
    the user has trusted the workspace. On systems without owners they may always be read."""
    if not hasattr(os, "geteuid"):
        return True
    users = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        # A user who became root by sudo still owns their own folders.
        users.add(int(os.environ["SUDO_UID"]))
    file = root / SETTINGS_FILE
    if not file.exists():
        return True
    # Every link on the way counts as well as the file at the end: its owner decides where it leads.
    if {root.stat().st_uid, file.stat().st_uid, *_owners_of_links(file)} <= users:
        return True
    return is_trusted_by_environment(root, os.environ) or find_workspace_grant(root) is not None


def _owners_of_links(file: Path) -> Iterator[int]:
    """Yield the owners of all links that are followed from a file to its target, those of folders included."""
    folder, ahead = file.parent.resolve(), [file.name]
    for _ in range(_MOST_LINKS):
        if not ahead:
            return
        step = ahead.pop()
        if step == "..":
            folder = folder.parent
            continue
        if not (folder / step).is_symlink():
            folder /= step
            continue
        yield (folder / step).lstat().st_uid
        target = (folder / step).readlink()
        folder = Path(target.anchor) if target.is_absolute() else folder
        ahead.extend(reversed(target.relative_to(target.anchor).parts))
    # A way of so many links is not real; -1 is nobody's ID, so it is not obeyed.
    yield -1


_warned: set[Path] = set()


def _warn_of(folder: Path) -> None:
    """Warn once in a process that a workspace was skipped."""
    if folder not in _warned:
        _warned.add(folder)
        # The folder's name is somebody else's too: control characters in it must not reach the terminal.
        named = ascii(str(folder / SETTINGS_FILE))
        sys.stderr.write(f"{named} belongs to another user and is ignored; {_how_to_obey(folder)}\n")


def _how_to_obey(root: Path) -> str:
    quoted = ascii(shlex.quote(str(root)))[1:-1]
    return f"to use it, run: lorewright trust {quoted} (or name it in {TRUSTED_VARIABLE})"


def read_workspace(root: Path) -> Workspace:
    """Return a workspace by its folder, of any owner.

    Raises:
        SettingsError: its `lorewright.toml` cannot be read as intended.
    """
    path = root / SETTINGS_FILE
    try:
        written = (
            tomllib.loads(read_text(path, MAX_WRITTEN_BYTES, SettingsError, encoding="utf-8")) if path.is_file() else {}
        )
        given = {key: os.environ[name] for key, name in _VARIABLES.items() if os.environ.get(name)}
        in_file = Settings.model_validate(written)
        if given:
            written["index"] = {**written.get("index", {}), **given}
        settings = Settings.model_validate(written)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path}: {problem}", hint="mend the TOML") from None
    except RecursionError:
        raise SettingsError(f"{path}: arrays or tables are nested too deep", hint="mend the TOML") from None
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        where = ".".join(_shorten(str(part)) for part in first["loc"])
        raise SettingsError(
            f"{path}: {where}: {first['msg'].removeprefix('Value error, ')}",
            hint=_hint_for(where),
        ) from None
    return Workspace(root.absolute(), _from(SettingsSource(root.absolute(), in_file, frozenset(given)), settings))


def _hint_for(where: str) -> str:
    """Return what may stand in the part of the file in which a key is wrong."""
    if where.startswith("models.answer_tokens"):
        return _ANSWERS_HINT
    return _MODELS_HINT if where.startswith("models") else _HINT


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _from(source: SettingsSource, settings: Settings) -> Settings:
    """Return the settings with their source in the parts that can send something."""
    # Copied, because an unset part is a default that all settings share.
    index, models = settings.index.model_copy(), settings.models.model_copy()
    index._source = models._source = source
    return settings.model_copy(update={"index": index, "models": models})
