"""Captures of living sites, for end-to-end tests: the site, its truth, and the archive read anew.

Nothing here uses the program to check the program: WARC files are read by Python's own zlib, the
truth is the site's log. SCALE makes sites smaller where the program is slow (sanitizers).
"""

import contextlib
import csv
import datetime
import gzip
import hashlib
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import urllib.parse
import uuid
import zlib

import packed
import tap

# The build with sanitizers is several times slower, and is there to find other things.
SANITIZED = os.path.basename(os.path.dirname(tap.PROGRAM)).endswith(("asan", "tsan"))
# Between two requests, so that a capture is still under way when it is stopped, however long that
# takes: for dozens of pages it means half a minute.
SLOW = "250ms"
SCALE = float(os.environ.get("STILLPOINT_TEST_SCALE", "0.2" if SANITIZED else "1"))


def scaled(count, least=1):
    return max(least, round(count * SCALE))


class Site:
    """A living site, until it is stopped; then its truth is complete."""

    def __init__(self, name, *options):
        self.truth_path = tap.path(f"{name}.truth")
        self.pages_path = tap.path(f"{name}.pages")
        self.rates_path = tap.path(f"{name}.rates")
        self.process = subprocess.Popen(
            [tap.LAB, "living-site", *map(str, options), "--truth", self.truth_path,
             "--write-pages", self.pages_path, "--write-rates", self.rates_path],
            stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://"), f"the site did not start: {self.url!r}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        tap.equal(self.process.wait(timeout=120), 0)

    def pages(self):
        """What the site has: rows of url, kind, rate, behaviour, validators, target, by URL."""
        with open(self.pages_path, encoding="utf-8", newline="") as file:
            return {row["url"]: row for row in csv.DictReader(file)}

    def truth(self):
        return Truth(self.truth_path)


class Truth:
    """Every change of a site. An instant that is logged as ms lies in [ms, ms + 1)."""

    def __init__(self, path):
        self.log = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                ms, host, target, version = line.rstrip("\n").split("\t")
                self.log.setdefault((host, target), []).append((int(ms), version))

    def of(self, url):
        parts = urllib.parse.urlsplit(url)
        return self.log[parts.hostname, parts.path + ("?" + parts.query if parts.query else "")]

    def changed_within(self, url, start, end):
        """Some change lies in [start, end) for certain."""
        return any(start <= ms and ms + 1 <= end for ms, _ in self.of(url)[1:])

    def changed_around(self, url, start, end):
        """Some change may lie in [start, end]."""
        return any(start < ms + 1 and ms <= end for ms, _ in self.of(url)[1:])

    def versions(self, url, start, end):
        """Those that may have been there at some instant of [start, end]."""
        log = self.of(url)
        ends = [ms + 1 for ms, _ in log[1:]] + [end + 1]
        return {version for (ms, version), gone in zip(log, ends) if ms <= end and gone >= start}


def milliseconds(text):
    """Of RFC 3339 with milliseconds, as reports have it; None of None."""
    if text is None:
        return None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", text), text
    moment = datetime.datetime.fromisoformat(text[:-1] + "+00:00")
    return round(moment.timestamp() * 1000)


class Record:
    def __init__(self, offset, length, header, block):
        self.offset, self.length, self.block = offset, length, block
        self.is_compact = False
        lines = header.decode().split("\r\n")
        tap.equal(lines[0], "WARC/1.1")
        self.lines = [line.split(": ", 1) for line in lines[1:]]
        self.fields = dict(self.lines)
        self.type = self.fields["WARC-Type"]
        self.id = self.fields["WARC-Record-ID"]

    def all(self, name):
        """Values of a field that may be there several times."""
        return [value for field, value in self.lines if field == name]

    def content(self):
        """Fields of a block that consists of them."""
        return dict(line.split(": ", 1) for line in self.block.decode().split("\r\n") if line)


class Row:
    """Bytes of a compact look (docs/archive.md), taken from the front."""

    def __init__(self, rest):
        self.rest = rest

    def take(self, count):
        assert count <= len(self.rest), "a row is cut off"
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value, shift = value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    def text(self):
        return self.take(self.number())

    def time(self):
        return int.from_bytes(self.take(8), "big", signed=True)


def nanoseconds(time):
    """RFC 3339 with nine digits, as metadata records have it."""
    moment = datetime.datetime.fromtimestamp(time // 10**9, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time % 10**9:09d}Z"


def look(batch, row):
    """The records that a compact look stands for. Of a patch the body is left out."""
    kind, fields, url, address = row.take(1)[0], row.text(), row.text().decode(), row.text()
    sent, ahead, wait, rest = row.time(), row.time(), row.number(), row.number()
    original, date, other = uuid.UUID(bytes=row.take(16)), row.number(), row.text().decode()
    tap.equal(row.take(1), b"\x02")
    payload, request, head = "sha256:" + row.take(32).hex(), row.text(), row.text()
    if kind == 1:
        row.number(), row.text(), row.number(), row.text()
    tap.equal((row.rest, kind in (0, 1)), (b"", True))
    times = {"requestSent": sent, "firstByte": sent + wait, "lastByte": sent + wait + rest}
    lines = [f"{name}: {nanoseconds(time)}" for name, time in times.items()]
    lines += [f"monotonic{name[0].upper()}{name[1:]}: {time + ahead}" for name, time in times.items()]
    name = f"<urn:x-look:{hashlib.sha256(fields + url.encode() + str(sent).encode()).hexdigest()}>"
    shared = f"WARC-Date: {nanoseconds(sent)[:19]}Z\r\nWARC-Target-URI: {url}\r\n"
    said = dict(line.split(": ", 1) for line in fields.decode().split("\r\n") if line)
    shared += "".join(f"WARC-Protocol: {word}\r\n" for word in said.get("protocol", "").split())
    if "cipherSuite" in said:
        shared += f"WARC-Cipher-Suite: {said['cipherSuite']}\r\n"
    if address:
        shared += f"WARC-IP-Address: {address.decode()}\r\n"

    def record(kind, block, more):
        header = f"WARC/1.1\r\nWARC-Type: {kind}\r\n{shared}{more}\r\nContent-Length: {len(block)}"
        made = Record(batch.offset, batch.length, header.encode(), block)
        made.is_compact = True
        return made

    stamp = datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    yield record("revisit" if kind == 0 else "response", head,
                 f"WARC-Record-ID: {name}\r\nWARC-Payload-Digest: {payload}\r\n"
                 f"WARC-Refers-To: <urn:uuid:{original}>\r\n"
                 f"WARC-Refers-To-Target-URI: {other or url}\r\nWARC-Refers-To-Date: {stamp}")
    yield record("request", request,
                 f"WARC-Record-ID: {name[:-1]}-request>\r\nWARC-Concurrent-To: {name}")
    yield record("metadata", fields + "".join(line + "\r\n" for line in lines).encode(),
                 f"WARC-Record-ID: {name[:-1]}-metadata>\r\nWARC-Concurrent-To: {name}")


def looks(batch):
    """The records of all compact looks of one record."""
    first = b"stillpoint-looks: 1\r\n"
    assert batch.block.startswith(first), batch.block[:40]
    rest = Row(batch.block[len(first):])
    while rest.rest:
        yield from look(batch, Row(rest.text()))


def own(record, forms):
    """The request and the metadata of a record that has them in its header (docs/archive.md)."""
    url, date = record.fields["WARC-Target-URI"], record.fields["WARC-Date"]
    capture, leg, *numbers = record.fields["stillpoint-attempt"].split(" ")
    number, status, form, sent, clock, wait, rest = map(int, numbers)
    tap.equal(len(record.all("stillpoint-attempt")), 1)
    sent += int(datetime.datetime.fromisoformat(date.replace("Z", "+00:00")).timestamp()) * 10**9
    times = {"requestSent": 0, "firstByte": wait, "lastByte": wait + rest}
    lines = {"capture": capture, "leg": leg, "attempt": number, "status": status}
    lines |= {name: nanoseconds(sent + time) for name, time in times.items()}
    lines |= {f"monotonic{name[0].upper()}{name[1:]}": clock + time for name, time in times.items()}
    if record.all("WARC-Protocol"):
        lines |= {"protocol": " ".join(record.all("WARC-Protocol"))}
    if "WARC-Cipher-Suite" in record.fields:
        lines |= {"cipherSuite": record.fields["WARC-Cipher-Suite"]}
    for name, value in record.lines:
        if name.startswith("stillpoint-") and name != "stillpoint-attempt":
            assert name.removeprefix("stillpoint-") not in lines, name
            lines[name.removeprefix("stillpoint-")] = value
    order = ("capture leg purpose postData attempt kind via single requestSent firstByte lastByte monotonicRequestSent"
             " monotonicFirstByte monotonicLastByte status truncated failure protocol cipherSuite redacted"
             " closeDelimited standIn deceit signSet ruleSet rules maskedMillionths compared normalised").split()
    block = "".join(f"{name}: {lines.pop(name)}\r\n" for name in order if lines.get(name))
    tap.equal(lines, {})

    connection = "".join(f"{name}: {value}\r\n" for name, value in record.lines
                         if name in ("WARC-Protocol", "WARC-Cipher-Suite"))

    def made(kind, block, content_type):
        header = (f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {record.id[:-1]}-{kind}>\r\nWARC-Date: {date}\r\n"
                  f"WARC-Target-URI: {url}\r\nWARC-Concurrent-To: {record.id}\r\n"
                  f"{connection if kind == 'request' else ''}"
                  f"Content-Type: {content_type}\r\nContent-Length: {len(block)}")
        return Record(record.offset, record.length, header.encode(), block)

    if form:
        parts = urllib.parse.urlsplit(url)
        path = parts.path + ("?" + url.split("?", 1)[1] if "?" in url else "")
        head = forms[record.fields["WARC-Warcinfo-ID"], str(form)].decode()
        head = head.replace("{path}", path or "/", 1).replace("{url}", url, 1)
        yield made("request", head.replace("{host}", parts.netloc.rpartition("@")[2], 1).encode(),
                   "application/http; msgtype=request")
    yield made("metadata", block.encode(), "application/warc-fields")


def records(path):
    """All records of a WARC file, in place of compact looks those that they stand for, and behind revisit records
    what is in their headers.

    Whatever is not whole raises.
    """
    forms = {}
    for record in stored_records(path):
        if record.fields["Content-Type"] == "application/x-stillpoint-looks":
            yield from looks(record)
            continue
        yield record
        if "stillpoint-form" in record.fields:
            tap.equal(record.block[:9], b"request: ")
            forms[record.fields["WARC-Warcinfo-ID"], record.fields["stillpoint-form"]] = record.block[9:]
        if "stillpoint-attempt" in record.fields:
            yield from own(record, forms)


def stored_records(path):
    """The same, as they are."""
    with open(path, "rb") as file:
        rest = file.read()
    offset = 0
    while rest:
        member = zlib.decompressobj(wbits=31)
        plain = member.decompress(rest) + member.flush()
        assert member.eof, f"{path}: torn at {offset}"
        length = len(rest) - len(member.unused_data)
        header, block = plain.split(b"\r\n\r\n", 1)
        record = Record(offset, length, header, block[:-4])
        tap.equal((block[-4:], len(record.block)),
                  (b"\r\n\r\n", int(record.fields["Content-Length"])))
        yield record
        offset, rest = offset + length, member.unused_data


def warc_files(archive, ending=".warc.gz"):
    directory = os.path.join(archive, "warc")
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory))
            if name.endswith(ending)]


