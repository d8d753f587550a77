#!/usr/bin/env python3
"""Catalogs that are made anew from the WARC files: row by row and report by report as they were."""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time

import living
import tap

DEADLINE = 120
KILLS = living.scaled(20, 4)
SITE = ["--seed", 4, "--hosts", 2, "--pages", living.scaled(50, 20), "--requisites", 2,
        "--mean-rate", 0.02, "--errors", 0.08, "--redirects", 0.05, "--noise", "all",
        "--noise-per-page", 2, "--variants", 0.1, "--sitemap", "index", "--robots-disallow",
        "/p/1", "--vanishing", 0.1, "--shells", 0.05]
# Columns that hold the number of a text, which may be another one in a new catalog.
WORDS = {"page": {"kind", "found", "rule"}, "verdict": {"verdict", "evidence"},
         "observation": {"media_type", "warc", "purpose", "stand_in", "caches", "address"}}
TABLES = ["capture", "page", "plan", "observation", "requisite", "links", "unkept", "learned", "robots",
          "clock", "verdict"]


def catalog(archive):
    return os.path.join(archive, "catalog.sqlite")


def rows(archive):
    """All rows of a catalog, without the numbers that a new one may give otherwise."""
    with contextlib.closing(sqlite3.connect(catalog(archive))) as database:
        words = dict(database.execute("SELECT id, text FROM word"))
        tables = {"warc": sorted(database.execute("SELECT name, size, complete, digest FROM warc"))}
        for table in TABLES:
            cursor = database.execute(f"SELECT * FROM {table}")
            names = [column[0] for column in cursor.description]
            tables[table] = [shown(table, dict(zip(names, row)), words) for row in cursor]
        return tables


def shown(table, row, words):
    for name in WORDS.get(table, ()):
        row[name] = words.get(row[name], row[name]) if isinstance(row[name], int) else row[name]
    if row.get("is_compact"):
        row["place"] = None  # the number of its batch
    return row


def reports(archive):
    with contextlib.closing(sqlite3.connect(catalog(archive))) as database:
        captures = [row[0] for row in database.execute("SELECT id FROM capture")]
    return [tap.load("report", archive, "--capture", number) for number in captures]


def evidence(archive):
    """What is said of some pages of each capture, look by look: of compact ones, too."""
    with contextlib.closing(sqlite3.connect(catalog(archive))) as database:
        pages = database.execute("SELECT id >> 32, url FROM page WHERE taken AND id & 0xffffffff < 4"
                                 ).fetchall()
    return [tap.load("report", archive, "--capture", capture, "--why", url)
            for capture, url in pages]


def compare(before, after):
    tap.equal(sorted(before), sorted(after))
    for table, want in before.items():
        tap.equal((table, len(after[table])), (table, len(want)))
        for row, expected in zip(after[table], want):
            tap.equal(row, expected)


def verify(archive):
    done = tap.run("verify", archive)
    assert done.returncode == 0, done.stdout


def unchanged(archive):
    """Rebuilds, and holds all there is against what was."""
    with open(os.path.join(archive, "index.cdxj"), encoding="utf-8") as file:
        index = file.read()
    before, was, looks = rows(archive), reports(archive), evidence(archive)
    done = tap.load("rebuild", archive)
    compare(before, rows(archive))
    tap.equal(reports(archive), was)
    tap.equal(evidence(archive), looks)
    with open(os.path.join(archive, "index.cdxj"), encoding="utf-8") as file:
        tap.equal(file.read(), index)
    verify(archive)
    return done


def crawl(urls, archive, *options):
    done = tap.run("crawl", *urls, "-o", archive, "--delay", "2ms", "--quiet", *options)
    assert done.returncode in (0, 3), done.stderr


