#!/usr/bin/env python3
"""Captures whose N-th change to the disk fails (faults.c): the archive stays valid and resumable.

A capture may fail only with one line and status 1. What its catalog has committed is then whole in
the WARC files, and resume, with nothing failing any more, comes to the pages of an undisturbed one.
"""

import concurrent.futures
import os
import sqlite3
import zlib

import living
import tap

FAULTS = os.environ["FAULTS"]
KINDS = ("enospc", "kill", "eio", "full", "short", "broken")
SITE = ["--seed", 2, "--pages", 12, "--outdegree", 4, "--sitemap", "flat", "--mean-rate", 0.05,
        "--errors", "0.1:404", "--redirects", 0.1]
AT_ONCE = 4
DEADLINE = 120


def run(archive, fault, *arguments):
    """Runs the program with that fault; its status and what it said."""
    environment = dict(os.environ, LD_PRELOAD=FAULTS, FAULTS_DIR=archive,
                       FAULTS_COUNT=archive + ".count", **fault)
    done = tap.run(*arguments, env=environment, timeout=DEADLINE)
    return done.returncode, done.stderr


def crawl(site, archive, **fault):
    # Small files, so that making and completing them can fail as well.
    return run(archive, fault, "crawl", site.url, "-o", archive, "--delay", "10ms",
               "--warc-size", "12k")


def committed(archive):
    """(name, size) of the WARC files that the catalog knows; None without a capture."""
    path = os.path.join(archive, "catalog.sqlite")
    if not os.path.exists(path):
        return None
    database = sqlite3.connect(path)
    try:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'warc'").fetchone():
            return None
        if not database.execute("SELECT 1 FROM capture").fetchone():
            return None
        return database.execute("SELECT name, size FROM warc").fetchall()
    finally:
        database.close()


def check_prefix(path, size):
    """The first bytes of the file, that many, are whole records."""
    with open(path, "rb") as file:
        rest = file.read(size)
    tap.equal(len(rest), size)
    while rest:
        member = zlib.decompressobj(wbits=31)
        assert member.decompress(rest).startswith(b"WARC/1.1\r\n")
        assert member.eof, f"{path}: no whole record"
        rest = member.unused_data


def check_valid(archive):
    """What was committed is there; whether there is a capture to resume."""
    files = committed(archive)
    for name, size in files or []:
        path = os.path.join(archive, "warc", name)
        check_prefix(path if os.path.exists(path) else path + ".open", size)
    return files is not None


def check_whole(archive, wanted):
    """A finished capture of all pages."""
    report = tap.load("report", archive)
    tap.equal(sorted(row["url"] for row in report["verdicts"]), wanted)
    done = tap.run("verify", archive)
    tap.equal((done.returncode, done.stderr), (0, ""))
    names = os.listdir(os.path.join(archive, "warc"))
    tap.equal([name for name in names if name.endswith((".open", ".part"))], [])
    keys = [(a.url, a.leg, a.number) for a in living.attempts(archive) if a.leg != "side"]
    tap.equal(len(keys), len(set(keys)))
    assert os.path.getsize(os.path.join(archive, "index.cdxj")) > 0


def trial(site, wanted, number, kind):
    """One fault; whether it was noticed."""
    archive = tap.path(f"{kind}-{number}")
    status, said = crawl(site, archive, FAULTS_AT=str(number), FAULTS_KIND=kind)
    if kind == "kill":
        assert status in (0, -9), status
    else:
        # Some failures cost nothing: a checkpoint of the catalog can wait.
        assert (status, said) == (0, "") or status == 1 and said.count("\n") == 1, (status, said)
    if status != 0 and check_valid(archive):
        again = tap.run("resume", archive, timeout=DEADLINE)
        # It may have been the report that failed.
        assert again.returncode == 0 and (
            not again.stderr or "nothing to resume" in again.stderr), again.stderr
    elif status != 0:
        tap.equal(crawl(site, archive), (0, ""))
    check_whole(archive, wanted)
    return status != 0


def undisturbed(site):
    """How many changes to the disk a capture makes, and its pages."""
    archive = tap.path("undisturbed")
    tap.equal(crawl(site, archive), (0, ""))
    with open(archive + ".count", encoding="utf-8") as file:
        count = int(file.read())
    return count, sorted(row["url"] for row in tap.load("report", archive)["verdicts"])


def choose(count):
    """(number, kind): every number up to 100, then a sample; each kind in its turn."""
    if living.SCALE > 1:
        return [(n, kind) for n in range(1, count + 1) for kind in KINDS]
    numbers = [*range(1, 101), *range(101, count + 1, 4)]
    return [(n, KINDS[i % len(KINDS)]) for i, n in enumerate(numbers)]


def all_trials(site, wanted, count):
    """Whatever fails is told with its number and kind."""
    failed, noticed = [], 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        trials = {pool.submit(trial, site, wanted, *each): each for each in choose(count)}
        for done in concurrent.futures.as_completed(trials):
            error = done.exception()
            if error:
                failed.append((trials[done], str(error)[:600]))
            else:
                noticed += done.result()
    print(f"# {len(trials)} faults in {count} operations, {noticed} ended the capture")
    assert not failed, f"{len(failed)} failed, such as\n" + "\n".join(map(str, sorted(failed)[:4]))


def main():
    with living.Site("site", *SITE) as site:
        with tap.case("a capture that is left alone"):
            count, wanted = undisturbed(site)
        with tap.case("every failure leaves an archive that can be resumed"):
            all_trials(site, wanted, count)


if living.SANITIZED:
    print("1..0 # SKIP a sanitizer must be the first to be loaded")
else:
    main()
    tap.done()
