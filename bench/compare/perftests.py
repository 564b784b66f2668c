#!/usr/bin/env python3
# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Round trips of tagged messages by the own tests of UCX (ucx_perftest) and libfabric (fi_pingpong), through shared memory.

Prints the rows of the other programs that bench/compare-mpi starts, and is told the same:

  perftests.py ucx|libfabric SECONDS ONLY sizes [1,8,64,...]
"""
import os
import shutil
import socket
import subprocess
import sys
import time

TESTS = {"ucx": "ucx_perftest", "libfabric": "fi_pingpong"}
LEAST, MOST = 1, 4 << 20
BYTES_A_SECOND = 2e9  # what sizes the number of messages
SECONDS_TO_START = 10


def found():
    """Which of them this machine has."""
    return [name for name, test in TESTS.items() if shutil.which(test)]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def iterations(size, seconds):
    return max(50, int(seconds / (1e-6 + size / BYTES_A_SECOND)))


def ucx(size, seconds, port):
    """The server's command, the client's, and how a round trip in us is read from what the client prints."""
    common = ["ucx_perftest", "-p", str(port)]
    count = iterations(size, seconds)
    client = [*common, "127.0.0.1", "-t", "tag_lat", "-s", str(size), "-n", str(count), "-w", str(count // 4), "-f"]
    # The columns of the last row: iterations, median, average and overall latency one way, ...
    return common, client, lambda text: 2 * float(text.splitlines()[-1].split()[3])


def libfabric(size, seconds, port):
    common = ["fi_pingpong", "-p", "shm", "-e", "rdm", "-m", "tagged", "-S", str(size),
              "-I", str(iterations(size, seconds))]
    # bytes, sent, acknowledged, total, time, MB/s, us a transfer (one way), transfers a second
    return ([*common, "-B", str(port)], [*common, "-P", str(port), "127.0.0.1"],
            lambda text: 2 * float(text.splitlines()[-1].split()[6]))


def round_trip(test, size, seconds):
    port = free_port()
    server, client, read = test(size, seconds, port)
    settings = {**os.environ, "UCX_TLS": "posix,cma,self"}
    serving = subprocess.Popen(server, env=settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + SECONDS_TO_START
        while True:
            done = subprocess.run(client, env=settings, capture_output=True, text=True)
            if done.returncode == 0 and done.stdout.strip():
                return read(done.stdout)
            if time.monotonic() > end or serving.poll() is not None:
                sys.exit(f"{' '.join(client)} failed:\n{done.stdout}{done.stderr}")
            time.sleep(0.02)  # the server does not listen yet
    finally:
        serving.kill()
        serving.wait()


def main():
    name, seconds, only, kind = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
    if kind != "sizes":
        sys.exit(f"{name}: its own test has round trips alone; asked for {kind}")
    sizes = [int(each) for each in sys.argv[5].split(",")] if len(sys.argv) > 5 and sys.argv[5] else []
    if not sizes:
        sizes = [1 << power for power in range(LEAST.bit_length() - 1, MOST.bit_length())]
    for size in sizes if only in ("", "round_trip") else []:
        print(f"round_trip {size} 0 {round_trip(globals()[name], size, seconds):.4f}", flush=True)


if __name__ == "__main__":
    main()
