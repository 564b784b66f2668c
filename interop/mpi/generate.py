#!/usr/bin/env python3
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what the preload library needs to stand before every function of an MPI library, from that
library's own mpi.h: who is there; blocking, nonblocking and persistent collectives for each that is
described; and for each function that is neither of these nor defined in the sources given a wrapper that
counts and passes on.

  generate.py --compiler "c++ -I..." --out FOLDER --described FILE [--taken FILE...]

FOLDER/functions.hpp: an enumeration of all functions; FOLDER/functions.cpp: their names;
FOLDER/collectives.cpp: those described; FOLDER/messages.cpp: messages; FOLDER/fortran.cpp: what is not passed on, under the library's
names of Fortran that do not call those of C; FOLDER/pass_through.cpp: the wrappers;
FOLDER/exports.map: which names others see;
FOLDER/weak_names.hpp: the library's variables made weak, so that the preload library may be loaded
into processes that have no MPI.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys

HEAD = "// Written by interop/mpi/generate.py.\n"
PROTOTYPE = re.compile(r"([A-Za-z_][\w\s\*]*?[\s\*])(MPI_[A-Z]\w*|MPIX_[A-Z]\w*_init)\s*\(([^;{}]*)\)\s*$", re.S)
DEFINED = re.compile(r"^\w[\w\s\*]*\b(MPI_[A-Z]\w*)\(", re.M)
DESCRIBED = re.compile(r"^void (\w+)\(taken_call& call, traffic& all\b", re.M)
# Ends the names of MPI 4's functions of large counts.
LARGE = "_c"
# Ends those of persistent calls.
KEPT = "_init"
# Open MPI 4 has them under other names, in another header.
HEADERS = """#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
"""
# What completes requests; and the argument that says which, of those that complete any or some.
COMPLETES = re.compile(r"MPI_(Wait|Test)(all|any|some)?$")
INDICES = {"any": 2, "some": 3}
# What upwash has handles of its own for: the C functions between them and numbers of Fortran.
CONVERTS = {f"MPI_{what}_{way}": f"upwash::mpi::fortran::{does}" for what, made in (("Request", "request"), ("Message", "message"))
            for way, does in (("f2c", made), ("c2f", "number_of"))}
# They wait for each other, so they may give the new communicator its team. All of the first argument's
# members call them, but for those that some members call.
MAKES_COMMUNICATOR = re.compile(
    r"MPI_(Comm_(dup|dup_with_info|split|split_type|create|create_group)|Intercomm_merge|"
    r"(Cart|Graph|Dist_graph)_create(_adjacent)?|Cart_sub)")
OF_SOME = {"MPI_Comm_create_group": 2}  # the place of their tag
OF_BOTH = {"MPI_Intercomm_merge"}  # groups of the first argument
# Whose messages the library may take for its own (detail/graph_tags.hpp).
BEFORE = {"MPI_Dist_graph_create": "pass_graph_tags"}
BUFFER = re.compile(r"(const )?void ?\*")
# Returns are conversions: that of the handle's value says all.
ARRAY = re.compile(r"\[[^\]]*\]")


def preprocessed(compiler):
    command = [*shlex.split(compiler), "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-x", "c++", "-E", "-P", "-"]
    done = subprocess.run(command, input=HEADERS, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"generate.py: {' '.join(command)}:\n{done.stderr}")
    return done.stdout


def without_attributes(text):
    """Without __attribute__((...)), whose parentheses nest."""
    out, at = [], 0
    while (found := text.find("__attribute__", at)) >= 0:
        out.append(text[at:found])
        at = text.index("(", found)
        depth = 0
        while True:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
            if depth == 0:
                break
    return "".join(out) + text[at:]


def split_parameters(text):
    """At commas outside parentheses."""
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
    return [" ".join(part.split()) for part in [*parts, text[begin:]] if part.strip()]


