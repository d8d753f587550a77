#!/usr/bin/env python3
"""What must not hold up a capture: responses that drip or never come, a user who wants it to end,
and a machine that is short of file descriptors."""

import concurrent.futures
import json
import resource
import signal
import subprocess
import threading

import dnsserver
import living
import rawserver
import tap
from rawserver import page

PAGES = 40
DEADLINE = 240
FEW_FILES = 24


class Site:
    """A root that links to all other pages; some answers are given."""

    def __init__(self, **answers):
        self.answers = answers
        linked = [name for name in answers if "." not in name]
        self.names = [f"p{i}" for i in range(PAGES - 1 - len(linked))]
        self.server = rawserver.Server(self.answer)
        self.url = self.server.url
        self.over = threading.Event()
        self.closes = False  # the connection behind each answer
        self.place = 9  # of the given answers among the links: some pages come before, some behind

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.stop()

    def answer(self, request):
        name = request.path[1:]
        if name in self.answers:
            return self.answers[name](self, request)
        if name in ("robots.txt", "sitemap.xml"):
            return rawserver.NOT_FOUND
        slow = [name for name in self.answers if "." not in name]
        names = self.names[:self.place] + slow + self.names[self.place:]
        more = {"connection": "close"} if self.closes else {}
        return page(b"".join(b"<a href=/%s>x</a>" % n.encode() for n in names)
                    if not name else name.encode(), **more)

    def asked(self, name):
        return [request for request in self.server.requests if request.path == "/" + name]


def drip(site, request):
    """100 bytes per second, more than what counts as stalled."""
    request.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    while not site.over.wait(0.1):
        request.send(b"x" * 10)


def drip_once(site, request):
    return page(b"fast") if len(site.asked("slow")) > 2 else drip(site, request)


def hang(site, request):
    site.over.wait()


def crawl(site, name, *options):
    done = tap.run("crawl", site.url, "-o", tap.path(name), "--delay", "0", "--json", *options,
                   timeout=DEADLINE)
    tap.equal(done.returncode, 0)
    return json.loads(done.stdout)


def row_of(report, url):
    return next(row for row in report["verdicts"] if row["url"] == url)


def others_are_sharp(report, url):
    got = {row["verdict"] for row in report["verdicts"] if row["url"] != url}
    tap.equal((report["sharp"], got), (PAGES - 1, {"sharp"}))


def came_last(report, row):
    """It was asked for after all revisits."""
    last = max(other["revisit_start"] for other in report["verdicts"] if other["revisit_start"])
    assert row["visit_start"] >= last, (row, last)


def drip_within_limit(jobs, place=9):
    """Its time limit holds although a page drips, and the others are revisited."""
    name, limit = f"drip-{jobs}-{place}", 30 if living.SANITIZED else 12
    with Site(slow=drip) as site:
        site.place = place
        report = crawl(site, name, "-t", f"{limit}s", "-j", str(jobs))
    others_are_sharp(report, site.url + "slow")
    tap.equal(row_of(report, site.url + "slow")["verdict"], "failed")
    tap.succeed("verify", tap.path(name))
    return report


def many_drip():
    """A quarter of the pages: the revisits of the others begin in time. How many of them end in
    time depends on the machine."""
    with Site(**{f"slow{i}": drip for i in range(10)}) as site:
        site.place = PAGES
        report = crawl(site, "many-drip", "-t", "30s" if living.SANITIZED else "12s")
    assert report["sharp"] > 0 and report["stillpoint"]["from"], report["totals"]
    tap.succeed("verify", tap.path("many-drip"))


def sitemap_drips():
    """It gets half of the time limit, not all of it."""
    with Site(**{"sitemap.xml": drip}) as site:
        report = crawl(site, "sitemap", "-t", "30s" if living.SANITIZED else "12s")
    tap.equal(report["sharp"], PAGES)


def put_off():
    """Too slow twice, then downloaded once after the revisits."""
    with Site(slow=drip_once) as site:
        report = crawl(site, "put-off")
    others_are_sharp(report, site.url + "slow")
    row = row_of(report, site.url + "slow")
    tap.equal((row["verdict"], row["reason"]), ("single", "slow: it held up the other pages"))
    came_last(report, row)
    tap.equal(len(site.asked("slow")), 3)
    tap.succeed("verify", tap.path("put-off"))


def hung():
    """The barrier waits for no second timeout of a page that never answers."""
    with Site(slow=hang) as site:
        report = crawl(site, "hung", "--timeout", "24s")
    others_are_sharp(report, site.url + "slow")
    row = row_of(report, site.url + "slow")
    tap.equal((row["verdict"], row["reason"].split(":")[0]), ("failed", "timeout"))
    came_last(report, row)
    tap.equal(len(site.asked("slow")), 3)


