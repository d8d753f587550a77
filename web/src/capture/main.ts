// A report, of a capture, an instant, a span of time or two captures: its text is plain HTML. This
// unpacks the data of all pages, draws the figures and replaces the first pages by a table of all.
import "../report/report.css";
import "./capture.css";
import { drawCurve } from "./curve";
import { unpack, type Capture } from "./data";
import { drawPyramid } from "./pyramid";
import { PageTable } from "./table";
import { drawTreemap } from "./treemap";

const FIGURES: [string, (capture: Capture, place: HTMLElement) => void][] = [
  ["pyramid", drawPyramid],
  ["curve", drawCurve],
  ["treemap", drawTreemap],
];

function drawAll(capture: Capture): void {
  for (const [id, drawFigure] of FIGURES) {
    const figure = document.getElementById(id);
    const place = figure?.querySelector<HTMLElement>(".canvas");
    if (!figure || !place) continue;
    const start = performance.now();
    drawFigure(capture, place);
    figure.dataset["drawn"] = String(Math.round(performance.now() - start));
  }
}

async function show(): Promise<void> {
  const text = document.getElementById("data")?.textContent;
  const place = document.getElementById("pages");
  if (!text) return;
  const capture = await unpack(text);
  const redraw = () => drawAll(capture);
  let width = 0;
  document.body.classList.add("scripted");
  if (place && capture.url) new PageTable(capture, capture.url, place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  matchMedia("print").addEventListener("change", redraw);
  // Also called at once, for the first drawing.
  new ResizeObserver(() => {
    if (width !== document.body.clientWidth) redraw();
    width = document.body.clientWidth;
  }).observe(document.body);
}

void show();
