"""Secrets: API keys as the environment has them, and texts in which none of them shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from lorewright.errors import SettingsError

HIDDEN = "[hidden]"
# A variable of such a name holds something that nobody else may read.
_SECRET_NAME = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY$)", re.IGNORECASE)
# What is shorter is no key, and to hide it would blot out common words.
_SHORTEST = 8
_PRINTABLE = re.compile(r"[\x21-\x7e]+")


class Secrets:
    """Reads API keys from an environment, and hides them and every other secret of it in texts."""

    def __init__(self, environ: Mapping[str, str], *, more: tuple[str, ...] = ()) -> None:
        """`more` names variables that hold keys although their names do not say so."""
        self._environ = environ
        values = [value for name, value in environ.items() if name in more or _SECRET_NAME.search(name)]
        self._hidden = _forms(values)

    def key(self, variable: str) -> str | None:
        """The key that a variable holds, without the blanks and line ends around it; None where there is none.

        Raises:
            SettingsError: what it holds can be no key. The value is not in the message.
        """
        value = self._environ.get(variable, "").strip()
        if not value:
            return None
        if not _PRINTABLE.fullmatch(value):
            raise SettingsError(
                f"{variable} holds what can be no API key: it has blanks, line ends or letters outside ASCII in it",
                hint=f"set {variable} anew; the key is one word",
            )
        return value

    def redacted(self, text: str) -> str:
        """The text with every secret hidden, also where it is quoted, escaped or cut at a line end."""
        for secret in self._hidden:
            text = text.replace(secret, HIDDEN)
        return text


def _forms(values: list[str]) -> list[str]:
    """Every way in which a secret may stand in a text, longest first."""
    forms: set[str] = set()
    for value in values:
        stripped = value.strip()
        for one in (value, stripped, *stripped.split()):
            forms |= {one, quote(one, safe=""), repr(one)[1:-1], repr(one.encode())[2:-1]}
    return sorted((form for form in forms if len(form.strip()) >= _SHORTEST), key=lambda form: (-len(form), form))
