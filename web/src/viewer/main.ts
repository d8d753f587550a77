// Our page around an archived one: says in the banner how true the picture is, and goes where the
// frame wants to go. What comes from the archive, messages of the frame included, is never trusted:
// it is shown as text, and the banner speaks only of what this page itself has asked the frame to
// load.
import "./viewer.css";
import { describe, type Composite } from "./words";

interface Settings {
  collection: string; // path of the collection, "/NAME/"
  time: string; // the asked time: digits
  first: string; // its first and last instant, RFC 3339
  last: string;
  shown: string; // as people read it
  url: string;
}

function settingsOf(banner: HTMLElement): Settings {
  const { collection = "/", time = "", first = "", last = "", shown = "", url = "" } = banner.dataset;
  return { collection, time, first, last, shown, url };
}

// The only way to an address inside of the archive: what, "TIME/" or "composite/TIME/", of that URL.
// URLs come from the archive, messages of the frame included. The parser resolves everything that
// could lead up or aside (dots, escaped ones too, backslashes, tabs) before they are joined, and the
// joined address has to read the same after parsing: then nothing in it was resolved once more.
function placeOf(settings: Settings, what: string, url: unknown): string | null {
  if (typeof url !== "string" || url.length >= URL_MAX) return null;
  try {
    const live = new URL(url);
    if (live.protocol !== "http:" && live.protocol !== "https:") return null;
    const place = `${location.origin}${settings.collection}${what}/${live.href}`;
    return new URL(place).href === place ? place : null;
  } catch {
    return null;
  }
}

const URL_MAX = 16384;

function cell(row: HTMLTableRowElement, text: string): HTMLTableCellElement {
  const made = row.insertCell();
  made.textContent = text;
  return made;
}

function list(composite: Composite, settings: Settings): void {
  const details = document.querySelector<HTMLDetailsElement>("#resources");
  const body = details?.querySelector("tbody");
  if (!details || !body) return;
  for (const line of describe(composite, settings).lines) {
    const row = body.insertRow();
    row.className = line.certain ? "certain" : "uncertain";
    const link = document.createElement("a");
    const place = placeOf(settings, settings.time, line.url);
    if (place) link.href = place;
    link.textContent = line.url;
    cell(row, "").append(link);
    cell(row, line.memento);
    cell(row, line.known);
  }
  details.hidden = false;
}

async function explain(settings: Settings): Promise<void> {
  const status = document.querySelector<HTMLElement>("#verdict");
  if (!status) return;
  const place = placeOf(settings, `composite/${settings.time}`, settings.url);
  try {
    if (!place) throw new Error("no address");
    const answer = await fetch(place);
    if (!answer.ok) throw new Error(String(answer.status));
    const composite = (await answer.json()) as Composite;
    const words = describe(composite, settings);
    status.textContent = words.sentence;
    status.className = words.mood;
    list(composite, settings);
  } catch {
    // The sentence that the server wrote about the page alone stays.
    status.dataset["composite"] = "unknown";
  }
}

function same(a: string, b: string): boolean {
  try {
    const [x, y] = [new URL(a), new URL(b)];
    x.hash = y.hash = "";
    return x.href === y.href;
  } catch {
    return a === b;
  }
}

const MOVED = "stillpoint.moved";

const frame = (): HTMLIFrameElement | null => document.querySelector<HTMLIFrameElement>("#page");

// Wishes of the page that we have put into the frame: not of frames inside of it, nor of what stands
// in the frame when that page is gone.
function listen(event: MessageEvent<unknown>): void {
  const shown = frame();
  const banner = document.querySelector<HTMLElement>("#banner");
  if (!shown || !banner || event.source !== shown.contentWindow) return;
  if (event.origin !== new URL(shown.src).origin) return;
  if (typeof event.data !== "object" || event.data === null) return;
  const { stillpoint, url } = event.data as { stillpoint?: unknown; url?: unknown };
  const settings = settingsOf(banner);
  const place = placeOf(settings, settings.time, url);
  if (!place) return;
  if (stillpoint === "open") open(place, "_blank", "noopener");
  if (stillpoint === "go") location.assign(place);
  if (stillpoint === "at") moved(settings, String(url), place);
}

// A redirect led somewhere else. Once: a page that lies about where it is does not go round.
function moved(settings: Settings, url: string, place: string): void {
  if (same(url, settings.url) || sessionStorage.getItem(MOVED) === settings.url) return;
  sessionStorage.setItem(MOVED, url);
  location.replace(place);
}

// A page that goes on by itself, past the client script: the banner is not about it.
let loads = location.hash ? -1 : 0;
function count(event: Event): void {
  const note = document.querySelector<HTMLElement>("#moved");
  if (event.target === frame() && ++loads > 1 && note) note.hidden = false;
}

function start(): void {
  const banner = document.querySelector<HTMLElement>("#banner");
  const shown = frame();
  if (!banner || !shown) return;
  if (location.hash) shown.src += location.hash;
  void explain(settingsOf(banner));
}

// This script comes before the frame, so that nothing of it is missed.
addEventListener("message", listen);
document.addEventListener("load", count, true);
document.addEventListener("DOMContentLoaded", start);
