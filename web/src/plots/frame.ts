// What all plots share: axes in the colours of the page, sizes in the canvas's own pixels.
import uPlot from "uplot";
import type { Theme } from "./theme";

export interface Frame {
  width: number;
  theme: Theme;
}

/** Draws on the canvas of a plot; lengths are CSS pixels times the ratio. */
export type Painter = (plot: uPlot, context: CanvasRenderingContext2D, ratio: number) => void;

/** Height of the axis below a plot, its label included. */
export const AXIS_HEIGHT = 52;

export function axis(theme: Theme, more: uPlot.Axis): uPlot.Axis {
  return {
    stroke: theme.text,
    font: theme.font,
    labelFont: theme.font,
    labelSize: 18,
    labelGap: 0,
    gap: 4,
    size: AXIS_HEIGHT - 18,
    grid: { stroke: theme.grid, width: 1 },
    ticks: { stroke: theme.grid, width: 1, size: 5 },
    ...more,
  };
}

/** Runs a painter inside of the plot's area, and leaves the context as it was. */
export function painted(paint: Painter): (plot: uPlot) => void {
  return (plot) => {
    const context = plot.ctx;
    const { left, top, width, height } = plot.bbox;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    paint(plot, context, devicePixelRatio || 1);
    context.restore();
  };
}

export function shortNumber(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}
