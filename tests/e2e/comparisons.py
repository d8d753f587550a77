#!/usr/bin/env python3
"""What two looks at a page may differ in and be the same, whenever they were made: verify agrees.

From the catalog and from the WARC files alone, verify must find the same.
"""

import gzip
import itertools
import os
import shutil
import zlib

import living
import rawserver
import tap

TEXT = "<p>What there is to read on this page stays as it is, word for word.</p>"
TURNS = itertools.count(1)


def token():
    return f"{next(TURNS) * 0x9e3779b97f4a7c15 % 2**127:032x}"


def form():
    return f"<form action=/send><input type=hidden name=csrf_token value={token()}></form>"


def links(names):
    return "".join(f"<a href=/{name}>{name}</a>" for name in names)


class Site:
    """bodies(name, is_second) is bytes, or a whole response; nothing: 404."""

    def __init__(self, bodies):
        self.bodies, self.seen = bodies, set()

    def __call__(self, request):
        name = request.path[1:]
        answer = self.bodies(name, name in self.seen)
        self.seen.add(name)
        if answer is None:
            return rawserver.NOT_FOUND
        return answer if isinstance(answer, bytes) else rawserver.page(answer.encode())


def crawl(server, name, *options):
    done = tap.run("crawl", server.url, "-o", tap.path(name), "--delay", 0, "--no-sitemaps",
                   *options)
    tap.equal((done.returncode, done.stderr), (0, ""))
    return tap.path(name)


def verify(archive):
    """Both ways, and they agree."""
    found = tap.verified(archive)
    tap.equal(found[0], 0)
    tap.equal(tap.verified(archive, "--warc-only"), found)
    return found


def verdicts(archive, url, *options):
    """By name: verdict and evidence."""
    return {row["url"].removeprefix(url): (row["verdict"], row["evidence"])
            for row in tap.load("report", archive, *options)["verdicts"]}


# ---- codings ----

CODED = [f"page{i}" for i in range(20)]
SHARP_BYTES, SHARP_RULES = ("sharp", "bytes"), ("sharp", "normalised")


def coded(first):
    """gzip at one of visit and revisit."""
    def bodies(name, is_second):
        if name and name not in CODED:
            return None
        body = f"<title>{name}</title>{TEXT * 20}{'' if name else links(CODED)}".encode()
        if is_second == first:
            return rawserver.page(body)
        return rawserver.page(gzip.compress(body, mtime=0), content_encoding="gzip")
    return bodies


for label, first, options in (("gzip, then plain", True, []),
                              ("plain, then gzip", False, []),
                              ("gzip, then plain, in records", True, ["--evidence", "records"])):
    with tap.case(f"the coding differs, the body does not: {label}"):
        with rawserver.Server(Site(coded(first))) as server:
            archive = crawl(server, f"coded{len(tap.RESULTS)}", *options)
            found = verdicts(archive, server.url)
        tap.equal(found, {name: SHARP_BYTES for name in ["", *CODED]})
        verify(archive)
        tap.succeed("rebuild", archive)
        tap.equal(verdicts(archive, server.url), found)
        verify(archive)

# ---- duties ----

CODE = "function show(a) { return document.getElementById(a).hidden = false; }\n" * 300
JAVASCRIPT = {"content_type": "text/javascript"}


def hashed(scripts, noise=lambda: ""):
    """A page whose script has another name at the revisit; the bodies of both scripts."""
    def bodies(name, is_second):
        if name == "":
            return TEXT + links(["page"])
        if name == "page":
            script = ("app.1a2b3c4d.js", "app.9f8e7d6c.js")[is_second]
            return f"{TEXT}<script src=/{script}></script>{noise()}"
        if name in scripts:
            return rawserver.page(scripts[name].encode(), **JAVASCRIPT)
        return None
    return bodies


DUTIES = [  # label, scripts, noise besides, what becomes of the page
    ("the same script", {"app.1a2b3c4d.js": CODE, "app.9f8e7d6c.js": CODE}, "", SHARP_RULES),
    ("the same script, and a token", {"app.1a2b3c4d.js": CODE, "app.9f8e7d6c.js": CODE}, form,
     SHARP_RULES),
    ("another script", {"app.1a2b3c4d.js": CODE, "app.9f8e7d6c.js": CODE + "show('x');\n"}, "",
     ("changed", None)),
    ("a script that is gone", {"app.1a2b3c4d.js": CODE}, "", ("changed", None)),
]

