#!/usr/bin/env python3
"""stillpoint report: the contract of its JSON, and archives that are none."""

import contextlib
import datetime
import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess

import rawserver
import tap

ARCHIVE = tap.path("archive")
os.mkdir(ARCHIVE)
subprocess.run([os.environ["ARCHIVE_SAMPLE"], ARCHIVE], check=True)

KEYS = ["capture", "site", "strategy", "started", "finished", "stillpoint", "pages", "captured",
        "sharp", "changed", "ended_by", "failed", "expected_sharp", "blur", "verdicts"]
PAGE_KEYS = ["url", "kind", "status", "visit_start", "visit_end", "revisit_start", "revisit_end",
             "verdict", "evidence", "rate", "weight", "hopeless"]
VERDICTS = ["sharp", "absent", "changed", "appeared", "gone", "unconfirmed", "failed", "excluded",
            "blocked", "single", "unvisited", "shell"]
NOT_CAPTURED = ["failed", "excluded", "blocked", "unvisited"]
TIMES = ["visit_start", "visit_end", "revisit_start", "revisit_end"]


def time(text):
    assert len(text) == 24 and text.endswith("Z"), text
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")


def copy(name):
    return tap.doctored(shutil.copytree(ARCHIVE, tap.path(name)))


def change(archive, sql):
    with sqlite3.connect(os.path.join(archive, "catalog.sqlite")) as database:
        database.execute(sql)
    database.close()


with tap.case("JSON has the keys of the contract"):
    report = tap.load("report", ARCHIVE)
    assert set(KEYS) <= set(report), report.keys()
    for row in report["verdicts"]:
        assert set(PAGE_KEYS) <= set(row), row
    tap.equal(report["capture"], 1)
    tap.equal(report["site"], "http://example.org/")

with tap.case("totals cover all known pages"):
    tap.equal(report["pages"], len(report["verdicts"]))
    tap.equal(sum(report["totals"].values()), report["pages"])
    tap.equal(list(report["totals"]), VERDICTS)
    for verdict in VERDICTS:
        rows = [row for row in report["verdicts"] if row["verdict"] == verdict]
        tap.equal(len(rows), report["totals"][verdict])
    for key in ("sharp", "changed", "failed"):
        tap.equal(report[key], report["totals"][key])
    left = sum(report["totals"][verdict] for verdict in NOT_CAPTURED)
    tap.equal(report["captured"], report["pages"] - left)

with tap.case("each sharp interval contains the printed still point"):
    start, end = (time(report["stillpoint"][key]) for key in ("from", "to"))
    assert start <= end
    for row in report["verdicts"]:
        if row["verdict"] in ("sharp", "absent"):
            assert time(row["visit_end"]) <= start and end <= time(row["revisit_start"]), row

with tap.case("times are null where there was none"):
    for row in report["verdicts"]:
        for key in TIMES:
            assert row[key] is None or time(row[key]), row
        if row["verdict"] == "excluded":
            tap.equal([row[key] for key in TIMES], [None] * 4)

with tap.case("evidence only where something is sharp, reasons where something is wrong"):
    for row in report["verdicts"]:
        tap.equal(row["evidence"], "bytes" if row["verdict"] == "sharp" else None)
        wrong = row["verdict"] in ("unconfirmed", *NOT_CAPTURED)
        tap.equal(row["reason"] is not None, wrong)

with tap.case("text fits a terminal"):
    lines = tap.succeed("report", ARCHIVE).splitlines()
    assert max(map(len, lines)) <= 100, max(lines, key=len)
    tap.equal(lines[0], "Capture 1 of http://example.org/: finished")

