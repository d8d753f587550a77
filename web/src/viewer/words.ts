// What a composite (docs/replay.md) means, in words. Never more than it proves.

export interface Part {
  url: string;
  memento: string | null; // time of the look
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
      : `${part.evidence === null ? "nothing is proven" : "its server said that it was unchanged"}: ${part.state}`;
  const memento = part.memento ? moment(part.memento) : "none";
  return { url: part.url, memento, known, certain: part.proven !== null };
}

const things = (count: number): string => `${count} ${count === 1 ? "resource" : "resources"}`;

function others(parts: Part[], instant: number): string {
  const away = parts
    .filter((part) => part.proven === null && part.memento !== null)
    .map((part) => Math.abs(seconds(part.memento as string) - instant));
  const missing = parts.filter((part) => part.memento === null).length;
  const texts: string[] = [];
  if (away.length > 0) {
    const verb = away.length === 1 ? "is" : "are";
    texts.push(
      `${away.length} of ${things(parts.length)} ${verb} from other times, up to ${distance(Math.max(...away))} away`,
    );
  }
  if (missing > 0)
    texts.push(`${missing} of ${things(parts.length)} ${missing === 1 ? "is" : "are"} not archived`);
  return texts.join("; ");
}

// An asked time: the instant it means, and how people read it.
export interface Asked {
  instant: string;
  shown: string;
}

export function describe(composite: Composite, asked: Asked): Words {
  const { page, requisites, verdict } = composite;
  const instant = seconds(asked.instant);
  const lines = [page, ...requisites].map(lineOf);
  const whole = requisites.length ? `This page and its ${things(requisites.length)} are` : "This page is";
  if (verdict === "sharp")
    return { sentence: `${whole} proven to have been like this at ${asked.shown}.`, mood: verdict, lines };
  const pageText = page.proven
    ? `This page is proven to have been like this at ${asked.shown}`
    : `This page is as it was seen at ${page.memento ? moment(page.memento) : "an unknown time"}; ` +
      `whether it was like this at ${asked.shown} is not proven`;
  const rest =
    others(requisites, instant) ||
    (verdict === "incomplete" ? "Not all of its resources are known" : "");
  return { sentence: rest ? `${pageText}. ${rest}.` : `${pageText}.`, mood: verdict, lines };
}
