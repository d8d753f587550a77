// Every page as a bar from the end of its visit to the start of its revisit.
import type { Capture } from "./data";
import { colour, draw, legend, timeAxis, verdictColours, type Drawing } from "./drawing";

const HEIGHT = 420;
/** Up to so many pages have a line of their own. */
const HEIGHT_MAX = 800;
const STEPS = 65_536;
const AXIS = 22;

/** What the figure needs; numbers in arrays that the machine reads fast. */
interface Bars {
  verdicts: string[];
  verdict: Uint8Array;
  from: Float64Array;
  to: Float64Array;
  still: [number, number] | null;
}

/** Numbers of the pages with both looks. */
function both(visitEnd: number[], revisitStart: number[]): Uint32Array {
  const pages = new Uint32Array(visitEnd.length);
  let count = 0;
  for (let page = 0; page < pages.length; page++)
    if (visitEnd[page]! >= 0 && revisitStart[page]! >= 0) pages[count++] = page;
  return pages.subarray(0, count);
}

/** Sorts pages by time: where there are more than lines, to a 65,536th of the whole, which nobody
 * can see, in a time that grows with their number only. */
function sorted(pages: Uint32Array, time: number[]): Uint32Array {
  if (pages.length <= HEIGHT_MAX) return pages.sort((a, b) => time[a]! - time[b]!);
  let from = Infinity;
  let to = -Infinity;
  for (let i = 0; i < pages.length; i++) {
    const at = time[pages[i]!]!;
    if (at < from) from = at;
    if (at > to) to = at;
  }
  const scale = (STEPS - 1) / (to - from || 1);
  const starts = new Uint32Array(STEPS + 1);
  const list = new Uint32Array(pages.length);
  for (let i = 0; i < pages.length; i++) starts[((time[pages[i]!]! - from) * scale | 0) + 1]!++;
  for (let step = 0; step < STEPS; step++) starts[step + 1]! += starts[step]!;
  for (let i = 0; i < pages.length; i++) list[starts[(time[pages[i]!]! - from) * scale | 0]!++] = pages[i]!;
  return list;
}

function barsOf(capture: Capture): Bars {
  const { visitEnd = [], revisitStart = [], verdict = [], stillFrom = -1, stillTo = -1 } = capture;
  const pages = sorted(both(visitEnd, revisitStart), visitEnd);
  const bars: Bars = {
    verdicts: capture.verdicts,
    verdict: new Uint8Array(pages.length),
    from: new Float64Array(pages.length),
    to: new Float64Array(pages.length),
    still: stillFrom >= 0 ? [stillFrom, stillTo] : null,
  };
  for (let i = 0; i < pages.length; i++) {
    const page = pages[i]!;
    bars.verdict[i] = verdict[page]!;
    bars.from[i] = visitEnd[page]!;
    bars.to[i] = revisitStart[page]!;
  }
  return bars;
}

interface Frame {
  from: number;
  to: number;
  width: number;
  height: number;
}

function frameOf(bars: Bars, width: number, height: number): Frame {
  let from = Infinity;
  let to = -Infinity;
  for (let i = 0; i < bars.to.length; i++) {
    if (bars.from[i]! < from) from = bars.from[i]!;
    if (bars.to[i]! > to) to = bars.to[i]!;
  }
  return { from, to: to > from ? to : from + 1, width, height };
}

/** A bar of its own for each page. */
function paintBars(bars: Bars, context: CanvasRenderingContext2D, frame: Frame): void {
  const colours = verdictColours(bars.verdicts);
  const scale = frame.width / (frame.to - frame.from);
  const step = frame.height / bars.from.length;
  const bar = Math.max(step * (step > 4 ? 0.8 : 1), 1);
  bars.from.forEach((from, i) => {
    const left = (from - frame.from) * scale;
    const right = (bars.to[i]! - frame.from) * scale;
    context.fillStyle = colours[bars.verdict[i]!] ?? colours[0]!;
    context.fillRect(left, frame.height - (i + 1) * step, Math.max(right - left, 1), bar);
  });
}

