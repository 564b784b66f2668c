# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""What is public has types in the stubs and a docstring; examples of the documentation run."""

import ast
import inspect
import pathlib

import upwash

PACKAGE = pathlib.Path(upwash.__file__).parent


def declared():
    """Names of the stubs, and of their classes the members: {"Team": {"Send", ...}, "run": None}."""
    names = {}
    for stub in ("_upwash.pyi", "__init__.pyi"):
        for node in ast.parse((PACKAGE / stub).read_text()).body:
            if isinstance(node, ast.ClassDef):
                names[node.name] = {part.name if isinstance(part, ast.FunctionDef) else part.target.id
                                    for part in node.body
                                    if isinstance(part, (ast.FunctionDef, ast.AnnAssign))}
            elif isinstance(node, ast.FunctionDef):
                names[node.name] = None
            elif isinstance(node, ast.AnnAssign):
                names[node.target.id] = None
    return names


def test_every_name_is_in_the_stubs_and_back():
    stubs = declared()
    for name in upwash.__all__:
        assert name in stubs, f"{name} is in no stub"
        thing = getattr(upwash, name)
        if not inspect.isclass(thing) or issubclass(thing, BaseException):
            continue
        members = {member for member in vars(thing) if not member.startswith("_")}
        missing = members - stubs[name]
        assert not missing, f"{name}: not in the stubs: {sorted(missing)}"
    for name, members in stubs.items():
        if name in ("T", "Blocks", "SendBuffer"):
            continue
        assert hasattr(upwash, name), f"{name} is in the stubs only"
        for member in members or ():
            if member in ("kind", "path", "data", "rows", "collective", "algorithm"):
                continue
            assert hasattr(getattr(upwash, name), member), f"{name}.{member} is in the stubs only"


def test_everything_has_a_docstring():
    for name in upwash.__all__:
        thing = getattr(upwash, name)
        if isinstance(thing, (int, upwash.Op, upwash.InPlace)):
            continue
        assert inspect.getdoc(thing), f"{name} has no docstring"
        if not inspect.isclass(thing):
            continue
        for member, what in vars(thing).items():
            if member.startswith("_") or member == "kind":
                continue
            what = what.__func__ if isinstance(what, staticmethod) else what
            assert inspect.getdoc(what) or member in ("Test",), f"{name}.{member} has no docstring"


def test_the_program_of_the_documentation(launch):
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    programs = [part.split("```")[0] for part in page.read_text().split("```python\n")[1:]]
    assert len(programs) >= 2
    assert launch(programs[0], "-n", "4").stdout == "4 ranks, sum 6.0\n"
    assert launch(programs[1]).stdout == "[6.0, 6.0, 6.0, 6.0]\n2016.0\n"