def pack(record):
    """The record as bytes of a WARC file, with the length and digest of its block as it is now."""
    fields = dict(record.lines)
    fields["Content-Length"] = str(len(record.block))
    fields["WARC-Block-Digest"] = "sha256:" + hashlib.sha256(record.block).hexdigest()
    head = "".join(f"{name}: {fields.get(name, value)}\r\n" for name, value in record.lines)
    return gzip.compress(b"WARC/1.1\r\n" + head.encode() + b"\r\n" + record.block + b"\r\n\r\n")


def rewrite(archive, to, wanted, change):
    """Copies the WARC files to another archive with other blocks in wanted records; how many there
    were. Digests match: only what follows from other records can tell."""
    shutil.rmtree(to, ignore_errors=True)
    os.makedirs(os.path.join(to, "warc"))
    count = 0
    for path in warc_files(archive):
        with open(os.path.join(to, "warc", os.path.basename(path)), "wb") as file:
            for record in stored_records(path):
                if wanted(record):
                    before, record.block = record.block, change(record.block)
                    count += record.block != before
                file.write(pack(record))
    return count


class Attempt:
    """One request, as its metadata record tells, with its response record if there was one."""

    def __init__(self, metadata, response):
        content = metadata.content()
        self.url = metadata.fields["WARC-Target-URI"]
        self.capture = content["capture"]
        self.leg, self.number = content["leg"], int(content["attempt"])
        self.origin = content.get("kind"), content.get("via")
        self.sent, self.end = content.get("requestSent"), content["lastByte"]
        self.response = response
        self.status = int(content.get("status", 0))
        self.truncated = content.get("truncated") == "true"

    def is_usable(self):
        """Something that a page can be judged by (docs/quality.md)."""
        present = 200 <= self.status < 400 and self.status not in (206, 304)
        return not self.truncated and (present or self.status in (404, 410))

    def version(self):
        """Of the living site's page in the response, or None."""
        text = self.response.block.partition(b"\r\n\r\n")[2] if self.response else b""
        found = re.search(rb'id="version">(\d+)<|version (\d+)', text)
        return (found[1] or found[2]).decode() if found else None