def parameter(text, number):
    """(declaration, name): with a name of its own, since the header may give none."""
    name = f"a{number}"
    array = "".join(ARRAY.findall(text))
    bare = ARRAY.sub("", text).strip()
    if match := re.search(r"\(\s*\*\s*\w*\s*\)", bare):  # a pointer to a function
        return bare[:match.start()] + f"(*{name})" + bare[match.end():], name
    words = re.findall(r"\w+", bare)
    named = len(words) > 1 and words[-1] not in ("int", "char", "void") and bare.endswith(words[-1])
    if named and not (len(words) == 2 and words[0] in ("const", "struct", "unsigned")):
        bare = bare[:len(bare) - len(words[-1])].rstrip()
    return f"{bare} {name}{array}", name


def prototypes(text):
    """{name: (type of the result, parameters)} of functions that have a second name, PMPI_."""
    found = {}
    for statement in re.split(r"[;{}]", without_attributes(text)):
        match = PROTOTYPE.search(statement)
        if not match or "typedef" in statement or "..." in match.group(3):
            continue
        result = " ".join(match.group(1).replace("extern", "").split())
        parameters = split_parameters(match.group(3))
        found[match.group(2)] = (result, [] if parameters == ["void"] else parameters)
    # What a program takes from the second name directly nobody can stand before.
    return {name: what for name, what in sorted(found.items()) if re.search(rf"\bP{name}\s*\(", text)}


def head(name, result, parameters):
    """(what stands before the body, the names of the arguments)."""
    declared = [parameter(each, number) for number, each in enumerate(parameters)]
    return f"{result} {name}({', '.join(d for d, _ in declared)}) {{\n", [n for _, n in declared]


def library_call(name):
    """The library's own function, as an expression. Persistent collectives have different names in Open MPI 4 and later."""
    if not name.removesuffix(LARGE).endswith(KEPT) or name in message_functions():
        return f"P{name}"
    return f"persistent_function<decltype(P{name})>(\"{name.split('_', 1)[1]}\")"


def other_name(name, result, parameters):
    """A second name for a persistent collective of Open MPI: MPIX_ in version 4, MPI_ in later ones. Programs of both
    versions find the preload library's function."""
    prefix, plain = name.split("_", 1)
    other = f"{'MPI' if prefix == 'MPIX' else 'MPIX'}_{plain}"
    begin, names = head(other, result, parameters)
    return f"{begin}  return {name}({', '.join(names)});\n}}\n"


def wrapper(name, result, parameters):
    begin, names = head(name, result, parameters)
    call = f"{CONVERTS.get(name, 'P' + name)}({', '.join(names)})"
    after = f"  return {call};\n"
    if MAKES_COMMUNICATOR.fullmatch(name):
        made_from = "MPI_COMM_NULL" if name in OF_BOTH else names[0]
        give, tag = ("give_team_to_some", f"{names[OF_SOME[name]]}, ") if name in OF_SOME else ("give_team", "")
        hints = "".join(f", {n}" for n, t in zip(names, parameters) if re.match(r"MPI_Info\b", t.strip()))
        before = f"  upwash::mpi::{BEFORE[name]}({names[0]});\n" if name in BEFORE else ""
        after = (f"{before}  upwash::mpi::communicator_call making(upwash::mpi::function::of_{name}, {made_from});\n"
                 f"  const int code = {call};\n"
                 f"  if (code == MPI_SUCCESS) making.{give}({tag}*{names[-1]}{hints});\n"
                 "  return code;\n")
    return f"#undef {name}\n{begin}  upwash::mpi::passed(upwash::mpi::function::of_{name});\n{after}}}\n"


def collective(described, name, result, parameters):
    """MPI's function of what `described` says."""
    begin, names = head(name, result, parameters)
    types = [" ".join(each.split()) for each in parameters]
    comm = next(n for n, t in zip(names, types) if re.match(r"MPI_Comm\b", t))
    request = next((n for n, t in zip(names, types) if re.match(r"MPI_Request\b", t)), None)
    info = next((n for n, t in zip(names, types) if re.match(r"MPI_Info\b", t)), None)
    arguments = "".join(f", {n}" for n in names if n not in (comm, info, request))
    near = "true" if described.startswith("neighbor_") else "false"
    kept = name.removesuffix(LARGE).endswith(KEPT)
    manner = "persistent" if kept else "nonblocking" if request else "blocking"
    op = next((f", predefined({n}).has_value()" for n, t in zip(names, types) if re.match(r"MPI_Op\b", t)), "")
    op = op if manner != "blocking" else ""
    asked = f"{{function::of_{name}, {near}, manner::{manner}{op}}}, {comm}"
    take = f"take_later({asked}, {request}" if request else f"take({asked}"
    return (f"{begin}  return {take},\n"
            f"      [&](taken_call& call, traffic& all) {{ describe::{described}(call, all{arguments}); }},\n"
            f"      [&] {{ return {library_call(name)}({', '.join(names)}); }});\n}}\n")


