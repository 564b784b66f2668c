# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""A machine file of shaped hosts: for bench/shaped-hosts."""
import json
import subprocess
import sys

ATTEMPTS = 5


def measured(bench, what, words, path):
    """What `upwash tune machine` finds, or None where it takes it for nonsense each time."""
    for _ in range(ATTEMPTS):
        text, status = bench.group.run([bench.programs["upwash"], "tune", "machine", "--bind", "none",
                                        "--output", path, *words], bench.options.limit)
        if status == 0:
            return json.loads(path.read_text())
        print(f"  machine, {what}: {(bench.group.errors or text).strip().splitlines()[-1]}", file=sys.stderr)
    return None


def measured_machine(bench):
    """A host by two ranks on it, the network by one on each of two. Ranks on a node: those of the jobs that
    use it say. None, with a line, where there is no conduit between hosts or the machine does not lie still."""
    if not bench.conduits:
        return None
    out, conduit = bench.options.out, bench.conduits[0]
    host = measured(bench, "a host", ["-n", "2"], out / "shaped-host.json")
    network = measured(bench, "the network", ["-n", "2", "--hosts", "a,b", "--conduit", conduit],
                       out / "shaped-network.json")
    if host is None or network is None:
        print("# no machine file: prices are those of an Ethernet", flush=True)
        return None
    inside = host["levels"][0] | {"ranks": {"value": max(bench.options.ranks), "source": "the layout of the job"}}
    cores = max(1, host["processor"]["cores_per_node"]["value"] // len(bench.group.names))
    processor = host["processor"] | {"cores_per_node": {
        "value": cores, "source": "the processors of the machine that all hosts share, for each; at least one"}}
    both = host | {"name": "shaped-hosts", "levels": [inside, network["levels"][-1]], "processor": processor}
    path = (out / "shaped-hosts.json").resolve()
    path.write_text(json.dumps(both, indent=2) + "\n")
    print(f"# machine file {path.name}: the network by {conduit}", flush=True)
    return path


def simulated(bench, ranks_a_host, only):
    """{cell: us} of the same program on the simulated machine."""
    ranks = ranks_a_host * len(bench.group.names)
    words = [bench.programs["upwash"], "run", "-n", ranks, "--conduit", "sim", "--machine",
             f"{bench.machine}:ranks_a_node={ranks_a_host}", bench.programs["compare_upwash"], "0.00001", only]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True)
    rows = (line.split() for line in done.stdout.splitlines() if not line.startswith("#"))
    return {(r[0], int(r[1]), r[2]): float(r[3]) for r in rows if len(r) == 4}
