#!/usr/bin/env python3
"""Pages together with their requisites: composite verdicts, and the states of requisites."""

import collections
import contextlib
import http.server
import os
import re
import shutil
import sqlite3
import threading

import living
import tap
import warcs

CONTACT = ("--contact", "https://example.org/")


class Composite:
    """A page of a report with all its parts, and what the truth says of them."""

    def __init__(self, report, row, truth):
        rows = [row] + [report["verdicts"][part["page"]] for part in row["requisites"]]
        times = [[living.milliseconds(part[key]) for key in (
            "visit_start", "visit_end", "revisit_start", "revisit_end")] for part in rows]
        self.verdict = row["composite"]
        self.parts = [part["url"] for part in rows]
        self.changed = any(truth.changed_within(part["url"], time[1], time[2])
                           for part, time in zip(rows, times) if None not in time)
        self.steady = not any(None in time or truth.changed_around(part["url"], time[0], time[3])
                              for part, time in zip(rows, times))


def living_composites(name, *options):
    archive = tap.path(name)
    hosts = [option for number in (2, 3) for option in (
        "--listen-also", f"127.0.0.{number}", "--requisite-host", f"127.0.0.{number}")]
    with living.Site(name, "--pages", living.scaled(150, 40), "--outdegree", 20, "--requisites", 5,
                     "--requisite-kinds", "style,image,script,font,frame", *hosts, *options) as site:
        done = living.crawl(site, archive, "--delay", "2ms")
        tap.equal((done.returncode, done.stderr), (0, ""))
    report = tap.load("report", archive, "--requisites")
    return archive, site, report, [Composite(report, row, site.truth()) for row in report["verdicts"]
                                   if row["composite"]]


with tap.case("three hosts: composites whose parts did not change are proven, and no others"):
    archive, site, report, composites = living_composites(
        "three", "--rates", "constant:0.05", "--requisite-rates", "constant:0.02")
    pages = [row for row in site.pages().values() if row["kind"] == "page"]
    tap.equal((report["composites"]["pages"], len(composites)), (len(pages), len(pages)))
    tap.equal(report["composites"]["sharp"], sum(c.verdict == "sharp" for c in composites))
    tap.equal({len(composite.parts) for composite in composites}, {6})
    tap.equal([c.parts[0] for c in composites if c.verdict == "sharp" and c.changed], [])
    steady = [composite for composite in composites if composite.steady]
    proven = sum(composite.verdict == "sharp" for composite in steady)
    print(f"# {len(composites)} composites, {len(steady)} steady, {proven} of them proven, "
          f"{sum(c.changed for c in composites)} changed")
    assert steady and proven >= 0.95 * len(steady), (proven, len(steady))
    tap.equal({c.verdict for c in composites if c.changed} - {"blurred"}, set())
    tap.equal(tap.run("verify", archive).returncode, 0)


class Site(http.server.BaseHTTPRequestHandler):
    """A page with all kinds of requisites. What is named in CHANGING differs each time."""
    requests = collections.Counter()
    CHANGING = "/changing.png"
    HEAD = '<title>t</title><link rel=stylesheet href=/shared.css><p>Some words to be read.'
    PAGES = {
        "/": HEAD + "".join(f'<a href="/{name}.html">x</a>' for name in (
            "whole", "blurred", "broken", "refused", "nested", "moved", "none", "long")),
        "/whole.html": HEAD + "<img src=/one.png><script src=/code.js></script>",
        "/blurred.html": HEAD + "<img src=/changing.png>",
        "/broken.html": HEAD + "<img src=/missing.png>",
        "/refused.html": HEAD + "<img src=/private/x.png>",
        "/nested.html": HEAD + "<iframe src=/frame.html></iframe>",
        "/frame.html": "<p>In a frame.<img src=/changing.png>",
        "/moved.html": HEAD + "<img src=/moved.png>",
        "/none.html": "<title>t</title><p>Nothing but text here.",
        "/long.html": HEAD + f"<img src=/{'x' * 20000}.png>",
        "/shared.css": '@import "/imported.css"; p { background: url(/back.png) }',
        "/imported.css": "@font-face { src: url(/font.woff2) }",
        "/robots.txt": "User-agent: *\nDisallow: /private/\n",
        "/code.js": "1", "/one.png": "1", "/back.png": "2", "/font.woff2": "3",
    }

    def do_GET(self):
        Site.requests[self.path] += 1
        body = Site.PAGES.get(self.path)
        if self.path == Site.CHANGING:
            body = str(Site.requests[self.path])
        self.send_response(302 if self.path == "/moved.png" else 200 if body else 404)
        if self.path == "/moved.png":
            self.send_header("Location", "/changing.png")
        kind = {"css": "text/css", "html": "text/html", "js": "text/javascript", "": "text/html",
                "txt": "text/plain"}.get(self.path.rpartition("/")[2].rpartition(".")[2], "image/png")
        self.send_header("Content-Type", kind)
        self.send_header("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT")
        self.send_header("Content-Length", str(len(body or "")))
        self.end_headers()
        self.wfile.write((body or "").encode())

    def log_message(self, *arguments):
        pass


