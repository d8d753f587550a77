#!/usr/bin/env python3
"""WARC files cut anywhere, and captures killed at any moment: behind rebuild and resume no page of
the site is missing.

The site is small and has all ways to find a page: links, redirects, requisites, a sitemap, links
of a body that the archive has already under another URL, and a link that is there only later. What
it has is known, so each report can be held against it.
"""

import concurrent.futures
import contextlib
import http.server
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import threading

import living
import tap

CUTS = living.scaled(6, 4)
KILLS = living.scaled(8, 4)
AGAIN = living.scaled(3, 3)
SEED = 20261118
WORDS = "archive change page still point visit site time proof record window leg".split()
GOOD = {"sharp", "changed", "single", "absent", "unconfirmed", "appeared", "gone"}


def text(seed, count=120):
    words = random.Random(seed)
    return " ".join(words.choice(WORDS) for _ in range(count))


def html(title, *links, body=None):
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return (f"<!DOCTYPE html><title>{title}</title><link rel=stylesheet href=/style.css>"
            f"<p>{body or text(title)}</p>{anchors}").encode()


def pages():
    """Path: body, or the target of a redirect."""
    site = {
        "/": html("home", *(f"/a/{i}" for i in range(5)), "/twin/1", "/twin/2", "/moved"),
        "/style.css": b"p { color: black } body { background: url(/dot.gif) }",
        "/dot.gif": b"GIF89a" + bytes(40),
        "/moved": "/a/target",
        "/a/target": html("target", "/a/behind"),
        "/a/behind": html("behind"),
    }
    for i in range(5):
        site[f"/a/{i}"] = html(f"a{i}", *(f"/b/{i}/{j}" for j in range(4)))
        for j in range(4):
            site[f"/b/{i}/{j}"] = html(f"b{i}{j}", "/", f"/a/{(i + 1) % 5}")
    for i in (1, 2):  # one body under two URLs, with a link that depends on the URL
        site[f"/twin/{i}"] = html("twin", "?of=twin", body=text("twin", 400))
        site[f"/twin/{i}?of=twin"] = html(f"of twin {i}")
    for i in range(3):
        site[f"/listed/{i}"] = html(f"listed {i}", f"/listed/{i}/more")
        site[f"/listed/{i}/more"] = html(f"more {i}")
    return site


class Site:
    """A loopback site, the same for every capture."""

    def __init__(self):
        site = self
        self.pages = pages()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                site.answer(self)

            def log_message(self, *_):
                pass

            def handle(self):
                with contextlib.suppress(ConnectionError):  # of a process that was killed
                    super().handle()

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler):
        body, status, location = self.pages.get(handler.path), 200, None
        host = "http://" + handler.headers["Host"]
        if handler.path == "/robots.txt":
            body = f"User-agent: *\nSitemap: {host}/sitemap.xml\n".encode()
        elif handler.path == "/sitemap.xml":
            urls = "".join(f"<url><loc>{host}/listed/{i}</loc></url>" for i in range(3))
            body = ('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
                    f"{urls}</urlset>").encode()
        elif body is None:
            body, status = b"no such page", 404
        elif isinstance(body, str):
            body, status, location = b"moved", 301, body
        suffix = handler.path.rsplit("/", 1)[-1].rpartition(".")[2]
        kind = {"css": "text/css", "gif": "image/gif", "txt": "text/plain",
                "xml": "application/xml"}.get(suffix, "text/html")
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(body)))
        if location:
            handler.send_header("Location", location)
        handler.end_headers()
        handler.wfile.write(body)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def command(site, archive, *options):
    """Two names of one server are two sites."""
    seeds = [site.url + "/"]
    if "two" in options:
        options = [option for option in options if option != "two"]
        seeds.append(site.url.replace("localhost", "other.localhost") + "/")
    return ["crawl", *seeds, "-o", archive, "--delay", "0", "--jobs", "2", "--quiet", *options]