def mistyped():
    """With --robots ignore, too, a name that does not exist is told at once."""
    with dnsserver.Server({}) as dns:
        done = tap.run("crawl", "http://mistyped.test/", "--robots", "ignore", "--dns", dns.address,
                       "-o", tap.path("mistyped"), timeout=DEADLINE)
    tap.equal(done.returncode, 1)
    said = "nothing could be captured: http://mistyped.test/: dns: there is no such name"
    assert said in done.stderr.splitlines()[-1], done.stderr


def start(site, name, *options, **more):
    return subprocess.Popen([tap.PROGRAM, "crawl", site.url, "-o", tap.path(name), "--delay", "0",
                             "--json", *options], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def finish(process):
    out, said = process.communicate(timeout=DEADLINE)
    tap.equal(process.returncode, 0)
    return json.loads(out), said


def limit_files(count):
    """For a child that is about to start."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


def few_descriptors():
    """As many requests at once as there are sockets for; nothing is blamed on the server."""
    with Site() as site:
        report, said = finish(start(site, "few", "-j", "32", preexec_fn=limit_files(FEW_FILES)))
    tap.equal((report["sharp"], said), (PAGES, ""))


def few_for_many():
    """Many hosts and several lanes: no lane takes the sockets that another one needs."""
    sites = [rawserver.Server(lambda _: page(b"one page"), host=f"127.0.7.{i + 1}")
             for i in range(12)]
    options = ["-o", tap.path("many"), "--delay", "0", "--lanes", "2"]
    done = subprocess.run([tap.PROGRAM, "crawl", *(site.url for site in sites), *options],
                          text=True, capture_output=True, check=False, timeout=DEADLINE,
                          preexec_fn=limit_files(FEW_FILES))
    for site in sites:
        site.stop()
    tap.equal((done.returncode, done.stderr), (0, ""))
    assert "12 pages captured, 12 sharp" in done.stdout, done.stdout


def no_descriptors():
    """None at all for a while: it waits, says so once, and goes on."""
    running = []

    def starve(site, request):
        """From here on no socket can be opened."""
        _, most = resource.prlimit(running[0].pid, resource.RLIMIT_NOFILE)
        resource.prlimit(running[0].pid, resource.RLIMIT_NOFILE, (3, most))
        return page(b"the last one", connection="close")

    with Site(slow=starve) as site:
        site.closes = True
        running.append(start(site, "none"))
        said = running[0].stderr.readline()
        _, most = resource.prlimit(running[0].pid, resource.RLIMIT_NOFILE)
        site.answers["slow"] = lambda site, request: page(b"the last one", connection="close")
        resource.prlimit(running[0].pid, resource.RLIMIT_NOFILE, (most, most))
        report, more = finish(running[0])
    assert "no socket can be opened" in said, said
    tap.equal((report["sharp"], more), (PAGES, ""))


def hang_up():
    """SIGHUP where it is ignored, as under nohup."""
    running = []

    def send(site, request):
        running[0].send_signal(signal.SIGHUP)
        return page(b"sent")

    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with Site(slow=send) as site:
        running.append(start(site, "nohup", preexec_fn=ignore))
        report, said = finish(running[0])
    tap.equal((report["sharp"], said), (PAGES, ""))


def main():
    # They wait most of the time.
    pool = concurrent.futures.ThreadPoolExecutor(13)
    cases = {
        "a page that drips, a time limit, one request at once": pool.submit(drip_within_limit, 1),
        "a page that drips, a time limit, four requests at once": pool.submit(drip_within_limit, 4),
        "the first of all links drips": pool.submit(drip_within_limit, 1, 0),
        "the last of all links drips": pool.submit(drip_within_limit, 1, PAGES),
        "many pages that drip, a time limit": pool.submit(many_drip),
        "a sitemap that drips, a time limit": pool.submit(sitemap_drips),
        "a page that drips is put off behind the revisits": pool.submit(put_off),
        "a page that hangs holds up the barrier once": pool.submit(hung),
        "a name that does not exist, --robots ignore": pool.submit(mistyped),
        "few file descriptors": pool.submit(few_descriptors),
        "few file descriptors, many hosts": pool.submit(few_for_many),
        "no file descriptors for a while": pool.submit(no_descriptors),
        "SIGHUP that is ignored": pool.submit(hang_up),
    }
    for name, result in cases.items():
        with tap.case(name):
            result.result()
    tap.done()


main()
