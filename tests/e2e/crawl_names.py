#!/usr/bin/env python3
"""Names and addresses: the DNS, what is kept of it, politeness towards addresses, and the guard."""

import glob
import gzip
import json
import os
import re
import signal
import sqlite3
import subprocess
import time

import dnsserver
import rawserver
import tap

METADATA = "169.254.169.254"
CONTACT = ("--contact", "https://example.org/")


def site(*links, images=(), robots=rawserver.NOT_FOUND):
    """A front page with these links and images; every other page is plain."""
    body = "".join(f"<a href='{link}'>x</a>" for link in links)
    body += "".join(f"<img src='{image}'>" for image in images)

    def answer(request):
        if request.path == "/robots.txt":
            return robots
        if request.path == "/sitemap.xml":
            return rawserver.NOT_FOUND
        return rawserver.page((body if request.path == "/" else "<p>plain").encode())

    return answer


def crawl(name, *arguments, delay=0):
    """The report of a capture into an archive of that name."""
    return tap.load("crawl", *arguments, "--delay", delay, *CONTACT, "-o", tap.path(name))


def verdicts(report):
    return {row["url"]: row["verdict"] for row in report["verdicts"]}


def records(name):
    """All that the WARC files of an archive hold, as bytes."""
    return b"".join(gzip.open(file).read()
                    for file in sorted(glob.glob(f"{tap.path(name)}/warc/*.warc.gz")))


def pauses(*servers):
    times = sorted(request.time for server in servers for request in server.requests)
    return [later - earlier for earlier, later in zip(times, times[1:])]


def why(name, url):
    return tap.succeed("report", tap.path(name), "--why", url)


# ---- the DNS ----

with tap.case("a name is asked for once while it is good, and archived on demand"):
    with rawserver.Server(site("/a", "/b"), host="127.0.0.2") as server, \
            dnsserver.Server({"site.test": ["127.0.0.2"]}) as dns:
        url = f"http://site.test:{server.port}/"
        report = crawl("once", url, "--dns", dns.address, "--dns-records", "--allow-private")
    tap.equal((report["pages"], report["sharp"]), (3, 3))
    tap.equal(dns.asked, ["site.test"])
    warc = records("once")
    tap.equal(warc.count(b"WARC-Target-URI: dns:site.test\r\n"), 1)
    assert b"WARC-Type: resource\r\n" in warc and b"Content-Type: text/dns\r\n" in warc
    assert b"site.test.\t300\tIN\tA\t127.0.0.2\n" in warc
    assert b"WARC-IP-Address: 127.0.0.2\r\n" in warc
    tap.succeed("verify", tap.path("once"))
    tap.succeed("report", tap.path("once"))

with tap.case("names that do not exist are not asked for again and again"):
    none = [f"http://none.test/{i}.png" for i in range(3)]
    with rawserver.Server(site(images=none), host="127.0.0.2") as server, \
            dnsserver.Server({"site.test": ["127.0.0.2"]}) as dns:
        url = f"http://site.test:{server.port}/"
        report = crawl("none", url, "--dns", dns.address, "--allow-private")
    tap.equal(dns.asked.count("none.test"), 1)
    tap.equal(verdicts(report)[url], "sharp")
    assert "dns: there is no such name" in why("none", none[0]), why("none", none[0])
    rows = {row["url"]: row for row in report["verdicts"]}
    tap.equal([(rows[image]["verdict"], rows[image]["reason"]) for image in none],
              [("failed", "dns: there is no such name")] * 3)
    tap.equal(report["left_out"].get("robots", 0), 0)
    tap.succeed("verify", tap.path("none"))
    assert b"dns:site.test" not in records("none")

with tap.case("IPv6 alone"):
    try:
        server = rawserver.Server(site("/a"), host="::1")
    except OSError:
        server = None
    if server:
        with server, dnsserver.Server({"six.test": ["::1"]}) as dns:
            report = crawl("six", f"http://six.test:{server.port}/", "--dns", dns.address,
                           "--allow-private")
        tap.equal((report["pages"], report["sharp"]), (2, 2))
        assert b"WARC-IP-Address: ::1\r\n" in records("six")

