#!/usr/bin/env python3
"""What is left out, and saying so: bodies that are in the archive already, traps, soft 404s; and that
normal sites lose nothing."""

import gzip
import hashlib
import os
import random
import signal
import subprocess
import threading

import living
import rawserver
import tap
from rawserver import page, respond

QUICK = ["--delay", "0", "--jobs", "4"]
DEADLINE = 120


def words(seed, count):
    """Text that no other seed has."""
    letters = random.Random(seed)
    return " ".join("".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(count))


def links(*hrefs):
    return "".join(f'<p><a href="{href}">to</a></p>' for href in hrefs)


def html(text):
    return page(text.encode())


class Server(rawserver.Server):
    """find(path) gives an answer, or what makes one of the request, or None for what is not there;
    robots.txt and sitemap are missing."""

    def __init__(self, find):
        super().__init__(self.answer_path)
        self.find = find

    def answer_path(self, request):
        there = request.path not in ("/robots.txt", "/sitemap.xml")
        answer = there and self.find(request.path) or rawserver.NOT_FOUND
        return answer(request) if callable(answer) else answer


def responses(archive, path=""):
    """Response and revisit records whose URL ends so, with the leg of their attempt."""
    return [(attempt.leg, attempt.response) for attempt in living.attempts(archive)
            if attempt.response and attempt.url.endswith(path) and attempt.leg != "side"]


def size(archive):
    return sum(os.path.getsize(file) for file in living.warc_files(archive))


# ---- duplicates ----

SAME = words("same", 300)
SITE = {
    "/": html(links("/first", "/copy", "/plain", "/coded", "/small", "/tiny", "/cut")),
    "/first": html(SAME),
    "/copy": page(SAME.encode(), x_other="head"),
    "/plain": respond("200 OK", gzip.compress(SAME.encode(), mtime=0), content_type="text/html"),
    "/coded": page(gzip.compress(SAME.encode(), mtime=0), content_encoding="gzip"),
    "/small": html("little"),
    "/tiny": html("little"),
    "/cut": lambda request: request.send(page(SAME.encode(), content_length=len(SAME) + 9)),
}
ARCHIVE = tap.path("duplicates")

with tap.case("the same body at another URL is a revisit record that refers to the first"):
    with Server(SITE.get) as server:
        report = tap.load("crawl", server.url, *QUICK, "--attempts", 1, "-o", ARCHIVE)
        pages = {row["url"][len(server.url) - 1:]: row for row in report["verdicts"]}
        first_size = size(ARCHIVE)
        again = tap.load("crawl", server.url, *QUICK, "--attempts", 1, "-o", ARCHIVE)
    twins = [records[0][1] for records in (responses(ARCHIVE, "/first"), responses(ARCHIVE, "/copy"))]
    tap.equal(sorted(record.type for record in twins), ["response", "revisit"])
    original, copy = sorted(twins, key=lambda record: record.type)
    tap.equal(copy.fields["WARC-Refers-To"], original.id)
    tap.equal(copy.fields["WARC-Refers-To-Target-URI"], original.fields["WARC-Target-URI"])
    tap.equal(copy.fields["WARC-Refers-To-Date"], original.fields["WARC-Date"])
    tap.equal(copy.fields["WARC-Payload-Digest"], original.fields["WARC-Payload-Digest"])
    for record in twins:
        assert (b"X-Other" in record.block) == (record.fields["WARC-Target-URI"][-5:] == "/copy")

with tap.case("verdicts are those of the page itself"):
    tap.equal({path: row["verdict"] for path, row in pages.items() if row["verdict"] != "sharp"},
              {"/cut": "failed"})

with tap.case("bytes that mean something else, small bodies and cut ones are stored as they are"):
    for path in ("/plain", "/coded", "/small", "/tiny", "/cut"):
        tap.equal((path, responses(ARCHIVE, path)[0][1].type), (path, "response"))

with tap.case("a capture of what the archive has already refers to it, never to a revisit record"):
    tap.equal((again["capture"], again["sharp"]), (2, report["sharp"]))
    by_id = {record.id: record for file in living.warc_files(ARCHIVE) for record in living.records(file)}
    revisits = [record for record in by_id.values() if record.type == "revisit"]
    assert len(revisits) >= 3 * 4, len(revisits)
    for record in revisits:
        tap.equal(by_id[record.fields["WARC-Refers-To"]].type, "response")
    bodies = [record for _, record in responses(ARCHIVE) if record.type == "response"
              and SAME.encode() in record.block]
    tap.equal(len(bodies), 3)  # two of them of what is cut
    assert size(ARCHIVE) < 1.9 * first_size, (size(ARCHIVE), first_size)

with tap.case("verify follows the references"):
    tap.succeed("verify", ARCHIVE)
    tap.succeed("verify", ARCHIVE, "--warc-only")

