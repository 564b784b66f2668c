# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""What bench/shaped-hosts measures. Each part prints its table and gives its rows."""
import itertools
import json
import math
import statistics

from machine_files import simulated

COLLECTIVES = "barrier,all_reduce,all_gather,all_to_all,broadcast,reduce_scatter"
ROOT_DATA = "data/matrices"


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def layout(bench, ranks):
    return f"{len(bench.group.names)} x {ranks}"


def row(bench, part, ranks, cell, **more):
    return {"bench": f"shaped-hosts {part}", "hosts": len(bench.group.names),
            "ranks": ranks * len(bench.group.names), "what": cell[0], "bytes": cell[1],
            "unit": "us", **more}


def show(bench, title, names, cells, ratios):
    """A line a cell: the medians by name, then the ratios {heading: (name, names beside it)}."""
    print(f"\n{title}\n{'hosts':<8}{'what':<16}{'bytes':>8}"
          + "".join(f"{name:>13}" for name in [*names, *ratios]))
    for (ranks, cell), medians in cells.items():
        text = "".join(f"{medians.get(name, math.nan):>13.1f}" for name in names)
        text += "".join(f"{ratio_in(medians, *of):>13.2f}" for of in ratios.values())
        print(f"{layout(bench, ranks):<8}{cell[0]:<16}{cell[1]:>8}{text}")
    for heading, of in ratios.items():
        summarize(bench, heading, of, cells)


def ratio_in(medians, one, beside):
    best = min((medians[name] for name in beside if name in medians), default=math.nan)
    return medians.get(one, math.nan) / best


def summarize(bench, heading, of, cells):
    for ranks in dict.fromkeys(ranks for ranks, _ in cells):
        found = {f"{cell[0]}/{cell[1]}": ratio_in(medians, *of)
                 for (r, cell), medians in cells.items() if r == ranks}
        found = {name: value for name, value in found.items() if not math.isnan(value)}
        if not found:
            continue
        worst = max(found, key=found.get)
        print(f"{layout(bench, ranks)}, {heading}: geometric mean {geometric_mean(found.values()):.2f} of "
              f"{len(found)} cells, worst {found[worst]:.2f} ({worst}), {sum(v > 1.1 for v in found.values())} above 1.1")


def medians_of(seen):
    """Of broadcasts those with a barrier behind each: else the root runs ahead, as far as buffers reach."""
    return {cell: {name: statistics.median(times) for name, times in by_name.items()}
            for cell, by_name in seen.items() if cell[2] == ("barrier" if cell[0] == "broadcast" else "alone")}


# -- Messages --------------------------------------------------------------------------------------

def messages(bench):
    """A message over a conduit beside the bare library's, in the same two processes on two hosts."""
    found = {}  # (library, what, bytes): [(bare, ours)]
    jobs = {}
    for library in ("openmpi", "mpich"):
        if f"over_{library}" in bench.programs:
            for what in ("active", "tagged"):
                jobs[library, what] = (["mpi", bench.programs[f"over_{library}"], what],
                                       {"UPWASH_MPI_LIBRARY": library})
    if "shm+ucx" in bench.conduits and "over_ucx" in bench.programs:
        jobs["ucx", ""] = (["ucx", bench.programs["over_ucx"], "41"], {})
    for _ in range(bench.options.repeat):
        for (library, what), (words, environment) in jobs.items():
            command = [bench.programs["upwash"], "run", "-n", 2, "--hosts", "a,b", "--conduit", *words]
            for line in bench.launch(f"messages over {library}", command, environment).splitlines():
                words_of = line.split()
                if library == "ucx" and len(words_of) == 6 and words_of[1].isdigit():
                    ours, bare = float(words_of[2]) / 1e3, float(words_of[3]) / 1e3
                elif library != "ucx" and len(words_of) == 5 and words_of[1].isdigit():
                    bare, ours = float(words_of[2]), float(words_of[3])
                else:
                    continue
                found.setdefault((library, words_of[0], int(words_of[1])), []).append((bare, ours))
    print(f"\nMessages between two hosts, us\n{'library':<10}{'what':<16}{'bytes':>8}{'bare':>13}{'upwash':>13}{'ratio':>13}")
    rows = []
    for (library, what, size), times in found.items():
        bare, ours = (statistics.median(t[side] for t in times) for side in (0, 1))
        ratio = statistics.median(t[1] / t[0] for t in times)
        print(f"{library:<10}{what:<16}{size:>8}{bare:>13.1f}{ours:>13.1f}{ratio:>13.2f}")
        rows.append(row(bench, "messages", 1, (what, size), library=library, bare=bare, median=ours, ratio=ratio))
    return rows