SHARED = {"/shared.css", "/imported.css", "/back.png", "/font.woff2"}
WANT = {
    "/": ("sharp", SHARED),
    "/whole.html": ("sharp", SHARED | {"/one.png", "/code.js"}),
    "/blurred.html": ("blurred", SHARED | {"/changing.png"}),
    "/broken.html": ("sharp", SHARED | {"/missing.png"}),  # proven absent
    "/refused.html": ("incomplete", SHARED | {"/private/x.png"}),
    "/nested.html": ("blurred", SHARED | {"/frame.html", "/changing.png"}),
    "/moved.html": ("blurred", SHARED | {"/moved.png", "/changing.png"}),
    "/none.html": ("sharp", set()),
    "/long.html": ("incomplete", SHARED),  # its URL was not kept
}

with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    ROOT = f"http://127.0.0.1:{server.server_address[1]}"
    ARCHIVE = tap.path("made")
    result = tap.run("crawl", ROOT + "/", "--delay", 0, "--traps", "off", *CONTACT, "-o", ARCHIVE)
    server.shutdown()
REPORT = tap.load("report", ARCHIVE, "--requisites")


def short(url):
    return url.replace(ROOT, "")


def parts(report, row):
    return {short(report["verdicts"][part["page"]]["url"]): part["state"] for part in row["requisites"]}


with tap.case("every way in which a page has requisites"):
    tap.equal(result.returncode, 0)
    got = {short(row["url"]): (row["composite"], set(parts(REPORT, row)))
           for row in REPORT["verdicts"] if row["composite"]}
    tap.equal(got, WANT)
    spoilers = REPORT["composites"].pop("spoiled_by")
    tap.equal(REPORT["composites"], {"pages": 9, "sharp": 4})
    tap.equal([(short(row["url"]), row["verdict"], row["pages"]) for row in spoilers[:1]],
              [("/changing.png", "changed", 3)])
    tap.equal({short(row["url"]): row["pages"] for row in spoilers[1:]}, {"/private/x.png": 1})

with tap.case("a requisite has no composite of its own"):
    tap.equal({row["composite"] for row in REPORT["verdicts"] if row["kind"] != "page"}, {None})

with tap.case("shared requisites are downloaded twice in all"):
    tap.equal({Site.requests[path] for path in SHARED}, {2})

with tap.case("states of requisites"):
    rows = {short(row["url"]): row for row in REPORT["verdicts"]}
    states = {state for row in rows.values() for state in parts(REPORT, row).values()}
    assert states <= {"prima-facie-coherent", "possibly-coherent", "probably-violative",
                      "prima-facie-violative", None}, states
    tap.equal(parts(REPORT, rows["/refused.html"])["/private/x.png"], None)  # never captured
    # Visited after the page, and not modified since before it.
    tap.equal(parts(REPORT, rows["/whole.html"])["/one.png"], "prima-facie-coherent")

with tap.case("for people"):
    text = tap.succeed("report", ARCHIVE, "--requisites")
    assert "Pages that are sharp together with all their requisites: 4 of 9 (44.4 %)." in text, text
    assert f"{ROOT}/blurred.html: blurred\n" in text, text
    assert re.search(rf"^  [a-z-]+ +changed +{ROOT}/changing\.png$", text, re.M), text
    assert "  and others that were not kept\n" in text, text
    assert re.search(rf"^{ROOT}/changing\.png +3  changed$", text, re.M), text
    why = tap.succeed("report", ARCHIVE, "--why", ROOT + "/blurred.html")
    assert re.search(rf"^composite +blurred, because of\n +{ROOT}/changing\.png: changed; "
                     r"it spoils 3 pages$", why, re.M), why
    assert "nothing was known" in why, why
    assert "because of" not in tap.succeed("report", ARCHIVE, "--why", ROOT + "/whole.html")
    assert "state of requisites" in text and "not captured" in text, text
    assert "state of requisites" not in tap.succeed("report", ARCHIVE), "not asked for"

