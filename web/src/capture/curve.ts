// How many pages are known at each instant: proven ones of a capture, or each state of an archive.
import type { Capture } from "./data";
import { colour, draw, legend, ticks, timeAxis, verdictColours, type Drawing } from "./drawing";

const HEIGHT = 220;
const AXIS = 22;
const UNKNOWN = "unknown";

interface Series {
  name: string;
  colour: string;
  at: ArrayLike<number>;
  count: ArrayLike<number>;
}

/** The count changes where an interval begins or ends. */
function proven(provenFrom: number[], provenTo: number[]): Series {
  const from = Float64Array.from(provenFrom).sort();
  const to = Float64Array.from(provenTo).sort();
  const at = new Float64Array(from.length + to.length);
  const count = new Float64Array(at.length);
  let begun = 0;
  let ended = 0;
  for (let i = 0; i < at.length; i++) {
    // Both ends belong to an interval: beginnings come first.
    if (begun < from.length && from[begun]! <= to[ended]!) at[i] = from[begun++]!;
    else at[i] = to[ended++]!;
    count[i] = begun - ended;
  }
  return { name: "proven", colour: colour("sharp"), at, count };
}

function seriesOf(capture: Capture): Series[] {
  const { curve } = capture;
  if (!curve) return [proven(capture.provenFrom ?? [], capture.provenTo ?? [])];
  const colours = verdictColours(capture.verdicts);
  return capture.verdicts
    .map((name, i) => ({ name, colour: colours[i]!, at: curve.at, count: curve.counts[i] ?? [] }))
    .filter(({ name, count }) => name !== UNKNOWN && count.some((each) => each > 0));
}

interface Frame {
  from: number;
  to: number;
  most: number;
}

function frameOf(capture: Capture, list: Series[]): Frame {
  const frame = { from: Infinity, to: capture.ended ?? -Infinity, most: capture.pages ?? 0 };
  for (const { at, count } of list) {
    frame.from = Math.min(frame.from, at[0] ?? Infinity);
    frame.to = Math.max(frame.to, at[at.length - 1] ?? -Infinity);
    for (let i = 0; i < count.length; i++) frame.most = Math.max(frame.most, count[i]!);
  }
  return frame;
}

function paintScale(context: CanvasRenderingContext2D, width: number, most: number, y: (count: number) => number): void {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "left";
  context.textBaseline = "bottom";
  for (const at of ticks(0, most, 4)) {
    context.fillStyle = colour("rule");
    context.fillRect(0, y(at), width, 1);
    context.fillStyle = colour("quiet");
    context.fillText(at.toLocaleString("en"), 2, y(at));
  }
}

/** Where steps share a pixel, its line goes from the lowest to the highest of them. */
function paintSeries(context: CanvasRenderingContext2D, series: Series, end: number, x: (at: number) => number, y: (count: number) => number): void {
  const { at, count } = series;
  let last = 0;
  context.beginPath();
  context.moveTo(x(at[0] ?? 0), y(0));
  for (let i = 0; i < at.length; ) {
    const pixel = Math.floor(x(at[i]!));
    let low = last;
    let high = last;
    context.lineTo(x(at[i]!), y(last));
    for (; i < at.length && Math.floor(x(at[i]!)) === pixel; i++) {
      last = count[i]!;
      if (last < low) low = last;
      if (last > high) high = last;
    }
    context.lineTo(x(at[i - 1]!), y(low));
    context.lineTo(x(at[i - 1]!), y(high));
    context.lineTo(x(at[i - 1]!), y(last));
  }
  context.lineTo(x(end), y(last));
  context.strokeStyle = series.colour;
  context.lineWidth = 2;
  context.stroke();
}

function paint(capture: Capture, drawing: Drawing, list: Series[]): void {
  const { context, width } = drawing;
  const height = drawing.height - AXIS;
  const { from, to, most } = frameOf(capture, list);
  const x = (at: number) => ((at - from) / (to - from || 1)) * width;
  const y = (count: number) => height - (count / (most || 1)) * (height - 14);
  const still = capture.stillFrom ?? -1;
  paintScale(context, width, most, y);
  for (const series of list) paintSeries(context, series, to, x, y);
  timeAxis(drawing, from, to, still >= 0 ? still : from, capture.curve ? capture.started : undefined);
}

export function drawCurve(capture: Capture, place: HTMLElement): void {
  const list = seriesOf(capture).filter(({ at }) => at.length > 0);
  if (list.length === 0) return;
  if (capture.curve) legend(place, list);
  draw(place, HEIGHT, (drawing) => paint(capture, drawing, list));
}
