#!/usr/bin/env python3
"""Probes: what a capture learns from them, and what it may not learn."""

import contextlib
import collections
import hashlib
import itertools
import os
import re
import shutil
import sqlite3
import subprocess
import time

import living
import rawserver
import tap

DEADLINE = 120
COUNT = itertools.count(1)
TEXT = "<p>What there is to read on this page stays as it is, word for word. It goes on.</p>" * 8


def token(turn):
    return hashlib.sha256(str(turn).encode()).hexdigest()[:24]


def page(body, *fields):
    data = f"<html><head><title>T</title></head><body>{TEXT}{body}</body></html>".encode()
    head = "".join(f"{field}\r\n" for field in ("Content-Type: text/html", *fields))
    return (f"HTTP/1.1 200 OK\r\n{head}Content-Length: {len(data)}\r\n\r\n").encode() + data


def site(parts):
    """An answer: pages /n/NAME, each with its part, a function of the number of the request."""
    links = "".join(f"<a href=/n/{name}>x</a>" for name in parts)

    def answer(request):
        if request.path == "/":
            return page(links)
        name = request.path.removeprefix("/n/")
        return page(parts[name](next(COUNT))) if name in parts else rawserver.NOT_FOUND
    return answer


def capture(name, answer, *options):
    """The report with its pages by path, the server, and the archive."""
    archive = tap.path(name)
    with rawserver.Server(answer) as server:
        done = tap.run("crawl", server.url, "-o", archive, "--delay", "1ms", "--no-sitemaps",
                       *options)
        tap.equal((done.returncode, done.stderr), (0, ""))
    report = tap.load("report", archive)
    return report, {row["url"].removeprefix(server.url): row for row in report["verdicts"]}, \
        server, archive


def verify(archive):
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, *options)
        tap.equal((done.returncode, done.stderr), (0, ""))


def probes(archive):
    """Purpose and URL of each probe, as the WARC files have them."""
    found = []
    for path in living.warc_files(archive):
        for record in living.records(path):
            block = record.block.decode("latin-1")
            if record.type == "metadata" and "leg: probe\r\n" in block:
                found.append((re.search("purpose: (.*)\r", block)[1],
                              record.fields["WARC-Target-URI"]))
    return found


def field(turn):
    return f"<form><input type=hidden name=zq7 value='{token(turn)}'></form>"


def advert(turn):
    return f"<aside><img src='http://ads.example/{token(turn)}.gif' width=300 height=250></aside>"


FIELDS = 20
SITE = {f"f{i}": field for i in range(FIELDS)} | {f"a{i}": advert for i in range(6)} | {
    f"s{i}": lambda turn: "<ul><li>steady</li></ul>" for i in range(300)} | {
    "price": lambda turn: field(turn) + f"<b>{turn} EUR</b>",
    "own": lambda turn: f"<aside><img src='/i/{turn}.gif'></aside>",
}

with tap.case("places that vary by themselves are learned"):
    report, rows, server, learned = capture("learned", site(SITE), "--no-requisites")
    for name in SITE:
        want = "sharp" if name[0] in "fs" else "changed"
        tap.equal((name, rows[f"n/{name}"]["verdict"]), (name, want))
    tap.equal(rows["n/f1"]["rules"], [{"name": "learned", "count": 1}])
    tap.equal((rows["n/a1"]["changed_in"], rows["n/price"]["changed_in"]), (["links"], ["text", "data"]))
    tap.equal({rule["name"]: (rule["version"], rule["pages"]) for rule in report["rules"]},
              {"learned": (2, FIELDS)})
    tap.equal(report["sharp_normalised"], FIELDS)
    verify(learned)

with tap.case("probes are few, and in the archive"):
    made = probes(learned)
    requests = sum(request.path == "/" or request.path.startswith("/n/")
                   for request in server.requests) - len(made)
    assert 4 <= len(made) <= max(8, 0.06 * requests), (made, requests)
    noise = [url for purpose, url in made if purpose == "noise"]
    tap.equal({purpose for purpose, _ in made} - {"canary"}, {"noise"})
    tap.equal(2 * len(set(noise)), len(noise))  # two of a page

with tap.case("the report names the learned rules"):
    text = tap.succeed("report", learned)
    assert re.search(rf"^learned +{FIELDS} +{FIELDS}$", text, re.M), text
    text = tap.succeed("report", learned, "--why", f"{server.url}n/f1")
    assert "learned (1 times): learned: its value was new in each of several" in text, text

with tap.case("--no-probes: nothing is learned"):
    report, rows, _, plain = capture("plain", site(SITE), "--no-requisites", "--no-probes")
    tap.equal((rows["n/f1"]["verdict"], report["rules"], probes(plain)), ("changed", [], []))

with tap.case("what one page alone has is not learned: it may be a page that changes fast"):
    _, rows, _, archive = capture("alone", site({"f1": field, "s": lambda turn: "<ul></ul>"}))
    tap.equal((rows["n/f1"]["verdict"], rows["n/s"]["verdict"]), ("changed", "sharp"))
    verify(archive)

