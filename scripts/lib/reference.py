# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the headers that programs include, by Doxygen (Debian: doxygen)."""
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import docstrings
import program_headers
import tree

C_HEADER = "interop/c/include/upwash.h"
# What programs see of the folders below is in no header of its own there.
NOT_FOLDERS = ("upwash/conduit/", "upwash/simulator/", "upwash/schedule/", "upwash/tuning/")
# Headers that headers of programs include, and that no program names.
NOT = {f"upwash/{name}.hpp" for name in (
    "base/apply_atomic", "base/call_stack", "base/ensure", "base/fiber", "base/fifo", "base/knobs", "base/message",
    "base/memory_block", "collective/binding", "collective/call", "collective/exchanged", "collective/family",
    "collective/install", "collective/problem", "core/service", "core/packed_message", "core/peer_traffic",
    "matching/engines/envelope", "model/aggregation", "model/contribution", "model/grid", "model/machine", "model/node_map", "neighborhood/neighbor_call",
    "observe/series", "observe/wait_reason")}
FRONT = """/** @mainpage The headers that programs include
<a href="../reference.html">By folder, with what each is for</a>; <a href="../index.html">the other pages</a>. */
"""
# What these headers need for themselves.
HIDDEN = ("upwash::atomic_set", "upwash::objects::contribution_of*", "upwash::objects::dense_index*",
          "upwash::streaming::counted_handler*", "upwash::streaming::callback_of*")
OPTIONS = """
PROJECT_NAME = upwash
PROJECT_BRIEF = "{brief}"
OUTPUT_DIRECTORY = {into}
INPUT = {sources}
RECURSIVE = YES
FILE_PATTERNS = *.hpp *.h *.dox
EXTENSION_MAPPING = h=C++
STRIP_FROM_PATH = {sources}
STRIP_FROM_INC_PATH = {sources} {sources}/interop/c/include
MARKDOWN_SUPPORT = NO
SHOW_INCLUDE_FILES = NO
GENERATE_LATEX = NO
GENERATE_HTML = YES
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
GENERATE_TREEVIEW = YES
HTML_TIMESTAMP = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
SOURCE_BROWSER = NO
VERBATIM_HEADERS = NO
EXCLUDE_SYMBOLS = *detail *_access std {hidden}
HIDE_UNDOC_RELATIONS = NO
HIDE_FRIEND_COMPOUNDS = YES
EXTRACT_ALL = YES
SORT_MEMBER_DOCS = NO
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = NO
SHOW_USED_FILES = NO
WARN_IF_UNDOCUMENTED = NO
WARN_NO_PARAMDOC = NO
QUIET = YES
WARN_LOGFILE = {into}/warnings
"""


def headers(root):
    """Those that the reference is of."""
    ways = program_headers.closure(root, program_headers.named(root))
    found = [name for name in sorted(ways)
             if "/detail/" not in name and name not in NOT and not name.startswith(NOT_FOLDERS)
             and not program_headers.is_for_authors(name)]
    return found + ([C_HEADER] if (root / C_HEADER).is_file() else [])


def is_there():
    return shutil.which("doxygen") is not None


def write(root, into):
    """Writes HTML and XML into folders of `into`; returns what Doxygen warns of."""
    shutil.rmtree(into, ignore_errors=True)
    sources = into / "sources"
    for name in headers(root):
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text(docstrings.for_doxygen((root / name).read_text(), name))
    (sources / "front.dox").write_text(FRONT)
    (into / "Doxyfile").write_text(OPTIONS.format(brief="The headers that programs include", hidden=" ".join(HIDDEN), into=into, sources=sources))
    subprocess.run(["doxygen", into / "Doxyfile"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    return [line.replace(f"{sources}/", "") for line in (into / "warnings").read_text().splitlines()]


def compounds(into, *kinds):
    """The descriptions that Doxygen has written, of files, classes, ..."""
    for each in xml.etree.ElementTree.parse(into / "xml/index.xml").getroot():
        if each.get("kind") in kinds:
            yield xml.etree.ElementTree.parse(into / f"xml/{each.get('refid')}.xml").getroot().find("compounddef")


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def pages(into):
    """header -> (its page, the first sentence of its head)."""
    return {each.find("location").get("file"): (f"{each.get('id')}.html", text_of(each.find("briefdescription")))
            for each in compounds(into, "file") if text_of(each.find("compoundname")) != "front.dox"}


def needs_a_docstring(member, class_name):
    """Not what its language, base or class says of it: copies, ends, operators, what overrides."""
    name, arguments = text_of(member.find("name")), text_of(member.find("argsstring"))
    if member.get("prot") != "public" or member.get("kind") != "function" or member.find("reimplements") is not None:
        return False
    if re.match(r"operator\W", name) or name == "serialize" or "->" in arguments.split(")")[-1]:
        return False
    if re.search(r"=\s*(default|delete)$", arguments) or name.startswith("~"):
        return False
    copies = re.match(rf"\((const )?{re.escape(class_name)}\s*&&?", arguments)
    return not (copies and (name in (class_name, "operator=")))


def undocumented(into):
    """(header, line, name) of each public function without a docstring."""
    found = set()
    for compound in compounds(into, "class", "struct", "namespace", "file"):
        if compound.get("prot") == "private":
            continue
        class_name = re.sub(r"<.*", "", text_of(compound.find("compoundname"))).split("::")[-1]
        for member in compound.iter("memberdef"):
            said = text_of(member.find("briefdescription")) + text_of(member.find("detaileddescription"))
            if not said and needs_a_docstring(member, class_name):
                where = member.find("location")
                found.add((where.get("declfile") or where.get("file"), int(where.get("declline") or where.get("line")),
                           text_of(member.find("qualifiedname")) or text_of(member.find("name"))))
    return sorted(found)