for label, scripts, noise, want in DUTIES:
    for options in ([], ["--evidence", "records"], ["--no-probes"]):
        with tap.case(f"another hash in the name of a script: {label} {' '.join(options)}"):
            with rawserver.Server(Site(hashed(scripts, noise or (lambda: "")))) as server:
                archive = crawl(server, f"hashed{len(tap.RESULTS)}", *options)
                tap.equal(verdicts(archive, server.url)["page"], want)
            verify(archive)
            tap.succeed("rebuild", archive)
            tap.equal(verdicts(archive, server.url)["page"], want)
            verify(archive)

# ---- later captures ----

KINDS = "token", "same", "edit", "always", "swings"
EDITION = 0
SWINGS = itertools.count()


def later(name, _):
    """/edit changes between captures, /token and /always at every look; /swings has two texts."""
    if name == "":
        return TEXT + links(KINDS)
    if name not in KINDS:
        return None
    return TEXT * 9 + {"token": form, "same": str, "edit": lambda: f"<p>Edition {EDITION}</p>",
                       "always": lambda: f"<p>Visitor {next(TURNS)} of today</p>{form()}",
                       "swings": lambda: f"<p>{('Heads', 'Tails')[next(SWINGS) % 2]}</p>{form()}",
                       }[name]()


with rawserver.Server(Site(later)) as server:
    URL = server.url
    for EDITION in range(3):
        AGAIN = crawl(server, "again", *(["--evidence", "records"] if EDITION == 1 else []))


def at_all(archive):
    """What was there at the still points."""
    found = []
    for number in (1, 2, 3):
        instant = tap.load("report", archive, "--capture", number)["stillpoint"]["from"]
        found.append({row["url"].removeprefix(URL): (row["state"], row["from"], row["to"])
                      for row in tap.load("report", archive, "--at", instant)["pages"]})
    return found


with tap.case("a page with noise at later captures"):
    for number in (1, 2, 3):
        tap.equal(verdicts(AGAIN, URL, "--capture", number),
                  {"": SHARP_BYTES, "token": SHARP_RULES, "same": SHARP_BYTES, "edit": SHARP_BYTES,
                   "always": ("changed", None), "swings": ("changed", None)})
    verify(AGAIN)

with tap.case("a page stood from the first capture to the last, and the edited page did not"):
    seen = at_all(AGAIN)
    for name, versions in (("same", 1), ("edit", 3)):
        tap.equal((name, len({found[name][1:] for found in seen})), (name, versions))
    tap.equal({found[name][0] for name in KINDS[:3] for found in seen}, {"proven"})

with tap.case("rebuild keeps what was compared"):
    rebuilt = shutil.copytree(AGAIN, tap.path("rebuilt"))
    tap.succeed("rebuild", rebuilt)
    tap.equal(at_all(rebuilt), seen)
    verify(rebuilt)

# ---- what is retired ----

KEEPS = "1y:2y", "1s:1y", "all:1s"


def compared(archive):
    """Records that the looks say that they were compared with, and records that are there."""
    out = tap.path("compared.warc.gz")
    if os.path.exists(out):
        os.remove(out)
    tap.succeed("export", archive, "--warc", out)
    named, there = set(), set()
    for record in living.stored_records(out):
        there.add(record.id)
        for line in record.block.split(b"\r\n") if record.type == "metadata" else []:
            if line.startswith(b"compared: "):
                named.add(line.removeprefix(b"compared: ").decode())
    return named, there


for keep in KEEPS:
    with tap.case(f"what a look was compared with is retired: --keep {keep}"):
        retired = shutil.copytree(AGAIN, tap.path(f"retired{len(tap.RESULTS)}"))
        counts = tap.load("retire", retired, "--keep", keep)
        named, there = compared(retired)
        print("#", counts["retired"], "retired; compared with what is gone:", len(named - there))
        assert keep != KEEPS[0] or named - there, "nothing that a look was compared with is gone"
        verify(retired)
        tap.succeed("rebuild", retired)
        verify(retired)

BOXES = "n/box1", "n/box2", "n/box3"