with tap.case("a WARC file that was taken away is not referred to"):
    for file in living.warc_files(tap.doctored(ARCHIVE)):
        os.rename(file, tap.path(os.path.basename(file)))
    with Server(SITE.get) as server:
        report = tap.load("crawl", server.url, *QUICK, "--attempts", 1, "-o", ARCHIVE)
    types = {record.type for leg, record in responses(ARCHIVE, "/coded") if leg == "visit"}
    tap.equal(types, {"response"})


# ---- traps ----

BUDGET = 40
FRAME = "<h1>A site</h1><p>Its navigation, the same everywhere.</p><p>And its imprint.</p>"


def token(*parts):
    """32 letters and digits that nobody has seen before."""
    return hashlib.md5(repr(parts).encode()).hexdigest()


def calendar(path, fields):
    year, month, day = (int(part) for part in path[len("/calendar/"):].split("/"))
    day += 1
    if day > 28:
        month, day = month + 1, 1
    if month > 12:
        year, month = year + 1, 1
    return (f"<p>Events of {day - 1} {('May', 'June')[month % 2]} {year}</p><p>No events.</p>"
            + links(f"/calendar/{year}/{month}/{day}", f"/calendar/{year + 1}/{month}/{day}"))


def counter(path, fields):
    number = int(path[len("/item/"):])
    return f"<p>Item {number}</p>" + links(f"/item/{number + 1}", f"/item/{number * 2}")


def session(path, fields):
    """Without cookies each answer begins a session, and all its links have a new id."""
    name = path[len("/shop/"):]
    return (f"<p>Article {name}: {words(name, 20)}</p>"
            + links(*(f"/shop/{other}?sid={token(path, fields, other)}" for other in "abcdefgh")))


def parameters(path, fields):
    """One list in any order, filtered by anything."""
    names = ["sort", "order", "color", "size", "brand", "view", "page"]
    at = sum(map(ord, token(path, fields)))
    name = names[at % len(names)]
    rows = [words(row, 5) for row in range(20)]
    random.Random(at).shuffle(rows)
    query = "&".join(sorted({**fields, name: str(at)}[key] and f"{key}={({**fields, name: str(at)})[key]}"
                            for key in {**fields, name: ""} if key))
    return ("".join(f"<li>{row}</li>" for row in rows)
            + links(f"{path}?{query}", f"{path}?{name}={at}", f"{path}?sort={at}&order=up"))


def segments(path, fields):
    return "<p>Below.</p>" + links("a/b/", "b/a/")


def soft(path, fields):
    """Says 200 where nothing is, and links to more of that."""
    return (f"<p>Sorry: nothing called {path.rpartition('/')[2]} was found.</p>"
            + links(f"/{words(path, 1)}", f"/lost/{words(path + 'x', 1)}"))


TRAPS = {"/calendar/": calendar, "/item/": counter, "/shop/": session, "/list": parameters,
         "/deep/": segments}
GOOD = 150


def article(number):
    return f"<p>{words(number, 60)}</p>" + links(f"/article/{(number * 7 + 1) % GOOD}")


def trap_site(path):
    path, _, query = path.partition("?")
    fields = dict(field.partition("=")[::2] for field in query.split("&") if field)
    if path == "/":
        body = words("home", 50) + links("/articles", "/calendar/2031/1/1", "/item/1", "/shop/a",
                                         "/list", "/deep/", "/lost/key")
    elif path == "/articles":
        body = words("articles", 50) + links(*(f"/article/{i}" for i in range(0, GOOD, 2)))
    elif path.startswith("/article/") and int(path[len("/article/"):]) < GOOD:
        body = article(int(path[len("/article/"):]))
    else:
        find = next((make for start, make in TRAPS.items() if path.startswith(start)), soft)
        body = find(path, fields)
    return html(f"<title>A page</title>{FRAME}{body}")


ARCHIVE = tap.path("traps")

with tap.case("a site that is endless in every way ends by itself"):
    with Server(trap_site) as server:
        report = tap.load("crawl", server.url, *QUICK, "--trap-budget", BUDGET, "-o", ARCHIVE)
        taken = {row["url"][len(server.url) - 1:] for row in report["verdicts"]
                 if row["verdict"] != "excluded"}
    tap.equal(report["state"], "finished")
    counts = {start: sum(path.startswith(start) for path in taken) for start in TRAPS}
    print("#", counts, len(taken), report["left_out"], report["traps"], report["soft_404"])
    for start, count in counts.items():
        assert 5 <= count <= 4 * BUDGET, (start, count)

with tap.case("every good page of it is captured"):
    missing = [i for i in range(GOOD) if f"/article/{i}" not in taken]
    tap.equal(missing, [])
    assert {f"/shop/{name}" for name in "abcdefgh"} <= {path.partition("?")[0] for path in taken}

with tap.case("what was left out is counted by reason, kept, and explained"):
    for kind in ("segments", "calendar", "counter", "parameters", "session"):
        assert report["traps"][kind] > 0, report["traps"]
    tap.equal(report["left_out"]["trap"], sum(report["traps"].values()))
    tap.equal(report["totals"]["excluded"], report["left_out"]["trap"])
    left = next(row for row in report["verdicts"] if row["left_out"] == "trap-calendar")
    why = tap.succeed("report", ARCHIVE, "--why", left["url"])
    assert "trap: an endless calendar" in why and "/calendar/#/#/#" in why, why
    text = tap.succeed("report", ARCHIVE)
    assert f"{report['traps']['calendar']}  trap: an endless calendar" in text, text

