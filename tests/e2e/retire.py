#!/usr/bin/env python3
"""Old versions of pages are given up by rules: what stays, stays provable, whatever happens."""

import contextlib
import hashlib
import os
import re
import shutil
import signal
import sqlite3

import living
import packed
import rawserver
import tap

VERSIONS = 4  # captures of the same site, of which the pages /changes/N differ each time
PAGES = 6
KINDS = ("same", "changes", "noise", "back", "twin")
NOW = 0  # which version is served
LONG = " ".join(hashlib.sha256(bytes([i])).hexdigest() for i in range(50))  # hard to compress


def answer(request):
    """/ and /same/N never change; /changes/N does with each capture, /noise/N by a token only;
    /back/N shows A, B, A, B; /twin/N has the same bytes for all N, which change but for N = 0."""
    path = request.path
    number = path.rsplit("/", 1)[-1]
    if path == "/":
        links = "".join(f"<a href='/{kind}/{i}'>x</a>" for i in range(PAGES)
                        for kind in KINDS)
        return rawserver.page(f"<p>{LONG}</p>{links}".encode())
    if path.startswith("/same/"):
        return rawserver.page(f"<p>the same {number} {LONG}</p>".encode())
    if path.startswith("/changes/"):
        return rawserver.page(f"<p>version {NOW} of {number} {LONG}</p>".encode())
    if path.startswith("/back/"):
        return rawserver.page(f"<p>state {NOW % 2} of {number} {LONG}</p>".encode())
    if path.startswith("/twin/"):
        return rawserver.page(f"<p>twins {0 if number == '0' else NOW} {LONG}</p>".encode())
    if path.startswith("/noise/"):
        answer.count += 1
        return rawserver.page(
            f"<input type=hidden name=csrf_token value={hashlib.md5(bytes([answer.count % 256, answer.count // 256])).hexdigest()}>"
            f"<p>version {NOW // 2} of {number} {LONG}</p>".encode())
    return rawserver.NOT_FOUND


answer.count = 0


def verify(archive):
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, *options)
        tap.equal((done.returncode, done.stderr), (0, ""))
    return done.stdout


def retire(archive, keep, *options):
    return tap.load("retire", archive, "--keep", keep, *options)


def bodies(archive):
    """What each record of a response shows, compact ones and patches expanded, by its name."""
    out = tap.path("bodies.warc.gz")
    tap.succeed("export", archive, "--warc", out)
    shown = {}
    for record in living.stored_records(out):
        head, _, body = record.block.partition(b"\r\n\r\n")
        if record.type == "response":
            shown[record.id] = (head, body)
        elif record.type == "revisit":  # it comes behind what it refers to
            shown[record.id] = (head, shown[record.fields["WARC-Refers-To"]][1])
    return shown


def copy(name):
    target = tap.path(name)
    shutil.rmtree(target, ignore_errors=True)
    return shutil.copytree(ARCHIVE, target)


def at(archive, time):
    return {row["url"]: row for row in tap.load("report", archive, "--at", time)["pages"]}


def middle(archive, capture):
    """An instant within the still point of a capture."""
    return tap.load("report", archive, "--capture", capture)["stillpoint"]["from"]


ARCHIVE = tap.path("archive")
with rawserver.Server(answer) as server:
    URL = server.url
    for NOW in range(VERSIONS):
        done = tap.run("crawl", URL, "-o", ARCHIVE, "--delay", 0, "--no-sitemaps", "--no-probes",
                       *(["--evidence", "records"] if NOW == 1 else []))
        tap.equal(done.returncode, 0)
INSTANTS = [middle(ARCHIVE, n + 1) for n in range(VERSIONS)]
BEFORE = [at(ARCHIVE, instant) for instant in INSTANTS]
FILES = sorted(os.listdir(os.path.join(ARCHIVE, "warc")))

with tap.case("before: all is proven"):
    verify(ARCHIVE)
    for rows in BEFORE:
        tap.equal({row["state"] for row in rows.values()}, {"proven"})

with tap.case("rules are checked"):
    for bad in ("", "all:", "1q", "all:30d,7d:10d", "all,7d", ",", "all:0s", "7d:1y:2y"):
        tap.refuse(2, "bad retention", "retire", ARCHIVE, "--keep", bad)
    tap.refuse(2, "--keep is missing", "retire", ARCHIVE)

with tap.case("what is young stays, and a dry run changes nothing"):
    counts = retire(ARCHIVE, "all:30d,7d:1y,30d")
    tap.equal((counts["retired"], counts["looks"], counts["files"]), (0, 0, 0))
    counts = retire(ARCHIVE, "1y:2y", "--dry-run")
    assert counts["retired"] > 0 and counts["bytes_after"] == 0, counts
    tap.equal(sorted(os.listdir(os.path.join(ARCHIVE, "warc"))), FILES)
    tap.equal([at(ARCHIVE, instant) for instant in INSTANTS], BEFORE)

