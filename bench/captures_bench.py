#!/usr/bin/env python3
"""captures_bench PROGRAM [--captures N]: how soon many captures begin, and what an idle one takes.

Every site is an address of its own on loopback, at a server that takes connections and never
answers, so that all captures wait for their robots.txt. Prints the time until the first of them is
asked for, when all captures have begun, and the memory of the process while it waits, beside that
of a process with one capture (docs/crawling.md). One lane.
"""

import argparse
import contextlib
import os
import select
import signal
import socket
import subprocess
import tempfile
import time

DEADLINE = 600
SETTLE = 200  # connections: by then nothing is prepared any more


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def accept(server, count):
    """Takes so many connections, and keeps them open."""
    kept = []
    deadline = time.monotonic() + DEADLINE
    while len(kept) < count:
        if not select.select([server], [], [], max(0, deadline - time.monotonic()))[0]:
            raise SystemExit(f"captures_bench: no more than {len(kept)} connections")
        kept.append(server.accept()[0])
    return kept


def measure(program, captures):
    """Seconds until all have begun, and bytes of the process then."""
    with tempfile.TemporaryDirectory() as work, socket.create_server(
            ("0.0.0.0", 0), backlog=4096) as server, contextlib.ExitStack() as stack:  # fmt: skip
        port = server.getsockname()[1]
        seeds = os.path.join(work, "seeds")
        with open(seeds, "w", encoding="ascii") as file:
            for i in range(captures):
                print(f"http://127.{1 + i // 65536}.{i // 256 % 256}.{i % 256}:{port}/", file=file)
        begin = time.monotonic()
        process = subprocess.Popen(
            [program, "crawl", "--seeds", seeds, "-o", os.path.join(work, "archive"), "--lanes", "1"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        kept = accept(server, 1)
        seconds = time.monotonic() - begin
        kept += accept(server, min(captures, SETTLE) - 1)
        size = resident(process.pid)
        process.send_signal(signal.SIGINT)
        for connection in kept:
            stack.callback(connection.close)
        process.wait(DEADLINE)
    return seconds, size


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="the stillpoint to measure")
    parser.add_argument("--captures", type=int, default=10000)
    args = parser.parse_args()
    _, one = measure(args.program, 1)
    seconds, all_of_them = measure(args.program, args.captures)
    print(f"{args.captures} captures begin within {seconds:.1f} s; {all_of_them / 1e6:.0f} MB, "
          f"{(all_of_them - one) / args.captures / 1e3:.1f} kB for each")  # fmt: skip


if __name__ == "__main__":
    main()