LIES = (
    ("the rule of a page", "UPDATE page SET rule = 'in: mood' WHERE id & 0xffffffff = 1",
     "the catalog has it otherwise than the page table of the WARC"),
    ("the weight of a page", "UPDATE page SET weight = 2 WHERE id & 0xffffffff = 1",
     "the catalog has it otherwise than the page table of the WARC"),
    ("a place in the plan", "UPDATE plan SET visit = visit + 1 WHERE id & 0xffffffff = 2",
     "the catalog has another plan than the page table of the WARC"),
    ("a requisite that was added", "INSERT INTO requisite VALUES(1, 2, 0)",
     "the catalog has other requisites of page 2 than the page table of the WARC"),
    ("a requisite that was removed", "DELETE FROM requisite WHERE page = 0",
     "requisites"),
)

for label, sql, want in LIES:
    with tap.case(f"verify: {label}"):
        lying = tap.doctored(tap.path("lying"))
        shutil.rmtree(lying, ignore_errors=True)
        shutil.copytree(ARCHIVE, lying)
        tap.equal(tap.run("verify", lying).returncode, 0)
        with contextlib.closing(sqlite3.connect(os.path.join(lying, "catalog.sqlite"))) as database:
            assert database.execute(sql).rowcount > 0, sql
            database.commit()
        done = tap.run("verify", lying)
        assert done.returncode == 1 and want in done.stdout, done.stdout

with tap.case("the page table of the WARC files names every page and requisite"):
    pages, needs = {}, set()
    for path in living.warc_files(ARCHIVE):
        for record in living.records(path):
            if record.fields.get("WARC-Target-URI") != "urn:x-stillpoint:pages":
                continue
            lines = record.block.decode().splitlines()
            tap.equal(lines[0], "stillpoint-pages: 1")
            rows = [line.split("\t") for line in lines[1:]]
            pages.update({int(row[1]): row[2] for row in rows if row[0] == "page:"})
            needs.update((row[1], row[2]) for row in rows if row[0] == "needs:")
    tap.equal(pages, {number: row["url"] for number, row in enumerate(REPORT["verdicts"])})
    assert (("0", str(list(pages.values()).index(ROOT + "/shared.css")))) in needs, needs

with tap.case("the same from archives of other crawlers"):
    page = '<title>t</title><p>Words.<img src="/i.png"><link rel=stylesheet href="http://b.example/s.css">'
    first, second = warcs.Warc(), warcs.Warc()
    for archive, date, image in ((first, "2026-01-01T10:{:02}:00Z", b"1"),
                                 (second, "2026-01-02T10:{:02}:00Z", b"2")):
        archive.response("http://a.example/", page, date.format(30))
        archive.response("http://a.example/whole", page.replace("/i.png", "/j.png"), date.format(31))
        archive.response("http://a.example/part", page.replace("/i.png", "/k.png"), date.format(32))
        archive.response("http://a.example/i.png", image, date.format(33), media="image/png")
        archive.response("http://a.example/j.png", b"3", date.format(34), media="image/png",
                         head=["Last-Modified: Thu, 01 Jan 2026 10:33:00 GMT"])
        archive.response("http://b.example/s.css", "p{}", date.format(10), media="text/css",)
    # s.css: seen before and after the pages; i.png: after, and it is not said since when;
    # j.png: after, but modified since the page was captured.
    report = tap.load("judge", tap.write("one.warc", first.plain()), tap.write("two.warc", second.plain()),
                      "--requisites")
    rows = {row["url"].replace("http://a.example", ""): row for row in report["verdicts"]}
    tap.equal({url: row["composite"] for url, row in rows.items() if row["composite"]},
              {"/": "blurred", "/whole": "sharp", "/part": "incomplete"})

    def states_of(url):
        return {report["verdicts"][part["page"]]["url"]: part["state"] for part in rows[url]["requisites"]}

    tap.equal(states_of("/"), {"http://a.example/i.png": "probably-violative",
                               "http://b.example/s.css": "prima-facie-coherent"})
    single = tap.load("judge", tap.path("one.warc"), "--requisites")
    by_url = {row["url"]: row for row in single["verdicts"]}
    tap.equal({single["verdicts"][part["page"]]["url"]: part["state"]
               for part in by_url["http://a.example/whole"]["requisites"]},
              {"http://a.example/j.png": "prima-facie-violative",
               "http://b.example/s.css": "possibly-coherent"})

tap.done()
