"""For tests of `stillpoint serve`: a server, requests that follow nothing, and WARC files in the
ways of several tools."""

import base64
import gzip
import hashlib
import http.client
import subprocess
import urllib.parse
import uuid

import tap


class Server:
    """The program, serving; `url` is where its control origin is."""

    def __init__(self, *arguments, **options):
        self.process = subprocess.Popen(
            [tap.PROGRAM, "serve", "--listen", "127.0.0.1:0", *map(str, arguments)],
            stdout=subprocess.PIPE, text=True, **options)
        line = self.process.stdout.readline()
        assert line, "the server did not start"
        self.url = line.strip().rstrip("/")
        self.host = urllib.parse.urlsplit(self.url).netloc

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        status = self.process.wait(60)
        self.process.stdout.close()
        assert status == 0, f"the server ended with {status}"

    def get(self, path, method="GET", body=None, **fields):
        """Status, header fields (names in lower case) and body."""
        connection = http.client.HTTPConnection(self.host, timeout=120)
        headers = {name.replace("_", "-"): value for name, value in fields.items()}
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        result = Answer(response.status, {k.lower(): v for k, v in response.getheaders()},
                        response.read())
        connection.close()
        return result

    def text(self, path, **fields):
        """The body of a 200."""
        answer = self.get(path, **fields)
        assert answer.status == 200, f"{path}: {answer.status} {answer.body[:500]!r}"
        return answer.body.decode()


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body

    def __repr__(self):
        return f"{self.status} {self.fields} {self.body[:300]!r}"


def record_id():
    return f"<urn:uuid:{uuid.uuid4()}>"


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record(kind, url, date, block, content_type="application/http; msgtype=response", **fields):
    """One WARC record."""
    lines = ["WARC/1.0", f"WARC-Type: {kind}", f"WARC-Date: {date}",
             f"WARC-Record-ID: {fields.pop('id', None) or record_id()}",
             f"Content-Type: {content_type}", f"Content-Length: {len(block)}"]
    if url:
        lines.insert(2, f"WARC-Target-URI: {url}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def head(status="200 OK", **fields):
    lines = [f"HTTP/1.1 {status}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def response(url, date, body, status="200 OK", digest=True, warc=None, **fields):
    """A response record as most tools write it."""
    fields.setdefault("Content_Type", "text/html")
    fields.setdefault("Content_Length", len(body))
    more = dict(warc or {})
    if digest:
        more["WARC_Payload_Digest"] = sha1(body)
    return record("response", url, date, head(status, **fields) + body, **more)


def members(*records):
    """A gzip member for each record."""
    return b"".join(gzip.compress(one, mtime=0) for one in records)