with tap.case("percentages are of the captured pages; links out of the scope are a line apart"):
    tap.equal(lines[2], "4 of 11 captured pages are proven (36.4 %): 3 sharp, 1 absent.")
    assert "captured            11" in lines and "excluded             1" in "".join(lines), lines
    assert "Links outside the scope, not captured: 1" in lines, lines
    assert not any("elsewhere.example" in line for line in lines), lines
    table = tap.succeed("report", ARCHIVE, "--captures").splitlines()
    tap.equal(table[0].split(), ["capture", "site", "captured", "sharp", "changed", "failed",
                                 "ended"])
    tap.equal(table[1].split(), ["1", "http://example.org/", "11", "3", "2", "4", "finished"])
    tap.equal(table[2], "1 capture: 11 pages captured, 3 sharp, 2 changed, 4 failed, 1 unvisited")
    tap.equal(tap.load("report", ARCHIVE, "--captures")["captures"][0]["captured"], 11)

with tap.case("the limit that ended a capture is named everywhere"):
    for number, word, text in ((1, "time", "time limit"), (2, "bytes", "byte limit"),
                               (0, None, "a limit")):
        cut = copy(f"cut-{number}")
        change(cut, f"UPDATE capture SET state = 2, ended_by = {number}")
        said = tap.load("report", cut)
        tap.equal((said["state"], said["ended_by"]), ("cut", word))
        tap.equal([row["reason"] for row in said["verdicts"] if row["verdict"] == "unvisited"],
                  [text])
        shown = tap.succeed("report", cut)
        head = text if text.startswith("a ") else "its " + text
        tap.equal(shown.splitlines()[0], f"Capture 1 of http://example.org/: ended by {head}")
        assert f"unvisited because of\n        1  {text}\n" in shown, shown
        table = tap.succeed("report", cut, "--captures").splitlines()
        assert table[1].endswith("  " + text) and "; 1 ended by a limit" in table[2], table

with tap.case("hopeless is not shown where all rates are the same"):
    same = copy("same-rates")
    change(same, "UPDATE page SET rate = 0.5")
    news = "http://example.org/a/news"
    assert "not prioritised" in tap.succeed("report", ARCHIVE)
    assert "not prioritised" in tap.succeed("report", ARCHIVE, "--why", news)
    for text in (tap.succeed("report", same), tap.succeed("report", same, "--why", news)):
        assert "prioritised" not in text and "hopeless" not in text, text
    tap.equal([row["hopeless"] for row in tap.load("report", same)["verdicts"]
               if row["url"] == news], [True])

with tap.case("--capture"):
    tap.equal(tap.load("report", ARCHIVE, "--capture", 1), report)
    tap.refuse(1, "capture 2", "report", ARCHIVE, "--capture", 2)
    tap.refuse(2, "--capture", "report", ARCHIVE, "--capture", 0)

with tap.case("--why --json says of a page what the report does, and how it was found"):
    for row in report["verdicts"]:
        why = tap.load("report", ARCHIVE, "--why", row["url"])
        tap.equal({key: why[key] for key in row}, row)
        tap.equal(why["stillpoint"], report["stillpoint"])
        tap.equal((why["way"][0]["found"], why["way"][-1]["url"]), ("seed", row["url"]))
        tap.equal(why["taken"], row["left_out"] is None)
        tries = [a for a in why["attempts"] if a["leg"] == "visit" and a["status"]]
        tap.equal(tries[-1]["start"] if tries else None, row["visit_start"] if tries else None)
        for attempt in why["attempts"]:
            tap.equal(attempt["record"] is None, attempt["payload"] is None)
    tap.refuse(1, "found no link to it", "report", ARCHIVE, "--why", "http://example.org/x", "-j")

with tap.case("--why"):
    text = tap.succeed("report", ARCHIVE, "--why", "http://example.org/late")
    assert "http://example.org/b/new: link" in text and "http://example.org/: seed" in text, text
    text = tap.succeed("report", ARCHIVE, "--why", "HTTP://EXAMPLE.org:80/a/../private/#x")
    assert "robots.txt: Disallow: /private/" in text, text
    tap.refuse(1, "found no link to it", "report", ARCHIVE, "--why", "http://example.org/x")

for short in "/late", "example.org/late", "//example.org/late":
    with tap.case(f"--why {short} proposes the URL"):
        tap.refuse(1, f"'{short}' is not a URL; did you mean http://example.org/late ?", "report",
                   ARCHIVE, "--why", short)

