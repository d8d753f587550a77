#!/usr/bin/env python3
"""Chromium with npm's replaywebpage shows a captured page, its style and its image, from our WARC
files alone: the server that they came from is gone."""

import json
import os
import random
import shutil
import struct
import subprocess
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
                    "<p>Milk is 1.09 €.</p><img src=../picture.png alt=''><img src=/copy.png alt=''>".encode()),
    "/style/main.css": respond("200 OK", b"h1 { color: rgb(1, 2, 3) }", content_type="text/css"),
    "/picture.png": respond("200 OK", png(*SIZE), content_type="image/png"),
    "/copy.png": respond("200 OK", png(*SIZE), content_type="image/png"),
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def player(modules, warc, url):
    """A page that shows the archived one, as replaywebpage's manual has it."""
    package = f"{modules}/node_modules/replaywebpage"
    script = "text/javascript"
    answers = {
        "/": page(f"<!doctype html><script src=/ui.js></script><replay-web-page replayBase=/replay/ "
                  f"embed=replayonly source=/archive.warc.gz url={url}></replay-web-page>".encode()),
        "/ui.js": respond("200 OK", read(f"{package}/ui.js"), content_type=script),
        "/replay/sw.js": respond("200 OK", read(f"{package}/sw.js"), content_type=script),
        "/archive.warc.gz": respond("200 OK", warc, content_type="application/gzip"),
    }

    def answer(request):
        data = answers.get(request.path.partition("?")[0], rawserver.NOT_FOUND)
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
        report = tap.load("crawl", site.url, "--delay", 0, "-o", ARCHIVE)
    tap.equal((report["pages"], report["sharp"]), (5, 5))
    pictures = [record.type for file in living.warc_files(ARCHIVE) for record in living.records(file)
                if record.fields.get("WARC-Target-URI", "").endswith(".png")
                and record.type in ("response", "revisit")]
    tap.equal(sorted(pictures), ["response"] + 3 * ["revisit"])

with tap.case("the page is shown from the archive"):
    warc = b"".join(read(file) for file in living.warc_files(ARCHIVE))
    archived = site.url + "paper/"
    with player(modules, warc, archived) as server:
        done = subprocess.run(["node", f"{SRCDIR}/tests/e2e/replay.mjs", modules, chromium,
                               server.url, archived],
                              text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    tap.equal(seen["title"], "The Paper")
    assert "Prices – today" in seen["text"] and "Milk is 1.09 €." in seen["text"], seen
    tap.equal(seen["color"], "rgb(1, 2, 3)")
    tap.equal(seen["images"], [list(SIZE)] * 2)

tap.done()
