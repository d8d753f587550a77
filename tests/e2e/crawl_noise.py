#!/usr/bin/env python3
"""Captures of pages with noise: what rules may call sharp, and what they may not."""

import contextlib
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import time

import living
import packed
import rawserver
import tally
import tap

# Of the kinds of noise that rules know, at most this share of the steady pages may be missed.
MISSED_MAX = 0.05
DEADLINE = 120


def capture(name, *options, crawl=()):
    """Of a site of its own: what it got wrong by kind, the report, and the archive."""
    archive, served = tap.path(f"{name}.archive"), tap.path(f"{name}.served")
    with living.Site(name, "--pages", living.scaled(400, 100), "--outdegree", 20, "--served",
                     served, *options) as site:
        done = living.crawl(site, archive, "--delay", "2ms", *crawl)
        tap.equal((done.returncode, done.stderr), (0, ""))
    report = tap.load("report", archive)
    counts = tally.Tally(site, served, archive, report)
    for line in counts.table():
        print("#", line)
    check_totals(report)
    tap.equal(counts.total("false"), counts.total("undone"))
    return counts, report, archive


def check_totals(report):
    """What is said of the capture agrees with what is said of its pages."""
    rows = report["verdicts"]
    for word in ("bytes", "normalised"):
        tap.equal(report[f"sharp_{word}"], sum(row["evidence"] == word for row in rows))
    tap.equal(report["sharp"], report["sharp_bytes"] + report["sharp_normalised"])
    used = {}
    for row in rows:
        assert (row["evidence"] in (None, "asserted")) == (row["verdict"] != "sharp"), row
        assert row["evidence"] != "bytes" or row["rules"] == [], row
        assert row["evidence"] != "normalised" or row["rules"], row
        assert row["changed_in"] == [] or row["verdict"] == "changed", row
        for rule in row["rules"] if row["evidence"] == "normalised" else []:
            pages, count = used.get(rule["name"], (0, 0))
            used[rule["name"]] = pages + 1, count + rule["count"]
    tap.equal({rule["name"]: (rule["pages"], rule["count"]) for rule in report["rules"]}, used)
    tap.equal({rule["version"] for rule in report["rules"]}, {2} if used else set())


def verify(archive):
    """From the catalog and from the WARC files alone."""
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, *options)
        tap.equal((done.returncode, done.stderr), (0, ""))
        print("#", done.stdout.splitlines()[-1])


# What no built-in rule explains: the words of an advertisement, short names that nothing shows to be
# made by a program, and numbers in code.
VISIBLE = "ad", "ids", "perf"


def known(counts, name):
    """Sum over the kinds of noise that rules know."""
    return sum(row[name] for (group, kind), row in counts.rows.items()
               if group == "noise" and not kind.startswith("x-") and kind not in VISIBLE)


def check_missed(counts):
    """Of the kinds that rules know."""
    print(f"# missed of known kinds: {known(counts, 'missed')} of {known(counts, 'steady')}")
    assert known(counts, "missed") <= MISSED_MAX * known(counts, "steady"), counts.rows


with tap.case("noise of every kind: steady pages are sharp"):
    counts, report, archive = capture("noise", "--noise", "all", "--noise-per-page", 1,
                                      "--rates", "constant:0.01")
    tap.equal(counts.total("false"), 0)
    check_missed(counts)
    changed = [row for row in report["verdicts"] if row["verdict"] == "changed"]
    assert changed and all(row["changed_in"] or row["url"] for row in changed), changed
    assert report["sharp_normalised"] > report["captured"] / 2, report["sharp_normalised"]
    verify(archive)

with tap.case("noise and small changes of every kind: no false claim"):
    both = capture("both", "--noise", "all", "--noise-per-page", 1, "--changes", "all",
                   "--rates", "constant:0.3")
    tap.equal(both[0].total("false"), 0)
    assert both[0].total("changed") > 10, "nothing has changed"
    check_missed(both[0])
    verify(both[2])

with tap.case("the text tells what the claim rests on"):
    text = tap.succeed("report", archive)
    line = (f"Sharp byte for byte: {report['sharp_bytes']}; after rules against noise (version 2): "
            f"{report['sharp_normalised']}.")
    assert line in text, text
    for rule in report["rules"]:
        assert re.search(rf"^{rule['name']} +{rule['pages']} +{rule['count']}$", text, re.M), text
    row = next(row for row in report["verdicts"] if row["evidence"] == "normalised")
    text = tap.succeed("report", archive, "--why", row["url"])
    for rule in row["rules"]:
        assert f"{rule['name']} ({rule['count']} times): " in text, text
    assert "sharp, the same after the rules above\n" in text, text

