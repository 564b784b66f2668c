#!/usr/bin/env python3
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Each check of the tree passes on a small good tree and fails on each way to break it."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
SPDX = ("// SPDX-FileCopyrightText: the upwash authors\n"
        "// SPDX-License-Identifier: BSD-3-Clause\n")
LAYERS = """upwash/base:
upwash/conduit: upwash/base
upwash/conduit/shm: upwash/base upwash/conduit
upwash/conduit/sim: upwash/base upwash/conduit
upwash/core: upwash/base upwash/conduit
apps: upwash/core
"""


def header(body=""):
    return SPDX + "#pragma once\n\n" + body


class TreeCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("cmake/layers.txt", LAYERS)
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("upwash/base/time.hpp", header("#include <cstdint>\n"))
        self.write("upwash/base/detail/clock.hpp", header("#include <memory>\n"))
        self.write("upwash/base/time.cpp", SPDX + '#include "upwash/base/time.hpp"\n\n'
                   '#include <unistd.h>\n\n#include "upwash/base/detail/clock.hpp"\n')
        self.write("upwash/conduit/shm/ring.hpp", header('#include "upwash/base/time.hpp"\n'))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, name, *arguments):
        return subprocess.run([SCRIPTS / name, "--root", self.root, *arguments], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def passes(self, name, *arguments):
        result = self.run_check(name, *arguments)
        self.assertEqual(result.returncode, 0, result.stdout)

    def fails(self, name, expected, *arguments):
        result = self.run_check(name, *arguments)
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(expected, result.stdout)


class Layers(TreeCase):
    def rejects(self, name, include, expected):
        self.write(name, header(f"#include {include}\n"))
        self.fails("check-layers", expected)

    def test_good_tree(self):
        self.passes("check-layers")

    def test_upward_include(self):
        self.write("upwash/core/job.hpp", header())
        self.rejects("upwash/base/up.hpp", '"upwash/core/job.hpp"',
                     "upwash/base may not include upwash/core")

    def test_folder_without_a_line(self):
        self.write("upwash/news/a.cpp", SPDX)
        self.fails("check-layers", "upwash/news/ has sources but no line")

    def test_detail_of_another_folder(self):
        self.rejects("upwash/conduit/shm/a.cpp", '"upwash/base/detail/clock.hpp"',
                     "detail/ is private to upwash/base")

    def test_detail_header_that_a_public_one_includes(self):
        self.write("upwash/base/b.hpp", header('#include "upwash/base/detail/clock.hpp"\n'))
        self.passes("check-layers")
        self.write("upwash/base/detail/clock.hpp", header("#include <unistd.h>\n"))
        self.fails("check-layers", "no system or third-party header")

    def test_conduit_that_includes_another(self):
        self.write("cmake/layers.txt", LAYERS.replace("sim: ", "sim: upwash/conduit/shm "))
        self.rejects("upwash/conduit/sim/a.cpp", '"upwash/conduit/shm/ring.hpp"',
                     "a conduit never includes another")

    def test_what_conduits_share(self):
        self.write("cmake/layers.txt", LAYERS
                   .replace("upwash/conduit/sim:", "upwash/conduit/wire: upwash/base\nupwash/conduit/sim:")
                   .replace("sim: ", "sim: upwash/conduit/wire "))
        self.write("upwash/conduit/wire/transport.hpp", header())
        self.write("upwash/conduit/sim/a.cpp", SPDX + '#include "upwash/conduit/wire/transport.hpp"\n')
        self.passes("check-layers")
        self.rejects("upwash/conduit/shm/a.cpp", '"upwash/conduit/wire/transport.hpp"',
                     "upwash/conduit/shm may not include upwash/conduit/wire")

    def test_folders_of_a_pattern(self):
        self.write("cmake/layers.txt", LAYERS.replace("upwash/conduit/sim: upwash/base upwash/conduit",
                                                      "upwash/conduit/*: upwash/base upwash/conduit"))
        self.write("upwash/conduit/new/a.cpp", SPDX + '#include "upwash/base/time.hpp"\n')
        self.passes("check-layers")
        self.write("upwash/core/job.hpp", header())
        self.rejects("upwash/conduit/new/b.cpp", '"upwash/core/job.hpp"',
                     "upwash/conduit/* may not include upwash/core")
        self.rejects("upwash/conduit/new/b.cpp", '"upwash/conduit/shm/ring.hpp"',
                     "a conduit never includes another")

    def test_application_that_includes_another(self):
        self.write("apps/one/a.hpp", header())
        self.rejects("apps/two/b.cpp", '"apps/one/a.hpp"', "an application never includes another")

    def test_system_library_and_slow_headers_in_public_headers(self):
        for name in ("unistd.h", "fmt/format.h"):
            self.rejects("upwash/base/b.hpp", f"<{name}>", "no system or third-party header")
        self.rejects("upwash/base/b.hpp", "<functional>", "function_ref.hpp")
        self.rejects("upwash/base/b.hpp", "<chrono>", "duration.hpp")

    def test_missing_and_relative_includes(self):
        self.rejects("upwash/base/b.cpp", '"upwash/base/none.hpp"', "does not exist")
        self.rejects("upwash/base/b.cpp", '"time.hpp"', "write the path from the root")

    def test_layer_that_names_a_later_one(self):
        self.write("cmake/layers.txt", LAYERS.replace("base:\n", "base: upwash/core\n", 1))
        self.fails("check-layers", "no earlier line defines")


class ProgramHeaders(TreeCase):
    """What upwash.hpp reaches names no layer that programs do not see."""

    def setUp(self):
        super().setUp()
        self.write("upwash/upwash.hpp", header('#include "upwash/base/time.hpp"\n'))

    def rejects(self, body, expected):
        self.write("upwash/base/time.hpp", header(body))
        self.fails("check-program-headers", expected)

    def test_good_tree(self):
        self.passes("check-program-headers")

    def test_words_in_comments_and_strings(self):
        self.write("upwash/base/time.hpp",
                   header('// conduit::message\n/* schedule::step\n */\nconst char* s = "conduit::";\n'))
        self.passes("check-program-headers")

    def test_names(self):
        self.rejects("void f(conduit::message);\n", "names conduit::")
        self.rejects("// fine\nusing schedule :: step;\n", "time.hpp:6: names schedule::")
        self.rejects("namespace upwash::conduit {\nclass endpoint;\n}\n", "names conduit::")

    def test_includes(self):
        self.write("upwash/conduit/endpoint.hpp", header())
        self.rejects('#include "upwash/conduit/endpoint.hpp"\n',
                     "includes upwash/conduit/endpoint.hpp (upwash/upwash.hpp:5 includes it")

    def test_what_examples_and_pages_include(self):
        self.write("upwash/core/own.hpp", header("using schedule::step;\n"))
        self.passes("check-program-headers")
        self.write("docs/tutorial.md", "Include `upwash/core/own.hpp`.\n")
        self.fails("check-program-headers", "docs/tutorial.md names it")
        self.write("docs/tutorial.md", "")
        self.write("examples/one/main.cpp", SPDX + "#include <upwash/core/own.hpp>\n")
        self.fails("check-program-headers", "examples/one/main.cpp:3 includes it")

    def test_authors_may(self):
        self.write("upwash/collective/executor.hpp", header("using schedule::step;\n"))
        self.write("examples/one/main.cpp", SPDX + "#include <upwash/collective/executor.hpp>\n")
        self.passes("check-program-headers")


@unittest.skipUnless(shutil.which("doxygen"), "no doxygen")
class Reference(TreeCase):
    """What programs may call says what it does."""

    def says(self, body):
        self.write("upwash/upwash.hpp", header(body))

    def test_what_needs_no_docstring(self):
        self.says("/// One.\nstruct one {\n  one() = default;\n  one(const one&) noexcept;\n  ~one();\n"
                  "  bool operator==(const one&) const;\n  /// As it is.\n  void run();\n  void run(int often);\n"
                  "  int at() const;  ///< where\n\n private:\n  void inside();\n};\n"
                  "namespace detail {\nvoid inside();\n}\n")
        self.passes("check-reference")

    def test_functions_without_one(self):
        self.says("struct one {\n  /// As it is.\n  void run();\n  void stop();\n};\n")
        self.fails("check-reference", "upwash/upwash.hpp:8: one::stop has no docstring")
        self.says("template <class T>\nvoid loose(T);\n")
        self.fails("check-reference", "loose has no docstring")

    def test_signs_in_docstrings(self):
        self.says("/// From `a<b>` to <c>, @d, \\\\e, #f and %g: `h::i<j>(\\\\k)`. Then 2 * 3 * 4.\nvoid all();\n")
        self.passes("check-reference")

    def test_the_header_for_c(self):
        c_head = "/* SPDX-License-Identifier: BSD-3-Clause\n\n   For C. */\n"
        self.says("")
        self.write("interop/c/include/upwash.h", c_head + "/* Both. */\nint one(void);\nint two(void);\n"
                   "int three(void); /* the third */\n")
        self.passes("check-reference")
        self.write("interop/c/include/upwash.h", c_head + "\nint four(void);\n")
        self.fails("check-reference", "interop/c/include/upwash.h:5: four has no docstring")


class Headers(TreeCase):
    def test_good_tree_and_cached_rerun(self):
        self.passes("check-headers")
        self.assertIn("(0 compiled)", self.run_check("check-headers").stdout)

    def test_header_that_needs_another(self):
        self.passes("check-headers")
        self.write("upwash/base/time.hpp", header("inline std::string text();\n"))
        self.fails("check-headers", "upwash/base/time.hpp: does not compile alone")
        self.fails("check-headers", "upwash/conduit/shm/ring.hpp: does not compile alone")

    def test_header_over_budget(self):
        self.write("upwash/base/long.hpp", header("".join(f"int f{i}();\n" for i in range(50_001))))
        self.fails("check-headers", "the budget is 50000")


class Size(TreeCase):
    def test_good_tree(self):
        self.write("upwash/base/a.cpp", "int a() {\n" + "  f();\n" * 68 + "}\n")
        self.passes("check-size")

    def test_long_file(self):
        self.write("upwash/base/a.cpp", "int a;\n" * 701)
        self.fails("check-size", "701 lines; the limit is 700")

    def test_long_function(self):
        body = "  f('{', \"}\"); // }\n" * 69
        self.write("upwash/base/a.cpp", "namespace x {\ntemplate <class T>\nstruct s {\n"
                   "  explicit s(int a) noexcept : a_{a} {\n" + body + "  }\n};\n}\n")
        self.fails("check-size", "upwash/base/a.cpp:4: s has 71 lines; the limit is 70")

    def test_long_class_of_short_functions(self):
        self.write("upwash/base/a.cpp", "class x {\n" + "  int f() { return 1; }\n" * 90 + "};\n")
        self.passes("check-size")


class Globals(TreeCase):
    def library(self, code, name="a"):
        source = self.root / f"{name}.cpp"
        source.write_text(code)
        for command in (["g++", "-std=c++20", "-fPIC", "-c", source, "-o", f"{source}.o"],
                        ["ar", "rcs", self.root / "lib.a", f"{source}.o"]):
            subprocess.run(command, check=True)
        return self.root / "lib.a"

    def test_constants_pass(self):
        self.passes("check-globals", self.library(
            "namespace upwash { extern const char* const names[2] = {\"a\", \"b\"};\n"
            "struct v { virtual ~v(); }; v::~v() = default; constexpr int n = 3; }\n"))

    def test_constexpr_array_that_gcc_keeps_writable_passes(self):
        code = ("#include <array>\n#include <string_view>\nnamespace upwash {\n"
                "constexpr std::array rows{std::string_view(\"a\")};\n"
                "const void* f() { return rows.data(); } }\n")
        self.passes("check-globals", self.library(code))
        self.fails("check-globals", "rows", self.library(code.replace("constexpr ", "static ")))

    def test_mutable_state_fails(self):
        for code in ("int counter;", "static int counter = 3; int f() { return ++counter; }",
                     "int f() { static int counter; return ++counter; }",
                     "thread_local int counter = 1;", "inline int counter; int* f() { return &counter; }",
                     "const char* counter = \"a\";"):
            self.fails("check-globals", "counter",
                       self.library("namespace upwash { " + code + " }\n"))

    def test_allowed_object(self):
        self.passes("check-globals", self.library("namespace upwash { int jobs; }\n", "process"))

    def test_library_that_was_not_built(self):
        self.fails("check-globals", "build it first", self.root / "none.a")


class Format(TreeCase):
    def test_unformatted_file_fails_and_is_mended(self):
        self.passes("check-format", "--fix")
        self.passes("check-format")
        self.write("upwash/base/a.cpp", "int  a  ;\n")
        self.fails("check-format", "upwash/base/a.cpp:1")
        self.passes("check-format", "--fix")
        self.passes("check-format")


class Includes(TreeCase):
    def test_function_without_its_header(self):
        self.passes("check-includes")
        self.write("upwash/base/a.cpp", SPDX + '#include <map>\n\nint a = std::max(1, 2);  // std::iota(\n')
        self.fails("check-includes", "upwash/base/a.cpp: uses max without #include <algorithm>")
        self.write("upwash/base/b.hpp", header("auto b = fmt::join(std::vector{1}, std::gcd(1, 2));\n"))
        self.fails("check-includes", "upwash/base/b.hpp: uses fmt::join without #include <fmt/ranges.h>")
        self.fails("check-includes", "upwash/base/b.hpp: uses gcd without #include <numeric>")
        self.passes("check-includes", "--fix")
        self.passes("check-includes")
        self.assertIn("#include <map>\n#include <algorithm>\n", (self.root / "upwash/base/a.cpp").read_text())


class Presets(unittest.TestCase):
    def test_warnings_are_no_errors_for_users(self):
        for name in ("CMakePresets.json", "scripts/demo", "packaging/Containerfile"):
            self.assertNotIn("WERROR", (SCRIPTS.parent / name).read_text(), name)


class Names(TreeCase):
    def test_each_fault(self):
        self.write("upwash/base/time.hpp", header("int wait_for(int seconds);\n"))
        self.write("docs/time.md", "Of time.\n")
        self.write("docs/from_there.md", "| there | here |\n|---|---|\n| `sleep` | `wait_for`, `time.md` |\n")
        self.passes("check-names")
        faults = {"wait": "no header declares wait", "clock::wait_for": "no header declares clock",
                  "clock.md": "there is no clock.md", "UPWASH_CLOCK=1": "there is no knob UPWASH_CLOCK"}
        for name, expected in faults.items():
            self.write("docs/from_there.md", f"| `sleep` | `{name}` |\n")
            self.fails("check-names", expected)


class Text(TreeCase):
    def test_good_tree(self):
        self.passes("check-text")

    def test_each_fault(self):
        mark = "TO" + "DO"
        faults = {"int a;\n": "must begin with the lines", SPDX + "int a; \n": "trailing whitespace",
                  SPDX + "int a;": "no newline at the end", SPDX + f"// {mark} later\n": mark,
                  SPDX + "// line\n" * 6: "more than 5 lines"}
        for text, expected in faults.items():
            self.write("upwash/base/a.cpp", text)
            self.fails("check-text", expected)

    def test_scripts_need_the_licence(self):
        self.write("scripts/run", "#!/bin/sh\n")
        self.fails("check-text", "scripts/run:1: must begin")


class Language(TreeCase):
    def test_good_tree(self):
        self.passes("check-language")

    def test_each_fault(self):
        faults = {"int what = 0;\n": "identifiers: 1", "// The rank, whose turn it is.\n": "words: 1",
                  "// Of a team the size.\n": "openings: 1"}
        for text, expected in faults.items():
            self.write("upwash/base/a.cpp", SPDX + text)
            self.fails("check-language", f"upwash/base/a.cpp: {expected}, and the table allows 0")

    def test_long_line_of_a_page(self):
        self.write("docs/page.md", "word " * 21 + "\n")
        self.fails("check-language", "docs/page.md: long_lines: 1")

    def test_code_and_strings_are_no_names(self):
        self.write("upwash/base/a.cpp", SPDX + 'const char* text = "what";\nint b = list.at(0);\n')
        self.write("docs/page.md", "A page.\n\n    int what;\n\nIt names `what`.\n")
        self.passes("check-language")

    def test_recorded_counts_only_fall(self):
        self.write("upwash/base/a.cpp", SPDX + "int what = 0;\n")
        self.write("scripts/lib/language.tsv", "file\tidentifiers\twords\topenings\tlong_lines\n"
                   "upwash/base/a.cpp\t1\t0\t0\t0\n")
        self.passes("check-language")
        self.write("upwash/base/a.cpp", SPDX + "int what = 0;\nint size = what;\n")
        self.fails("check-language", "identifiers: 2, and the table allows 1", "--record")
        self.write("upwash/base/a.cpp", SPDX + "int count = 0;\n")
        self.passes("check-language", "--record")
        self.write("upwash/base/a.cpp", SPDX + "int what = 0;\n")
        self.fails("check-language", "identifiers: 1, and the table allows 0")



class Clang(TreeCase):
    def test_what_no_clang_compiles_is_rejected(self):
        self.write("upwash/upwash.hpp", header("inline int one() { return 1; }\n"))
        self.passes("check-clang")
        self.write("examples/one/main.cpp", SPDX + "int main() { return one(); }\n")
        self.fails("check-clang", "does not compile examples/one/main.cpp")


@unittest.skipUnless(shutil.which("aarch64-linux-gnu-g++"), "there is no cross compiler for ARM")
class Fences(TreeCase):
    def setUp(self):
        super().setUp()
        for folder in ("upwash", "tests/fences"):
            shutil.copytree(SCRIPTS.parent / folder, self.root / folder, dirs_exist_ok=True)

    def replace(self, file, fence, instead):
        whole = (self.root / file).read_text()
        self.assertEqual(whole.count(fence), 1, f"{file} has another fence than this test knows")
        self.write(file, whole.replace(fence, instead))

    def test_each_fence_that_is_missing_is_named(self):
        release = "std::atomic_thread_fence(std::memory_order_release);"
        missing = (
            ("upwash/core/detail/direct.hpp", release, "", "put_data: no barrier"),
            ("upwash/core/detail/direct.hpp", "bits, __ATOMIC_RELEASE", "bits, __ATOMIC_RELAXED",
             "the flag is not stored with release"),
            ("upwash/base/apply_atomic.hpp", "word.exchange(operand)",
             "word.exchange(operand, std::memory_order_relaxed)", "does not order what is around"),
            ("upwash/onesided/accumulate.cpp", release, "", "accumulate: no barrier"),
            ("upwash/onesided/transfer.cpp", release, "", "put_laid_at_once: no barrier"),
            ("upwash/conduit/shm/detail/shm_memory.cpp", release, "", "shm_endpoint::put: no barrier"),
        )
        for file, fence, instead, _ in missing:
            self.replace(file, fence, instead)
        result = self.run_check("check-fences")
        self.assertEqual(result.returncode, 1, result.stdout)
        for *_, said in missing:
            self.assertIn(said, result.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=1, argv=[sys.argv[0], *sys.argv[1:]])
