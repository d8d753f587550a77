#!/usr/bin/env python3
"""`stillpoint inspect rate`: every estimator on lines of intervals, against values by hand."""

import json
import math

import tap

KEYS = ["n", "m", "naive", "bias_reduced", "mle", "hacs", "posterior_mean", "low", "high",
        "p_within"]


def inspect(*lines, prior="2,10"):
    file = tap.write("intervals", ("\n".join(lines) + "\n").encode())
    return [json.loads(line)
            for line in tap.succeed("inspect", "rate", file, "--prior", prior).splitlines()]


def near(got, want, tolerance=1e-9):
    assert abs(got - want) <= tolerance * abs(want), (got, want)


with tap.case("values"):
    # eq. 5 by bisection in 30 digits; the posterior multiplied out into Gamma densities
    got, = inspect('{"intervals":[[5,true],[3,false],[8,1],[2,0]],"more":{"a":[null,"]"]}}')
    tap.equal(list(got), KEYS)
    tap.equal((got["n"], got["m"]), (4, 2))
    near(got["naive"], 2 / 18)
    near(got["bias_reduced"], 4 / 18 * math.log(4.5 / 2.5))
    near(got["mle"], 0.198480923190277)
    near(got["hacs"], 0.198480923190277)
    near(got["posterior_mean"], 0.20255890622)
    near(got["low"], 0.053376246342, 1e-3)
    near(got["high"], 0.45771191234, 1e-3)
    near(got["p_within"]["1"], 0.17897898194)
    near(got["p_within"]["7"], 0.69946572817)
    near(got["p_within"]["30"], 0.97360569772)

with tap.case("no intervals: the prior, and nothing else"):
    got, = inspect('{"intervals":[]}')
    tap.equal([got[key] for key in KEYS[:6]], [0, 0, None, None, None, None])
    near(got["posterior_mean"], 0.2)
    near(got["p_within"]["30"], 1 - 4 ** -2)

with tap.case("all changed: eq. 5 has no answer, eq. 4 stands in"):
    got, = inspect('{"intervals":[[1,true],[3,true]]}')
    tap.equal(got["mle"], None)
    near(got["hacs"], 0.5 * math.log(5))

with tap.case("none changed"):
    got, = inspect('{"intervals":[[10,false],[30,false]]}')
    tap.equal([got[key] for key in KEYS[:6]], [2, 0, 0, 0, 0, 0])
    near(got["posterior_mean"], 2 / 50)

with tap.case("lengths that cannot be are ignored; empty lines too"):
    got = inspect("", '{"intervals":[[-1,true],[0,true],[4,false]]}', " ")
    tap.equal([(line["n"], line["m"]) for line in got], [(1, 0)])

with tap.case("extreme lengths"):
    for line in inspect('{"intervals":[[1e-300,true],[1e300,false],[1e-15,true]]}',
                        '{"intervals":[[1e9,true],[0.001,false]]}', prior="0.02,1e-9"):
        assert all(math.isfinite(line[key]) for key in KEYS[6:9]), line

for label, line in [("cut", '{"intervals":[[1,true]'), ("no list", '{"intervals":3}'),
                    ("no intervals", "{}"), ("NaN", '{"intervals":[[NaN,true]]}'),
                    ("too large", '{"intervals":[[1e999,true]]}'),
                    ("too deep", '{"a":' + "[" * 100 + "]" * 100 + "}"),
                    ("more behind it", '{"intervals":[]} {}')]:
    with tap.case(f"refused: {label}"):
        file = tap.write("bad", ('{"intervals":[]}\n' + line + "\n").encode())
        done = tap.run("inspect", "rate", file)
        tap.equal(done.returncode, 2)
        assert done.stderr.startswith(f"stillpoint-lab: inspect rate: {file}:2: "), done.stderr

for prior in ["1", "0,1", "a,b", "1,-1", "1,2,3"]:
    with tap.case(f"refused prior: {prior}"):
        done = tap.run("inspect", "rate", "-", "--prior", prior, input="")
        tap.equal(done.returncode, 2)
        assert "--prior" in done.stderr, done.stderr

tap.done()
