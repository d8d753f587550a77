#!/usr/bin/env python3
"""Where commands write: every option that names an output, into every kind of place; and what is in
an archive's directory when a command has ended, however it ended."""

import json
import os
import signal
import stat
import subprocess
import threading
import time

import rawserver
import tap

PAGES = 30
DEADLINE = 60
LINKS = "".join(f'<a href="/p{i}">p{i}</a> ' for i in range(PAGES)).encode()


def answer(request):
    if request.path == "/" or request.path.startswith("/p"):
        return rawserver.page(b"<title>t</title><p>Some words of " + request.path.encode() + b" " + LINKS)
    return rawserver.NOT_FOUND


# ---- outputs ----

ARCHIVE, MODEL_RATES = tap.path("a.stillpoint"), tap.path("rates.csv")


def rows(url):
    """Label, and the command line in front of the output's name."""
    export = ("export", ARCHIVE)
    fresh = ("crawl", url, "--max-pages", "2", "--delay", "0", "-o")
    return [("export --wacz", (*export, "--wacz")), ("export --warc", (*export, "--warc")),
            ("export --cdxj", (*export, "--cdxj")), ("export --csv", (*export, "--csv")),
            ("index -o", ("index", f"{ARCHIVE}/warc", "-o")),
            ("train -o", ("train", MODEL_RATES, "-o")),
            ("report --html", ("report", ARCHIVE, "--html")),
            ("report --compare --html", ("report", ARCHIVE, "--compare", "1", "2", "--html")),
            ("report --at --html", ("report", ARCHIVE, "--at", "now", "--html")),
            ("diff --html", ("diff", ARCHIVE, url, "--html")),
            ("crawl --events", (*fresh, "NEW", "--events")),
            ("crawl --crawl-log", (*fresh, "NEW", "--crawl-log"))]


NUMBER = iter(range(10 ** 6))


def write(words, output):
    """Runs it; an archive that it makes is a new one."""
    words = [tap.path(f"new{next(NUMBER)}") if word == "NEW" else word for word in words]
    return tap.run(*words, output, timeout=DEADLINE)


def check_failure(result, *wants):
    """One line that says which output, and why not."""
    assert result.returncode == 1, (result.returncode, result.stderr)
    lines = result.stderr.strip().split("\n")
    assert len(lines) == 1 and all(want in lines[0] for want in wants), result.stderr


def into_null(words, directory):
    result = write(words, "/dev/null")
    assert result.returncode == 0, result.stderr
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def into_fifo(words, directory):
    path, got = f"{directory}/fifo", []
    os.mkfifo(path)

    def read():
        with open(path, "rb") as file:
            got.append(file.read())

    reader = threading.Thread(target=read)
    reader.start()
    result = write(words, path)
    reader.join(DEADLINE)
    assert result.returncode == 0 and got and got[0], (result.stderr, got)
    assert stat.S_ISFIFO(os.lstat(path).st_mode)


def into_directory(words, directory):
    check_failure(write(words, directory), directory)
    tap.equal(os.listdir(directory), [])


def into_nowhere(words, directory):
    check_failure(write(words, f"{directory}/missing/file"), f"{directory}/missing", "o such ")
    tap.equal(os.listdir(directory), [])


def into_link(words, directory):
    """To a file that is there, and to one that is not: the link stays, its end is written."""
    with open(f"{directory}/there", "wb"):
        pass
    for end in ("there", "new"):
        os.symlink(end, f"{directory}/link-{end}")
        result = write(words, f"{directory}/link-{end}")
        assert result.returncode == 0, result.stderr
        assert os.path.islink(f"{directory}/link-{end}") and os.path.getsize(f"{directory}/{end}") > 0
    tap.equal(sorted(os.listdir(directory)), ["link-new", "link-there", "new", "there"])


def into_file(words, directory):
    """The old content goes; of a log, it stays in front."""
    path = f"{directory}/file"
    with open(path, "wb") as file:
        file.write(b"old")
    result = write(words, path)
    assert result.returncode == 0, result.stderr
    with open(path, "rb") as file:
        content = file.read()
    is_log = words[0] == "crawl"
    assert content.startswith(b"old") == is_log and len(content) > 3, content[:20]
    tap.equal(os.listdir(directory), ["file"])


