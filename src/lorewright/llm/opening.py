"""Opening: a model's key -> a model that can be asked: patient, within the budget, and silent about its API key."""

from __future__ import annotations

from collections.abc import Mapping

from lorewright.errors import SettingsError
from lorewright.llm.metered import Budget, MeteredModel
from lorewright.llm.model import Model
from lorewright.llm.patient import Patience, PatientModel
from lorewright.llm.providers.remote import RemoteModel, load
from lorewright.llm.secrets import Secrets
from lorewright.llm.taxonomy import Row, address_of, row_of, rows
from lorewright.settings import ModelsSettings
from lorewright.trust import hold_models


def open_model(
    key: str, settings: ModelsSettings, *, environ: Mapping[str, str], budget: Budget | None = None
) -> Model | None:
    """The model of a key; None for `builtin`. Nothing is sent, and no SDK imported, before it is asked.

    Models that share a `budget` are counted together; without one nothing is.

    Raises:
        SettingsError: there is no such key, its API key is not in the environment, or nothing says where it is asked.
        NotTrusted: the settings came with a workspace and reach out of it, and the user has not said yes to them.
    """
    row = row_of(key, settings)
    if row.provider == "builtin":
        return None
    hold_models(settings)
    secrets = Secrets(environ, more=tuple(one.key_env for one in rows(settings) if one.key_env))
    remote: Model = RemoteModel(
        row,
        api_key=_api_key(row, secrets),
        base_url=address_of(row, settings, environ),
        secrets=secrets,
        timeout_s=settings.timeout_seconds,
    )
    # Metered inside: a try that is made again is paid for again.
    metered: Model = remote if budget is None else MeteredModel(remote, row.prices, budget)
    return PatientModel(metered, patience_of(settings))


def patience_of(settings: ModelsSettings) -> Patience:
    """How long and how often models are asked by these settings."""
    return Patience(
        timeout_s=settings.timeout_seconds,
        tries=settings.tries,
        first_pause_s=settings.pause_seconds,
        concurrency=settings.concurrency,
    )


def has_key(row: Row, environ: Mapping[str, str]) -> bool | None:
    """Whether a row's API key is set; None where it needs none and none is set."""
    is_set = any(environ.get(name, "").strip() for name in (row.key_env, row.other_key_env) if name)
    return is_set or (False if row.key_needed else None)


def address_known(row: Row, settings: ModelsSettings, environ: Mapping[str, str]) -> str | None:
    """Where a row's models are asked, if somebody says; None is the provider's own server, or nowhere yet."""
    try:
        return address_of(row, settings, environ)
    except SettingsError:
        return None


def load_sdk(key: str, settings: ModelsSettings) -> None:
    """Import what the first question to a model needs; it takes a second or two, which can pass while a player reads.
    Safe to call from a thread, and of no use but speed.

    Raises:
        SettingsError: there is no such key.
    """
    row = row_of(key, settings)
    if row.provider != "builtin":
        load(row)


def _api_key(row: Row, secrets: Secrets) -> str | None:
    found = next((key for name in (row.key_env, row.other_key_env) if name and (key := secrets.key(name))), None)
    if found is None and row.key_needed:
        raise SettingsError(
            f"{row.key} needs an API key, and {row.key_env} is not set",
            hint=f"set {row.key_env} in the environment; what is built in needs none",
        )
    return found
