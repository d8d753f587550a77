#!/usr/bin/env python3
"""stillpoint-lab simulate --watch: policies on sites whose best answer is known."""

import tap

DAY = 86400
KEYS = ["schema", "history", "site", "pages", "budget", "days", "grid", "rates", "runs", "rows",
        "bound", "optimum"]
MEASURES = ["freshness", "age", "versions", "sharpness"]
SITE = "synthetic:n=200,rates=lognormal,skew=1.5"


def simulate(policies, *more):
    got = tap.load("simulate", "--watch", policies, "--json", *more)
    tap.equal(list(got), KEYS)
    return got, {row["policy"]: row for row in got["rows"]}


with tap.case("known rates: fresh is within 0.1 % of the optimum, others are below"):
    got, rows = simulate("uniform proportional,fresh,age,harmonic,longevity,capture", "--site",
                         SITE, "--days", "300", "--rates", "known", "--runs", "2")
    tap.equal((got["pages"], got["rates"], got["runs"]), (200, "known", 2))
    fresh = rows["fresh"]
    assert abs(fresh["expected_freshness"] / got["optimum"] - 1) < 1e-3, (fresh, got["optimum"])
    for name, row in rows.items():
        assert row["freshness"] < got["bound"]["freshness"], name
        assert name == "fresh" or row["expected_freshness"] < fresh["expected_freshness"], name
        tap.near(row["looks"], 20, 0.1)
    assert min(rows, key=lambda name: rows[name]["age"]) == "age", rows
    assert rows["capture"]["versions"] >= max(r["versions"] for r in rows.values()) - 0.01
    tap.equal(rows["uniform"]["difference"], None)
    tap.near(fresh["difference"]["freshness"], fresh["freshness"] - rows["uniform"]["freshness"],
             1e-9)

with tap.case("sharp is ahead of captures, one behind another, on a recorded history"):
    lines = [(0, "c0", "A", f"d{i % 5}/{i}.html") for i in range(100)]
    for day in range(1, 500):
        lines += [(day + 0.3, f"c{day}", "M", f"d{i % 5}/{i}.html")
                  for i in range(100) if day % (3 + i * i) == 0]
    lines.append((499, "end", "D", "d0/5.html"))
    history = tap.write("site.tsv", "".join(f"{int(d * DAY)}\t{c}\t{k}\t{p}\n"
                                            for d, c, k, p in sorted(lines)))
    got, rows = simulate("captures,sharp,hacs:0.3,sample,hybrid", "--history", history, "--days",
                         "60", "--runs", "2", "--memory-days", "200", "--budget", "0.2")
    captures, sharp = rows["captures"], rows["sharp"]
    missing = got["bound"]["sharpness"] - captures["sharpness"]
    assert sharp["sharpness"] - captures["sharpness"] > 0.1 * missing, (captures, sharp)
    assert list(sharp["difference"]) == [k + s for k in MEASURES for s in ("", "_se")], sharp
    for row in rows.values():
        assert all(0 <= row[k] <= 1 for k in ("freshness", "versions", "sharpness")), row
        assert row["looks"] < 20.5, row

with tap.case("the same seed, the same figures, in any number of threads"):
    arguments = ["hybrid,sample", "--site", SITE, "--days", "40", "--seed", "3", "--runs", "3"]
    tap.equal(simulate(*arguments, "--threads", "1"), simulate(*arguments, "--threads", "3"))

for name, want, arguments in [
        ("a policy", "unknown policy 'freshest'", ["freshest", "--site", SITE]),
        ("a number", "'fresh' takes no '3'", ["fresh:3", "--site", SITE]),
        ("theta", "takes no '1'", ["hacs:1", "--site", SITE]),
        ("no site", "needs either --history FILE or --site SPEC", ["fresh"]),
        ("both", "needs either --history FILE or --site SPEC",
         ["fresh", "--site", SITE, "--history", history]),
        ("no policy", "no policy is given", [",", "--site", SITE]),
        ("rates", "rates are known or learned",
         ["fresh", "--site", SITE, "--rates", "oracle"]),
        ("too long", "do not fit into", ["fresh", "--history", history]),
        ("a file", "No such file", ["fresh", "--history", "/nonexistent"])]:
    with tap.case("refused: " + name):
        result = tap.run("simulate", "--watch", *arguments)
        assert result.returncode > 0 and want in result.stderr, result.stderr

tap.done()
