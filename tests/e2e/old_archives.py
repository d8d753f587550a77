#!/usr/bin/env python3
"""Archives of earlier versions, kept in tests/data/archives: they stay readable."""

import json
import os
import shutil
import tarfile

import old_site
import tap

DATA = os.path.join(os.environ["SRCDIR"], "tests", "data", "archives")
# Version 1 learned from two downloads of a moment; version 2 needs three.
HOLD, FALL = old_site.NOISY, (*old_site.LEARNED, *old_site.EDITED)
CLAIMS = {"claims": len(HOLD) + len(FALL), "hold": len(HOLD), "do_not_hold": len(FALL),
          "not_recomputed": 0}
SHARP = 1 + len(old_site.NAMES)


def unpack(name, version="rules-1"):
    with tarfile.open(os.path.join(DATA, version, f"{name}.tar.gz")) as file:
        file.extractall(tap.path(version), filter="data")
    return tap.path(f"{version}/{name}")


def verify(archive):
    """Both ways: what they say of claims by the rules of version 1."""
    found = []
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, "--json", *options)
        answer = json.loads(done.stdout)
        tap.equal((answer["problems"], done.returncode, done.stderr), ([], 0, ""))
        found.append((answer["sharp"], answer["rule_set_1"], answer["not_recomputed"]))
    tap.equal(found[0], found[1])
    return found[0]


def names(archive):
    return {row["url"].removeprefix(old_site.URL): row
            for row in tap.load("report", archive)["verdicts"]}


def learned(original, go_on, capture):
    """A copy in which a capture goes on. Which pages are asked for once more is drawn by lot; as
    long as none of those that vary by themselves is among them, with another copy."""
    for number in range(20):
        copy = shutil.copytree(original, f"{original}-{number}")
        go_on(copy)
        report = tap.load("report", copy, "--capture", capture)
        if any(rule["name"] == "learned" for rule in report["rules"]):
            return copy
    raise AssertionError("nothing was learned")


FINISHED = unpack("finished")

with tap.case("verify compares the claims of version 1 again, and counts those that do not hold"):
    tap.equal(verify(FINISHED), (SHARP, CLAIMS, 0))
    note = (f"'normalised' rests on rule set version 1, which was too lenient: {CLAIMS['claims']}"
            f" claims, {CLAIMS['hold']} of them hold under version 2,"
            f" {CLAIMS['do_not_hold']} do not")
    for options in ([], ["--warc-only"]):
        text = tap.succeed("verify", FINISHED, *options)
        assert note in text and "verified: " in text, text


def check_report(archive):
    report = tap.load("report", archive)
    tap.equal((report["state"], report["sharp"], report["on_rule_set_1"]),
              ("finished", SHARP, CLAIMS["claims"]))
    tap.equal({rule["version"] for rule in report["rules"]}, {1})
    rows = names(archive)
    tap.equal(set(rows), {"", *old_site.NAMES})
    for name, row in rows.items():
        want = ("normalised", 1) if name in HOLD + FALL else ("bytes", None)
        tap.equal((name, row["evidence"], row["rule_set"]), (name, *want))


with tap.case("the report says which claims rest on version 1"):
    check_report(FINISHED)
    text = tap.succeed("report", FINISHED)
    assert f"rest on rule set version 1, which was too lenient: {CLAIMS['claims']}." in text, text
    for name in HOLD + FALL:
        text = tap.succeed("report", FINISHED, "--why", old_site.URL + name)
        assert "by rule set version 1, which was too lenient" in text, text
    text = tap.succeed("report", FINISHED, "--why", old_site.URL + "about")
    assert "version 1" not in text, text

with tap.case("rebuild keeps it"):
    rebuilt = shutil.copytree(FINISHED, tap.path("rebuilt"))
    os.remove(os.path.join(rebuilt, "catalog.sqlite"))
    tap.succeed("rebuild", rebuilt)
    check_report(rebuilt)
    tap.equal(verify(rebuilt), (SHARP, CLAIMS, 0))

with tap.case("resume: it is finished"):
    done = tap.run("resume", FINISHED)
    tap.equal(done.returncode, 0)
    assert "all its captures are finished; nothing to resume" in done.stderr, done.stderr
    check_report(FINISHED)

