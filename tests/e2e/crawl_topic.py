#!/usr/bin/env python3
"""Crawls that look for a topic (docs/topic.md), on a site whose pages are labelled."""

import os
import random
import subprocess

import living
import rawserver
import tap
from rawserver import page

QUICK = ["--delay", "0", "--no-probes", "--traps", "off", "--no-sitemaps", "--single"]
BEES = "bees honey hive queen colony apiary pollen nectar swarm beekeeper comb wax smoker".split()
CARS = "engine gearbox brake tyre motor fuel clutch piston chassis diesel wheel".split()
MORE = "brood drone larva mite forager propolis varroa".split()  # that no page has
FILMS = "film actor scene director camera cinema script drama studio screen".split()
COMMON = "the and with about from this that many people page time year first good long work".split()


class Web:
    """A home page, sections of three subjects, and pages that lie behind others off the topic."""

    def __init__(self, seed=1, pages=40):
        self.random = random.Random(seed)
        self.pages, self.on_topic = {}, set()
        sections = {"films": FILMS, "cars": CARS, "bees": BEES}
        for name, vocabulary in sections.items():
            for i in range(pages):
                self.add(f"/{name}/{i}", vocabulary, name, i, pages)
        self.set("/", self.text(COMMON, 40), [f"/{name}/0" for name in sections])
        # Behind a chain of pages about films there is a page about bees.
        for i, vocabulary in enumerate((FILMS, FILMS, BEES)):
            self.set(f"/chain/{i}", self.text(vocabulary, 80), [f"/chain/{i + 1}"] if i < 2 else [])
        self.on_topic.add("/chain/2")
        self.links("/bees/1", ["/chain/0"])

    def text(self, vocabulary, words):
        return " ".join(self.random.choice(vocabulary if self.random.random() < 0.4 else COMMON)
                        for _ in range(words))

    def add(self, path, vocabulary, name, i, pages):
        if name == "bees":
            self.on_topic.add(path)
        to = [f"/{name}/{2 * i + k}" for k in (1, 2) if 2 * i + k < pages]
        to += [f"/{other}/{self.random.randrange(pages)}" for other in ("films", "cars") if self.random.random() < 0.5]
        self.set(path, self.text(vocabulary, 120), to)

    def set(self, path, text, to):
        self.pages[path] = text, to

    def links(self, path, to):
        self.pages[path][1].extend(to)

    def html(self, path):
        text, to = self.pages[path]
        anchors = "".join(f'<p><a href="{t}">{self.words_of(t)}</a></p>' for t in to)
        return f"<html><body><p>{text}</p>{anchors}</body></html>".encode()

    def words_of(self, path):
        return " ".join(self.pages[path][0].split()[:2])


class Server(rawserver.Server):
    def __init__(self, web):
        super().__init__(lambda request: page(web.html(request.path)) if request.path in web.pages
                         else rawserver.NOT_FOUND)


WEB = Web()


def path_of(url):
    return "/" + url.split("/", 3)[3]


def crawl(name, *options):
    with Server(WEB) as server:
        report = tap.load("crawl", server.url, *QUICK, *options, "-o", tap.path(name))
    visits = sorted((v["visit_start"], path_of(v["url"])) for v in report["verdicts"] if v["visit_start"])
    return report, [path for _, path in visits]


def harvest(visited):
    return sum(path in WEB.on_topic for path in visited) / len(visited)


EXAMPLES = tap.path("examples")
os.mkdir(EXAMPLES)
for number in range(4):
    tap.write(f"examples/{number}.txt", WEB.text(BEES, 150))
tap.write("examples/page.html", f"<html><title>x</title><script>var engine;</script><p>{WEB.text(BEES, 99)}</p>")

