#!/usr/bin/env python3
"""What a capture is told of an earlier one of the same site, and what comes of it."""

import re

import rawserver
import tap


class Site:
    """Pages by path: the paths that they link to. May change between captures."""

    def __init__(self, pages):
        self.pages = pages
        self.is_down = False

    def __call__(self, request):
        if self.is_down and request.path == "/":
            return rawserver.respond("503 Service Unavailable")
        if request.path not in self.pages:
            return rawserver.NOT_FOUND
        links = "".join(f'<a href="{path}">x</a>' for path in self.pages[request.path])
        return rawserver.page(f"<p>This is {request.path}.</p>{links}".encode())


def crawl(server, archive, *options, status=0):
    done = tap.run("crawl", server.url, "-o", archive, "--delay", "0", "--no-sitemaps", "--no-probes", "--traps", "off",
                   "--attempts", 1, "--verbose", *options)
    tap.equal(done.returncode, status)
    return done.stderr


def expected(log):
    """How many pages the plan expects, and from which capture it knows; None if nobody told it."""
    found = re.search(r"the plan expects (\d+) pages, as many as in capture (\d+)", log)
    return found and tuple(map(int, found.groups()))


PAGES = {"/": ["/a", "/b"], "/a": ["/c", "/missing"], "/b": ["/d"], "/c": [], "/d": []}

SITE = Site(dict(PAGES))
with rawserver.Server(SITE) as server:
    archive = tap.path("size.stillpoint")

    with tap.case("size: nobody tells the first capture, the first one tells the second"):
        tap.equal(expected(crawl(server, archive)), None)
        tap.equal(expected(crawl(server, archive)), (5, 1))

    with tap.case("size: the last capture tells it, as it found the site"):
        SITE.pages["/d"] = ["/e"]
        SITE.pages["/e"] = []
        tap.equal(expected(crawl(server, archive)), (5, 2))
        tap.equal(expected(crawl(server, archive)), (6, 3))

    with tap.case("size: not if the user says it, or does not want it"):
        tap.equal(expected(crawl(server, archive, "--size", 9)), None)
        tap.equal(expected(crawl(server, archive, "--earlier", "off")), None)

    with tap.case("size: not by captures with another scope or other limits"):
        tap.equal(expected(crawl(server, archive, "--max-depth", 1)), None)
        tap.equal(expected(crawl(server, archive, "--exclude", "/a")), None)
        tap.equal(expected(crawl(server, archive, "--max-depth", 1)), (3, 7))

    with tap.case("size: nothing is learned from a capture without answers"):
        SITE.is_down = True
        crawl(server, archive, status=1)
        SITE.is_down = False
        tap.equal(expected(crawl(server, archive)), (6, 6))

tap.done()