with tap.case("a new capture in it rests on version 2"):
    def add(archive):
        with old_site.serve(old_site.Site()):
            tap.succeed("crawl", old_site.URL, "-o", archive, "--delay", "1ms")

    again = learned(FINISHED, add, 2)
    tap.equal(verify(again)[1], CLAIMS)
    report = tap.load("report", again, "--capture", 2)
    tap.equal((report["on_rule_set_1"], report["totals"]["changed"]), (0, len(old_site.EDITED)))
    tap.equal({rule["version"] for rule in report["rules"]}, {2})

with tap.case("an unfinished capture goes on, by the rules of version 2"):
    UNFINISHED = unpack("unfinished")
    began = set(names(UNFINISHED))

    def go_on(archive):
        with old_site.serve(old_site.Site(visited=True)):
            tap.equal(tap.run("resume", archive).returncode, 0)

    UNFINISHED = learned(UNFINISHED, go_on, 1)
    rows = names(UNFINISHED)
    tap.equal(set(rows), {"", *old_site.NAMES})
    assert began <= set(rows), began
    for name in old_site.NOISY + old_site.LEARNED:
        tap.equal((name, rows[name]["evidence"], rows[name]["rule_set"]), (name, "normalised", 2))
    for name in old_site.EDITED:  # since the visit, by the program of then
        tap.equal((name, rows[name]["verdict"]), (name, "changed"))
    tap.equal(verify(UNFINISHED)[:2],
              (SHARP - len(old_site.EDITED), dict.fromkeys(CLAIMS, 0)))

with tap.case("and no page of it is lost when its catalog is made anew"):
    before = names(UNFINISHED)
    tap.succeed("rebuild", UNFINISHED)
    after = names(UNFINISHED)
    assert not any("lost-page" in name for name in after), after
    tap.equal(after, before)
    verify(UNFINISHED)


# ---- archives of rule set version 2 ----

def problems(archive):
    """What verify says with the catalog and without: neither finds anything wrong."""
    found = []
    for options in ([], ["--warc-only"]):
        done = tap.run("verify", archive, "--json", *options)
        answer = json.loads(done.stdout)
        tap.equal((answer["problems"], done.returncode, done.stderr), ([], 0, ""))
        found.append((answer["pages"], answer["sharp"]))
    return found


def rebuild(archive):
    copy = shutil.copytree(archive, archive + "-rebuilt")
    for name in os.listdir(copy):
        if name.startswith("catalog.sqlite"):
            os.remove(os.path.join(copy, name))
    done = tap.load("rebuild", copy)
    tap.equal([done[key] for key in ("lost_pages", "malformed", "missing_files", "missing_captures",
                                     "without_start", "damaged")], [0] * 6)
    return copy


with tap.case("version 2, finished: verified, reported and rebuilt"):
    FINISHED = unpack("finished", "rules-2")
    found = problems(FINISHED)
    tap.equal((found[0], found[0][1]), (found[1], 1 + len(HOLD) + len(old_site.STATIC)))
    rows = names(FINISHED)
    for name in HOLD:
        tap.equal((name, rows[name]["evidence"], rows[name]["rule_set"]), (name, "normalised", 2))
    copy = rebuild(FINISHED)
    tap.equal((names(copy), problems(copy)), (rows, found))

with tap.case("version 2, unfinished: goes on, with its catalog and without"):
    UNFINISHED = unpack("unfinished", "rules-2")
    for archive in (rebuild(UNFINISHED), UNFINISHED):
        with old_site.serve(old_site.Site(visited=True)):
            tap.equal(tap.run("resume", archive).returncode, 0)
        rows = names(archive)
        tap.equal(set(rows), {"", *old_site.NAMES})
        for name in old_site.EDITED:
            tap.equal((name, rows[name]["verdict"]), (name, "changed"))
        found = problems(archive)
        tap.equal(found[0], found[1])

with tap.case("version 2, watched: verified, rebuilt, and goes on"):
    WATCHED = unpack("watched", "rules-2")
    assert "under watch" in tap.succeed("report", WATCHED)
    config = tap.write("watched.yaml", old_site.CONFIG.format(archive=WATCHED, url=old_site.URL))
    with old_site.serve(old_site.Site(visited=True)):
        tap.succeed("watch", "--once", config)
    problems(WATCHED)
    copy = rebuild(WATCHED)
    tap.equal(set(names(copy)), set(names(WATCHED)))
    problems(copy)

tap.done()
