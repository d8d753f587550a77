// Going somewhere else: links, scripts that set the location, window.open, history. The page around
// the frame (web/src/viewer) goes where the frame wants to go, so that its banner always speaks of
// what is shown.
import type { Addresses } from "./place";
import { method, property, scope } from "./patch";
import { outermost } from "./memory";

export type Message =
  | { stillpoint: "at"; url: string; time: string }
  | { stillpoint: "go"; url: string }
  | { stillpoint: "open"; url: string };

const TELL = Symbol.for("stillpoint.tell");

// The page around us listens to the outermost frame alone, so the others go through that one's
// function. False where there is no such page.
function tellAround(message: Message): boolean {
  if (window.parent === window) return false;
  window.parent.postMessage(message, "*"); // its origin is not known here, and the URL no secret
  return true;
}

function tell(message: Message): boolean {
  const outer = outermost() as unknown as Record<symbol, typeof tell | undefined>;
  return outer[TELL]?.(message) ?? false;
}

function open(addresses: Addresses, native: typeof window.open, url: string, target?: string, features?: string): Window | null {
  const place = addresses.archived(url || "about:blank", "mp");
  const live = addresses.live(place);
  if (/^https?:/.test(live) && tell({ stillpoint: "open", url: live })) return null;
  return native.call(window, place, target, features);
}

// Where a link or form with that target leads: this window, the outermost one, a new one, or a frame.
type Where = "here" | "outer" | "new" | "frame";

function whereOf(target: string): Where {
  const name = target.toLowerCase();
  if (name === "" || name === "_self") return "here";
  if (name === "_top" || name === "_parent") return outermost() === window ? "here" : "outer";
  if (name === "_blank") return "new";
  try {
    const frames = outermost().frames as unknown as Record<string, Window | undefined>;
    return frames[target] || scope.frames[target] ? "frame" : "new";
  } catch {
    return "new";
  }
}

function follow(addresses: Addresses, event: MouseEvent): void {
  const link = event
    .composedPath()
    .find((node) => node instanceof Element && /^(a|area)$/.test(node.localName)) as
    | HTMLAnchorElement
    | undefined;
  const href = link?.getAttribute("href") ?? link?.getAttribute("xlink:href");
  if (event.defaultPrevented || !link || !href || href.startsWith("#")) return;
  const live = addresses.live(addresses.archived(href, "mp"));
  if (!/^https?:/.test(live) || link.hasAttribute("download")) return;
  const where = whereOf(String(link.getAttribute("target") ?? ""));
  const fresh = where === "new" || event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1;
  if (fresh && tell({ stillpoint: "open", url: live })) event.preventDefault();
  else if (where === "outer" && tell({ stillpoint: "go", url: live })) event.preventDefault();
}

// Forms reach the outermost frame only as this one does.
function submit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  const target = event.submitter?.getAttribute("formtarget") ?? form.getAttribute("target") ?? "";
  if (whereOf(target) !== "frame" && whereOf(target) !== "here") form.setAttribute("target", "_self");
}

interface NavigateEvent extends Event {
  destination: { url: string; sameDocument: boolean };
  navigationType: string;
  formData: FormData | null;
  hashChange: boolean;
}

// Everything that leaves this document by a link, location or meta refresh passes here.
function navigate(addresses: Addresses, event: NavigateEvent): void {
  const { url, sameDocument } = event.destination;
  const live = addresses.live(url);
  if (sameDocument || event.hashChange || event.formData || event.navigationType === "traverse") return;
  if (event.navigationType === "reload" || !/^https?:/.test(live) || !event.cancelable) return;
  const isOurs = window === outermost();
  const place = addresses.archived(live, "mp");
  if (isOurs && tell({ stillpoint: "go", url: addresses.live(place) })) {
    event.preventDefault();
  } else if (place !== url && addresses.live(url) === url) {
    event.preventDefault();
    location.replace(place);
  }
}

function patchReads(addresses: Addresses): void {
  const document = scope.Document?.prototype;
  for (const name of ["URL", "documentURI", "referrer"])
    property(document, name, (native) => addresses.live(native()), null);
  property(document, "domain", () => new URL(addresses.base()).hostname, () => undefined);
  property(scope.Node?.prototype, "baseURI", (native) => addresses.live(native()), null);
  property(scope.MessageEvent?.prototype, "origin", (native) => {
    const origin: string = native();
    return origin === addresses.place.origin ? new URL(addresses.base()).origin : origin;
  }, null);
}

export function installNavigation(addresses: Addresses): void {
  if (window === outermost()) scope[TELL] = tellAround;
  method(window, "open", (native) => (url?: string | URL, target?: string, features?: string) =>
    open(addresses, native, String(url ?? ""), target, features),
  );
  for (const name of ["pushState", "replaceState"])
    method(scope.History?.prototype, name, (native) => function (this: History, state: unknown, title: string, url?: string | URL | null) {
      const place = url === undefined || url === null ? url : addresses.archived(url, "mp");
      native.call(this, state, title, place);
    });
  method(window, "postMessage", (native) => (message: unknown, target: unknown, ...rest: unknown[]) =>
    typeof target === "string" && /^https?:/.test(target)
      ? native.call(window, message, "*", ...rest)
      : native.call(window, message, target, ...rest),
  );
  window.addEventListener("click", (event) => follow(addresses, event));
  window.addEventListener("auxclick", (event) => follow(addresses, event));
  window.addEventListener("submit", submit, true);
  scope.navigation?.addEventListener("navigate", (event: NavigateEvent) => navigate(addresses, event));
  patchReads(addresses);
  if (window === outermost()) tellAround({ stillpoint: "at", url: addresses.place.url, time: addresses.place.time });
}
