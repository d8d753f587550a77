#!/usr/bin/env python3
"""`stillpoint serve`: WARC files in the ways of other tools, WACZ packages, archives of our own; the
interfaces for programs (Memento, CDX, composites), and what access rules hide."""

import datetime
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import threading
import time
import urllib.parse
import zipfile

import rawserver
import tap
from rawserver import page, respond
from replaying import Server, head, members, record, record_id, response, sha1

A = "http://example.org/"
LARGE = bytes(range(256)) * 4096
ZIPPED = gzip.compress(b"<p>zipped</p>", mtime=0)


def chunked(data):
    return b"".join(b"%x\r\n%s\r\n" % (len(data[i:i + 100]), data[i:i + 100])
                    for i in range(0, len(data), 100)) + b"0\r\n\r\n"


def day(n, clock="12:00:00"):
    return f"2020-01-{n:02}T{clock}Z"


FIRST = record_id()
tap.write("tools.warc.gz", members(
    record("warcinfo", None, day(1), b"software: test\r\n", "application/warc-fields"),
    # The same page three times: equal, equal, changed; then a failure of the server.
    response(A, day(1), b"<p>one</p><img src=/i.png>", Last_Modified="Wed, 01 Jan 2020 06:00:00 GMT",
             Set_Cookie="a=b", warc={"id": FIRST}),
    response(A, day(3), b"<p>one</p><img src=/i.png>", Last_Modified="Wed, 01 Jan 2020 06:00:00 GMT"),
    response(A, day(5), b"<p>two</p>", Last_Modified="Sun, 05 Jan 2020 06:00:00 GMT"),
    response(A, day(6), b"oops", status="503 Service Unavailable"),
    # A revisit record, which refers to another file by URI and date.
    record("revisit", A + "again", day(4), head(Content_Type="text/plain", X_Again="yes"),
           WARC_Profile="http://netpreserve.org/warc/1.0/revisit/identical-payload-digest",
           WARC_Refers_To_Target_URI=A + "other", WARC_Refers_To_Date=day(2),
           WARC_Payload_Digest=sha1(b"other file")),
    # And one that says nothing but the digest.
    record("revisit", A + "by-digest", day(4), b"", WARC_Payload_Digest=sha1(b"other file"),
           WARC_Profile="http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
    record("response", A + "chunked", day(1),
           head(Content_Type="text/plain", Transfer_Encoding="chunked") + chunked(b"c" * 1234)),
    record("response", A + "not-chunked", day(1),
           head(Content_Type="text/plain", Transfer_Encoding="chunked") + b"plain text"),
    response(A + "zipped", day(1), ZIPPED, Content_Encoding="gzip"),
    response(A + "large", day(1), LARGE, Content_Type="video/mp4"),
    response(A + "pair", day(1), b"a pair"),
    record("revisit", A + "pair", day(2), b"", WARC_Payload_Digest=sha1(b"a pair"),
           WARC_Profile="http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
    response(A + "moved", day(1), b"", status="301 Moved Permanently", Location="/"),
    # http leads to https, which has the same key.
    response("http://example.org/s", day(1), b"", status="301 Moved Permanently",
             Location="https://example.org/s"),
    response("https://example.org/s", day(1, "12:00:05"), b"secure"),
    response("http://example.org/loop", day(1), b"", status="301 Moved Permanently",
             Location="https://example.org/loop"),
    record("resource", A + "resource.txt", day(1), b"a resource", "text/plain"),
    record("request", A + "form", day(1),
           b"POST /form HTTP/1.1\r\nHost: example.org\r\n"
           b"Content-Type: application/x-www-form-urlencoded\r\n\r\na=1&b=2",
           "application/http; msgtype=request"),
    response(A + "form", day(1), b"posted"),
    # Response first, as crawlers in browsers write it.
    response(A + "api", day(1), b"json", warc={"id": "<urn:uuid:api>"}),
    record("request", A + "api", day(1),
           b"POST /api HTTP/1.1\r\nHost: example.org\r\nContent-Type: application/json\r\n\r\n"
           b'{"q": "x y", "list": [1, 2], "deep": {"on": true}}',
           "application/http; msgtype=request", WARC_Concurrent_To="<urn:uuid:api>"),
    record("request", A + "bytes", day(1), b"PUT /bytes HTTP/1.1\r\nHost: example.org\r\n\r\n\x00\xffab",
           "application/http; msgtype=request"),
    response(A + "bytes", day(1), b"put"),
    response(A + "hostile", day(1), b"x", X_Long="a" * 20000, **{"X_Odd": "a\x01b\x7fc"}),
    response(A + "api", day(2), b"got"),
))
os.mkdir(tap.path("dir"))
for name in ("tools.warc.gz",):
    os.rename(tap.path(name), tap.path(f"dir/{name}"))
tap.write("dir/plain.warc", response(A + "other", day(2), b"other file"))
tap.write("dir/notes.txt", "not a WARC file")


def datetime_of(answer):
    return answer.fields.get("memento-datetime")


def links_of(answer):
    """Relation → address; of several mementos those with more than one relation."""
    return {rel: uri for uri, rel in re.findall(r'<([^>]*)>; rel="([^"]*)"', answer.fields["link"])}


def raw(server, timestamp, url, name="dir", **fields):
    return server.get(f"/{name}/{timestamp}id_/{url}", **fields)


with Server(tap.path("dir")) as server:
    with tap.case("a memento is what was archived, with the original fields"):
        answer = raw(server, "20200101120000", A)
        tap.equal((answer.status, answer.body), (200, b"<p>one</p><img src=/i.png>"))
        tap.equal(datetime_of(answer), "Wed, 01 Jan 2020 12:00:00 GMT")
        tap.equal(answer.fields["content-type"], "text/html")
        tap.equal(answer.fields["x-archive-orig-set-cookie"], "a=b")
        assert "sandbox" in answer.fields["content-security-policy"], answer
        tap.equal(answer.fields["x-content-type-options"], "nosniff")
        assert "set-cookie" not in answer.fields

    with tap.case("timestamps are completed to their last instant, and choose the nearest"):
        for timestamp, want in (("2019", "<p>one"), ("20200104", "<p>two"), ("2021", "<p>two"),
                                ("20200101120000123", "<p>one"), ("202001051", "<p>two")):
            assert raw(server, timestamp, A).body.startswith(want.encode()), timestamp
        for bad in ("201", "20201301", "20200230", "123456789012345678"):
            tap.equal(server.get(f"/dir/{bad}id_/{A}").status, 400)

    with tap.case("between two equal looks, the earlier one is shown, and proven"):
        answer = raw(server, "20200102235959", A)
        tap.equal(datetime_of(answer), "Wed, 01 Jan 2020 12:00:00 GMT")
        parts = json.loads(server.text(f"/dir/composite/20200102/{A}"))
        tap.equal(parts["page"]["proven"], {"from": "2020-01-01T12:00:01.000Z", "to": "2020-01-03T12:00:00.000Z"})
        tap.equal((parts["page"]["evidence"], parts["page"]["url"]), ("bytes", A))

    with tap.case("between two different looks, Last-Modified asserts, and else nothing does"):
        parts = json.loads(server.text(f"/dir/composite/20200105110000/{A}"))
        tap.equal((parts["page"]["evidence"], parts["page"]["proven"]), ("asserted", None))
        parts = json.loads(server.text(f"/dir/composite/20200104/{A}"))
        tap.equal((parts["page"]["evidence"], parts["page"]["proven"]), (None, None))

    with tap.case("a composite with a requisite that is not archived is incomplete"):
        parts = json.loads(server.text(f"/dir/composite/20200102/{A}"))
        tap.equal([(r["url"], r["memento"], r["state"]) for r in parts["requisites"]],
                  [(A + "i.png", None, None)])
        tap.equal(parts["verdict"], "incomplete")

    with tap.case("the TimeGate leads to the asked time where that is proven or asserted"):
        for asked, want in (("Thu, 02 Jan 2020 10:00:00 GMT", "20200102100000"),
                            ("Sun, 05 Jan 2020 11:00:00 GMT", "20200105110000"),
                            ("Sat, 04 Jan 2020 10:00:00 GMT", "20200103120000"),
                            ("Tue, 01 Jan 2019 00:00:00 GMT", "20200101120000"),
                            (None, "20200105120000")):
            answer = server.get(f"/dir/{A}", **({"Accept_Datetime": asked} if asked else {}))
            tap.equal((answer.status, answer.fields["location"]), (302, f"{server.url}/dir/{want}/{A}"))
            tap.equal(answer.fields["vary"], "accept-datetime")
            assert datetime_of(answer) is None
        tap.equal(server.get(f"/dir/{A}", Accept_Datetime="Thu, 02 Jan 2020 10:00:00").status, 302)
        for bad in ("yesterday", "Sun", "Thu, 02 Jan", ""):
            tap.equal(server.get(f"/dir/{A}", Accept_Datetime=bad).status, 400)

    with tap.case("Link has all relations of RFC 7089"):
        links = links_of(raw(server, "20200103120000", A))
        tap.equal(links["original"], A)
        tap.equal(links["timegate"], f"{server.url}/dir/{A}")
        tap.equal(links["timemap"], f"{server.url}/dir/timemap/link/{A}")
        tap.equal(links["first prev memento"], f"{server.url}/dir/20200101120000/{A}")
        tap.equal(links["memento"], f"{server.url}/dir/20200103120000/{A}")
        tap.equal(links["next memento"], f"{server.url}/dir/20200105120000/{A}")
        tap.equal(links["last memento"], f"{server.url}/dir/20200106120000/{A}")

    with tap.case("revisit records have the body of the record they refer to"):
        answer = raw(server, "2020", A + "again")
        tap.equal((answer.status, answer.body), (200, b"other file"))
        tap.equal(answer.fields["x-archive-orig-x-again"], "yes")
        tap.equal(raw(server, "2020", A + "by-digest").body, b"other file")

    with tap.case("the transfer coding is undone, the content coding where it is not accepted"):
        answer = raw(server, "2020", A + "not-chunked")
        tap.equal((answer.status, answer.body), (200, b"plain text"))
        tap.equal(raw(server, "2020", A + "chunked").body, b"c" * 1234)
        answer = raw(server, "2020", A + "zipped", Accept_Encoding="gzip")
        tap.equal((answer.fields["content-encoding"], answer.body), ("gzip", ZIPPED))
        for accepted in ("identity", "gzip;q=0, *;q=0", "br"):
            answer = raw(server, "2020", A + "zipped", Accept_Encoding=accepted)
            tap.equal(answer.body, b"<p>zipped</p>")
            assert "content-encoding" not in answer.fields

    with tap.case("ranges of large media"):
        for asked, status, want in (("bytes=0-9", 206, LARGE[:10]), ("bytes=700000-", 206, LARGE[700000:]),
                                    ("bytes=-5", 206, LARGE[-5:]), ("bytes=5-4", 200, LARGE),
                                    ("bytes=0-1,5-6", 200, LARGE), ("bytes=99999999-", 416, b"")):
            answer = raw(server, "2020", A + "large", Range=asked)
            assert (answer.status, answer.body) == (status, want), (asked, answer)
        tap.equal(raw(server, "2020", A + "large", Range="bytes=10-19").fields["content-range"],
                  f"bytes 10-19/{len(LARGE)}")
        tap.equal(raw(server, "2020", A + "chunked", Range="bytes=1230-").body, b"cccc")

    with tap.case("HEAD, OPTIONS, If-None-Match and other methods"):
        answer = raw(server, "2020", A + "large", method="HEAD")
        tap.equal((answer.status, answer.body, answer.fields["content-length"]), (200, b"", str(len(LARGE))))
        tag = answer.fields["etag"]
        tap.equal(raw(server, "2020", A + "large", If_None_Match=tag).status, 304)
        tap.equal(raw(server, "2020", A + "large", If_None_Match=f'"x", W/{tag}').status, 304)
        tap.equal(raw(server, "2020", A + "large", If_None_Match='"x"').status, 200)
        tap.equal(raw(server, "2020", A, method="OPTIONS").status, 204)
        tap.equal(server.get("/dir/cdx?url=x", method="PUT").status, 405)

    with tap.case("redirects are replayed, those to themselves end"):
        answer = raw(server, "2020", A + "moved")
        tap.equal((answer.status, answer.fields["location"]), (301, "/"))
        answer = raw(server, "20200101120000", "https://example.org/s")
        tap.equal((answer.status, answer.body), (200, b"secure"))
        answer = raw(server, "20200101120000", "http://example.org/s")
        tap.equal((answer.status, answer.fields["location"]), (301, "https://example.org/s"))
        tap.equal(raw(server, "2020", "https://example.org/loop").status, 301)

    with tap.case("records that are no HTTP response"):
        answer = raw(server, "2020", A + "resource.txt")
        tap.equal((answer.status, answer.body, answer.fields["content-type"]), (200, b"a resource", "text/plain"))

    with tap.case("POST is answered by method and body"):
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        answer = raw(server, "2020", A + "form", method="POST", body="a=1&b=2", **form)
        tap.equal((answer.status, answer.body), (200, b"posted"))
        tap.equal(raw(server, "2020", A + "form", method="POST", body="a=2", **form).status, 404)
        tap.equal(raw(server, "2020", A + "form").status, 404)
        answer = raw(server, "2020", A + "api", method="POST", Content_Type="application/json",
                     body='{"q":"x y","list":[1,2],"deep":{"on":true}}')
        tap.equal((answer.status, answer.body), (200, b"json"))
        tap.equal(raw(server, "2020", A + "api").body, b"got")
        tap.equal(raw(server, "2020", A + "bytes", method="PUT", body=b"\x00\xffab").body, b"put")
        assert "__wb_method=put&__wb_post_data=ap9hyg==" in server.text(f"/dir/cdx?url={A}bytes*")
        tap.equal(server.text(f"/dir/cdx?url={A}api*&fl=urlkey&output=text").split()[1:],
                  ["org,example)/api?__wb_method=post&list=1&list.2_=2&on=true&q=x+y"])

    with tap.case("hostile fields do not break the answer"):
        answer = raw(server, "2020", A + "hostile")
        tap.equal((answer.status, answer.body), (200, b"x"))
        tap.equal(answer.fields["x-archive-orig-x-odd"], "a b c")

    with tap.case("404 says what is near"):
        answer = server.get(f"/dir/2020/{A}nothing/<b>here")
        tap.equal(answer.status, 404)
        assert b"<b>" not in answer.body and f"/dir/20200101120000/{A}".encode() in answer.body, answer.body
        for path in ("/none/2020/http://a/", "/dir/2020id_/http://[", "/dir/timemap/x/http://a/"):
            assert server.get(path).status in (400, 404), path

    # ---- TimeMaps ----

    with tap.case("TimeMaps in three formats, whose addresses lead to their mementos"):
        links = server.text(f"/dir/timemap/link/{A}")
        tap.equal(len(re.findall(r'memento"; datetime', links)), 4)
        listed = json.loads(server.text(f"/dir/timemap/json/{A}"))
        tap.equal(listed["original_uri"], A)
        tap.equal(listed["mementos"]["first"]["datetime"], "2020-01-01T12:00:00Z")
        lines = server.text(f"/dir/timemap/cdxj/{A}").splitlines()
        tap.equal([json.loads(x.split(" ", 1)[1])["uri"] for x in lines if x[0] != "!"],
                  [m["uri"] for m in listed["mementos"]["list"]])
        for memento in listed["mementos"]["list"]:
            path = urllib.parse.urlsplit(memento["uri"]).path
            answer = server.get(path.replace("/http:", "id_/http:", 1))
            if answer.status != 503 and "20200106" not in path:
                assert datetime_of(answer)[5:16] == "%s Jan 2020" % memento["datetime"][8:10], answer
        tap.equal(server.get("/dir/timemap/link/http://none.org/").status, 404)

    # ---- CDX ----

    def cdx(query, **options):
        return server.text(f"/dir/cdx?{query}", **options)

    def stamps(query):
        return [line[:8] for line in cdx(f"url={A}&output=text&fl=timestamp&{query}").split()]

    with tap.case("CDX: default lines, JSON and text"):
        key, stamp, fields = cdx(f"url={A}&limit=1").split(" ", 2)
        tap.equal((key, stamp), ("org,example)/", "20200101120000"))
        tap.equal(list(json.loads(fields)), ["url", "mime", "status", "digest", "length", "offset", "filename"])
        line = json.loads(cdx(f"url={A}&limit=1&output=json"))
        tap.equal((line["urlkey"], line["timestamp"], line["filename"], line["status"]),
                  ("org,example)/", "20200101120000", "tools.warc.gz", "200"))
        tap.equal(cdx(f"url={A}again&output=text&fl=mime,status,url"), f"warc/revisit 200 {A}again\n")

    with tap.case("CDX: from, to, sort, limit, closest, collapseTime"):
        for query, want in (("from=20200103", "03 05 06"), ("to=20200103", "01 03"), ("from=2021", ""),
                            ("sort=reverse", "06 05 03 01"), ("limit=-2", "05 06"), ("limit=2", "01 03"),
                            ("closest=20200104", "05 03 06 01"), ("closest=20200104&limit=1", "05"),
                            ("closest=20200104&sort=default", "01 03 05 06"), ("collapseTime=7", "01 06")):
            tap.equal([s[6:] for s in stamps(query)], want.split())

    with tap.case("CDX: filters"):
        for query, want in (("filter=status:20", 3), ("filter==status:20", 0), ("filter==status:503", 1),
                            ("filter=!status:20", 1), ("filter=!=status:200", 1),
                            ("filter=~status:[23]..", 3), ("filter=!~status:[23]..", 1),
                            ("filter==status:200&filter=!digest:" + sha1(b"<p>two</p>")[5:], 2)):
            tap.equal((query, len(stamps(query))), (query, want))

    with tap.case("CDX: kinds of matches"):
        tap.equal(len(cdx(f"url={A}a*&fl=url&output=text").split()), 3)
        tap.equal(len(cdx(f"url={A}a&matchType=prefix").splitlines()), 3)
        whole = len(cdx("url=example.org&matchType=host").splitlines())
        tap.equal(len(cdx("url=*.example.org").splitlines()), whole)
        tap.equal(len(cdx("url=org&matchType=domain").splitlines()), whole)
        tap.equal(cdx("url=xample.org&matchType=domain"), "")

    with tap.case("CDX as clients of pywb ask it: types, reverse, ties, collapsing, revisits resolved"):
        for output, media in (("cdxj", "text/x-cdxj"), ("json", "text/x-ndjson"), ("text", "text/plain")):
            answer = server.get(f"/dir/cdx?url={A}&output={output}")
            assert answer.fields["content-type"].startswith(media), answer
        tap.equal(stamps("reverse=1&limit=1"), stamps("sort=reverse&limit=1"))
        tap.equal(stamps("from_ts=20200105"), stamps("from=20200105"))
        # The 2nd at noon is as far from the 1st as from the 3rd: the earlier one comes first.
        tap.equal(stamps("closest=20200102120000&limit=2"), ["20200101", "20200103"])
        tap.equal(stamps("closest=20200102120000&limit=2&sort=reverse"), ["20200101", "20200103"])
        # All of January but for the status.
        tap.equal(stamps("collapseTime=6"), ["20200101", "20200106"])
        fields = "fl=mime,status,orig.length,orig.offset,orig.filename&output=text"
        lines = cdx(f"url={A}*&resolveRevisits=true&filter=urlkey:again&{fields}").splitlines()
        tap.equal(lines, ["warc/revisit 200 - - -"])  # its body comes later in the index
        lines = cdx(f"url={A}pair&resolveRevisits=true&{fields}").splitlines()
        line = json.loads(cdx(f"url={A}pair&output=json&limit=1"))
        tap.equal(lines, ["text/html 200 - - -",
                          f"text/html 200 {line['length']} {line['offset']} tools.warc.gz"])

    with tap.case("CDX: pages and resume keys go through all lines once"):
        whole = cdx("url=example.org*").splitlines()
        tap.equal(json.loads(cdx("url=example.org*&showNumPages=true&pageSize=4")),
                  {"pages": -(-len(whole) // 4), "pageSize": 4, "blocks": 1})
        pages = [cdx(f"url=example.org*&pageSize=4&page={n}").splitlines() for n in range(-(-len(whole) // 4))]
        tap.equal(sum(pages, []), whole)
        tap.equal(server.get(f"/dir/cdx?url=example.org*&pageSize=4&page={len(pages)}").status, 400)
        got, key = [], ""
        while True:
            part = cdx(f"url=example.org*&limit=5&showResumeKey=true{key}").split("\n")
            if "" not in part[:-1]:
                got += part[:-1]
                break
            at = part.index("")
            got += part[:at]
            key = "&resumeKey=" + part[at + 1]
        tap.equal(got, whole)

    with tap.case("CDX: bad values get one line"):
        for query in ("", "url=", "url=a&output=xml", "url=a&matchType=all", "url=a&limit=0", "url=a&limit=x",
                      "url=a&from=20", "url=a&filter=status", "url=a&filter=~url:(", "url=a&fl=nothing",
                      "url=a&sort=closest", "url=a&page=-1", "url=a&pageSize=0", "url=a&collapseTime=99",
                      "url=a&filter=x:y", "url=a&showNumPages=maybe", "url=a&resumeKey=nonsense"):
            answer = server.get(f"/dir/cdx?{query}")
            assert answer.status == 400 and answer.body.count(b"\n") == 1, (query, answer)

    with tap.case("odd targets get an answer"):
        for target in ("/", "/dir", "/dir/", "/%", "/dir/%00", "/dir/9/", "/dir//", "/dir/2020id_/", "/_/x", "/_",
                       "/dir/2020id_/http:/example.org/", "/dir/cdx", "/dir/composite/2020/", "/dir/" + "a" * 9000,
                       "/dir/2020zz_/http://example.org/", "/dir/timemap/link/0/http://example.org/", "//", "/?x"):
            assert server.get(target).status < 500, target

    with tap.case("rewritten mementos are on the other origin"):
        answer = server.get(f"/dir/2020mp_/{A}")
        content = urllib.parse.urlsplit(answer.fields["location"])
        assert answer.status in (302, 307) and content.netloc != server.host, answer

# ---- other forms ----

with tap.case("a server whose index was written by `index`, plain or as ZipNum, answers the same"):
    with Server(tap.path("dir")) as server:
        want = server.text("/dir/cdx?url=example.org*")
    for options, files in (([], ["index.cdxj"]), (["--compressed"], ["index.cdx.gz", "index.idx"])):
        tap.succeed("index", tap.path("dir"), *options)
        with Server(tap.path("dir")) as server:
            tap.equal(server.text("/dir/cdx?url=example.org*"), want)
            tap.equal(raw(server, "2020", A + "again").body, b"other file")
        tap.equal(tap.succeed("index", tap.path("dir"), "-o", "-"), want)
        for name in files:
            os.remove(tap.path(f"dir/{name}"))


def wacz(name, compression, index):
    """A package as other producers write them: indexes stored or deflated, or none at all."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as package:
        package.writestr("datapackage.json", "{}")
        for file in ("tools.warc.gz", "plain.warc"):
            with open(tap.path(f"dir/{file}"), "rb") as content:
                package.writestr(f"archive/{file}", content.read(), zipfile.ZIP_STORED)
        for file in index:
            with open(tap.path(f"dir/{file}"), "rb") as content:
                package.writestr(f"indexes/{file}", content.read())
    return tap.write(name, data.getvalue())


with tap.case("WACZ packages of any producer"):
    tap.succeed("index", tap.path("dir"))
    tap.succeed("index", tap.path("dir"), "--compressed")
    packages = [wacz("stored.wacz", zipfile.ZIP_STORED, ["index.cdx.gz", "index.idx"]),
                wacz("deflated.wacz", zipfile.ZIP_DEFLATED, ["index.cdxj"]),
                wacz("bare.wacz", zipfile.ZIP_DEFLATED, [])]
    for name in ("index.cdxj", "index.cdx.gz", "index.idx"):
        os.remove(tap.path(f"dir/{name}"))
    with Server(*packages, tap.path("dir")) as server:
        for name in ("stored", "deflated", "bare"):
            tap.equal(raw(server, "2020", A + "again", name).body, b"other file")
            tap.equal(server.text(f"/{name}/cdx?url=example.org*"), server.text("/dir/cdx?url=example.org*"))

with tap.case("a TimeMap of more than 10,000 mementos has pages; two in one second have 17 digits"):
    os.mkdir(tap.path("many"))
    one = response(A, day(1), b"one")
    tap.write("many/one.warc", one)
    os.utime(tap.path("many/one.warc"), (1, 1))
    start = datetime.datetime(2020, 1, 1, 12)
    times = [start] + [start + datetime.timedelta(seconds=i) for i in range(10002)]
    tap.write("many/index.cdxj", "".join(
        f'org,example)/ {time:%Y%m%d%H%M%S} {{"url":"{A}","mime":"text/html","status":"200","length":"{len(one)}",'
        f'"offset":"0","filename":"one.warc"}}\n' for time in times))
    with Server(tap.path("many")) as server:
        pages = [server.text(f"/many/timemap/link/{part}{A}") for part in ("", "2/")]
        tap.equal([len(re.findall('memento"; datetime', page)) for page in pages], [10000, 3])
        uris = [uri for page in pages for uri in re.findall(r'<([^>]*)>; rel="[a-z ]*memento"', page)]
        tap.equal(len(set(uris)), len(times))
        tap.equal([uri.split("/")[4] for uri in uris[:3]],
                  ["20200101120000000", "20200101120000001", "20200101120001"])
        assert re.search(r'timemap/link/2/http://example.org/>; rel="timemap"; type="application/link-format"; '
                         r'from="Wed, 01 Jan 2020 14:46:39 GMT"; until="Wed, 01 Jan 2020 14:46:41 GMT"', pages[0])
        listed = json.loads(server.text(f"/many/timemap/json/2/{A}"))
        tap.equal(len(listed["mementos"]["list"]), 3)
        tap.equal(server.get(f"/many/timemap/link/3/{A}").status, 404)

with tap.case("access rules hide pages everywhere"):
    rules = tap.write("rules", "# rules\norg,example)/ allow\norg,example)/a block\n"
                               "org,example)/api allow\norg,example)/large embargo 20000d\n")
    with Server("--access", rules, tap.path("dir")) as server:
        tap.equal(raw(server, "2020", A + "again").status, 451)
        tap.equal(raw(server, "2020", A + "large").status, 451)
        tap.equal(raw(server, "2020", A + "api").status, 200)
        assert "again" not in server.text("/dir/cdx?url=example.org*")
        assert "large" not in server.text("/dir/cdx?url=example.org*")
        assert server.get(f"/dir/timemap/link/{A}again").status in (404, 451)
        assert b"again" not in server.get(f"/dir/2020/{A}agai").body
    tap.refuse(1, "line 1: ", "serve", "--access", tap.write("bad", "x y\n"), tap.path("dir"))

with tap.case("--window refuses what is further away"):
    with Server("--window", "1h", tap.path("dir")) as server:
        tap.equal(raw(server, "20200101120000", A).status, 200)
        tap.equal(raw(server, "20200102", A).status, 200)
        answer = server.get(f"/dir/2021/{A}")
        tap.equal(answer.status, 404)
        assert b"20200105120000" in answer.body

with tap.case("what cannot be served gets one line"):
    tap.refuse(1, "nothing", "serve", tap.path("nothing"))
    tap.refuse(1, "no.warc", "serve", tap.write("no.warc", "this is no WARC file\n"))
    tap.refuse(1, "broken.wacz", "serve", tap.write("broken.wacz", b"PK\3\4 broken"))
    tap.refuse(2, "--listen", "serve", "--listen", "nowhere", tap.path("dir"))
    tap.refuse(2, "missing", "serve")
    with Server(tap.path("dir")) as server:
        tap.refuse(1, server.host.split(":")[1], "serve", "--listen", server.host, "--content-listen",
                   "127.0.0.1:0", tap.path("dir"))

with tap.case("a broken WARC file shows what can be read"):
    with open(tap.path("dir/tools.warc.gz"), "rb") as file:
        whole = file.read()
    tap.write("cut.warc.gz", whole[:len(whole) // 2])
    with Server(tap.path("cut.warc.gz")) as server:
        tap.equal(raw(server, "20200101120000", A, "cut").status, 200)

with tap.case("an index that does not fit the file is noticed"):
    os.mkdir(tap.path("odd"))
    tap.write("odd/index.cdxj", 'org,example)/ 20200101120000 {"url":"http://example.org/","mime":"text/html",'
                                '"status":"200","length":"9","offset":"7","filename":"../dir/plain.warc"}\n'
                                'org,example)/b 20200101120000 {"url":"http://example.org/b","mime":"text/html",'
                                '"status":"200","length":"9","offset":"0","filename":"plain.warc"}\n')
    tap.write("odd/plain.warc", response(A + "other", day(2), b"other file"))
    os.utime(tap.path("odd/plain.warc"), (1, 1))
    with Server(tap.path("odd")) as server:
        for url in (A, A + "b"):
            tap.equal(raw(server, "2020", url, "odd").status, 502)

# ---- archives of our own ----


def wait_for(condition):
    """Asks again until it holds; what never holds is the test's failure."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.02)


with tap.case("an archive of our own: sharp composites, and the still point"):
    site = {"/": page(b"<title>x</title><link rel=stylesheet href=/s.css><img src=/i.png>"),
            "/s.css": respond("200 OK", b"p { background: url(/bg.png) }", content_type="text/css"),
            "/i.png": respond("200 OK", b"PNG", content_type="image/png"),
            "/bg.png": respond("200 OK", b"PNG", content_type="image/png")}
    archive = tap.path("own.stillpoint")
    missing = respond("404 Not Found", b"no", content_type="text/plain")
    with rawserver.Server(lambda request: site.get(request.path, missing)) as web:
        url = web.url
        result = tap.run("crawl", url, "-o", archive, "--delay", "0.02")
        tap.equal(result.returncode, 0)
    report = tap.load("report", archive)
    ends = [datetime.datetime.fromisoformat(report["stillpoint"][end]) for end in ("from", "to")]
    middle = ends[0] + (ends[1] - ends[0]) / 2
    still = middle.strftime("%Y-%m-%dT%H:%M:%S.") + f"{middle.microsecond // 1000:03}Z"
    digits = re.sub(r"\D", "", still)
    with Server(archive, tap.path("dir")) as server:
        parts = json.loads(server.text(f"/own/composite/{digits}/{url}"))
        tap.equal(parts["verdict"], "sharp")
        tap.equal(sorted(r["url"] for r in parts["requisites"]),
                  [url + name for name in ("bg.png", "i.png", "s.css")])
        for part in [parts["page"], *parts["requisites"]]:
            assert part["proven"]["from"] <= still <= part["proven"]["to"], part
            tap.equal((part["evidence"], part["state"]), ("bytes", "prima-facie-coherent"))
        listed = json.loads(server.text(f"/own/timemap/json/{url}"))["mementos"]["list"]
        tap.equal(len(listed), 2)  # the visit, and the revisit that found the same
        with open(os.path.join(archive, "index.cdxj")) as file:
            tap.equal(server.text(f"/own/cdx?url={url}*"), file.read())

with tap.case("of two sites in an archive, each is shown and searched at its own still point"):
    archive = tap.path("two.stillpoint")
    urls = []
    for word in (b"first", b"second"):
        with rawserver.Server(lambda request, word=word: page(b"<title>x</title><p>" + word + b" both")
                              if request.path == "/" else missing) as web:
            tap.succeed("crawl", web.url, "-o", archive, "--delay", "0.01")
            urls.append(web.url)
    tap.succeed("index", archive, "--text")
    with Server(archive) as server:
        found = json.loads(server.text("/two/search?q=both&output=json"))["pages"]
        tap.equal(sorted(one["url"] for one in found), sorted(urls))
        for url in urls:
            framed = server.text(f"/two/2099/{url}")
            digits = re.search(r'href="/two/(\d{17})/[^"]*">still point<', framed)[1]
            tap.equal(json.loads(server.text(f"/two/composite/{digits}/{url}"))["verdict"], "sharp")
            listed = server.text(f"/two/search?q=both")
            assert f"/two/{digits}/{url}" in listed, (digits, url, listed)

with tap.case("an archive that is being crawled shows what was committed"):
    release, release_image = threading.Event(), threading.Event()

    def answer_image(request):
        if request.path == "/i.png":
            release_image.wait(120)
        return missing

    def answer(request):
        if request.path == "/slow":
            release.wait(120)
        if request.path not in ("/", "/slow"):
            return missing
        image = b"<img src=%si.png>" % images.url.encode() if request.path == "/slow" else b""
        return page(b"<title>x</title><p>" + request.path.encode() + b"<a href=/slow>slow</a>" + image)

    archive = tap.path("live.stillpoint")
    with rawserver.Server(answer_image) as images, rawserver.Server(answer) as web:
        crawl = subprocess.Popen([tap.PROGRAM, "crawl", web.url, "-o", archive, "--delay", "0.01"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: os.path.exists(os.path.join(archive, "catalog.sqlite")))
            wait_for(lambda: any(request.path == "/slow" for request in web.requests))
            with Server(archive) as server:
                wait_for(lambda: server.get(f"/live/2099id_/{web.url}").status == 200)
                assert not os.path.exists(os.path.join(archive, "index.cdxj"))
                tap.equal(server.get(f"/live/2099id_/{web.url}slow").status, 404)
                release.set()
                wait_for(lambda: server.get(f"/live/2099id_/{web.url}slow").status == 200)
                # An attempt without a page, of which no event tells.
                wait_for(lambda: "robots.txt" in server.text(f"/live/cdx?url={images.url}*"))
                release_image.set()
                tap.equal(crawl.wait(120), 0)
                with open(os.path.join(archive, "index.cdxj")) as file:
                    lines = file.read()
                wait_for(lambda: sorted("".join(server.text(f"/live/cdx?url={url}*") for url in (
                    web.url, images.url)).splitlines()) == sorted(lines.splitlines()))
        finally:
            release.set()
            release_image.set()
            crawl.wait(120)

if shutil.which("wget"):
    with tap.case("a WARC file that wget wrote"):
        with rawserver.Server(lambda request: site.get(request.path, missing)) as web:
            subprocess.run(["wget", "-q", "-p", "-P", tap.path("wget"), f"--warc-file={tap.path('wget-file')}",
                            web.url], check=False)
            url = web.url
        with Server(tap.path("wget-file.warc.gz")) as server:
            answer = raw(server, "2099", url, "wget-file")
            tap.equal((answer.status, answer.body.startswith(b"<title>x")), (200, True))
            parts = json.loads(server.text(f"/wget-file/composite/2099/{url}"))
            tap.equal([part["url"] for part in parts["requisites"]],
                      [url + name for name in ("s.css", "i.png", "bg.png")])
            tap.equal((parts["page"]["proven"], parts["verdict"]), (None, "blurred"))
else:
    tap.skip("a WARC file that wget wrote", "there is no wget")

tap.done()
