"""The site of the archives in tests/data/archives, and how they were made:

    tests/e2e/old_site.py OLD-PROGRAM DIRECTORY

writes DIRECTORY/finished.tar.gz, unfinished.tar.gz and watched.tar.gz, by a program of an earlier
version: a capture, one that was killed among its visits, and a site under watch, killed as well.
"""

import collections
import contextlib
import hashlib
import os
import sqlite3
import subprocess
import sys
import tarfile
import time

import rawserver

# No other server has this address, and the port is not one that is given to those who ask for any.
HOST, PORT = "127.83.80.1", 8083
URL = f"http://{HOST}:{PORT}/"
DEADLINE = 60
TEXT = "<p>What there is to read on this page stays as it is, word for word.</p>"
NOISY = "csrf1", "csrf2"
LEARNED = "n/box1", "n/box2", "n/box3"  # a place that varies by itself, as probes show
EDITED = {  # what version 1 took for the same
    "power": ("<p>About 10<sup>9</sup> stars</p>", "<p>About 109 stars</p>"),
    "script": ("<script>var total = 1518300000;</script>",
               "<script>var total = 1718300021;</script>"),
}
STATIC = "about", "help"
NAMES = (*NOISY, *LEARNED, *EDITED, *STATIC)


class Site:
    """Pages show the first version once and the second ever after, or always the second."""

    def __init__(self, visited=False, hang_at=None):
        self.visited, self.hang_at = visited, hang_at
        self.turns = collections.Counter()  # by page: the same values whatever the order
        self.seen = set()

    def body(self, name):
        self.turns[name] += 1
        value = f"{self.visited} {name} {self.turns[name]}".encode()
        value = int(hashlib.sha256(value).hexdigest()[:32], 16)
        is_second = self.visited or name in self.seen
        self.seen.add(name)
        if name == "":
            return TEXT + "".join(f"<a href=/{other}>{other}</a>" for other in NAMES)
        if name in NOISY:
            return TEXT + f"<input type=hidden name=csrf_token value={value:032x}>"
        if name in LEARNED:
            odd = f"{value % 89999 + 10000}:{value:032x}"
            return TEXT + f"<form><input type=hidden name=zq7 value={odd}></form>"
        return TEXT + (EDITED[name][is_second] if name in EDITED else f"<p>{name}</p>")

    def __call__(self, request):
        name = request.path[1:]
        if name and name not in NAMES:
            return rawserver.NOT_FOUND
        if name == self.hang_at:
            time.sleep(DEADLINE)  # it is killed meanwhile
        return rawserver.page(f"<title>{name}</title>{self.body(name)}".encode())


def serve(site):
    """Another run of the tests may have the port for a moment."""
    end = time.monotonic() + DEADLINE
    while True:
        try:
            return rawserver.Server(site, port=PORT, host=HOST)
        except OSError:
            assert time.monotonic() < end, "the port is taken"
            time.sleep(0.1)


def count_visits(archive):
    try:
        with contextlib.closing(sqlite3.connect(f"file:{archive}/catalog.sqlite?mode=ro",
                                                uri=True)) as database:
            return database.execute("SELECT count(*) FROM observation").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def make(program, archive, unfinished):
    site = Site(hang_at=NAMES[2] if unfinished else None)
    with serve(site):
        process = subprocess.Popen([program, "crawl", URL, "-o", archive, "--delay", "1ms"])
        end = time.monotonic() + DEADLINE / 2
        while unfinished and count_visits(archive) < 7:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.1)
        if unfinished:
            process.kill()
        process.wait()


CONFIG = """archive: {archive}
budget: {{requests: 8/s}}
delay: 1ms
sites: [{{url: {url}}}]
"""
LOOKS = 40  # of the watch, at least


def watch(program, archive):
    config = archive + ".yaml"
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(archive=archive, url=URL))
    with serve(Site()):
        process = subprocess.Popen([program, "watch", config])
        end = time.monotonic() + DEADLINE
        while count_visits(archive) < LOOKS:
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.1)
        process.kill()
        process.wait()


def choose(member):
    """Not what only a running program needs."""
    return None if member.name.endswith(("-shm", "/lock")) else member


def main(program, directory):
    for name in ("finished", "unfinished", "watched"):
        archive = os.path.join(directory, name)
        if name == "watched":
            watch(program, archive)
        else:
            make(program, archive, name == "unfinished")
        with tarfile.open(archive + ".tar.gz", "w:gz") as file:
            file.add(archive, name, filter=choose)


if __name__ == "__main__":
    main(*sys.argv[1:])