with tap.case("old versions are retired, the newest stay, and verify agrees"):
    retired = copy("retired")
    dry = retire(retired, "1y:2y", "--dry-run")
    counts = retire(retired, "1y:2y")
    for key in ("versions", "retired", "looks", "rebased", "referred", "files"):
        tap.equal((key, counts[key]), (key, dry[key]))
    tap.equal(counts["versions"], 1 + PAGES * (1 + 4 + 2 + 4) + 1 + (PAGES - 1) * 4)
    tap.equal(counts["retired"], PAGES * (3 + 1 + 3) + (PAGES - 1) * 3)
    # The last version of a /back/ page is the second again, whose response had its body: visit
    # and revisit of the last capture need it. So do all looks at /twin/0 if another was first.
    assert counts["rebased"] in (2 * PAGES, 2 * PAGES + 2 * VERSIONS), counts
    tap.equal(counts["referred"], 0)
    assert counts["bytes_after"] < counts["bytes_before"], counts
    assert all("-r1.warc" in name or name in FILES for name in os.listdir(retired + "/warc"))
    verify(retired)
    tap.equal(retire(retired, "1y:2y")["looks"], 0)

def damaged(name, spoil):
    """A copy whose largest WARC file is spoilt: retire must leave it as it is."""
    victim = tap.doctored(copy("damaged"))
    path = max(living.warc_files(victim), key=os.path.getsize)
    with open(path, "r+b") as file:
        spoil(file, os.path.getsize(path), [record.offset for record in living.stored_records(path)])
    with open(path, "rb") as file:
        before = file.read()
    done = tap.run("retire", victim, "--keep", "1y:2y")
    assert done.returncode == 1 and done.stderr.count("\n") == 1, (name, done)
    assert os.path.basename(path) in done.stderr, (name, done)
    with open(path, "rb") as file:
        assert file.read() == before, name
    tap.equal(sorted(os.listdir(victim + "/warc")), FILES)


def overwrite(place, length=1):
    def spoil(file, size, offsets):
        at = place(size, offsets)
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 255]) if length == 1 else bytes(min(length, size - at)))
    return spoil


