#!/usr/bin/env python3
"""The display of a crawl in a real terminal (tmux), at several widths: at most six lines that are
drawn in place, the sites in trouble first, and nothing of them left at the end."""

import os
import shutil
import subprocess
import threading
import time

import rawserver
import tap

DEADLINE = 100
LINES_MAX = 6


class Tmux:
    """A terminal of its own, without anybody's settings."""

    def __init__(self, width, *command, **environment):
        self.socket = tap.path(f"tmux-{width}-{time.monotonic_ns()}")
        line = " ".join(f"'{part}'" for part in map(str, command))
        variables = [part for name, value in environment.items() for part in
                     ("-e", f"{name}={value}")]
        self.call("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", 24, *variables,
                  f"{line}; echo END-$?; cat")

    def call(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *map(str, arguments)], check=True,
                              capture_output=True, text=True).stdout

    def lines(self):
        """What is on the screen: -J would join what has wrapped."""
        return [line.rstrip() for line in self.call("capture-pane", "-p").splitlines()]

    def wait(self, condition):
        end = time.monotonic() + DEADLINE
        while True:
            lines = self.lines()
            if condition(lines):
                return [line for line in lines if line]
            assert time.monotonic() < end, lines
            time.sleep(0.02)

    def close(self):
        self.call("kill-server")


def site(pages, gate, fails=False):
    """Pages answer as soon as the gate is open, but for the first few."""
    def answer(request):
        if request.path == "/":
            return rawserver.page(b"".join(b'<a href="/%d">x</a>' % i for i in range(pages)) +
                                  "<a href='/字字字\u202e\x1b[31mred'>x</a>".encode())
        if request.path == "/robots.txt":
            return rawserver.NOT_FOUND
        if fails and request.path != "/8":
            return rawserver.respond("500 \x1b[2J\x1b]0;bad\x07Oops")
        if request.path[1:].isdigit() and int(request.path[1:]) > 1:
            gate.wait(DEADLINE)
        return rawserver.page(request.path.encode())
    return rawserver.Server(answer)


def ports_of(lines):
    return [line.rsplit("127.0.0.1:", 1)[1].rstrip("/ ") for line in lines[1:]
            if "127.0.0.1:" in line]


def several(width):
    gate = threading.Event()
    with site(5, gate) as small, site(50, gate) as large, site(9, gate, fails=True) as bad:
        terminal = Tmux(width, tap.PROGRAM, "crawl", small.url, large.url, bad.url, "-o",
                        tap.path(f"several-{width}"), "--delay", "1ms", "--attempts", 1,
                        "--no-probes", "--traps", "off", "--lanes", 2)
        try:
            # What fails is first, then what will take longest: known when its links have been read.
            first = [str(bad.port), str(large.port)] if width >= 80 else []
            shown = terminal.wait(lambda lines: sum("http://" in line for line in lines) == 3 and
                                  "failed" in lines[1] and "visits" in lines[2] and
                                  ports_of(lines)[:len(first)] == first)
            assert len(shown) <= LINES_MAX, shown
            assert shown[0].startswith("crawl: "), shown
            assert all(len(line) < width for line in shown), shown
            if width >= 80:
                assert "sites " in shown[0] and "known " in shown[0], shown
            gate.set()
            ended = terminal.wait(lambda lines: any("END-" in line for line in lines))
            assert "END-0" in "\n".join(ended), ended
            assert not any(line.startswith(("crawl: ", "visits ", "starts ")) for line in ended)
        finally:
            gate.set()
            terminal.close()


def one(width, **environment):
    gate = threading.Event()
    with site(20, gate) as server:
        terminal = Tmux(width, tap.PROGRAM, "crawl", server.url, "-o", tap.path(f"one-{width}"),
                        "--delay", "1ms", "--no-probes", "--traps", "off", **environment)
        try:
            shown = terminal.wait(lambda lines: any(line.startswith("visits:") for line in lines))
            assert len(shown) <= LINES_MAX, shown
            assert shown[0].startswith("http://127.0.0.1"), shown
            assert all(len(line) < width for line in shown), shown
            assert any("█" in line or "░" in line for line in shown), shown
            gate.set()
            ended = terminal.wait(lambda lines: any("END-" in line for line in lines))
            assert "END-0" in "\n".join(ended), ended
            assert not any(line.startswith(("visits:", "revisits:")) for line in ended), ended
            assert not any("\x1b" in line or "\u202e" in line for line in ended), ended
        finally:
            gate.set()
            terminal.close()


if not shutil.which("tmux"):
    tap.skip("a real terminal", "there is no tmux")
else:
    for columns in 40, 80, 200:
        with tap.case(f"one site at {columns} columns"):
            one(columns)
        with tap.case(f"several sites at {columns} columns"):
            several(columns)
    with tap.case("NO_COLOR: no colours"):
        one(81, NO_COLOR="1")

tap.done()
