#!/usr/bin/env python3
"""report --at and --curve: what an archive says of any instant, held against a living site's truth."""

import random

import living
import tap

PAGES = 40
STATES = ("proven", "asserted", "unknown", "absent")
ARCHIVE = tap.path("archive")


def stamp(ms):
    """RFC 3339 of milliseconds since 1970."""
    moment = living.datetime.datetime.fromtimestamp(ms / 1000, living.datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def at(ms, *options):
    return tap.load("report", ARCHIVE, "--at", stamp(ms), *options)


with living.Site("at", "--pages", PAGES, "--mean-rate", 0.15, "--errors", "0.1:404", "--sitemap",
                 "index") as SITE:
    for _ in range(3):
        tap.equal(living.crawl(SITE, ARCHIVE, "--delay", "5ms").returncode, 0)
TRUTH, SPECS = SITE.truth(), SITE.pages()
CAPTURES = tap.load("report", ARCHIVE, "--captures")["captures"]
FROM = living.milliseconds(CAPTURES[0]["started"]) - 100
TO = living.milliseconds(CAPTURES[-1]["finished"]) + 100
INSTANTS = sorted(random.Random(1).sample(range(FROM, TO), 25))
ANSWERS = {instant: at(instant) for instant in INSTANTS}

with tap.case("the contract"):
    answer = ANSWERS[INSTANTS[0]]
    tap.equal(answer["at"], stamp(INSTANTS[0]))
    tap.equal(list(answer["totals"]), ["pages", *STATES])
    for answer in ANSWERS.values():
        for page in answer["pages"]:
            tap.equal(list(page), ["url", "state", "from", "to", "evidence"])
        tap.equal(answer["totals"]["pages"], len(answer["pages"]))
        for state in STATES:
            tap.equal(answer["totals"][state], sum(p["state"] == state for p in answer["pages"]))

with tap.case("nothing is proven that was not"):
    claims = 0
    for instant, answer in ANSWERS.items():
        for page in answer["pages"]:
            if page["state"] == "unknown":
                tap.equal((page["from"], page["to"], page["evidence"]), (None, None, None))
                continue
            start, end = living.milliseconds(page["from"]), living.milliseconds(page["to"])
            assert start <= instant <= end, page
            if page["state"] == "asserted":
                tap.equal(page["evidence"], "asserted")
                continue
            claims += 1
            behaviour = SPECS[page["url"]]["behaviour"]
            tap.equal(page["state"] == "absent", behaviour == "404")
            assert page["evidence"] in ("bytes", "normalised", "status"), page
            assert behaviour == "404" or not TRUTH.changed_within(page["url"], start, end), page
    assert claims > 0

with tap.case("intervals reach over captures: between them the unchanged pages are proven"):
    between = (living.milliseconds(CAPTURES[0]["finished"]) +
               living.milliseconds(CAPTURES[1]["started"])) // 2
    states = {page["url"]: page["state"] for page in at(between)["pages"]}
    for url, spec in SPECS.items():
        if spec["kind"] == "page" and not TRUTH.changed_around(url, FROM, TO):
            tap.equal(states[url], "absent" if spec["behaviour"] == "404" else "proven")

with tap.case("at the still point, at least what the capture calls sharp"):
    for number, capture in enumerate(CAPTURES, 1):
        report = tap.load("report", ARCHIVE, "--capture", number)
        window = [living.milliseconds(report["stillpoint"][end]) for end in ("from", "to")]
        for instant in window:
            states = {page["url"]: page["state"] for page in at(instant)["pages"]}
            for row in report["verdicts"]:
                if row["verdict"] in ("sharp", "absent"):
                    tap.equal(states[row["url"]],
                              "proven" if row["verdict"] == "sharp" else "absent")

with tap.case("before the first look and after the last nothing is proven"):
    for instant in (FROM, TO):
        totals = at(instant)["totals"]
        tap.equal((totals["proven"], totals["absent"]), (0, 0))

with tap.case("the curve says the same as each instant"):
    curve = tap.load("report", ARCHIVE, "--curve", stamp(FROM), stamp(TO))
    tap.equal(list(curve), ["schema", "from", "to", "pages", "curve"])
    tap.equal((curve["from"], curve["to"]), (stamp(FROM), stamp(TO)))
    tap.equal(curve["curve"][0]["at"], stamp(FROM))
    moments = [point["at"] for point in curve["curve"]]
    tap.equal(moments, sorted(set(moments)))
    for instant, answer in ANSWERS.items():
        point = [p for p in curve["curve"] if p["at"] <= stamp(instant)][-1]
        for state in STATES:
            tap.equal(point[state], answer["totals"][state])
    for before, after in zip(curve["curve"], curve["curve"][1:]):
        assert any(before[state] != after[state] for state in STATES), (before, after)
    swapped = tap.load("report", "--curve", stamp(FROM), stamp(TO), ARCHIVE)
    tap.equal(swapped, curve)

with tap.case("one site"):
    tap.equal(at(INSTANTS[5], "--site", SITE.url), ANSWERS[INSTANTS[5]])
    done = tap.run("report", ARCHIVE, "--at", "2026", "--site", "http://nobody.invalid/")
    tap.equal(done.returncode, 1)
    assert "no capture is of the site http://nobody.invalid/" in done.stderr, done.stderr

with tap.case("as text"):
    text = tap.succeed("report", ARCHIVE, "--at", stamp(INSTANTS[5]))
    assert text.startswith(f"At {stamp(INSTANTS[5])}, of "), text
    tap.equal(text.count("http://"), ANSWERS[INSTANTS[5]]["totals"]["pages"])
    text = tap.succeed("report", ARCHIVE, "--curve", stamp(FROM), stamp(TO))
    tap.equal(len(text.splitlines()), 1 + len(curve["curve"]))

with tap.case("forms of a time, and what is none"):
    for form in ("2026-05-31T12:00:00Z", "2026-05-31T14:00+02:00", "2026-05-31", "2026-05", "2026",
                 "20260531120000", "20260531"):
        assert tap.load("report", ARCHIVE, "--at", form)["at"].startswith("2026-"), form
    tap.equal(tap.load("report", ARCHIVE, "--at", "2026-05-31T14:00+02:00")["at"],
              "2026-05-31T12:00:59.999Z")
    for form, last in (("2026-05-31", "2026-05-31T23:59:59.999Z"), ("2026-05-31T12:00:00Z", "2026-05-31T12:00:00.999Z"),
                       ("20260531120000", "2026-05-31T12:00:00.999Z"), ("2026-05-31T12:00:00.5Z", "2026-05-31T12:00:00.500Z")):
        tap.equal((form, tap.load("report", ARCHIVE, "--at", form)["at"]), (form, last))
    assert tap.load("report", ARCHIVE, "--at", "now")["at"] > tap.load("report", ARCHIVE, "--captures")["captures"][0]["started"]
    for options, says in (
            (["--at", "noon"], "'noon' is no time"),
            (["--at", "2026", "--curve", "2026", "2027"], "cannot be combined"),
            (["--at", "2026", "--capture", "1"], "whole archive"),
            (["--curve", "2026"], "needs two times"),
            (["--curve", "2027", "2026"], "is before"),
            (["--site", "http://a/"], "goes with"),
            (["other"], "one archive")):
        done = tap.run("report", ARCHIVE, *options)
        tap.equal(done.returncode, 2)
        assert says in done.stderr and done.stderr.count("\n") == 1, (options, done.stderr)

with tap.case("noise does not hide what is proven between two captures"):
    noisy = tap.path("noisy")
    with living.Site("noisy", "--pages", 8, "--noise", "csrf", "--rates", "constant:0") as steady:
        for _ in range(2):
            tap.equal(living.crawl(steady, noisy, "--delay", "2ms").returncode, 0)
    first, second = tap.load("report", noisy, "--captures")["captures"]
    between = (living.milliseconds(first["finished"]) + living.milliseconds(second["started"])) // 2
    answer = tap.load("report", noisy, "--at", stamp(between))
    tap.equal((answer["totals"]["pages"], answer["totals"]["proven"]), (8, 8))
    tap.equal({page["evidence"] for page in answer["pages"]}, {"normalised"})

tap.done()
