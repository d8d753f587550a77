#!/usr/bin/env python3
"""Every verdict of captures of living sites, held against the truth (judge.py)."""

import concurrent.futures

import judge
import living
import tap

# Something of everything, but for errors.
RICH = [
    "--outdegree", 8, "--requisites", 1, "--cdn-host", "cdn.localhost",
    "--rates", "lognormal:-4,1.5", "--requisite-rates", "lognormal:-4,1.5",
    "--redirects", 0.06, "--slow", "0.03:0.03", "--lying-validators", 0.3,
    "--absent-validators", 0.2,
]


class JudgeCut(judge.Judge):
    """Of a capture that its time limit ended: there may be pages without visit or revisit."""

    def wanted(self):
        return {url for url, page in self.pages.items() if page["kind"] == "page"}

    def check_once(self, row):
        if row["verdict"] == "unvisited" and row["reason"] != "time limit":
            self.complain(row, "without a reason")
        if row["verdict"] == "unconfirmed" and row["revisit_start"] is None:
            if row["reason"] != "not revisited: time limit":
                self.complain(row, "without a reason")
        # What was under way when the revisits had to begin is given up: on a busy machine, some.
        if row["verdict"] == "failed" and not row["reason"].startswith("slow: it was not complete"):
            self.complain(row, "it could be had, or was never asked for")
        self.missed[row["verdict"]] += 1


class JudgeSingle(judge.Judge):
    def check_good(self, row):
        if row["verdict"] != "single" or row["revisit_start"] is not None:
            self.complain(row, "a capture with --single")

    def check_bad(self, row, behaviour):
        wanted = "single" if behaviour == "404" else "failed"
        if row["verdict"] != wanted:
            self.complain(row, f"{behaviour} is {wanted}")


def capture(name, site_options, *options, delay="2ms", says=""):
    """Captures a site of its own: that, its archive and its report."""
    archive = tap.path(name)
    with living.Site(name, "--sitemap", "index", *site_options) as site:
        done = living.crawl(site, archive, "--delay", delay, "--rates", site.rates_path, *options)
        tap.equal(done.returncode, 0)
        assert says in done.stderr and bool(says) == bool(done.stderr), done.stderr
    return site, archive, tap.load("report", archive)


def trial(name, *arguments, judged_by=judge.Judge, captured=None, **known):
    """Of a capture, or of one that was begun before; the judge of it, or None."""
    with tap.case(name):
        site, archive, report = captured.result() if captured else capture(name, *arguments)
        judged = judged_by(site, archive, report, **known)
        try:
            judged.check()
        finally:
            judged.tell(name)
        done = tap.run("verify", archive)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
        return judged
    return None


def rates(mean):
    """Of pages and requisites: the smaller the site, the sooner it is captured."""
    return ["--mean-rate", mean / min(1, living.SCALE),
            "--requisite-mean-rate", mean / min(1, living.SCALE)]


def check_variety(judged):
    """The site had pages of every kind; how many changed depends on the machine."""
    behaviours = {page["behaviour"] for page in judged.pages.values()}
    if living.SCALE >= 1:
        tap.equal(sorted({*judge.GOOD, *judge.BAD} - behaviours), [])
        tap.equal(sorted({page["validators"] for page in judged.pages.values()}),
                  ["absent", "honest", "now", "stale"])
    assert judged.changed >= living.scaled(20, 1), judged.changed


def begin_cut(pool):
    """A capture that its time limit ends for certain, and in which something was captured by then."""
    site_options = ["--seed", 10, *RICH, "--pages", living.scaled(600, 400), *rates(0.1)]
    return pool.submit(capture, "time-limit", site_options, "--time-limit", "20s", delay="20ms",
                       says="time limit")


def main():
    cut = begin_cut(concurrent.futures.ThreadPoolExecutor(1))
    rich = trial("everything", ["--seed", 4, "--pages", living.scaled(520, 60), *rates(0.12),
                                "--errors", 0.02, *RICH])
    with tap.case("everything: there was something of everything"):
        check_variety(rich)
    hot = ["--pages", living.scaled(150, 40), *rates(0.4)]
    plain = ["--outdegree", 8, "--pages", living.scaled(150, 40)]
    few = ["--errors", "0.06:404,500"]
    trial("jobs", ["--seed", 6, *hot, *RICH, *few], "--jobs", 4)
    trial("bfs-lifo", ["--seed", 7, *hot, *RICH], "--strategy", "bfs-lifo")
    trial("bfs-fifo", ["--seed", 8, *hot, *RICH], "--strategy", "bfs-fifo")
    trial("choosy", ["--seed", 5, *plain, *few, "--redirects", 0.06], "--order", "pagerank", "--dust", "apply",
          "--mirrors", "skip", "--spam", "skip", "--cloaking", "--forms", 5, "--host-budget", "auto")
    trial("single", ["--seed", 9, *hot, *RICH, *few], "--single", judged_by=JudgeSingle)
    trial("noise", ["--seed", 11, *plain, "--noise", "nonce,csrf,clock,ad"], noisy=True)
    # What is not proved: a change that is undone between the two looks.
    often = f"constant:{3 / min(1, living.SCALE)}"
    undone = trial("reverts", ["--seed", 12, *plain, "--rates", often, "--reverts", 0.7],
                   reverting=True)
    with tap.case("reverts: changes that are undone cannot be seen"):
        assert undone.undone > 0
    trial("time-limit", captured=cut, judged_by=JudgeCut)


main()
tap.done()
