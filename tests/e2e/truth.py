#!/usr/bin/env python3
"""tools/truth: the table of what captures of living sites get wrong."""

import os
import re
import subprocess

import tap

TRUTH = os.path.join(os.environ["SRCDIR"], "tools", "truth")


def truth(*arguments):
    return subprocess.run([TRUTH, "--pages", "40", *arguments], text=True, capture_output=True)


with tap.case("rows by kind, and what they come to"):
    done = truth("noise", "reverts")
    tap.equal(done.returncode, 0)
    rows = [re.split(r"  +", line) for line in done.stdout.splitlines() if line]
    tap.equal(rows[0][:5], ["site", "kind", "pages", "changed", "false sharp"])
    tap.equal({row[4] for row in rows if row[0] == "noise"}, {"0"})
    assert sum(int(row[2]) for row in rows if row[0] == "noise") == 40, rows
    assert "False sharp: 0." in done.stdout and "A-B-A, half of all changes" in done.stdout, done.stdout
    # Ids of hex digits that happen to be decimal at both looks may be numbers of records.
    missed, steady = map(int, re.search(r"that rules know: (\d+) of (\d+)", done.stdout).groups())
    assert missed * 20 <= steady, done.stdout

with tap.case("as Markdown"):
    done = truth("--markdown", "commits")
    tap.equal(done.returncode, 0)
    assert done.stdout.startswith("| site | kind |"), done.stdout

with tap.case("an unknown scenario is refused"):
    tap.equal(truth("mood").returncode, 2)

tap.done()
