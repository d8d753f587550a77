#!/usr/bin/env python3
"""--crawl-log, --events and --quiet: what operators read, held against the archive."""

import collections
import json
import re

import living
import tap

LINE = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) {1,5}(?P<status>-?\d+) +(?P<size>\d+)"
    r" (?P<url>\S+) (?P<path>[LEP-]) (?P<via>\S+) (?P<type>\S+) #\d{3} (?P<begin>\d{17})\+\d+"
    r" (?P<digest>\S+) - (?P<notes>\S+)$")

ARCHIVE, LOG, EVENTS = tap.path("archive"), tap.path("crawl.log"), tap.path("events")
with living.Site("site", "--pages", 12, "--noise", "csrf") as site:
    quiet = living.crawl(site, ARCHIVE, "--delay", "2ms", "--quiet", "--crawl-log", LOG,
                         "--events", EVENTS)
    streamed = living.crawl(site, tap.path("streamed"), "--delay", "2ms", "--events", "-")
    told = living.crawl(site, tap.path("streamed"), "--delay", "2ms").stdout
REPORT = tap.load("report", ARCHIVE)
with open(EVENTS, encoding="utf-8") as file:
    events = [json.loads(line) for line in file]
with open(LOG, encoding="utf-8") as file:
    lines = [LINE.match(line.rstrip("\n")) for line in file]

with tap.case("--quiet says nothing"):
    tap.equal((quiet.returncode, quiet.stdout, quiet.stderr), (0, "", ""))

with tap.case("the log has a line for each request, in Heritrix's columns"):
    assert lines and all(lines), lines
    attempts = list(living.attempts(ARCHIVE))
    tap.equal(len(lines), len(attempts))
    tap.equal(collections.Counter((line["url"], line["notes"].split(":")[0]) for line in lines),
              collections.Counter((attempt.url, attempt.leg) for attempt in attempts))
    home = next(line for line in lines if line["url"] == site.url and line["notes"] == "visit:1")
    tap.equal((home["status"], home["path"], home["via"], home["type"]),
              ("200", "-", "-", "text/html"))

with tap.case("the events tell the same"):
    tap.equal({event["schema"] for event in events}, {1})
    by_kind = collections.defaultdict(list)
    for event in events:
        by_kind[event["event"]].append(event)
    tap.equal(set(by_kind), {"discovered", "fetched", "host", "phase", "verdict", "commit"})
    tap.equal({event["url"] for event in by_kind["discovered"]},
              {row["url"] for row in REPORT["verdicts"]})
    tap.equal({event["url"]: event["verdict"] for event in by_kind["verdict"]},
              {row["url"]: row["verdict"] for row in REPORT["verdicts"]})
    tap.equal(len(by_kind["fetched"]), len(lines))
    tap.equal([event["phase"] for event in by_kind["phase"]], ["start", "stillpoint", "end"])
    tap.equal(events[-1], {"schema": 1, "event": "commit"})

with tap.case("events on standard output have it to themselves"):
    kinds = {json.loads(line)["event"] for line in streamed.stdout.splitlines()}
    assert {"fetched", "verdict"} <= kinds, kinds

with tap.case("a crawl and a report end with what to do next; sharpness since the capture before"):
    archive = tap.path("streamed")
    captures = tap.load("report", archive, "--captures")["captures"]
    then, now = (100 * capture["sharp"] / capture["captured"] for capture in captures)
    moved = f"Sharpness without absent pages: {now:.1f} %; in capture 1 of this site ({captures[0]['started']}) it was"
    for text in (told, tap.succeed("report", archive), tap.succeed("report", archive, "-c", 2)):
        assert f"{moved} {then:.1f} %." in text, text
        steps = re.findall(rf"^  stillpoint (\w+) {re.escape(archive)}(.*?)  +\w", text, re.M)
        tap.equal(steps, [("report", " --why URL"), ("diff", " URL"), ("serve", ""),
                          ("report", " --html FILE"), ("verify", "")])
    assert re.search(rf"^The archive is {re.escape(archive)} \(.*B\)\.$", told, re.M), told
    assert "Sharpness without" not in tap.succeed("report", archive, "-c", 1)

with tap.case("a log that cannot be written"):
    tap.refuse(1, "--crawl-log: /nowhere/at/all: No such file", "crawl", "http://127.0.0.1:65000/",
               "-o", tap.path("none"), "--crawl-log", "/nowhere/at/all")
    tap.refuse(1, "--events: ", "crawl", "http://127.0.0.1:65000/", "-o", tap.path("full"),
               "--events", "/dev/full")

tap.done()
