#!/usr/bin/env python3
"""npm's warcio reads a capture of a living site: every record, every digest, the same index."""

import collections
import json
import os
import shutil
import subprocess

import h2server
import living
import tap

SOURCE = os.path.join(os.environ["SRCDIR"], "tests/e2e")
ARCHIVE = tap.path("archive")


def node(*arguments):
    """What a program in JavaScript prints when all goes well."""
    done = subprocess.run(["node", *arguments], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


if not shutil.which("npm"):
    tap.skip("warcio", "there is no npm")
    tap.done()
MODULES = subprocess.run([os.path.join(os.environ["SRCDIR"], "tools/install-npm")], text=True,
                         stdout=subprocess.PIPE, check=True).stdout.strip()
WARCIO = f"{MODULES}/node_modules/warcio/dist/cli.js"

with tap.case("a living site is captured"):
    with living.Site("site", "--pages", 40, "--host", "www.localhost", "--cdn-host", "cdn.localhost",
                     "--requisites", 2, "--mean-rate", 0.3, "--redirects", 0.1,
                     "--errors", "0.2:404,500,reset,truncated") as site:
        report = tap.load("crawl", site.url, "--delay", 0, "--jobs", 2, "--attempts", 1,
                          "--warc-size", "60k", "--evidence", "records", "-o", ARCHIVE)
        # Once more: what has not changed since is in the archive already.
        again = tap.load("crawl", site.url, "--delay", 0, "--jobs", 2, "--attempts", 1,
                         "--warc-size", "60k", "--evidence", "records", "-o", ARCHIVE)
        compact = tap.load("crawl", site.url, "--delay", 0, "--jobs", 2, "--attempts", 1,
                           "-o", tap.path("compact"))
    tap.equal((again["capture"], compact["capture"]), (2, 1))
    assert report["sharp"] > 40 and report["failed"] > 0 and report["totals"]["absent"] > 0
    assert any(row["status"] in (301, 302) for row in report["verdicts"])

FILES = living.warc_files(ARCHIVE)
RECORDS = []  # what `inspect` says of each, with its file
for file in FILES:
    name = os.path.basename(file)
    RECORDS += [dict(json.loads(line), file=name)
                for line in tap.succeed("inspect", "warc", file).splitlines()]

with tap.case("warcio finds the same records, in several files"):
    assert len(FILES) > 2, FILES
    theirs = [json.loads(line) for line in node(
        WARCIO, "index", *FILES, "--fields", "filename,offset,length,warc-type").splitlines()]
    for row in theirs:
        row["filename"] = os.path.basename(row["filename"])
    tap.equal(theirs, [{"filename": record["file"], "offset": record["offset"],
                        "length": record["length"], "warc-type": record["type"]}
                       for record in RECORDS])

def check_sums(lines, types):
    """Records have a digest of their block, responses one of their payload."""
    words = collections.Counter(tuple(line.split(" ")[1:3]) for line in lines)
    for kind, count in types.items():
        tap.equal((kind, words[kind, "payload" if kind == "response" else "block"]), (kind, count))


with tap.case("warcio computes the digests that the records state"):
    lines = node(f"{SOURCE}/warcio.mjs", MODULES, *FILES).splitlines()
    check_sums(lines, collections.Counter(record["type"] for record in RECORDS))
    assert sum(" response payload " in line for line in lines) > 80

with tap.case("every revisit refers to a response of the same payload"):
    counts = json.loads(node(f"{SOURCE}/warcio_revisits.mjs", MODULES, *FILES))
    tap.equal(counts, collections.Counter(record["type"] for record in RECORDS))
    assert counts["revisit"] > 40, counts


with tap.case("warcio reads what an export makes of compact looks"):
    exported = tap.path("exported.warc.gz")
    tap.succeed("export", tap.path("compact"), "--warc", exported)
    counts = json.loads(node(f"{SOURCE}/warcio_revisits.mjs", MODULES, exported))
    assert counts["revisit"] > 20, counts
    lines = node(f"{SOURCE}/warcio.mjs", MODULES, exported).splitlines()
    check_sums(lines, counts)


def entries(lines):
    """Time and JSON of each line. Its key is no record's: warcio leaves the slash at its end."""
    return sorted(line.partition(" ")[2] for line in lines)


with tap.case("warcio writes the same index"):
    with open(f"{ARCHIVE}/index.cdxj", encoding="utf-8") as index:
        ours = entries(index)
    theirs = entries(node(WARCIO, "cdx-index", "--format", "cdxj", *FILES).splitlines(True))
    tap.equal([pair for pair in zip(ours, theirs) if pair[0] != pair[1]], [])
    tap.equal(len(ours), len(theirs))
    assert len(ours) > 80, len(ours)

with tap.case("the index is in the order of its bytes"):
    subprocess.run(["sort", "-c", f"{ARCHIVE}/index.cdxj"], check=True,
                   env=dict(os.environ, LC_ALL="C"))

if shutil.which("nghttpd"):
    with tap.case("what came over HTTP/2 and TLS is to warcio as anything else"):
        key, certificate = h2server.make_certificate()
        with h2server.Nghttpd({"index.html": "<a href=a.html>a</a>", "a.html": "A"}, key,
                              certificate) as server:
            tap.succeed("crawl", server.url, "--evidence", "records", "--http2", "--cacert", certificate, "--delay", 0,
                        "-o", tap.path("h2"))
        files = living.warc_files(tap.path("h2"))
        lines = node(f"{SOURCE}/warcio.mjs", MODULES, *files).splitlines()
        records = [record for file in files for record in living.stored_records(file)]
        check_sums(lines, collections.Counter(record.type for record in records))
        tap.equal(sum(" response payload " in line for line in lines), 4)
        with open(f"{tap.path('h2')}/index.cdxj", encoding="utf-8") as index:
            ours = entries(index)
        tap.equal(ours, entries(node(WARCIO, "cdx-index", "--format", "cdxj",
                                     *files).splitlines(True)))
        assert any("h2" in record.all("WARC-Protocol") for record in records)
else:
    tap.skip("HTTP/2", "there is no nghttpd")

tap.done()
