// The first script of every replayed page and worker: what the server cannot rewrite, because the
// page's own scripts make it, is rewritten here. It is help, not a wall: a page that works around it
// meets the server's policies. docs/replay.md says what is not covered.
import { installElements } from "./elements";
import { installMemory } from "./memory";
import { installNavigation } from "./navigation";
import { installNetwork } from "./network";
import { Addresses, type Place } from "./place";
import { scope } from "./patch";

function pagePlace(script: HTMLScriptElement): Place {
  const { url = "", collection = "", time = "" } = script.dataset;
  // A document inside of another one has no address of its own.
  const own = url === "about:srcdoc" ? document.referrer || url : url;
  return { origin: scope.origin, script: script.src, collection, time, url: own };
}

function startPage(script: HTMLScriptElement): void {
  const base = Object.getOwnPropertyDescriptor(Node.prototype, "baseURI")?.get;
  const place = pagePlace(script);
  const addresses = new Addresses(place, () => String(base?.call(document) ?? place.url));
  script.remove();
  installNetwork(addresses);
  installElements(addresses);
  if (!/^https?:/.test(place.url)) return;
  installMemory(addresses);
  installNavigation(addresses);
}

function startWorker(place: Place): void {
  delete scope.__stillpoint;
  installNetwork(new Addresses(place, () => place.url));
}

if (scope.document?.currentScript) startPage(scope.document.currentScript as HTMLScriptElement);
else if (scope.__stillpoint) startWorker(scope.__stillpoint as Place);
