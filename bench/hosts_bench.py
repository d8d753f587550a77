#!/usr/bin/env python3
"""hosts_bench PROGRAM [--hosts N…]: one capture whose pages lie on many hosts.

A page embeds one image from each of so many hosts (h0.localhost, h1.localhost, …), all of which are
a small server on loopback. Prints processor time and peak memory of the capture for each host: what
the smallest number of hosts takes is the base. The figures are in docs/scale.md.
"""

import argparse
import asyncio
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading


class Hub:
    """The page at localhost, an image at every other name; no robots.txt."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.loop = asyncio.new_event_loop()
        server = self.loop.run_until_complete(
            asyncio.start_server(self.answer, "127.0.0.1", 0, backlog=4096)
        )
        self.port = server.sockets[0].getsockname()[1]
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def page(self):
        images = "".join(f'<img src="http://h{i}.localhost:{self.port}/x.png">' for i in range(self.hosts))
        return f"<html><body>{images}</body></html>".encode()

    async def answer(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            host = next(line.split()[1] for line in head if line.lower().startswith("host:"))
            path = head[0].split()[1]
            status, kind, body = "200 OK", "image/png", b"\x89PNG" + host.encode() * 20
            if path == "/robots.txt":
                status, kind, body = "404 Not Found", "text/plain", b"no"
            elif host.startswith("localhost"):
                kind, body = "text/html", self.page()
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                "Connection: close\r\n\r\n".encode()
                + body
            )
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


def capture(program, hosts):
    """Processor seconds and peak bytes."""
    hub = Hub(hosts)
    directory = pathlib.Path(tempfile.mkdtemp(prefix="hosts-"))
    process = subprocess.Popen(
        [program, "crawl", f"http://localhost:{hub.port}/", "-o", directory / "archive"]
        + ["--delay", "0", "--jobs", "16", "--quiet"],
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        print(f"hosts_bench: {hosts} hosts: exit {process.returncode}")
    hub.stop()
    shutil.rmtree(directory)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 1000, 4000])
    args = parser.parse_args()
    base = None
    print(f"{'hosts':>8} {'seconds':>9} {'ms a host':>10} {'peak MB':>9} {'kB a host':>10}")
    for hosts in args.hosts:
        seconds, peak = capture(args.program, hosts)
        base = base or (hosts, peak)
        more = (peak - base[1]) / (hosts - base[0]) / 1e3 if hosts > base[0] else 0
        print(f"{hosts:8} {seconds:9.2f} {1e3 * seconds / hosts:10.3f} {peak / 1e6:9.1f} {more:10.2f}", flush=True)


if __name__ == "__main__":
    main()