def message_functions():
    """{MPI's name: the call of message_call, and what it is given first}"""
    made = {}
    for letter, mode in (("", "standard"), ("B", "buffered"), ("S", "synchronous"), ("R", "ready")):
        made[f"MPI_{(letter + 'send').capitalize()}"] = ("send", f"sending::{mode}")
        made[f"MPI_I{letter.lower()}send"] = ("isend", f"sending::{mode}")
        made[f"MPI_{(letter + 'send').capitalize()}{KEPT}"] = ("send_init", f"sending::{mode}")
    for each in ("recv", "irecv", "recv_init", "sendrecv", "sendrecv_replace", "isendrecv", "isendrecv_replace", "probe", "iprobe",
                 "mprobe", "improbe"):
        made[f"MPI_{each.capitalize()}"] = (each, "")
    made["MPI_Mrecv"] = made["MPI_Imrecv"] = ("claimed", "")
    return {name + large: call for name, call in made.items() for large in ("", LARGE)}


def message(call, name, result, parameters):
    begin, names = head(name, result, parameters)
    theirs = f"[&] {{ return P{name}({', '.join(names)}); }}"
    which, first = call
    if which == "claimed":
        return f"{begin}  return take_claimed(function::of_{name}, {', '.join(names)},\n      {theirs});\n}}\n"
    comm = next(n for n, t in zip(names, parameters) if re.match(r"MPI_Comm\b", t.strip()))
    arguments = ", ".join(filter(None, [first, *(n for n in names if n != comm)]))
    peers = " || ".join(f"{n} != MPI_PROC_NULL" for n, t in zip(names, parameters) if re.search(r"\b(dest|source)$", t))
    if not peers:
        sys.exit(f"generate.py: {name}: no argument is dest or source")
    return (f"{begin}  return take_message(function::of_{name}, {comm}, {peers},\n"
            f"      [&](message_call& call) {{ return call.{which}({arguments}); }},\n      {theirs});\n}}\n")


def messages(functions):
    return {name: message(call, name, *functions[name]) for name, call in message_functions().items() if name in functions}


def collectives(described, functions, of_open_mpi):
    """{MPI's name: its function}, of those that this library has."""
    made = {}
    for name in described:
        blocking = f"MPI_{name.capitalize()}"
        if blocking not in functions:
            sys.exit(f"generate.py: {name} is described, but not in mpi.h")
        for full in (blocking, f"MPI_I{name}", blocking + KEPT, f"MPIX_{name.capitalize()}{KEPT}"):
            for each in (full, full + LARGE):
                if each in functions:
                    made[each] = collective(name, each, *functions[each])
                    if of_open_mpi and each == full and each.endswith(KEPT):
                        made[each] += other_name(each, *functions[each])
    return made


def fortran_symbol(name, of_open_mpi):
    """What the library's own function is called."""
    return f"o{name.lower()}_f" if of_open_mpi else of_2008(name)


def of_2008(name):
    """In the module of Fortran 2008, of one without buffers."""
    return f"{name.lower()}_f08_"


def has_buffers(parameters):
    return any(BUFFER.match(each) for each in parameters)


def fortran_names(name, parameters, body, aliases, of_open_mpi):
    """The function under all names by which compilers and the library's own modules call it."""
    own = fortran_symbol(name, of_open_mpi)
    text = f"void {own}({parameters}) {{\n{body}}}\n"
    for alias in aliases:
        if alias != own:
            text += f"void {alias}({parameters}) __attribute__((alias(\"{own}\")));\n"
    return text


