#!/usr/bin/env python3
"""Fields of the head that readers notice: Refresh takes them elsewhere, Content-Disposition says
whether a file is shown or saved, and as what. Two looks are the same only if they are."""

import hashlib
import json
import os
import time

import living
import rawserver
import tap
from rawserver import respond

REFRESH, DISPOSITION = "Refresh", "Content-Disposition"
FILE = 'attachment; filename="report-1.pdf"'
# Name: fields at the visit, fields at the revisit, whether they are the same.
PAGES = {
    "refresh-same": ({REFRESH: "300; url=/next"}, {REFRESH: "300; url=/next"}, True),
    "refresh-blanks-around": ({REFRESH: "300; url=/next"}, {REFRESH: "  300; url=/next  "}, True),
    "refresh-name-case": ({REFRESH: "300; url=/next"}, {"REFRESH": "300; url=/next"}, True),
    "refresh-target": ({REFRESH: "300; url=/next"}, {REFRESH: "300; url=/other"}, False),
    "refresh-delay": ({REFRESH: "300; url=/next"}, {REFRESH: "301; url=/next"}, False),
    "refresh-appears": ({}, {REFRESH: "300; url=/next"}, False),
    "refresh-vanishes": ({REFRESH: "300; url=/next"}, {}, False),
    "refresh-empty": ({}, {REFRESH: ""}, False),
    "refresh-reload": ({REFRESH: "300"}, {REFRESH: "60"}, False),
    # Browsers read these alike; whoever wrote them changed the page.
    "refresh-blanks": ({REFRESH: "300; url=/next"}, {REFRESH: "300;url=/next"}, False),
    "refresh-case": ({REFRESH: "300; url=/next"}, {REFRESH: "300; URL=/next"}, False),
    # No rule explains a head.
    "refresh-token": ({REFRESH: "300; url=/next?csrf_token=8f3a91c07be24d56"},
                      {REFRESH: "300; url=/next?csrf_token=b1770e9d4c5f6a28"}, False),
    "name-same": ({DISPOSITION: FILE}, {DISPOSITION: FILE}, True),
    "name-other": ({DISPOSITION: FILE}, {DISPOSITION: FILE.replace("1", "2")}, False),
    "name-appears": ({}, {DISPOSITION: FILE}, False),
    "name-vanishes": ({DISPOSITION: FILE}, {}, False),
    "shown-then-saved": ({DISPOSITION: "inline"}, {DISPOSITION: "attachment"}, False),
    "swapped": ({REFRESH: "300", DISPOSITION: "inline"}, {REFRESH: "inline", DISPOSITION: "300"},
                False),
    "robots": ({"X-Robots-Tag": "all"}, {"X-Robots-Tag": "noindex, noarchive"}, True),
    "noise-plain": ({}, {}, True),
    "noise-same": ({REFRESH: "300; url=/next"}, {REFRESH: "300; url=/next"}, True),
    "noise-other": ({REFRESH: "300; url=/next"}, {REFRESH: "300; url=/other"}, False),
}
TARGETS = ("next", "other")
SAME = {name for name, (_, _, is_same) in PAGES.items() if is_same}
NONCES = ("a8Kd02LmQx91TzPf4RbW7c", "Zp3vN6yG5hJ0sEoU2iMq8X")


class Site:
    """Answers with the first fields, or the second ones."""

    def __init__(self):
        self.is_late = None  # None: by how often a page was asked for
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def answer(self, request):
        name = request.path[1:].partition("?")[0]
        asked = sum(each.path == request.path for each in self.server.requests)
        late = asked > 1 if self.is_late is None else self.is_late
        if name in ("", *TARGETS):
            links = "".join(f'<a href="/{each}">x</a>' for each in PAGES) if name == "" else name
            return respond("200 OK", links.encode(), **{"Content-Type": "text/html"})
        if name not in PAGES:
            return rawserver.NOT_FOUND
        body = f"<!doctype html><title>{name}</title><p>a page</p>"
        if name.startswith("noise"):
            body += f"<script nonce={NONCES[late]}>show()</script>"
        return respond("200 OK", body.encode(), **{"Content-Type": "text/html"},
                       **PAGES[name][late])


def crawl(site, name, *options):
    archive = tap.path(name)
    tap.succeed("crawl", site.url, "-o", archive, "--delay", "1ms", "--no-sitemaps", "--no-probes",
                "--quiet", *options)
    return archive


def verdicts(site, archive):
    rows = {row["url"][len(site.url):]: row for row in tap.load("report", archive)["verdicts"]}
    return {name: (rows[name]["verdict"], rows[name]["evidence"]) for name in PAGES}