with tap.case("a value that comes again is not learned"):
    _, rows, _, archive = capture("again", site({
        f"f{i}": lambda turn: f"<form><input type=hidden name=zq7 value='{token(turn % 2)}'></form>"
        for i in range(6)}))
    assert "normalised" not in {row["evidence"] for row in rows.values()}, rows
    verify(archive)

CONTENT = {
    "a price in a field": lambda turn: f"<input type=hidden name=zq7 value='{turn}.00 EUR'>",
    "a stock figure in JSON":
        lambda turn: f"<script type='application/json'>{{\"left\":{turn}}}</script>",
    "a link": lambda turn: f"<a href='http://ads.example/{token(turn)}'>x</a>",
    "the target of a form": lambda turn: f"<form action='/go/{token(turn)}'></form>",
    "visible text": lambda turn: f"<p>Rate of the hour {token(turn)}</p>",
}

for label, part in CONTENT.items():
    with tap.case(f"{label} is not learned"):
        report, rows, _, archive = capture(f"content-{label}", site({f"p{i}": part
                                                                     for i in range(6)}))
        tap.equal({row["verdict"] for path, row in rows.items() if path.startswith("n/")},
                  {"changed"})
        tap.equal(report["rules"], [])
        verify(archive)

# ---- pages that change faster than they can be looked at ----


def fast(turn):
    """Fifteen versions a second: words, a picture and data, all of them new each time."""
    version = int(time.monotonic() * 15)
    return (f"<img src='/i/{token(version)}.gif'><p data-v='{token(version)}'>"
            f"Score {version}</p>")


with tap.case("a page that changes all the time is never sharp by rules"):
    report, rows, _, archive = capture("fast", site({f"p{i}": fast for i in range(6)}), "--delay",
                                       "100ms")
    tap.equal({row["evidence"] for path, row in rows.items() if path.startswith("n/")}, {None})
    tap.equal(report["rules"], [])
    verify(archive)


def fast_data(rate, shown):
    """So many versions a second, in data that nobody sees."""
    return lambda turn: f"<p data-v='{shown(int(time.monotonic() * rate))}'>Score</p>"


def count(version):
    return 15000 + next(COUNT)


# What would take it for noise: values that are new in most looks, and look random.
for rate, shown in itertools.product((15, 50), (token, count)):
    with tap.case(f"{rate} versions a second, in data alone: {shown.__name__}"):
        report, rows, _, archive = capture(f"data-{shown.__name__}-{rate}", site(
            {f"p{i}": fast_data(rate, shown) for i in range(60)}))
        tap.equal(report["sharp_normalised"], 0)
        verify(archive)

# ---- what the archive says, and what is there ----


def lie(name, change):
    """A copy of the archive whose record of learned rules is changed, with digests that match."""
    lying, blocks = tap.path(name), []

    def note(block):
        blocks.append(block)
        return change(block)

    living.rewrite(learned, lying, lambda record: record.type == "metadata" and
                   record.block.startswith(b"learnedRules"), note)
    tap.equal(len(blocks), 1)
    return tap.run("verify", lying, "--warc-only")


def forge(block):
    """Says of the page with a price what is true of another."""
    line = next(line for line in block.split(b"\r\n") if line.endswith(b"/n/f1"))
    return block + line.replace(b"/n/f1", b"/n/price") + b"\r\n"


for label, change, want in (
        ("nothing", lambda block: block, None),
        ("a rule more", lambda block: block.replace(
            b"\r\nrule: ", b"\r\nrule: 3 http://h/ html>body>p@data-price\r\nrule: ", 1),
         "a learned rule does not follow from the probes: http://h/ at html>body>p@data-price"),
        ("a page more", forge, "/n/price: it is said to be the same but for noise"),
        ("a line of rubbish", lambda block: block + b"same: x\r\n",
         "a learned rule cannot be read")):
    with tap.case(f"verify: the WARC lies about what was learned: {label}"):
        done = lie("lying", change)
        tap.equal((done.returncode, done.stderr), (1 if want else 0, ""))
        assert want is None or want in done.stdout, done.stdout

with tap.case("verify: the catalog says more than the WARC"):
    lying = tap.doctored(tap.path("lying-catalog"))
    shutil.copytree(learned, lying)
    with contextlib.closing(sqlite3.connect(os.path.join(lying, "catalog.sqlite"))) as database:
        database.execute("UPDATE learned SET rule = replace(rule, '/n/f1', '/n/price')")
        database.commit()
    done = tap.run("verify", lying)
    tap.equal(done.returncode, 1)
    for path, want in (("f1", "catalog says changed, the WARC says sharp"),
                       ("price", "catalog says sharp, the WARC says changed")):
        assert f"/n/{path}: {want}" in done.stdout, done.stdout

# ---- stopped ----