function channels(css: string, context: CanvasRenderingContext2D): [number, number, number] {
  context.fillStyle = css;
  const hex = String(context.fillStyle);
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as [number, number, number];
}

/** More pages than lines: a pixel has the mean colour of the bars that cover it, and is the paler
 * the fewer of its line's bars do. Time grows with pages plus pixels. */
function paintMeans(bars: Bars, context: CanvasRenderingContext2D, frame: Frame): void {
  const { width, height } = frame;
  const colours = verdictColours(bars.verdicts).map((css) => channels(css, context));
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const scale = (width - 1) / (frame.to - frame.from);
  // By how much the number of bars, and the sums of their colours, change at each pixel.
  const [all, red, green, blue] = [0, 1, 2, 3].map(() => new Int32Array(width + 1)) as [Int32Array, Int32Array, Int32Array, Int32Array];
  for (let y = 0, i = 0; y < height; y++) {
    const end = Math.round(((y + 1) * bars.from.length) / height);
    const count = end - i;
    for (const sums of [all, red, green, blue]) sums.fill(0);
    for (; i < end; i++) {
      const [r, g, b] = colours[bars.verdict[i]!]!;
      const left = Math.floor((bars.from[i]! - frame.from) * scale);
      const right = Math.floor((bars.to[i]! - frame.from) * scale) + 1;
      (all[left]!++, (red[left]! += r), (green[left]! += g), (blue[left]! += b));
      (all[right]!--, (red[right]! -= r), (green[right]! -= g), (blue[right]! -= b));
    }
    paintLine(pixels.subarray((height - 1 - y) * width, (height - y) * width), all, red, green, blue, count);
  }
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  context.drawImage(canvas, 0, 0);
}

function paintLine(pixels: Uint32Array, all: Int32Array, red: Int32Array, green: Int32Array, blue: Int32Array, bars: number): void {
  let [n, r, g, b] = [0, 0, 0, 0];
  for (let x = 0; x < pixels.length; x++) {
    ((n += all[x]!), (r += red[x]!), (g += green[x]!), (b += blue[x]!));
    if (n === 0) continue;
    // Red is the lowest byte, as on all machines that browsers run on.
    pixels[x] = (((255 * n) / bars) << 24) | ((b / n) << 16) | ((g / n) << 8) | (r / n);
  }
}

/** A window that bars shine through, between two lines; an instant is one line. */
function paintStill(context: CanvasRenderingContext2D, left: number, right: number, height: number): void {
  context.fillStyle = colour("text");
  context.fillRect(left, 0, 1.5, height);
  if (right - left < 2) return;
  context.fillRect(right - 1.5, 0, 1.5, height);
  context.globalAlpha = 0.12;
  context.fillRect(left, 0, right - left, height);
  context.globalAlpha = 1;
}

function paint(bars: Bars, drawing: Drawing): void {
  const { context } = drawing;
  const width = Math.floor(drawing.width);
  const height = drawing.height - AXIS;
  const frame = frameOf(bars, width, height);
  (bars.from.length > height ? paintMeans : paintBars)(bars, context, frame);
  const scale = width / (frame.to - frame.from);
  if (bars.still) {
    const [from, to] = bars.still;
    paintStill(context, (from - frame.from) * scale, (to - frame.from) * scale, height);
  }
  timeAxis(drawing, frame.from, frame.to, bars.still ? bars.still[0] : frame.from);
}

export function drawPyramid(capture: Capture, place: HTMLElement): void {
  const bars = barsOf(capture);
  const colours = verdictColours(capture.verdicts);
  const shown = new Set(bars.verdict);
  if (bars.from.length === 0) return;
  legend(
    place,
    capture.verdicts.map((name, i) => ({ name, colour: colours[i]! })).filter((_, i) => shown.has(i)),
  );
  const height = Math.max(HEIGHT, bars.from.length <= HEIGHT_MAX ? bars.from.length : 0) + AXIS;
  draw(place, height, (drawing) => paint(bars, drawing));
}
