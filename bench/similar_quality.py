#!/usr/bin/env python3
"""similar_quality.py STILLPOINT [DIRECTORY…]: how well `stillpoint similar` finds near-duplicates.

Takes the HTML pages below the directories (default: /usr/share/doc), and makes versions of each with
known edits: words replaced all over the text, or one passage of it. Label of a pair: the exact
resemblance of the two texts, by all runs of three words, is at least 0.8. Pairs of different pages
count, too. Prints precision and recall of the pairs that share a cluster, and of pairs by their
exact resemblance (docs/duplicates.md).

A directory of labelled versions (labels.tsv, pages/SITE/PAGE/NNN.html.gz) is read as such: there
consecutive versions that differ by noise alone must be together.
"""

import collections
import gzip
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

RATES = (0.002, 0.01, 0.03, 0.06, 0.1, 0.2)  # of the words that an edit replaces
SIZE_MAX = 400_000
NEAR = 0.8


def pages(directories):
    for directory in directories:
        for root, folders, files in os.walk(directory):
            folders.sort()
            for name in sorted(files):
                path = os.path.join(root, name)
                if name.endswith((".html", ".htm", ".html.gz")) and not os.path.islink(path):
                    data = open(path, "rb").read()
                    data = gzip.decompress(data) if name.endswith(".gz") else data
                    if 500 < len(data) < SIZE_MAX:
                        yield path, data.decode("utf-8", "replace")


def edit(text, rate, rng, passage):
    """Replaces a share of the words between tags; passage: all in one place."""
    parts = re.split(r"(<script.*?</script>|<style.*?</style>|<title.*?</title>|<!--.*?-->|<[^>]*>)", text, flags=re.S | re.I)
    places = [(i, m.span()) for i in range(0, len(parts), 2) for m in re.finditer(r"[A-Za-z]{3,}", parts[i])
              if parts[i][max(0, m.start() - 1):m.start()] != "&"]
    count = max(1, int(rate * len(places)))
    if not places:
        return text
    if passage:
        start = rng.randrange(max(1, len(places) - count))
        chosen = places[start:start + count]
    else:
        chosen = rng.sample(places, min(count, len(places)))
    for i, (begin, end) in sorted(chosen, reverse=True):
        parts[i] = parts[i][:begin] + "".join(rng.choices("bcdfgklmnprst", k=6)) + parts[i][end:]
    return "".join(parts)


def shingles(stillpoint, body):
    result = subprocess.run([stillpoint, "inspect", "text", "-"], input=body.encode(), capture_output=True, check=True)
    words = re.findall(r"\w+", json.loads(result.stdout)["text"].lower().replace("_", " "))
    return frozenset(zip(words, words[1:], words[2:])) or frozenset([tuple(words)])


def resemblance(a, b):
    return len(a & b) / max(1, len(a | b))


def record(number, url, body):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
    head = ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%032d>\r\n"
            "WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n"
            "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n")
    return (head % (number, url, len(block))).encode() + block + b"\r\n\r\n"


def clusters(stillpoint, bodies):
    """Number of the cluster of each URL that is in one."""
    with tempfile.NamedTemporaryFile(suffix=".warc") as file:
        for number, (url, body) in enumerate(bodies.items()):
            file.write(record(number, url, body))
        file.flush()
        result = subprocess.run([stillpoint, "similar", "--json", file.name], capture_output=True, check=True)
    found = json.loads(result.stdout)["clusters"]
    return {url: i for i, cluster in enumerate(found) for url in cluster["urls"]}


def labelled(stillpoint, directory):
    """Consecutive versions of real pages, by their label."""
    table = collections.Counter()
    bodies, pairs = {}, []
    for line in open(os.path.join(directory, "labels.tsv"), encoding="utf-8").read().splitlines()[1:]:
        site, page, first, second, label = line.split("\t")[:5]
        urls = []
        for version in (first, second):
            name = version if version.endswith(".gz") else f"{int(version):03}.html.gz"
            path = os.path.join(directory, "pages", site, page, name)
            urls.append(f"http://{site}.example/{page}/{version}")
            bodies[urls[-1]] = gzip.decompress(open(path, "rb").read()).decode("utf-8", "replace")
        pairs.append((urls, label))
    sets = {url: shingles(stillpoint, body) for url, body in bodies.items()}
    where = clusters(stillpoint, bodies)
    for (a, b), label in pairs:
        near = resemblance(sets[a], sets[b]) >= NEAR
        together = a in where and where[a] == where.get(b)
        table[label, near, together] += 1
    for label in sorted({key[0] for key in table}):
        near = table[label, True, True], table[label, True, False]
        far = table[label, False, True], table[label, False, False]
        print(f"{label}: of {sum(near)} pairs with resemblance of at least {NEAR} {near[0]} are together; "
              f"of {sum(far)} others {far[0]}")


def main():
    stillpoint, *directories = sys.argv[1:]
    for directory in [d for d in directories if os.path.exists(os.path.join(d, "labels.tsv"))]:
        labelled(stillpoint, directory)
        directories.remove(directory)
        if not directories:
            return
    rng = random.Random(1)
    bodies, families = {}, collections.defaultdict(list)
    for path, text in pages(directories or ["/usr/share/doc"]):
        url = "http://doc.example" + path.replace(" ", "%20")
        bodies[url] = text
        families[url].append(url)
        for rate, passage in itertools.product(RATES, (False, True)):
            version = f"{url}.{'passage' if passage else 'words'}-{rate}"
            bodies[version] = edit(text, rate, rng, passage)
            families[url].append(version)
    sets = {url: shingles(stillpoint, body) for url, body in bodies.items()}
    where = clusters(stillpoint, bodies)
    bins, right, missed = collections.defaultdict(lambda: [0, 0]), 0, 0
    for members in families.values():  # an original with each of its versions
        for version in members[1:]:
            exact = resemblance(sets[members[0]], sets[version])
            together = members[0] in where and where[members[0]] == where.get(version)
            bins[min(int(exact * 20), 19)][together] += 1
            right += exact >= NEAR and together
            missed += exact >= NEAR and not together
    originals = list(families)
    wrong = false = 0
    for a, b in itertools.combinations(originals, 2):
        if a in where and where[a] == where.get(b):
            wrong += 1
            false += resemblance(sets[a], sets[b]) < 0.7
    print(f"{len(originals)} pages, {len(bodies) - len(originals)} edited versions")
    print(f"recall of versions with resemblance of at least {NEAR}: {right / max(1, right + missed):.4f} ({right + missed} pairs)")
    together = sum(entry[1] for entry in bins.values())
    print(f"precision of versions that are together (at least {NEAR}): {right / max(1, together):.4f} ({together} pairs)")
    print(f"pairs of different pages that are together: {wrong}, of these below 0.7: {false}, "
          f"of {len(originals) * (len(originals) - 1) // 2}")
    for low in sorted(bins):
        apart, joined = bins[low]
        print(f"  resemblance {low / 20:.2f} to {low / 20 + 0.05:.2f}: {joined} of {joined + apart} together")


main()
