"""What is counted of code: statements without docstrings, importers, classes whose names are taken twice."""

from __future__ import annotations

import ast

from code_size import count_importers, count_statements, doubled_classes, measure, modules_by_folder

FILES = {
    "src/pack/__init__.py": '"""A package."""\n',
    "src/pack/a.py": '"""A module."""\n\n\nclass Thing:\n    """A thing."""\n\n    x = 1\n',
    "src/pack/b.py": "from pack.a import Thing\nfrom pack import c\n\n\nclass _Own:\n    pass\n",
    "src/pack/inner/c.py": "import pack.b\nimport pack.a\n\n\nclass Thing:\n    pass\n",
    "src/pack/c.py": "for one in ():\n    pass  # whoever\n",
    "src/pack/words.yaml": "a: 1\nb: 2\n",
    "prompts/ask.hbs": "{{text}}\n",
}
TREES = {name: ast.parse(text) for name, text in FILES.items() if name.endswith(".py")}


def test_a_docstring_is_no_statement_and_what_is_nested_is_one() -> None:
    assert count_statements(TREES["src/pack/a.py"]) == 2
    assert count_statements(ast.parse('def f():\n    """What."""\n    if x:\n        return 1\n')) == 3


def test_importers_are_counted_once_and_by_the_module_that_is_meant() -> None:
    assert count_importers(TREES) == {"pack.a": 2, "pack.b": 1, "pack.c": 1, "pack.inner.c": 0}


def test_public_classes_of_one_name_are_named_and_private_ones_are_not() -> None:
    assert doubled_classes(TREES.values()) == {"Thing": 2}


def test_modules_are_counted_where_they_lie() -> None:
    assert modules_by_folder(TREES) == {"src/pack": 3, "src/pack/inner": 1}


def test_all_figures_of_some_files() -> None:
    figures = measure(FILES)["figures"]
    assert (figures["files of Python"], figures["lines of YAML"], figures["lines of Handlebars"]) == (5, 2, 1)
    assert (figures["modules with exactly one importer"], figures["public class names defined more than once"]) == (
        2,
        1,
    )
    assert (figures["occurrences of “for one in” in src"], figures["occurrences of “whoever” in src"]) == (1, 1)
