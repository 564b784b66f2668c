# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""For bench/compare-mpi --neighbors: the programs, and what is printed of their cells."""
import collections
import math
import statistics
import subprocess
import sys

GRAPHS = ["moore:d=2,r=1", "moore:d=2,r=2", "moore:d=3,r=1",
          "random:permille=50", "random:permille=200", "random:permille=500"]
# Those that a build does not know, or not for a graph, are left out.
SCHEMES = ["direct", "shared", "best", "halving", "doubling", "friends:k=2", "friends:k=4"]
# The baseline, and the one that is another of them.
NOT_COMBINING = ("direct", "shared", "best")


def build(root, build_dir, out, compilers):
    """How each library starts its cells on n ranks, and what its program is told before schemes."""
    subprocess.run(["cmake", "--build", str(build_dir), "--target", "compare_neighbors",
                    "core_distance", "upwash_command"], check=True, stdout=subprocess.DEVNULL)
    bin_dir = build_dir / "bin"
    ours = bin_dir / "compare_neighbors"
    libraries = {"upwash": lambda n: [str(bin_dir / "upwash"), "run", "-n", str(n), str(ours)]}
    out.mkdir(parents=True, exist_ok=True)
    for name, compiler, start in compilers:
        program = out / f"mpi_neighbors_{name}"
        built = subprocess.run([compiler, "-std=c++20", "-O2", f"-I{root}", "-o", str(program),
                                str(root / "bench/compare/mpi_neighbors.cpp")],
                               stderr=subprocess.PIPE, text=True)
        if built.returncode != 0:
            print(f"without {name}: {compiler}: {built.stderr.splitlines()[0]}", file=sys.stderr)
            continue
        libraries[name] = lambda n, s=start, p=program: [*s, str(n), str(p)]
    return libraries, bin_dir / "core_distance"


def arguments(options, out, build_dir):
    """What a library's program is told for so many ranks; the file of edges is written first."""
    def of(name, ranks):
        edges = out / f"edges-{ranks}.txt"
        if name == "upwash":
            subprocess.run([str(build_dir / "bin/compare_neighbors"), "write", str(edges),
                            str(ranks), *options.graphs], check=True)
        return [str(options.seconds), str(edges), *(options.schemes if name == "upwash" else [])]
    return of


def rows_of(us, ranks):
    """A row a cell: median and least of each scheme, and of each MPI library."""
    rows = []
    for where, libraries in us.items():
        ours = collections.defaultdict(dict)
        theirs = collections.defaultdict(dict)
        for library, cells in libraries.items():
            for (name, size, scheme), samples in cells.items():
                if library == "upwash":
                    ours[name, size][scheme] = samples
                else:
                    theirs[name, size][library] = samples
        # A launch that was cut has no later cells, on either side: they stay as rows.
        for name, size in dict.fromkeys((*ours, *theirs)):
            schemes, peers = ours[name, size], theirs[name, size]
            graph, collective = name.rsplit("/", 1)
            row = {"bench": "compare-mpi-neighbors", "ranks": ranks, "graph": graph,
                   "collective": collective, "bytes": size, "placement": where, "unit": "us",
                   "n": max(map(len, schemes.values()), default=0)}
            for key, samples in (("schemes", schemes), ("peers", peers)):
                row[key] = {name: statistics.median(each) for name, each in samples.items()}
                row[key + "_least"] = {name: min(each) for name, each in samples.items()}
            combining = [s for s in schemes if s not in NOT_COMBINING]
            if combining:
                row["combining"] = min(combining, key=row["schemes"].get)
            rows.append(row)
    return rows


def better_peer(row):
    return min(row["peers"].values(), default=math.nan)


def ratio(row, scheme):
    return row["schemes"].get(scheme, math.nan) / better_peer(row)


def show(rows):
    peers = sorted({name for row in rows for name in row["peers"]})
    print(f"{'ranks':>5} {'graph':<20}{'collective':<11}{'bytes':>6} {'cores':<10}{'direct us':>11}"
          f"{'best':>11}{'combining':>11} {'by':<12}" + "".join(f"{p:>11}" for p in peers)
          + f"{'direct/':>8}{'best/':>7}{'comb./':>7}")
    for r in rows:
        by = r.get("combining", "")
        print(f"{r['ranks']:>5} {r['graph']:<20}{r['collective']:<11}{r['bytes']:>6} "
              f"{r['placement']:<10}"
              + "".join(f"{r['schemes'].get(s, math.nan):>11.2f}" for s in ("direct", "best", by))
              + f" {by:<12}" + "".join(f"{r['peers'].get(p, math.nan):>11.2f}" for p in peers)
              + f"{ratio(r, 'direct'):>8.2f}{ratio(r, 'best'):>7.2f}{ratio(r, by):>7.2f}")


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def means_of(members, peer):
    """Of each scheme over a library, in the cells where both are, of those where the library is."""
    schemes = sorted({s for r in members for s in r["schemes"]},
                     key=lambda s: SCHEMES.index(s) if s in SCHEMES else len(SCHEMES))
    texts = []
    for scheme in schemes:
        both = [r for r in members if scheme in r["schemes"]]
        median, least = (geometric_mean(r["schemes" + key][scheme] / r["peers" + key][peer]
                                        for r in both) for key in ("", "_least"))
        texts.append(f"{scheme} {median:.2f}/{least:.2f} ({len(both)} of {len(members)})")
    return ", ".join(texts) or f"none of {len(members)} cells"


def summarize(rows):
    """Geometric means over each MPI library, below 1 is faster. Each scheme stands by its name: the
    fastest of each cell, chosen in the samples that it is judged by, would look better than it is."""
    groups = collections.defaultdict(list)
    for r in rows:
        for peer in r["peers"]:
            kind = "build" if r["collective"] == "build" else "collectives"
            groups[r["ranks"], r["placement"], peer, kind].append(r)
    print("us over us, geometric means of medians/of the least of each cell (how many cells have "
          "both, of those of the MPI library)")
    for (ranks, where, peer, kind), members in sorted(groups.items()):
        print(f"{ranks} ranks, {where}, {kind}, over {peer}: {means_of(members, peer)}")
        if kind == "build":
            continue
        for graph in dict.fromkeys(r["graph"] for r in members):
            print(f"  {graph}: {means_of([r for r in members if r['graph'] == graph], peer)}")