# -- Collectives -----------------------------------------------------------------------------------

def collectives(bench):
    """upwash over its composites beside the MPI libraries."""
    only = bench.options.only or COLLECTIVES
    libraries = [name for name in ("openmpi", "mpich") if name in bench.programs]
    cells, rows = {}, []
    for ranks in bench.options.ranks:
        jobs = {conduit: (bench.upwash(conduit, ranks, bench.programs["compare_upwash"],
                                       bench.options.seconds, only), {}) for conduit in bench.conduits}
        jobs |= {name: (bench.bare(name, ranks, bench.programs[name], bench.options.seconds, only), {})
                 for name in libraries}
        for cell, medians in medians_of(bench.in_turn(f"collectives, {ranks} ranks a host", jobs)).items():
            cells[ranks, cell] = medians
            rows.append(row(bench, "collectives", ranks, cell, medians=medians))
    show(bench, "Collectives, us", [*bench.conduits, *libraries], cells,
         {f"{name}/MPI": (name, libraries) for name in bench.conduits})
    return rows


def meshes(bench):
    """all_to_all of small blocks: direct, by meshes, and what upwash chooses."""
    ways = {"chosen": {}, "direct": {"UPWASH_ALL_TO_ALL": "direct"},
            "mesh2d": {"UPWASH_ALL_TO_ALL": "mesh2d"}, "bruck": {"UPWASH_ALL_TO_ALL": "bruck"}}
    cells, rows = {}, []
    for ranks, conduit in itertools.product(bench.options.ranks, bench.conduits[:1]):
        program = bench.upwash(conduit, ranks, bench.programs["compare_upwash"], bench.options.seconds,
                               "all_to_all")
        seen = bench.in_turn(f"all_to_all, {conduit}", {way: (program, more) for way, more in ways.items()})
        for cell, medians in medians_of(seen).items():
            if cell[1] > 1024:
                continue
            cells[ranks, cell] = medians
            rows.append(row(bench, "meshes", ranks, cell, medians=medians))
    show(bench, f"all_to_all over {bench.conduits[0]}, us", list(ways), cells,
         {"mesh/direct": ("mesh2d", ["direct"]), "chosen/best": ("chosen", [w for w in ways if w != "chosen"])})
    return rows


# -- Streams ---------------------------------------------------------------------------------------

def streams(bench):
    """Short items to all others: a message each, or combined."""
    cells, rows = {}, []
    for ranks in bench.options.ranks:
        seen = {}
        for _, conduit in itertools.product(range(bench.options.repeat), bench.conduits[:1]):
            words = [bench.programs["upwash"], "bench", "stream-alltoall", "-n",
                     ranks * len(bench.group.names), "--hosts", bench.group.places(ranks), "--conduit", conduit,
                     "--bind", "none", "--samples", "5", "--json"]
            for line in bench.launch("streams", words).splitlines():
                if line.startswith("{"):
                    said = json.loads(line)
                    way = said["label"].split()[0]
                    seen.setdefault((f"{said['bytes']} a pair", 16, ""), {}).setdefault(way, []).append(said["median"])
        for cell, by_way in seen.items():
            cells[ranks, cell] = {way: statistics.median(times) for way, times in by_way.items()}
            rows.append(row(bench, "streams", ranks, cell, medians=cells[ranks, cell]) | {"unit": "ns"})
    names = list(dict.fromkeys(name for medians in cells.values() for name in medians))
    show(bench, f"Streams over {bench.conduits[0]}: short items from each rank to each other, ns an item", names, cells,
         {"auto/direct": ("auto", ["direct"])})
    return rows


