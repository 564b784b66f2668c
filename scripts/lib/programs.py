# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs of others under the MPI that they are linked with."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time


def starter(library):
    """How that MPI, openmpi or mpich, starts n ranks on this machine; None without it."""
    if library == "mpich":
        found = shutil.which("mpiexec.mpich")
        return found and (lambda n: [found, "-n", str(n)])
    found = shutil.which("mpirun.openmpi")
    # Nothing leaves this machine.
    return found and (lambda n: [found, "--allow-run-as-root", "--oversubscribe", "--mca", "btl",
                                 "self,vader", "--mca", "oob_tcp_if_include", "lo", "-n", str(n)])


def launcher(program):
    """The same for the MPI library that the program is linked with."""
    linked = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False).stdout
    return starter("mpich" if "libmpich" in linked else "openmpi")


OSU = ("pt2pt/standard", "pt2pt/persistent", "collective/blocking", "collective/non_blocking", "collective/neighborhood")


def osu_programs(tree):
    """(folder, program) of the OSU micro-benchmarks of messages and collectives that were built there, one thread a process."""
    for folder in OSU:
        for program in sorted((tree / "c/mpi" / folder).glob("osu_*")):
            if not program.suffix and os.access(program, os.X_OK) and not program.name.endswith(("_mt", "_mp")):
                yield folder, program


def run(command, limit, environment):
    """Runs it in a folder of its own, and ends all that it started when its time is over: (status, seconds, text)."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        begin = time.monotonic()
        with out.open("wb") as sink:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink,
                                     cwd=folder, env=environment, start_new_session=True)
            try:
                status = child.wait(timeout=limit)
            except subprocess.TimeoutExpired:
                status = None
                os.killpg(child.pid, signal.SIGTERM)
                try:
                    child.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
        return status, time.monotonic() - begin, out.read_text(errors="replace")
