#!/usr/bin/env python3
"""stillpoint watch with the keys of crawl: a login, passwords, a proxy, spam, a topic, budgets of
hosts, search forms, lists of seeds, mirrors, logs."""

import os
import random
import stat
import urllib.parse

import deceitful
import hidden
import living
import proxies
import rawserver
import tap
from rawserver import page, respond

DEADLINE = 120
MIRROR, SPAM = 19, 20  # src/catalog/left_out.h
HEAD = "budget: {requests: 8640000/day}\ndelay: 0\nno-sitemaps: true\ntraps: off\n"
BEES = "bees honey hive queen colony apiary pollen nectar swarm beekeeper comb wax".split()
CARS = "engine gearbox brake tyre motor fuel clutch piston chassis diesel wheel".split()


def watch(name, text):
    """Makes all looks that are due; what it said, which is nothing but notes on keys."""
    config = tap.write(name + ".yaml", f"archive: {tap.path(name)}\n{HEAD}{text}")
    tap.succeed("watch", "--check", config)
    done = tap.run("watch", "--once", config, timeout=DEADLINE)
    tap.equal((done.returncode, done.stderr), (0, ""))
    tap.succeed("verify", tap.path(name))
    return tap.path(name)


def looked_at(archive):
    """Paths of pages with a look that succeeded, and how many there were."""
    rows = living.query(archive, "SELECT page.url, count(*) FROM observation JOIN page ON page.id = "
                        "capture << 32 | page WHERE leg = 5 AND status = 200 GROUP BY 1")
    return {urllib.parse.urlsplit(url).path: count for url, count in rows}


def gated(is_let_in):
    """Three pages, for those who are let in."""
    def answer(request):
        if request.path == "/robots.txt":
            return rawserver.NOT_FOUND
        if not is_let_in(request):
            return respond("401 Unauthorized", www_authenticate='Basic realm="x"')
        return page(b'<a href="/a">a</a><a href="/b">b</a>' if request.path == "/" else b"in")
    return rawserver.Server(answer)


class Members:
    """A form lets in those who know the password; a session is lost once."""

    def __init__(self):
        self.logins, self.served = 0, 0
        self.server = rawserver.Server(self.answer)

    def answer(self, request):
        if request.path == "/robots.txt":
            return rawserver.NOT_FOUND
        if request.path == "/login" and request.method == "POST":
            size, body = int(request.fields["Content-Length"]), b""
            while len(body) < size:
                body += request.socket.recv(size - len(body))
            assert b"geheim" in body, body
            self.logins += 1
            return respond("303 See Other", location="/", set_cookie=f"sid={self.logins}; Path=/")
        if request.path == "/login":
            return page(b"<form method=post><input name=user><input type=password name=pass></form>")
        if request.fields.get("Cookie") != f"sid={self.logins}" or self.logins == 0:
            return respond("302 Found", location="/login")
        self.served += 1
        links = "".join(f'<a href="/p{i}">x</a>' for i in range(6))
        return page(f"{links}<p>{request.path}</p>Log out".encode())


with tap.case("a login by a form, in an archive that others cannot read"):
    site = Members()
    login = tap.write("login.yaml", f"url: {site.server.url}login\nfields: {{user: me, pass: geheim}}\n"
                      "sentinel: Log out\n")
    os.chmod(login, 0o600)
    archive = watch("members", f"login: {login}\nsites: [{{url: {site.server.url}}}]\n")
    tap.equal(set(looked_at(archive)) - {"/login"}, {"/"} | {f"/p{i}" for i in range(6)})
    tap.equal(site.logins, 1)
    tap.equal(stat.S_IMODE(os.stat(archive).st_mode) & 0o077, 0)
    for directory, _, names in os.walk(archive):
        for name in names:
            with open(os.path.join(directory, name), "rb") as file:
                assert b"geheim" not in file.read(), name
    site.server.stop()

for key, lets_in in (("auth: [me:secret]", lambda r: "Authorization" in r.fields),
                     ("header: ['X-Key: 7']", lambda r: r.fields.get("X-Key") == "7"),
                     ("cookies: COOKIES", lambda r: r.fields.get("Cookie") == "k=v")):
    name = key.split(":")[0]
    with tap.case(f"{name} of a watch"), gated(lets_in) as server:
        cookies = tap.write("cookies.txt", "127.0.0.1\tFALSE\t/\tFALSE\t0\tk\tv\n")
        config = f"{key.replace('COOKIES', cookies)}\nsites: [{{url: {server.url}}}]\n"
        os.chmod(tap.write(name + ".yaml", ""), 0o600)
        archive = watch(name, config)
        tap.equal(set(looked_at(archive)), {"/", "/a", "/b"})

with tap.case("a proxy is asked for everything"), gated(lambda r: True) as server, \
        proxies.Http() as proxy:
    os.chmod(tap.write("proxy.yaml", ""), 0o600)
    archive = watch("proxy", f"proxy: {proxy.address}\nsites: [{{url: {server.url}}}]\n")
    tap.equal(set(looked_at(archive)), {"/", "/a", "/b"})
    assert len(proxy.asked) >= 4, proxy.asked