def begin(urls, archive, query):
    """A capture of which the catalog says so."""
    process = subprocess.Popen([tap.PROGRAM, "crawl", *urls, "-o", archive, "--delay", "8ms"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + DEADLINE
    while not any(row[0] for row in living.peek(archive, query)):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    return process


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def drop(archive):
    """Loses the catalog."""
    for name in os.listdir(archive):
        if name.startswith("catalog.sqlite"):
            os.unlink(os.path.join(archive, name))


def lose(path):
    os.unlink(path)


def cut(path):
    os.truncate(path, os.path.getsize(path) - 10)  # within a line


def scribble(path):
    with open(path, "a", encoding="utf-8") as file:
        file.write("org,example)/ 20260101000000 {\n")


UNFINISHED = [
    ("at its visits", "SELECT count(*) > 20 FROM observation"),
    ("at its revisits", "SELECT count(*) > 20 FROM observation WHERE leg = 1"),
]


def finish_rebuilt(urls, name, query, keep):
    archive = tap.path(f"{name}.archive")
    kill(begin(urls, archive, query))
    with contextlib.closing(sqlite3.connect(catalog(archive))) as database:
        looked = database.execute("SELECT count(*) FROM observation WHERE leg = 1").fetchone()[0]
    if not keep:
        drop(archive)
    done = tap.load("rebuild", archive)
    assert done["unfinished"] > 0 and done["lost_pages"] == 0, done
    if keep:  # looks that wait for their record are only there
        with contextlib.closing(sqlite3.connect(catalog(archive))) as database:
            again = database.execute("SELECT count(*) FROM observation WHERE leg = 1").fetchone()
            assert again[0] >= looked, (again, looked)
    done = tap.run("resume", archive, "--quiet")
    tap.equal((done.returncode, done.stderr), (0, ""))
    for report in reports(archive):
        tap.equal(report["state"], "finished")
        assert report["sharp"] > 0, report
        tap.equal(report["unvisited"] if "unvisited" in report else 0, 0)
    verify(archive)
    unchanged(archive)


def main():
    archive = tap.path("a.archive")
    with living.Site("rebuild", *SITE) as site:
        urls = [site.url, site.url.replace("site1", "site2")]
        crawl(urls, archive)
        crawl(urls[:1], archive, "--single", "--max-pages", 10)
        crawl(urls[1:], archive, "--evidence", "records", "--warc-prefix", "mine",
              "--max-depth", 1)
        with tap.case("several sites, single visits, a record for each look: all as it was"):
            done = unchanged(archive)
            tap.equal((done["captures"], done["files"] >= 3, done["damaged"]), (4, True, 0))

        with tap.case("a capture adds to the index, and writes one anew that is lost or damaged"):
            copy = shutil.copytree(archive, tap.path("index.archive"))
            for harm in (lose, cut, scribble):
                harm(os.path.join(copy, "index.cdxj"))
                crawl(urls[:1], copy, "--single", "--max-pages", 2)
                unchanged(copy)

        with tap.case("a catalog that is lost, and one that is damaged"):
            was = reports(archive)
            drop(archive)
            tap.load("rebuild", archive)
            tap.equal(reports(archive), was)
            with open(catalog(archive), "r+b") as file:
                file.write(b"\0" * 8192)
            done = tap.run("rebuild", archive)
            assert "the old catalog could not be read" in done.stdout, done.stdout
            tap.equal(reports(archive), was)
            verify(archive)

        with tap.case("a process that is killed leaves a whole catalog"):
            was = reports(archive)
            for i in range(KILLS):
                process = subprocess.Popen([tap.PROGRAM, "rebuild", archive],
                                           stdout=subprocess.DEVNULL)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=0.02 * (i + 1))
                kill(process)
                tap.equal(reports(archive), was)
            tap.load("rebuild", archive)
            assert not [name for name in os.listdir(archive) if ".new" in name]

        with tap.case("damaged WARC files: what can be read is rebuilt, and the rest is told"):
            for seed in range(living.scaled(6, 2)):
                copy, rng = tap.path("damaged.archive"), random.Random(seed)
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(archive, copy)
                path = max(living.warc_files(copy), key=os.path.getsize)
                with open(path, "r+b") as file:
                    for _ in range(10):
                        file.seek(rng.randrange(os.path.getsize(path) - 8))
                        file.write(rng.randbytes(8))
                done = tap.load("rebuild", copy)
                assert done["damaged"] > 0, done
                for report in reports(copy):
                    assert report["pages"] > 0, report

        with tap.case("captures that were imported stay, and files of others stay files of others"):
            other = tap.path("other.archive")
            crawl(urls[:1], other, "--single", "--max-pages", 3)
            done = tap.run("import", other, "-o", archive)
            tap.equal(done.returncode, 0)
            foreign = tap.write("foreign.warc", b"WARC/1.0\r\nWARC-Type: resource\r\n"
                                b"WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: text/plain\r\n"
                                b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>"
                                b"\r\nWARC-Target-URI: http://other.test/\r\n"
                                b"Content-Length: 2\r\n\r\nhi\r\n\r\n")
            shutil.copy(foreign, os.path.join(archive, "warc"))
            tap.succeed("index", archive)
            done = unchanged(archive)
            tap.equal((done["captures"], done["foreign_files"]), (5, 1))
            files = living.warc_files(archive)
            crawl(urls[:1], archive, "--single", "--max-pages", 2)
            assert set(files) < set(living.warc_files(archive)), "imported files were set aside"

        for name, query in UNFINISHED:
            for keep in (False, True):
                label = "with" if keep else "without"
                with tap.case(f"killed {name}, {label} its catalog: rebuilt, resumed, finished"):
                    finish_rebuilt(urls[:1], f"{label}-{name.split()[-1]}", query, keep)

    with tap.case("what cannot be rebuilt"):
        empty = tap.path("empty")
        os.makedirs(os.path.join(empty, "warc"))
        tap.refuse(1, "there is no WARC file of a capture", "rebuild", empty)
        tap.refuse(1, "no-such-archive", "rebuild", tap.path("no-such-archive"))
    tap.done()


main()
