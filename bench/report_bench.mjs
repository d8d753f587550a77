// report_bench.mjs MODULES CHROMIUM FILE: opens a report several times, and prints as JSON how long
// what took. Times are those of the browser itself; drawing is the processor time of its main thread
// when all figures are drawn again, divided as the figures divide its elapsed time.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, executablePath, file] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const OPENINGS = 3;
const DEADLINE = 120000;

const FIGURES = { pyramid: "intervals", curve: "curve", treemap: "directories" };

async function drawAgain(page) {
  const session = await page.context().newCDPSession(page);
  const busy = async () => (await session.send("Performance.getMetrics")).metrics
    .find((metric) => metric.name === "TaskDuration").value * 1000;
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await busy();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  const spent = await busy() - before;
  const drawn = await page.evaluate((ids) =>
    ids.map((id) => Number(document.getElementById(id).dataset.drawn)), Object.keys(FIGURES));
  const all = drawn.reduce((sum, each) => sum + each, 0) || 1;
  return Object.fromEntries(Object.values(FIGURES).map((name, i) =>
    [`drawing of the ${name}, ms`, spent * drawn[i] / all]));
}

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});
try {
  const seen = [];
  for (let i = 0; i < OPENINGS; i++) {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(DEADLINE);
    await page.goto(pathToFileURL(file).href, { waitUntil: "commit", timeout: DEADLINE });
    await page.waitForSelector("figure#pyramid[data-drawn]");
    await page.waitForSelector("table.pages tbody tr");
    const opened = await page.evaluate(() => ({
      "first screen, s": performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000,
      "table and figures there, s": performance.now() / 1000,
    }));
    seen.push({ ...opened, ...await drawAgain(page) });
    await page.context().close();
  }
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