with tap.case("soft 404s are kept as what they are, and lead nowhere"):
    soft_pages = [row for row in report["verdicts"] if row["soft_404"]]
    tap.equal(len(soft_pages), report["soft_404"])
    assert soft_pages and all(row["verdict"] == "sharp" for row in soft_pages), soft_pages
    why = tap.succeed("report", ARCHIVE, "--why", soft_pages[0]["url"])
    assert "a soft 404" in why, why
    tap.succeed("verify", ARCHIVE)

with tap.case("a capture of traps that was killed goes on, and ends"):
    archive = tap.path("killed")
    middle, is_killed = threading.Event(), threading.Event()

    def held_up(path):
        """Gets nobody further than to the middle before the kill."""
        if len(server.requests) >= 250:
            middle.set()
            is_killed.wait(DEADLINE)
        return trap_site(path)

    with Server(held_up) as server:
        options = ["--trap-budget", BUDGET, "-o", archive]
        killed = subprocess.Popen([tap.PROGRAM, "crawl", server.url, *QUICK, *map(str, options)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert middle.wait(DEADLINE), len(server.requests)
        killed.kill()
        tap.equal(killed.wait(), -signal.SIGKILL)
        is_killed.set()
        again = tap.load("resume", archive)
    taken = {row["url"][len(server.url) - 1:] for row in again["verdicts"]
             if row["verdict"] != "excluded"}
    tap.equal(again["state"], "finished")
    tap.equal([i for i in range(GOOD) if f"/article/{i}" not in taken], [])
    counts = {start: sum(path.startswith(start) for path in taken) for start in TRAPS}
    assert all(count <= 8 * BUDGET for count in counts.values()), counts
    tap.succeed("verify", archive)

with tap.case("--traps off follows whatever there is"):
    with Server(trap_site) as server:
        report = tap.load("crawl", server.url, *QUICK, "--single", "--traps", "off",
                          "--max-pages", 600, "-o", tap.path("off"))
    tap.equal((report["left_out"]["trap"], report["soft_404"]), (0, 0))
    tap.equal(len([row for row in report["verdicts"] if row["verdict"] == "single"]), 600)


# ---- normal sites ----

NORMAL = 3000 if not living.SANITIZED else 600


def normal_site(path):
    """Lists of lists of articles that lead to each other; old ones have moved."""
    path, _, query = path.partition("?")
    if path == "/":
        return html(FRAME + words("home", 20) + links(*(f"/list?page={i}" for i in range(NORMAL // 100))))
    if path == "/list":
        first = int(query.partition("=")[2]) * 100
        return html(FRAME + f"<p>{words(query, 20)}</p>"
                    + links(*(f"/old/{i}" if i % 10 == 0 else f"/article/{i}"
                              for i in range(first, first + 100, 2))))
    if not path.startswith(("/old/", "/article/")):
        return None
    number = int(path.rpartition("/")[2])
    if path.startswith("/old/"):
        return respond("301 Moved", location=f"/article/{number}")
    return html(FRAME + f"<p>Article {number}</p><p>{words(number, 30)}</p>"
                + links(f"/article/{(number + 1) % NORMAL}"))


with tap.case(f"a normal site of {NORMAL} articles loses nothing, with a tenth of the usual budget"):
    with Server(normal_site) as server:
        report = tap.load("crawl", server.url, *QUICK, "--single", "--trap-budget", 100,
                          "-o", tap.path("normal"))
    tap.equal(report["left_out"]["trap"], 0)
    there = {row["url"] for row in report["verdicts"] if row["status"] == 200}
    tap.equal([i for i in range(NORMAL) if f"{server.url}article/{i}" not in there], [])


# ---- links to everywhere ----

with tap.case("URLs outside the scope are counted when there are too many to keep"):
    outside = {"/": html(links("/a", *(f"http://host{i}.invalid/" for i in range(60)))),
               "/a": html(links(*(f"http://host{i}.invalid/" for i in range(40, 100))))}
    archive = tap.path("outside")
    with Server(outside.get) as server:
        report = tap.load("crawl", server.url, *QUICK, "--single", "--max-outside", 50,
                          "--max-depth", 1, "-o", archive)
    tap.equal((report["pages"], report["totals"]["single"]), (52, 2))
    tap.equal((report["left_out"]["scope"], report["unkept"]), (50 + 10 + 50, 10 + 50))
    tap.equal(sum(report["left_out"].values()), report["totals"]["excluded"] + report["unkept"])
    text = tap.succeed("report", archive)
    assert "\n2 pages captured, visited once: nothing is proven sharp.\n" in text, text
    assert "host1.invalid" not in text, text
    assert "not captured: 110 (60 of them counted each time they were found)\n" in text, text

tap.done()
