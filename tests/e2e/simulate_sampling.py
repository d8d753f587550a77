#!/usr/bin/env python3
"""stillpoint simulate --sampling: policies on a history whose best answer is known."""

import tap

DAY = 86400
KEYS = ["policy", "change_ratio", "se", "first", "last", "weighted", "found"]


def site():
    """180 pages that stay, and a directory of 20 that change every week, for 200 days."""
    lines = [(0, "c0", "A", f"cold{i % 9}/{i}.html") for i in range(180)]
    lines += [(0, "c0", "A", f"hot/{i}.html") for i in range(20)]
    for day in range(3, 201, 7):
        lines += [(day, f"c{day}", "M", f"hot/{i}.html") for i in range(20)]
    return "".join(f"{d * DAY}\t{c}\t{k}\t{p}\n" for d, c, k, p in lines)


HISTORY = tap.write("site.tsv", site())


def simulate(policies, *more):
    got = tap.load("simulate", "--sampling", policies, "--history", HISTORY, "--start",
                   "1970-01-02", "--cycle", "1w", "--cycles", "16", "--json", *more)
    return {row["policy"]: row for row in got["rows"]}


with tap.case("cycle: who knows finds all, chance a tenth, neighbours and the past help"):
    rows = simulate("rns rr,gsb,db:0,db:0:ha,db:0:wha,hybrid,clairvoyant")
    tap.equal(list(rows["rns"]), KEYS)
    tap.equal((rows["clairvoyant"]["change_ratio"], rows["clairvoyant"]["found"]), (1, 320))
    tap.equal(rows["clairvoyant"]["se"], 0)
    for chance in ("rns", "rr"):
        assert abs(rows[chance]["change_ratio"] - 0.1) < 0.04, rows[chance]
    assert rows["db:0"]["change_ratio"] > 0.25, rows["db:0"]
    assert rows["hybrid"]["change_ratio"] > rows["db:0"]["change_ratio"], rows
    assert rows["hybrid"]["last"] > 0.8, rows["hybrid"]

with tap.case("local: a page that was never downloaded stays changed"):
    rows = simulate("rr,clairvoyant", "--changed", "local", "--budget", "1")
    tap.near(rows["rr"]["change_ratio"], 0.1, 1e-9)
    tap.near(rows["rr"]["found"], rows["clairvoyant"]["found"], 1e-9)

with tap.case("the same seed, the same figures"):
    tap.equal(simulate("hybrid", "--seed", "3"), simulate("hybrid", "--seed", "3"))

for name, want, arguments in [
        ("a policy", "unknown policy 'best'", ["best", "--start", "1970-01-02"]),
        ("a depth", "unknown policy 'db:x'", ["db:x", "--start", "1970-01-02"]),
        ("no start", "needs --history FILE and --start", ["rr"]),
        ("a cycle", "--cycle: 'soon'", ["rr", "--start", "1970-01-02", "--cycle", "soon"]),
        ("too early", "no pages at the start",
         ["rr", "--start", "1969-01-02", "--cycles", "2"]),
        ("too long", "the history ends before", ["rr", "--start", "1970-01-02"])]:
    with tap.case("refused: " + name):
        result = tap.run("simulate", "--history", HISTORY, "--sampling", *arguments)
        assert result.returncode > 0 and want in result.stderr, result.stderr

tap.done()
