// report_html.mjs MODULES CHROMIUM FILE SEARCH PDF [OTHER…]: opens the report of a capture, with
// JavaScript and without, uses its table, prints it, opens the others, and prints as JSON what was
// seen.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [modules, executablePath, report, search, pdf, ...others] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const DEADLINE = 120000; // of a loaded machine

const browser = await chromium.launch({
  executablePath,
  timeout: DEADLINE,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
});

async function open(context, trouble, file = report) {
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  page.setDefaultTimeout(DEADLINE);
  page.on("console", (message) => trouble.push(message.text()));
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("dialog", (dialog) => trouble.push(dialog.message()));
  page.on("request", (request) =>
    request.url() !== url && !request.url().startsWith("blob:") && trouble.push(request.url()));
  await page.goto(url, { timeout: DEADLINE });
  return page;
}

// Runs in the page.
function look() {
  const text = (element) => element?.textContent.trim() ?? null;
  const ink = (canvas) => {
    const { width, height } = canvas;
    const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    let painted = 0;
    for (let i = 3; i < data.length; i += 4) painted += data[i] > 0;
    return painted;
  };
  const rows = (selector) =>
    [...document.querySelectorAll(`${selector} tbody tr`)].map((row) => [...row.cells].map(text));
  return {
    title: document.title,
    lead: text(document.querySelector(".lead")),
    strange: document.querySelectorAll("td b, th b, img, iframe, a[href^='javascript']").length,
    wide: document.documentElement.scrollWidth - innerWidth,
    figures: Object.fromEntries([...document.querySelectorAll("figure.drawing")].map((figure) => [
      figure.id, [...figure.querySelectorAll("canvas")].map(ink)[0] ?? null])),
    count: text(document.querySelector(".count")),
    first: rows("#first-pages"),
    links: [...document.querySelectorAll("#first-pages a")].map((link) => [link.href, link.rel]),
    shown: rows("table.pages"),
  };
}

async function useTable(page) {
  const rows = () => page.evaluate(() =>
    [...document.querySelectorAll("table.pages tbody tr")].map((row) => row.cells[0].textContent));
  const seen = {};
  await page.locator("table.pages thead button").first().click();
  seen.ascending = await rows();
  await page.locator("table.pages thead button").first().click();
  seen.descending = await rows();
  await page.locator(".view").focus();
  await page.keyboard.press("PageDown");
  await page.waitForFunction((before) =>
    document.querySelector("table.pages tbody th").textContent !== before, seen.descending[0]);
  seen.paged = await rows();
  await page.selectOption("#verdict", "changed");
  seen.changed = await page.textContent(".count");
  await page.selectOption("#verdict", "");
  await page.fill("#search", search);
  await page.waitForFunction(() => /^\d+ of/.test(document.querySelector(".count").textContent)
    && document.querySelectorAll("table.pages tbody tr").length === 1);
  seen.found = await rows();
  await page.locator("table.pages th.url button").first().press("Enter");
  seen.detail = Object.fromEntries(await page.evaluate(() =>
    [...document.querySelectorAll(".detail dt")].map((dt) =>
      [dt.textContent, dt.nextElementSibling.textContent])));
  seen.link = await page.getAttribute(".detail p a", "href");
  return seen;
}

async function audit(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run());
  return found.violations.filter((rule) => ["serious", "critical"].includes(rule.impact))
    .map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(" ")}`.slice(0, 400));
}

try {
  const seen = { trouble: [], audits: {} };
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(await browser.newContext({ colorScheme }), seen.trouble);
    await page.waitForSelector("body.scripted");
    await page.waitForSelector("figure[data-drawn]");
    seen[colorScheme] = await page.evaluate(look);
    if (colorScheme === "light") {
      await page.pdf({ path: pdf });
      seen.use = await useTable(page);
    }
    seen.audits[colorScheme] = await audit(page);
  }
  seen.others = [];
  for (const file of others) {
    const forms = {};
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(await browser.newContext({ colorScheme }), seen.trouble, file);
      await page.waitForSelector("figure[data-drawn]");
      forms[colorScheme] = await page.evaluate(look);
      forms[`${colorScheme}Audit`] = await audit(page);
      if (colorScheme === "light") forms.pdf = (await page.pdf()).length;
    }
    const page = await open(await browser.newContext({ javaScriptEnabled: false }), seen.trouble, file);
    forms.plain = await page.evaluate(look);
    seen.others.push(forms);
  }
  const plain = await open(await browser.newContext({ javaScriptEnabled: false }), seen.trouble);
  seen.plain = await plain.evaluate(look);
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
