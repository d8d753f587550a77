import uPlot from "uplot";
import { AXIS_HEIGHT, axis, painted, shortNumber, type Frame } from "./frame";
import type { Forest } from "./model";
import { seriesColour, type Theme } from "./theme";

const ROW = 22;
const POINT = 4;
const CHARACTER = 7;

function extent(data: Forest): [number, number] {
  const all = data.rows
    .flatMap((row) => [row.value, row.low, row.high, row.printed])
    .filter((value): value is number => value !== null);
  if (data.x.zero) all.push(0);
  const low = Math.min(...all);
  const high = Math.max(...all);
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return [low - room, high + room];
}

function paintZero(plot: uPlot, context: CanvasRenderingContext2D, ratio: number, theme: Theme) {
  const x = plot.valToPos(0, "x", true);
  context.strokeStyle = theme.text;
  context.lineWidth = ratio;
  context.setLineDash([4 * ratio, 3 * ratio]);
  context.beginPath();
  context.moveTo(x, plot.bbox.top);
  context.lineTo(x, plot.bbox.top + plot.bbox.height);
  context.stroke();
  context.setLineDash([]);
}

function paintRows(data: Forest, theme: Theme) {
  return painted((plot, context, ratio) => {
    if (data.x.zero) paintZero(plot, context, ratio, theme);
    data.rows.forEach((row, i) => {
      const y = plot.valToPos(-i, "y", true);
      const at = (value: number) => plot.valToPos(value, "x", true);
      context.lineWidth = 2 * ratio;
      context.strokeStyle = context.fillStyle = seriesColour(theme, 0);
      if (row.low !== null && row.high !== null) {
        context.beginPath();
        context.moveTo(at(row.low), y);
        context.lineTo(at(row.high), y);
        context.stroke();
      }
      if (row.value !== null) {
        context.beginPath();
        context.arc(at(row.value), y, POINT * ratio, 0, 2 * Math.PI);
        context.fill();
      }
      if (row.printed !== null) {
        context.strokeStyle = seriesColour(theme, 1);
        context.lineWidth = 1.5 * ratio;
        context.beginPath();
        context.arc(at(row.printed), y, (POINT + 2) * ratio, 0, 2 * Math.PI);
        context.stroke();
      }
    });
  });
}

export function drawForest(data: Forest, place: HTMLElement, { width, theme }: Frame): uPlot {
  const longest = Math.max(...data.rows.map((row) => row.name.length));
  const rows = data.rows.map((_, i) => -i).reverse();
  const xs = extent(data);
  const options: uPlot.Options = {
    width,
    height: data.rows.length * ROW + AXIS_HEIGHT,
    padding: [0, 24, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: () => xs }, y: { range: () => [-data.rows.length + 0.5, 0.5] } },
    axes: [
      axis(theme, { label: data.x.label, values: (_, splits) => splits.map(shortNumber) }),
      axis(theme, {
        size: Math.min(longest * CHARACTER + 14, width / 2),
        splits: () => rows,
        values: (_, splits) => splits.map((at) => data.rows[-at]?.name ?? ""),
      }),
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [paintRows(data, theme)] },
  };
  return new uPlot(options, [xs, [0, 0]], place);
}