with tap.case("--why of a path that is not known"):
    tap.refuse(1, "'/none' is not a URL, and capture 1 does not know http://example.org/none",
               "report", ARCHIVE, "--why", "/none")
    tap.refuse(1, "capture 1 does not know http://example.net/none", "report", ARCHIVE, "--why",
               "example.net/none")
    tap.refuse(1, "found no link to it", "report", ARCHIVE, "--why", "no URL")

with tap.case("--why of a page that was taken in by a later one, and of a way in a circle"):
    numbers = {row["url"]: i for i, row in enumerate(report["verdicts"])}
    busy, late = (numbers[f"http://example.org/{name}"] for name in ("b/busy", "late"))
    assert busy < late
    archive = copy("found-later")
    change(archive, f"UPDATE page SET via = {late} WHERE id = {(1 << 32) + busy}")
    text = tap.succeed("report", archive, "--why", "http://example.org/b/busy")
    tap.equal([line.split()[1] for line in text.splitlines() if line.startswith("  on ")],
              ["http://example.org/late:", "http://example.org/b/new:", "http://example.org/:"])
    change(archive, f"UPDATE page SET via = {busy} WHERE id = {(1 << 32) + late}")
    text = tap.succeed("report", archive, "--why", "http://example.org/b/busy")
    tap.equal(text.count("  on "), 1)

with tap.case("what is not an archive"):
    os.mkdir(tap.path("empty"))
    tap.refuse(1, "No such file", "report", tap.path("nowhere"))
    tap.refuse(1, "an archive is a directory", "report", tap.write("file", "x"))
    tap.refuse(1, "has no catalog.sqlite", "report", tap.path("empty"))
    tap.refuse(2, "argument is missing", "report")

with tap.case("a catalog that is damaged, empty, or of another version"):
    for name, content in (("noise", os.urandom(8192)), ("short", b"SQLite format 3\0")):
        os.mkdir(tap.path(name))
        tap.write(f"{name}/catalog.sqlite", content)
        result = tap.run("report", tap.path(name))
        assert result.returncode in (1, 2) and result.stderr.count("\n") == 1, result
    newer = copy("newer")
    change(newer, "PRAGMA user_version = 99")
    tap.refuse(2, "use a newer stillpoint", "report", newer)

with tap.case("a page that the catalog does not number"):
    torn = copy("torn")
    change(torn, "DELETE FROM page WHERE url = 'http://example.org/a/'")
    result = tap.run("report", torn)
    assert result.returncode in (1, 2) and "damaged" in result.stderr, result

def documents(*names):
    text = ""
    for name in names:
        with open(os.path.join(os.environ["SRCDIR"], "docs", name), encoding="utf-8") as file:
            text += file.read()
    return text


with tap.case("every key of the JSON is in the documents"):
    text = documents("quality.md", "man/stillpoint-report.1")
    report = tap.load("report", ARCHIVE)
    keys = {*report, *report["verdicts"][0], *report["left_out"], *report["totals"], *report["traps"]}
    missing = {key for key in keys if f"`{key}`" not in text and f'"{key}"' not in text}
    tap.equal(missing, set())
    with contextlib.closing(sqlite3.connect(os.path.join(ARCHIVE, "catalog.sqlite"))) as database:
        version, = database.execute("PRAGMA user_version").fetchone()
    assert f"version of the schema, now {version}." in documents("archive.md"), version

with tap.case("queries in the documents run"):
    count = 0
    for path in glob.glob(os.path.join(os.environ["SRCDIR"], "docs", "*.md")):
        with open(path, encoding="utf-8") as file:
            queries = re.findall(r'^    sqlite3 catalog.sqlite "([^"]+)"$', file.read(), re.M)
        with contextlib.closing(sqlite3.connect(os.path.join(ARCHIVE, "catalog.sqlite"))) as database:
            for query in queries:
                assert database.execute(query).fetchall(), query
                count += 1
    assert count >= 2, count

