# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Which headers programs include: for the check of what these name, and for the reference."""
import pathlib
import re

import tree

UMBRELLA = "upwash/upwash.hpp"
PAGES = ("README.md", "docs/tutorial.md", "docs/onesided.md", "docs/streams.md")
USERS = ("examples", "apps")
# Every header of such a folder is for programs.
FOLDERS = ("upwash/onesided", "upwash/streaming")
# Headers of the host interface: for who writes algorithms, selectors or layers, not for who calls.
# docs/architecture.md, part 2, says what belongs there.
AUTHORS = {f"upwash/collective/{name}.hpp" for name in (
    "executor", "registry", "validate", "selector", "candidates")}
AUTHOR_FOLDERS = ("upwash/schedule/", "upwash/tuning/")
HOST = {"upwash/core/memory_handler.hpp",                  # operations that owners run: for layers
        "upwash/onesided/install.hpp", "upwash/streaming/adapt.hpp"}  # the composition root's

IN_TEXT = re.compile(r"upwash/[\w/]+\.hpp")


def is_for_authors(name):
    return name in AUTHORS or name in HOST or name.startswith(AUTHOR_FOLDERS)


def named(root):
    """name -> who says that programs include it."""
    said = {UMBRELLA: "it is the header of programs"}
    for page in PAGES:
        if (root / page).is_file():
            for name in IN_TEXT.findall((root / page).read_text()):
                said.setdefault(name, f"{page} names it")
    for path in tree.sources(root):
        if path.parts[0] in USERS:
            for number, _, name in tree.includes(root, path):
                if name.startswith("upwash/"):
                    said.setdefault(name, f"{path}:{number} includes it")
        elif path.suffix == ".hpp" and str(path.parent) in FOLDERS:
            said.setdefault(str(path), f"headers of {path.parent} are for programs")
    return {name: why for name, why in said.items()
            if not is_for_authors(name) and (root / name).is_file()}


def closure(root, first):
    """All that they include of the project, each with the way to it."""
    ways = {}
    to_read = [(name, f"{name}: {why}") for name, why in sorted(first.items())]
    while to_read:
        name, way = to_read.pop(0)
        if name in ways or not (root / name).is_file():
            continue
        ways[name] = way
        to_read += [(other, f"{name}:{number} includes it; {way}")
                    for number, _, other in tree.includes(root, pathlib.Path(name))
                    if other.startswith("upwash/")]
    return ways
