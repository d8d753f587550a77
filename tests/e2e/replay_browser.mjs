// replay_browser.mjs MODULES CHROMIUM PLACE LIVE STEADY BUSY: looks at the pages of replay_browser.py, framed at
// PLACE/URL and alone on the content origin, and prints as JSON what is there.
import { createRequire } from "node:module";

const [modules, executablePath, place, live, steady, busy] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const DEADLINE = 60000; // of a loaded machine

const browser = await chromium.launch({
  executablePath,
  timeout: DEADLINE,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
});

async function visit(url) {
  const context = await browser.newContext();
  context.setDefaultTimeout(DEADLINE);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

// The archived page, in its frame.
async function framed(path) {
  const page = await visit(`${place}/${live}${path}`);
  return [page, await (await page.waitForSelector("#page")).contentFrame()];
}

async function look(frame, page) {
  await frame.waitForFunction(() => window.seen?.done && window.innerLoaded);
  return {
    ...(await frame.evaluate(() => ({
      colour: getComputedStyle(document.querySelector("h1")).color,
      image: document.querySelector("#still").naturalWidth,
      inner: window.innerLoaded,
      service: window.innerService,
      seen: window.seen,
    }))),
    cookies: await page.context().cookies(),
  };
}

const pathOf = (url) => new URL(url).pathname + new URL(url).search;

// Goes on from a page; what the window shows then.
async function move(path, go, want, text) {
  const [page, frame] = await framed(path);
  if (go) await Promise.all([page.waitForURL((url) => url.href.endsWith(want)), go(frame)]);
  else await page.waitForURL((url) => url.href.endsWith(want));
  const inner = await (await page.waitForSelector("#page")).contentFrame();
  await inner.waitForFunction((wanted) => document.body?.innerText.includes(wanted), text);
  const result = { url: pathOf(page.url()), want, text, shown: (await inner.innerText("body")).trim() };
  await page.context().close();
  return result;
}

async function popup(page, go) {
  const [opened] = await Promise.all([page.context().waitForEvent("page"), go()]);
  await opened.waitForURL((url) => url.href.includes("next.html"));
  const url = pathOf(opened.url());
  await opened.close();
  return url;
}

const out = {};
const [plain, plainFrame] = await framed("/");
const content = new URL(plainFrame.url()).origin;
const alone = (path) => visit(`${content}${new URL(place).pathname}mp_/${live}${path}`);
out.framed = await look(plainFrame, plain);
const single = await alone("/");
out.alone = await look(single, single);

out.windows = {
  script: await popup(plain, () => plainFrame.evaluate((url) => void window.open(url), `${live}/next.html`)),
  link: await popup(plain, () => plainFrame.click("#fresh")),
  alone: await popup(single, () => single.evaluate((url) => void window.open(url), `${live}/next.html`)),
};

out.moves = {
  link: await move("/", (frame) => frame.click("#next"), "/next.html", "next page"),
  form: await move("/", (frame) => frame.click("#go"), "/search?q=milk", "found milk"),
  redirect: await move("/moved", null, "/next.html", "next page"),
  script: await move("/jump", null, "/next.html", "next page"),
};

async function tryWays(frame) {
  await frame.waitForFunction(() => window.tried);
  return frame.evaluate(() => !window.registered);
}
const [ways, waysFrame] = await framed("/ways");
const waysAlone = await alone("/ways");
out.ways = { framed: await tryWays(waysFrame), alone: await tryWays(waysAlone) };
await waysFrame.evaluate(() => window.leave()).catch(() => 0);
await waysAlone.evaluate(() => window.leave()).catch(() => 0);
await waysAlone.waitForURL((url) => url.href.endsWith("/way-top"));
out.ways.left = new URL(waysAlone.url()).origin !== content || !ways.url().startsWith(place);

const [control, hostile] = await framed("/hostile");
const sentence = await control.innerText("#verdict");
await hostile.waitForFunction(() => window.found?.done);
out.hostile = {
  found: await hostile.evaluate(() => window.found),
  workers: control.context().serviceWorkers().length,
  still: (await control.innerText("#verdict")) === sentence && control.url().endsWith("/hostile"),
};

// Raw mementos, each in a tab, which stays: what it asks for late is heard, too. The page that a raw
// redirect becomes has a link.
const rawPlace = place + "id_";
for (const path of ["/ways", "/ways.svg", "/ways.xml", "/ways.xhtml", "/none"]) await visit(`${rawPlace}/${live}${path}`);
const away = await visit(`${rawPlace}/${live}/away`);
out.raw = { shown: away.url().startsWith(rawPlace), away: await away.getAttribute("main a", "href") };

// Everything that a tab, and the tabs that it opens, ask of a window for themselves.
function hear(page, asked) {
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame().parentFrame() === null) asked.push(pathOf(request.url()));
  });
  page.context().on("page", (opened) => asked.push(pathOf(opened.url())));
}

