import uPlot from "uplot";
import { axis, painted, shortNumber, type Frame } from "./frame";
import type { Pyramid } from "./model";
import type { Theme } from "./theme";

const HEIGHT = 260;

function paintBars(data: Pyramid, theme: Theme) {
  return painted((plot, context, ratio) => {
    const height = plot.bbox.height / Math.max(data.bars.length, 1);
    const gap = height > 3 * ratio ? height * 0.2 : 0;
    // On whole pixels: bars that end between two would leave a pattern of their own.
    const edge = (i: number) => Math.round(plot.valToPos(i, "y", true));
    data.bars.forEach(([visit, revisit, fate], i) => {
      const left = plot.valToPos(visit, "x", true);
      const right = plot.valToPos(revisit, "x", true);
      const top = edge(i + 1);
      context.fillStyle = theme.fates[fate];
      // A page whose two looks fall together still shows.
      context.fillRect(left, top + gap / 2, Math.max(right - left, 2 * ratio),
        Math.max(edge(i) - top - gap, ratio));
    });
    const still = plot.valToPos(0, "x", true);
    context.strokeStyle = theme.text;
    context.lineWidth = ratio;
    context.beginPath();
    context.moveTo(still, plot.bbox.top);
    context.lineTo(still, plot.bbox.top + plot.bbox.height);
    context.stroke();
  });
}

export function drawPyramid(data: Pyramid, place: HTMLElement, { width, theme }: Frame): uPlot {
  const from = Math.min(...data.bars.map((bar) => bar[0]), 0);
  const to = Math.max(...data.bars.map((bar) => bar[1]), 0);
  const room = (to - from || 1) * 0.02;
  const options: uPlot.Options = {
    width,
    height: HEIGHT,
    padding: [0, 28, 0, 28],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: () => [from - room, to + room] },
      y: { range: () => [0, data.bars.length] },
    },
    axes: [
      axis(theme, { label: data.x.label, space: 60, values: (_, splits) => splits.map(shortNumber) }),
      axis(theme, { size: 0, values: () => [], grid: { show: false }, ticks: { show: false } }),
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { draw: [paintBars(data, theme)] },
  };
  return new uPlot(options, [[from, to], [0, 0]], place);
}
