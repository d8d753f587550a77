#!/usr/bin/env python3
"""Compact evidence: looks that found nothing new, many in one record; and nothing that is lost."""

import collections
import contextlib
import gzip
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

import living
import packed
import rawserver
import tap

PAGES = living.scaled(300, 80)
JOBS = 4
SITE = ["--pages", PAGES, "--outdegree", 20, "--seed", 3, "--requisites", 1]
NOISE = ["--noise", "csrf,nonce,comment,session", "--noise-per-page", 1]
FIRST = b"stillpoint-looks: 1\r\n"


def capture(site, name, *options):
    archive = tap.path(name)
    done = living.crawl(site, archive, "--delay", 0, "--jobs", JOBS, *options)
    tap.equal((done.returncode, done.stderr), (0, ""))
    return archive, tap.load("report", archive)


def verdicts(report):
    """Of the pages of the site; its noise has links to others."""
    return {row["url"]: (row["verdict"], row["evidence"]) for row in report["verdicts"]
            if ".invalid/" not in row["url"]}


def same(got, want):
    """Of large things, what differs."""
    if isinstance(got, dict):
        got, want = set(got.items()), set(want.items())
    assert got == want, (len(got), len(want), sorted(set(got) ^ set(want), key=str)[:6])


def verify(archive):
    """From the catalog and from the WARC files alone; the last lines."""
    lines = []
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, *options)
        tap.equal((done.returncode, done.stderr), (0, ""))
        lines.append(done.stdout.splitlines()[-1])
    return lines


def stored(archive):
    return [record for path in living.warc_files(archive) for record in living.stored_records(path)]


def batches(archive):
    return [record for record in stored(archive) if record.block.startswith(FIRST)]


with living.Site("still", *SITE, *NOISE, "--mean-rate", 1e-9) as site:
    COMPACT, REPORT = capture(site, "compact", "--evidence", "compact")
    RECORDS, OTHER = capture(site, "records", "--evidence", "records")

with tap.case("both forms prove the same"):
    assert REPORT["sharp_bytes"] > 10 and REPORT["sharp_normalised"] > PAGES / 2, REPORT["totals"]
    same(verdicts(REPORT), verdicts(OTHER))
    sharp = f"{REPORT['sharp']} sharp"
    for line in verify(COMPACT) + verify(RECORDS):
        assert line.endswith(sharp), line

