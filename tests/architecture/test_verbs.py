"""A verb is known by its record: outside `lorewright.verbs` no part of the program has its name."""

from __future__ import annotations

import ast

from lorewright.rules.verbs import verbs
from support.source_trees import SourceModule

Modules = tuple[SourceModule, ...]

# Words that are spelt like verbs and are something else: what they are -> the words, by module. An entry stands for all
# uses with this meaning in a module.
FALSE_FRIENDS = {
    "the status of a thread": {
        "campaigns/recap.py": "open",
        "campaigns/scenarios/scenario.py": "open",
        "generate/explore/survey.py": "open",
        "generate/scenario/ground.py": "open",
        "packs/schemas.py": "open",
        "turn/run/rounds.py": "open",
        "turn/stages/narrate/context.py": "open",
        "values/proposals.py": "open",
        "service/web/table.py": "open",
        "world/state.py": "open",
        "world/things.py": "open",
    },
    "a field of `Door`, and an atom about one": {
        "campaigns/solver/atoms.py": "open",
        "campaigns/solver/scenario_model.py": "open",
        "world/apply.py": "open",
        "world/things.py": "open",
    },
    "what somebody carries: a table, a section of the packet, an op": {
        "contrib/import_v0/parity.py": "inventory",
        "contrib/import_v0/reading.py": "inventory",
        "contrib/import_v0/tables.py": "inventory",
        "contrib/import_v0/world.py": "inventory",
        "storage/projection.py": "inventory",
        "turn/store/projection.py": "inventory",
        "turn/views/packet.py": "inventory",
        "world/ops.py": "inventory",
    },
    "the memory of a branch: an op and a field of the state": {
        "turn/checks/tools.py": "recall",
        "world/ops.py": "recall",
        "world/state.py": "recall",
    },
    "a key of an effect": {
        "campaigns/scenarios/checks.py": "give unlock",
        "campaigns/scenarios/names.py": "give promise unlock",
        "generate/scenario/building.py": "give",
        "rules/effects.py": "give promise unlock",
        "rules/patch.py": "promise",
    },
    "a word of an author, of a player's line, or of what a narrator claims": {
        "builtin/parser/clause_reading.py": "ask look tell wait",
        "builtin/words/utterances.py": "tell wait",
        "builtin/parser/ways.py": "take",
        "contrib/import_v0/world.py": "open",
        "packs/metadata.py": "open",
    },
    "a collection of vectors that anybody may read": {"index/vectors/chroma_store.py": "open"},
    "an argument of a process in the background": {"index/chroma_background.py": "wait"},
    "the number of a call to a model": {"replay/figures.py": "attempt"},
    "the time that an author's questions took": {"authoring/watcher.py": "ask"},
}


def named_verbs(module: SourceModule) -> set[str]:
    """Return the names of verbs that a module has as strings: constants, keys and patterns alike."""
    texts = {node.value for node in module.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return texts & verbs().keys()


def test_no_other_part_of_the_program_names_a_verb(modules: Modules) -> None:
    found = {module.name: named_verbs(module) for module in modules if not module.name.startswith("verbs/")}
    excused: dict[str, set[str]] = {}
    for words_of in FALSE_FRIENDS.values():
        for name, words in words_of.items():
            excused.setdefault(name, set()).update(words.split())
    assert {
        name: words - excused.get(name, set()) for name, words in found.items() if words - excused.get(name, set())
    } == {}
    assert {
        name: words - found.get(name, set()) for name, words in excused.items() if words - found.get(name, set())
    } == {}
    assert len(FALSE_FRIENDS) <= 10


def test_a_name_is_found_as_constant_key_and_pattern() -> None:
    for text in ("x = 'ask'", "{'ask': 1}", "match x:\n    case 'ask':\n        pass", "f(kind='ask')"):
        tree = ast.parse(text)
        assert named_verbs(SourceModule("a.py", text, tree, tuple(ast.walk(tree)))) == {"ask"}


def test_no_module_but_the_registry_imports_the_records_of_verbs(modules: Modules) -> None:
    """A family's file can be left out, so that nothing may need it, not even another family."""
    importing = {
        module.name
        for module in modules
        for node in module.nodes
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lorewright.verbs"))
        or (
            isinstance(node, ast.ImportFrom) and node.module == "lorewright" and "verbs" in {x.name for x in node.names}
        )
        or (isinstance(node, ast.Import) and any(x.name.startswith("lorewright.verbs") for x in node.names))
    }
    assert importing == set()
