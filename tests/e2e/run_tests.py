#!/usr/bin/env python3
"""tools/run-tests counts what test programs say, and believes none that broke off."""

import importlib.machinery
import importlib.util
import os
import sys

ROWS = [
    # label, result according to Meson, output, (passed, failed, skipped)
    ("passes", "OK", "ok 1 - a\nok 2 - b\n1..2\n", (2, 0, 0)),
    ("plan first", "OK", "1..1\nok 1\n", (1, 0, 0)),
    ("a point fails", "FAIL", "ok 1\nnot ok 2\n1..2\n", (1, 1, 0)),
    ("a point is skipped", "OK", "ok 1\nok 2 - b # SKIP no net\n1..2\n", (1, 0, 1)),
    ("all is skipped", "SKIP", "1..0 # SKIP no net\n", (0, 0, 1)),
    ("diagnostics do not count", "OK", "# not ok\nok 1 - #1\n# ok\n1..1\n", (1, 0, 0)),
    ("words that begin alike do not count", "OK", "okay\nok 1\n1..1\n", (1, 0, 0)),
    ("crash before the plan", "FAIL", "ok 1\n", (1, 1, 0)),
    ("exit before the plan", "OK", "ok 1\n", (1, 1, 0)),
    ("no output", "OK", "", (0, 1, 0)),
    ("crash after the plan", "ERROR", "1..1\nok 1\n", (1, 1, 0)),
    ("too few points", "OK", "1..3\nok 1\nok 2\n", (2, 1, 0)),
    ("too many points", "OK", "1..1\nok 1\nok 2\n", (2, 1, 0)),
    ("points against a plan of none", "OK", "1..0\nok 1\n", (1, 1, 1)),
    ("time is up", "TIMEOUT", "ok 1\n", (1, 1, 0)),
    ("bail out", "ERROR", "ok 1\nBail out! disk\n", (1, 1, 0)),
]


def load(path):
    loader = importlib.machinery.SourceFileLoader("run_tests", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
    loader.exec_module(module)
    return module


def main():
    sys.dont_write_bytecode = True  # none of it into the sources
    count = load(os.path.join(os.environ["SRCDIR"], "tools", "run-tests")).count
    failed = False
    for number, (label, result, output, want) in enumerate(ROWS, 1):
        got = count({"name": label, "result": result, "stdout": output})
        if got != want:
            failed = True
            print(f"# got {got}, want {want}")
        print("ok" if got == want else "not ok", number, "-", label)
    print(f"1..{len(ROWS)}")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