def drop_catalog(archive):
    for name in os.listdir(archive):
        if name.startswith("catalog.sqlite"):
            os.unlink(os.path.join(archive, name))


def captures(archive):
    return [row["capture"] for row in tap.load("report", archive, "--captures")["captures"]]


def complete(site, archive, lost=0):
    """Every page of the site is in each capture, which says that it is finished."""
    for number in captures(archive):
        report = tap.load("report", archive, "--capture", number)
        tap.equal(report["state"], "finished")
        found = {row["url"]: row["verdict"] for row in report["verdicts"]}
        base = report["site"].split()[0].rstrip("/")
        missing = [path for path in site.pages if found.get(base + path) not in GOOD]
        assert not missing, f"capture {number} has not {missing}: {found}"
        unknown = [found[url] for url in found if "lost-page" in url]
        assert len(unknown) <= lost and set(unknown) <= {"failed"}, found


def verified(archive):
    for options in ((), ("--warc-only",)):
        done = tap.run("verify", archive, *options)
        assert done.returncode == 0, done.stdout + done.stderr


def mend(archive):
    """What a user does behind a crash with a lost catalog; nothing if there is nothing to mend."""
    done = tap.run("rebuild", archive, "--json")
    if done.returncode and "there is no WARC file of a capture" in done.stderr:
        return False
    tap.equal((done.returncode, done.stderr), (0, ""))
    if json.loads(done.stdout)["captures"] == 0:  # the file had not got that far
        return False
    done = tap.run("resume", archive, "--quiet")
    assert done.returncode == 0, done.stderr + done.stdout
    return True


def tidy(archive):
    """Nothing but the archive's own files is there."""
    tap.equal(sorted(os.listdir(archive)), ["catalog.sqlite", "index.cdxj", "warc"])


def check(site, archive):
    """Rebuilds and resumes: all is there, and a second rebuild finds the same."""
    if not mend(archive):
        return
    complete(site, archive)
    verified(archive)
    tidy(archive)
    drop_catalog(archive)
    done = tap.load("rebuild", archive)
    tap.equal([done[key] for key in ("lost_pages", "unfinished", "damaged", "malformed")], [0] * 4)
    complete(site, archive)
    verified(archive)


def last_file(archive):
    return max(living.warc_files(archive), key=os.path.basename)


def cut_and_check(site, original, offset):
    copy = tap.path(f"cut-{os.path.basename(original)}-{offset}")
    shutil.copytree(original, copy)
    drop_catalog(copy)
    os.truncate(last_file(copy), offset)
    try:
        check(site, copy)
    except Exception as problem:
        raise AssertionError(f"cut at {offset}") from problem
    shutil.rmtree(copy)