RATES = {}
for label, topic in (("words", "honey hive queen bees"), ("twenty words", " ".join(BEES + MORE)),
                     ("examples", EXAMPLES),
                     ("one file", os.path.join(EXAMPLES, "page.html"))):
    with tap.case(f"--topic by {label}: pages about it come first"):
        report, visited = crawl("t-" + label.replace(" ", "-"), "--topic", topic, "--max-pages", 40)
        _, breadth = crawl("b-" + label.replace(" ", "-"), "--order", "breadth", "--max-pages", 40)
        tap.equal(len(visited), 40)
        RATES[label] = harvest(visited), harvest(breadth)
        assert harvest(visited) > 0.75 and harvest(visited) > 1.6 * harvest(breadth), RATES[label]

with tap.case("the report says which pages are on the topic, and the harvest over time"):
    archive = tap.path("t-examples")
    report = tap.load("report", archive)
    topic = report["topic"]
    tap.equal(topic["on_topic"] + topic["off_topic"], 40)
    true = sum(path_of(v["url"]) in WEB.on_topic for v in report["verdicts"] if v["visit_start"])
    assert abs(topic["on_topic"] - true) <= 2, (topic["on_topic"], true)
    tap.equal([step["visited"] for step in topic["harvest"]], list(range(4, 41, 4)))
    tap.equal(topic["harvest"][-1]["on_topic"], topic["on_topic"])
    text = tap.succeed("report", archive)
    assert f"{topic['on_topic']} of 40 pages that were read are on it" in text, text
    left = next(v["url"] for v in report["verdicts"] if v["left_out"] == "max-pages")
    text = " ".join(tap.succeed("report", archive, "--why", left).split())
    assert "--max-pages: promise 0." in text and "by --topic and --order breadth" in text, text
    tap.succeed("verify", archive)

with tap.case("without a limit, what promises nothing is left, and said to be"):
    report, visited = crawl("all", "--topic", EXAMPLES)
    assert set(visited) >= WEB.on_topic, WEB.on_topic - set(visited)
    tap.equal(report["left_out"]["topic"], report["topic"]["left"])
    assert report["topic"]["left"] > 0 and len(visited) + report["topic"]["left"] <= len(WEB.pages), report["topic"]
    left = next(v["url"] for v in report["verdicts"] if v["left_out"] == "topic")
    text = " ".join(tap.succeed("report", tap.path("all"), "--why", left).split())
    assert "of too little promise for --topic" in text and "promise 0.00" in text, text

with tap.case("a crawl without a topic says null"):
    tap.equal(tap.load("report", tap.path("b-words"))["topic"], None)

with tap.case("a crawl with a topic that is killed goes on with it"):
    archive = tap.path("killed")
    with Server(WEB) as server:
        process = subprocess.Popen([tap.PROGRAM, "crawl", server.url, *QUICK, "--delay", "0.2", "--topic",
                                    EXAMPLES, "--max-pages", "40", "-q", "-o", archive])
        while len(living.peek(archive, "SELECT 1 FROM observation")) < 6:
            assert process.poll() is None
        process.kill()
        process.wait()
        living.hasten(archive, "0.2")
        tap.run("resume", archive, "-q")
    report = tap.load("report", archive)
    seen = [path_of(v["url"]) for v in report["verdicts"] if v["visit_start"]]
    tap.equal(len(seen), 40)
    assert harvest(seen) > 0.4, harvest(seen)  # breadth first: 0.17

with tap.case("what is wrong with a topic is said in one line"):
    os.mkdir(tap.path("empty"))
    many = tap.path("many")
    os.mkdir(many)
    for number in range(1001):
        open(os.path.join(many, str(number)), "w").close()
    for want, topic in (("words of three letters", "a b"), ("words of three letters", ""),
                        ("no words", tap.path("empty")), ("no words", tap.write("blank", " \n")),
                        ("more than 1000", many), ("words", "line\nbreak")):
        tap.refuse(2, want, "crawl", "http://127.0.0.1:9/", "--topic", topic, "-o", tap.path("never"))

print("#", {label: f"{a:.2f} against {b:.2f}" for label, (a, b) in RATES.items()})
tap.done()
