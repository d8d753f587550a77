"""Holds the report of a capture of a living site against the truth.

The worst bug there is would be a false "sharp": a page that was called so and had changed between
the end of its visit and the start of its revisit. Reports print ends rounded up and starts rounded
down to milliseconds, and the truth is logged rounded down: what is claimed is [visit_end,
revisit_start), and a change that is logged there happened there.
"""

import collections
import re

import living
import tap

# Pages that can be had; and what becomes of the others.
GOOD = ("ok", "slow", "slow-body", "503", "reset-once", "301", "302", "moving")
REDIRECTS = ("301", "302", "moving")
BAD = {"404": "absent", "500": "failed", "reset": "failed", "truncated": "failed"}


def reachable(pages):
    """URLs that must be found: all pages, by the sitemap, and the requisites of those that show."""
    urls = [url for url, page in pages.items() if page["kind"] == "page"]
    found = set(urls)
    for url, page in pages.items():
        if page["kind"] != "page":
            parent = pages[urls[int(re.search(r"/(\d+)-\d+\.\w+$", url)[1])]]
            if parent["behaviour"] in GOOD and parent["behaviour"] not in REDIRECTS:
                found.add(url)
    return found


class Judge:
    """Holds one report against the truth of its site."""

    def __init__(self, site, archive, report, noisy=False, reverting=False):
        self.pages, self.truth, self.report = site.pages(), site.truth(), report
        self.noisy, self.reverting = noisy, reverting
        self.verdicts = {row["url"]: row for row in report["verdicts"]}
        self.wrong, self.missed = [], collections.Counter()
        self.unchanged = self.changed = self.undone = 0
        self.read(archive)

    def read(self, archive):
        """The attempts, from the WARC files; as text, times are in the order of time."""
        self.visits, self.revisits = {}, {}
        attempts = living.attempts(archive)
        for attempt in attempts:
            if attempt.leg in ("visit", "late"):
                self.keep(self.visits, attempt)
            elif attempt.leg == "revisit":
                self.keep(self.revisits, attempt)
        self.window = (max((a.end for a in attempts if a.leg == "visit"), default=None),
                       min((a.sent for a in attempts if a.leg == "revisit" and a.sent), default=None))
        self.check_origins()

    @staticmethod
    def keep(leg, attempt):
        """The last usable attempt counts; where there is none, the last one."""
        if attempt.is_usable() or not (attempt.url in leg and leg[attempt.url].is_usable()):
            leg[attempt.url] = attempt

    def check_origins(self):
        """What led to a page is told by its visit, and not again by the revisit."""
        tap.equal([a.url for a in self.visits.values() if a.origin[0] is None], [])
        tap.equal([a.url for a in self.revisits.values() if a.origin != (None, None)], [])

    def complain(self, row, why):
        self.wrong.append(f"{why}: {row}")

    @staticmethod
    def times(row):
        return [living.milliseconds(row[key]) for key in
                ("visit_start", "visit_end", "revisit_start", "revisit_end")]

    def check_window(self, row):
        """The interval of a sharp page has all of the still point in it, to the nanosecond."""
        ends = self.visits[row["url"]].end, self.revisits[row["url"]].sent
        if not ends[0] <= self.window[0] < self.window[1] <= ends[1]:
            self.complain(row, f"its interval {ends} does not contain {self.window}")

    def check_claim(self, row, behaviour):
        """A page that is called sharp."""
        _, visited, revisited, _ = self.times(row)
        if row["evidence"] not in ("bytes", "normalised") or not 200 <= row["status"] < 400:
            self.complain(row, "it has no evidence")
        if behaviour not in GOOD:
            self.complain(row, f"a page that is {behaviour} cannot be sharp")
        if self.truth.changed_within(row["url"], visited, revisited):
            self.undone += 1
            if not self.reverting:
                self.complain(row, "FALSE SHARP")
        self.check_window(row)
        self.check_content(row)

    def check_content(self, row):
        """What is in the archive is what was there throughout what is claimed."""
        version = self.visits[row["url"]].version()
        _, visited, revisited, _ = self.times(row)
        there = self.truth.versions(row["url"], visited, revisited)
        if version is not None and version not in there:
            self.complain(row, f"FALSE SHARP: the archive has version {version}, not of {there}")

    def check_pair(self, row):
        """A page that can be had, and was twice."""
        start, visited, revisited, end = self.times(row)
        if row["verdict"] not in ("sharp", "changed"):
            self.complain(row, "neither sharp nor changed")
        elif not self.truth.changed_around(row["url"], start, end):
            self.unchanged += 1
            if row["verdict"] != "sharp" and self.noisy:
                self.missed["noise"] += 1
            elif row["verdict"] != "sharp":
                self.complain(row, "missed, and nothing explains it")
        elif self.truth.changed_within(row["url"], visited, revisited):
            self.changed += 1

    def check_good(self, row):
        """A page that can be had."""
        if row["verdict"] in ("single", "unconfirmed", "failed", "unvisited"):
            self.check_once(row)
        else:
            self.check_pair(row)

    def check_once(self, row):
        """In a capture with revisits, without a limit."""
        self.complain(row, "it could be had twice")

    def check_bad(self, row, behaviour):
        if row["verdict"] != BAD[behaviour]:
            self.complain(row, f"{behaviour} is {BAD[behaviour]}")
        if behaviour != "404":
            self.missed[behaviour] += 1

    def check_pages(self):
        for url, row in self.verdicts.items():
            behaviour = self.pages[url]["behaviour"]
            if row["verdict"] == "sharp":
                self.check_claim(row, behaviour)
            if behaviour in BAD:
                self.check_bad(row, behaviour)
            else:
                self.check_good(row)

    def check_totals(self):
        rows = self.report["verdicts"]
        counts = collections.Counter(row["verdict"] for row in rows)
        tap.equal(len(self.verdicts), len(rows))
        tap.equal(self.report["pages"], len(rows))
        for key in ("sharp", "changed", "failed"):
            tap.equal((key, self.report[key]), (key, counts[key]))
        left = sum(counts[key] for key in ("excluded", "unvisited", "failed", "blocked"))
        tap.equal(self.report["captured"], len(rows) - left)
        for row in rows:
            if row["verdict"] == "unvisited" and row["visit_start"] is None:
                continue  # a limit may have come when an attempt had not sent its request yet
            if (row["verdict"] == "unvisited") != (row["url"] not in self.visits
                                                   and row["verdict"] != "excluded"):
                self.complain(row, "unvisited are those, and only those, never asked for")

    def wanted(self):
        """URLs that must be in the report."""
        return reachable(self.pages)

    def check(self):
        tap.equal(sorted(self.wanted() - set(self.verdicts)), [])
        tap.equal(sorted(set(self.verdicts) - set(self.pages)), [])
        self.check_totals()
        self.check_pages()
        assert not self.wrong, f"{len(self.wrong)} wrong, such as\n" + "\n".join(self.wrong[:5])

    def tell(self, name):
        counts = collections.Counter(row["verdict"] for row in self.report["verdicts"])
        print(f"# {name}: {len(self.verdicts)} URLs: "
              + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
        expected = self.report["expected_sharp"]
        print(f"# {name}: in truth {self.unchanged} unchanged of those that can be had, "
              f"{self.changed} changed; {sum(self.missed.values())} missed {dict(self.missed)}; "
              f"{self.undone} changed and back; expected {expected and round(expected, 1)} sharp")
