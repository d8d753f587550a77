#!/usr/bin/env python3
"""Archives leave as WACZ, WARC, CDXJ and CSV: what is in them is checked with Python's own zip, gzip and
hashes; bad input gets one line and leaves no file."""

import concurrent.futures
import contextlib
import csv
import gzip
import hashlib
import io
import json
import os
import shutil
import stat
import subprocess
import time
import zipfile

import living
import rawserver
import tap
import warcs
from rawserver import page, respond
from replaying import Server

ARCHIVE = tap.path("site.stillpoint")
PACKAGE = tap.path("site.wacz")
# Files are exported as they are if other tools know all their records (evidence.py has the rest).
RECORDS = "--delay", 0, "--evidence", "records"
SITE = {
    "/": page(b"<!doctype html><title>The &quot;first&quot; page</title><a href=/second>2</a>"
              b"<a href=/gone>3</a><img src=/dot.png><p>Milk is 1.09</p>"
              + b"<!-- long enough to be stored once -->" * 30),
    "/second": respond("200 OK", gzip.compress(b"<title>Second</title><p>Bread, <b>fresh</b>"),
                       content_type="text/html; charset=utf-8", content_encoding="gzip"),
    "/dot.png": respond("200 OK", b"\x89PNG\r\n", content_type="image/png",
                        set_cookie="session=SECRET; HttpOnly"),
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


with rawserver.Server(lambda request: SITE.get(request.path, rawserver.NOT_FOUND)) as site:
    tap.load("crawl", site.url, *RECORDS, "-o", ARCHIVE)
    tap.load("crawl", site.url, *RECORDS, "-o", tap.path("twice"))
    second = int(time.time())
    while int(time.time()) < second + 1:  # a date of its own, or it is stored again
        time.sleep(0.02)
    tap.load("crawl", site.url, *RECORDS, "-o", tap.path("twice"))
URL = site.url


def pages(package):
    head, *lines = map(json.loads, package.read("pages/pages.jsonl").splitlines())
    return head, lines


with tap.case("a WACZ has all files of the archive, as they are and stored"):
    said = tap.succeed("export", ARCHIVE, "--wacz", PACKAGE)
    assert said.startswith(f"{PACKAGE}: "), said
    assert not os.path.exists(PACKAGE + ".new")
    with zipfile.ZipFile(PACKAGE) as package:
        tap.equal(package.testzip(), None)
        tap.equal({entry.compress_type for entry in package.infolist()}, {zipfile.ZIP_STORED})
        names = [f"archive/{os.path.basename(path)}" for path in living.warc_files(ARCHIVE)]
        tap.equal(package.namelist(), names + ["indexes/index.cdx.gz", "indexes/index.idx",
                                               "pages/pages.jsonl", "datapackage.json",
                                               "datapackage-digest.json"])
        for path, name in zip(living.warc_files(ARCHIVE), names):
            tap.equal(package.read(name), read(path))

with tap.case("its description has the digests of all of them"):
    with zipfile.ZipFile(PACKAGE) as package:
        text = package.read("datapackage.json")
        described = json.loads(text)
        tap.equal((described["profile"], described["wacz_version"]), ("data-package", "1.1.1"))
        tap.equal(described["mainPageUrl"], URL)
        resources = {row["path"]: row for row in described["resources"]}
        tap.equal(sorted(resources), sorted(package.namelist()[:-2]))
        for name, row in resources.items():
            data = package.read(name)
            tap.equal((row["bytes"], row["hash"], row["name"]),
                      (len(data), "sha256:" + hashlib.sha256(data).hexdigest(),
                       os.path.basename(name)))
        tap.equal(json.loads(package.read("datapackage-digest.json")),
                  {"path": "datapackage.json",
                   "hash": "sha256:" + hashlib.sha256(text).hexdigest()})

with tap.case("its index is the archive's, in blocks"):
    with zipfile.ZipFile(PACKAGE) as package:
        blocks = package.read("indexes/index.cdx.gz")
        tap.equal(gzip.decompress(blocks), read(f"{ARCHIVE}/index.cdxj"))
        meta, first = package.read("indexes/index.idx").decode().splitlines()
        tap.equal(json.loads(meta.removeprefix("!meta 0 ")),
                  {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"})
        row = json.loads(first.split(" ", 2)[2])
        tap.equal((row["offset"], row["length"]), (0, len(blocks)))

with tap.case("its pages have titles; images and what is missing are none"):
    with zipfile.ZipFile(PACKAGE) as package:
        head, lines = pages(package)
        tap.equal((head["format"], head["hasText"]), ("json-pages-1.0", False))
        tap.equal([(line["url"], line["title"], "text" in line) for line in lines],
                  [(URL, 'The "first" page', False), (URL + "second", "Second", False)])
        tap.equal(len({line["id"] for line in lines}), 2)

with tap.case("with --text they have their text, too"):
    tap.succeed("export", ARCHIVE, "--text", "--wacz", tap.path("text.wacz"))
    with zipfile.ZipFile(tap.path("text.wacz")) as package:
        head, lines = pages(package)
        tap.equal(head["hasText"], True)
        tap.equal([line["text"] for line in lines], ["23\nMilk is 1.09", "Bread, fresh"])

with tap.case("standard output gets the same bytes, every time"):
    for _ in range(2):
        done = subprocess.run([tap.PROGRAM, "export", ARCHIVE, "--wacz", "-"],
                              capture_output=True, check=False)
        tap.equal((done.returncode, done.stderr), (0, b""))
        tap.equal(done.stdout, read(PACKAGE))

with tap.case("a WACZ goes out again as it came"):
    tap.succeed("export", PACKAGE, "--wacz", tap.path("again.wacz"))
    tap.equal(read(tap.path("again.wacz")), read(PACKAGE))

with tap.case("the index as CDXJ and as CSV"):
    tap.equal(tap.succeed("export", ARCHIVE, "--cdxj", "-").encode(),
              read(f"{ARCHIVE}/index.cdxj"))
    lines = [json.loads(line.split(" ", 2)[2])
             for line in read(f"{ARCHIVE}/index.cdxj").decode().splitlines()]
    rows = list(csv.DictReader(io.StringIO(tap.succeed("export", ARCHIVE, "--csv", "-"))))
    names = ("url", "status", "mime", "digest", "length", "offset", "filename")
    tap.equal([[row[name] for name in names] for row in rows],
              [[line.get(name, "") for name in names] for line in lines])
    assert all(len(row["timestamp"]) == 14 for row in rows), rows

with tap.case("all WARC files in one, as they are"):
    tap.succeed("export", ARCHIVE, "--warc", tap.path("one.warc.gz"))
    tap.equal(read(tap.path("one.warc.gz")), b"".join(map(read, living.warc_files(ARCHIVE))))

with tap.case("and compressed anew"):
    for ending in ("warc", "warc.zst"):
        path = tap.path(f"anew.{ending}")
        tap.succeed("export", ARCHIVE, "--warc", path)
        tap.succeed("export", path, "--warc", tap.path("back.warc.gz"))
        before = list(living.records(tap.path("one.warc.gz")))
        after = list(living.records(tap.path("back.warc.gz")))
        tap.equal([(a.fields, a.block) for a in after], [(b.fields, b.block) for b in before])

with tap.case("--redact replaces cookies and says so; digests are right"):
    said = tap.succeed("export", ARCHIVE, "--redact", "--warc", tap.path("safe.warc.gz"))
    assert "records redacted" in said, said
    before = list(living.records(tap.path("one.warc.gz")))
    after = list(living.records(tap.path("safe.warc.gz")))
    tap.equal([record.id for record in after], [record.id for record in before])
    changed = [(old, new) for old, new in zip(before, after) if old.block != new.block]
    assert changed and not any(b"SECRET" in record.block for record in after), changed
    for old, new in changed:
        tap.equal(new.block, old.block.replace(b"session=SECRET; HttpOnly", b"[redacted]"))
        tap.equal(new.fields["WARC-Block-Digest"],
                  "sha256:" + hashlib.sha256(new.block).hexdigest())
        tap.equal(new.fields["WARC-Redacted"], "set-cookie")
        tap.equal(new.fields.get("WARC-Payload-Digest"), old.fields.get("WARC-Payload-Digest"))
    assert all("WARC-Redacted" not in new.fields
               for old, new in zip(before, after) if old.block == new.block)

with tap.case("a redacted WACZ is whole, and verify tells that it is redacted"):
    tap.succeed("export", ARCHIVE, "--redact", "--wacz", tap.path("safe.wacz"))
    os.makedirs(tap.path("safe/warc"))
    with zipfile.ZipFile(tap.path("safe.wacz")) as package:
        tap.equal(package.testzip(), None)
        tap.equal(gzip.decompress(package.read("indexes/index.cdx.gz")).count(b"\n"),
                  read(f"{ARCHIVE}/index.cdxj").count(b"\n"))
        for name in package.namelist():
            if name.startswith("archive/"):
                tap.write("safe/warc/" + os.path.basename(name), package.read(name))
    verified = tap.load("verify", "--warc-only", tap.path("safe"))
    tap.equal(verified["problems"], [])
    assert any("replaced secrets" in note["note"] for note in verified["notes"]), verified
    tap.equal(tap.load("verify", "--warc-only", ARCHIVE)["notes"], [])

with tap.case("--capture takes one capture, with what its revisits refer to"):
    uuids = [capture["uuid"] for capture in tap.load("verify", tap.path("twice"))["captures"]]
    tap.equal(len(uuids), 2)
    for number, uuid in enumerate(uuids, 1):
        os.makedirs(tap.path(f"only{number}/warc"))
        path = tap.path(f"only{number}/warc/only.warc.gz")
        tap.succeed("export", tap.path("twice"), "--capture", number, "--warc", path)
        found = list(living.records(path))
        ids = {record.id for record in found}
        referred = {record.fields["WARC-Refers-To"] for record in found if record.type == "revisit"}
        assert referred and referred <= ids, referred - ids
        tap.equal({attempt.capture for attempt in living.attempts(tap.path(f"only{number}"))},
                  {uuid})
        verified = tap.load("verify", "--warc-only", tap.path(f"only{number}"))
        tap.equal(([capture["uuid"] for capture in verified["captures"]], verified["problems"]),
                  ([uuid], []))
    tap.succeed("export", tap.path("twice"), "--capture", 2, "--wacz", tap.path("only.wacz"))
    with zipfile.ZipFile(tap.path("only.wacz")) as package:
        tap.equal([line["url"] for line in pages(package)[1]], [URL, URL + "second"])
    tap.refuse(1, "there is no capture 3", "export", tap.path("twice"), "--capture", 3, "--wacz",
               tap.path("no.wacz"))

with tap.case("a damaged record is told, and the rest goes out"):
    broken = bytearray(read(living.warc_files(ARCHIVE)[0]))
    whole = len(list(living.records(living.warc_files(ARCHIVE)[0])))
    broken[len(broken) // 2] ^= 0xFF
    tap.write("broken.warc.gz", bytes(broken))
    for form in (["--warc"], ["--warc", "--redact"], ["--warc", "--evidence", "compact"], ["--csv"],
                 ["--cdxj"], ["--wacz"]):
        name = tap.path("broken." + form[0][2:])
        done = tap.run("export", tap.path("broken.warc.gz"), *form[1:], form[0], name)
        tap.equal((form, done.returncode, os.path.exists(name)), (form, 1, True))
        assert "damaged records (" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    with zipfile.ZipFile(tap.path("broken.wacz")) as package:
        tap.equal(package.read("archive/broken.warc.gz"), bytes(broken))
    assert whole > 0

with tap.case("WACZ and WARC files come in: copied once, indexed, and shown"):
    fresh = tap.path("fresh.stillpoint")
    old = warcs.Warc()
    old.response(URL + "second", "<title>Older</title>", "2020-01-01T00:00:00Z")
    tap.write("other.warc", old.plain())
    assert "copied 2 WARC files; 0 were there" in (said := tap.succeed(
        "import", PACKAGE, tap.path("other.warc"), "-o", fresh)), said
    assert "copied 0 WARC files; 2 were there" in (said := tap.succeed(
        "import", tap.path("other.warc"), PACKAGE, "-o", fresh)), said
    for name in map(os.path.basename, living.warc_files(ARCHIVE)):
        tap.equal(read(f"{fresh}/warc/{name}"), read(f"{ARCHIVE}/warc/{name}"))
    assert "capture 1: " in tap.succeed("verify", fresh)
    tap.equal(len(tap.load("report", fresh, "--captures")["captures"]), 1)
    with Server(fresh) as server:
        tap.equal(server.text(f"/fresh/2020id_/{URL}second"), "<title>Older</title>")
        assert "Milk is 1.09" in server.text(f"/fresh/2100id_/{URL}")
    rows = list(map(json.loads, tap.succeed("rates", fresh, "--json").splitlines()))
    assert {row["url"] for row in rows} >= {URL, URL + "second"}, rows

with tap.case("another file of the same name gets a name of its own"):
    os.mkdir(tap.path("also"))
    newer = warcs.Warc()
    newer.response(URL + "third", "<title>Third</title>", "2021-01-01T00:00:00Z")
    tap.write("also/other.warc", newer.plain())
    tap.succeed("import", tap.path("also"), "-o", fresh)
    tap.equal(read(f"{fresh}/warc/other-2.warc"), newer.plain())
    assert "copied 0" in tap.succeed("import", tap.path("also"), "-o", fresh)

with tap.case("imported files stay in the index when the archive is crawled"):
    with rawserver.Server(lambda request: SITE.get(request.path, rawserver.NOT_FOUND)) as site:
        tap.load("crawl", site.url, "--delay", 0, "-o", fresh)
    index = read(f"{fresh}/index.cdxj").decode()
    tap.equal((index.count('"other.warc"'), index.count('"other-2.warc"')), (1, 1))
    assert f'"{site.url}second"' in index
    tap.succeed("index", fresh)
    tap.equal(read(f"{fresh}/index.cdxj").decode(), index)
    tap.succeed("verify", fresh)

with tap.case("what cannot come in leaves no archive"):
    tap.write("text.warc", "no WARC at all, but a list of nothing\n")
    tap.write("torn.wacz", read(PACKAGE)[:-40])
    for name in ("text.warc", "torn.wacz", "nothing.warc"):
        tap.refuse(2, name, "import", tap.path("other.warc"), tap.path(name), "-o", tap.path("no.stillpoint"))
        assert not os.path.exists(tap.path("no.stillpoint"))
    tap.refuse(2, "archive is missing", "import")
    tap.refuse(2, "nothing to import", "import", "-o", tap.path("no.stillpoint"))

with tap.case("bad input gets one line and leaves no file"):
    os.mkdir(tap.path("empty"))
    for status, want, *arguments in [
            (2, "give one of", ARCHIVE),
            (2, "give one of", ARCHIVE, "--wacz", "a", "--csv", "b"),
            (2, "--text goes with --wacz", ARCHIVE, "--text", "--csv", "-"),
            (2, "--redact goes with", ARCHIVE, "--redact", "--csv", "-"),
            (2, "--capture goes with", ARCHIVE, "--capture", "1", "--csv", "-"),
            (2, "empty", ARCHIVE, "--wacz", ""),
            (1, "No such file", tap.path("missing"), "--wacz", tap.path("no.wacz")),
            (1, "empty", tap.path("empty"), "--wacz", tap.path("no.wacz")),
            (1, tap.path("missing") + ": there is no such directory", ARCHIVE, "--wacz",
             tap.path("missing/no.wacz"))]:
        tap.refuse(status, want, "export", *arguments)
    for half in ("no.wacz", "no.wacz.new"):
        assert not os.path.exists(tap.path(half)), half

PAGES = tap.write("rates.csv", "url,rate\n" + "".join(
    f"https://example.org/{kind}/{i}.html,{rate}\n"
    for i in range(40) for kind, rate in (("news", 1e-3), ("help", 1e-8))))
OUTPUTS = {
    "cdxj": ("export", ARCHIVE, "--cdxj"),
    "csv": ("export", ARCHIVE, "--csv"),
    "warc": ("export", ARCHIVE, "--warc"),
    "packed": ("export", ARCHIVE, "--evidence", "compact", "--warc"),
    "wacz": ("export", ARCHIVE, "--wacz"),
    "index": ("index", PACKAGE, "-o"),
    "model": ("train", PAGES, "-o"),
    "report": ("report", ARCHIVE, "--html"),
    "diff": ("diff", ARCHIVE, URL, "--html"),
    "at": ("report", ARCHIVE, "--at", "2099", "--html"),
    "compare": ("report", tap.path("twice"), "--compare", "1", "2", "--html"),
}


def through_fifo(command, path):
    """What the command writes to a FIFO, or the end of it if it never opens it."""
    os.mkfifo(path)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        content = pool.submit(read, path)
        done = tap.run(*command, path)
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        tap.equal((done.returncode, done.stderr), (0, ""))
        return content.result()


for name, command in OUTPUTS.items():
    with tap.case(f"{name}: a FIFO and a device are written to, a link is followed"):
        fifo, link, target = (tap.path(f"{name}.{kind}") for kind in ("fifo", "link", "target"))
        content = through_fifo(command, fifo)
        assert content and stat.S_ISFIFO(os.stat(fifo).st_mode), name
        os.symlink("/dev/null", link)
        tap.equal(tap.run(*command, link).returncode, 0)
        tap.equal((os.readlink(link), stat.S_ISCHR(os.stat("/dev/null").st_mode)),
                  ("/dev/null", True))
        os.unlink(link)
        tap.write(f"{name}.target", "old")
        os.symlink(f"{name}.target", link)
        tap.equal(tap.run(*command, link).returncode, 0)
        assert os.path.islink(link) and len(read(target)) > 3, name
        if name in ("cdxj", "csv", "warc"):
            tap.equal(read(target), content)
        assert not [found for found in os.listdir(tap.DIRECTORY.name) if found.endswith(".new")]

with tap.case("an index stays if there is no WARC file to make it of"):
    copy = tap.path("gone.stillpoint")
    shutil.copytree(ARCHIVE, copy)
    before = read(os.path.join(copy, "index.cdxj"))
    for path in living.warc_files(copy):
        os.unlink(path)
    tap.refuse(1, "there is no complete WARC file", "index", copy)
    tap.equal(read(os.path.join(copy, "index.cdxj")), before)

with tap.case("a full disk leaves the old file as it was"):
    before = read(PACKAGE)
    done = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$0" export "$1" --wacz "$2"',
                           tap.PROGRAM, ARCHIVE, PACKAGE], capture_output=True, text=True,
                          check=False)
    tap.equal((done.returncode, done.stderr.count("\n")), (1, 1))
    tap.equal(read(PACKAGE), before)
    assert not os.path.exists(PACKAGE + ".new")
tap.done()
