"""A workspace's settings -> what they would send where; and whether this user has allowed it.

Settings come with a folder, and a folder may come from a stranger. A setting that names an address, a variable with a
key, a model for a stage, a model of its own or a model that embeds is used only after a grant that is stored in the
user's own folder (`lorewright.grants`), for one workspace and for these very settings: any change of them needs a new
one. Three places call the functions here: opening an embedder, a reranker (`lore_bootstrap`) and a model
(`llm.opening`). Settings that a program makes for itself come from no file, and need no grant.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from lorewright.addresses import (
    KEY_VARIABLES,
    OWN_SERVERS,
    choose_address,
    is_on_this_machine,
    is_unencrypted,
    mask_address,
    origin_of,
)
from lorewright.errors import NotTrusted
from lorewright.grants import TRUSTED_VARIABLE, find_workspace_grant, grant_workspace, is_trusted_by_environment
from lorewright.ids import canonical_json, content_hash
from lorewright.settings import (
    BudgetSettings,
    IndexSettings,
    ModelSettings,
    ModelsSettings,
    PriceSettings,
    Settings,
    SettingsSource,
    own_workspace,
)

# Embedders and rerankers, by their key before the slash, that send texts away or load a model by name.
_SENDERS = ("openai", "voyage")
_LOADERS = ("st",)
# Values in [models.stages] that name no model.
_NO_MODEL = ("small", "large", "builtin")
# The first words of known model keys, and the provider of each.
_FAMILIES = {
    "claude": "anthropic",
    "gpt": "openai",
    "google": "google",
    "deepseek": "deepseek",
    "ollama": "ollama",
    "openai-compatible": "openai-compatible",
}
_TEXTS = "the text of packs, questions and what is played"
_TURNS = "turns and lore"
# The most characters of a name that are shown.
_LONGEST = 80
# The most settings that are shown before a question; the rest is counted.
_MOST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Reach:
    """One setting that reaches out of the workspace.

    `sends` says what would be sent to `address`; without an address nothing is sent, and `sends` says what is done.
    `keys` are environment variables; the first of them that is set is sent along. `counted` says how the settings have
    the budget count a call, if they say so.
    """

    setting: str
    sends: str
    address: str | None = None
    keys: tuple[str, ...] = ()
    counted: str | None = None

    @property
    def told(self) -> tuple[str, ...]:
        """The setting in lines for people, without secrets in the address."""
        if self.address is None:
            return (f"{self.setting}: {self.sends}",)
        in_clear = ", unencrypted" if is_unencrypted(self.address) else ""
        lines = [f"{self.setting}: sends {self.sends} to {mask_address(self.address)}{in_clear}"]
        if self.keys:
            lines.append(f"  the value of {' or '.join(self.keys)} is sent to {origin_of(self.address)}{in_clear}")
        if self.counted:
            lines.append(f"  its calls are {self.counted}, by these settings")
        return tuple(lines)

    @property
    def weight(self) -> int:
        """How much a grant gives away, from 0: nothing beyond this machine, texts, texts in the clear, a key, a key in
        the clear."""
        if self.address is None or is_on_this_machine(self.address):
            return 1 if self.address is not None and self.keys else 0
        return 2 + is_unencrypted(self.address) + 2 * bool(self.keys)

    def as_dict(self) -> dict[str, Any]:
        """Return the setting as JSON values."""
        return {
            "setting": self.setting,
            "sends": self.sends,
            "address": None if self.address is None else mask_address(self.address),
            "unencrypted": self.address is not None and is_unencrypted(self.address),
            "key_variables": list(self.keys),
            "counted": self.counted,
        }


@dataclass(frozen=True)
class TrustRequest:
    """What the settings of a workspace request beyond its folder."""

    root: Path
    settings: Settings

    @cached_property
    def reaches(self) -> tuple[Reach, ...]:
        """Every setting that reaches out, in the order of the file's parts."""
        return (*_reaches_of_index(self.settings.index), *_reaches_of_models(self.settings.models))

    @property
    def told(self) -> tuple[str, ...]:
        """The request in lines for people, ordered so that what gives away most comes last, next to the question. Of
        very many settings those that give away less are only counted, before the others."""
        by_weight = sorted(self.reaches, key=lambda reach: reach.weight)
        rest, shown = by_weight[:-_MOST_SHOWN], by_weight[-_MOST_SHOWN:]
        counted = (_count(rest, self.root),) if rest else ()
        return (*counted, *(line for reach in shown for line in reach.told))

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the settings that need a grant, and of no others."""
        return content_hash(canonical_json(_matter(self.settings)))

    @property
    def is_granted(self) -> bool:
        """True if these settings may be used: the user has allowed them, or the workspace is their own."""
        if self.root.resolve() == own_workspace().resolve() or is_trusted_by_environment(self.root, os.environ):
            return True
        grant = find_workspace_grant(self.root)
        return grant is not None and grant.digest == self.digest

    def grant(self) -> None:
        """Store the grant.

        Raises:
            SettingsError: the user's configuration folder cannot be written.
        """
        grant_workspace(self.root, self.digest)


Ask = Callable[[TrustRequest], bool]


class _Answers:
    """How this process asks the user, and what was refused: nothing is asked twice."""

    def __init__(self) -> None:
        self.ask: Ask | None = None
        self.refused: set[tuple[Path, str]] = set()
        self.lock = Lock()


_answers = _Answers()


def ask_with(ask: Ask | None) -> None:
    """Set the function that asks the user before settings without a grant are used; with None nobody is asked, so that
    they are refused. A process begins with None."""
    _answers.ask = ask
    _answers.refused.clear()


def hold_embedder(settings: IndexSettings) -> None:
    """Refuse to use an embedder that a workspace names without a grant.

    Raises:
        NotTrusted: it sends texts away or loads a model by name, and the user has not allowed that.
    """
    if reaches_by_embedder(settings):
        _hold(settings.source)


def hold_reranker(settings: IndexSettings) -> None:
    """Refuse to use a reranker that a workspace names without a grant.

    Raises:
        NotTrusted: it loads a model by name, and the user has not allowed that.
    """
    if reaches_by_reranker(settings):
        _hold(settings.source)


def hold_models(settings: ModelsSettings) -> None:
    """Refuse to ask any model by settings that reach out without a grant: they decide which is asked, and where.

    Raises:
        NotTrusted: the settings name an address, a model or a key, and the user has not allowed that.
    """
    if settings.source is not None and any(_reaches_of_models(settings.source.written.models)):
        _hold(settings.source)


def reaches_by_embedder(settings: IndexSettings) -> bool:
    """Return True if using the embedder needs a grant. An embedder that the environment names is the user's own choice,
    but not the address at which the workspace has it asked."""
    source, kind = settings.source, _kind(settings.embedder)
    if source is None or kind not in (*_SENDERS, *_LOADERS):
        return False
    return "embedder" not in source.by_environment or (kind in _SENDERS and settings.base_url is not None)


def reaches_by_reranker(settings: IndexSettings) -> bool:
    """Return True if using the reranker needs a grant."""
    return settings.source is not None and _kind(settings.reranker) in _LOADERS


def is_granted(settings: IndexSettings) -> bool:
    """Return True if the settings of the index may be used as they are, without asking the user."""
    source = settings.source
    return source is None or TrustRequest(source.root, source.written).is_granted


def _hold(source: SettingsSource | None) -> None:
    if source is None:
        return
    request = TrustRequest(source.root, source.written)
    if request.is_granted:
        return
    with _answers.lock:
        # Another thread may have asked meanwhile.
        if request.is_granted:
            return
        question = (source.root, request.digest)
        if _answers.ask is not None and question not in _answers.refused:
            if _answers.ask(request):
                request.grant()
                return
            _answers.refused.add(question)
    raise _refusal(request)


def _refusal(request: TrustRequest) -> NotTrusted:
    """Return the error that says what the settings request, and how to allow it."""
    request_text = "; ".join(line.strip() for line in request.told)
    return NotTrusted(
        f"the settings of {request.root} are not trusted, and nothing was sent. They ask for this: {request_text}",
        hint=f"to allow this, run: lorewright trust {shlex.quote(str(request.root))} "
        f"(in a container or CI, {TRUSTED_VARIABLE} may name the folder)",
    )


def _kind(key: str) -> str:
    return key.partition("/")[0]


def _reaches_of_index(index: IndexSettings) -> Iterator[Reach]:
    kind = _kind(index.embedder)
    if kind in _SENDERS:
        setting = f'index.embedder = "{_plain(index.embedder)}"' + (" at index.base_url" if index.base_url else "")
        yield Reach(setting, _TEXTS, index.base_url or OWN_SERVERS[kind], KEY_VARIABLES[kind])
    elif index.base_url is not None:
        keys = tuple(name for kind in _SENDERS for name in KEY_VARIABLES[kind])
        yield Reach("index.base_url", f"with a remote embedder, {_TEXTS}", index.base_url, keys)
    if kind in _LOADERS:
        yield Reach(f'index.embedder = "{_plain(index.embedder)}"', _loads(index.embedder))
    if _kind(index.reranker) in _LOADERS:
        yield Reach(f'index.reranker = "{_plain(index.reranker)}"', _loads(index.reranker))


def _reaches_of_models(models: ModelsSettings) -> Iterator[Reach]:
    for family, url in sorted(models.base_urls.items()):
        yield Reach(f"models.base_urls.{_plain(family)}", _TURNS, url, KEY_VARIABLES[family])
    for name, own in sorted(models.keys.items()):
        setting = f'models.keys.{_plain(name)} ({own.provider} "{_plain(own.model)}")'
        yield Reach(setting, _TURNS, _address_of(own, models), _keys_of(own), _counted(own.prices))
    for stage, key in sorted(models.stages.items()):
        if key not in _NO_MODEL:
            yield Reach(f'models.stages.{_plain(stage)} = "{_plain(key)}"', *_asked_by(key, models))
    for name, value in _raised(models.budget).items():
        yield Reach(f"models.budget.{name}", f"lifts what may be spent to {_plain(str(value))}")


def _count(rest: Sequence[Reach], root: Path) -> str:
    """Return a line for settings that are not shown."""
    servers = {origin_of(reach.address) for reach in rest if reach.address is not None}
    with_key = sum(bool(reach.keys) for reach in rest)
    listing = f"lorewright trust {shlex.quote(str(root))} --json"
    return f"and {len(rest)} more, to {len(servers)} servers, {with_key} with a key; all of them: {listing}"


def _counted(prices: PriceSettings | None) -> str | None:
    """Return in words what a model's prices have the budget count; None where it has none."""
    if prices is None:
        return None
    if prices.input == prices.output == 0:
        return "counted as free, whatever they cost"
    return f"counted at ${prices.input:g} read and ${prices.output:g} written per million tokens"