def wanted(name):
    if name not in SAME:
        return "changed", None
    return "sharp", "normalised" if name.startswith("noise") else "bytes"


def check(site, archive):
    found = verdicts(site, archive)
    for name in PAGES:
        tap.equal((name, *found[name]), (name, *wanted(name)))
    for options in ((), ("--warc-only",)):
        tap.equal(tap.load("verify", archive, *options)["problems"], [])


site = Site()
for evidence in ("records", "compact"):
    with tap.case(f"between visit and revisit, --evidence {evidence}; verify and rebuild agree"):
        site.server.requests.clear()
        archive = crawl(site, evidence, "--evidence", evidence)
        check(site, archive)
        os.unlink(os.path.join(archive, "catalog.sqlite"))
        tap.succeed("rebuild", archive)
        check(site, archive)

with tap.case("diff names the field, with both values"):
    archive = tap.path("records")
    for name, field in (("refresh-target", REFRESH), ("refresh-appears", REFRESH),
                        ("name-other", DISPOSITION)):
        first, second, _ = PAGES[name]
        rows = tap.load("diff", archive, site.url + name)["differs"]
        tap.equal([(row["where"], row["a"], row["b"]) for row in rows],
                  [(field, first.get(field), second.get(field))])

with tap.case("judge of two archives says the same"):
    archives = []
    for site.is_late in (False, True):
        archives.append(crawl(site, f"single-{site.is_late}", "--single"))
        time.sleep(1.1)  # dates of records are whole seconds
    rows = tap.load("judge", *archives, "--slack", "0")
    found = {row["url"][len(site.url):]: row["verdict"] for row in rows["verdicts"]}
    for name in PAGES:
        tap.equal((name, found[name] in ("sharp", "unconfirmed")), (name, name in SAME))

with tap.case("a second capture: what is the same is not called changed"):
    archive = tap.path("single-False")
    crawl(site, "single-False", "--single")
    totals = tap.load("report", archive, "--compare", 1, 2)["totals"]
    # A single visit is not held against the noise of an earlier capture.
    same = {name for name in SAME if not name.startswith("noise")}
    tap.equal(totals["changed"], len(PAGES) - len(same))


# ---- archives of versions that did not look at them ----

def part(text):
    data = text if isinstance(text, bytes) else text.encode()
    return len(data).to_bytes(8, "big") + data


def old_state(name, late):
    """Form 1: status, Location, media type and body."""
    body = f"<!doctype html><title>{name}</title><p>a page</p>"
    if name.startswith("noise"):
        body += f"<script nonce={NONCES[late]}>show()</script>"
    parts = (b"stillpoint-state-1", b"200", b"content-type", b"text/html", b"body",
             hashlib.sha256(body.encode()).digest())
    return "sha256:" + hashlib.sha256(b"".join(map(part, parts))).hexdigest()


def as_before(block):
    """A warcinfo record or an attempt as the version before wrote it."""
    lines = block.decode().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines if ": " in line)
    name = fields.get("url", "")[len(site.url):]
    if "software" in fields:
        lines = [line for line in lines if not line.startswith("stillpoint-state-form")]
    return "\r\n".join(lines).encode()


with tap.case("an archive of a version that did not look at them: verify holds it to that"):
    site.is_late = None
    site.server.requests.clear()
    archive = crawl(site, "new", "--evidence", "records")
    before = tap.doctored(tap.path("before"))

    def rewritten(record):
        name = record.fields.get("WARC-Target-URI", "")[len(site.url):]
        if record.fields["WARC-Type"] == "warcinfo":
            record.change = as_before
        elif (record.fields["WARC-Type"] == "metadata" and name in PAGES
              and name.partition("-")[0] != "noise" and "state" in record.content()):
            def change(block):
                lines = block.split(b"\r\n")
                return b"\r\n".join(
                    b"state: " + old_state(name, False).encode() if line.startswith(b"state: ")
                    else line for line in lines
                    if line.split(b":")[0] not in (b"changed-in", b"rules", b"rule-set", b"compared"))
            record.change = change
        else:
            return False
        rewritten.change = record.change
        return True

    assert living.rewrite(archive, before, rewritten, lambda block: rewritten.change(block)) > 10
    tap.succeed("rebuild", before)
    for options in ((), ("--warc-only",)):
        answer = json.loads(tap.run("verify", before, "--json", *options).stdout)
        # Members that were packed anew have other heads, and noise has classes that are kept.
        tap.equal([each for each in answer["problems"] if "gzip member" not in each["problem"]
                   and "noise-" not in (each["url"] or "")], [])
    found = verdicts(site, before)
    for name in PAGES:
        if not name.startswith("noise"):
            tap.equal((name, found[name][0]), (name, "sharp"))

site.server.stop()
tap.done()
