#!/usr/bin/env python3
"""WARC files that are missing are named, however few are left; and a WARC or WACZ file may stand in the
place of an archive, whoever wrote it."""

import json
import os
import shutil
import zipfile

import living
import rawserver
import tap
import warcs

PAGES = 30
QUICK = ["--delay", "0", "--quiet", "--no-sitemaps"]
SMALL = ["--warc-size", "16k"]
TEMPORARY = tap.path("temporary")
os.mkdir(TEMPORARY)
os.environ["TMPDIR"] = TEMPORARY


def answer(request):
    if request.path != "/" and not request.path.startswith("/p"):
        return rawserver.NOT_FOUND
    token = os.urandom(16).hex()
    return rawserver.page((f"<title>t{request.path}</title><p>Bread and milk of {request.path} "
                           + "".join(f'<a href="/p{i}">p</a>' for i in range(PAGES))
                           + f"<input type=hidden name=csrf_token value={token}>").encode())


def names(archive):
    return sorted(os.listdir(os.path.join(archive, "warc")))


def drop_catalog(archive):
    for name in os.listdir(archive):
        if name.startswith("catalog.sqlite"):
            os.unlink(os.path.join(archive, name))


def verify(archive, *options):
    done = tap.run("verify", archive, "--json", *options)
    tap.equal(done.stderr, "")
    found = json.loads(done.stdout)
    tap.equal(done.returncode, 1 if found["problems"] else 0)
    return found


def said(found):
    return [row["problem"] for row in found["problems"] if "missing" in row["problem"]]


with rawserver.Server(answer) as server:
    URL = server.url
    ARCHIVE = tap.path("a")
    for options in ([], SMALL, []):
        tap.succeed("crawl", URL, *QUICK, *options, "-o", ARCHIVE)
    LANES = tap.path("lanes")
    other = URL.replace("127.0.0.1", "localhost")
    for _ in range(2):
        tap.succeed("crawl", URL, other, *QUICK, "--lanes", 2, "-o", LANES)
    OTHER = tap.path("other")
    tap.succeed("crawl", URL, *QUICK, "--max-pages", 3, "-o", OTHER)


# ---- files that are missing ----

def check_loss(source, lost, label):
    """Without its catalog, rebuilt, and by the WARC files alone."""
    copy = tap.doctored(tap.path(f"lost-{label}"))
    shutil.copytree(source, copy)
    for name in lost:
        os.unlink(os.path.join(copy, "warc", name))
    with_catalog = said(verify(copy))
    assert all(any(name in text for text in with_catalog) for name in lost), with_catalog
    assert said(verify(copy, "--warc-only")), (label, lost)
    drop_catalog(copy)
    done = tap.load("rebuild", copy)
    assert done["missing_files"] + done["missing_captures"] + done["without_start"] > 0, done
    text = tap.succeed("rebuild", copy)
    assert "missing" in text, text
    assert said(verify(copy)), (label, lost)
    assert "not verified" in tap.run("verify", copy).stdout
    shutil.rmtree(copy)


with tap.case("any file but the last is missing: rebuild says so, and verify never says 'verified'"):
    for i, name in enumerate(names(ARCHIVE)[:-1]):
        check_loss(ARCHIVE, [name], f"one-{i}")
    assert len(names(ARCHIVE)) > 6, names(ARCHIVE)

with tap.case("several files are missing"):
    files = names(ARCHIVE)
    check_loss(ARCHIVE, files[2:5], "run")
    check_loss(ARCHIVE, files[:3], "first")
    check_loss(ARCHIVE, files[1:-1], "middle")

with tap.case("the file of one of two lanes is missing"):
    files = names(LANES)
    tap.equal(len(files), 4)
    for name in files[:2]:
        check_loss(LANES, [name], "lane-" + name[-15:-8])

with tap.case("the numbers of missing files are named"):
    copy = tap.doctored(tap.path("named"))
    shutil.copytree(ARCHIVE, copy)
    lost = names(copy)[3]
    os.unlink(os.path.join(copy, "warc", lost))
    number = lost.split("-")[2]
    assert f"-{number}-" in said(verify(copy, "--warc-only"))[0]

with tap.case("nothing is missing: not said"):
    for archive in (ARCHIVE, LANES):
        tap.equal((said(verify(archive)), said(verify(archive, "--warc-only"))), ([], []))
        done = tap.load("rebuild", archive)
        tap.equal((done["missing_files"], done["missing_captures"]), (0, 0))


# ---- a file in the place of an archive ----

PACKAGE = tap.path("a.wacz")
tap.succeed("export", ARCHIVE, "--wacz", PACKAGE)
tap.succeed("export", ARCHIVE, "--warc", tap.path("all.warc.gz"))
FILES = [PACKAGE, tap.path("all.warc.gz")]


