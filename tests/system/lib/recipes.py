# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Looks at the recipes of packaging/ without the tools that they are for: prints what is wrong, a line each.

  recipes.py ROOT spack|conda|container
"""
import ast
import pathlib
import re
import sys


def fact(root, name, pattern):
    return re.search(pattern, (root / name).read_text(), re.M)[1]


def needs_of(root):
    """What CMake asks for without tests and applications."""
    text = "".join((root / f"cmake/{name}.cmake").read_text() for name in ("dependencies", "tools"))
    found = set(re.findall(r"find_package\((\w+)", text)) | set(re.findall(r"pkg_check_modules\((\w+)", text))
    return (found | {"highway"}) - {"Threads"}


# CMake's name: Spack's, conda-forge's, Debian's.
NAMES = {"fmt": ("fmt", "fmt", "libfmt-dev"), "spdlog": ("spdlog", "spdlog", "libspdlog-dev"),
         "nlohmann_json": ("nlohmann-json", "nlohmann_json", "nlohmann-json3-dev"),
         "Boost": ("boost", "libboost-devel", "libboost-context-dev"), "hwloc": ("hwloc", "libhwloc", "libhwloc-dev"),
         "CLI11": ("cli11", "cli11", "libcli11-dev"), "highway": ("highway", "libhwy", "libhwy-dev"),
         "PkgConfig": ("pkgconfig", "pkg-config", "pkg-config")}


def missing(root, column, has):
    for need in sorted(needs_of(root)):
        if need not in NAMES:
            yield f"nobody knows what package {need} is in: add it to {pathlib.Path(__file__).name}"
        elif NAMES[need][column] not in has:
            yield f"{NAMES[need][column]} is missing, for {need}"


def options_of(root):
    text = "".join(path.read_text() for path in [root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")])
    return set(re.findall(r"(?:option|set)\((UPWASH_\w+)", text))


def spack(root, version):
    tree = ast.parse((root / "packaging/spack/package.py").read_text())
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if [(node.name, [base.id for base in node.bases]) for node in classes] != [("Upwash", ["CMakePackage"])]:
        yield "it is no CMakePackage that is called Upwash"
        return
    calls = [node for node in ast.walk(classes[0]) if isinstance(node, ast.Call)]

    def named(name):
        return [call for call in calls if getattr(call.func, "id", getattr(call.func, "attr", "")) == name]

    if [call.args[0].value for call in named("version")] != [version]:
        yield f"it is not of version {version}"
    variants = {call.args[0].value for call in named("variant")}
    for call in calls:
        for word in call.keywords:
            for asked in re.findall(r"[+~](\w+)", word.value.value if word.arg == "when" else ""):
                if asked not in variants:
                    yield f"there is no variant {asked}"
    yield from missing(root, 0, {re.split(r"[@+ ]", call.args[0].value)[0] for call in named("depends_on")})
    for call in named("define") + named("define_from_variant"):
        if call.args[0].value not in options_of(root):
            yield f"CMake has no option {call.args[0].value}"
    for call in named("define_from_variant"):
        if call.args[1].value not in variants:
            yield f"there is no variant {call.args[1].value}"


def conda(root, version):
    import jinja2
    import yaml
    folder = root / "packaging/conda"
    names = {"compiler": lambda of: f"{of}_compiler", "stdlib": lambda of: f"{of}_stdlib",
             "pin_subpackage": lambda name, **_: name}
    recipe = yaml.safe_load(jinja2.Environment(undefined=jinja2.StrictUndefined).from_string((folder / "meta.yaml").read_text()).render(names))
    if str(recipe["package"]["version"]) != version:
        yield f"it is not of version {version}"
    for name in recipe["test"]["files"]:
        if not (folder / name).is_file():
            yield f"there is no {name}"
    if not (root / recipe["about"]["license_file"]).is_file() or (folder / recipe["source"]["path"]).resolve() != root:
        yield "its sources are not the tree"
    needs = recipe["requirements"]
    yield from missing(root, 1, {line.split()[0] for line in needs["build"] + needs["host"]})
    for option in re.findall(r"-D(UPWASH_\w+)", (folder / "build.sh").read_text()):
        if option not in options_of(root):
            yield f"CMake has no option {option}"


def container(root, _version):
    lines = re.sub(r"\\\n", " ", (root / "packaging/Containerfile").read_text()).splitlines()
    steps = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    stages, installed = [], []
    for step in steps:
        if len(step) != 2 or step[0] not in ("FROM", "RUN", "COPY", "CMD", "ENV", "WORKDIR"):
            yield f"no step: {' '.join(step)}"
            continue
        word, rest = step
        if word == "FROM":
            image = re.fullmatch(r"debian:12(?: AS (\w+))?", rest)
            if not image:
                yield f"not of Debian 12: {rest}"
            stages.append(image[1] if image else None)
        if word == "COPY":
            source = re.match(r"(?:--from=(\w+) )?(\S+) \S+$", rest)
            if not source or (source[1] and source[1] not in stages[:-1]) or (not source[1] and not (root / source[2]).exists()):
                yield f"what is copied is not there: {rest}"
        if word == "RUN":
            for packages in re.findall(r"apt-get install ((?:[\w.+-]+ +)+)", rest):
                installed.append([name for name in packages.split() if not name.startswith("-")])
            for name in re.findall(r"/source/(\S+)", rest):
                if not (root / name).exists():
                    yield f"there is no {name}"
            for option in re.findall(r"-D(UPWASH_\w+)", rest):
                if option not in options_of(root):
                    yield f"CMake has no option {option}"
            if rest.count("&&") and re.search(r"&&\s*&&|&&\s*$", rest):
                yield f"a command is missing: {rest}"
    if len(stages) != 2 or len(installed) != 2 or steps[-1][0] != "CMD":
        yield "not two stages that install packages, and a command"
        return
    setup = set(re.search(r"^packages=\((.*?)\)", (root / "scripts/setup").read_text(), re.M | re.S)[1].split())
    yield from missing(root, 2, set(installed[0]))
    for name in installed[0]:
        if name not in setup:
            yield f"scripts/setup does not install {name}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    version = fact(root, "upwash/base/version.hpp", r'^#define UPWASH_VERSION "(.*)"')
    wrong = list({"spack": spack, "conda": conda, "container": container}[sys.argv[2]](root, version))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