with tap.case("the archive's name: another port is another site"):
    try:
        servers = [rawserver.Server(site("/a")), rawserver.Server(site("/a", "/b"))]
        servers.append(rawserver.Server(site("/a"), host="::1"))
    except OSError:
        pass  # no IPv6 here
    names = {"127.0.0.1": "127.0.0.1", "[::1]": "__1"}
    for server in servers:
        with server:
            report = tap.load("crawl", server.url, "--delay", "1ms", cwd=tap.DIRECTORY.name)
        tap.equal(report["capture"], 1)
        host = server.url.split("/")[2].rsplit(":", 1)[0]
        assert os.path.isdir(tap.path(f"{names[host]}-{server.port}.stillpoint")), server.url

with tap.case("the end says where the archive is, how large, and what is next"):
    with rawserver.Server(site("/a")) as server:
        text = tap.succeed("crawl", server.url, "--delay", "1ms", cwd=tap.DIRECTORY.name)
        name = f"127.0.0.1-{server.port}.stillpoint"
        end = text[text.index("The archive is"):]
        assert re.match(rf"The archive is {name} \([0-9.]+ kB\)", end), end
        commands = re.findall(r"^  stillpoint (.*?)  ", end, re.M)
        assert any(command.startswith("serve ") for command in commands), commands
        for command in commands:
            if not command.startswith("serve "):  # which does not end
                tap.succeed(*command.replace("URL", server.url).split(),
                            cwd=tap.DIRECTORY.name)
        assert "verify" in end, end
        text = tap.succeed("crawl", server.url, "--delay", "1ms", "--json", cwd=tap.DIRECTORY.name)
        tap.equal(json.loads(text)["capture"], 2)

with tap.case("a DNS server that is none"):
    result = tap.run("crawl", "http://site.test/", "--dns", "nonsense", "-o", tap.path("nonsense"))
    tap.equal(result.returncode, 2)
    assert "--dns is wrong: 'nonsense' is not a list of DNS servers" in result.stderr, result.stderr

# ---- politeness ----

