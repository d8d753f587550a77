"""WARC and WACZ files as other crawlers write them, with dates of one's own choosing.

    archive = warcs.Warc()
    page = archive.response("http://example.org/", "<p>…", "2026-01-01T00:00:00Z")
    archive.revisit("http://example.org/", "2026-01-02T00:00:00Z", page)
    tap.write("a.warc.gz", archive.gz())
"""

import base64
import gzip
import hashlib
import io
import uuid
import zipfile


def digest(body):
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


class Record:
    def __init__(self, fields, block):
        head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields)
        head += f"Content-Length: {len(block)}\r\n\r\n"
        self.fields = dict(fields)
        self.bytes = head.encode() + block + b"\r\n\r\n"
        self.id = self.fields["WARC-Record-ID"]


class Warc:
    """Records in the order they are added; extra fields are (name, value)."""

    def __init__(self):
        self.records = []

    def add(self, kind, url, date, block, content_type, *extra):
        fields = [("WARC-Type", kind), ("WARC-Record-ID", f"<urn:uuid:{uuid.uuid4()}>"),
                  ("WARC-Target-URI", url), ("WARC-Date", date), ("Content-Type", content_type)]
        record = Record(fields + list(extra), block)
        self.records.append(record)
        return record

    def response(self, url, body, date, *extra, status="200 OK", media="text/html", head=(),
                 length=True):
        body = body.encode() if isinstance(body, str) else body
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {media}", *head]
        if length:
            lines.append(f"Content-Length: {len(body)}")
        block = "".join(line + "\r\n" for line in lines).encode() + b"\r\n" + body
        return self.add("response", url, date, block, "application/http; msgtype=response",
                        ("WARC-Payload-Digest", digest(body)), *extra)

    def revisit(self, url, date, original, *extra, status="200 OK", media="text/html",
                profile="identical-payload-digest", by_id=True, stated=None):
        block = f"HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: 9\r\n\r\n".encode()
        fields = [("WARC-Profile", f"http://netpreserve.org/warc/1.1/revisit/{profile}"),
                  ("WARC-Payload-Digest", stated or original.fields["WARC-Payload-Digest"])]
        if by_id:
            fields.append(("WARC-Refers-To", original.id))
        return self.add("revisit", url, date, block, "application/http; msgtype=response",
                        *fields, *extra)

    def request(self, of, method="GET"):
        return self.add("request", of.fields["WARC-Target-URI"], of.fields["WARC-Date"],
                        f"{method} / HTTP/1.1\r\nHost: example.org\r\n\r\n".encode(),
                        "application/http; msgtype=request", ("WARC-Concurrent-To", of.id))

    def heritrix(self, url, body, date, fetch_ms, **more):
        """Response, request, metadata."""
        page = self.response(url, body, date, **more)
        self.request(page)
        self.add("metadata", url, date, f"via: {url}\r\nfetchTimeMs: {fetch_ms}\r\n".encode(),
                 "application/warc-fields", ("WARC-Concurrent-To", page.id))
        return page

    def plain(self):
        return b"".join(record.bytes for record in self.records)

    def gz(self):
        return b"".join(gzip.compress(record.bytes) for record in self.records)


def wacz(files, method=zipfile.ZIP_STORED):
    """A WACZ file with these WARC files, by name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("datapackage.json", '{"profile":"data-package"}', zipfile.ZIP_DEFLATED)
        for name, content in files.items():
            package.writestr(f"archive/{name}", content, method)
        package.writestr("indexes/index.cdx.gz", gzip.compress(b""))
    return out.getvalue()