with tap.case("a record for 256 looks, and none but those of batches"):
    looks = [list(living.looks(batch)) for batch in batches(COMPACT)]
    tap.equal([len(group) // 3 for group in looks[:-1]], [256] * (len(looks) - 1))
    # A page that is revisited at once, while its visit is still being written, has records.
    apart = [record for record in stored(COMPACT) if record.type == "metadata"
             and b"leg: revisit" in record.block and not record.block.startswith(FIRST)]
    assert len(apart) <= JOBS, [record.id for record in apart]
    tap.equal(sum(len(group) // 3 for group in looks) + len(apart), REPORT["sharp"])
    tap.equal(batches(RECORDS), [])

with tap.case("little space"):
    equal = [record for batch in batches(COMPACT) for record in living.looks(batch)
             if record.type == "revisit"]
    patches = REPORT["sharp"] - len(equal)
    size = sum(batch.length for batch in batches(COMPACT))
    of_records = sum(record.length for record in stored(RECORDS)
                     if record.type == "revisit") / max(1, len(equal))
    print(f"# {len(equal)} the same, {patches} patches: {size / REPORT['sharp']:.0f} bytes a look;"
          f" revisit records alone: {of_records:.0f}")
    assert size < 150 * len(equal) + 400 * patches + 1000, size

with tap.case("export: the records that they stand for, byte for byte"):
    exported = tap.path("exported")
    os.makedirs(os.path.join(exported, "warc"))
    path = os.path.join(exported, "warc", "a.warc.gz")
    tap.succeed("export", COMPACT, "--warc", path)
    made = list(living.stored_records(path))
    tap.equal([record for record in made if record.block.startswith(FIRST)], [])
    done = tap.run("verify", "--warc-only", exported)
    tap.equal((done.returncode, done.stderr), (0, ""))
    assert done.stdout.splitlines()[-1].endswith(sharp), done.stdout
    by_id = {record.id: record for record in made}
    kinds = collections.Counter()
    for record in made:
        if record.type != "metadata" or b"leg: revisit\r\n" not in record.block:
            continue
        answer = by_id[record.fields["WARC-Concurrent-To"]]
        kinds[answer.type] += 1
        block = "sha256:" + hashlib.sha256(answer.block).hexdigest()
        tap.equal(answer.fields.get("WARC-Block-Digest", block), block)  # a response may do without
        if answer.type == "response":
            body = answer.block.partition(b"\r\n\r\n")[2]
            payload = "sha256:" + hashlib.sha256(body).hexdigest()
            tap.equal(answer.fields["WARC-Payload-Digest"], payload)
        else:
            assert by_id[answer.fields["WARC-Refers-To"]].type == "response", answer.fields
    tap.equal(kinds, {"revisit": len(equal), "response": patches})
    tap.succeed("export", COMPACT, "--warc", tap.path("again.warc.gz"))
    with open(path, "rb") as one, open(tap.path("again.warc.gz"), "rb") as two:
        assert one.read() == two.read(), "the same archive gives other bytes"
    tap.succeed("export", COMPACT, "--warc", tap.path("one.warc.gz"), "--capture", 1)
    same({record.id for record in living.stored_records(tap.path("one.warc.gz"))
          if record.type in ("response", "revisit")},
         {record.id for record in made if record.type in ("response", "revisit")})

def export(source, name, *options):
    """An export as an archive without catalog."""
    directory = tap.path(name)
    os.makedirs(os.path.join(directory, "warc"))
    file = os.path.join(directory, "warc", "b.warc.gz")
    tap.succeed("export", source, "--warc", file, *options)
    done = tap.run("verify", "--warc-only", directory)
    tap.equal((done.returncode, done.stderr), (0, ""))
    assert done.stdout.splitlines()[-1].endswith(sharp), done.stdout
    return directory


def exchanges(archive):
    """What was sent and received, by capture, leg, attempt and URL; of revisits with the body."""
    records = [record for path in living.warc_files(archive) for record in living.records(path)]
    by_id = {record.id: record for record in records}
    requests = {record.fields["WARC-Concurrent-To"]: record.block for record in records
                if record.type == "request"}
    found = {}
    for record in records:
        if record.type != "metadata" or not record.block.startswith(b"capture: "):
            continue
        answer = by_id.get(record.fields.get("WARC-Concurrent-To"))
        if not answer or answer.type not in ("response", "revisit"):
            continue
        block = answer.block
        if answer.type == "revisit":
            of = by_id[answer.fields["WARC-Refers-To"]]
            block += of.block.partition(b"\r\n\r\n")[2]
        lines = [line for line in record.block.splitlines() if not line.startswith(b"state: ")]
        found[(answer.fields["WARC-Target-URI"], *lines[:6])] = (
            block, requests[answer.id], lines, answer.fields.get("WARC-IP-Address"))
    return found


with tap.case("export: looks as records and back, and nothing is lost"):
    for source, name in ((COMPACT, "of-compact"), (RECORDS, "of-records")):
        records = export(source, name + "-records", "--evidence", "records")
        compact = export(source, name + "-compact", "--evidence", "compact")
        again = export(records, name + "-again", "--evidence", "compact")
        back = export(again, name + "-back")
        tap.equal(batches(records), [])
        number = sum(len(list(living.looks(batch))) // 3 for batch in batches(compact))
        assert number > REPORT["sharp"] * 0.9, number
        tap.equal([batch.block for batch in batches(again)],
                  [batch.block for batch in batches(compact)])
        got, want = exchanges(back), exchanges(records)
        same(set(got), set(want))
        for key, exchange in want.items():
            tap.equal(got[key], exchange)
    tap.refuse(2, "--evidence compact goes with --warc", "export", COMPACT, "--wacz",
               tap.path("x.wacz"), "--evidence", "compact")
    tap.refuse(2, "--evidence compact goes with --warc", "export", COMPACT, "--warc", "-",
               "--evidence", "compact")
    tap.refuse(2, "--evidence records", "export", COMPACT, "--warc", tap.path("x.warc"),
               "--evidence", "compact", "--redact")

with tap.case("export: every look, byte for byte as the server sent it"):
    SENT = collections.defaultdict(list)

    def answer(request):
        """Noise, the same, changes, chunks: as it was sent."""
        name, number = request.path.strip("/") or "index", len(SENT[request.path])
        text = f"<p>{name} " + hashlib.sha256(name.encode()).hexdigest() * 20
        if name == "index":
            text = "".join(f"<a href='/{kind}{i}'>x</a>" for kind in ("same", "noise", "chunks",
                                                                      "change") for i in range(8))
        elif name.startswith(("noise", "chunks")):
            value = hashlib.sha256(f"{name} {number}".encode()).hexdigest()
            text += f"<input type=hidden name=csrf_token value={value}>"
        elif name.startswith("change"):
            text += f"<b>{number}</b>"
        if name in ("robots.txt", "sitemap.xml"):
            sent = rawserver.NOT_FOUND
        elif name.startswith("chunks"):
            half = len(text) // 2
            sent = (f"HTTP/1.1 200 Fine\r\nX-Number:  {number}\r\nContent-type: text/html\r\n"
                    f"Transfer-Encoding: chunked\r\n\r\n{half:X}\r\n{text[:half]}\r\n"
                    f"{len(text) - half:x};a=b\r\n{text[half:]}\r\n0\r\n\r\n").encode()
        else:
            sent = rawserver.page(text.encode())
        SENT[request.path].append(sent)
        return sent

    archive = tap.path("wire")
    with rawserver.Server(answer) as server:
        for _ in range(2):
            done = tap.run("crawl", server.url, "-o", archive, "--delay", 0, "--no-sitemaps",
                           "--evidence", "compact")
            tap.equal(done.returncode, 0)
    kinds = collections.Counter(record.type for batch in batches(archive)
                                for record in living.looks(batch))
    assert kinds["revisit"] > 15 and kinds["response"] > 30, kinds
    os.makedirs(tap.path("wired/warc"))
    tap.succeed("export", archive, "--warc", tap.path("wired/warc/a.warc.gz"))
    seen = collections.defaultdict(list)
    for (url, *lines), exchange in exchanges(tap.path("wired")).items():
        time_sent = next(line for line in exchange[2] if line.startswith(b"requestSent: "))
        seen["/" + url.split("/", 3)[3]].append((time_sent, exchange[0]))
    tap.equal(set(seen), set(SENT))
    for path, list_seen in seen.items():
        tap.equal([block for _, block in sorted(list_seen)], SENT[path])

NGINX = ("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Wed, 18 Nov 2026 10:23:05 GMT\r\n"
         "Content-Type: text/html\r\nContent-Length: {}\r\nLast-Modified: Sat, 14 Mar 2026 08:04:53 GMT\r\n"
         "Connection: keep-alive\r\nETag: \"6413d0a5-2278\"\r\nAccept-Ranges: bytes\r\n\r\n")

with tap.case("a revisit is one record of at most 750 bytes, with all evidence in it"):
    REQUESTS = collections.defaultdict(list)

    def static(request):
        """As nginx serves files."""
        name = request.path.strip("/") or "index"
        if name in ("robots.txt", "sitemap.xml"):
            return rawserver.NOT_FOUND
        text = "".join(f"<a href='/{i}.html'>{i}</a>" for i in range(20)) + hashlib.sha256(name.encode()).hexdigest() * 20
        REQUESTS[request.path].append(request.head)
        return (NGINX.format(len(text)) + text).encode()

    archive = tap.path("static")
    with rawserver.Server(static) as server:
        for number in (1, 2):
            report = tap.load("crawl", server.url, "-o", archive, "--delay", 0, "--warc-size", "9k")
            tap.equal(report["sharp"], report["captured"])
    verify(archive)
    everything = [record for path in living.warc_files(archive) for record in living.records(path)]
    own = [record for record in everything if "stillpoint-attempt" in record.fields]
    kinds = collections.Counter(record.fields["stillpoint-attempt"].split(" ")[1] for record in own)
    tap.equal(kinds, {"visit": 21, "revisit": 42})
    sizes = [record.length for record in own if " revisit " in record.fields["stillpoint-attempt"]]
    print(f"# a revisit record: {min(sizes)} to {max(sizes)} bytes; of a visit: "
          f"{max(record.length for record in own if ' visit ' in record.fields['stillpoint-attempt'])}")
    assert max(sizes) <= 750, sizes
    sent = collections.Counter(record.block for record in everything if record.type == "request"
                               and not record.fields["WARC-Target-URI"].endswith((".txt", ".xml")))
    tap.equal(sent, collections.Counter(head for heads in REQUESTS.values() for head in heads))
    for record in own:
        tap.equal(record.fields["WARC-Profile"],
                  "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
        tap.equal(record.block, NGINX.format(len(everything and next(
            of.block.partition(b"\r\n\r\n")[2] for of in everything
            if of.id == record.fields["WARC-Refers-To"]))).encode())

with tap.case("judge reads both forms alike"):
    def judged(path):
        return verdicts(json.loads(tap.run("judge", path, "--json").stdout))
    same(judged(COMPACT), judged(os.path.join(exported, "warc", "a.warc.gz")))

with tap.case("diff shows a compact look"):
    for word in ("bytes", "normalised"):
        url = next(row["url"] for row in REPORT["verdicts"] if row["evidence"] == word)
        text = tap.succeed("diff", COMPACT, url)
        assert f"(evidence: {word})" in text, text
        assert "compact" in tap.succeed("report", COMPACT, "--why", url)

with tap.case("the index has no line of them, and is complete"):
    with open(os.path.join(COMPACT, "index.cdxj"), encoding="utf-8") as index:
        before = index.read().splitlines()
    tap.equal(len(before), sum(record.type in ("response", "revisit") for record in stored(COMPACT)))
    tap.succeed("index", COMPACT)
    with open(os.path.join(COMPACT, "index.cdxj"), encoding="utf-8") as index:
        same(set(index.read().splitlines()), set(before))


# ---- forgeries ----

def pack(record, block):
    """The record with another block, and digests that match."""
    fields = dict(record.lines, **{
        "Content-Length": str(len(block)),
        "WARC-Block-Digest": "sha256:" + hashlib.sha256(block).hexdigest()})
    head = "".join(f"{name}: {fields[name]}\r\n" for name, _ in record.lines)
    return gzip.compress(b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n")


def forge(change):
    """A copy in which the first batch has another block."""
    forged = tap.path("forged")
    shutil.rmtree(forged, ignore_errors=True)
    os.makedirs(os.path.join(forged, "warc"))
    done = False
    for path in living.warc_files(COMPACT):
        with open(os.path.join(forged, "warc", os.path.basename(path)), "wb") as file:
            for record in living.stored_records(path):
                block = record.block
                if block.startswith(FIRST) and not done:
                    block, done = change(block), True
                    assert block != record.block, "nothing was forged"
                file.write(pack(record, block))
    assert done
    return forged


def sharp_in(text):
    return int(text.splitlines()[-1].split()[-2]) if "sharp" in text.splitlines()[-1] else 0


FORGERIES = [
    ("a status", lambda block: block.replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 201 OK", 1)),
    ("a media type", lambda block: block.replace(b"Content-Type: text/html",
                                                 b"Content-Type: text/htmx", 1)),
    ("the row that is cut off", lambda block: block[:-10]),
    ("a row that no one knows", lambda block: block + b"\x02\x07\x00"),
    ("a row that is nonsense", lambda block: block + b"\x03\x00\x01\x02"),
    ("a capture", lambda block: block.replace(b"leg: revisit", b"leg: tisiver", 1)),
    ("a version", lambda block: block.replace(b"looks: 1", b"looks: 2", 1)),
]
for label, change in FORGERIES:
    with tap.case(f"forged: {label}"):
        done = tap.run("verify", "--warc-only", forge(change))
        tap.equal(done.stderr, "")
        lost = REPORT["sharp"] - sharp_in(done.stdout)
        assert done.returncode == 1 or lost > 0 or "later version" in done.stdout, done.stdout
        assert label == "a row that no one knows" or lost > 0 or done.returncode == 1, done.stdout

with tap.case("damage is told"):
    damaged = tap.doctored(tap.path("damaged"))
    shutil.copytree(COMPACT, damaged)
    batch = batches(damaged)[0]
    path = living.warc_files(damaged)[0]
    with open(path, "r+b") as file:
        file.seek(batch.offset + batch.length // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 255]))
    done = tap.run("verify", damaged)
    tap.equal((done.returncode, done.stderr), (1, ""))

LIES = [
    ("another batch", "UPDATE observation SET place = place + 1 WHERE is_compact"),
    ("no compact look", "UPDATE observation SET is_compact = 0 WHERE is_compact"),
    ("a place", "UPDATE looks SET place = place + 1"),
    ("a name", "UPDATE observation SET record_id = zeroblob(16) WHERE is_compact"),
    ("a state", "UPDATE observation SET state = zeroblob(32) WHERE is_compact"),
]
for label, sql in LIES:
    with tap.case(f"the catalog lies: {label}"):
        lying = tap.doctored(tap.path("lying"))
        shutil.rmtree(lying, ignore_errors=True)
        shutil.copytree(COMPACT, lying)
        with contextlib.closing(sqlite3.connect(os.path.join(lying, "catalog.sqlite"))) as database:
            packed.unpack(database)
            assert database.execute(sql).rowcount > 0
            database.commit()
        done = tap.run("verify", lying)
        tap.equal((done.returncode, done.stderr), (1, ""))


with tap.case("an archive of version 5, whose looks are not packed, reads the same"):
    older = tap.path("version-5")
    shutil.copytree(COMPACT, older)
    with contextlib.closing(sqlite3.connect(os.path.join(older, "catalog.sqlite"))) as database:
        assert packed.unpack(database) > 0
        database.executescript("DROP TABLE packed; DROP TABLE replaced; DROP TABLE links; DROP TABLE dust;"
                               "DROP TABLE poll; DROP TABLE saved;"
                               "ALTER TABLE observation DROP COLUMN retired;"
                               "ALTER TABLE observation DROP COLUMN deceit; PRAGMA user_version = 5")
        database.commit()
    for command in (["report", "--json"], ["verify"], ["rates"]):
        tap.equal(tap.succeed(*command, older), tap.succeed(*command, COMPACT).replace(COMPACT, older))


# ---- a crash while looks wait ----

def waiting(archive):
    return living.peek(archive, "SELECT count(*) FROM observation WHERE is_compact")


with tap.case("looks wait in the catalog, and a crash loses none"):
    archive = tap.path("killed")
    with living.Site("slow", "--pages", 24, "--outdegree", 20, "--mean-rate", 1e-9, *NOISE) as site:
        process = subprocess.Popen([tap.PROGRAM, "crawl", site.url, "-o", archive, "--delay", "30ms",
                                    "--evidence", "compact"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while not any(count >= 5 for count, in waiting(archive)):
            assert process.poll() is None and time.monotonic() < deadline, "no look waits"
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        (count,), = living.query(archive, "SELECT count(*) FROM observation WHERE is_compact")
        tap.equal(batches(archive), [])
        done = tap.run("verify", archive)
        tap.equal((done.returncode, done.stderr), (0, ""))
        assert f"looks that wait in the catalog for their record: {count};" in done.stdout, done.stdout
        (url,), *_ = living.query(archive, "SELECT page.url FROM page JOIN observation ON page.id ="
                                    " (capture << 32 | page) WHERE is_compact")
        assert "(evidence: " in tap.succeed("diff", archive, url)
        tap.equal(tap.run("resume", archive).returncode, 0)
    tap.equal(living.query(archive, "SELECT count(*) FROM look"), [(0,)])
    report = tap.load("report", archive)
    tap.equal(sum(len(list(living.looks(batch))) // 3 for batch in batches(archive)), report["sharp"])
    tap.equal(report["sharp"], report["captured"])
    assert len(batches(archive)) == 2, "those that waited come first"
    verify(archive)

with tap.case("--evidence is kept, and other words are refused"):
    for archive, want in ((COMPACT, True), (RECORDS, False)):
        (settings,), = living.query(archive, "SELECT settings FROM capture")
        tap.equal("compact true\n" in settings, want)
    tap.refuse(2, "unknown evidence 'some'", "crawl", "http://127.0.0.1:9/", "--evidence", "some")

tap.done()
