#!/usr/bin/env python3
"""stillpoint report: the contract of its JSON, and archives that are none."""

import contextlib
import datetime
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess

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
    shutil.copytree(ARCHIVE, tap.path(name))
    return tap.path(name)


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
    tap.equal(lines[2], "3 of 11 captured pages are sharp (27.3 %), 1 proven absent: 36.4 % proven.")
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

tap.done()