def attempts(archive):
    """Of all its WARC files."""
    found, by_id = [], {}
    for path in warc_files(archive):
        for record in records(path):
            by_id[record.id] = record
            if record.type == "metadata" and b"leg: " in record.block:
                about = by_id.get(record.fields.get("WARC-Concurrent-To"))
                found.append(Attempt(record, about if about and about.type != "request" else None))
    return found


def unpacked(uri):
    """A copy of a catalog, in memory, that has a row for every observation."""
    copy = sqlite3.connect(":memory:")
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as database:
        database.backup(copy)
    packed.unpack(copy)
    return copy


def query(archive, sql):
    """Rows of the catalog of an archive that nobody writes to, as unpacked has it."""
    with contextlib.closing(unpacked(f"file:{archive}/catalog.sqlite")) as database:
        return database.execute(sql).fetchall()


def peek(archive, query):
    """Rows of the catalog of a capture that is under way; none as long as there is none.

    Not before it is open to readers: while it is made, they would be in its way.
    """
    path = os.path.join(archive, "catalog.sqlite")
    if not os.path.exists(path + "-wal"):
        return []
    try:
        with contextlib.closing(unpacked(f"file:{path}?mode=rw")) as database:
            return database.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []


def hasten(archive, delay="0.25"):
    """A capture that was begun with --delay SLOW, or that delay, goes on faster when it is resumed."""
    with contextlib.closing(sqlite3.connect(os.path.join(archive, "catalog.sqlite"))) as database:
        changed = database.execute("UPDATE capture SET settings = replace(settings,"
                                   " ?, 'delay 0.005\n')", (f"delay {delay}\n",))
        database.commit()
        assert changed.rowcount > 0


def crawl(site, archive, *options, **more):
    """Captures the site; the finished process."""
    return tap.run("crawl", site.url, "-o", archive, *options, **more)
