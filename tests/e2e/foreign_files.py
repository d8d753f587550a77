#!/usr/bin/env python3
"""An archive may come from a stranger: whatever is in place of one of its files (a link, a FIFO, a
directory, a socket, a device), each command that reads it says so in one line and ends; nothing
outside of the archive is written, and nothing waits."""

import concurrent.futures
import glob
import html
import os
import shlex
import shutil
import socket
import struct
import subprocess
import urllib.parse
import zipfile

import rawserver
import replaying
import tap
import warcs

DEADLINE = 60


def site(request):
    if request.path in ("/robots.txt", "/sitemap.xml"):
        return rawserver.NOT_FOUND
    return rawserver.page(f"<p>words of {request.path}</p><a href='/a'>a</a>".encode())


def make_original():
    """A finished archive with every file that one may have."""
    archive = tap.path("original.stillpoint")
    with rawserver.Server(site) as server:
        tap.run("crawl", server.url, "--delay", 0, "-o", archive, "--quiet", check=True)
    tap.run("index", "--text", archive, check=True)
    other = warcs.Warc()
    other.response("http://other.example/", "<p>other words</p>", "2026-01-01T00:00:00Z")
    tap.run("import", tap.write("other.warc.gz", other.gz()), "-o", archive, check=True)
    shutil.copy(glob.glob(f"{archive}/warc/*.warc.gz")[0], tap.path("given.warc.gz"))
    return archive


# ---- what stands in place of a file ----

def symbolic(path, outside):
    os.rename(path, outside)
    os.symlink(outside, path)


def dangling(path, outside):
    remove(path)
    os.symlink(outside, path)


def fifo(path, _):
    remove(path)
    os.mkfifo(path)


def directory(path, _):
    remove(path)
    os.mkdir(path)


def listening(path, _):
    """A socket; its name may not be longer than a directory's in /tmp."""
    remove(path)
    with socket.socket(socket.AF_UNIX) as sock:
        descriptor = os.open(os.path.dirname(path), os.O_RDONLY)
        sock.bind(f"/proc/self/fd/{descriptor}/{os.path.basename(path)}")
        os.close(descriptor)


def endless(path, _):
    remove(path)
    os.symlink("/dev/zero", path)


def hard(path, outside):
    os.rename(path, outside)
    os.link(outside, path)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


KINDS = [symbolic, dangling, fifo, directory, listening, endless]

# ---- commands, and what they read ----

# {A}: the archive, {O}: a name for what is written, {C}: a configuration of a watch.
CATALOG, TEXT, INDEX, WARC = "catalog.sqlite", "text.sqlite", "index.cdxj", "warc/*.warc.gz"
READS = [
    ("verify --warc-only {A}", ["warc"]),
    ("export --warc {O}.warc.gz {A}", ["warc"]),
    ("rebuild {A}", ["warc", "spool"]),
    ("judge {A}", ["warc"]),
    ("serve {A} --listen 127.0.0.1:0", ["warc"]),
    ("report {A}", [CATALOG, "catalog.sqlite-wal"]),
    ("report --captures {A}", [CATALOG]),
    ("report --json --at 2026-11-18 {A}", [CATALOG]),
    ("report --html {O} {A}", [CATALOG]),
    ("verify {A}", [CATALOG, INDEX, WARC]),
    ("verify --warc-only {A}", [WARC]),
    ("rebuild {A}", [WARC, "lock", "imported.txt"]),
    ("index {A}", [CATALOG, "lock"]),
    ("index --text {A}", [WARC]),
    ("index -o {O} {A}", [WARC]),
    ("export --wacz {O}.wacz {A}", [WARC]),
    ("export --warc {O}.warc.gz {A}", [WARC]),
    ("export --cdxj {O} {A}", [WARC]),
    ("export --csv {O} {A}", [WARC]),
    ("import {A} -o {O}", [WARC]),
    ("import {W} -o {A}", [CATALOG, "lock", "imported.txt"]),
    ("search {A} words", [TEXT]),
    ("diff {A} http://127.0.0.1/", [CATALOG]),
    ("graph {A}", [CATALOG]),
    ("similar {A}", [WARC]),
    ("judge {A}", [WARC]),
    ("rates {A}", [CATALOG, "rates.model"]),
    ("resume {A}", [CATALOG, "lock"]),
    ("retire {A} --keep 1", [CATALOG, "lock"]),
    ("serve {A} --listen 127.0.0.1:0", [CATALOG, INDEX]),
    ("watch --status {A}", ["watch.status"]),
    ("watch --once {C}", [CATALOG, "lock", "watch.budget"]),
]


def expand(command, archive, place):
    config = os.path.join(place, "watch.yaml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(f"archive: {archive}\nbudget:\n  requests: 1/s\nsites:\n"
                   "  - url: http://127.0.0.1:65533/\n    policy: fresh\n")
    names = {"A": archive, "O": os.path.join(place, "out"), "C": config,
             "W": tap.path("given.warc.gz")}
    return [word.format(**names) for word in command.split()]


def attempt(original, number, command, name, kind):
    """Runs it on a copy of the archive; what is wrong with the outcome, or None."""
    place = tap.path(f"case-{number}")
    archive, outside = os.path.join(place, "a.stillpoint"), os.path.join(place, "outside")
    os.mkdir(place)
    shutil.copytree(original, archive)
    path = (glob.glob(os.path.join(archive, name)) or [os.path.join(archive, name)])[0]
    if not os.path.lexists(path):
        with open(path, "wb"):
            pass
    kind(path, outside)
    before = contents(outside)
    problem = run(expand(command, archive, place))
    if not problem and contents(outside) != before:
        problem = "what is outside was changed"
    shutil.rmtree(place)
    return problem


