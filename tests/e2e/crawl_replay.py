#!/usr/bin/env python3
"""Chromium with npm's replaywebpage shows a captured page, its style and its image, from our WARC
files alone: the server that they came from is gone. From our WACZ it shows those of a
second capture, which are all revisit records."""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import time
import zlib

import living
import rawserver
import tap
from rawserver import page, respond

SRCDIR = os.environ["SRCDIR"]
ARCHIVE = tap.path("archive")
SIZE = (37, 31)


def png(width, height):
    """A picture of noise of that size: too large to be stored twice."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    noise = random.Random(1)
    rows = b"".join(b"\0" + noise.randbytes(width) for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


SITE = {
    "/": respond("302 Found", location="/paper/"),
    "/paper/": page("<!doctype html><meta charset=utf-8><title>The Paper</title>"
                    "<link rel=stylesheet href=/style/main.css><h1>Prices – today</h1>"
                    f"<!-- {'long enough to be stored once ' * 30}-->"
                    "<p>Milk is 1.09 €.</p><img src=../picture.png alt=''><img src=/copy.png alt=''>".encode()),
    "/style/main.css": respond("200 OK", b"h1 { color: rgb(1, 2, 3) }", content_type="text/css"),
    "/picture.png": respond("200 OK", png(*SIZE), content_type="image/png"),
    "/copy.png": respond("200 OK", png(*SIZE), content_type="image/png"),
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def serve_part(request, data):
    """As much of a file as the request asks for."""
    fields = {name.lower(): value for name, value in request.fields.items()}
    asked = re.fullmatch(r"bytes=(\d*)-(\d*)", fields.get("range", ""))
    if not asked:
        return respond("200 OK", data, content_type="application/zip", accept_ranges="bytes")
    start, end = asked[1], asked[2]
    first = int(start) if start else max(0, len(data) - int(end))
    last = min(int(end), len(data) - 1) if start and end else len(data) - 1
    return respond("206 Partial Content", data[first:last + 1], content_type="application/zip",
                   accept_ranges="bytes", content_range=f"bytes {first}-{last}/{len(data)}")


def player(modules, archive, url, name="archive.warc.gz", more=""):
    """A page that shows the archived one, as replaywebpage's manual has it."""
    package = f"{modules}/node_modules/replaywebpage"
    script = "text/javascript"
    answers = {
        "/": page(f"<!doctype html><script src=/ui.js></script><replay-web-page replayBase=/replay/ "
                  f"embed=replayonly source=/{name} url={url} {more}></replay-web-page>".encode()),
        "/ui.js": respond("200 OK", read(f"{package}/ui.js"), content_type=script),
        "/replay/sw.js": respond("200 OK", read(f"{package}/sw.js"), content_type=script),
    }

    def answer(request):
        path = request.path.partition("?")[0]
        data = (serve_part(request, archive) if path == f"/{name}"
                else answers.get(path, rawserver.NOT_FOUND))
        return data.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" if request.method == "HEAD" else data

    return rawserver.Server(answer)


chromium = shutil.which("chromium")
if not (chromium and shutil.which("npm")):
    tap.skip("replay in a browser", "there is no chromium, or no npm")
    tap.done()
modules = subprocess.run([f"{SRCDIR}/tools/install-npm"], text=True, stdout=subprocess.PIPE,
                         check=True).stdout.strip()

with tap.case("a page with style and image is captured"):
    with rawserver.Server(lambda request: SITE.get(request.path, rawserver.NOT_FOUND)) as site:
        report = tap.load("crawl", site.url, "--delay", 0, "--evidence", "records", "-o", ARCHIVE)
        second = int(time.time())
        while int(time.time()) < second + 1:  # a date of its own
            time.sleep(0.02)
        LATER = tap.load("crawl", site.url, "--delay", 0, "--evidence", "records", "-o", ARCHIVE)
    tap.equal((report["pages"], report["sharp"]), (5, 5))
    pictures = [record.type for file in living.warc_files(ARCHIVE) for record in living.records(file)
                if record.fields.get("WARC-Target-URI", "").endswith(".png")
                and record.type in ("response", "revisit")]
    tap.equal(sorted(pictures), ["response"] + 7 * ["revisit"])


def check_shown(server):
    """The browser shows the page, whole."""
    done = subprocess.run(["node", f"{SRCDIR}/tests/e2e/replay.mjs", modules, chromium,
                           server.url, site.url + "paper/"],
                          text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    tap.equal(seen["title"], "The Paper")
    assert "Prices – today" in seen["text"] and "Milk is 1.09 €." in seen["text"], seen
    tap.equal(seen["color"], "rgb(1, 2, 3)")
    tap.equal(seen["images"], [list(SIZE)] * 2)


with tap.case("the page is shown from the archive"):
    warc = b"".join(read(file) for file in living.warc_files(ARCHIVE))
    with player(modules, warc, site.url + "paper/") as server:
        check_shown(server)

with tap.case("an unchanged page of a later capture is shown from a WACZ"):
    url = site.url + "paper/"
    moment = LATER["stillpoint"]["from"]
    digits = re.sub(r"\D", "", moment)[:14]
    lines = [line for line in read(f"{ARCHIVE}/index.cdxj").decode().splitlines() if f'"{url}"' in line]
    tap.equal(["warc/revisit" in line for line in lines], [False, True, True, True])
    tap.succeed("export", ARCHIVE, "--wacz", tap.path("archive.wacz"))
    package = read(tap.path("archive.wacz"))
    with player(modules, package, url, "archive.wacz", f"ts={digits}") as server:
        check_shown(server)

tap.done()
