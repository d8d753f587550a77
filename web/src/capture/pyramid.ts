// Every page as a bar from the end of its visit to the start of its revisit.
import type { Capture } from "./data";
import { colour, draw, timeAxis, verdictColours, type Drawing } from "./drawing";

const HEIGHT = 420;
const AXIS = 22;

/** Pages with both looks, the innermost visit last. */
function bars(capture: Capture): Uint32Array {
  const list = new Uint32Array(capture.url.length);
  let count = 0;
  for (let page = 0; page < list.length; page++)
    if (capture.visitEnd[page]! >= 0 && capture.revisitStart[page]! >= 0) list[count++] = page;
  return list.subarray(0, count).sort((a, b) => capture.visitEnd[a]! - capture.visitEnd[b]!);
}

interface Frame {
  from: number;
  to: number;
  width: number;
  height: number;
}

function frameOf(capture: Capture, list: Uint32Array, width: number, height: number): Frame {
  let from = Infinity;
  let to = -Infinity;
  for (const page of list) {
    from = Math.min(from, capture.visitEnd[page]!);
    to = Math.max(to, capture.revisitStart[page]!);
  }
  return { from, to: to > from ? to : from + 1, width, height };
}

/** A bar of its own for each page. */
function paintBars(capture: Capture, context: CanvasRenderingContext2D, list: Uint32Array, frame: Frame): void {
  const colours = verdictColours(capture.verdicts);
  const scale = frame.width / (frame.to - frame.from);
  const step = frame.height / list.length;
  const bar = Math.max(step * (step > 4 ? 0.8 : 1), 1);
  list.forEach((page, i) => {
    const left = (capture.visitEnd[page]! - frame.from) * scale;
    const right = (capture.revisitStart[page]! - frame.from) * scale;
    context.fillStyle = colours[capture.verdict[page]!] ?? colours[0]!;
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
function paintMeans(capture: Capture, context: CanvasRenderingContext2D, list: Uint32Array, frame: Frame): void {
  const { width, height } = frame;
  const colours = verdictColours(capture.verdicts).map((css) => channels(css, context));
  const image = context.createImageData(width, height);
  const scale = (width - 1) / (frame.to - frame.from);
  const line = new Int32Array((width + 1) * colours.length);
  for (let y = 0, i = 0; y < height; y++) {
    const end = Math.round(((y + 1) * list.length) / height);
    const bars = end - i;
    line.fill(0);
    for (; i < end; i++) {
      const page = list[i]!;
      const at = capture.verdict[page]! * (width + 1);
      line[at + Math.floor((capture.visitEnd[page]! - frame.from) * scale)]!++;
      line[at + Math.floor((capture.revisitStart[page]! - frame.from) * scale) + 1]!--;
    }
    paintLine(image, height - 1 - y, line, colours, bars);
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

function paint(capture: Capture, drawing: Drawing, list: Uint32Array): void {
  const { context, width } = drawing;
  const height = drawing.height - AXIS;
  const frame = frameOf(capture, list, width, height);
  (list.length > height ? paintMeans : paintBars)(capture, context, list, frame);
  const scale = width / (frame.to - frame.from);
  if (capture.stillFrom >= 0) {
    context.fillStyle = colour("text");
    const at = (capture.stillFrom - frame.from) * scale;
    context.fillRect(at, 0, Math.max((capture.stillTo - capture.stillFrom) * scale, 1), height);
  }
  timeAxis(drawing, frame.from, frame.to, capture.stillFrom >= 0 ? capture.stillFrom : frame.from);
}

export function drawPyramid(capture: Capture, place: HTMLElement): void {
  const list = bars(capture);
  if (list.length > 0) draw(place, HEIGHT, (drawing) => paint(capture, drawing, list));
}
