#!/usr/bin/env python3
"""What is drawn on a terminal: nothing wraps, nothing piles up, messages have lines of their own."""

import re
import signal

import rawserver
import screen
import tap

PAGES = 12
DRAWN = re.compile(r"(robots.txt and sitemaps|visits|revisits|late pages): \d+")
MESSAGE = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z (info|warn|error) ")
RATE = re.compile(rb"(\d+)/(\d+) pages  \d+ %  ([0-9.]+)/s  ETA (\d+):(\d\d)")
STRATEGIES = ["bfs-fifo", "bfs-lifo", "sharc-selective", "stillpoint"]


def site(pages):
    """A start page that links to so many others; one of them never answers."""
    def answer(request):
        if request.path == "/":
            return rawserver.page(b"".join(b'<a href="/%d">x</a>' % i for i in range(pages)))
        if request.path == "/1":
            request.reset()
            return None
        return rawserver.page(request.path.encode())
    return rawserver.Server(answer)


def crawl(server, name, *options):
    return (tap.PROGRAM, "crawl", server.url, "-o", tap.path(name), "--attempts", "2", *options)


def check(shown, width):
    """Lines of progress are gone at the end, and did not wrap while they stood there."""
    for line in shown.wrapped:
        assert not DRAWN.search(line), f"wraps at {width} columns: {line!r}"
    for line in shown.text().splitlines():
        assert not DRAWN.search(line), f"left behind: {line!r}"
        message = MESSAGE.search(line)
        assert not message or message.start() == 0, f"not on a line of its own: {line!r}"


def crawls():
    for width in 80, 40, 20:
        with tap.case(f"crawl at {width} columns"), site(PAGES) as server:
            shown = screen.Screen(width)
            tap.equal(shown.run(*crawl(server, f"crawl-{width}", "-d", "30ms", "-v")), 0)
            check(shown, width)
            assert DRAWN.search(shown.raw.decode()), "there was no progress at all"
            assert MESSAGE.search(shown.text()), shown.text()


def dumb_terminals():
    for term in "dumb", "", None:
        with tap.case(f"no escape sequences for TERM={term}"), site(PAGES) as server:
            shown = screen.Screen(80)
            tap.equal(shown.run(*crawl(server, f"crawl-{term}.", "-d", "30ms", "-v"), term=term), 0)
            assert b"\x1b" not in shown.raw, shown.raw
            check(shown, 80)
    with tap.case("nor in the demo"):
        shown = screen.Screen(80)
        tap.equal(shown.run(tap.LAB, "demo", "-n", 10, "-d", "10ms", "-o", tap.path("dumb"),
                            term="dumb"), 0)
        assert b"\x1b" not in shown.raw, shown.raw


def check_demo(shown):
    """Every contestant's line is there once, and nothing else is left of them."""
    lines = [line for line in shown.text().splitlines() if "█" in line or "░" in line]
    lines = [line for line in lines if "pages" not in line]  # those of the scores
    tap.equal([line.split()[:2] for line in lines], [[name, "done"] for name in STRATEGIES])


def demos():
    for width in 80, 40:
        with tap.case(f"demo at {width} columns"):
            shown = screen.Screen(width)
            tap.equal(shown.run(tap.LAB, "demo", "-n", 40, "-d", "10ms", "-o",
                                tap.path(f"demo-{width}")), 0)
            check_demo(shown)
            assert not any("░" in line and "of 40" not in line for line in shown.wrapped), shown.wrapped
            if width == 80:
                assert re.search(r" sharp \d+, expected [0-9.]+$", shown.text(), re.M), shown.text()
    with tap.case("demo in a window that changes its size"):
        shown = screen.Screen(100)
        process = shown.start(tap.LAB, "demo", "-n", 80, "-d", "10ms", "-o", tap.path("resized"))
        for width in 40, 90, 30:
            seen = len(shown.raw)
            while shown.raw.find(b" stillpoint ", seen) < 0:  # until they are drawn once more
                assert shown.read()
            shown.resize(width)
        while shown.read():
            pass
        tap.equal(process.wait(), 0)
        check_demo(shown)


def wait_for_rate(shown):
    """Done, total, rate and seconds left, as soon as they are there."""
    while True:
        match = RATE.search(shown.raw)
        if match:
            done, total, minutes, seconds = (int(match[i]) for i in (1, 2, 4, 5))
            return done, total, float(match[3]), 60 * minutes + seconds
        assert shown.read(), shown.raw


def stop(shown, process):
    process.send_signal(signal.SIGINT)
    while shown.read():
        pass
    tap.equal(process.wait(), 3)
    assert "stillpoint resume" in shown.text(), shown.text()


def rates():
    """A delay of 250 ms allows 4 requests a second, however fast the machine is."""
    with site(200) as server:
        with tap.case("the time left has the revisits in it"):
            shown = screen.Screen(120)
            process = shown.start(*crawl(server, "rates", "-d", "250ms"))
            done, total, rate, left = wait_for_rate(shown)
            assert rate <= 4.1, rate
            assert left * (rate + 0.05) >= 2 * total - done - 10, (done, total, rate, left)
            stop(shown, process)
        with tap.case("the rate after resume is that of this process"):
            shown = screen.Screen(120)
            process = shown.start(tap.PROGRAM, "resume", tap.path("rates"))
            done, total, rate, left = wait_for_rate(shown)
            assert rate <= 4.1, rate
            assert done > 8, done
            stop(shown, process)


crawls()
dumb_terminals()
demos()
rates()
tap.done()
