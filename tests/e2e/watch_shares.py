#!/usr/bin/env python3
"""stillpoint watch: who gets the budget. New sites, dead servers, sites with a past; reloads."""

import csv
import json
import signal
import socket
import subprocess
import threading
import time

import living
import rawserver
import tap
from rawserver import page, respond

DEADLINE = 180


class Site:
    """A home page that links to so many others, each with a version; `dies` ends all answers."""

    def __init__(self, pages):
        self.paths = [f"/p{i}" for i in range(pages)]
        self.how = None
        self.ended = threading.Event()
        self.lost = []  # requests that came when there was no answer
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url

    def dies(self, how):
        self.how = how

    def answer(self, request):
        if self.how:
            self.lost.append(request.path)
        if self.how == "cut":
            return None
        if self.how == "hang":
            self.ended.wait(DEADLINE)
            return None
        if request.path == "/robots.txt":
            return respond("404 Not Found", b"")
        links = "".join(f'<a href="{path}">{path}</a>' for path in self.paths)
        return page(f"<p>{request.path}</p>{links if request.path == '/' else ''}".encode())

    def copied(self):
        return len({request.path for request in self.server.requests} & set(self.paths))

    def asked(self):
        return len(self.server.requests)

    def stop(self):
        self.ended.set()
        self.server.stop()


class Watch:
    def __init__(self, name, urls, per_second, archive=None, **top):
        self.archive, self.top = tap.path(archive or name), dict(top)
        self.name, self.per_second = name, per_second
        self.configure(urls)
        self.process = subprocess.Popen([tap.PROGRAM, "watch", self.config],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def configure(self, urls):
        lines = [f"archive: {self.archive}", f"budget: {{requests: {self.per_second}/second}}",
                 "delay: 0"]
        lines += [f"{key}: {value}" for key, value in self.top.items()] + ["sites:"]
        lines += [f"  - url: {url}" for url in urls]
        self.config = tap.write(f"{self.name}.yaml", "\n".join(lines) + "\n")

    def reload(self, urls):
        self.configure(urls)
        self.process.send_signal(signal.SIGHUP)

    def until(self, holds):
        deadline = time.monotonic() + DEADLINE
        while not holds():
            assert self.process.poll() is None, self.process.stderr.read()
            assert time.monotonic() < deadline, self.status()
            time.sleep(0.05)

    def status(self):
        return json.loads(tap.run("watch", "--status", "--json", self.config).stdout)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        said = self.process.communicate(timeout=DEADLINE)[1]
        tap.equal(self.process.returncode, 0)
        return said


def unused_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def shares():
    hot = living.Site("hot", "--pages", 10, "--rates", "constant:0.3")
    large, cut, hung = Site(300), Site(30), Site(30)
    with hot:
        nowhere = f"http://127.0.0.1:{unused_port()}/"
        watch = Watch("shares", [hot.url, large.url, cut.url, hung.url, nowhere], 40)
        with tap.case("it says that it runs, and where"):
            line = watch.process.stderr.readline()
            assert "watching 5 sites" in line and watch.archive in line, line
        with tap.case("a large new site is copied as fast as the budget allows"):
            watch.until(lambda: large.copied() + cut.copied() + hung.copied() == 360)
            spent = watch.status()["budget"]["spent"]
            print(f"# {spent} requests for 370 pages of four sites")
            assert spent < 1.35 * 370, spent
        with tap.case("servers that die get two in a hundred requests at most"):
            cut.dies("cut")
            hung.dies("hang")
            before = large.asked()
            watch.until(lambda: large.asked() > before + 150)
            living_requests = large.asked() - before
            dead = len(cut.lost) + len(hung.lost)
            print(f"# {dead} requests to dead servers, {living_requests} to the large site")
            # A server is taken for dead after some failures: these few count on so short a run.
            assert dead <= 12 + 0.02 * living_requests, (cut.lost, hung.lost)
        with tap.case("a reload does not wait for a server that hangs"):
            late, began, asked = Site(5), time.monotonic(), large.asked()
            watch.reload([hot.url, large.url, cut.url, hung.url, nowhere, late.url])
            watch.until(lambda: late.asked() > 2 and large.asked() > asked + 5)
            print(f"# {time.monotonic() - began:.1f} s")
            assert time.monotonic() - began < DEADLINE / 6
        with tap.case("SIGTERM: it says what was done"):
            said = watch.end()
            assert "stopped after" in said and "start it again" in said, said
    for site in (large, cut, hung, late):
        site.stop()


def counted():
    one, two = Site(10), Site(10)
    with tap.case("requests are counted once, however often the configuration is read again"):
        watch = Watch("counted", [one.url], 30)
        for urls in ([one.url, two.url], [one.url], [two.url, one.url]):
            asked = one.asked()
            watch.until(lambda a=asked: one.asked() > a + 30)
            watch.reload(urls)
            watch.until(lambda a=asked: one.asked() > a + 60)
        watch.end()
        asked, spent = one.asked() + two.asked(), watch.status()["budget"]["spent"]
        assert abs(spent - asked) <= 5, (spent, asked)  # those under way at a reload or the end
    one.stop()
    two.stop()


def history(policy, count):
    """Two equal sites, one with a past: months of captures by somebody else."""
    rates = ["--pages", 30, "--rates", "lognormal:-3,1", "--seed", 5]
    with living.Site("old", *rates) as old, living.Site("new", *rates) as new:
        with tap.case(f"{policy}: a site with a past gets as much as one without"):
            with open(old.rates_path, encoding="utf-8") as file:
                urls = [row["url"] for row in csv.DictReader(file)]
            lines = [f"{living.urllib.parse.urlsplit(url).path} 2025{month:02}05120000 {url}"
                     f" text/html 200 {'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[month // 5 :][:1] * 32}"
                     f" 1000 {month} x.warc.gz" for url in urls for month in range(1, 13)]
            tap.write("h.cdx", " CDX N b a m s k S V g\n" + "\n".join(sorted(lines)) + "\n")
            tap.succeed("import", tap.path("h.cdx"), "-o", tap.path("past-" + policy))
            watch = Watch("past-" + policy, [old.url, new.url], 25, policy=policy)
            watch.until(lambda: watch.status()["looks"] > count)
            watch.end()
            looks = dict(living.query(
                watch.archive, "SELECT c.site, count(*) FROM observation o JOIN capture c ON"
                " c.id = o.capture WHERE o.leg = 5 GROUP BY 1"))
            one, two = (looks[site.url]
                        for site in (old, new))
            print(f"# {one} looks with a past, {two} without")
            assert 0.6 < one / two < 1.7, looks


shares()
counted()
history("fresh", 240)
history("hacs", 120)
tap.done()
