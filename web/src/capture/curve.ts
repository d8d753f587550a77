// How many pages are proven at each instant.
import type { Capture } from "./data";
import { colour, draw, ticks, timeAxis, type Drawing } from "./drawing";

const HEIGHT = 220;
const AXIS = 22;

interface Step {
  at: number;
  proven: number;
}

/** The count changes where an interval begins or ends. */
function steps(capture: Capture): Step[] {
  const from = Float64Array.from(capture.provenFrom).sort();
  const to = Float64Array.from(capture.provenTo).sort();
  const list: Step[] = [];
  let begun = 0;
  let ended = 0;
  while (begun < from.length || ended < to.length) {
    // Both ends belong to an interval: beginnings come first.
    if (begun < from.length && from[begun]! <= to[ended]!) list.push({ at: from[begun++]!, proven: begun - ended });
    else list.push({ at: to[ended++]!, proven: begun - ended });
  }
  return list;
}

function paint(capture: Capture, drawing: Drawing, list: Step[]): void {
  const { context, width } = drawing;
  const height = drawing.height - AXIS;
  const from = list[0]!.at;
  const to = list[list.length - 1]!.at;
  const most = list.reduce((best, step) => Math.max(best, step.proven), 0);
  const x = (at: number) => ((at - from) / (to - from || 1)) * width;
  const y = (proven: number) => height - (proven / (most || 1)) * (height - 14);
  context.fillStyle = colour("quiet");
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "left";
  context.textBaseline = "bottom";
  for (const at of ticks(0, most, 4)) {
    context.fillStyle = colour("rule");
    context.fillRect(0, y(at), width, 1);
    context.fillStyle = colour("quiet");
    context.fillText(at.toLocaleString("en"), 2, y(at));
  }
  context.beginPath();
  context.moveTo(x(from), y(0));
  let last = 0;
  for (const step of list) {
    context.lineTo(x(step.at), y(last));
    context.lineTo(x(step.at), y(step.proven));
    last = step.proven;
  }
  context.strokeStyle = colour("sharp");
  context.lineWidth = 2;
  context.stroke();
  timeAxis(drawing, from, to, capture.stillFrom >= 0 ? capture.stillFrom : from);
}

export function drawCurve(capture: Capture, place: HTMLElement): void {
  const list = steps(capture);
  if (list.length > 0) draw(place, HEIGHT, (drawing) => paint(capture, drawing, list));
}
