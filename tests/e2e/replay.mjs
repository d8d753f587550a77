// replay.mjs MODULES CHROMIUM PLAYER URL: opens a page on which replaywebpage shows a page of an
// archive, waits for it, and prints as JSON what a person would see of it. URL is that of the
// archived page.
import { createRequire } from "node:module";

const [modules, executablePath, player, url] = process.argv.slice(2);
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
    // Whatever is not in the archive must not be there at all.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  ],
});

// The frame of the archived page, inside of those of the player. On a loaded machine the player may
// ask for its inner frame before its service worker answers, and does not ask again: then it is
// loaded once more, with twice the patience.
async function archivedFrame(page) {
  const end = Date.now() + DEADLINE;
  let patience = 10000;
  let again = Date.now() + patience;
  while (Date.now() < end) {
    const frame = page.frames().find((f) => f.url().endsWith(`mp_/${url}`));
    if (frame) return frame;
    if (Date.now() > again) {
      await page.reload({ timeout: DEADLINE });
      patience *= 2;
      again = Date.now() + patience;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no such frame: " + page.frames().map((f) => f.url()).join(" "));
}

try {
  const page = await browser.newPage();
  page.on("console", (message) => console.error(message.text()));
  page.on("pageerror", (error) => console.error(String(error)));
  await page.goto(player, { timeout: DEADLINE });
  const frame = await archivedFrame(page);
  await frame.waitForLoadState("load", { timeout: DEADLINE });
  const seen = await frame.evaluate(() => ({
    title: document.title,
    text: document.body.innerText,
    color: getComputedStyle(document.querySelector("h1")).color,
    images: [...document.images].map((image) => [image.naturalWidth, image.naturalHeight]),
  }));
  console.log(JSON.stringify(seen));
} finally {
  await browser.close();
}