def places(path, count):
    """Behind records, in the midst of them, and anywhere."""
    rng, size = random.Random(SEED), os.path.getsize(path)
    ends = [record.offset + record.length for record in living.records(path)]
    some = [ends[i * (len(ends) - 1) // (count // 2)] for i in range(1, count // 2)]
    return sorted({*some, *(rng.randrange(1, size) for _ in range(count - len(some)))})


def damage_and_check(site, original, record):
    """A record of the page table cannot be read: what it had is found again, or said to be lost."""
    copy = tap.path(f"damaged-{record.offset}")
    shutil.copytree(original, copy)
    drop_catalog(copy)
    with open(last_file(copy), "r+b") as file:
        file.seek(record.offset + record.length // 2)
        file.write(bytes(8))
    done = tap.load("rebuild", copy)
    assert done["damaged"] > 0, done
    if done["lost_pages"]:
        assert done["unfinished"] > 0, done
        done = tap.run("resume", copy, "--quiet")
        assert done.returncode == 0, done.stderr
    complete(site, copy, lost=len(site.pages))
    shutil.rmtree(copy)


def lose_and_check(site, original, number):
    """A file in the midst of the others is cut or gone: what can be asked for again is, verify says
    the same with the catalog and without, and nothing is called whole."""
    copy = tap.doctored(tap.path(f"lost-{number}"))
    shutil.copytree(original, copy)
    drop_catalog(copy)
    path = sorted(living.warc_files(copy))[number // 2]
    if number % 2:
        os.unlink(path)
    else:
        os.truncate(path, random.Random(number).randrange(1, os.path.getsize(path)))
    done = tap.load("rebuild", copy)
    assert done["damaged"] + done["missing_files"] + done["without_start"] > 0, done
    if done["without_start"] == 0:  # else its settings are gone
        if done["unfinished"]:
            resumed = tap.run("resume", copy, "--quiet")
            assert resumed.returncode == 0, (number, resumed.stderr)
        complete(site, copy, lost=len(site.pages))
    codes = [tap.run("verify", copy, *options).returncode for options in ((), ("--warc-only",))]
    tap.equal(codes[0], codes[1])
    shutil.rmtree(copy)


VARIANTS = [
    ("visits and revisits", []),
    ("a record for each look", ["--evidence", "records"]),
    ("one visit each", ["--single"]),
    ("two sites on two lanes", ["two", "--lanes", "2"]),
    ("two sites on one lane", ["two", "--lanes", "1"]),
    ("a file for each site", ["two", "--warc-per-site"]),
    ("small files", ["--warc-size", "16k"]),
    ("no probes", ["--no-probes"]),
]


def kill_and_check(site, options, number, again=False):
    """Kills a capture, the second one of its archive if `again`."""
    archive = tap.path(f"killed-{number}")
    if again:
        done = tap.run(*command(site, archive, *options))
        tap.equal((done.returncode, done.stderr), (0, ""))
    process = subprocess.Popen([tap.PROGRAM, *command(site, archive, *options)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=random.Random(number).uniform(0.02, 1.2))
    process.send_signal(signal.SIGKILL)
    process.wait()
    if not os.path.isdir(os.path.join(archive, "warc")):
        return
    drop_catalog(archive)
    check(site, archive)
    shutil.rmtree(archive)


def main():
    site = Site()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, options in VARIANTS:
            with tap.case(f"{name}: its last WARC file cut anywhere, rebuilt and resumed"):
                archive = tap.path(name.replace(" ", "-"))
                done = tap.run(*command(site, archive, *options))
                tap.equal((done.returncode, done.stderr), (0, ""))
                complete(site, archive)
                verified(archive)
                offsets = places(last_file(archive), CUTS)
                list(pool.map(cut_and_check, itertools.repeat(site), itertools.repeat(archive),
                              offsets))
        with tap.case("a damaged record of the page table: its pages are found again"):
            archive = tap.path("visits-and-revisits")
            tables = [record for record in living.stored_records(last_file(archive))
                      if record.fields.get("WARC-Target-URI") == "urn:x-stillpoint:pages"]
            list(pool.map(damage_and_check, itertools.repeat(site), itertools.repeat(archive),
                          tables[:CUTS]))
        with tap.case("a file in the midst of the others is cut or gone: the rest is found again"):
            archive = tap.path("small-files")
            count = 2 * (len(living.warc_files(archive)) - 1)
            list(pool.map(lose_and_check, itertools.repeat(site), itertools.repeat(archive),
                          range(count)))
        with tap.case("killed at any moment, without a catalog: rebuilt and resumed"):
            list(pool.map(kill_and_check, itertools.repeat(site),
                          itertools.cycle([options for _, options in VARIANTS]), range(KILLS)))
        with tap.case("a second capture killed at any moment, without a catalog: rebuilt and resumed"):
            list(pool.map(kill_and_check, itertools.repeat(site),
                          itertools.cycle(options for _, options in VARIANTS if "two" in options),
                          range(KILLS, KILLS + AGAIN), itertools.repeat(True)))
    site.close()
    tap.done()


main()