# -- Applications ----------------------------------------------------------------------------------

def line_of(text, word):
    return next(line for line in text.splitlines() if line.startswith(word)).split()


def apps(bench):
    """The sparse product by each exchange, and the 3-D FFT by each decomposition, over each conduit."""
    cells, rows = {}, []
    fft = {"packed slabs": [], "slabs, overlapped": ["--decomposition", "slabs", "--overlap"]}
    flat = [conduit.split("+")[1] for conduit in bench.conduits]
    for ranks in bench.options.ranks:
        seen = {}
        for _, conduit in itertools.product(range(bench.options.repeat), [*bench.conduits, *flat]):
            def put(what, ms):
                seen.setdefault((what, 0, ""), {}).setdefault(conduit, []).append(ms * 1e3)
            for how, options in fft.items():
                if "fft3d" in bench.programs:
                    text = bench.launch(f"fft3d over {conduit}", bench.upwash(
                        conduit, ranks, bench.programs["fft3d"], "--class", "S", *options))
                    put(f"fft3d, {how}", float(line_of(text, "time:")[1]))
            text = bench.launch(f"spmm over {conduit}", bench.upwash(
                conduit, ranks, bench.programs["spmm"], f"{ROOT_DATA}/bcsstk13.mtx", "--columns", "8",
                "--by-column", "--compare", "--repeats", "9"))
            for how in ("all_gather", "direct", "best"):
                put(f"spmm, {how}", float(line_of(text, how)[1]))
        for cell, by_conduit in seen.items():
            cells[ranks, cell] = {name: statistics.median(times) for name, times in by_conduit.items()}
            rows.append(row(bench, "apps", ranks, cell, medians=cells[ranks, cell]))
    show(bench, "Applications, us (fft3d: the whole; spmm: a step)", [*bench.conduits, *flat], cells,
         {f"{both}/{alone}": (both, [alone]) for both, alone in zip(bench.conduits, flat)})
    return rows


# -- Predictions -----------------------------------------------------------------------------------

def kendall(pairs):
    """Tau-a of (predicted, measured)."""
    signs = [math.copysign(1, (a[0] - b[0]) * (a[1] - b[1])) if a[0] != b[0] and a[1] != b[1] else 0
             for a, b in itertools.combinations(pairs, 2)]
    return sum(signs) / len(signs) if signs else math.nan


def predictions(bench):
    """The simulator's times, from the machine file measured here, beside the measured ones."""
    if bench.machine is None:
        print("\nPredictions: none, there is no machine file")
        return []
    only, conduit, rows = bench.options.only or COLLECTIVES, bench.conduits[0], []
    print(f"\nPredictions for {conduit}, us\n{'hosts':<8}{'what':<16}{'bytes':>8}{'measured':>13}{'simulated':>13}{'off %':>8}")
    for ranks in bench.options.ranks:
        program = bench.upwash(conduit, ranks, bench.programs["compare_upwash"], bench.options.seconds, only)
        seen = bench.in_turn("predictions", {"measured": (program, {})})
        predicted, pairs = simulated(bench, ranks, only), []
        for cell, times in seen.items():
            if cell[2] != ("barrier" if cell[0] == "broadcast" else "alone") or cell not in predicted:
                continue
            measured = statistics.median(times["measured"])
            off = predicted[cell] / measured - 1
            pairs.append((predicted[cell], measured))
            print(f"{layout(bench, ranks):<8}{cell[0]:<16}{cell[1]:>8}{measured:>13.1f}{predicted[cell]:>13.1f}{100 * off:>8.0f}")
            rows.append(row(bench, "predictions", ranks, cell, median=measured, simulated=predicted[cell], off=off))
        errors = [abs(p / m - 1) for p, m in pairs]
        print(f"{layout(bench, ranks)}: off by {100 * statistics.median(errors):.0f} % in the median, "
              f"{100 * max(errors):.0f} % at most; within 15 % in {sum(e <= 0.15 for e in errors)} of {len(errors)} cells; "
              f"Kendall's tau {kendall(pairs):.2f}")
    return rows