with tap.case("two names at one address are paced as one"):
    with rawserver.Server(lambda request: answer(request)) as server, \
            dnsserver.Server({"a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]}) as dns:
        other = f"http://b.test:{server.port}"
        answer = site("/1", images=[f"{other}/i1", f"{other}/i2"])
        report = crawl("paced", f"http://a.test:{server.port}/", "--dns", dns.address,
                       "--allow-private", delay="150ms")
        tap.equal((report["pages"], report["sharp"]), (4, 4))
        tap.equal({request.fields["Host"] for request in server.requests},
                  {f"a.test:{server.port}", f"b.test:{server.port}"})
        assert min(pauses(server)) >= 0.15, pauses(server)

with tap.case("also in two captures side by side"):
    with rawserver.Server(site("/1")) as server, \
            dnsserver.Server({"a.test": ["127.0.0.1"], "b.test": ["127.0.0.1"]}) as dns:
        result = tap.run("crawl", f"http://a.test:{server.port}/", f"http://b.test:{server.port}/",
                         "--dns", dns.address, "--allow-private", "--delay", "150ms", *CONTACT,
                         "-o", tap.path("beside"))
        tap.equal((result.returncode, result.stderr), (0, ""))
        tap.equal(sum(request.path == "/1" for request in server.requests), 4)
        assert min(pauses(server)) >= 0.15, pauses(server)

# ---- the guard ----

with tap.case("what a page embeds from where it must not"):
    with rawserver.Server(lambda request: answer(request)) as server, \
            dnsserver.Server({"inner.test": ["10.0.0.1"], "meta.test": [METADATA]}) as dns:
        port = server.port
        bad = {
            "http://10.0.0.1/x.png": "address guard: 10.0.0.0/8",
            f"http://{METADATA}/latest/meta-data/": "address guard: 169.254.169.254/32",
            "http://[::ffff:a9fe:a9fe]/": "address guard: 169.254.169.254/32",
            f"http://0.0.0.0:{port}/zero.png": "address guard: 0.0.0.0/8",
            "http://inner.test/x.png": "forbidden: 10.0.0.1 is a private address (10.0.0.0/8)",
            "http://meta.test/x.png": f"forbidden: {METADATA}",
        }
        good = [f"http://localhost:{port}/1.png", f"http://127.0.0.1:{port}/2.png"]
        answer = site(images=[*bad, *good])
        report = crawl("embeds", server.url, "--dns", dns.address)
    found = verdicts(report)
    for url in (server.url, *good):
        tap.equal(found[url], "sharp")
    for url, reason in bad.items():
        assert found[url] in ("excluded", "failed"), (url, found[url])
        assert reason in why("embeds", url), why("embeds", url)
    assert all(request.path != "/zero.png" for request in server.requests)

with tap.case("--allow-private opens everything"):
    with rawserver.Server(lambda request: answer(request)) as server, \
            dnsserver.Server({"zero.test": ["0.0.0.0"]}) as dns:
        images = [f"http://0.0.0.0:{server.port}/zero.png", f"http://zero.test:{server.port}/name.png"]
        answer = site(images=images)
        shut = crawl("shut", server.url, "--dns", dns.address)
        tap.equal(shut["sharp"], 1)
        tap.equal({request.path for request in server.requests} & {"/zero.png", "/name.png"}, set())
        opened = crawl("open", server.url, "--dns", dns.address, "--allow-private")
        tap.equal(opened["sharp"], 3)

with tap.case("a seed that leads to where it is not"):
    with rawserver.Server(lambda request: rawserver.respond(
            "302 Found", location=f"http://{METADATA}/latest/")
            if request.path == "/" else rawserver.NOT_FOUND) as server:
        report = crawl("redirect", server.url)
    tap.equal(verdicts(report)[f"http://{METADATA}/latest/"], "excluded")
    assert "address guard: 169.254.169.254/32" in why("redirect", f"http://{METADATA}/latest/")

with tap.case("a name as seed opens nothing, wherever it leads"):
    rows = {"own.test": ("127.0.0.2", "this machine's own address (127.0.0.0/8)"),
            "inner.test": ("10.0.0.1", "a private address (10.0.0.0/8)"),
            "link.test": ("169.254.1.1", "an address of the local link (169.254.0.0/16)"),
            "meta.test": (METADATA, "where a cloud keeps")}
    with rawserver.Server(site(), host="127.0.0.2") as server, \
            dnsserver.Server({name: [address] for name, (address, _) in rows.items()}) as dns:
        for name, (address, words) in rows.items():
            url = f"http://{name}:{server.port}/"
            result = tap.run("crawl", url, "--dns", dns.address, "--delay", 0, *CONTACT,
                             "-o", tap.path(name))
            tap.equal(result.returncode, 1)
            want = f"{url}: forbidden: {address} is {words}"
            assert want in result.stderr and "--allow-private" in result.stderr, result.stderr
            tap.equal(result.stderr.count("\n"), 1)
        tap.equal(server.requests, [])

with tap.case("localhost and names below it are this machine's by definition"):
    with rawserver.Server(site()) as server:
        for name in ("localhost", "a.localhost"):
            tap.equal(crawl(name, f"http://{name}:{server.port}/")["sharp"], 1)


def addresses(name):
    """What the catalog keeps of what is open to the first capture."""
    with sqlite3.connect(f"{tap.path(name)}/catalog.sqlite") as catalog:
        return catalog.execute("SELECT addresses FROM capture").fetchone()[0]


def stop_when(condition, name, *arguments):
    """Begins a crawl, and interrupts it when the condition holds."""
    process = subprocess.Popen([tap.PROGRAM, "crawl", *map(str, arguments), *CONTACT,
                                "-o", tap.path(name)], stderr=subprocess.PIPE, text=True)
    while not condition():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    told = process.communicate()[1]
    assert process.returncode == 3 and "stopped" in told, (process.returncode, told)


def forget_addresses(name):
    """As a catalog of a version that did not keep them."""
    with sqlite3.connect(f"{tap.path(name)}/catalog.sqlite") as catalog:
        catalog.execute("UPDATE capture SET addresses = -1")


for name in "later", "later-old":
    with tap.case(f"what is open is decided once: a name that leads elsewhere after resume: {name}"):
        with rawserver.Server(site(), host="127.0.0.2") as server, dnsserver.Server({"later.test": None}) as dns:
            # No answer at first: its robots.txt is asked for again, after a pause.
            stop_when(lambda: dns.asked, name, f"http://later.test:{server.port}/",
                      "--dns", dns.address)
            tap.equal(addresses(name), 1)
            if name == "later-old":
                forget_addresses(name)
            dns.names["later.test"] = ["127.0.0.2"]
            result = tap.run("resume", tap.path(name))
            tap.equal((result.returncode, server.requests), (1, []))
            assert "--allow-private" in result.stderr, result.stderr

with tap.case("what --allow-private opened stays open, and what a literal opened, too"):
    with rawserver.Server(site("/a", "/b"), host="127.0.0.2") as server, \
            dnsserver.Server({"own.test": ["127.0.0.2"]}) as dns:
        for name, host, *more in (("private", "own.test", "--allow-private"),
                                  ("literal", "127.0.0.2"), ("literal-old", "127.0.0.2")):
            server.requests.clear()
            stop_when(lambda: server.requests, name, f"http://{host}:{server.port}/",
                      "--dns", dns.address, "--delay", "250ms", *more)
            tap.equal(addresses(name), 2 ** 32 - 1 if more else 3)
            if name == "literal-old":
                forget_addresses(name)
            report = tap.load("resume", tap.path(name))
            tap.equal((report["pages"], report["sharp"]), (3, 3))

with tap.case("an answer that changes while the site is captured"):
    class Rebinding(dict):
        """This machine until it was asked for a picture, a cloud's metadata from then on."""

        def get(self, name, default=()):
            seen = any(request.path.endswith(".png") for request in server.requests)
            return [METADATA] if seen else ["127.0.0.2"]

    with rawserver.Server(lambda request: answer(request), host="127.0.0.2") as server, \
            dnsserver.Server(Rebinding({"rebind.test": None}), ttl=0) as dns:
        images = [f"http://rebind.test:{server.port}/{i}.png" for i in range(8)]
        answer = site(images=images)
        # Longer than the two seconds for which an answer counts at least, all in all.
        report = crawl("rebind", server.url, "--dns", dns.address, "--single", "--attempts", 1,
                       delay="500ms")
        seen = {request.path for request in server.requests}
    lost = [image for image in images if image[image.rindex("/"):] not in seen]
    assert lost and len(lost) < len(images) and len(dns.asked) > 1, (seen, dns.asked)
    for page in lost:
        tap.equal(verdicts(report)[page], "failed")
    assert f"forbidden: {METADATA} is" in why("rebind", lost[0]), why("rebind", lost[0])

with tap.case("ports of other services"):
    for url, port in ("http://127.0.0.1:25/", 25), ("https://example.org:6379/a", 6379):
        result = tap.run("crawl", url.replace("//", "//me:secret@"), "-o", tap.path("port"))
        tap.equal(result.returncode, 2)
        assert f":{port}: port {port} belongs to another service" in result.stderr, result.stderr
        assert "secret" not in result.stderr and result.stderr.count("\n") == 1, result.stderr
    assert not glob.glob(tap.path("port"))
    moved = {"/robots.txt": "http://127.0.0.1:6667/robots.txt", "/moved.png": "http://127.0.0.1:25/"}
    with rawserver.Server(lambda request: rawserver.respond("302 Go", location=moved[request.path])
                          if request.path in moved else answer(request)) as server:
        answer = site(images=["/moved.png", "http://127.0.0.1:6379/x.png"])
        report = json.loads(tap.run("crawl", server.url, "--robots", "ignore", "--delay", 0, *CONTACT,
                                    "--json", "-o", tap.path("ports")).stdout)
        for url in "http://127.0.0.1:25/", "http://127.0.0.1:6379/x.png":
            tap.equal(verdicts(report)[url], "excluded")
            assert f"address guard: port {url.split(':')[2].split('/')[0]}" in why("ports", url)
        del moved["/moved.png"]
        result = tap.run("crawl", server.url, "--delay", 0, *CONTACT, "-o", tap.path("robots"))
        tap.equal(result.returncode, 1)
        assert "port 6667 belongs to another service" in result.stderr, result.stderr

tap.done()
