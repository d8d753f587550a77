#!/usr/bin/env python3
"""The link graph of a capture, and crawls that visit what matters first (docs/order.md)."""

import contextlib
import csv
import io
import os
import sqlite3
import subprocess

import living
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

with tap.case("graph: made anew from the WARC files"):
    again = tap.path("again")
    subprocess.run(["cp", "-r", ARCHIVE, again], check=True)
    os.remove(os.path.join(again, "catalog.sqlite"))
    tap.run("rebuild", again)
    check_graph(graph(again), EDGES, PAGES)

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


# ---- orders ----

# The home page links to ten hubs, which all link to the same five pages, and to 30 that matter to
# nobody: breadth first meets the five last.
HUBS = [f"/hub{i}" for i in range(10)]
STARS = [f"/star{i}" for i in range(5)]
FILLERS = [f"/filler{i}" for i in range(30)]
STARRY = {"/": html(links(*HUBS, *FILLERS)),
          **{hub: html(links(*STARS, "/")) for hub in HUBS},
          **{star: html(links("/", *STARS)) for star in STARS},
          **{filler: html(f"<p>{filler}</p>" + links("/")) for filler in FILLERS}}
SINGLE = ["--single", *QUICK]


def visited(report):
    return {"/" + v["url"].split("/", 3)[3] for v in report["verdicts"] if v["visit_start"]}


def crawl(server, name, *options):
    return tap.load("crawl", server.url, *options, "-o", tap.path(name))


with tap.case("without an order the first pages are taken, as ever"):
    with Site(STARRY) as server:
        report = crawl(server, "plain", *SINGLE, "--max-pages", 20)
    tap.equal(visited(report), {"/", *HUBS, *FILLERS[:9]})

with tap.case("--order breadth visits the same pages"):
    with Site(STARRY) as server:
        report = crawl(server, "breadth", *SINGLE, "--max-pages", 20, "--order", "breadth")
    tap.equal(visited(report), {"/", *HUBS, *FILLERS[:9]})
    tap.equal((report["totals"]["excluded"], report["left_out"]["max-pages"]), (26, 26))

ORDERED = {}
for order in ("indegree", "pagerank", "opic"):
    with tap.case(f"--order {order} with --max-pages: what is important is visited once it is known"):
        with Site(STARRY) as server:
            report = crawl(server, order, *SINGLE, "--max-pages", 20, "--order", order)
            ORDERED[order] = server.url, list(server.asked)
        seen = visited(report)
        assert len(seen) == 20 and seen >= set(STARS), sorted(seen)
        tap.equal(report["left_out"]["max-pages"], 46 - 20)

with tap.case("report --why says which place a page had among those that were left"):
    url, _ = ORDERED["indegree"]
    text = tap.succeed("report", tap.path("indegree"), "--why", url + "filler29")
    assert "--max-pages: number 26 of 26 pages that were left, by --order indegree" in " ".join(text.split()), text

with tap.case("the order decides the weights, and important pages weigh more"):
    with Site(STARRY) as server:
        report = crawl(server, "weighed", *QUICK, "--order", "pagerank")
        url = server.url
    weight = {"/" + v["url"].split("/", 3)[3]: v["weight"] for v in report["verdicts"]}
    rank = {p: float(row["pagerank"]) for p, row in graph(tap.path("weighed")).items()}
    assert min(weight[s] for s in STARS) > 2 * max(weight[f] for f in FILLERS), weight
    tap.equal(sorted(STARS, key=weight.get) and report["sharp"], 46)
    for p in rank:
        tap.near(weight[p], rank[p] * 46, 0.02 * rank[p] * 46 + 0.01)
    tap.succeed("verify", tap.path("weighed"))

with tap.case("--weight off: the order only chooses"):
    with Site(STARRY) as server:
        report = crawl(server, "unweighed", *QUICK, "--order", "pagerank", "--weight", "off")
    tap.equal({v["weight"] for v in report["verdicts"]}, {1})

with tap.case("--order weights=FILE: the heaviest of what is known; others last"):
    with Site(STARRY) as server:
        rows = [f"{server.url}hub7,5", f"{server.url}star3,9", f"{server.url}filler20,0.5"]
        file = tap.write("weights.csv", "url,weight\n" + "\n".join(rows) + "\n")
        report = crawl(server, "weights", *SINGLE, "--max-pages", 5, "--order", f"weights={file}")
    tap.equal(visited(report), {"/", "/hub7", "/star3", "/filler20", "/hub0"})
    tap.equal([p for p in server.asked if p in ("/hub7", "/star3", "/filler20", "/hub0")],
              ["/hub7", "/star3", "/filler20", "/hub0"])

with tap.case("--order sitemap: by the priority that the site gives"):
    listed = "".join(f"<url><loc>%s{p[1:]}</loc><priority>{w}</priority></url>"
                     for p, w in (("/filler9", "0.3"), ("/star1", "1.0"), ("/hub2", "0.8")))
    with Site(dict(STARRY)) as server:
        server.pages["/sitemap.xml"] = respond(
            "200 OK", ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                       + listed.replace("%s", server.url) + "</urlset>").encode(), content_type="text/xml")
        report = crawl(server, "sitemap", "--single", "--delay", 0, "--no-probes", "--traps", "off",
                       "--max-pages", 3, "--order", "sitemap")
    tap.equal(visited(report), {"/", "/star1", "/hub2"})

