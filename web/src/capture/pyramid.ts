// Every page as a bar from the end of its visit to the start of its revisit.
import type { Capture } from "./data";
import { colour, draw, legend, timeAxis, verdictColours, type Drawing } from "./drawing";

const HEIGHT = 420;
/** Up to so many pages have a line of their own. */
const HEIGHT_MAX = 800;
const AXIS = 22;

/** What the figure needs; numbers in arrays that the machine reads fast. */
interface Bars {
  verdicts: string[];
  verdict: Uint8Array;
  from: Float64Array;
  to: Float64Array;
  still: [number, number] | null;
}

/** Pages with both looks, the innermost visit last. */
function barsOf(capture: Capture): Bars {
  const { visitEnd = [], revisitStart = [], verdict = [], stillFrom = -1, stillTo = -1 } = capture;
  const both: number[] = [];
  for (let page = 0; page < visitEnd.length; page++)
    if (visitEnd[page]! >= 0 && revisitStart[page]! >= 0) both.push(page);
  // Numbers sort faster than pages: time in the upper part, the page in the lower.
  const scale = 2 ** Math.ceil(Math.log2(visitEnd.length + 1));
  const keys = Float64Array.from(both, (page) => visitEnd[page]! * scale + page).sort();
  const order = Uint32Array.from(keys, (key) => key % scale);
  return {
    verdicts: capture.verdicts,
    verdict: Uint8Array.from(order, (page) => verdict[page]!),
    from: Float64Array.from(order, (page) => visitEnd[page]!),
    to: Float64Array.from(order, (page) => revisitStart[page]!),
    still: stillFrom >= 0 ? [stillFrom, stillTo] : null,
  };
}

interface Frame {
  from: number;
  to: number;
  width: number;
  height: number;
}

function frameOf(bars: Bars, width: number, height: number): Frame {
  const from = bars.from[0]!;
  let to = -Infinity;
  for (let i = 0; i < bars.to.length; i++) to = Math.max(to, bars.to[i]!);
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
  const scale = (width - 1) / (frame.to - frame.from);
  const line = new Int32Array((width + 1) * colours.length);
  for (let y = 0, i = 0; y < height; y++) {
    const end = Math.round(((y + 1) * bars.from.length) / height);
    const count = end - i;
    line.fill(0);
    for (; i < end; i++) {
      const at = bars.verdict[i]! * (width + 1);
      line[at + Math.floor((bars.from[i]! - frame.from) * scale)]!++;
      line[at + Math.floor((bars.to[i]! - frame.from) * scale) + 1]!--;
    }
    paintLine(image, height - 1 - y, line, colours, count);
  }
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  context.drawImage(canvas, 0, 0);
}

/** The line holds, for each verdict, by how much the number of bars changes at each pixel. */
function paintLine(image: ImageData, y: number, line: Int32Array, colours: [number, number, number][], bars: number): void {
  const { width, data } = image;
  const counts = colours.map(() => 0);
  for (let x = 0; x < width; x++) {
    let all = 0;
    let [red, green, blue] = [0, 0, 0];
    for (let verdict = 0; verdict < colours.length; verdict++) {
      const count = (counts[verdict]! += line[verdict * (width + 1) + x]!);
      if (count === 0) continue;
      all += count;
      red += count * colours[verdict]![0];
      green += count * colours[verdict]![1];
      blue += count * colours[verdict]![2];
    }
    if (all === 0) continue;
    data.set([red / all, green / all, blue / all, (255 * all) / bars], (y * width + x) * 4);
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
  const height = Math.max(HEIGHT, Math.min(bars.from.length, HEIGHT_MAX)) + AXIS;
  draw(place, height, (drawing) => paint(bars, drawing));
}