with tap.case("killed among the revisits and resumed: the probes that were made are counted"):
    archive = tap.path("killed")
    parts = {f"f{i}": field for i in range(8)}
    with rawserver.Server(site(parts)) as server:
        process = subprocess.Popen([tap.PROGRAM, "crawl", server.url, "-o", archive, "--delay",
                                    living.SLOW, "--no-sitemaps"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + DEADLINE
        while not any(row[0] for row in living.peek(
                archive, "SELECT count(*) FROM observation WHERE leg = 4")):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        process.kill()
        process.wait(timeout=DEADLINE)
        living.hasten(archive)
        tap.equal(tap.run("resume", archive).returncode, 0)
    report = tap.load("report", archive)
    tap.equal((report["sharp"], report["sharp_normalised"]), (1, 0))  # probes too far apart
    assert 0 < len(probes(archive)) <= 8, probes(archive)
    verify(archive)

# ---- canaries ----


def bulk(changes_at):
    """A site whose pages, "/" too, change when so many were asked for; their number but for "/".

    All are in one directory: whichever of them is a canary, it stands for the others.
    """
    pages = 120
    seen = itertools.count(1)
    links = "".join(f"<a href=/p{i}>x</a>" for i in range(pages))

    def answer(request):
        if not re.match("/(p|$)", request.path):
            return rawserver.NOT_FOUND
        version = 1 + (next(seen) > changes_at)
        return page(f"<ul><li>Issue {version} of {request.path}</li></ul>{links}")
    return pages, answer


with tap.case("a bulk change during the visits: the pages are visited again before the barrier"):
    pages, answer = bulk(100)
    report, _, server, archive = capture("bulk", answer)
    tap.equal((report["sharp"], report["changed"]), (pages + 1, 0))
    made = probes(archive)
    asked = sum(request.path.startswith("/p") for request in server.requests) \
        - sum("/p" in url for _, url in made)
    assert 0 < len(made) <= 0.06 * asked, (made, asked)
    tap.equal({purpose for purpose, _ in made}, {"canary"})
    assert 2 * pages + 99 <= asked <= 3 * pages, asked  # "/" is one of the first hundred
    verify(archive)

def blocks(answer, most):
    """Of every third page the second request is refused, and those after it up to so many."""
    asked = collections.Counter()
    denied = (b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 36\r\n\r\n"
              b"<h1>Access denied: you are a bot</h1>")[:-1]

    def refusing(request):
        asked[request.path] += 1
        is_third = request.path.startswith("/p") and int(request.path[2:]) % 3 == 0
        return denied if is_third and 2 <= asked[request.path] <= most else answer(request)
    return refusing


with tap.case("second visits that are refused leave what the first have shown"):
    for most in (2, 99):
        pages, answer = bulk(100)
        report, rows, server, archive = capture(f"refused-{most}", blocks(answer, most))
        assert {row["verdict"] for row in rows.values()} <= {"sharp", "changed", "unconfirmed"}, \
            report["totals"]
        tap.equal((report["captured"], len(rows)), (pages + 1, pages + 1))
        assert all(row["reason"] for row in rows.values() if row["verdict"] == "unconfirmed")
        verify(archive)

with tap.case("without canaries they have changed"):
    report, _, server, _ = capture("bulk-blind", bulk(100)[1], "--no-probes")
    tap.equal(report["changed"], 100)
    tap.equal(sum(request.path.startswith("/p") for request in server.requests), 240)

with tap.case("a site that does not change has no second visits"):
    report, _, server, archive = capture("calm", bulk(10000)[1])
    tap.equal(report["changed"], 0)
    asked = sum(request.path.startswith("/p") for request in server.requests)
    tap.equal(asked - sum("/p" in url for _, url in probes(archive)), 240)

with tap.case("noise is no bulk change"):
    report, rows, server, archive = capture("noisy", site({f"f{i}": field
                                                             for i in range(110)}))
    tap.equal(report["changed"], 0)
    asked = sum(request.path.startswith("/n/") for request in server.requests)
    tap.equal(asked - sum("/n/" in url for _, url in probes(archive)), 220)
    assert "canary" in {purpose for purpose, _ in probes(archive)}
    verify(archive)

# ---- variants ----


def varied(request):
    """Other words with the cookie that each answer sets."""
    name = request.path.removeprefix("/")
    if name and not re.fullmatch("[ab][0-9]", name):
        return rawserver.NOT_FOUND
    body = "".join(f"<a href=/{group}{i}>x</a>" for group in "ab" for i in range(8))
    if name.startswith("a") and "Cookie" in request.fields:
        body += "<p>Please log in</p>"
    return page(body, "Set-Cookie: id=1; Path=/")


with tap.case("variants by cookie are noted"):
    report, rows, server, archive = capture("varied", varied)
    tap.equal((report["sharp"], report["changed"]), (17, 0))
    fresh = [request.path for request in server.requests if "Cookie" in request.fields]
    flagged = {path for path, row in rows.items() if "variant" in row["flags"]}
    fresh = [path for path in fresh if path not in ("/robots.txt", "/")]
    assert 1 <= len(fresh) <= 8, fresh
    tap.equal(flagged, {path[1:] for path in fresh if path.startswith("/a")})
    tap.equal(report["variants"], len(flagged))
    tap.equal(sorted(purpose for purpose, _ in probes(archive) if purpose != "session"),
              ["variant"] * len(fresh))
    verify(archive)

tap.done()
