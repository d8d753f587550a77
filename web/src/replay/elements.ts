// Properties and attributes of elements: scripts set live URLs and read them back; the element holds
// their places in the archive.
import { Markup, howOf } from "./markup";
import type { Addresses } from "./place";
import { method, property, scope } from "./patch";

const PROPERTIES: [string, string, string?][] = [
  ["HTMLAnchorElement", "href"],
  ["HTMLAreaElement", "href"],
  ["HTMLBaseElement", "href"],
  ["HTMLButtonElement", "formAction"],
  ["HTMLEmbedElement", "src"],
  ["HTMLFormElement", "action"],
  ["HTMLFrameElement", "src"],
  ["HTMLIFrameElement", "src"],
  ["HTMLIFrameElement", "srcdoc"],
  ["HTMLImageElement", "src"],
  ["HTMLImageElement", "srcset"],
  ["HTMLImageElement", "lowsrc"],
  ["HTMLImageElement", "currentSrc"],
  ["HTMLInputElement", "src"],
  ["HTMLInputElement", "formAction"],
  ["HTMLLinkElement", "href"],
  ["HTMLLinkElement", "imageSrcset"],
  ["HTMLLinkElement", "integrity"],
  ["HTMLLinkElement", "rel"],
  ["HTMLMediaElement", "src"],
  ["HTMLMediaElement", "currentSrc"],
  ["HTMLObjectElement", "data"],
  ["HTMLScriptElement", "src"],
  ["HTMLScriptElement", "integrity"],
  ["HTMLSourceElement", "src"],
  ["HTMLSourceElement", "srcset"],
  ["HTMLTrackElement", "src"],
  ["HTMLVideoElement", "poster"],
  ["HTMLAnchorElement", "ping"],
  ["HTMLAreaElement", "ping"],
];
const PARTS = ["protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"];

function patchProperties(addresses: Addresses, markup: Markup): void {
  for (const [type, name] of PROPERTIES)
    property(
      scope[type]?.prototype,
      name,
      (native) => {
        const value: unknown = native();
        return typeof value === "string" ? addresses.live(value) : value;
      },
      (native, value, self: Element) => {
        const text = markup.value(self.localName, name, String(value));
        if (text !== null) native(text);
      },
    );
}

// a.host and its like are those of the live URL.
function patchParts(addresses: Addresses): void {
  for (const type of ["HTMLAnchorElement", "HTMLAreaElement"]) {
    const prototype = scope[type]?.prototype;
    const href = prototype && Object.getOwnPropertyDescriptor(prototype, "href");
    if (!href?.get) continue;
    for (const part of PARTS) {
      const native = Object.getOwnPropertyDescriptor(prototype, part);
      if (!native?.configurable) continue;
      Object.defineProperty(prototype, part, {
        configurable: true,
        enumerable: true,
        get(this: HTMLAnchorElement) {
          try {
            return (new URL(this.href) as unknown as Record<string, string>)[part];
          } catch {
            return native.get?.call(this);
          }
        },
        set(this: HTMLAnchorElement, value: string) {
          try {
            const url = new URL(this.href);
            (url as unknown as Record<string, string>)[part] = value;
            this.href = addresses.live(url.href);
          } catch {
            native.set?.call(this, value);
          }
        },
      });
    }
  }
}

function patchAttributes(addresses: Addresses, markup: Markup): void {
  const prototype = scope.Element?.prototype;
  method(prototype, "setAttribute", (native) => function (this: Element, name: string, value: string) {
    const text = markup.value(this.localName, String(name), String(value));
    if (text !== null) native.call(this, name, text);
  });
  method(
    prototype,
    "setAttributeNS",
    (native) => function (this: Element, space: string | null, name: string, value: string) {
      const text = markup.value(this.localName, String(name), String(value));
      if (text !== null) native.call(this, space, name, text);
    },
  );
  method(prototype, "getAttribute", (native) => function (this: Element, name: string) {
    const value: string | null = native.call(this, name);
    return value !== null && howOf(this.localName, String(name)) ? addresses.live(value) : value;
  });
}

function patchMarkup(markup: Markup): void {
  for (const type of ["Element", "ShadowRoot"])
    property(scope[type]?.prototype, "innerHTML", null, (native, value, self: Element) =>
      native(self.localName === "style" ? markup.css(String(value)) : markup.html(String(value))),
    );
  property(scope.Element?.prototype, "outerHTML", null, (native, value) =>
    native(markup.html(String(value))),
  );
  method(
    scope.Element?.prototype,
    "insertAdjacentHTML",
    (native) => function (this: Element, where: string, text: string) {
      native.call(this, where, markup.html(String(text)));
    },
  );
  method(scope.Range?.prototype, "createContextualFragment", (native) => function (this: Range, text: string) {
    return native.call(this, markup.html(String(text)));
  });
  for (const name of ["write", "writeln"])
    method(scope.Document?.prototype, name, (native) => function (this: Document, ...text: string[]) {
      native.apply(this, text.map((piece) => markup.html(String(piece))));
    });
}

function patchStyles(markup: Markup): void {
  const declaration = scope.CSSStyleDeclaration?.prototype;
  method(
    declaration,
    "setProperty",
    (native) => function (this: CSSStyleDeclaration, name: string, value: string, priority?: string) {
      native.call(this, name, markup.css(String(value ?? "")), priority ?? "");
    },
  );
  for (const name of ["cssText", "background", "backgroundImage", "borderImage", "content", "cursor",
    "listStyle", "listStyleImage", "maskImage"])
    property(declaration, name, null, (native, value) =>
      native(typeof value === "string" ? markup.css(value) : value),
    );
  const sheet = scope.CSSStyleSheet?.prototype;
  for (const name of ["insertRule", "replace", "replaceSync"])
    method(sheet, name, (native) => function (this: CSSStyleSheet, text: string, ...rest: unknown[]) {
      return native.call(this, markup.css(String(text)), ...rest);
    });
}

// What came into the document by other ways: clones of inert documents, text of style elements.
function watch(markup: Markup): void {
  const setAttribute = Element.prototype.setAttribute;
  const check = (element: Element): void => {
    if (element.localName === "style") {
      const text = element.textContent ?? "";
      const changed = markup.css(text);
      if (changed !== text) element.textContent = changed;
    }
    for (const attribute of [...element.attributes]) {
      const how = howOf(element.localName, attribute.name);
      if (!how || how === "drop" || how === "rel") continue;
      const changed = markup.value(element.localName, attribute.name, attribute.value);
      if (changed !== null && changed !== attribute.value)
        setAttribute.call(element, attribute.name, changed);
    }
  };
  const checkAll = (node: Node): void => {
    if (!(node instanceof Element)) {
      if (node.parentElement?.localName === "style") check(node.parentElement);
      return;
    }
    check(node);
    for (const element of node.querySelectorAll("*")) check(element);
  };
  new MutationObserver((records) => {
    for (const record of records) {
      if (record.type === "attributes") check(record.target as Element);
      else record.addedNodes.forEach(checkAll);
    }
  }).observe(document, { childList: true, subtree: true, attributes: true });
}

export function installElements(addresses: Addresses): void {
  const markup = new Markup(addresses);
  watch(markup);
  patchProperties(addresses, markup);
  patchParts(addresses);
  patchAttributes(addresses, markup);
  patchMarkup(markup);
  patchStyles(markup);
}
