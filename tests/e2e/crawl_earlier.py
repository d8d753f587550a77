#!/usr/bin/env python3
"""What a capture is told of an earlier one of the same site, and what comes of it."""

import os
import re
import sqlite3
import subprocess
import time

import living
import rawserver
import tap


class Site:
    """Pages by path: the paths that they link to, or a string: where they redirect to. Those with
    .css are requisites. May change between captures."""

    def __init__(self, pages, robots=""):
        self.pages = pages
        self.robots = robots
        self.is_down = False

    def __call__(self, request):
        if request.path == "/robots.txt":
            return rawserver.respond("200 OK", self.robots.encode(), content_type="text/plain")
        if self.is_down:
            return rawserver.respond("503 Service Unavailable")
        links = self.pages.get(request.path)
        if links is None:
            return rawserver.NOT_FOUND
        if isinstance(links, str):
            return rawserver.respond("301 Moved", location=links)
        if ".css" in request.path:
            return rawserver.respond("200 OK", f"/* {request.path} */".encode(), content_type="text/css")
        return rawserver.page(f"<p>This is {request.path}.</p>{''.join(map(link, links))}".encode())


def link(path):
    return f'<link rel=stylesheet href="{path}">' if ".css" in path else f'<a href="{path}">x</a>'


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
        tap.equal(expected(crawl(server, archive, "--max-depth", 1)), (3, 7))

    with tap.case("size: nothing is learned from a capture without answers"):
        SITE.is_down = True
        crawl(server, archive, status=1)
        SITE.is_down = False
        tap.equal(expected(crawl(server, archive)), (6, 6))


def pages(server, archive):
    """Of the last capture, by path: its row of the report, how it was found and on which page."""
    rows = {row["url"].removeprefix(server.url[:-1]): row for row in tap.load("report", archive)["verdicts"]}
    catalog = sqlite3.connect(os.path.join(archive, "catalog.sqlite"))
    words = dict(catalog.execute("SELECT id, text FROM word"))
    found = catalog.execute("SELECT url, found, via FROM page WHERE id >> 32 = (SELECT max(id) FROM capture)").fetchall()
    catalog.close()
    for url, how, via in found:
        row = rows[url.removeprefix(server.url[:-1])]
        row["found"] = words.get(how, how)
        row["on"] = found[via][0].removeprefix(server.url[:-1]) if via is not None else None
    return rows


def verdicts(rows):
    return {path: row["verdict"] for path, row in rows.items()}


SITE = Site({"/": ["/a", "/b"], "/a": ["/c", "/style.css"], "/b": "/d", "/c": ["/e"], "/d": [], "/e": [],
             "/style.css": []})
with rawserver.Server(SITE) as server:
    archive = tap.path("pages.stillpoint")
    crawl(server, archive)
    first = pages(server, archive)

    with tap.case("pages: all are known before the first visit, as they were found then"):
        server.requests.clear()
        crawl(server, archive)
        second = pages(server, archive)
        tap.equal(verdicts(second), verdicts(first))
        tap.equal({path: (row["found"], row["on"]) for path, row in second.items()}, {
            "/": ("seed", None), "/a": ("capture 1: link", "/"), "/b": ("capture 1: link", "/"),
            "/c": ("capture 1: link", "/a"), "/style.css": ("capture 1: link", "/a"),
            "/d": ("capture 1: redirect", "/b"), "/e": ("capture 1: link", "/c")})

    with tap.case("pages: how they were found stays; new ones are found by their links"):
        SITE.pages["/e"] = ["/new"]
        SITE.pages["/new"] = []
        crawl(server, archive)
        third = pages(server, archive)
        tap.equal((third["/e"]["found"], third["/new"]["found"], third["/new"]["on"]), ("capture 1: link", "link", "/e"))
        crawl(server, archive)
        tap.equal(pages(server, archive)["/new"]["found"], "capture 3: link")

    with tap.case("pages: one without links is captured once more, one that is missing is absent once"):
        SITE.pages["/c"] = []  # nothing leads to /e any longer
        del SITE.pages["/new"]
        SITE.pages["/e"] = []
        crawl(server, archive)
        found = verdicts(pages(server, archive))
        tap.equal((found["/e"], found["/new"]), ("sharp", "absent"))
        report = tap.load("report", archive)
        tap.equal((report["totals"]["absent"], report["vanished"]), (1, 1))
        text = tap.succeed("report", archive)
        assert "in an earlier capture: 1. Of the other captured pages 100.0 % are sharp." in text, text
        assert "Sharpness without absent pages: 100.0 %;" in text, text
        crawl(server, archive)
        found = verdicts(pages(server, archive))
        tap.equal((found.get("/d"), found.get("/e"), found.get("/new")), ("sharp", None, None))

    with tap.case("pages: verify and rebuild agree"):
        tap.succeed("verify", archive)
        before = pages(server, archive)
        tap.succeed("rebuild", archive)
        tap.equal(pages(server, archive), before)

    with tap.case("pages: not those whose URLs are others each time"):
        SITE.pages["/"] += ["/s.css?time=1", "/x;jsessionid=0123456789abcdef0123456789abcdef"]
        SITE.pages.update({path: [] for path in SITE.pages["/"][-2:]})
        for _ in range(2):
            crawl(server, archive)
            rows = pages(server, archive)
            tap.equal({rows[path]["found"] for path in SITE.pages["/"][-2:]}, {"link"})

    with tap.case("pages: not with --earlier size"):
        crawl(server, archive, "--earlier", "size")
        tap.equal([row["url"] for row in pages(server, archive).values() if "capture" in row["found"]], [])