// When the tab is there. A navigation before it may be cut off by the next one, and is no failure.
function arrival(page, end) {
  return new Promise((resolve) => page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame() && frame.url().endsWith(end)) resolve();
  }));
}

// What a hostile page sends, and then an honest wish: when that is granted, all before it was heard.
const evil = `${new URL(place).pathname.split("/")[2]}id_/${live}/way-raw`;
const hostileUrls = [
  `http://x/../../../../${evil}`, `http://x/..\\..\\..\\..\\${evil}`, `http://x/%2e%2e/.%2E/%2e./../${evil}`,
  `http://x/.\t./.\n./../../${evil}`, `http://../../../../${evil}`, `http:\\\\..\\..\\..\\${evil}`,
  `http://x/../../../other/2026/http://x/`, `http://x/../../../shop/2026/http://x/`, `\u0001http://x/../../${evil}`,
  `http://%2e%2e/%2e%2e/%2e%2e/${evil}`, `https:../../../${evil}`, `http:/../../${evil}`, `//x/../../${evil}`, `../${evil}`,
  `javascript:alert(1)`, `data:text/html,x`, `blob:${live}/x`, `file:///etc/passwd`, `http://[`, "", null, 7,
  "http://x/" + "../".repeat(8000),
];
const messages = [];
for (const kind of ["go", "open", "at"]) {
  // The others leave the page, so that the next message would not be heard.
  for (const urls of kind === "open" ? [hostileUrls] : hostileUrls.map((url) => [url])) {
    const [page, frame] = await framed("/next.html");
    await frame.waitForSelector("#here");
    hear(page, messages);
    await Promise.all([
      arrival(page, "/next.html?honest"),
      frame.evaluate(([kind, urls, honest]) => {
        for (const url of urls) parent.postMessage({ stillpoint: kind, url }, "*");
        parent.postMessage({ stillpoint: "go", url: honest }, "*");
      }, [kind, urls, `${live}/next.html?honest`]),
    ]);
    await page.context().close();
  }
}
out.messages = { asked: messages };

const nestedMoves = [];
const inner = (page) => page.frames().find((frame) => frame.parentFrame()?.parentFrame());
async function nested() {
  const [page, frame] = await framed("/nested");
  await frame.waitForSelector("iframe");
  while (!inner(page)) await page.waitForEvent("frameattached");
  await inner(page).waitForSelector("#top");
  return [page, frame];
}
const [nest, nestFrame] = await nested();
hear(nest, nestedMoves);
await inner(nest).evaluate((url) => {
  for (const stillpoint of ["go", "open", "at"]) parent.parent.postMessage({ stillpoint, url }, "*");
}, `${live}/main.css`);
// Messages of one frame come in order; of two, the second is sent when the first were handled.
await nest.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
await Promise.all([
  nest.waitForURL((url) => url.href.endsWith("/next.html")),
  nestFrame.evaluate((url) => parent.postMessage({ stillpoint: "go", url }, "*"), `${live}/next.html`),
]);
out.nested = { moved: nestedMoves };
const [top] = await nested();
await Promise.all([top.waitForURL((url) => url.href.endsWith("/next.html")), inner(top).click("#top")]);
out.nested.top = pathOf(top.url());
const [opener] = await nested();
out.nested.fresh = await popup(opener, () => inner(opener).click("#fresh"));

const [past] = await framed("/past");
await past.waitForSelector("#moved:not([hidden])");
out.moved = await past.isVisible("#moved");