with tap.case("spam: skip: such pages are not looked at again"):
    with deceitful.Web(honest=6, each=2) as web:
        archive = watch("spam", f"spam: skip\nsites: [{{url: {web.url}}}]\n")
        once = looked_at(archive)
        left = [urllib.parse.urlsplit(url).path for url, in living.query(
            archive, f"SELECT url FROM page WHERE left_out = {SPAM}")]
        assert len(left) >= 2, left
        again = looked_at(watch("spam", f"spam: skip\nsites: [{{url: {web.url}}}]\n"))
        tap.equal([again[path] for path in left], [1] * len(left))
        assert all(again[path] >= once[path] for path in once)


def subjects(request):
    """Forty pages of each subject, and links that say it."""
    chance = random.Random(request.path)
    if request.path == "/":
        return page("".join(f'<p><a href="/{name}/0">{" ".join(words[:4])}</a></p>' for name, words in
                            (("bees", BEES), ("cars", CARS))).encode())
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    name, number = request.path.strip("/").split("/")
    words = BEES if name == "bees" else CARS
    text = " ".join(chance.choice(words) for _ in range(80))
    after = f'<a href="/{name}/{int(number) + 1}">{" ".join(words[:5])}</a>' if int(number) < 39 else ""
    return page(f"<p>{text}</p>{after}".encode())


with tap.case("topic: pages that promise none wait, also after a restart"):
    with rawserver.Server(subjects) as server:
        for _ in range(2):
            text = f"topic: {' '.join(BEES[:6])}\nsites: [{{url: {server.url}}}]\n"
            found = looked_at(watch("topic", text))
            bees = {path for path in found if path.startswith("/bees")}
            cars = {path for path in found if path.startswith("/cars")}
            tap.equal(len(bees), 40)
            assert len(cars) <= 10, cars


def wide(request):
    """A hundred pages, all linked to; those of odd numbers from everywhere."""
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    numbers = range(100) if request.path == "/" else range(1, 100, 2)
    return page("".join(f'<a href="/{i}">{i}</a>' for i in numbers).encode() +
                request.path.encode())


with tap.case("host-budget and max-pages with an order"):
    with rawserver.Server(wide) as server:
        for _ in range(2):
            found = looked_at(watch("host", f"host-budget: 7\nsites: [{{url: {server.url}}}]\n"))
            tap.equal(len(found), 7)
        found = looked_at(watch("order", "order: indegree\nmax-pages: 20\n"
                                f"sites: [{{url: {server.url}}}]\n"))
        tap.equal(len(found), 20)
        odd = [path for path in found if path != "/" and int(path[1:]) % 2]
        assert len(odd) >= 15, found

with tap.case("forms: up to so many queries, and none twice after a restart"):
    with hidden.Site(hidden.Database(records=40)) as site:
        for _ in range(2):
            watch("forms", f"forms: 12\nsites: [{{url: {site.url}}}]\n")
            assert 6 <= len(site.queries) <= 12, site.queries
        tap.equal(len(set(site.queries)), len(site.queries))



def mirrored(request):
    """A site that two names serve."""
    if request.path == "/robots.txt":
        return rawserver.NOT_FOUND
    host = request.fields["Host"]
    other = host.replace("127.0.0.1", "localhost")
    if request.path != "/":
        text = " ".join(random.Random(request.path).choice(BEES + CARS) for _ in range(60))
        return page(f"<p>{request.path} {text}</p>".encode())
    links = [f"/{i}" for i in range(30)]
    return page("".join(f'<a href="{url}">x</a>' for url in
                        links + [f"http://{other}{url}" for url in links]).encode())


with tap.case("mirrors: skip: a host that serves the same is given up"):
    with rawserver.Server(mirrored) as server:
        for _ in range(2):
            archive = watch("mirrors", "mirrors: skip\ninclude: localhost\n"
                            f"sites: [{{url: {server.url}}}]\n")
        hosts = [request.fields["Host"].split(":")[0] for request in server.requests
                 if request.path not in ("/", "/robots.txt")]
        first, second = sorted((hosts.count("localhost"), hosts.count("127.0.0.1")))
        assert first <= 30 and second >= 55, (first, second)
        left = living.query(archive, f"SELECT count(*) FROM page WHERE left_out = {MIRROR}")
        assert left[0][0] >= 20, left

with tap.case("seeds, with sites of several servers; a log and events; WARC files for each site"):
    with rawserver.Server(lambda r: page(b"one")) as one, rawserver.Server(lambda r: page(b"two")) as two:
        seeds = tap.write("seeds.txt", f"{one.url}\n# no more of it\n{one.url}b\n{two.url}\n")
        archive = watch("seeds", f"crawl-log: {tap.path('log')}\nevents: {tap.path('events')}\n"
                        f"scope: page\nwarc-per-site: true\nsites:\n  - seeds: {seeds}\n")
        tap.equal(len(tap.load("watch", "--status", archive)["sites"]), 2)
        for name in ("log", "events"):
            with open(tap.path(name), encoding="utf-8") as file:
                assert one.url + "b" in file.read(), name
        ports = {urllib.parse.urlsplit(server.url).port for server in (one, two)}
        names = os.listdir(os.path.join(archive, "warc"))
        assert all(any(f"-{port}-" in name for name in names) for port in ports), names

tap.done()
