#!/usr/bin/env python3
"""Looks whose body the archive has already are judged by the rules against noise like all others:
their records are revisit records, and the body is in that of another look, page or capture."""

import collections
import hashlib
import itertools
import os
import shutil
import time

import living
import rawserver
import tap

TEXT = "<p>Caf\u00e9: what there is to read on this page stays as it is, word for word.</p>" * 9


def token(number):
    """As random as a secret: 32 hex digits."""
    return hashlib.sha256(b"%d" % number).hexdigest()[:32]


def known(state):
    """Noise that a built-in rule knows."""
    return f"<form><input type=hidden name=csrf_token value={token(state)}></form>"


def unknown(state):
    """The same, but no rule knows it before it is learned."""
    return f"<form><input type=hidden name=zq7 value={token(state)}></form>"


def page(body, charset="utf-8", status="200 OK"):
    data = f"<html><body>{TEXT}{body}</body></html>".encode()
    return (f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset={charset}\r\n"
            f"Content-Length: {len(data)}\r\n\r\n").encode() + data


class Site:
    """Page NAME shows the next of its states at each look. Pages share their bodies: all, or that of
    the first look alone."""

    def __init__(self, noise, names, charsets=("utf-8",), own=False):
        self.noise, self.names, self.charsets, self.own = noise, names, charsets, own
        self.looks = collections.defaultdict(itertools.count)
        self.first = 0

    def begin(self, first):
        """The next look at each page shows state 0, the one after it the given one."""
        self.looks.clear()
        self.first = first

    def __call__(self, request):
        if request.path == "/":
            words = hashlib.sha512(b"front").hexdigest()  # a record that is worth referring to
            return page(words + "".join(f"<a href=/{name}>x</a>" for name in self.names))
        name = request.path.removeprefix("/")
        if name not in self.names:
            return rawserver.NOT_FOUND
        look = next(self.looks[name])
        state = 0 if look == 0 else self.first + look
        if self.own and look:
            state += 1000 * self.names.index(name)
        return page(self.noise(state) if name[0] != "s" else "",
                    self.charsets[self.names.index(name) % len(self.charsets)])


def crawl(server, archive, *options):
    done = tap.run("crawl", server.url, "-o", archive, "--delay", "1ms", "--no-sitemaps", *options)
    tap.equal((done.returncode, done.stderr), (0, ""))
    report = tap.load("report", archive)
    return report, {row["url"].removeprefix(server.url): row for row in report["verdicts"]}


def verify(archive):
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, *options)
        assert done.returncode == 0 and not done.stderr, done


def revisit_records(archive):
    return {record.fields["WARC-Target-URI"] for path in living.warc_files(archive)
            for record in living.records(path) if record.type == "revisit"}


def check_sharp(rows, names, rule):
    for name in names:
        row = rows[name]
        tap.equal((name, row["verdict"], row["evidence"]), (name, "sharp", "normalised"))
        tap.equal(row["rules"], [{"name": rule, "count": 1}])
        assert row["proven"], row


def check_diff(archive, url, rule, place):
    """The only place that differs is this one, and the rule explains it."""
    text = " ".join(tap.succeed("diff", archive, url).split())
    assert "Places that differ: 1; rules explain all of them." in text, text
    assert f"{rule}, 1\u00d7" in text and place in text, text


def files_with_response(archive, url):
    return [path for path in living.warc_files(archive)
            if any(record.type == "response" and record.fields["WARC-Target-URI"] == url
                   for record in living.records(path))]


NAMES = ["a", "b", "c"]

with tap.case("pages that share their bodies are sharp in spite of their noise"):
    archive, site = tap.path("known"), Site(known, NAMES)
    with rawserver.Server(site) as server:
        site.begin(10)
        report, rows = crawl(server, archive, "--no-probes")
        check_sharp(rows, NAMES, "token")
        # Both looks at two of the pages are in records of the third.
        assert len(revisit_records(archive)) >= 3, revisit_records(archive)
        verify(archive)
        second = int(time.time())
        while int(time.time()) == second:  # a date of its own, or a body is stored again
            time.sleep(0.02)
        site.begin(20)
        report, rows = crawl(server, archive, "--no-probes")
        tap.equal(report["capture"], 2)
        check_sharp(rows, NAMES, "token")
        verify(archive)

with tap.case("diff shows them"):
    for name in NAMES:
        check_diff(archive, server.url + name, "token", "input[name=csrf_token]@value")

with tap.case("a body that is not there proves nothing"):
    lost = tap.path("lost")
    shutil.copytree(os.path.join(archive, "warc"), os.path.join(lost, "warc"))
    # The front page is the same in both captures: its body is in a file of the first alone, as are
    # those of the first looks at the others.
    [bodies] = files_with_response(lost, server.url)
    os.unlink(bodies)
    assert server.url in revisit_records(lost), revisit_records(lost)
    done = tap.run("verify", lost, "--warc-only", "-v")
    tap.equal(done.returncode, 1)
    assert "the record it refers to is not there" in done.stdout, done.stdout
    assert "0 sharp" in done.stdout or " 0 of " in done.stdout, done.stdout

with tap.case("judge resolves them, too"):
    judged = tap.load("judge", archive)
    for row in judged["verdicts"]:
        if row["url"].removeprefix(server.url) in NAMES:
            tap.equal((row["url"], row["verdict"], row["evidence"]),
                      (row["url"], "sharp", "normalised"))

with tap.case("the same bytes under another charset are another text"):
    archive, site = tap.path("charsets"), Site(known, NAMES, ("utf-8", "windows-1252"))
    with rawserver.Server(site) as server:
        site.begin(10)
        _, rows = crawl(server, archive, "--no-probes")
        check_sharp(rows, NAMES, "token")
        assert server.url + "b" not in revisit_records(archive)
        assert server.url + "c" in revisit_records(archive)
        verify(archive)

with tap.case("rules are learned from such looks, and act on them"):
    # The second capture shows the states of the first again: all its looks are revisit records.
    names = [f"f{i}" for i in range(20)] + [f"s{i}" for i in range(300)]
    archive, site = tap.path("unknown"), Site(unknown, names, own=True)
    with rawserver.Server(site) as server:
        for capture in (1, 2):
            site.begin(10)
            report, rows = crawl(server, archive)
            tap.equal(report["capture"], capture)
            check_sharp(rows, names[:20], "learned")
            for name in names[:3]:
                check_diff(archive, server.url + name, "learned", "input[name=zq7]@value")
            verify(archive)

tap.done()
