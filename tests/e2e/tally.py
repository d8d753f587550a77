"""What a capture of a living site got wrong, by kind of noise, of change and of lie.

Each look of the archive is found in the site's log of responses (`--served`) by the number that the
response carries. So it is known what the look showed, whatever its bytes are (docs/living-site.md).
"""

import collections
import re

import living

Line = collections.namedtuple(
    "Line", "unix_ms number host path status content version shown_ms lies noise")


def read_served(path):
    """The log of responses: lines by number."""
    with open(path, encoding="utf-8") as file:
        lines = [Line(*line.rstrip("\n").split("\t")) for line in file]
    return {line.number: line for line in lines}


def looks(archive, served):
    """The last usable look at each (leg, URL), as a line of the log."""
    found = {}
    for attempt in living.attempts(archive):
        head = attempt.response.block.partition(b"\r\n\r\n")[0] if attempt.response else b""
        number = re.search(rb"(?i)^X-Living-Response: (\d+)\r?$", head, re.M)
        if number and attempt.is_usable():
            found[attempt.leg, attempt.url] = served[number[1].decode()]
    return found


class Tally:
    """Counts of pages, by ("noise" | "changes" | "lies", kind): each is in one row of each group,
    or in several where it has several kinds. Of the false ones, `undone` are A-B-A: both looks
    showed the same."""

    def __init__(self, site, served_path, archive, report):
        self.rows = collections.defaultdict(collections.Counter)
        self.site, self.truth = site.pages(), site.truth()
        self.looks = looks(archive, read_served(served_path))
        for row in report["verdicts"]:
            if row["url"] in self.site and ("revisit", row["url"]) in self.looks:
                self.count(row)

    def count(self, row):
        url = row["url"]
        pair = [self.looks[leg, url] for leg in ("visit", "revisit")]
        start, visited, revisited, end = (living.milliseconds(row[key]) for key in (
            "visit_start", "visit_end", "revisit_start", "revisit_end"))
        differs = pair[0].content != pair[1].content
        changed = differs or self.truth.changed_within(url, visited, revisited)
        steady = not differs and not self.truth.changed_around(url, start, end)
        sharp = row["verdict"] == "sharp"
        proven = sharp or row["verdict"] == "absent"  # 404 at both looks
        for key in self.keys(url, pair):
            self.rows[key].update(pages=1, sharp=sharp, changed=changed, steady=steady,
                                  false=sharp and changed, missed=steady and not proven,
                                  undone=sharp and changed and not differs)

    def keys(self, url, pair):
        """The rows that a page belongs to."""
        yield "changes", self.site[url]["changes"]
        for group in ("noise", "lies"):
            for kind in {kind for look in pair for kind in getattr(look, group).split(",")}:
                yield group, kind

    def total(self, name, group="changes"):
        return sum(row[name] for (kind, _), row in self.rows.items() if kind == group)

    def table(self):
        columns = "pages", "sharp", "changed", "steady", "false", "undone", "missed"
        yield f"{'':22}" + "".join(f"{name:>9}" for name in columns)
        for (group, kind), row in sorted(self.rows.items()):
            yield f"{group + ' ' + kind:22}" + "".join(f"{row[name]:9}" for name in columns)