def settled(name, is_second):
    """What is settled when a capture ends: a place that varies by itself, a script's new name."""
    if name == "":
        return TEXT + links(["page", *BOXES])
    if name in BOXES:
        return f"{TEXT}<form><input type=hidden name=zq7 value='{token()[:24]}'></form>"
    return hashed({"app.1a2b3c4d.js": CODE, "app.9f8e7d6c.js": CODE})(name, is_second)


with tap.case("looks that are the same by what was settled in the end are retired"):
    with rawserver.Server(Site(settled)) as server:
        SETTLED = crawl(server, "settled")
        found = verdicts(SETTLED, server.url)
        tap.equal({found[name] for name in ("page", *BOXES)}, {SHARP_RULES})
        for again in (False, True):
            if again:
                crawl(server, "settled")
            retired = shutil.copytree(SETTLED, tap.path(f"settled{again}"))
            assert tap.load("retire", retired, "--keep", "1y:2y")["retired"] > 0
            for _ in range(2):
                verify(retired)
                found = verdicts(retired, server.url, "--capture", 1)
                tap.equal({found[name] for name in BOXES}, {("unconfirmed", "tombstone")})
                tap.succeed("rebuild", retired)

# ---- watch ----

with rawserver.Server(Site(later)) as server:
    config = tap.write("watch.yaml", "\n".join([
        f"archive: {tap.path('watched')}", "budget: {requests: 8640000/day}", "delay: 0",
        "sites:", f"  - url: {server.url}", "    policy: uniform", ""]))
    for EDITION in range(4):
        tap.equal(tap.run("watch", "--once", config).returncode, 0)
WATCHED = tap.path("watched")

with tap.case("a page with noise under watch"):
    verify(WATCHED)
    rows = living.query(WATCHED, "SELECT count(*) FROM observation WHERE rule_set = 2 AND"
                        " normal IS NOT NULL")
    assert rows[0][0] > 1, rows
    rebuilt = shutil.copytree(WATCHED, tap.path("watched-anew"))
    tap.succeed("rebuild", rebuilt)
    verify(rebuilt)

with tap.case("a watch whose old versions are retired"):
    counts = tap.load("retire", WATCHED, "--keep", "1y:2y")
    assert counts["retired"] > 0, counts
    verify(WATCHED)
    tap.succeed("rebuild", WATCHED)
    verify(WATCHED)

# ---- WARC files that are packed anew ----


def members(data):
    while data:
        member = zlib.decompressobj(wbits=31)
        yield member.decompress(data)
        data = member.unused_data


def pack(record, level, step):
    """One member; the stream is flushed after every so many bytes."""
    member = zlib.compressobj(level, wbits=31)
    parts = [record[at:at + step] for at in range(0, len(record), step)]
    return b"".join(member.compress(part) + member.flush(zlib.Z_FULL_FLUSH) for part in parts) + member.flush()


LONG = [f"long{i}" for i in range(4)]


def spaced(name, is_second):
    """Large pages with runs of white space, and a token that is another one at the revisit."""
    if name and name not in LONG:
        return None
    body = TEXT + (" \n\t" * 300 + TEXT) * 70 + form() + links([] if name else LONG)
    return rawserver.page(gzip.compress(body.encode(), 1 + 8 * is_second, mtime=0), content_encoding="gzip")


with rawserver.Server(Site(spaced)) as server:
    SPACED = crawl(server, "spaced")
    FOUND = verdicts(SPACED, server.url)
for level, step in ((0, 1 << 20), (1, 1000), (9, 1 << 16), (6, 7)):
    with tap.case(f"records packed anew, level {level}, {step} bytes at a time"):
        tap.equal(set(FOUND.values()), {SHARP_RULES})
        repacked = shutil.copytree(SPACED, tap.path(f"repacked-{level}"))
        for name in os.listdir(os.path.join(repacked, "warc")):
            with open(os.path.join(repacked, "warc", name), "rb+") as file:
                data = b"".join(pack(record, level, step) for record in members(file.read()))
                file.seek(0)
                file.truncate()
                file.write(data)
        tap.equal(tap.verified(repacked, "--warc-only"), verify(SPACED))
        tap.succeed("rebuild", repacked)
        tap.equal(verify(repacked), verify(SPACED))
        tap.equal(verdicts(repacked, server.url), FOUND)

tap.done()
