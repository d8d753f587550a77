#!/usr/bin/env python3
"""stillpoint verify: damage, lies and losses are noticed, named, and told by the exit status."""

import json
import os
import random
import shutil
import sqlite3
import subprocess

import tap

ARCHIVE = tap.path("archive")
os.mkdir(ARCHIVE)
subprocess.run([os.environ["ARCHIVE_SAMPLE"], ARCHIVE], check=True)
WARC = os.path.join("warc", os.listdir(os.path.join(ARCHIVE, "warc"))[0])

LIES = [
    # label, what is done to the catalog, what is said of it
    ("a verdict", "UPDATE verdict SET verdict = 'sharp' WHERE id % 4294967296 = 3",
     "http://example.org/a/news: stored verdict is sharp, the WARC says changed"),
    ("a state", "UPDATE observation SET state = zeroblob(32) WHERE page = 0 AND leg = 1",
     "http://example.org/: catalog says changed, the WARC says sharp"),
    ("a status", "UPDATE observation SET status = 201 WHERE page = 2 AND leg = 0",
     "http://example.org/a/moved: catalog says changed, the WARC says sharp"),
    ("a time", "UPDATE observation SET last_byte = last_byte - 1 WHERE page = 1 AND leg = 0",
     "http://example.org/a/: the catalog has another time or status of its visit"),
    ("a payload digest", "UPDATE observation SET payload = zeroblob(32) WHERE page = 1",
     "http://example.org/a/: the catalog has another payload digest than the WARC"),
    ("a place", "UPDATE observation SET place = place + 1 WHERE page = 0 AND leg = 0",
     "http://example.org/: its record is not where the catalog says"),
    ("a lost attempt", "DELETE FROM observation WHERE page = 8 AND leg = 0 AND attempt = 1",
     "http://example.org/b/busy: the WARC has an attempt that the catalog has not"),
    ("another URL", "UPDATE page SET url = 'http://example.org/z' WHERE id % 4294967296 = 1",
     "http://example.org/a/: the WARC has a page that the catalog has not"),
    ("a still point", "UPDATE capture SET still_to = still_to + 1",
     "capture 1: the still point that is stored is not that of the WARC"),
    ("a capture", "UPDATE capture SET uuid = 'urn:uuid:x'",
     "the WARC has a capture that the catalog has not"),
    ("a size", "UPDATE warc SET size = size + 1", "the file ends before its"),
]


def copy(name):
    target = tap.path(name)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ARCHIVE, target)
    return target


def change(archive, sql):
    with sqlite3.connect(os.path.join(archive, "catalog.sqlite")) as database:
        database.execute(sql)
    database.close()


def find_problem(archive, want):
    result = tap.run("verify", archive)
    tap.equal((result.returncode, result.stderr), (1, ""))
    assert want in result.stdout, f"{result.stdout!r} does not say {want!r}"


with tap.case("a sound archive"):
    text = tap.succeed("verify", ARCHIVE)
    tap.equal(text.splitlines()[-1], "verified: 83 records, 16 pages, 3 sharp")
    result = tap.load("verify", ARCHIVE)
    tap.equal((result["ok"], result["records"], result["pages"], result["sharp"]), (True, 83, 16, 3))
    tap.equal((result["problems"], result["notes"]), ([], []))

with tap.case("verify and report agree"):
    report = tap.load("report", ARCHIVE)
    tap.equal(result["captures"][0]["stillpoint"], report["stillpoint"])
    tap.equal(result["sharp"], report["sharp"])

with tap.case("a flipped byte names the page"):
    damaged = copy("flipped")
    with sqlite3.connect(os.path.join(ARCHIVE, "catalog.sqlite")) as database:
        rows = database.execute("SELECT page.url, place, length FROM observation JOIN page"
                                " ON page.id = capture << 32 | page WHERE place > 0").fetchall()
    database.close()
    assert len(rows) > 20, rows
    content = open(os.path.join(ARCHIVE, WARC), "rb").read()
    generator = random.Random(1)
    for url, place, length in rows:
        at = generator.randrange(place, place + length)
        with open(os.path.join(damaged, WARC), "wb") as file:
            file.write(content[:at] + bytes([content[at] ^ 1 << generator.randrange(8)]))
            file.write(content[at + 1:])
        result = tap.run("verify", damaged, "--json")
        tap.equal(result.returncode, 1)
        problems = json.loads(result.stdout)["problems"]
        assert url in {problem["url"] for problem in problems}, (at, url, problems)

for label, sql, want in LIES:
    with tap.case(f"the catalog lies about {label}"):
        lying = copy("lying")
        change(lying, sql)
        find_problem(lying, want)

with tap.case("no catalog"):
    bare = copy("bare")
    os.remove(os.path.join(bare, "catalog.sqlite"))
    tap.refuse(1, "has no catalog.sqlite", "verify", bare)
    text = tap.succeed("verify", bare, "--warc-only")
    tap.equal(text.splitlines()[-1], "verified: 83 records, 16 pages, 3 sharp")

with tap.case("no WARC file"):
    os.remove(os.path.join(bare, WARC))
    result = tap.run("verify", bare, "--warc-only")
    tap.equal((result.returncode, result.stdout.splitlines()),
              (1, [f"{bare}/warc: there is no WARC file",
                   "not verified: 1 problem; 0 records, 0 pages, 0 sharp"]))
    shutil.copy(os.path.join(ARCHIVE, "catalog.sqlite"), bare)
    find_problem(bare, f"{WARC}: the file is missing")

with tap.case("what is not an archive"):
    os.mkdir(tap.path("empty"))
    tap.refuse(1, "No such file", "verify", tap.path("nowhere"))
    tap.refuse(1, "an archive is a directory", "verify", tap.write("file", "x"))
    tap.refuse(1, "has no directory warc", "verify", tap.path("empty"))
    tap.refuse(2, "argument is missing", "verify")

with tap.case("a damaged catalog"):
    noise = copy("noise")
    tap.write("noise/catalog.sqlite", os.urandom(8192))
    result = tap.run("verify", noise)
    assert result.returncode in (1, 2) and result.stderr.count("\n") == 1, result

tap.done()
