#!/usr/bin/env python3
"""`stillpoint inspect allocate`, `distance` and `pagerank`: keys, values by hand, odd input."""

import json

import tap


def lines(*objects):
    return "\n".join(json.dumps(o) for o in objects) + "\n"


def inspect(what, *arguments, text):
    return [json.loads(line) for line in
            tap.succeed("inspect", what, *arguments, input=text).splitlines()]


PAGES = lines({"rate": 1, "weight": 1}, {"rate": 4}, {"rate": 0, "weight": 2})

with tap.case("allocate: fresh-poisson by hand"):
    got, = inspect("allocate", "-", "--policy", "fresh-poisson", "--bandwidth", "3", text=PAGES)
    tap.equal(list(got), ["f", "multiplier", "values"])
    tap.equal(list(got["values"]), ["fresh_periodic", "fresh_poisson", "age_periodic",
                                    "age_poisson", "harmonic_poisson"])
    for have, want in zip(got["f"], [5 / 3, 4 / 3, 0]):
        tap.near(have, want, 1e-12)
    tap.near(got["multiplier"], 9 / 64, 1e-12)
    tap.near(got["values"]["fresh_poisson"], 2.875, 1e-12)

with tap.case("allocate: baselines have no multiplier"):
    got, = inspect("allocate", "-", "--policy", "uniform", "--bandwidth", "3", text=PAGES)
    tap.equal((got["f"], got["multiplier"]), ([1, 1, 1], None))
    got, = inspect("allocate", "-", "--policy", "proportional", "--bandwidth", "5", text=PAGES)
    tap.equal(got["f"], [1, 4, 0])

with tap.case("allocate: what is infinite is null"):
    got, = inspect("allocate", "-", "--policy", "age-periodic", "--bandwidth", "0", text=PAGES)
    tap.equal((got["multiplier"], got["values"]["age_poisson"]), (None, None))
    tap.equal(got["values"]["fresh_periodic"], 2)

with tap.case("pagerank: one object for each line"):
    first, second = inspect("pagerank", "-", text=lines({"n": 2, "edges": [[0, 1]]},
                                                        {"n": 1, "edges": []}))
    tap.near(first["rank"][0], 1 / 2.85, 1e-12)
    tap.equal(second, {"rank": [1]})

with tap.case("distance: links"):
    file = tap.write("links", lines({"n": 5, "edges": [[0, 1], [0, 2], [1, 3]],
                                     "seed": 1}).encode())
    tap.equal(json.loads(tap.succeed("inspect", "distance", "--links", file)),
              {"dist": [-1, 0, 0, 1, None]})

with tap.case("distance: directories, from standard input and with escapes"):
    tap.equal(inspect("distance", "--directory", text=lines(
        {"seed": "http://a/\u00e9/x", "page": "http://a/\u00e9/y"},
        {"seed": "http://a/d/x", "page": "http://a/"},
        {"seed": "http://a/d/x", "page": "http://b/d/x"})),
              [{"dist": 0}, {"dist": 1}, {"dist": None}])

for name, status, want, arguments, text in [
        ("no bandwidth", 2, "give --bandwidth", ["allocate", "-"], ""),
        ("an unknown policy", 2, "unknown policy 'best'", ["allocate", "-", "--policy", "best"], ""),
        ("a bad page", 2, "standard input:2: \"rate\" must be 0 or between",
         ["allocate", "-", "--bandwidth", "1"], '{"rate":1}\n{"rate":-1}\n'),
        ("a page outside", 2, "standard input:1: edge [0,7] leaves the 2 pages",
         ["pagerank", "-"], '{"n":2,"edges":[[0,7]]}'),
        ("no seed", 2, "\"seed\" is missing", ["distance", "--links", "-"],
         '{"n":2,"edges":[]}'),
        ("no page", 2, "\"page\" is missing", ["distance", "--directory"], '{"seed":"a"}'),
        ("both kinds", 2, "give either --links FILE or --directory",
         ["distance", "--links", "-", "--directory"], ""),
        ("a missing file", 2, "No such file", ["pagerank", "/nonexistent"], "")]:
    with tap.case("refused: " + name):
        tap.refuse(status, want, "inspect", *arguments, input=text)

tap.done()
