#!/usr/bin/env python3
"""topic_bench.py STILLPOINT [DIRECTORY REGEX WORDS]…: how soon a crawl with --topic finds its pages.

Crawls a synthetic web of 3,000 labelled pages, and trees of HTML files, each with a topic: a page is
on it when one in a hundred of its words matches REGEX. Harvest rates, the share of the first pages
visited that are on the topic, after 10, 25 and 50 % of all pages. Examples are three pages on the
topic. For instance, with Debian's documentation unpacked in doc:

    topic_bench.py build/stillpoint doc/sqlite3 'fts|full-?text|tokeni' 'full text search' \\
        doc/git-doc 'merg' 'merge conflict'
"""

import http.server
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading

SHARES = (0.1, 0.25, 0.5)
SUBJECTS, VOCABULARY, PAGES = 12, 60, 3000
QUICK = ["--single", "--delay", "0", "--jobs", "1", "--no-probes", "--traps", "off", "--no-sitemaps", "--json"]


class Quiet(http.server.BaseHTTPRequestHandler):
    """Answers from a function of the path that gives HTML, or None."""
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for head and body

    def do_GET(self):
        body = self.server.find(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")
        self.wfile.flush()

    def log_message(self, *_):
        pass


class Site:
    def __init__(self, find):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
        self.server.find = find
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


def synthetic(seed=1):
    """Pages of twelve subjects; 7 of 10 links stay with their subject, one word in four is of it."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnoprstuvw", k=7)) for _ in range(VOCABULARY * (SUBJECTS + 4))]
    common, vocabularies = words[:4 * VOCABULARY], [words[(4 + s) * VOCABULARY:][:VOCABULARY] for s in range(SUBJECTS)]
    subject = [rng.randrange(SUBJECTS) for _ in range(PAGES)]
    of = [[i for i in range(PAGES) if subject[i] == s] for s in range(SUBJECTS)]

    def text(i, count):
        return " ".join(rng.choice(vocabularies[subject[i]] if rng.random() < 0.25 else common) for _ in range(count))

    texts = [text(i, 150) for i in range(PAGES)]
    links = [[rng.choice(of[subject[i]]) if rng.random() < 0.7 else rng.randrange(PAGES) for _ in range(8)]
             for i in range(PAGES)]
    for i in range(1, PAGES):
        links[rng.randrange(i)].append(i)

    def find(path):
        i = 0 if path == "/" else int(path[2:]) if re.fullmatch(r"/p\d+", path) else PAGES
        if i >= PAGES:
            return None
        anchors = "".join(f'<li><a href="/p{to}">{" ".join(texts[to].split()[:3])}</a>' for to in links[i])
        return f"<p>{texts[i]}</p><ul>{anchors}</ul>".encode()

    labels = {f"/p{i}": subject[i] == 0 for i in range(PAGES)}
    return find, labels, (" ".join(vocabularies[0][:4]), " ".join(vocabularies[0][:20])), [texts[i] for i in of[0][-3:]]


def tree(directory, regex):
    """The HTML files below a directory; those whose words match in density are on the topic."""
    bodies, labels, density = {}, {}, {}
    for root, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".html"):
                path = "/" + os.path.relpath(os.path.join(root, name), directory)
                with open(os.path.join(root, name), "rb") as file:
                    bodies[path] = file.read()
                text = re.sub(r"<[^>]*>", " ", bodies[path].decode("utf-8", "replace"))
                tokens = re.findall(r"\w+", text)
                density[path] = sum(bool(re.search(regex, t, re.I)) for t in tokens) / (len(tokens) + 50)
                labels[path] = density[path] > 0.01
    best = sorted(density, key=density.get)[-3:]
    find = lambda path: bodies.get("/index.html" if path == "/" else path)
    return find, labels, None, [bodies[p].decode("utf-8", "replace") for p in best]


def visits(program, site, labels, *options):
    with tempfile.TemporaryDirectory() as directory:
        run = subprocess.run([program, "crawl", site.url + "/", *QUICK, *options, "-o", os.path.join(directory, "a")],
                             stdout=subprocess.PIPE, check=True)
    verdicts = [(v["visit_start"], v["url"][len(site.url):]) for v in json.loads(run.stdout)["verdicts"]
                if v["visit_start"]]
    return [path for _, path in sorted(verdicts) if path in labels]


def measure(program, name, find, labels, words, examples):
    site = Site(find)
    with tempfile.TemporaryDirectory() as directory:
        for i, text in enumerate(examples):
            with open(os.path.join(directory, f"{i}.html"), "w", encoding="utf-8") as file:
                file.write(text)
        breadth = visits(program, site, labels, "--order", "breadth", "--max-pages", "1000000")
        total = len(breadth)
        weights = os.path.join(directory, "weights")
        with open(weights, "w", encoding="utf-8") as file:
            rng = random.Random(2)
            file.write("url,weight\n" + "".join(f"{site.url}{p},{rng.random()}\n" for p in labels))
        half = ["--max-pages", str(total)]
        orders = {"random": visits(program, site, labels, "--order", f"weights={weights}", *half),
                  "breadth": breadth,
                  **{f"{len(w.split())} words": visits(program, site, labels, "--topic", w, *half) for w in words}}
        os.remove(weights)
        orders["examples"] = visits(program, site, labels, "--topic", directory, *half)
    print(f"{name}: {total} pages, {sum(labels[p] for p in breadth)} of them on the topic")
    for order, paths in orders.items():
        rates = [sum(labels[p] for p in paths[:int(s * total)]) / int(s * total) for s in SHARES]
        print(f"  {order:9}", "  ".join(f"{100 * s:.0f} %: {r:.3f}" for s, r in zip(SHARES, rates)), flush=True)
    site.server.shutdown()


def main():
    program, *trees = sys.argv[1:]
    find, labels, words, examples = synthetic()
    measure(program, "synthetic", find, labels, words, examples)
    for directory, regex, words in zip(*[iter(trees)] * 3):
        find, labels, _, examples = tree(directory, regex)
        measure(program, directory, find, labels, (words,), examples)


if __name__ == "__main__":
    main()