with tap.case("--bytes-only: rules are not applied"):
    counts, plain, archive_plain = capture("plain", "--noise", "csrf", "--rates", "constant:0",
                                           crawl=["--bytes-only"])
    tap.equal((plain["sharp_normalised"], plain["rules"]), (0, []))
    tap.equal({row["evidence"] for row in plain["verdicts"]} - {"bytes"}, {None})
    with contextlib.closing(sqlite3.connect(os.path.join(archive_plain, "catalog.sqlite"))) as db:
        packed.unpack(db)
        tap.equal(db.execute("SELECT count(*) FROM observation WHERE rule_set != 0 OR"
                             " normal IS NOT NULL OR rules IS NOT NULL").fetchone(), (0,))
        assert "bytes_only true\n" in db.execute("SELECT settings FROM capture").fetchone()[0]
    verify(archive_plain)

# ---- stopped between visits and revisits ----


def stop_and_resume(name, *options):
    """A capture whose visits are of one process, and most revisits of another."""
    archive = tap.path(name)
    with living.Site(name, "--pages", 8, "--noise", "csrf", "--rates", "constant:0") as site:
        process = subprocess.Popen([tap.PROGRAM, "crawl", site.url, "-o", archive, "--delay",
                                    living.SLOW, *options],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        revisits = "SELECT count(*) FROM observation WHERE leg = 1"
        end = time.monotonic() + DEADLINE
        while not any(row[0] for row in living.peek(archive, revisits)):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        process.kill()
        process.wait(timeout=DEADLINE)
        living.hasten(archive)
        done = tap.run("resume", archive)
        tap.equal(done.returncode, 0)
    verify(archive)
    return tap.load("report", archive)


with tap.case("resume compares with the visits of the process before"):
    resumed = stop_and_resume("resumed")
    tap.equal((resumed["sharp"], resumed["sharp_normalised"]), (8, 8))

with tap.case("resume keeps --bytes-only"):
    resumed = stop_and_resume("resumed-plain", "--bytes-only")
    tap.equal((resumed["sharp"], resumed["totals"]["changed"]), (0, 8))

# ---- what the catalog and the WARC say, and what is there ----

PAGE = f"page = (SELECT id & 0xffffffff FROM page WHERE url = '{row['url']}')"
OTHER = "the catalog has another comparison with an earlier look than the WARC"
LIES = [
    ("a class", f"UPDATE observation SET normal = zeroblob(32) WHERE {PAGE} AND leg = 1",
     "catalog says changed, the WARC says sharp"),
    ("both classes", f"UPDATE observation SET normal = zeroblob(32) WHERE {PAGE}", OTHER),
    ("the version of the rules", f"UPDATE observation SET rule_set = 1 WHERE {PAGE}", OTHER),
    ("masked text", f"UPDATE observation SET masked = masked + 1 WHERE {PAGE}", OTHER),
    ("rules", f"UPDATE observation SET rules = 'nonce=1' WHERE {PAGE}", OTHER),
    ("close-delimited", f"UPDATE observation SET close_delimited = 1 WHERE {PAGE}", OTHER),
    ("evidence", "UPDATE verdict SET evidence = 'bytes' WHERE id & 0xffffffff ="
     f" (SELECT id & 0xffffffff FROM page WHERE url = '{row['url']}')",
     "stored evidence is bytes, the WARC says normalised"),
]


def lie(sql):
    lying = tap.doctored(tap.path("lying"))
    shutil.rmtree(lying, ignore_errors=True)
    shutil.copytree(archive, lying)
    with contextlib.closing(sqlite3.connect(os.path.join(lying, "catalog.sqlite"))) as database:
        packed.unpack(database)
        assert database.execute(sql).rowcount > 0, sql
        database.commit()
    return lying


for label, sql, want in LIES:
    with tap.case(f"the catalog lies about {label}"):
        done = tap.run("verify", lie(sql))
        tap.equal((done.returncode, done.stderr), (1, ""))
        assert f"{row['url']}: {want}" in done.stdout, done.stdout

# Compact looks as records.
WRITTEN = tap.path("written")
os.makedirs(os.path.join(WRITTEN, "warc"))
tap.succeed("export", archive, "--warc", os.path.join(WRITTEN, "warc", "a.warc.gz"))


def rewrite(old, new):
    """A copy of the WARC files in which the attempts at the page say something else."""
    lying = tap.doctored(tap.path("rewritten"))
    count = living.rewrite(WRITTEN, lying,
                           lambda record: record.type == "metadata" and
                           record.fields["WARC-Target-URI"] == row["url"],
                           lambda block: re.sub(old, new, block))
    assert count or re.fullmatch(old, new), f"nothing says {old}"
    return lying


with tap.case("the WARC files, written anew, say the same"):
    tap.equal(tap.run("verify", rewrite(rb"ruleSet: 2", rb"ruleSet: 2"), "--warc-only").returncode,
              0)

for label, old, new, want in (
        ("a class", rb"(normalised: sha256:)........", rb"\g<1>00000000",
         "the look that it was compared with is of another class"),
        ("no version of the rules", rb"ruleSet: 2\r\n", b"",
         "its attempt says what a comparison found, but not by which rules"),
        ("masked text", rb"ruleSet: 2\r\n", b"ruleSet: 2\r\nmaskedMillionths: 3\r\n",
         "its attempt says that other rules explain what differs"),
        ("rules", rb"rules: [^\r]*", rb"rules: nonce=1",
         "its attempt says that other rules explain what differs"),
        ("what it was compared with", rb"compared: <urn:uuid:....", rb"compared: <urn:uuid:0000",
         "the look that it was compared with is not there"),
        ("close-delimited", rb"ruleSet: 2\r\n", b"closeDelimited: true\r\nruleSet: 2\r\n",
         "its attempt says that the body is close-delimited, the response that it is not")):
    with tap.case(f"the WARC lies about {label}"):
        result = json.loads(tap.run("verify", rewrite(old, new), "--warc-only", "--json").stdout)
        tap.equal(result["ok"], False)
        tap.equal({problem["url"] for problem in result["problems"]}, {row["url"]})
        assert all(want in problem["problem"] for problem in result["problems"]), result
        tap.equal(result["sharp"], report["sharp"] - 1)

# ---- pages by hand ----

COUNT = itertools.count()
FORM = "<form action=/send><input type=hidden name=csrf_token value={:032x}></form>"
TEXT = "<p>What there is to read on this page stays as it is, word for word.</p>"
LINKS = "".join(f"<a href=/{name}>{name}</a>" for name in
                ("noise", "closed", "moved", "typed", "untyped", "empty", "mostly", "price"))


def answer(request):
    """Every response has noise; what else varies is said by the path."""
    turn = next(COUNT)
    noise = FORM.format(turn * 0x9e3779b97f4a7c15 % 2**127)
    head, body = "Content-Type: text/html; charset=utf-8\r\n", TEXT + noise
    if request.path in ("/robots.txt", "/sitemap.xml"):
        return rawserver.NOT_FOUND
    if request.path == "/":
        body += LINKS
    if request.path == "/closed":
        request.send(f"HTTP/1.1 200 OK\r\n{head}Connection: close\r\n\r\n{body}".encode())
        return None
    if request.path == "/typed":
        head = f"Content-Type: text/html; charset={('utf-8', 'windows-1252')[turn % 2]}\r\n"
    if request.path == "/untyped":
        head = ""
    if request.path == "/empty":
        body = noise
    if request.path == "/mostly":
        body = f"<p>Home</p><p>Page generated in 0.{turn:04} seconds</p>{noise}"
    if request.path == "/price":
        body += f"<p>Price: {turn + 100}.00</p>"
    status = "200 OK"
    if request.path == "/moved":
        status, head = "302 Found", head + f"Location: /noise?{turn}\r\n"
    return (f"HTTP/1.1 {status}\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}").encode()


WANTED = {  # verdict, evidence, flags
    "": ("sharp", "normalised", []),
    "noise": ("sharp", "normalised", []),
    "closed": ("changed", None, ["close-delimited"]),
    "moved": ("changed", None, []),
    "untyped": ("changed", None, []),
    "empty": ("sharp", "normalised", []),
    "mostly": ("sharp", "normalised", []),
    "price": ("changed", None, []),
}

with tap.case("what the rules may not decide"):
    hand = tap.path("hand")
    with rawserver.Server(answer) as server:
        done = tap.run("crawl", server.url, "-o", hand, "--delay", "1ms", "--no-sitemaps")
        tap.equal((done.returncode, done.stderr), (0, ""))
    rows = {row["url"].removeprefix(server.url): row
            for row in tap.load("report", hand)["verdicts"]}
    for path, want in WANTED.items():
        got = rows[path]
        tap.equal((path, got["verdict"], got["evidence"], got["flags"]), (path, *want))
    tap.equal(rows["noise"]["rules"], [{"name": "token", "count": 1}])
    assert rows["mostly"]["masked_visible"] > 0.05, rows["mostly"]
    tap.equal(rows["price"]["changed_in"], ["text"])
    for url, word in (("closed", "close-delimited: only the end of the connection"),
                      ("price", "changed in   text")):
        assert word in tap.succeed("report", hand, "--why", server.url + url), url
    verify(hand)

tap.done()