def told(rows):
    return {path for path, row in rows.items() if row["found"].startswith("capture ")}


TREE = {"/": ["/a", "/b"], "/a": ["/c"], "/b": [], "/c": ["/d"], "/d": []}

with rawserver.Server(Site(dict(TREE), robots="User-agent: *\nDisallow: /b\n")) as server:
    SITE = server.answer
    archive = tap.path("rules.stillpoint")

    with tap.case("rules: robots.txt and the scope of today decide"):
        SITE.robots = ""
        crawl(server, archive)
        SITE.robots = "User-agent: *\nDisallow: /a\n"
        SITE.pages["/"] = ["/b"]
        crawl(server, archive)
        rows = pages(server, archive)
        tap.equal((rows["/a"]["verdict"], rows["/a"]["left_out"]), ("excluded", "robots"))
        tap.equal([request.path for request in server.requests if request.path == "/a"], ["/a"] * 2)

    with tap.case("rules: where a limit may leave pages out, links come first"):
        crawl(server, archive, "--max-pages", 2)
        for option in (["--max-pages", 2], ["--max-bytes", "1G"], ["--order", "pagerank"]):
            assert expected(crawl(server, archive, *option)), option
            tap.equal(told(pages(server, archive)), set())
        crawl(server, archive, "--time-limit", "1h")
        assert told(pages(server, archive)), "an hour is no limit for such a site"

with rawserver.Server(Site(dict(TREE))) as moved, rawserver.Server(Site({"/": moved.url})) as server:
    archive = tap.path("moved.stillpoint")

    with tap.case("a seed that leads to another host: its pages are told when that is known"):
        crawl(server, archive)
        first = verdicts(pages(moved, archive))
        crawl(server, archive)
        rows = pages(moved, archive)
        tap.equal(verdicts(rows), first)
        tap.equal(rows["/"]["found"], "seed redirect")
        tap.equal(told(rows), {"/a", "/b", "/c", "/d"})

with rawserver.Server(Site(dict(TREE))) as server:
    archive = tap.path("killed.stillpoint")

    with tap.case("killed and resumed: the same pages, in the same way"):
        crawl(server, archive)
        process = subprocess.Popen([tap.PROGRAM, "crawl", server.url, "-o", archive, "--delay", living.SLOW, "--quiet"])
        while not any(row[0] for row in living.peek(
                archive, "SELECT count(*) FROM observation WHERE capture = 2 AND leg = 0")):
            time.sleep(0.02)
        process.kill()
        process.wait()
        tap.succeed("resume", archive, "--quiet", "--delay", 0)
        rows = pages(server, archive)
        tap.equal(told(rows), {"/a", "/b", "/c", "/d"})
        tap.equal(set(verdicts(rows).values()), {"sharp"})
        tap.succeed("verify", archive)

tap.done()
