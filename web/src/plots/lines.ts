import uPlot from "uplot";
import { axis, painted, shortNumber, type Frame } from "./frame";
import type { Lines, Series } from "./model";
import { seriesColour, seriesDash, type Theme } from "./theme";

const HEIGHT = 340;
const WHISKER = 3;

function describe(series: Series, theme: Theme): uPlot.Series {
  const stroke = seriesColour(theme, series.colour);
  const hollow = series.style === "points";
  const options: uPlot.Series = {
    label: series.name,
    stroke,
    width: 2,
    dash: seriesDash(series.colour),
    value: (_, value) => (value === null ? "–" : shortNumber(value)),
    class: series.style,
    points: { show: true, size: hollow ? 9 : 6, width: 1.5, stroke, fill: hollow ? theme.paper : stroke },
  };
  if (hollow) options.paths = () => null;
  return options;
}

function paintIntervals(data: Lines, theme: Theme) {
  return painted((plot, context, ratio) => {
    data.series.forEach((series, index) => {
      if (!series.low || !series.high || !plot.series[index + 1]?.show) return;
      context.strokeStyle = seriesColour(theme, series.colour);
      context.lineWidth = 1.2 * ratio;
      context.beginPath();
      data.x.values.forEach((at, i) => {
        const low = series.low?.[i] ?? null;
        const high = series.high?.[i] ?? null;
        if (low === null || high === null) return;
        const x = plot.valToPos(at, "x", true);
        for (const end of [low, high]) {
          const y = plot.valToPos(end, "y", true);
          context.moveTo(x - WHISKER * ratio, y);
          context.lineTo(x + WHISKER * ratio, y);
        }
        context.moveTo(x, plot.valToPos(low, "y", true));
        context.lineTo(x, plot.valToPos(high, "y", true));
      });
      context.stroke();
    });
  });
}

/** A little room beside the first and the last point. */
function range(values: number[], log: boolean): [number, number] {
  const first = values[0] ?? 0;
  const last = values[values.length - 1] ?? 1;
  if (log) {
    const factor = last > first ? (last / first) ** 0.04 : 2;
    return [first / factor, last * factor];
  }
  const room = last > first ? (last - first) * 0.04 : 1;
  return [first - room, last + room];
}

/** Blur spreads over powers of ten; a figure of 0 has no place among them. */
function isLog(data: Lines): boolean {
  return data.y.log && data.series.every((s) => s.values.every((v) => v === null || v > 0));
}

/** What is printed comes and goes with what is ours. */
function togglePrinted(data: Lines) {
  return (plot: uPlot, index: number | null, options: { show?: boolean }) => {
    const show = options.show;
    if (index === null || show === undefined) return;
    const toggled = data.series[index - 1];
    data.series.forEach((series, i) => {
      if (series !== toggled && series.colour === toggled?.colour && plot.series[i + 1]?.show !== show)
        plot.setSeries(i + 1, { show });
    });
  };
}

export function drawLines(data: Lines, place: HTMLElement, { width, theme }: Frame): uPlot {
  const options: uPlot.Options = {
    width,
    height: HEIGHT,
    scales: {
      x: { time: false, distr: data.x.log ? 3 : 1, range: () => range(data.x.values, data.x.log) },
      y: { distr: isLog(data) ? 3 : 1 },
    },
    axes: [
      axis(theme, {
        label: data.x.label,
        splits: () => data.x.values,
        // Not uPlot's own choice of powers of ten: every measured value is named.
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map(shortNumber),
      }),
      axis(theme, { label: data.y.label, size: 52 }),
    ],
    series: [
      { label: data.x.label, value: (_, value) => (value === null ? "–" : shortNumber(value)) },
      ...data.series.map((series) => describe(series, theme)),
    ],
    hooks: { draw: [paintIntervals(data, theme)], setSeries: [togglePrinted(data)] },
    legend: {
      markers: { dash: (_, i) => (seriesDash(data.series[i - 1]?.colour ?? 0).length ? "dashed" : "solid") },
    },
    cursor: { drag: { x: true, y: true } },
  };
  return new uPlot(options, [data.x.values, ...data.series.map((s) => s.values)], place);
}
