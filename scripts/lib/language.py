# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the habits of language that CONTRIBUTING.md bans, per file and for the whole tree.

A file has four counts: identifiers that are function words, banned words in comments and prose,
sentences that begin with What, Who or Of, and lines of documentation above 100 characters."""
import collections
import re

import tree

COLUMNS = ("identifiers", "words", "openings", "long_lines")
SUFFIXES = tree.SOURCE_SUFFIXES | {".md"}
LINE_LENGTH = 100

FUNCTION_WORDS = frozenset(
    "what of at on by with how who where when among here one each other all its same such told kept "
    "made came took seen asked wanted found known left over goes".split())
# Names that the standard library gives its own functions.
STANDARD_CALL = re.compile(r"(?:\.|->|::)\s*(?:at|all|one)\s*\(")
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*\b")
BANNED = re.compile(
    r"\b(?:what|who|whoever|whose|whom|such|beside|behind|so (?:many|much)|but for|in the mean|"
    r"stands? in|held to)\b", re.IGNORECASE)
OPENING = re.compile(r"(?:^|(?<=[.:;?!]\s))(?:What|Who|Whoever|Of)\b")
PRONOUN = re.compile(r"\b(?:it|its|that|they|them|these|those)\b", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z']+")

CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|^[ \t]*#[^\n]*',
                  re.DOTALL | re.MULTILINE)
LINE_COMMENT = re.compile(r"//[/!]?<?[ \t]?(.*)$")
NOT_PROSE = re.compile(r"SPDX|NOLINT|clang-format")
TYPE = re.compile(r"^[ \t]*(?:struct|class|enum(?: class)?)\s+(?:\[\[\w+\]\]\s*)?(\w+)"
                  r"(?:\s+final)?\s*(?::[^:;{]*)?\{", re.MULTILINE)


def identifiers(text):
    """Each identifier of C++ source text, without comments, strings and directives."""
    return IDENTIFIER.findall(STANDARD_CALL.sub(" ", CODE.sub(" ", text)))


def comments(text):
    """The blocks of adjacent comment lines, one string a block."""
    blocks, block = [], []
    for line in text.splitlines():
        match = LINE_COMMENT.search(line)
        if match and not NOT_PROSE.search(line):
            block.append(match.group(1).strip())
        elif block:
            blocks.append(" ".join(block))
            block = []
    return blocks + ([" ".join(block)] if block else [])


def prose(text):
    """The lines of a page without fenced and indented code, and without inline code."""
    text = re.sub(r"^```.*?^```[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [re.sub(r"`[^`]*`", "X", line) for line in text.splitlines()
            if not line.startswith(("    ", "\t"))]


def paragraphs(lines):
    blocks, block = [], []
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) > 1 or not line.strip():
            blocks += [" ".join(block)] if block else []
            block = []
            blocks += [cell for cell in cells if len(cells) > 1 and cell]
        else:
            block.append(line.strip().lstrip("*-# "))
    return blocks + ([" ".join(block)] if block else [])


class Counts(collections.Counter):
    """The four counts of a file, with the totals that rates are computed from."""

    def add_prose(self, blocks):
        for block in blocks:
            self["prose_words"] += len(WORD.findall(block))
            self["words"] += len(BANNED.findall(block))
            self["openings"] += len(OPENING.findall(block))
            self["pronouns"] += len(PRONOUN.findall(block))
            self["what"] += len(re.findall(r"\bwhat\b", block, re.IGNORECASE))

    def row(self):
        return tuple(self[column] for column in COLUMNS)


def count_source(text):
    counts, names = Counts(), identifiers(text)
    counts["all_identifiers"] = len(names)
    counts["identifiers"] = sum(name in FUNCTION_WORDS for name in names)
    counts.add_prose(comments(text))
    return counts


def count_page(text):
    counts, lines = Counts(), prose(text)
    raw = text.splitlines()
    counts["docs_lines"] = len(raw)
    counts["long_lines"] = sum(len(line) > LINE_LENGTH for line in raw)
    counts.add_prose(paragraphs(lines))
    return counts


def count(path, text):
    """The counts of C or C++ source, or of a page."""
    return count_page(text) if path.suffix == ".md" else count_source(text)


def shared_types(root, paths):
    """The names that several types of the library have, with the files that define them."""
    homes = collections.defaultdict(list)
    for path in paths:
        if path.parts[0] == "upwash" and path.suffix in tree.SOURCE_SUFFIXES:
            text = re.sub(r"//[^\n]*", "", (root / path).read_text())
            for name in TYPE.findall(text):
                homes[name].append(str(path))
    return {name: files for name, files in homes.items() if len(files) > 1}
