#!/usr/bin/env python3
"""Every `stillpoint inspect` and `stillpoint-lab inspect` on odd input: it never crashes or hangs, what it prints is one JSON
object per line with the keys of the contract, and what it cannot read it says in one line, with
status 2."""

import json
import re
import subprocess

import tap

KEYS = {
    "robots": {"url", "allowed", "line", "crawl_delay"},
    "links": {"url", "kind"},
    "sitemap": {"loc", "lastmod", "changefreq", "priority"},
    "warc": {"offset", "length", "type", "url", "date", "status", "mime", "payload_digest", "ok",
             "error"},
    "text": {"title", "language", "robots", "text", "images", "tables", "links"},
    "rate": {"n", "m", "naive", "bias_reduced", "mle", "hacs", "posterior_mean", "low", "high",
             "p_within"},
    "url": {"input", "url", "canonical", "surt", "error"},
}
OTHERS = {"robots": ["http://h/"], "links": ["--base", "http://h/"],
          "sitemap": ["--base", "http://h/"]}
INPUTS = {
    "nothing": b"",
    "NUL bytes": bytes(70000),
    "all bytes": bytes(range(256)) * 300,
    "a huge line": b"a" * 3000000,
    "gzip that is none": b"\x1f\x8b\x08\x00" * 9,
    "markup without end": b"<" * 100000,
}


def run(what, name, data=None):
    """Status, lines of output, lines of complaint; name is that of the file, or -."""
    done = subprocess.run(tap.command("inspect", what, name, *OTHERS.get(what, [])), input=data,
                          capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode().splitlines()


def check_readable(what, outcome):
    status, lines, complaints = outcome
    tap.equal((status, complaints), (0, []))
    for line in lines:
        tap.equal(set(json.loads(line)), KEYS[what])


def check_refused(what, outcome):
    status, lines, complaints = outcome
    tap.equal((status, lines, len(complaints)), (2, [], 1))
    assert re.match(f"stillpoint(-lab)?: inspect {what}: ", complaints[0]), complaints


for what in KEYS:
    # Bytes can fail to be a sitemap or JSON (no lines are fine); URLs come from standard input only.
    for label, data in INPUTS.items():
        refused = what == "sitemap" or (what == "rate" and data)
        check = check_refused if refused else check_readable
        with tap.case(f"{what}: {label}"):
            check(what, run(what, "-", data))
            if what != "url":
                check(what, run(what, tap.write("input", data)))
    if what != "url":
        with tap.case(f"{what}: no file"):
            check_refused(what, run(what, tap.path("none")))
            check_refused(what, run(what, tap.DIRECTORY.name))
tap.done()
