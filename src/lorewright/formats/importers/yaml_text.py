"""Plain data -> YAML that our own bounded loader reads back as equal data, and what is too much for it."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from lorewright.packs.bounded_yaml import YamlProblem, load_yaml
from lorewright.packs.files import MAX_YAML_DEPTH, MAX_YAML_NODES

# Plain scalars that begin like this may be numbers to our loader where PyYAML would not quote them: `1e5`, `08`.
_LIKE_A_NUMBER = re.compile(r"[-+.]?[.0-9]")
_LIKE_A_WORD = frozenset({"null", "true", "false", "~", ""})
_NOT_A_BLOCK = re.compile(r"\A[ \t\n]|[ \t](?:\n|\Z)")


class _Dumper(yaml.SafeDumper):
    """No anchors; texts that look like other scalars in quotes; texts of several lines as they are."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if _LIKE_A_NUMBER.match(text) or text.casefold() in _LIKE_A_WORD:
        style = '"'
    elif "\n" in text:
        style = '"' if _NOT_A_BLOCK.search(text) else "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def dump(data: dict[str, Any]) -> str:
    """The YAML of a mapping, keys in their own order."""
    text = yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False, default_flow_style=False, width=1_000)
    return str(text)


def fitted(head: dict[str, Any], extra: dict[str, Any], *, max_bytes: int) -> tuple[str, dict[str, Any]]:
    """The YAML of `head`, which must be small, and of `extra`; and those extras that it has no room for.

    The largest extras are left out first, so that the most of them stay.
    """
    kept = _affordable(extra, max_bytes=max_bytes * 3 // 4)
    while not reads_back(text := dump({**head, **kept}), {**head, **kept}, max_bytes=max_bytes) and kept:
        smallest = sorted(kept, key=lambda key: len(_canonical(kept[key])))[: len(kept) // 2]
        kept = {key: value for key, value in kept.items() if key in set(smallest)}
    return text, {key: value for key, value in extra.items() if key not in kept}


def reads_back(text: str, data: dict[str, Any], *, max_bytes: int) -> bool:
    """Whether our loader, with its limits, reads the text as the very data."""
    if len(text.encode()) > max_bytes:
        return False
    try:
        return _canonical(load_yaml(text).data) == _canonical(data)
    except YamlProblem:
        return False


def _affordable(extra: dict[str, Any], *, max_bytes: int) -> dict[str, Any]:
    """As many of the extras as the loader's limits have room for, in their own order."""
    costs = {
        key: (len(_canonical(value).encode()) + len(key), *_nodes_and_depth(value)) for key, value in extra.items()
    }
    nodes = MAX_YAML_NODES * 3 // 4
    kept: set[str] = set()
    for key in sorted(extra, key=lambda key: costs[key][0]):
        size, count, depth = costs[key]
        if size <= max_bytes and count < nodes and depth < MAX_YAML_DEPTH - 1:
            max_bytes -= size
            nodes -= count + 1
            kept.add(key)
    return {key: value for key, value in extra.items() if key in kept}


def _nodes_and_depth(value: Any) -> tuple[int, int]:
    if isinstance(value, dict):
        inner = [_nodes_and_depth(member) for member in value.values()]
        return 1 + len(inner) + sum(count for count, _ in inner), 1 + max((depth for _, depth in inner), default=1)
    if isinstance(value, list):
        inner = [_nodes_and_depth(member) for member in value]
        return 1 + sum(count for count, _ in inner), 1 + max((depth for _, depth in inner), default=0)
    return 1, 1


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
