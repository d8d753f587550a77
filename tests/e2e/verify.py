#!/usr/bin/env python3
"""stillpoint verify: damage, lies and losses are noticed, named, and told by the exit status."""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess

import living
import rawserver
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
    target = tap.doctored(tap.path(name))
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
    tap.equal(result["problems"], [])
    tap.equal([note["note"] for note in result["notes"]],
              ["there is no index.cdxj; 'stillpoint index' writes it anew"])

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

# ---- archives as they are crawled: not compressed, in several files ----

PAGES = 12
NOISE = random.Random(7)


def small_site(request):
    """Pages that link to each other, with text that is worth a revisit record."""
    if request.path in ("/robots.txt", "/sitemap.xml"):
        return rawserver.NOT_FOUND
    links = "".join(f"<a href='/{i}'>{i}</a>" for i in range(1, PAGES))
    return rawserver.page(f"<p>{request.path * 300}</p>{links}".encode())


def crawl(name, *options):
    with rawserver.Server(small_site) as server:
        tap.succeed("crawl", server.url, "--delay", 0, "-o", tap.path(name), "--json",
                    "--evidence", "records", *options)
    return tap.path(name)


def read(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


def write(data, *parts):
    with open(os.path.join(*parts), "wb") as file:
        file.write(data)


def plain_records(content):
    """Of a WARC file without compression."""
    at = 0
    while at < len(content):
        start = content.index(b"\r\n\r\n", at) + 4
        length = int(re.search(rb"\r\nContent-Length: (\d+)", content[at:start])[1])
        yield living.Record(at, start + length + 4 - at, content[at:start - 4],
                            content[start:start + length])
        at = start + length + 4


def flip(data):
    at = NOISE.randrange(len(data))
    return at, data[:at] + bytes([data[at] ^ 1 << NOISE.randrange(8)]) + data[at + 1:]


with tap.case("an archive without compression"):
    PLAIN = crawl("plain", "--warc-compression", "none")
    tap.succeed("verify", PLAIN)
    (NAME,) = os.listdir(f"{PLAIN}/warc")
    CONTENT = read(PLAIN, "warc", NAME)
    INDEX = read(PLAIN, "index.cdxj")
    assert CONTENT.count(b"WARC-Type: revisit") >= PAGES, NAME
    old = shutil.copytree(PLAIN, tap.path("old"))  # a catalog of an earlier version has no digests
    change(old, "UPDATE warc SET digest = NULL")
    tap.succeed("verify", old)

with tap.case("every date of a record is in whole seconds, and every revisit names its original"):
    dates = re.findall(rb"\nWARC-(?:Refers-To-)?Date: (.*)\r\n", CONTENT)
    assert all(re.fullmatch(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", date) for date in dates), dates
    tap.equal(CONTENT.count(b"\nWARC-Refers-To: <urn:uuid:"), CONTENT.count(b"WARC-Type: revisit"))
    for record in plain_records(CONTENT):
        sent = re.search(rb"^requestSent: (.{19})", record.block, re.M)
        if record.type == "metadata" and sent:
            tap.equal(record.fields["WARC-Date"], sent[1].decode() + "Z")

HEADERS = [
    # label, type of the record, what is changed, into what (of the same length), what is said of it
    ("date of a response", "response", rb"(WARC-Date: )....", rb"\g<1>1999", "WARC-Date of its response"),
    ("date of a request", "request", rb"(WARC-Date: )....", rb"\g<1>1999", "WARC-Date of its request"),
    ("date of metadata", "metadata", rb"(WARC-Date: )....", rb"\g<1>1999", "its WARC-Date is not"),
    ("address of a response", "response", rb"127\.0\.0\.1(?=\r\n)", b"127.0.0.2", "different addresses"),
    ("address of a request", "request", rb"(IP-Address: )127\.0\.0\.1", rb"\g<1>127.0.0.2",
     "different addresses"),
    ("no address", "response", b"WARC-IP-Address", b"X-RC-IP-Address", "different addresses"),
    ("URL of a response", "response", rb"(Target-URI: http://\S+)\d\r", rb"\g<1>x\r", "another URL"),
    ("URL of a request", "request", rb"(Target-URI: http://\S+)\d\r", rb"\g<1>x\r",
     "its request is that of another URL"),
    ("name of a response", "response", rb"(Record-ID: <urn:uuid:)....", rb"\g<1>0000", "is not there"),
    ("response of a request", "request", rb"(Concurrent-To: <urn:uuid:)....", rb"\g<1>0000",
     "its request belongs to another response"),
    ("type of a request", "request", b"WARC-Type: request", b"WARC-Type: requesx", "its request is not there"),
    ("original of a revisit", "revisit", rb"(Refers-To: <urn:uuid:)....", rb"\g<1>0000", "is not there"),
    ("date of the original", "revisit", rb"(Refers-To-Date: )....", rb"\g<1>1999", "has another date"),
    ("payload of a revisit", "revisit", rb"(Payload-Digest: sha256:)....", rb"\g<1>0000", "another payload"),
    ("profile of a revisit", "revisit", b"identical-payload", b"identical-paylord", "unknown profile"),
    ("no block digest", "metadata", b"WARC-Block-Digest", b"X-RC-Block-Digest", "no block digest"),
    ("no payload digest", "response", b"WARC-Payload-Digest", b"X-RC-Payload-Digest", "no payload digest"),
]


def alter(kind, old_text, new_text):
    """The WARC file with the header of the middle record of that kind changed."""
    starts = [match.start() for match in
              re.finditer(rb"WARC/1\.1\r\nWARC-Type: " + kind.encode(), CONTENT)
              if re.search(rb"Target-URI: http://[^/]+/\d+\r", CONTENT[match.start():][:300])]
    at = starts[len(starts) // 2]
    head = CONTENT[at:CONTENT.index(b"\r\n\r\n", at)]
    changed = re.sub(old_text, new_text, head, count=1)
    assert changed != head and len(changed) == len(head), head
    return CONTENT[:at] + changed + CONTENT[at + len(head):]


for label, kind, old_text, new_text, want in HEADERS:
    with tap.case(f"a header is changed: {label}"):
        write(alter(kind, old_text, new_text), old, "warc", NAME)
        find_problem(old, want)
        if "digest" not in label:
            result = tap.run("verify", "--warc-only", old)
            assert result.returncode == 1 and want in result.stdout, result.stdout
write(CONTENT, old, "warc", NAME)

with tap.case("a flipped bit anywhere in a file without compression"):
    damaged = shutil.copytree(PLAIN, tap.path("flipped-plain"))
    for _ in range(40):
        at, data = flip(CONTENT)
        write(data, damaged, "warc", NAME)
        result = tap.run("verify", damaged)
        assert result.returncode == 1 and "its SHA-256 differs" in result.stdout, (at, result)
    write(CONTENT, damaged, "warc", NAME)
    tap.succeed("verify", damaged)


def with_fractions(content):
    """The file as earlier versions wrote it: all dates with microseconds."""
    exact = {}
    for record in plain_records(content):
        sent = re.search(rb"^requestSent: (.{26})", record.block, re.M)
        if record.type == "metadata" and sent:
            exact[record.fields["WARC-Record-ID"]] = sent[1] + b"Z"
            exact[record.fields.get("WARC-Concurrent-To")] = sent[1] + b"Z"

    def replace(match):
        head = match[0]
        names = [re.search(rb"\r\nWARC-%s: (.*)\r\n" % name, head) for name in
                 (b"Record-ID", b"Concurrent-To", b"Refers-To")]
        own = [exact[name[1].decode()] for name in names[:2] if name and name[1].decode() in exact]
        if own:
            head = re.sub(rb"(WARC-Date: )[^\r]*", lambda m: m[1] + own[0], head)
        if names[2]:
            head = re.sub(rb"(Refers-To-Date: )[^\r]*",
                          lambda m: m[1] + exact[names[2][1].decode()], head)
        return head

    return re.sub(rb"WARC/1\.1\r\nWARC-Type: .*?\r\n\r\n", replace, content, flags=re.S)


with tap.case("dates with fractions, as earlier versions wrote them, are right as well"):
    data = with_fractions(CONTENT)
    assert data.count(b"Z\r\n") > 3 * PAGES and len(data) > len(CONTENT) + 7 * 3 * PAGES
    write(data, old, "warc", NAME)
    tap.succeed("verify", "--warc-only", old)
    write(CONTENT, old, "warc", NAME)

LINES = INDEX.splitlines(True)
INDEXES = [
    ("a line is missing", b"".join(LINES[:3] + LINES[4:]), "lacks the line of 1 record;"),
    ("a line is there twice", b"".join(LINES[:4] + LINES[3:]), "no record's"),
    ("a line is made up", b"".join(LINES + [b"zz)/ 2026 {}\n"]), "no record's"),
    ("a place", INDEX.replace(b'"offset":"', b'"offset":"1', 1), "no record's"),
    ("a status", INDEX.replace(b'"status":"200"', b'"status":"204"', 1), "no record's"),
    ("the order", b"".join(reversed(LINES)), "is not sorted"),
    ("empty", b"", f"lacks the lines of {len(LINES)} records"),
    ("noise", os.urandom(2 << 20).replace(b"\n", b"x"), "cannot be read"),
]

for label, data, want in INDEXES:
    with tap.case(f"the index is wrong: {label}"):
        write(data, old, "index.cdxj")
        find_problem(old, want)
        assert "stillpoint index" in tap.run("verify", old).stdout

with tap.case("a flipped bit anywhere in the index"):
    for _ in range(15):
        at, data = flip(INDEX)
        write(data, old, "index.cdxj")
        result = tap.run("verify", old)
        assert result.returncode == 1 and "index.cdxj" in result.stdout, (at, result)

with tap.case("'stillpoint index' writes the same index, with a catalog or without"):
    tap.equal(tap.succeed("index", old), f"index.cdxj: {len(LINES)} lines from 1 WARC file\n")
    tap.equal(read(old, "index.cdxj"), INDEX)
    tap.succeed("verify", old)
    os.remove(f"{old}/index.cdxj")
    os.remove(f"{old}/catalog.sqlite")
    tap.succeed("index", old)
    tap.equal(read(old, "index.cdxj"), INDEX)

with tap.case("'stillpoint index' leaves damaged records and unfinished files out"):
    at = CONTENT.index(b"WARC-Type: response")
    at = CONTENT.index(b"\r\n\r\n", at) + 20
    write(CONTENT[:at] + b"\0" + CONTENT[at + 1:], old, "warc", NAME)
    shutil.copy(f"{PLAIN}/warc/{NAME}", f"{old}/warc/other.warc.gz.open")
    text = tap.succeed("index", old)
    assert text.startswith(f"index.cdxj: {len(LINES) - 1} lines from 1 WARC file\n"), text
    assert "damaged records (1)" in text and "not finished (1)" in text, text
    tap.refuse(1, "there are no WARC files in it", "index", tap.path("empty"))
    tap.refuse(1, "No such file", "index", tap.path("nowhere"))
    tap.refuse(2, "argument is missing", "index")

with tap.case("one missing file is one line, whatever follows from it"):
    several = crawl("several", "--warc-size", "5k")
    # The last file may hold nothing that others refer to.
    files = [os.path.basename(path) for path in living.warc_files(several)
             if any(record.type == "response" for record in living.records(path))]
    assert len(files) > 3, files
    tap.succeed("verify", several)
    for file in (files[0], files[len(files) // 2], files[-1]):
        os.rename(f"{several}/warc/{file}", tap.path(file))
        lines = tap.run("verify", several).stdout.splitlines()
        problems = [line for line in lines if not line.startswith(("note: ", "capture 1:"))]
        tap.equal(len(problems), 2)
        assert problems[0].startswith(f"warc/{file}: the file is missing; "), problems
        assert re.match(r"not verified: \d+ problems of 1 cause ", problems[1]), problems
        count = int(problems[1].split()[2])
        result = tap.run("verify", several, "-v")
        everything = [line for line in result.stdout.splitlines()
                      if not line.startswith(("note: ", "capture 1:"))]
        tap.equal(len(everything), count + 1)
        tap.equal(len(json.loads(tap.run("verify", several, "--json").stdout)["problems"]), count)
        os.rename(tap.path(file), f"{several}/warc/{file}")
    tap.succeed("verify", several)

with tap.case("what is wrong in the same way is one line"):
    lying = shutil.copytree(several, tap.doctored(tap.path("lying-often")))
    change(lying, "UPDATE observation SET payload = zeroblob(32) WHERE leg = 0")
    lines = tap.run("verify", lying).stdout.splitlines()
    tap.equal(len([line for line in lines if "another payload digest" in line]), 1)
    assert f", and {PAGES - 1} more" in lines[0], lines

with tap.case("a damaged catalog"):
    noise = copy("noise")
    tap.write("noise/catalog.sqlite", os.urandom(8192))
    result = tap.run("verify", noise)
    assert result.returncode in (1, 2) and result.stderr.count("\n") == 1, result

tap.done()
