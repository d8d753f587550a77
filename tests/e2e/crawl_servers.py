#!/usr/bin/env python3
"""A capture of several servers with different pauses: one barrier, planned for all of them."""

import contextlib
import threading

import rawserver
import tap
from rawserver import page

# Pages and Crawl-delay of each server; the first has the home page.
SERVERS = [(10, 0.3), (12, 0.01), (12, 0.05), (3, 0.1)]

ASKED = []  # (server, path), in the order of all requests
LOCK = threading.Lock()


def handler(number, links):
    def answer(request):
        if request.path == "/robots.txt":
            return page(f"User-agent: *\nCrawl-delay: {SERVERS[number][1]}\n".encode(),
                        content_type="text/plain")
        with LOCK:
            ASKED.append((number, request.path))
        return page((links() if request.path == "/" and number == 0 else request.path).encode())
    return answer


def capture():
    """The report of a capture of all servers from the home page of the first."""
    urls = []
    with contextlib.ExitStack() as stack:
        def links():
            return "".join(f'<a href="{url}{i}">page</a>' for url, (count, _) in zip(urls, SERVERS)
                           for i in range(1, count))

        for number in range(len(SERVERS)):
            urls.append(stack.enter_context(rawserver.Server(handler(number, links))).url)
        archive = tap.path("servers")
        tap.succeed("crawl", urls[0], "-o", archive, "--include", r"^http://127\.0\.0\.1:",
                    "--delay", "0", "--no-sitemaps", "--no-probes", "--traps", "off",
                    "--contact", "me@example.org")
    return tap.load("report", archive)


with tap.case("four servers: every page is sharp, around one still point"):
    report = capture()
    wanted = 1 + sum(count - 1 for count, _ in SERVERS)
    tap.equal([row["verdict"] for row in report["verdicts"] if row["verdict"] != "excluded"],
              ["sharp"] * wanted)
    assert report["stillpoint"]["from"] < report["stillpoint"]["to"]
    for row in report["verdicts"]:
        assert row["visit_end"] <= report["stillpoint"]["from"], row
        assert row["revisit_start"] >= report["stillpoint"]["to"], row

with tap.case("a fast server does not wait at the barrier: its visits end with those of the slow one"):
    order = [server for server, _ in ASKED]
    visits = order[:len(order) // 2]
    tap.equal(sorted(visits), sorted(order[len(order) // 2:]))
    for server in (1, 2):
        last = len(visits) - 1 - visits[::-1].index(server)
        assert visits[:last].count(0) >= 7, (server, visits)

tap.done()
