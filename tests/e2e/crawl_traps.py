#!/usr/bin/env python3
"""What is left out, and saying so: bodies that are in the archive already, traps, soft 404s; and that
normal sites lose nothing."""

import gzip
import json
import os
import random

import living
import rawserver
import tap
from rawserver import page, respond

QUICK = ["--delay", "0", "--jobs", "4"]


def words(seed, count):
    """Text that no other seed has."""
    letters = random.Random(seed)
    return " ".join("".join(letters.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(count))


def links(*hrefs):
    return "".join(f'<p><a href="{href}">to</a></p>' for href in hrefs)


def html(text):
    return page(text.encode())


class Server(rawserver.Server):
    """find(path) gives an answer, or what makes one of the request, or None for what is not there;
    robots.txt and sitemap are missing."""

    def __init__(self, find, port=0):
        super().__init__(self.answer_path, port)
        self.find = find

    def answer_path(self, request):
        there = request.path not in ("/robots.txt", "/sitemap.xml")
        answer = there and self.find(request.path) or rawserver.NOT_FOUND
        return answer(request) if callable(answer) else answer


def responses(archive, path=""):
    """Response and revisit records whose URL ends so, with the leg of their attempt."""
    return [(attempt.leg, attempt.response) for attempt in living.attempts(archive)
            if attempt.response and attempt.url.endswith(path) and attempt.leg != "side"]


def size(archive):
    return sum(os.path.getsize(file) for file in living.warc_files(archive))


# ---- duplicates ----

SAME = words("same", 300)
SITE = {
    "/": html(links("/first", "/copy", "/plain", "/coded", "/small", "/tiny", "/cut")),
    "/first": html(SAME),
    "/copy": page(SAME.encode(), x_other="head"),
    "/plain": respond("200 OK", gzip.compress(SAME.encode(), mtime=0), content_type="text/html"),
    "/coded": page(gzip.compress(SAME.encode(), mtime=0), content_encoding="gzip"),
    "/small": html("little"),
    "/tiny": html("little"),
    "/cut": lambda request: request.send(page(SAME.encode(), content_length=len(SAME) + 9)),
}
ARCHIVE = tap.path("duplicates")

with tap.case("the same body at another URL is a revisit record that refers to the first"):
    with Server(SITE.get) as server:
        report = tap.load("crawl", server.url, *QUICK, "--attempts", 1, "-o", ARCHIVE)
        pages = {row["url"][len(server.url) - 1:]: row for row in report["verdicts"]}
        first_size = size(ARCHIVE)
        again = tap.load("crawl", server.url, *QUICK, "--attempts", 1, "-o", ARCHIVE)
    twins = [records[0][1] for records in (responses(ARCHIVE, "/first"), responses(ARCHIVE, "/copy"))]
    tap.equal(sorted(record.type for record in twins), ["response", "revisit"])
    original, copy = sorted(twins, key=lambda record: record.type)
    tap.equal(copy.fields["WARC-Refers-To"], original.id)
    tap.equal(copy.fields["WARC-Refers-To-Target-URI"], original.fields["WARC-Target-URI"])
    tap.equal(copy.fields["WARC-Refers-To-Date"], original.fields["WARC-Date"])
    tap.equal(copy.fields["WARC-Payload-Digest"], original.fields["WARC-Payload-Digest"])
    for record in twins:
        assert (b"X-Other" in record.block) == (record.fields["WARC-Target-URI"][-5:] == "/copy")

with tap.case("verdicts are those of the page itself"):
    tap.equal({path: row["verdict"] for path, row in pages.items() if row["verdict"] != "sharp"},
              {"/cut": "failed"})

with tap.case("bytes that mean something else, small bodies and cut ones are stored as they are"):
    for path in ("/plain", "/coded", "/small", "/tiny", "/cut"):
        tap.equal((path, responses(ARCHIVE, path)[0][1].type), (path, "response"))

with tap.case("a capture of what the archive has already refers to it, never to a revisit record"):
    tap.equal((again["capture"], again["sharp"]), (2, report["sharp"]))
    by_id = {record.id: record for file in living.warc_files(ARCHIVE) for record in living.records(file)}
    revisits = [record for record in by_id.values() if record.type == "revisit"]
    assert len(revisits) >= 3 * 4, len(revisits)
    for record in revisits:
        tap.equal(by_id[record.fields["WARC-Refers-To"]].type, "response")
    bodies = [record for _, record in responses(ARCHIVE) if record.type == "response"
              and SAME.encode() in record.block]
    tap.equal(len(bodies), 3)  # two of them of what is cut
    assert size(ARCHIVE) < 1.9 * first_size, (size(ARCHIVE), first_size)

with tap.case("verify follows the references"):
    tap.succeed("verify", ARCHIVE)
    tap.succeed("verify", ARCHIVE, "--warc-only")

with tap.case("a WARC file that was taken away is not referred to"):
    for file in living.warc_files(ARCHIVE):
        os.rename(file, tap.path(os.path.basename(file)))
    with Server(SITE.get, server.port) as server:
        report = tap.load("crawl", server.url, *QUICK, "--attempts", 1, "-o", ARCHIVE)
    types = {record.type for leg, record in responses(ARCHIVE, "/coded") if leg == "visit"}
    tap.equal(types, {"response"})

tap.done()
