# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Hosts of their own on this machine, joined by shaped links, and commands on them: for bench/shaped-hosts."""
import os
import pathlib
import select
import shlex
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
FINISHED = "# finished"  # what a program prints when it has all; some libraries do not come to their end
TIME_TO_END = 5


class HostGroup:
    """As many hosts, a, b, ..., with the folders of the sources and of the build in common."""

    def __init__(self, count, rate, delay, build):
        self.names = "abcdefgh"[:count]
        self.shell = subprocess.Popen(
            ["bash", str(ROOT / "bench/compare/shaped_hosts.sh"), str(count), rate, delay or ""],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=os.environ | {"UPWASH_TEST_BUILD": str(build.resolve())})
        said = self.shell.stdout.readline().split()
        if said[:1] != ["ready"]:
            rest = " ".join(said) + self.shell.stdout.read()
            print(f"shaped-hosts: {rest.strip()}", file=sys.stderr)
            sys.exit(self.shell.wait() or 1)
        self.folder = pathlib.Path(said[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.shell.stdin.close()
        self.shell.wait()

    def places(self, ranks):
        """The hosts with so many ranks on each, as launchers want them."""
        return ",".join(f"{name}:{ranks}" for name in self.names)

    def environment(self):
        """What jobs over these hosts need, whoever starts them."""
        rsh = f"{ROOT}/tests/system/lib/hosts.py rsh"
        return {"UPWASH_RSH": rsh, "UPWASH_CONFIG": "", "UPWASH_MPI_LIBRARY": "openmpi",
                "OMPI_MCA_plm_rsh_agent": rsh, "OMPI_MCA_btl_tcp_if_include": "eth0",
                "OMPI_MCA_oob_tcp_if_include": "eth0",
                "HYDRA_LAUNCHER": "rsh", "HYDRA_LAUNCHER_EXEC": str(self.folder / "rsh"),
                "HYDRA_IFACE": "eth0"}

    @staticmethod
    def waiting(ranks):
        """Each host counts all processors for its own, so libraries that can give them away are told to."""
        if ranks <= os.cpu_count():
            return {}
        return {"OMPI_MCA_mpi_yield_when_idle": "1", "UPWASH_WAIT_POLICY": "yield"}

    def _entered(self, host, command):
        return [str(self.folder / "enter"), host, command]

    def run(self, words, limit, environment=None):
        """What a command on host a printed, and its status, None where it was cut: after `limit` seconds, or
        when it had said that it was finished and did not end."""
        command = f"cd {shlex.quote(str(ROOT))} && exec {shlex.join(str(w) for w in words)}"
        errors = open(self.folder / "errors", "w+")
        job = subprocess.Popen(self._entered("a", command), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=errors, start_new_session=True,
                               env=os.environ | self.environment() | (environment or {}))
        text, status = self._read(job, time.monotonic() + limit)
        errors.seek(0)
        self.errors = errors.read()
        errors.close()
        self.sweep()
        return text, status

    def _read(self, job, end):
        data = b""
        while (left := end - time.monotonic()) > 0:
            if not select.select([job.stdout], [], [], left)[0]:
                break
            more = os.read(job.stdout.fileno(), 65536)
            if not more:
                return data.decode(), job.wait()
            if FINISHED in (data := data + more).decode(errors="replace"):
                end = min(end, time.monotonic() + TIME_TO_END)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        return data.decode(), None

    def sweep(self):
        """Ends what a job has left on the hosts: what their own /proc lists, all but the first process."""
        for name in self.names:
            left = (f'[ "$(cat /proc/sys/kernel/hostname)" = {name} ] || exit 1; for each in /proc/[0-9]*; do '
                    'pid=${each#/proc/}; [ "$pid" = 1 ] || [ "$pid" = $$ ] || kill -9 "$pid"; done')
            subprocess.run(self._entered(name, left), stderr=subprocess.DEVNULL)

    def sent(self):
        """Bytes that the hosts have sent to each other so far, by the counters of their links."""
        total = 0
        for name in self.names:
            text = subprocess.run(self._entered(name, "cat /proc/net/dev"), capture_output=True,
                                  text=True, check=True).stdout
            line = next(each for each in text.splitlines() if each.strip().startswith("eth0:"))
            total += int(line.split(":")[1].split()[8])
        return total
