#!/usr/bin/env python3
"""stillpoint similar: clusters of pages that show nearly the same text, out of an archive."""

import random

import rawserver
import tap
from rawserver import page

QUICK = ["--delay", "0", "--jobs", "4", "--single", "--no-sitemaps", "--traps", "off"]
VOCABULARY = [f"{a}{b}{c}" for a in ("stra", "bro", "kel", "win", "dor") for b in "aeiou" for c in ("th", "ne", "rk", "l")]
MENU = "".join(f"<li>Section {i} of the menu, the same everywhere</li>" for i in range(12))


def words(seed, count):
    return random.Random(f"text {seed}").choices(VOCABULARY, k=count)


def edited(text, seed, edits):
    """The text with so many of its words replaced."""
    text, rng = list(text), random.Random(f"edits {seed}")
    for place in rng.sample(range(len(text)), edits):
        text[place] = f"new{rng.randrange(10 ** 6)}"
    return text


def article(text, menu=MENU):
    lines = [" ".join(text[i:i + 12]) for i in range(0, len(text), 12)]
    return page((f"<title>x</title><ul>{menu}</ul>" + "".join(f"<p>{line}</p>" for line in lines)).encode())


def site():
    """Pages by path, and what belongs together."""
    pages, clusters = {}, []
    for i in range(30):  # different articles around a menu that is longer than they are
        pages[f"/articles/{i}"] = article(words(i, 60))
    for name, size, edits in (("short", 80, 1), ("middle", 400, 5), ("long", 3000, 40)):
        base = words(name, size)
        pages[f"/edited/{name}"] = article(base)
        pages[f"/edited/{name}-again"] = article(edited(base, name, edits))
        clusters.append({f"/edited/{name}", f"/edited/{name}-again"})
    rewritten = words("rewritten", 400)
    pages["/edited/first"] = article(rewritten)
    pages["/edited/second"] = article(edited(rewritten, "rewritten", 120))
    pages["/same/a"] = pages["/same/b?x=1"] = article(words("same", 300))
    clusters.append({"/same/a", "/same/b?x=1"})
    pages["/odd/empty-1"], pages["/odd/empty-2"] = page(b"<p></p>"), page(b"<div></div>")
    pages["/odd/word-1"], pages["/odd/word-2"] = page(b"<p>Hello"), page(b"<i>hello</i>")
    clusters.append({"/odd/word-1", "/odd/word-2"})
    pages["/odd/word-3"] = page(b"<p>Goodbye")
    pages["/odd/repeated"] = page(b"<p>" + b"again " * 1700000)
    pages["/"] = page("".join(f'<a href="{path}">to</a>' for path in pages).encode())
    return pages, clusters


def clusters_of(report, url):
    return [({member[len(url) - 1:] for member in cluster["urls"]}, cluster["distance"])
            for cluster in report["clusters"]]


PAGES, WANTED = site()
ARCHIVE = tap.path("archive")
with rawserver.Server(lambda request: PAGES.get(request.path, rawserver.NOT_FOUND)) as server:
    tap.load("crawl", server.url, *QUICK, "-o", ARCHIVE)

with tap.case("pages with edits are together, articles around the same menu are not"):
    report = tap.load("similar", ARCHIVE)
    found = clusters_of(report, server.url)
    tap.equal(sorted(map(sorted, (urls for urls, _ in found))), sorted(map(sorted, WANTED)))

with tap.case("the distance is that of the texts"):
    distances = {min(urls): distance for urls, distance in found}
    tap.equal(distances["/same/a"], 0)
    tap.equal(distances["/odd/word-1"], 0)
    # 40 words of 3000 are in 120 of 3118 different shingles.
    tap.near(distances["/edited/long"], 1 - 2878 / 3118, 0.08)
    assert all(0 <= distance <= 0.2 for distance in distances.values()), distances

with tap.case("pages are counted, and the list for people says the same"):
    tap.equal(report["pages"], len(PAGES))
    text = tap.succeed("similar", ARCHIVE)
    assert f"{len(WANTED)} clusters of {len(PAGES)} pages\n" in text, text
    assert "/edited/long-again\n" in text, text

with tap.case("the same archive gives the same clusters, from its WARC files alone"):
    tap.equal(tap.load("similar", ARCHIVE), report)
    tap.equal(tap.load("similar", f"{ARCHIVE}/warc"), report)

with tap.case("an archive without pages has no clusters; what is no archive fails in one line"):
    with rawserver.Server(lambda request: rawserver.NOT_FOUND) as server:
        tap.run("crawl", server.url, *QUICK, "-o", tap.path("empty"))
    tap.equal(tap.load("similar", tap.path("empty"))["clusters"], [])
    tap.refuse(1, "No such file", "similar", tap.path("missing"))
    tap.refuse(1, "there are no WARC records in it", "similar", tap.write("text", "no WARC file"))

MANY = 20000
with tap.case("many pages with the same text are one cluster, in bounded time"):
    with open(tap.path("many.warc"), "wb") as file:
        for i in range(MANY):
            body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>no news on this day <!--%d-->" % (i if i % 2 else 0)
            head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%032d>\r\n"
                    "WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://example.org/%d\r\n"
                    "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n")
            file.write((head % (i, i, len(body))).encode() + body + b"\r\n\r\n")
    report = tap.load("similar", tap.path("many.warc"))
    tap.equal([(len(cluster["urls"]), cluster["distance"]) for cluster in report["clusters"]], [(MANY, 0)])

tap.done()