with tap.case("a first capture says nothing of change rates that nobody knew"):
    turn = itertools.count()
    first = tap.path("first")
    with rawserver.Server(lambda request: rawserver.page(
            f"<title>x</title><a href=/now>a</a>{'' if request.path == '/' else next(turn)}".encode())) as server:
        for number in (1, 2):
            tap.succeed("crawl", server.url, "-o", first, "--delay", "0", "--no-sitemaps")
            report = tap.load("report", first)
            verdicts = {row["url"][len(server.url):]: row["verdict"] for row in report["verdicts"]}
            tap.equal((verdicts[""], verdicts["now"]), ("sharp", "changed"))
            tap.equal((report["blur"] is None, report["expected_range"]["unknown"] > 0), (number == 1,) * 2)
            text = tap.succeed("report", first, "--why", server.url + "now")
            tap.equal("nothing was known at first, weight" in text, number == 1)
            assert number == 2 or "once a month" not in text + tap.succeed("report", first), text
            tap.succeed("report", first, "--html", tap.path("first.html"))
            with open(tap.path("first.html"), encoding="utf-8") as file:
                tap.equal("once a month" in file.read(), False)
    compared = tap.load("report", first, "--compare", 1, 2)
    tap.equal(compared["first"]["blur"], None)
    assert compared["second"]["blur"] > 0, compared["second"]
    text = tap.succeed("report", first, "--compare", 1, 2)
    assert re.search(r"unchanged from visit to revisit +0 to 2 expected +\d+\.\d expected\n", text), text
    assert re.search(r"blur +- +\d", text) and re.search(r"rate assumed +nothing +about", text), text

with tap.case("who, with what, by which clock and in which files; a catalog made anew knows it as well"):
    named = tap.path("named")
    who = "Jane <Doe>, \x1b[31mExample\x1b[m Archive"
    with rawserver.Server(lambda request: rawserver.page(
            b"<title>x</title><a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>")) as server:
        tap.succeed("crawl", server.url, "-o", named, "--delay", "0", "--no-sitemaps", "--max-pages", "2",
                    "--operator", who)
        tap.refuse(2, "--operator", "crawl", server.url, "-o", tap.path("none"), "--operator", "two\nlines")
    for again in (False, True):
        if again:
            os.remove(os.path.join(named, "catalog.sqlite"))
            tap.succeed("rebuild", named)
        report = tap.load("report", named)
        tap.equal(report["operator"], {"recorded": who, "contact": None, "said": None})
        tap.equal(report["program"]["captured_with"], "stillpoint/" + report["program"]["version"])
        assert report["program"]["rule_set"] >= 2, report["program"]
        tap.equal([reading["moment"] for reading in report["clock"]], ["start", "stillpoint", "end"])
        names = os.listdir(os.path.join(named, "warc"))
        tap.equal(sorted(one["name"] for one in report["warc_files"]), sorted(names))
        for one in report["warc_files"]:
            with open(os.path.join(named, "warc", one["name"]), "rb") as file:
                content = file.read()
            tap.equal((one["sha256"], one["size"], one["complete"]),
                      (hashlib.sha256(content).hexdigest(), len(content), True))
        text = tap.succeed("report", named)
        assert "Jane <Doe>" in text and "recorded with the capture" in text and "\x1b" not in text, text
        assert report["warc_files"][0]["sha256"] in text and "monotonic" in text, text
        # Known pages that never were captured are named as such.
        tap.equal((report["captured"], report["not_captured"]), (2, len(report["verdicts"]) - 2))
        assert re.search(rf"^not captured +{report['not_captured']}$", text, re.M), text
    said = tap.load("report", named, "--operator", "Somebody else")
    tap.equal((said["operator"]["said"], said["operator"]["recorded"]), ("Somebody else", who))
    text = tap.succeed("report", named, "--operator", "Somebody else")
    assert "Somebody else (said for this report; the archive says Jane" in text, text
    tap.succeed("report", named, "--html", tap.path("named.html"))
    with open(tap.path("named.html"), encoding="utf-8") as file:
        page = file.read()
    assert "Jane &lt;Doe&gt;" in page and "Jane <Doe>" not in page
    assert report["warc_files"][0]["sha256"] in page
    assert f"{report['not_captured']} known ones never" in page

tap.done()
