// Directories as rectangles whose area is their number of captured pages, split by verdict.
import type { Capture } from "./data";
import { colour, draw, legend, verdictColours, type Drawing } from "./drawing";

const HEIGHT = 360;
const LARGEST = 200;
const GAP = 1;
/** Pages with these verdicts were not captured. */
const LEFT_OUT = ["excluded", "unvisited", "failed", "blocked"];

interface Directory {
  name: string;
  pages: number;
  byVerdict: Map<number, number>;
}

interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

function directoryOf(url: string): string {
  const query = url.indexOf("?");
  return url.slice(0, url.lastIndexOf("/", query < 0 ? undefined : query) + 1);
}

function directories(capture: Capture): Directory[] {
  const skipped = new Set(LEFT_OUT.map((word) => capture.verdicts.indexOf(word)));
  const found = new Map<string, Directory>();
  capture.url?.forEach((url, page) => {
    const verdict = capture.verdict?.[page] ?? 0;
    if (skipped.has(verdict)) return;
    const name = directoryOf(url);
    let directory = found.get(name);
    if (!directory) found.set(name, (directory = { name, pages: 0, byVerdict: new Map() }));
    directory.pages++;
    directory.byVerdict.set(verdict, (directory.byVerdict.get(verdict) ?? 0) + 1);
  });
  return [...found.values()].sort((a, b) => b.pages - a.pages).slice(0, LARGEST);
}

/** Halves the list by weight, along the longer side, until single ones are left. */
function layOut(list: Directory[], area: Area, put: (directory: Directory, area: Area) => void): void {
  if (list.length === 1) return put(list[0]!, area);
  const total = list.reduce((sum, each) => sum + each.pages, 0);
  let half = 0;
  let cut = 0;
  while (cut < list.length - 1 && (cut === 0 || half + list[cut]!.pages / 2 <= total / 2)) half += list[cut++]!.pages;
  const share = half / total;
  const { left, top, width, height } = area;
  if (width >= height) {
    layOut(list.slice(0, cut), { left, top, width: width * share, height }, put);
    layOut(list.slice(cut), { left: left + width * share, top, width: width * (1 - share), height }, put);
  } else {
    layOut(list.slice(0, cut), { left, top, width, height: height * share }, put);
    layOut(list.slice(cut), { left, top: top + height * share, width, height: height * (1 - share) }, put);
  }
}

function paint(capture: Capture, { context, width, height }: Drawing, list: Directory[]): void {
  const colours = verdictColours(capture.verdicts);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "top";
  layOut(list, { left: 0, top: 0, width, height }, (directory, area) => {
    let left = area.left;
    const inner = Math.max(area.width - GAP, 0.5);
    for (const [verdict, pages] of [...directory.byVerdict].sort((a, b) => a[0] - b[0])) {
      const part = (inner * pages) / directory.pages;
      context.fillStyle = colours[verdict] ?? colour("hopeless");
      context.fillRect(left, area.top, part, Math.max(area.height - GAP, 0.5));
      left += part;
    }
    label(context, directory, area);
  });
}

function label(context: CanvasRenderingContext2D, directory: Directory, area: Area): void {
  if (area.width < 60 || area.height < 18) return;
  const path = directory.name.replace(/^[a-z]+:\/\/[^/]*/, "");
  const text = `${path} ${directory.pages}`;
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.width - 4, area.height);
  context.clip();
  // Readable on all colours, light and dark.
  context.strokeStyle = "rgb(0 0 0 / 60%)";
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeText(text, area.left + 4, area.top + 3);
  context.fillStyle = "#fff";
  context.fillText(text, area.left + 4, area.top + 3);
  context.restore();
}

export function drawTreemap(capture: Capture, place: HTMLElement): void {
  const list = directories(capture);
  const colours = verdictColours(capture.verdicts);
  const shown = new Set(list.flatMap((directory) => [...directory.byVerdict.keys()]));
  if (list.length === 0) return;
  legend(
    place,
    capture.verdicts.map((name, i) => ({ name, colour: colours[i]! })).filter((_, i) => shown.has(i)),
  );
  draw(place, HEIGHT, (drawing) => paint(capture, drawing, list));
}