def aliases_of(name, buffers, of_open_mpi):
    plain = name.lower()
    return ([plain, f"{plain}_", f"{plain}__", name.upper()] if of_open_mpi else []) + ([] if buffers else [of_2008(name)])


def fortran_call(name, parameters, of_open_mpi):
    """Of a function that this library has: arguments are addresses, handles are numbers."""
    types = [ARRAY.sub("[]", " ".join(each.split())) for each in parameters]
    starts = name.startswith("MPI_Init")  # Fortran has no arguments of main
    declared, arguments, before, after = [], [], "", ""
    near = "true" if "eighbor" in name else "false"
    comm = next((f"PMPI_Comm_f2c(*a{i})" for i, t in enumerate(types) if re.match(r"MPI_Comm \w+$", t)), None)
    lists = 0
    for number, text in enumerate(types):
        at = f"a{number}"
        if starts and number < 2:
            arguments.append("nullptr")
            continue
        if match := re.match(r"const MPI_Datatype \w+\[\]$", text):
            lists += 1
            declared.append(f"const MPI_Fint* {at}")
            count = f"fortran::blocks({comm}, {near}, {'true' if lists == 1 else 'false'})"
            if lists == 1:
                count = f"fortran::buffer(a0) == MPI_IN_PLACE ? 0 : {count}"
            before += f"  const auto t{number} = fortran::types({at}, {count});\n"
            arguments.append(f"t{number}.data()")
        elif BUFFER.match(text):
            declared.append(f"void* {at}")
            arguments.append(f"fortran::buffer({at})")
        elif match := re.match(r"const MPI_Aint \w+\[\]$", text):
            declared.append(f"const MPI_Aint* {at}")
            arguments.append(at)
        elif match := re.match(r"MPI_(Datatype|Op|Comm|Info|Request) \w+$", text):
            short = {"Datatype": "Type"}.get(match.group(1), match.group(1))
            declared.append(f"const MPI_Fint* {at}")
            arguments.append(f"fortran::request(*{at})" if short == "Request" else f"PMPI_{short}_f2c(*{at})")
        elif match := re.match(r"MPI_(Comm|Request) ?\*", text):
            kind = match.group(1)
            declared.append(f"MPI_Fint* {at}")
            makes = kind == "Request" and len(types) > 1 and not COMPLETES.match(name)
            comes, goes = ("PMPI_Comm_f2c", "PMPI_Comm_c2f") if kind == "Comm" else ("fortran::request", "fortran::number_of")
            before += f"  MPI_{kind} h{number} = {'MPI_REQUEST_NULL' if makes else f'{comes}(*{at})'};\n"
            after += f"  if (code == MPI_SUCCESS) *{at} = {goes}(h{number});\n"
            arguments.append(f"&h{number}")
        elif re.match(r"MPI_Request \w+\[\]$", text):
            declared.append(f"MPI_Fint* {at}")
            before += f"  auto r{number} = fortran::requests({at}, *a{number - 1});\n"
            after += f"  fortran::hand_back(r{number}, {at});\n"
            arguments.append(f"r{number}.data()")
        elif re.match(r"MPI_Message ?\*", text):
            declared.append(f"MPI_Fint* {at}")
            before += f"  MPI_Message h{number} = fortran::message(*{at});\n"
            after += f"  *{at} = fortran::number_of(h{number});\n"
            arguments.append(f"&h{number}")
        elif re.match(r"MPI_Status( ?\*| \w+\[\]$)", text):
            declared.append(f"MPI_Fint* {at}")
            several = re.match(r"MPI_(Wait|Test)(all|some)$", name)
            before += f"  fortran::status s{number}({at}{', *a0' if several else ''});\n"
            after += f"  s{number}.give_back();\n"
            arguments.append(f"s{number}.in_c()")
        elif re.match(r"((const )?int \w+\[\]|int ?\*)", text):
            declared.append(f"MPI_Fint* {at}")
            arguments.append(at)
        elif re.match(r"int \w+$", text):
            declared.append(f"const MPI_Fint* {at}")
            arguments.append(f"*{at}")
        else:
            sys.exit(f"generate.py: {name}: no argument of Fortran for {text}")
    if (which := COMPLETES.match(name)) and which.group(2) in INDICES:
        after += f"  fortran::count_from_one(a{INDICES[which.group(2)]}, {'*a2' if which.group(2) == 'some' else '1'});\n"
    body = (f"{before}  const int code = {name}({', '.join(arguments)});\n{after}"
            "  if (ierror != nullptr) *ierror = code;\n")
    return fortran_names(name, ", ".join([*declared, "MPI_Fint* ierror"]), body,
                         aliases_of(name, has_buffers(parameters), of_open_mpi), of_open_mpi)


