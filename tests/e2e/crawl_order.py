#!/usr/bin/env python3
"""The link graph of a capture, and crawls that visit what matters first (docs/order.md)."""

import contextlib
import csv
import io
import os
import sqlite3
import subprocess

import rawserver
import tap
from rawserver import page, respond

QUICK = ["--delay", "0", "--no-probes", "--traps", "off", "--no-sitemaps"]
DAMPING = 0.85


def links(*hrefs):
    return "".join(f'<p><a href="{href}">to</a></p>' for href in hrefs)


def html(text):
    return page(text.encode())


class Site(rawserver.Server):
    """Answers by path; counts what was asked for, in its order."""

    def __init__(self, pages):
        super().__init__(self.answer_path)
        self.pages = pages
        self.asked = []

    def answer_path(self, request):
        self.asked.append(request.path)
        return self.pages.get(request.path, rawserver.NOT_FOUND)


def graph(archive, *options):
    """The rows of `graph` by path."""
    rows = csv.DictReader(io.StringIO(tap.succeed("graph", archive, *options)))
    return {"/" + row["url"].split("/", 3)[3]: row for row in rows}


def pagerank(edges, pages):
    """By the power method, from scratch."""
    rank = {p: 1 / len(pages) for p in pages}
    out = {p: sorted({b for a, b in edges if a == p}) for p in pages}
    for _ in range(200):
        lost = sum(rank[p] for p in pages if not out[p])
        new = {p: (1 - DAMPING + DAMPING * lost) / len(pages) for p in pages}
        for p in pages:
            for to in out[p]:
                new[to] += DAMPING * rank[p] / len(out[p])
        rank = new
    return rank


def check_graph(rows, edges, pages):
    tap.equal(set(rows), set(pages))
    want = pagerank(edges, sorted(pages))
    for p in pages:
        tap.equal((int(rows[p]["indegree"]), int(rows[p]["outdegree"])),
                  (len({a for a, b in edges if b == p}), len({b for a, b in edges if a == p})))
        tap.near(float(rows[p]["pagerank"]), want[p], 1e-9)


# ---- the graph ----

SMALL = {
    "/": html(links("/a", "/b", "/a", "/a#part", "/", "/missing", "/moved", "http://other.invalid/")
              + '<img src="/i.png">'),
    "/a": html(links("/b", "/c") + '<img src="/i.png"><link rel=stylesheet href="/s.css">'),
    "/b": html(links("/", "/c")),
    "/c": html("<p>Nothing further.</p>"),
    "/moved": respond("301 Moved Permanently", b"", Location="/b"),
    "/i.png": respond("200 OK", b"\x89PNG", Content_Type="image/png"),
    "/s.css": respond("200 OK", b"a { color: red }", Content_Type="text/css"),
}
EDGES = {("/", "/a"), ("/", "/b"), ("/", "/missing"), ("/", "/moved"), ("/a", "/b"), ("/a", "/c"), ("/b", "/"),
         ("/b", "/c"), ("/moved", "/b")}
PAGES = {"/", "/a", "/b", "/c", "/moved", "/missing"}
ARCHIVE = tap.path("small")

with tap.case("graph: captured pages, each link once, none to itself; requisites are no pages"):
    with Site(SMALL) as server:
        tap.succeed("crawl", server.url, *QUICK, "-o", ARCHIVE, "-q")
    check_graph(graph(ARCHIVE), EDGES, PAGES)
    check_graph(graph(ARCHIVE, "--csv"), EDGES, PAGES)

with tap.case("graph --json says the same"):
    document = tap.load("graph", ARCHIVE)
    tap.equal((document["schema"], document["pages"], document["links"]), (1, 6, 9))
    rows = {"/" + row["url"].split("/", 3)[3]: row for row in document["rows"]}
    check_graph(rows, EDGES, PAGES)
    tap.near(sum(row["pagerank"] for row in document["rows"]), 1, 1e-12)

with tap.case("graph refuses what is no archive, and both formats at once"):
    tap.refuse(1, "no-such", "graph", tap.path("no-such"))
    tap.refuse(2, "cannot be combined", "graph", ARCHIVE, "--csv", "--json")
    tap.refuse(1, "capture", "graph", ARCHIVE, "--capture", 7)

with tap.case("graph: a damaged row is said to be damaged"):
    broken = tap.path("broken")
    subprocess.run(["cp", "-r", ARCHIVE, broken], check=True)
    with contextlib.closing(sqlite3.connect(os.path.join(broken, "catalog.sqlite"))) as database:
        database.execute("UPDATE links SET targets = x'ff'")
        database.commit()
    tap.refuse(1, "damaged", "graph", broken)

tap.done()
