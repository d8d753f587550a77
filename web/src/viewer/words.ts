// What a composite (docs/replay.md) means, in words. Never more than it proves.

export interface Part {
  url: string;
  memento: string | null; // time of the look
  status: number | null; // of its answer
  proven: { from: string; to: string } | null; // over the asked time
  evidence: string | null;
  state: string | null;
}

export interface Composite {
  page: Part;
  requisites: Part[];
  verdict: "sharp" | "blurred" | "incomplete";
}

export interface Line {
  url: string;
  memento: string;
  known: string;
  certain: boolean;
}

export interface Words {
  sentence: string;
  mood: "sharp" | "blurred" | "incomplete";
  lines: Line[];
}

const UNITS: [number, string][] = [
  [86400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

// "4 min": rounded up, for nothing shall seem nearer than it is.
export function distance(seconds: number): string {
  for (const [size, unit] of UNITS)
    if (seconds >= size) return `${Math.ceil(seconds / size)} ${unit}`;
  return "1 s";
}

// "13:09:03" of today's page is not enough when it is another day's: the date always goes along.
export function moment(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? time : at.toISOString().replace("T", " ").replace(/(\.000)?Z$/, " UTC");
}

const seconds = (time: string): number => new Date(time).getTime() / 1000;

function lineOf(part: Part): Line {
  const known = part.proven
    ? `unchanged ${moment(part.proven.from)} to ${moment(part.proven.to)} (${part.evidence ?? "?"})`
    : part.memento === null
      ? "not archived"
      : `${part.state} (${part.evidence === null ? "by its dates, not proven" : "its server said that it was unchanged"})`;
  const memento = part.memento ? moment(part.memento) : "none";
  return { url: part.url, memento, known, certain: part.proven !== null };
}

const things = (count: number): string => `${count} ${count === 1 ? "resource" : "resources"}`;

// An asked time: the instants it means, and how people read it.
export interface Asked {
  first: string;
  last: string;
  shown: string;
}

// How far from the asked time a look was; 0 within it.
function away(part: Part, asked: Asked): number {
  const at = seconds(part.memento ?? "");
  return Math.max(seconds(asked.first) - at, at - seconds(asked.last), 0);
}

function others(parts: Part[], asked: Asked): string {
  const count = (list: unknown[], text: string): string =>
    list.length ? `${list.length} of ${things(parts.length)} ${list.length === 1 ? "is" : "are"} ${text}` : "";
  const unproven = parts.filter((part) => part.proven === null && part.memento !== null).map((part) => away(part, asked));
  const far = unproven.filter((seconds) => seconds > 0);
  const texts = [
    count(far, `from other times, up to ${distance(Math.max(...far))} away`),
    count(unproven.filter((seconds) => seconds === 0), "from then, and not proven"),
    count(parts.filter((part) => part.memento === null), "not archived"),
  ];
  return texts.filter((text) => text).join("; ");
}

// What the page was: as it is shown, or not there, which no page shows.
function what(page: Part): string {
  if (page.status === 404 || page.status === 410) return `missing (its server answered ${page.status})`;
  if (page.status !== null && page.status >= 400) return `an error (its server answered ${page.status})`;
  return "like this";
}

export function describe(composite: Composite, asked: Asked): Words {
  const { page, requisites, verdict } = composite;
  const lines = [page, ...requisites].map(lineOf);
  const whole = requisites.length ? `This page and its ${things(requisites.length)} are` : "This page is";
  if (verdict === "sharp")
    return { sentence: `${whole} proven to have been ${what(page)} at ${asked.shown}.`, mood: verdict, lines };
  const pageText = page.proven
    ? `This page is proven to have been ${what(page)} at ${asked.shown}`
    : `This page was ${what(page)} when it was seen at ${page.memento ? moment(page.memento) : "an unknown time"}; ` +
      (away(page, asked) > 0 ? `whether it was so at ${asked.shown} is not proven` : "no second look proves it");
  const rest =
    others(requisites, asked) ||
    (verdict === "incomplete" ? "Not all of its resources are known" : "");
  return { sentence: rest ? `${pageText}. ${rest}.` : `${pageText}.`, mood: verdict, lines };
}
