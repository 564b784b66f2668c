# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Headers as Doxygen wants to read them, every declaration on its line: what the head of a header says is said of the
file, first sentences are briefs, and overloads right behind one that has a docstring have it, too. In the C header all
functions right behind do, comments are docstrings, and its headings make groups."""
import re

NAME = re.compile(r"([A-Za-z_]\w*|operator\s*[^\s\w(]+(?:\(\))?)\s*\(")
NO_NAMES = {"requires", "noexcept", "decltype", "alignas", "static_assert", "explicit", "sizeof"}
HEADING = re.compile(r"^/\* -- (.*?) -+ \*/$")
OPENS = re.compile(r"\b(namespace|class|struct|enum|union|extern)\b[^;()]*\{$")
SIGNS = re.compile(r"([\\@#%<>&])")
SENTENCE = re.compile(r"((?:`[^`]*`|[^`])*?\.)(?:\s+(?=[A-Z`0-9(])|$)(.*)$", re.S)


def code_of(line):
    """Without comments and strings."""
    return re.sub(r'//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', "", line).strip()


def shown(text):
    """Nothing in it is a command or a tag."""
    return SIGNS.sub(r"\\\1", text).replace("*/", "* /")


def marked(text):
    """As shown, backquotes make code."""
    pieces = re.split(r"`([^`]*)`", text)
    return "".join(f"<code>{shown(piece)}</code>" if k % 2 else shown(piece) for k, piece in enumerate(pieces))


def blocks_of(lines):
    """[is code, lines]: paragraphs, and what is set in."""
    made = []
    for line in lines:
        kind = line.startswith("  ") if line.strip() else None
        if not made or made[-1][0] != kind:
            made.append([kind, []])
        made[-1][1].append(line.rstrip())
    return [block for block in made if block[0] is not None]


def comment_of(lines, tags=""):
    """A comment of one line that says what these lines say."""
    text, behind = f"/** {tags}", "@brief "
    for is_code, block in blocks_of(lines):
        if is_code:
            text += f"<pre>{'<br>'.join(shown(line) for line in block)}</pre>"
            continue
        said = " ".join(line.strip() for line in block)
        if behind == "@brief ":
            sentence = SENTENCE.match(said)
            first, said = (sentence[1], sentence[2]) if sentence else (said, "")
            text += f"@brief {marked(first)}"
            behind = " @details "
        if said:
            text += behind + marked(said)
            behind = "<p>"
    return text + " */ "


def function_of(lines):
    """The function that is declared on the first of these lines; None: none is."""
    text = re.sub(r"\[\[.*?\]\]", "", " ".join(code_of(line) for line in lines))
    text = re.split(r"[;{]", re.sub(r"^(template\s*<.*?>\s*(?=\S))+", "", text))[0]
    for found in NAME.finditer(text):
        if found[1] not in NO_NAMES:
            return None if "=" in text[:found.start()] else found[1]
    return None


class reader:
    """Goes through a header once."""

    def __init__(self, text, name):
        self.name = name
        self.lines = text.splitlines()
        self.made = list(self.lines)
        self.is_c = name.endswith(".h")
        self.before = None  # docstring and function of the declaration before
        self.ends_group = ""

    def run(self):
        at, docstring = self.head(), None
        while at < len(self.lines):
            line = self.lines[at].strip()
            heading = HEADING.match(line) if self.is_c else None
            end = self.comment_end(at)
            if heading:
                title = re.sub(r" \(.*", "", heading[1])
                self.made[at] = f"{self.ends_group} /** @name {marked(title)} */ /** @{{ */"
                at, docstring, self.before, self.ends_group = at + 1, None, None, "/** @} */"
            elif end > at:
                docstring = [re.sub(r"^\s*/// ?|^\s*/\* ?|\s*\*/\s*$|^   ", "", each) for each in self.lines[at:end]]
                self.made[at:end] = [""] * (end - at)
                at, self.before = end, None
            elif not code_of(line) or re.match(r"[#}]|(public|private|protected):", line):
                if not line.startswith("//"):
                    docstring = self.before = None
                at += 1
            else:
                at, docstring = self.declaration(at, docstring), None
        return "\n".join([*self.made, self.ends_group, ""])

    def head(self):
        """Gives what stands on top to the file; the line behind it."""
        end = next(k for k, line in enumerate(self.lines) if not line.startswith("//")) if not self.is_c else self.comment_end(0)
        block = [re.sub(r"^// ?|^/\* ?|\s*\*/\s*$|^   ", "", line) for line in self.lines[:end] if "SPDX-" not in line]
        self.made[:end] = [comment_of(block, f"@file {self.name} ")] + [""] * (end - 1)
        return end

    def comment_end(self, at):
        """The line behind the docstring that begins here; the same line: none does."""
        end = at
        if self.is_c and self.lines[at].lstrip().startswith("/*"):
            while "*/" not in self.lines[end]:
                end += 1
            return end + 1
        while not self.is_c and end < len(self.lines) and re.match(r"\s*///(?!<)", self.lines[end]):
            end += 1
        return end

    def declaration(self, at, docstring):
        end = self.declaration_end(at)
        if docstring is None and self.lines[at].lstrip().startswith("friend "):
            self.made[at:end] = [""] * (end - at)  # Doxygen would list it, and describe it nowhere
            return end
        name = function_of(self.lines[at:end])
        has_own = re.search(r"///<|\*/$", self.lines[end - 1])
        if docstring is None and not has_own and self.before and name and (self.is_c or name == self.before[1]):
            docstring = self.before[0]
        if docstring is not None:
            self.made[at] = comment_of(docstring) + self.made[at].lstrip()
        self.before = (docstring, name) if docstring is not None and name else None
        if self.is_c:
            for k in range(at, end):
                self.made[k] = re.sub(r"(\S\s+)/\* (.*?) \*/$", lambda found: f"{found[1]}/**< @brief {marked(found[2])} */", self.made[k])
        return end

    def declaration_end(self, at):
        """The line behind it; of a class or namespace, the line behind the one that opens it."""
        depth, head = 0, ""
        for end in range(at, len(self.lines)):
            code = code_of(self.lines[end])
            if depth == 0 and OPENS.search(f"{head}{code}"):
                return end + 1
            head += code + " "
            depth += sum(code.count(sign) for sign in "({") - sum(code.count(sign) for sign in ")}")
            if depth <= 0 and code.endswith((";", "}")):
                return end + 1
        return len(self.lines)


def for_doxygen(text, name):
    return reader(text, name).run()