def _loads(key: str) -> str:
    return f"loads the model {_plain(key.partition('/')[2])}"


def _plain(text: str) -> str:
    """Return a stranger's text as a single line that is printable and not long, so that it cannot fake other lines."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in text)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def _asked_by(key: str, models: ModelsSettings) -> tuple[str, str | None, tuple[str, ...]]:
    """Return what is sent to the model of a key, to which address, and with which key variables, whatever model a
    campaign has chosen."""
    if key in models.keys:
        return _TURNS, _address_of(models.keys[key], models), _keys_of(models.keys[key])
    family = next((who for first, who in _FAMILIES.items() if key.startswith((f"{first}-", f"{first}/"))), "")
    address = choose_address(family, None, models.base_urls)
    return (
        _TURNS if address else f"asks {_plain(key)} where the environment says",
        address,
        KEY_VARIABLES.get(family, ()),
    )


def _address_of(own: ModelSettings, models: ModelsSettings) -> str | None:
    return choose_address(own.provider, own.base_url, models.base_urls)


def _keys_of(own: ModelSettings) -> tuple[str, ...]:
    """Return the key variables of a user-defined model; a server that is only compatible gets no key by default."""
    if own.key_env is not None:
        return (own.key_env,)
    return () if own.provider == "openai-compatible" else KEY_VARIABLES[own.provider]


def _raised(budget: BudgetSettings) -> dict[str, float | int | str]:
    """Return the limits that are higher than the defaults."""
    usual = BudgetSettings()
    return {name: value for name, value in budget if _is_more(value, getattr(usual, name))}


def _is_more(value: float | int | str, usual: float | int | str) -> bool:
    if isinstance(usual, str):
        return False
    return isinstance(value, str) or value > usual


def _matter(settings: Settings) -> dict[str, Any]:
    """Return the settings that a grant covers, as JSON values; those that reach nowhere are left out."""
    index, models = settings.index, settings.models
    reaching = {
        "embedder": index.embedder if _kind(index.embedder) in (*_SENDERS, *_LOADERS) else None,
        "base_url": index.base_url,
        "reranker": index.reranker if _kind(index.reranker) in _LOADERS else None,
        "base_urls": models.base_urls,
        "keys": {name: own.model_dump(mode="json") for name, own in models.keys.items()},
        "stages": {stage: key for stage, key in models.stages.items() if key not in _NO_MODEL},
        "budget": _raised(models.budget),
    }
    return {name: value for name, value in reaching.items() if value}
