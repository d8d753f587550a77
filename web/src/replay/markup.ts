// References in text that scripts turn into elements or style sheets. A scanner, no parser: text may
// come in pieces (document.write) and stays as it is but for the references.
import type { Addresses, Kind } from "./place";

type How = Kind | "srcset" | "html" | "css" | "drop" | "rel";

const TABLE: Record<string, Record<string, How>> = {
  a: { href: "mp", "xlink:href": "mp", ping: "drop" },
  area: { href: "mp", ping: "drop" },
  audio: { src: "im" },
  base: { href: "mp" },
  body: { background: "im" },
  button: { formaction: "mp" },
  embed: { src: "mp" },
  feimage: { href: "im", "xlink:href": "im" },
  form: { action: "mp" },
  frame: { src: "mp" },
  iframe: { src: "mp", srcdoc: "html" },
  image: { href: "im", "xlink:href": "im" },
  img: { src: "im", srcset: "srcset", lowsrc: "im" },
  input: { src: "im", formaction: "mp" },
  link: { href: "cs", imagesrcset: "srcset", integrity: "drop", rel: "rel" },
  object: { data: "mp" },
  script: { src: "js", href: "js", "xlink:href": "js", integrity: "drop" },
  source: { src: "im", srcset: "srcset" },
  table: { background: "im" },
  td: { background: "im" },
  th: { background: "im" },
  track: { src: "im" },
  use: { href: "im", "xlink:href": "im" },
  video: { src: "im", poster: "im" },
};

export function howOf(element: string, attribute: string): How | undefined {
  const name = attribute.toLowerCase();
  return name === "style" ? "css" : TABLE[element.toLowerCase()]?.[name];
}

const TAG = /<([a-z][^\s/>]*)((?:[^"'>]|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'=<>`]+)/g;
const CSS_URL = /(url\(\s*)("[^"\n]*"|'[^'\n]*'|[^"'()\s]+)(\s*\))/gi;
const CSS_IMPORT = /(@import\s+)("[^"\n]*"|'[^'\n]*')/gi;
const CANDIDATE = /(^|,\s*|\s*,)([^\s,]\S*[^\s,])/g;
// The element that the server puts first into a document inside of an attribute: not the page's.
const CLIENT = /\bdata-url="?about:srcdoc"?\s+data-collection=/;
const HINT = /^(preconnect|dns-prefetch)$/i;

const unquote = (text: string): string => (/^["']/.test(text) ? text.slice(1, -1) : text);
const decode = (text: string): string =>
  text.replace(/&(amp|quot|lt|gt|#39);/g, (_, name: string) =>
    name === "amp" ? "&" : name === "quot" ? '"' : name === "lt" ? "<" : name === "gt" ? ">" : "'",
  );
const encode = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;");

export class Markup {
  constructor(private readonly addresses: Addresses) {}

  css(text: string): string {
    const quoted = (ref: string): string => {
      const old = unquote(ref);
      const place = this.addresses.archived(old, "im");
      return place === old ? ref : `"${place.replace(/["\\]/g, "\\$&")}"`;
    };
    return text
      .replace(CSS_URL, (_, open: string, ref: string, close: string) => open + quoted(ref) + close)
      .replace(CSS_IMPORT, (_, open: string, ref: string) => open + quoted(ref));
  }

  srcset(text: string): string {
    return text.replace(
      CANDIDATE,
      (_, before: string, url: string) => before + this.addresses.archived(url, "im"),
    );
  }

  rel(text: string): string {
    return text
      .split(/\s+/)
      .filter((word) => !HINT.test(word))
      .join(" ");
  }

  // An attribute's value as it is to be set; null: not at all.
  value(element: string, attribute: string, value: string): string | null {
    const how = howOf(element, attribute);
    switch (how) {
      case undefined:
        return value;
      case "drop":
        return null;
      case "rel":
        return this.rel(value);
      case "srcset":
        return this.srcset(value);
      case "css":
        return this.css(value);
      case "html":
        return this.html(value);
      default:
        return this.addresses.archived(value, how);
    }
  }

  html(text: string): string {
    return text.replace(TAG, (tag: string, name: string, attributes: string) => {
      if (name === "script" && CLIENT.test(attributes)) return tag;
      const changed = attributes.replace(
        ATTRIBUTE,
        (all: string, attribute: string, equals: string, quoted: string) => {
          const old = decode(unquote(quoted));
          const value = this.value(name, attribute, old);
          if (value === old) return all;
          if (value === null) return `data-stillpoint-${attribute}${equals}${quoted}`;
          return `${attribute}${equals}"${encode(value)}"`;
        },
      );
      return changed === attributes ? tag : `<${name}${changed}>`;
    });
  }
}