def verdicts(report):
    return {row["url"]: (row["verdict"], row["evidence"]) for row in report["verdicts"]}


with tap.case("report: every capture as in the archive"):
    for path in FILES:
        for capture in (1, 2, 3):
            got, want = (tap.load("report", at, "--capture", capture) for at in (path, ARCHIVE))
            tap.equal(verdicts(got), verdicts(want))
            tap.equal((got["state"], got["stillpoint"]), (want["state"], want["stillpoint"]))
        text = tap.succeed("report", path, "--captures")
        assert "3 captures" in text, text
        assert "sharp" in tap.succeed("report", path, "--why", URL + "p3")

with tap.case("verify: the file by itself"):
    for path in FILES:
        found = verify(path)
        tap.equal((found["problems"], found["sharp"]), ([], verify(ARCHIVE)["sharp"]))
        tap.equal(verify(path, "--warc-only"), found)

with tap.case("verify: damage in it is told"):
    with open(tap.path("all.warc.gz"), "rb") as file:
        data = bytearray(file.read())
    data[len(data) // 2] ^= 255
    found = verify(tap.write("damaged.warc.gz", bytes(data)))
    assert found["problems"], found

with tap.case("diff and search"):
    for path in [*FILES, os.path.join(ARCHIVE, "warc", names(ARCHIVE)[0])]:
        assert "evidence: normalised" in tap.succeed("diff", path, URL + "p3")
        found = tap.load("search", path, "bread", "milk", "--limit", 100)
        tap.equal(len(found["pages"]), PAGES + 1)
    tap.equal(os.listdir(TEMPORARY), [])


def foreign():
    """Two visits of another crawler, an hour apart: one page changes."""
    warc = warcs.Warc()
    for path, bodies in (("same", "xx"), ("edited", "xy")):
        for hour, letter in enumerate(bodies):
            warc.response(f"http://example.org/{path}", f"<p>{path} {letter}</p>",
                          f"2026-01-01T0{hour}:00:00Z")
    return warc


with tap.case("a file of another crawler: what judge says"):
    plain = tap.write("foreign.warc.gz", foreign().gz())
    with zipfile.ZipFile(tap.path("foreign.wacz"), "w") as package:
        package.writestr("archive/foreign.warc.gz", foreign().gz())
    for path in (plain, tap.path("foreign.wacz")):
        want = json.loads(tap.run("judge", path, "--json").stdout)
        tap.equal(verdicts(tap.load("report", path)), verdicts(want))
        text = tap.succeed("diff", path, "http://example.org/edited")
        assert "edited" in text and "differ" in text, text
        tap.equal(len(tap.load("search", path, "edited")["pages"]), 1)
        found = verify(path)
        tap.equal((found["problems"], found["sharp"]), ([], 0))

with tap.case("what is no such file"):
    text = tap.write("text", "nothing of the kind\n")
    empty = tap.write("empty.warc.gz", "")
    for path in (text, empty):
        for words in (["report", path], ["verify", path], ["diff", path, URL], ["search", path, "x"]):
            tap.refuse(1, "no WARC or WACZ file", *words)
    tap.refuse(1, "import FILE -o ARCHIVE", "rebuild", PACKAGE)


# ---- imported captures ----

def captures(archive):
    return [(row["capture"], row["captured"], row["sharp"])
            for row in tap.load("report", archive, "--captures")["captures"]]


with tap.case("imported captures are captures of the archive, with numbers that stay"):
    want = captures(OTHER) + [(row[0] + 1, *row[1:]) for row in captures(ARCHIVE)]
    tap.succeed("import", ARCHIVE, "-o", OTHER)
    tap.equal(captures(OTHER), want)
    with rawserver.Server(answer) as server:
        tap.succeed("crawl", server.url, *QUICK, "--max-pages", 3, "-o", OTHER)
    want = captures(OTHER)
    tap.equal(len(want), 5)
    tap.equal((verify(OTHER)["problems"], verify(OTHER, "--warc-only")["problems"]), ([], []))
    drop_catalog(OTHER)
    done = tap.load("rebuild", OTHER)
    tap.equal((done["captures"], done["missing_files"], done["missing_captures"]), (5, 0, 0))
    tap.equal(captures(OTHER), want)
    tap.equal((verify(OTHER)["problems"], verify(OTHER, "--warc-only")["problems"]), ([], []))

with tap.case("the same again adds nothing, from a package neither"):
    for path in (ARCHIVE, PACKAGE):
        tap.succeed("import", path, "-o", OTHER)
        tap.equal(captures(OTHER), want)
    fresh = tap.path("fresh")
    tap.succeed("import", PACKAGE, "-o", fresh)
    tap.equal([row[1:] for row in captures(fresh)], [row[1:] for row in captures(ARCHIVE)])
    tap.equal(verify(fresh)["problems"], [])

tap.done()
