# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of conduit mpi beside those of the library below it, in the same processes: over_mpi.cpp."""
import json
import os
import statistics
import subprocess
import sys


def build(root, build_dir, out, compilers):
    """The programs, by library."""
    subprocess.run(["cmake", "--build", str(build_dir), "--target", "upwash_shared", "upwash_command"],
                   check=True, stdout=subprocess.DEVNULL)
    out.mkdir(parents=True, exist_ok=True)
    programs, lib = {}, build_dir.resolve() / "lib"
    for name, compiler, _ in compilers:
        program = out / f"over_{name}"
        subprocess.run([compiler, "-std=c++20", "-O2", f"-I{root}", "-o", str(program),
                        str(root / "bench/compare/over_mpi.cpp"), f"-L{lib}", f"-Wl,-rpath,{lib}",
                        "-lupwash"], check=True)
        programs[name] = program
    return programs


def launch(upwash, library, program, options):
    """{(what, bytes): (us of the library, us of upwash)}"""
    done = subprocess.run([str(upwash), "run", "-n", "2", "--bind", "core", "--conduit", "mpi",
                           "--timeout", f"{options.limit:g}s", str(program), options.only],
                          env=os.environ | {"UPWASH_MPI_LIBRARY": library}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} failed:\n{done.stdout}{done.stderr}")
    rows = (line.split() for line in done.stdout.splitlines())
    return {(r[0], int(r[1])): (float(r[2]), float(r[3])) for r in rows}


def main(root, options, compilers):
    programs = build(root, options.build, options.build / "compare", compilers)
    if not programs:
        sys.exit("no MPI compiler found (mpicxx.openmpi, mpicxx.mpich)")
    seen = {}
    for turn in range(options.repeat):
        for library, program in programs.items():
            for cell, times in launch(options.build / "bin/upwash", library, program, options).items():
                seen.setdefault((library, *cell), []).append(times)
        print(f"  turn {turn + 1} of {options.repeat}", file=sys.stderr)
    print(f"{'library':<9}{'what':<15}{'bytes':>8}{'bare us':>11}{'upwash us':>11}{'ratio':>7}")
    rows = []
    for (library, what, size), times in seen.items():
        bare, ours = (statistics.median(t[side] for t in times) for side in (0, 1))
        ratio = statistics.median(t[1] / t[0] for t in times)
        rows.append({"bench": "over-mpi", "library": library, "what": what, "ranks": 2, "bytes": size,
                     "unit": "us", "n": len(times), "bare": bare, "median": ours,
                     "min": min(t[1] for t in times), "max": max(t[1] for t in times), "ratio": ratio})
        print(f"{library:<9}{what:<15}{size:>8}{bare:>11.3f}{ours:>11.3f}{ratio:>7.2f}")
    if options.json:
        options.json.write_text("\n".join(json.dumps(r) for r in rows) + "\n")