with tap.case("a damaged file stays as it is, whatever the damage"):
    for part in range(1, 10):
        for length in (1, 300, 1 << 30):
            damaged((part, length), overwrite(lambda size, _: size * part // 10, length))
    # Where a record ends, zeros look like padding, and a shorter file like a whole one.
    damaged("zeros behind a record", overwrite(lambda _, offsets: offsets[len(offsets) // 2], 1 << 30))
    damaged("cut behind a record", lambda file, _, offsets: file.truncate(offsets[len(offsets) // 2]))

with tap.case("a tombstone proves nothing"):
    for number, (instant, before) in enumerate(zip(INSTANTS, BEFORE)):
        rows = at(retired, instant)
        tap.equal(set(rows), set(before))
        for url, row in rows.items():
            kind = url.split("/")[3]
            old = {"changes": number < VERSIONS - 1, "noise": number < 2,
                   "back": number < VERSIONS - 1,
                   "twin": number < VERSIONS - 1 and not url.endswith("/0")}.get(kind, False)
            if not old:
                tap.equal(row, before[url])
                continue
            assert row["state"] == "unknown", (number, row)
            tap.equal(row["evidence"], "tombstone")
            tap.equal((row["from"], row["to"]), (before[url]["from"], before[url]["to"]))
    for number in range(1, VERSIONS + 1):
        report = tap.load("report", retired, "--capture", number)
        for row in report["verdicts"]:
            kind = row["url"].split("/")[3]
            if number < VERSIONS and (kind in ("changes", "back") or
                                      kind == "twin" and not row["url"].endswith("/0")):
                tap.equal((row["verdict"], row["evidence"]), ("unconfirmed", "tombstone"))
            elif kind in ("", "same"):
                tap.equal((row["verdict"], row["evidence"]), ("sharp", "bytes"))

with tap.case("the index has what is there, and replay shows it"):
    with open(os.path.join(retired, "index.cdxj"), encoding="utf-8") as file:
        names = set(re.findall(r'"filename": ?"([^"]+)"', file.read()))
    assert names <= set(os.listdir(retired + "/warc")), names
    first = tap.run("index", retired)
    tap.equal(first.returncode, 0)
    verify(retired)

with tap.case("what stays shows the same bytes as before"):
    was, now = bodies(ARCHIVE), bodies(retired)
    assert set(now) < set(was), set(now) - set(was)
    for name, shown in now.items():
        assert shown == was[name], name
    tap.equal(len(was) - len(now), counts["looks"])

with tap.case("the catalog is the same when it is made anew"):
    def rows(archive):
        """All observations, packed or not, and verdicts; numbers of words and batches may differ."""
        path = shutil.copy(os.path.join(archive, "catalog.sqlite"), tap.path("rows.sqlite"))
        with contextlib.closing(sqlite3.connect(path)) as database:
            packed.unpack(database)
            words = dict(database.execute("SELECT id, text FROM word"))
            for table in ("observation", "verdict", "warc"):
                cursor = database.execute(f"SELECT * FROM {table}")
                names = [column[0] for column in cursor.description]
                for row in cursor:
                    row = dict(zip(names, row))
                    for name in ("media_type", "warc", "purpose", "stand_in", "caches", "address",
                                 "verdict", "evidence"):
                        row[name] = words.get(row.get(name), row.get(name))
                    if row.get("is_compact") or table == "warc":
                        row["place"] = row["id"] = None
                    yield table, row
    def listed(archive):
        return sorted((table, str(sorted(row.items(), key=str))) for table, row in rows(archive))
    rebuilt = tap.path("rebuilt")
    shutil.copytree(retired, rebuilt)
    tap.succeed("rebuild", rebuilt)
    for row, want in zip(listed(rebuilt), listed(retired), strict=True):
        tap.equal(row, want)
    verify(rebuilt)
    tap.equal([at(rebuilt, instant) for instant in INSTANTS],
              [at(retired, instant) for instant in INSTANTS])

with tap.case("words of what is retired are not found any longer"):
    searched = copy("searched")
    tap.succeed("index", "--text", searched)
    def count(phrase):
        with contextlib.closing(sqlite3.connect(searched + "/text.sqlite")) as database:
            return database.execute("SELECT count(*) FROM text WHERE text MATCH ?",
                                    (f'"{phrase}"',)).fetchone()[0]
    tap.equal((count("version 2 of"), count("version 3 of")), (PAGES, PAGES))
    retire(searched, "1y:2y")
    tap.equal((count("version 2 of"), count("version 3 of")), (0, PAGES))
    tap.equal(len(tap.load("search", searched, '"version 3 of"')["pages"]), PAGES)

with tap.case("what stays is exported byte for byte"):
    out = tap.path("exported.warc.gz")
    tap.succeed("export", retired, "--warc", out)
    kept = {}
    for record in living.stored_records(out):
        if record.type == "response":
            url = record.fields["WARC-Target-URI"]
            kept[url] = kept.get(url, 0) + 1
    for i in range(PAGES):
        assert kept.get(f"{URL}changes/{i}") == 1, kept
        assert kept.get(f"{URL}noise/{i}") == 4, kept


# ---- faults ----

KEEP = "1y:2y"


def states(archive):
    return [at(archive, instant) for instant in INSTANTS[:2]]


def run_faulty(archive, **fault):
    environment = dict(os.environ, LD_PRELOAD=os.environ["FAULTS"], FAULTS_DIR=archive,
                       FAULTS_COUNT=archive + ".count", **fault)
    return tap.run("retire", archive, "--keep", KEEP, env=environment)


def sound(archive):
    done = tap.run("verify", archive)
    tap.equal((done.returncode, done.stderr), (0, ""))
    return done.stdout


def trial(number, kind, after):
    """One fault: all or nothing is retired, verify agrees, and the next run does the rest."""
    victim = copy(f"{kind}-{number}")
    done = run_faulty(victim, FAULTS_AT=str(number), FAULTS_KIND=kind)
    if kind == "kill":
        assert done.returncode in (0, -signal.SIGKILL), done
    else:
        assert done.returncode == 0 or done.returncode == 1 and done.stderr.count("\n") == 1, done
    assert states(victim) in ([BEFORE[0], BEFORE[1]], after), "half of it"
    sound(victim)
    tap.succeed("retire", victim, "--keep", KEEP)
    tap.equal(states(victim), after)
    assert "left over" not in sound(victim)
    tap.equal(sorted(os.listdir(victim + "/warc")), sorted(os.listdir(retired + "/warc")))
    shutil.rmtree(victim)
    return done.returncode != 0


def all_trials():
    after = states(retired)
    victim = copy("undisturbed")
    tap.equal(run_faulty(victim).returncode, 0)
    with open(victim + ".count", encoding="utf-8") as file:
        count = int(file.read())
    step = 1 if living.SCALE > 1 else max(1, count // 24)
    kinds = ("kill", "enospc", "kill", "broken") if living.SCALE <= 1 else ("kill", "eio", "full", "short")
    noticed = sum(trial(n, kinds[i % len(kinds)], after)
                  for i, n in enumerate(range(1, count + 1, step)))
    print(f"# {count} operations, {noticed} faults ended the command")
    assert noticed > 5, noticed


if not living.SANITIZED:  # a sanitizer must be the first to be loaded
    with tap.case("whatever fails, all or nothing is retired"):
        all_trials()

tap.done()
