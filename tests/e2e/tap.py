"""TAP for end-to-end tests written in Python; Meson sets STILLPOINT (the program) and SRCDIR.

    with tap.case("prints its version"):
        tap.equal(tap.run("--version").stdout, "stillpoint 0.1.0\n")
    tap.done()

What is raised inside a case fails it and is shown.
"""

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import traceback

# What a test does must not depend on where it was started: under nohup SIGHUP is ignored, in the
# background of a script SIGINT; and the programs that it starts inherit that.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.umask(0o022)
os.environ.update(LC_ALL="C.UTF-8", TZ="UTC")
for name in ("STILLPOINT_AUTH", "STILLPOINT_HEADER", "NO_COLOR", "COLUMNS", "http_proxy", "https_proxy"):
    os.environ.pop(name, None)

PROGRAM = os.environ["STILLPOINT"]
LAB = PROGRAM + "-lab"  # the laboratory's program stands beside
LAB_COMMANDS = [("demo",), ("living-site",), ("simulate",),
                *(("inspect", what) for what in ("allocate", "distance", "pagerank", "rate"))]
DIRECTORY = tempfile.TemporaryDirectory()
RESULTS = []
DOCTORED = set()


@contextlib.contextmanager
def case(name):
    """One point."""
    error = None
    try:
        yield
    except Exception:  # whatever it is, the other cases still run
        error = traceback.format_exc()
    if error:
        print("".join(f"# {line}\n" for line in error.splitlines()), end="")
    RESULTS.append(error is None)
    print("not ok" if error else "ok", len(RESULTS), "-", name, flush=True)


def skip(name, reason):
    RESULTS.append(True)
    print(f"ok {len(RESULTS)} - {name} # SKIP {reason}")


def doctored(archive):
    """The test makes this archive lie: what verify finds in it need not agree. The archive."""
    DOCTORED.add(os.path.realpath(archive))
    return archive


def verified(archive, *options):
    """What verify finds: whether all is well, and how many pages and sharp ones there are."""
    result = run("verify", archive, "--json", *options)
    found = json.loads(result.stdout) if result.returncode in (0, 1) and result.stdout else {}
    return result.returncode, found.get("pages"), found.get("sharp")


def is_committed(archive):
    """Its catalog knows all that its WARC files have. That of a capture broken off may not."""
    return "is not committed yet" not in run("verify", archive).stdout


def is_ordinary(archive):
    """It has WARC files, and nothing but files and directories."""
    warc = os.path.join(archive, "warc")
    return os.path.isdir(warc) and os.listdir(warc) and all(
        stat.S_ISREG(os.lstat(os.path.join(directory, name)).st_mode)
        for directory, _, names in os.walk(archive) for name in names)


def check_archives():
    """verify says the same of every archive that is left, with its catalog and without."""
    for directory, _, names in os.walk(DIRECTORY.name):
        if ("catalog.sqlite" in names and os.path.realpath(directory) not in DOCTORED
                and is_ordinary(directory)):
            with case(f"verify agrees on {os.path.relpath(directory, DIRECTORY.name)}"):
                found, alone = verified(directory), verified(directory, "--warc-only")
                assert found == alone or not is_committed(directory), (found, alone)


def done():
    check_archives()
    print(f"1..{len(RESULTS)}")
    sys.exit(not all(RESULTS))


def equal(got, want):
    assert got == want, f"got {got!r}, want {want!r}"


def near(got, want, tolerance):
    assert abs(got - want) <= tolerance, f"got {got!r}, want {want!r} within {tolerance}"


def path(name):
    """Of a file in the test's own directory."""
    return os.path.join(DIRECTORY.name, name)


def write(name, content):
    """A file in the test's own directory; its path."""
    with open(path(name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path(name)


def command(*arguments):
    """The whole command line: that of the laboratory's program where the command is one of its."""
    is_lab = any(arguments[:len(words)] == words for words in LAB_COMMANDS)
    return [LAB if is_lab else PROGRAM, *map(str, arguments)]


def run(*arguments, **options):
    """Runs the program, whatever comes of it."""
    return subprocess.run(command(*arguments), text=True, capture_output=True, **options)


def succeed(*arguments, **options):
    """What the program prints when all goes well."""
    result = run(*arguments, **options)
    equal((result.returncode, result.stderr), (0, ""))
    return result.stdout


def load(*arguments, **options):
    """The JSON document that the program prints; an object's first member is its schema."""
    document = json.loads(succeed(*arguments, "--json", **options))
    if isinstance(document, dict) and arguments[0] != "inspect":
        equal(next(iter(document.items())), ("schema", 1))
    return document


def refuse(status, want, *arguments, **options):
    """The program fails with one line that says what is wanted, and prints nothing."""
    result = run(*arguments, **options)
    equal((result.returncode, result.stdout), (status, ""))
    assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
    assert want in result.stderr, f"{result.stderr!r} does not say {want!r}"