def into_full(words, directory):
    check_failure(write(words, "/dev/full"), "No space left on device")


PLACES = [into_null, into_fifo, into_directory, into_nowhere, into_link, into_file]
if os.path.exists("/dev/full"):
    PLACES.append(into_full)


def check_outputs(url):
    for _ in range(2):
        tap.succeed("crawl", url, "-o", ARCHIVE, "--delay", "0", "--max-pages", "4", "-q")
    tap.write("rates.csv", "url,rate\n" + "".join(f"http://h/{i}/,{10.0 ** -(i % 4)}\n" for i in range(30)))
    for label, words in rows(url):
        for place in PLACES:
            with tap.case(f"{label}: {place.__name__.replace('_', ' ')}"):
                directory = tap.path(f"place{next(NUMBER)}")
                os.mkdir(directory)
                place(list(words), directory)


# ---- what is left ----

OWN = ["catalog.sqlite", "index.cdxj", "warc"]


def check_left(archive, *more):
    tap.equal(sorted(os.listdir(archive)), sorted([*OWN, *more]))
    names = os.listdir(f"{archive}/warc")
    assert names and all(name.endswith(".warc.gz") or ".torn-" in name for name in names), names


def start(*words):
    return subprocess.Popen([tap.PROGRAM, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_until(is_true, process):
    """Something that a process does becomes visible."""
    deadline = time.monotonic() + DEADLINE
    while not is_true():
        assert process.poll() is None and time.monotonic() < deadline, process.poll()
        time.sleep(0.01)


def interrupt(server, archive, number):
    """A capture that is ended among its visits."""
    before = len(server.requests)
    process = start("crawl", server.url, "-o", archive, "--delay", "50ms")
    wait_until(lambda: len(server.requests) > before + 8, process)
    process.send_signal(number)
    process.wait(DEADLINE)


def check_crawls(server):
    with tap.case("left after a crawl"):
        tap.succeed("crawl", server.url, "-o", tap.path("once"), "--delay", "0", "-q")
        check_left(tap.path("once"))
    for number in (signal.SIGTERM, signal.SIGKILL):
        with tap.case(f"left after {number.name} and resume"):
            archive = tap.path(number.name)
            interrupt(server, archive, number)
            tap.run("resume", archive, timeout=DEADLINE)
            check_left(archive)
    with tap.case("left after commands that read"):
        archive = tap.path("once")
        for words in (("report", archive), ("verify", archive), ("rates", archive), ("graph", archive),
                      ("similar", archive), ("export", archive, "--wacz", tap.path("x.wacz")),
                      ("diff", archive, server.url), ("judge", archive)):
            tap.run(*words)
        check_left(archive)
    with tap.case("left after commands that write"):
        for words, more in ((("rebuild", archive), []), (("index", archive), []),
                            (("retire", archive, "--keep", "all"), []),
                            (("index", archive, "--text"), ["text.sqlite"]),
                            (("search", archive, "words"), ["text.sqlite"])):
            tap.succeed(*words)
            check_left(archive, *more)
    with tap.case("left after an import"):
        tap.succeed("import", tap.path("x.wacz"), "-o", tap.path("imported"))
        check_left(tap.path("imported"), "imported.txt")


def check_watch(server):
    archive = tap.path("watched")
    config = tap.write("watch.yaml", json.dumps({
        "archive": archive, "budget": {"requests": "200/second"}, "delay": 0,
        "sites": [{"url": server.url}]}))
    with tap.case("left after a watch that was stopped, and one that was killed"):
        for number in (signal.SIGKILL, signal.SIGTERM):
            before = len(server.requests)
            process = start("watch", config)
            wait_until(lambda count=before: len(server.requests) > count + PAGES, process)
            process.send_signal(number)
            process.wait(DEADLINE)
        left = sorted(os.listdir(archive))
        assert set(OWN) <= set(left), left
        strays = [name for name in left if name.endswith(("-wal", "-shm", ".new", ".tmp")) or
                  name in ("lock", "spool")]
        tap.equal(strays, [])


with rawserver.Server(answer) as server:
    check_outputs(server.url)
    check_crawls(server)
    check_watch(server)
tap.done()
