// Requests that scripts make: answered by the archive, or not at all.
import type { Addresses } from "./place";
import { construct, method, property, remove, scope } from "./patch";

function patchFetch(addresses: Addresses): void {
  const NativeRequest = scope.Request;
  const prepare = (args: unknown[]): unknown[] => {
    const [input, init] = args as [unknown, RequestInit | undefined];
    const options = init?.integrity ? { ...init, integrity: "" } : init;
    if (typeof input === "string" || input instanceof URL)
      return [addresses.archived(input, "mp"), ...(options ? [options] : [])];
    return options ? [input, options] : [input];
  };
  method(scope, "fetch", (native) => function (...args: unknown[]) {
    return native.apply(scope, prepare(args));
  });
  if (NativeRequest) construct("Request", prepare);
  for (const type of ["Request", "Response"])
    property(scope[type]?.prototype, "url", (native) => addresses.live(native()), null);
}

function patchXhr(addresses: Addresses): void {
  const prototype = scope.XMLHttpRequest?.prototype;
  method(
    prototype,
    "open",
    (native) => function (this: XMLHttpRequest, verb: string, url: string | URL, ...rest: unknown[]) {
      return native.call(this, verb, addresses.archived(url, "mp"), ...(rest.length ? rest : [true]));
    },
  );
  property(prototype, "responseURL", (native) => addresses.live(native()), null);
}

// A socket that never opens: what a server said through one is in no archive.
class ClosedSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly CONNECTING = 0;
  readonly OPEN = 1;
  readonly CLOSING = 2;
  readonly CLOSED = 3;
  readyState = 0;
  readonly bufferedAmount = 0;
  readonly extensions = "";
  readonly protocol = "";
  binaryType = "blob";
  onopen: ((event: Event) => void) | null = null;
  onmessage: ((event: Event) => void) | null = null;
  onerror: ((event: Event) => void) | null = null;
  onclose: ((event: Event) => void) | null = null;
  readonly url: string;

  constructor(url: string | URL) {
    super();
    this.url = String(url);
    setTimeout(() => {
      this.readyState = 3;
      this.tell(new Event("error"), this.onerror);
      this.tell(new CloseEvent("close", { code: 1006 }), this.onclose);
    });
  }

  private tell(event: Event, handler: ((event: Event) => void) | null): void {
    handler?.call(this, event);
    this.dispatchEvent(event);
  }

  send(): void {}
  close(): void {}
}

// A worker gets this script first.
function patchWorkers(addresses: Addresses): void {
  const { origin, script, collection, time } = addresses.place;
  const wrap = (url: string, isModule: boolean): string => {
    const place = addresses.archived(url, "js");
    if (place.startsWith("blob:") || place.startsWith("data:")) return place;
    const settings = JSON.stringify({ origin, script, collection, time, url: addresses.live(place) });
    const start = `self.__stillpoint=${settings};`;
    const code = isModule
      ? [`data:text/javascript,${encodeURIComponent(start)}`, script, place]
          .map((from) => `import ${JSON.stringify(from)};`)
          .join("")
      : `${start}importScripts(${JSON.stringify(script)},${JSON.stringify(place)});`;
    return URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  };
  for (const name of ["Worker", "SharedWorker"])
    construct(name, ([url, options, ...rest]) => [
      wrap(String(url), options?.type === "module"),
      options,
      ...rest,
    ]);
  method(scope, "importScripts", (native) => function (...urls: string[]) {
    native.apply(scope, urls.map((url) => addresses.archived(url, "js")));
  });
}

export function installNetwork(addresses: Addresses): void {
  patchFetch(addresses);
  patchXhr(addresses);
  patchWorkers(addresses);
  construct("EventSource", ([url, ...rest]) => [addresses.archived(url, "mp"), ...rest]);
  construct("Audio", ([url, ...rest]) =>
    url === undefined ? [] : [addresses.archived(url, "im"), ...rest],
  );
  if (scope.WebSocket) scope.WebSocket = ClosedSocket;
  method(scope.Navigator?.prototype, "sendBeacon", () => () => true);
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "WebSocketStream"])
    remove(scope, name);
  for (const type of ["Navigator", "WorkerNavigator"]) {
    remove(scope[type]?.prototype, "serviceWorker");
    method(scope[type]?.prototype, "registerProtocolHandler", () => () => undefined);
  }
}