const alerts = [];
const title = await visit(`${place}/${live}/title?%3Cb%3Ex%3C/b%3E`);
title.on("dialog", (dialog) => alerts.push(dialog.message()));
out.text = {
  bold: await title.locator("#banner b").count(),
  box: decodeURIComponent(await title.inputValue("[name=url]")),
  alerts,
};

// The sentence comes when the composite is known.
const verdict = async (page) => (await page.waitForSelector("#verdict[class]")).innerText();
out.blurred = await verdict(plain);
const shop = await visit(new URL("/shop/", place).href);
await shop.click("tbody a");
out.shop = {
  verdict: await verdict(shop),
  mood: await shop.getAttribute("#verdict", "class"),
  lines: await shop.$$eval("#resources tbody td:last-child", (cells) => cells.map((cell) => cell.textContent)),
};
const shopFrame = await (await shop.waitForSelector("#page")).contentFrame();
await shopFrame.waitForFunction(() => document.querySelector("img")?.naturalWidth);
out.shop.image = await shopFrame.$eval("img", (image) => image.naturalWidth);
const instant = shop.url().split("/")[4];
await Promise.all([shop.waitForURL(/terms$/), shopFrame.click("a", { force: true })]);
const terms = await (await shop.waitForSelector("#page")).contentFrame();
out.shop.terms = await (await terms.waitForSelector("p")).innerText();
out.shop.same = shop.url().split("/")[4] === instant;

// The price list, and the terms that its link leads to.
async function pair(address) {
  const page = await visit(new URL(address, place).href);
  const paragraph = async () => {
    const frame = await (await page.waitForSelector("#page")).contentFrame();
    return [await (await frame.waitForSelector("p")).innerText(), frame];
  };
  const [prices, frame] = await paragraph();
  const verdicts = [await verdict(page)];
  await Promise.all([page.waitForURL(/terms$/), frame.click("a")]);
  const [terms] = await paragraph();
  verdicts.push(await verdict(page));
  await page.context().close();
  return { prices, terms, verdicts };
}
out.pairs = {
  still: await pair(`/shop/${instant}/${steady}/prices`),
  plain: await pair(`/plain/${busy}/prices`),
};

const box = await visit(new URL("/shop/", place).href);
await box.fill("[name=q]", "edition");
await Promise.all([box.waitForURL(/search/), box.press("[name=q]", "Enter")]);
out.search = {
  marked: await box.$$eval("mark", (marks) => marks.map((mark) => mark.textContent)),
  time: await box.innerText("main > .quiet"),
};
await box.click(".hits a");
const hit = await (await box.waitForSelector("#page")).contentFrame();
out.search.shown = await (await hit.waitForSelector("p")).innerText();

const calendar = await visit(`${place.replace(/[^/]*$/, "*")}/${live}/next.html`);
out.calendar = {
  links: await calendar.$$eval(".months a", (links) => links.map((link) => link.getAttribute("href"))),
  caption: await calendar.innerText("caption"),
};

// Our own pages on a small screen: nothing to complain of for the browser, and nothing cut off. What
// is asked, but for the page in the frame, when all of it is there.
async function ours(path) {
  const context = await browser.newContext({ viewport: { width: 360, height: 640 } });
  context.setDefaultTimeout(DEADLINE);
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("response", (answer) => {
    if (answer.status() >= 400) said.push(`${answer.status()} ${pathOf(answer.url())}`);
  });
  await page.goto(new URL(path, place).href);
  const shown = await page.$("#page");
  const sentence = shown && (await verdict(page));
  if (shown && path.startsWith("/x/")) await (await shown.contentFrame()).waitForFunction(() => window.seen?.done);
  const found = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    mains: document.querySelectorAll("main").length,
    headings: document.querySelectorAll("h1").length,
    icon: Boolean(document.querySelector("link[rel=icon]")),
  }));
  const heard = [...said]; // to close it breaks off what its scripts still do
  await context.close();
  return { said: heard, ...found, ...(sentence && { verdict: sentence }) };
}
out.ours = {};
for (const path of ["/", "/shop/", "/shop/start", "/shop/pages?all=1", "/shop/search?q=edition",
  `/shop/*/${steady}/`, `/shop/${steady}/`, "/x/", "/x/start", "/x/pages"])
  out.ours[path] = await ours(path);

await browser.close();
console.log(JSON.stringify(out));