def fortran_maker(name, parameters, of_open_mpi):
    """Of a function that makes a communicator: the library's own, and a team."""
    names = [f"a{number}" for number in range(len(parameters))]
    made_from = "MPI_COMM_NULL" if name in OF_BOTH else f"PMPI_Comm_f2c(*static_cast<MPI_Fint*>({names[0]}))"
    give, tag = ("give_team_to_some", f"*static_cast<MPI_Fint*>({names[OF_SOME[name]]}), ") if name in OF_SOME else ("give_team", "")
    hints = "".join(f", PMPI_Info_f2c(*static_cast<MPI_Fint*>({n}))"
                    for n, t in zip(names, parameters) if re.match(r"MPI_Info\b", t.strip()))
    before = f"  {BEFORE[name]}({made_from});\n" if name in BEFORE else ""
    body = (f"{before}  communicator_call making(function::of_{name}, {made_from});\n"
            f"  using call = void (*)({'void*, ' * len(names)}MPI_Fint*);\n"
            f"  static const auto theirs = reinterpret_cast<call>(fortran::library_function(\"{fortran_symbol(name, of_open_mpi)}\"));\n"
            f"  MPI_Fint code = MPI_SUCCESS;\n  theirs({', '.join(names)}, &code);\n"
            f"  passed(function::of_{name});\n"
            f"  if (code == MPI_SUCCESS) making.{give}({tag}"
            f"PMPI_Comm_f2c(*static_cast<MPI_Fint*>({names[-1]})){hints});\n"
            "  if (ierror != nullptr) *ierror = code;\n")
    return fortran_names(name, ", ".join([*(f"void* {n}" for n in names), "MPI_Fint* ierror"]), body,
                         aliases_of(name, has_buffers(parameters), of_open_mpi), of_open_mpi)


def fortran(taken, functions, of_open_mpi):
    """Open MPI's functions of Fortran call its second names: where C is taken over they are, too. So do those of the
    module of Fortran 2008 without buffers: all of MPICH's, and Open MPI's with logical arguments. MPICH's others call C."""
    here = [name for name in sorted(taken) if not name.endswith(LARGE) and (of_open_mpi or not has_buffers(functions[name][1]))]
    calls = [fortran_call(name, functions[name][1], of_open_mpi) for name in here]
    makers = [fortran_maker(name, functions[name][1], of_open_mpi) for name in functions if MAKES_COMMUNICATOR.fullmatch(name)]
    return "\n".join([*calls, *makers])


