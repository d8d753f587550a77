#!/usr/bin/env python3
"""stillpoint-lab simulate --sampling: policies on a history whose best answer is known."""

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

# The hot pages link to each other and to nothing else; a hub links to all pages.
LINKS = tap.write("links.tsv", "".join(f"hot/{i}.html\thot/{(i + 1) % 20}.html\n" for i in range(20))
                  + "".join(f"cold0/0.html\tcold{i % 9}/{i}.html\n" for i in range(180)))

with tap.case("links and clusters: neighbours of changed pages"):
    rows = simulate("rns,lb:1,lb:-2,lb:0,cb:0,db:0:pra,lb:1:ha", "--links", LINKS)
    assert rows["lb:1"]["change_ratio"] > 1.3 * rows["rns"]["change_ratio"], rows
    assert rows["lb:-2"]["change_ratio"] > 1.3 * rows["rns"]["change_ratio"], rows
    assert rows["lb:0"]["change_ratio"] > 0.04, rows  # each hot page has one parent, no sibling
    assert rows["cb:0"]["change_ratio"] > 1.1 * rows["rns"]["change_ratio"], rows
    for row in rows.values():
        assert row["weighted"] > 0, row

with tap.case("weighted: PageRank with mean 1, so all pages alike give the change ratio"):
    pages = [f"cold{i % 9}/{i}.html" for i in range(180)] + [f"hot/{i}.html" for i in range(20)]
    ring = "".join(f"{page}\t{pages[i - 1]}\n" for i, page in enumerate(pages))
    rows = simulate("rns,db:0", "--links", tap.write("ring.tsv", ring))
    for row in rows.values():
        tap.near(row["weighted"], row["change_ratio"], 1e-9)

with tap.case("tables: the same form as those of the papers"):
    long = tap.write("long.tsv", "".join(
        f"{int(d * DAY)}\tc{d}\t{k}\t{p}\n" for d, k, p in
        [(0, "A", f"d{i % 3}/{i}.html") for i in range(30)]
        + [(d, "M", f"d{d % 3}/{d % 30}.html") for d in range(1, 1500)]))
    got = tap.load("simulate", "--table", "sampling-policies", "--history", long, "--start",
                   "1970-01-02", "--runs", "2", "--json")
    tap.equal(list(got[0]), ["table", "row", "strategy", "metric", "paper", "ours", "stderr",
                             "note"])
    tap.equal({r["strategy"] for r in got},
              {"rns", "rr", "gsb", "db:1", "cb:0", "hybrid", "clairvoyant"})
    tap.equal({r["row"].split()[0] for r in got}, {"changed=cycle", "changed=local"})
    names = [t["table"] for t in tap.load("simulate", "--table", "list", "--json")]
    for name in ("sampling-depth", "sampling-phi", "sampling-cycles", "fresh-synthetic",
                 "fresh-history"):
        assert name in names, names

with tap.case("the same seed, the same figures"):
    tap.equal(simulate("hybrid", "--seed", "3"), simulate("hybrid", "--seed", "3"))

for name, want, arguments in [
        ("a policy", "unknown policy 'best'", ["best", "--start", "1970-01-02"]),
        ("a depth", "unknown policy 'db:x'", ["db:x", "--start", "1970-01-02"]),
        ("no links", "lb and pra need --links FILE",
         ["lb:1", "--start", "1970-01-02", "--cycle", "1w", "--cycles", "2"]),
        ("a budget", "--budget is at most 1", ["rr", "--start", "1970-01-02", "--budget", "2"]),
        ("no start", "needs --history FILE and --start", ["rr"]),
        ("a cycle", "--cycle: 'soon'", ["rr", "--start", "1970-01-02", "--cycle", "soon"]),
        ("too early", "no pages at the start",
         ["rr", "--start", "1969-01-02", "--cycles", "2"]),
        ("too long", "the history ends before", ["rr", "--start", "1970-01-02"])]:
    with tap.case("refused: " + name):
        result = tap.run("simulate", "--history", HISTORY, "--sampling", *arguments)
        assert result.returncode > 0 and want in result.stderr, result.stderr

tap.done()
