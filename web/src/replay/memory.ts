// Cookies and storage: in memory only, for each collection and host. All documents that are shown
// together share them; nothing is sent, nothing is kept.
import type { Addresses } from "./place";
import { scope } from "./patch";

interface Cookie {
  value: string;
  path: string;
}

interface Memory {
  cookies: Map<string, Cookie>;
  stores: Map<string, Map<string, string>>;
}

const KEY = Symbol.for("stillpoint.memory");

// The outermost window that is replayed too; the one around it is not ours to see.
export function outermost(): Window {
  let found: Window = window;
  try {
    while (found.parent !== found && found.parent.location.href) found = found.parent;
  } catch {
    // The parent is of another origin.
  }
  return found;
}

function memoryOf(host: string): Memory {
  const owner = outermost() as unknown as Record<symbol, Map<string, Memory>>;
  const all = (owner[KEY] ??= new Map());
  let memory = all.get(host);
  if (!memory) all.set(host, (memory = { cookies: new Map(), stores: new Map() }));
  return memory;
}

function set(memory: Memory, text: string, url: URL): void {
  const [pair = "", ...attributes] = text.split(";");
  const at = pair.indexOf("=");
  const name = at < 0 ? "" : pair.slice(0, at).trim();
  const cookie = { value: pair.slice(at + 1).trim(), path: url.pathname.replace(/[^/]*$/, "") };
  let gone = false;
  for (const attribute of attributes) {
    const [key = "", value = ""] = attribute.split("=").map((part) => part.trim());
    switch (key.toLowerCase()) {
      case "path":
        if (value.startsWith("/")) cookie.path = value;
        break;
      case "max-age":
        gone = Number(value) <= 0;
        break;
      case "expires":
        gone ||= Date.parse(value) <= Date.now();
        break;
      case "httponly":
        return;
    }
  }
  if (gone) memory.cookies.delete(`${name}\n${cookie.path}`);
  else memory.cookies.set(`${name}\n${cookie.path}`, cookie);
}

function get(memory: Memory, url: URL): string {
  return [...memory.cookies]
    .filter(([, cookie]) => {
      const path = cookie.path.replace(/\/$/, "");
      return url.pathname === path || url.pathname.startsWith(`${path}/`);
    })
    .map(([key, cookie]) => {
      const name = key.split("\n")[0];
      return name ? `${name}=${cookie.value}` : cookie.value;
    })
    .join("; ");
}

// Looks like a Storage: methods, and the items as properties.
function storage(items: Map<string, string>): object {
  const methods: Record<string, unknown> = {
    getItem: (key: string) => items.get(String(key)) ?? null,
    setItem: (key: string, value: string) => void items.set(String(key), String(value)),
    removeItem: (key: string) => void items.delete(String(key)),
    clear: () => items.clear(),
    key: (index: number) => [...items.keys()][index] ?? null,
  };
  return new Proxy(Object.create(scope.Storage?.prototype ?? null) as object, {
    get: (_, key) =>
      key === "length"
        ? items.size
        : typeof key === "symbol"
          ? undefined
          : (methods[key] ?? items.get(key)),
    set: (_, key, value) => {
      items.set(String(key), String(value));
      return true;
    },
    has: (_, key) => items.has(String(key)) || String(key) in methods,
    deleteProperty: (_, key) => {
      items.delete(String(key));
      return true;
    },
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: (_, key) =>
      items.has(String(key))
        ? { value: items.get(String(key)), writable: true, enumerable: true, configurable: true }
        : undefined,
  });
}

export function installMemory(addresses: Addresses): void {
  const url = new URL(addresses.place.url);
  const memory = memoryOf(`${addresses.place.collection}\n${url.host}`);
  Object.defineProperty(Document.prototype, "cookie", {
    configurable: true,
    enumerable: true,
    get: () => get(memory, url),
    set: (text: string) => set(memory, String(text), url),
  });
  for (const name of ["localStorage", "sessionStorage"]) {
    let items = memory.stores.get(name);
    if (!items) memory.stores.set(name, (items = new Map()));
    const value = storage(items);
    Object.defineProperty(window, name, { configurable: true, enumerable: true, get: () => value });
  }
}