def exports(of_open_mpi):
    """The version script: which names the preload library has for others."""
    own = "ompi_*_f; MPIX_*; mpix_*; ompix_*_f;" if of_open_mpi else "MPIX_*; mpix_*; ucp_worker_progress;"
    return f"/* Written by interop/mpi/generate.py. */\n{{\n  global: MPI_*; mpi_*; {own}\n  local: *;\n}};\n"


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    arguments = argparse.ArgumentParser(description=__doc__,
                                        formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compiler", required=True)
    arguments.add_argument("--out", required=True, type=pathlib.Path)
    arguments.add_argument("--described", required=True, type=pathlib.Path)
    arguments.add_argument("--taken", nargs="*", type=pathlib.Path, default=[])
    chosen = arguments.parse_args()
    text = preprocessed(chosen.compiler)
    functions = prototypes(text)
    if len(functions) < 300:
        sys.exit(f"generate.py: only {len(functions)} functions found in mpi.h")
    own = {name for path in chosen.taken for name in DEFINED.findall(path.read_text())}
    if strange := own - functions.keys() - {name for name in own if name.endswith("_c")}:
        sys.exit(f"generate.py: defined, but not in mpi.h: {' '.join(sorted(strange))}")
    of_open_mpi = "ompi_" in text
    described = collectives(DESCRIBED.findall(chosen.described.read_text()), functions, of_open_mpi)
    sent = messages(functions)
    unknown = sorted(message_functions().keys() - sent.keys())
    own |= described.keys() | sent.keys()
    chosen.out.mkdir(parents=True, exist_ok=True)
    names = list(functions)
    write(chosen.out / "functions.hpp", HEAD + "#pragma once\n\n#include <array>\n\nnamespace upwash::mpi {\n\n"
          "enum class function : unsigned short {\n" + "".join(f"  of_{n},\n" for n in names) +
          "};\n" + f"inline constexpr int number_of_functions = {len(names)};\n\n"
          "/// Of messages: taken over together, or not at all.\n"
          "inline constexpr function functions_of_messages[] = {\n" +
          "".join(f"    function::of_{n},\n" for n in sorted(sent)) + "};\n\n"
          "/// The second names of those that this version of the library has not.\n"
          f"inline constexpr std::array<const char*, {len(unknown)}> unknown_functions_of_messages = {{\n" +
          "".join(f'    "P{n}",\n' for n in unknown) + "};\n\n"
          "}  // namespace upwash::mpi\n")
    write(chosen.out / "functions.cpp", HEAD + '#include "interop/mpi/detail/counts.hpp"\n\n'
          "namespace upwash::mpi {\n\nconst char* const function_names[number_of_functions] = {\n" +
          "".join(f'    "{n}",\n' for n in names) + "};\n\n}  // namespace upwash::mpi\n")
    variables = sorted(set(re.findall(r"\bextern\s+struct\s+\w+\s+(\w+)\s*;", without_attributes(text))))
    write(chosen.out / "exports.map", exports(of_open_mpi))
    write(chosen.out / "weak_names.hpp", HEAD + "#pragma once\n" +
          "".join(f"#pragma weak {v}\n" for v in variables))
    write(chosen.out / "collectives.cpp", HEAD + '#include "interop/mpi/detail/describe.hpp"\n'
          '#include "interop/mpi/detail/library_names.hpp"\n#include "interop/mpi/detail/reductions.hpp"\n'
          '#include "interop/mpi/detail/take.hpp"\n\n'
          'using namespace upwash::mpi;\n\nextern "C" {\n\n' +
          "\n".join(described[n] for n in sorted(described)) + '\n}  // extern "C"\n')
    write(chosen.out / "messages.cpp", HEAD + '#include "interop/mpi/detail/message_call.hpp"\n\n'
          "using namespace upwash::mpi;\n\nextern \"C\" {\n\n" +
          "\n".join(sent[n] for n in sorted(sent)) + '\n}  // extern "C"\n')
    write(chosen.out / "fortran.cpp", HEAD + '#include "interop/mpi/detail/fortran.hpp"\n\n'
          '#include "interop/mpi/detail/counts.hpp"\n#include "interop/mpi/detail/graph_tags.hpp"\n'
          '#include "interop/mpi/detail/teams.hpp"\n\n'
          'using namespace upwash::mpi;\n\nextern "C" {\n\n' + fortran(own, functions, of_open_mpi) +
          '\n}  // extern "C"\n')
    write(chosen.out / "pass_through.cpp", HEAD + '#include "interop/mpi/detail/mpi.hpp"\n\n'
          '#include "interop/mpi/detail/counts.hpp"\n#include "interop/mpi/detail/fortran.hpp"\n#include "interop/mpi/detail/graph_tags.hpp"\n#include "interop/mpi/detail/session.hpp"\n#include "interop/mpi/detail/teams.hpp"\n\nextern "C" {\n\n' +
          "\n".join(wrapper(n, *functions[n]) for n in names if n not in own) + '\n}  // extern "C"\n')


if __name__ == "__main__":
    main()
