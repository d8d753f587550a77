"""The sites of the papers, as CSV files."""

import math

import tap

SOLAR_PAGES = 1000


def skewed():
    """SOLAR section 6."""
    rates = [1.0]
    for i in range(SOLAR_PAGES - 1):
        rates.append(rates[-1] / (1.06 if i % 9 < 3 else 1.001))
    return rates


def smooth():
    """SOLAR section 6: confidence lengths 1, 2, 3, … at tau = 0.7."""
    return [math.log(1 / 0.7) / (i + 1) for i in range(SOLAR_PAGES)]


def zipf(n=1000, skew=1.2):
    """SHARC section 9.3."""
    return [1 / (i + 1) ** skew for i in range(n)]


def solar_tree():
    """SOLAR section 6: children of each page."""
    links = {0: range(1, 21)}
    for i in range(1, 99):
        links[i] = range(10 * i + 11, min(10 * i + 21, SOLAR_PAGES))
    return links


FIGURE_3 = {0: (1, 2), 1: (3, 4), 2: (5,)}  # SHARC, with rates 0 to 5


def write(name, rates, links=None):
    """A file of pages p0, p1, …; its path."""
    lines = ["page,rate" if links is None else "page,rate,links"]
    for i, rate in enumerate(rates):
        line = f"p{i},{rate!r}"
        if links is not None:
            line += "," + " ".join(f"p{child}" for child in links.get(i, ()))
        lines.append(line)
    return tap.write(name, "\n".join(lines) + "\n")