def contents(path):
    if not os.path.isfile(path):
        return os.path.lexists(path)
    with open(path, "rb") as file:
        return file.read()


def run(words):
    try:
        result = tap.run(*words, timeout=DEADLINE, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "it hangs"
    lines = result.stderr.splitlines()
    if "not verified" in result.stdout:
        return None
    if result.returncode not in (1, 2) or len(lines) != 1 or not lines[0].startswith("stillpoint"):
        return f"exit {result.returncode}, {result.stdout[-300:]!r}, {result.stderr[-600:]!r}"
    return None


def check_all(original, rows, label):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda row: attempt(original, *row), rows))
    for (_, command, name, kind), problem in zip(rows, outcomes):
        with tap.case(f"{label}: {command}: {name} is {kind.__name__}"):
            assert problem is None, problem


def check_reading(original):
    rows = [(command, name, kind) for command, names in READS for name in names for kind in KINDS
            if kind is not directory or name not in ("warc", "spool")]
    check_all(original, [(i, *row) for i, row in enumerate(rows)], "read")


def check_serving(original):
    """A WARC file that cannot be opened costs its pages; the server answers, and can be stopped."""
    for kind in KINDS:
        archive = tap.path(f"served-{kind.__name__}.stillpoint")
        shutil.copytree(original, archive)
        for path in glob.glob(f"{archive}/warc/*.warc.gz"):
            kind(path, tap.path(f"outside-{kind.__name__}-{os.path.basename(path)}"))
        with tap.case(f"serve: all WARC files are {kind.__name__}"):
            with replaying.Server(archive) as server:
                tap.equal(server.get("/").status, 200)
                name = os.path.basename(archive).removesuffix(".stillpoint")
                answer = server.get(f"/{name}/20260101000000id_/http://other.example/")
                assert answer.status >= 400, answer


def check_command_line(original):
    """A command line to copy is quoted for a shell, and does not tell where the archive is."""
    archive = shutil.copytree(original, tap.path("it's served.stillpoint"))
    with tap.case("serve: the command line to copy"), replaying.Server(archive) as server:
        name = os.path.basename(archive)
        path = urllib.parse.quote(name.removesuffix(".stillpoint"))
        text = server.text(f"/{path}/20260101000000/http://other.example/")
        line = text.split("<code>stillpoint report ")[1].split("</code>")[0]
        tap.equal(html.unescape(line), f"{shlex.quote(name)} --why 'http://other.example/'".replace("'\"'\"'", r"'\''"))
        assert os.path.dirname(archive) not in text


# ---- what is overwritten ----

WRITES = [
    ("watch --once {C}", "watch.budget"),
    ("watch --once {C}", "lock"),
    ("rebuild {A}", "lock"),
    ("import {W} -o {A}", "imported.txt"),
    ("import {W} -o {A}", CATALOG),
    ("index {A}", CATALOG),
]


def check_writing(original):
    rows = [(f"w{i}", command, name, hard) for i, (command, name) in enumerate(WRITES)]
    check_all(original, rows, "overwrite")


def check_harmless(original):
    """Reading needs no file that is the only one of its name, and the user's own links count."""
    archive = tap.path("copy.stillpoint")
    shutil.copytree(original, archive, copy_function=os.link)
    os.symlink(archive, tap.path("link.stillpoint"))
    for command in ("report {A}", "verify {A}", "export --csv {O} {A}", "search {A} words"):
        with tap.case(f"an archive of hard links, through a link: {command}"):
            words = expand(command, tap.path("link.stillpoint"), tap.DIRECTORY.name)
            tap.equal(tap.run(*words).returncode, 0)
    with tap.case("a WARC file of the user's, through a link"):
        os.symlink(tap.path("given.warc.gz"), tap.path("linked.warc.gz"))
        tap.equal(tap.run("export", "--cdxj", "-", tap.path("linked.warc.gz")).returncode, 0)


# ---- packages ----

def overlapping():
    """1,000 entries that are the same bytes: 11 kB that unpack to 480 MB."""
    path = tap.path("overlap.wacz")
    body = warcs.Warc()
    body.response("http://e.example/", "x" * 480_000, "2026-01-01T00:00:00Z")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("archive/0000.warc", body.plain())
    with open(path, "rb") as file:
        whole = file.read()
    end = whole.index(b"PK\x05\x06")
    start = struct.unpack("<I", whole[end + 16:end + 20])[0]
    row = whole[start:end]
    rows = b"".join(row.replace(b"0000", b"%04d" % i) for i in range(1000))
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1000, 1000, len(rows), start, 0)
    return tap.write("overlap.wacz", whole[:start] + rows + tail)


def swollen():
    """Entries of their own that unpack to a thousand times the file."""
    path = tap.path("swollen.wacz")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for i in range(40):
            package.writestr(f"archive/{i}.warc", b"\0" * (8 << 20))
    return path


def check_packages():
    for path, said in ((overlapping(), "overlap"), (swollen(), "unpack")):
        for command in ("import {P} -o {O}", "index {P} -o {O}", "rates {P}", "judge {P}",
                        "similar {P}", "export --cdxj {O} {P}", "serve {P} --listen 127.0.0.1:0"):
            words = command.format(P=path, O=tap.path("packed-out")).split()
            with tap.case(f"{os.path.basename(path)}: {command}"):
                result = tap.run(*words, timeout=DEADLINE)
                assert result.returncode in (1, 2), result.returncode
                tap.equal(result.stderr.count("\n"), 1)
                assert said in result.stderr, result.stderr
            remove(tap.path("packed-out"))


ORIGINAL = make_original()
check_reading(ORIGINAL)
check_serving(ORIGINAL)
check_command_line(ORIGINAL)
check_writing(ORIGINAL)
check_harmless(ORIGINAL)
check_packages()
tap.done()
