// simulate_html.mjs MODULES CHROMIUM FILE…: opens each page, with JavaScript and without, and prints
// as JSON what is there: what it asked for or complained about, its plots and its tables.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, executablePath, ...files] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");

const DEADLINE = 120000; // of a loaded machine

const browser = await chromium.launch({
  executablePath,
  timeout: DEADLINE,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage", // it is small in containers
  ],
});

// Runs in the page.
function look() {
  const ink = (canvas) => {
    const { width, height } = canvas;
    const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    let painted = 0;
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] === 0) continue;
      painted++;
      if (data[i + 3] === 255) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
    }
    return { painted, colours: colours.size };
  };
  const text = (element) => element.textContent.trim();
  return {
    title: document.title,
    heading: text(document.querySelector("h1")),
    command: text(document.querySelector("code")),
    bold: document.querySelectorAll("td b, th b, img").length,
    wide: document.documentElement.scrollWidth - innerWidth,
    figures: [...document.querySelectorAll("figure.plot")].map((figure) => ({
      caption: text(figure.querySelector("figcaption")),
      name: figure.querySelector("[role=img]")?.getAttribute("aria-label"),
      drawn: figure.dataset.drawn ?? null,
      data: JSON.parse(figure.querySelector("script").textContent),
      legend: [...figure.querySelectorAll(".u-series")].length,
      ...[...figure.querySelectorAll("canvas")].map(ink)[0],
    })),
    tables: [...document.querySelectorAll(".scroll > table")].map((table) => ({
      caption: text(table.caption),
      rows: [...table.querySelectorAll("tbody tr")].map((row) => [...row.cells].map(text)),
    })),
  };
}

async function open(file, context) {
  const page = await context.newPage();
  const trouble = [];
  const url = pathToFileURL(file).href;
  page.on("console", (message) => trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("dialog", (dialog) => trouble.push(dialog.message()));
  page.on("request", (request) => request.url() !== url && trouble.push(request.url()));
  await page.goto(url, { timeout: DEADLINE });
  const seen = await page.evaluate(look);
  await page.close();
  return { ...seen, trouble };
}

try {
  const scripted = await browser.newContext({ colorScheme: "dark" });
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const pages = [];
  for (const file of files)
    pages.push({
      scripted: await open(file, scripted),
      plain: await open(file, plain),
    });
  console.log(JSON.stringify(pages));
} finally {
  await browser.close();
}
