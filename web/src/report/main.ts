// A page of results: its tables are plain HTML; this draws what stands in its figures. Each
// <figure class="plot"> holds its data as JSON and a <div> to draw in.
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./report.css";
import { drawForest } from "../plots/forest";
import type { Frame } from "../plots/frame";
import { drawLines } from "../plots/lines";
import type { Plot } from "../plots/model";
import { drawPyramid } from "../plots/pyramid";
import { readTheme } from "../plots/theme";

interface Figure {
  element: HTMLElement;
  place: HTMLElement;
  plot: Plot;
  drawn?: uPlot;
}

function find(): Figure[] {
  return [...document.querySelectorAll<HTMLElement>("figure.plot")].flatMap((element) => {
    const place = element.querySelector<HTMLElement>(".canvas");
    const data = element.querySelector("script");
    if (!place || !data) return [];
    return [{ element, place, plot: JSON.parse(data.textContent ?? "null") as Plot }];
  });
}

function draw(plot: Plot, place: HTMLElement, frame: Frame): uPlot {
  switch (plot.kind) {
    case "lines":
      return drawLines(plot, place, frame);
    case "forest":
      return drawForest(plot, place, frame);
    case "pyramid":
      return drawPyramid(plot, place, frame);
  }
}

function redraw(figure: Figure): void {
  figure.drawn?.destroy();
  const frame = { width: figure.place.clientWidth, theme: readTheme(document.body) };
  figure.drawn = draw(figure.plot, figure.place, frame);
  figure.element.dataset["drawn"] = figure.plot.kind;
}

const figures = find();
const redrawAll = () => figures.forEach(redraw);

redrawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
matchMedia("print").addEventListener("change", redrawAll);

new ResizeObserver(() => {
  for (const { drawn, place } of figures)
    if (drawn && drawn.width !== place.clientWidth)
      drawn.setSize({ width: place.clientWidth, height: drawn.height });
}).observe(document.body);