with tap.case("--max-bytes with an order: what is left is unvisited, and why says its place"):
    with Site(STARRY) as server:
        tap.run("crawl", server.url, *SINGLE, "--max-bytes", 5000, "--order", "indegree", "-q",
                "-o", tap.path("bytes"))
        url = server.url
    report = tap.load("report", tap.path("bytes"))
    left = [v["url"] for v in report["verdicts"] if v["verdict"] == "unvisited"]
    assert left and STARS and not {url + s[1:] for s in STARS} & set(left), left
    text = " ".join(tap.succeed("report", tap.path("bytes"), "--why", left[-1]).split())
    assert "pages that were left, by --order indegree" in text, text

with tap.case("--host-budget N: no more pages of a host, and the reason is said"):
    with Site(STARRY) as server:
        report = crawl(server, "budget", *SINGLE, "--host-budget", 7)
    tap.equal((len(visited(report)), report["left_out"]["host-budget"]), (7, 39))

with tap.case("--host-budget auto: who leads to new pages gets more, and nobody starves"):
    def grow(path):
        """A host without end: every page leads to three new ones."""
        return html(links(*(f"{path}{i}" for i in range(3))))

    class Endless(Site):
        def answer_path(self, request):
            self.asked.append(request.path)
            return grow(request.path) if request.path.startswith("/e") else rawserver.NOT_FOUND

    poor = [f"/poor{i}" for i in range(60)]
    with Endless({}) as rich, Site({p: html("<p>nothing</p>") for p in poor}) as other:
        rich.pages["/"] = None
        with Site({"/": html(links(rich.url + "e", *(other.url + p[1:] for p in poor)))}) as home:
            report = tap.load("crawl", home.url, *SINGLE, "--include", rich.url, "--include", other.url,
                              "--max-pages", 62, "--host-budget", "auto", "-o", tap.path("shares"))
    counts = [sum(v["url"].startswith(s.url) and bool(v["visit_start"]) for v in report["verdicts"])
              for s in (home, rich, other)]
    tap.equal((counts[0], sum(counts)), (1, 62))
    assert counts[2] >= 3 and counts[1] >= 3 * counts[2], counts

with tap.case("a crawl with an order that is killed goes on in its order"):
    archive = tap.path("killed")
    options = [*SINGLE, "--max-pages", 20, "--order", "pagerank", "-o", archive, "-q"]
    with Site(STARRY) as server:
        url = server.url
        process = subprocess.Popen([tap.PROGRAM, "crawl", server.url, *map(str, options), "--delay", "0.2"])
        while len(living.peek(archive, "SELECT 1 FROM observation")) < 5:
            assert process.poll() is None
        process.kill()
        process.wait()
        living.hasten(archive, "0.2")
        tap.run("resume", archive, "-q")
    report = tap.load("report", archive)
    seen = visited(report)
    assert len(seen) == 20 and seen >= set(STARS), sorted(seen)
    edges = {("/", p) for p in HUBS + FILLERS} | {(h, t) for h in HUBS for t in STARS + ["/"]}
    edges |= {(a, b) for a in STARS for b in ["/", *STARS]} | {(f, "/") for f in FILLERS}
    check_graph(graph(archive), {(a, b) for a, b in edges if {a, b} <= seen and a != b}, seen)

with tap.case("a time limit: what is visited is what matters, and it is sharp"):
    with Site(STARRY) as server:
        tap.run("crawl", server.url, "--delay", "0.05", *QUICK[2:], "--time-limit", 3, "--order", "pagerank",
                "-q", "-o", tap.path("timed"))
    verdicts = {"/" + v["url"].split("/", 3)[3]: v for v in tap.load("report", tap.path("timed"))["verdicts"]}
    # However slow the machine: no filler was visited while a star waited that two hubs had named.
    order = sorted((v["visit_start"], p) for p, v in verdicts.items() if v["visit_start"])
    hubs = 0
    for _, p in order:
        assert p not in FILLERS or hubs < 10 or not any(verdicts[s]["verdict"] == "unvisited" for s in STARS), order
        hubs += p in HUBS

with tap.case("a page with 20,000 links, most of them to each other"):
    names = [f"/n{i}" for i in range(20000)]
    with Site({"/": html(links(*names)), "/n19999": html(links(*names)), "/n7": html(links("/n19999"))}) as server:
        report = crawl(server, "wide", *SINGLE, "--max-pages", 12, "--order", "pagerank")
    tap.equal((len(visited(report)), report["left_out"]["max-pages"]), (12, 20001 - 12))

with tap.case("what is wrong with an order or a budget is said in one line"):
    with Site(STARRY) as server:
        for want, *options in (
                ("--order is breadth", "--order", "best"),
                ("--order is breadth", "--order", "weights="),
                ("no column 'weight'", "--order", "weights=" + tap.write("w1", "url,rate\nhttp://a/,1\n")),
                ("line 2", "--order", "weights=" + tap.write("w2", "url,weight\nhttp://a/,heavy\n")),
                ("line 2", "--order", "weights=" + tap.write("w3", "url,weight\nhttp://a/,-1\n")),
                ("line 3", "--order", "weights=" + tap.write("w4", "url,weight\nhttp://a/,1\nhttp://a/,2\n")),
                ("no-such-file", "--order", "weights=no-such-file"),
                ("--host-budget must be at least 1", "--host-budget", "0"),
                ("--host-budget needs auto or a whole number", "--host-budget", "many")):
            tap.refuse(2, want, "crawl", server.url, *options, "-o", tap.path("never"))
    assert not os.path.exists(tap.path("never"))

tap.done()
