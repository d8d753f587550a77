// Where in the archive this page is, and the two ways a URL can be written: live, as the page's
// scripts know it, and as its place in the archive, /NAME/TIME + kind + "_/" + URL.

export type Kind = "mp" | "im" | "js" | "cs";

export interface Place {
  readonly origin: string; // of the archive
  readonly script: string; // URL of this script
  readonly collection: string;
  readonly time: string;
  readonly url: string; // of the document or worker, live
}

const HTTP = /^https?:$/;
// What is left to the page: fragments, and schemes that HTTP does not fetch.
const OTHER = /^\s*(#|$|(?!https?:)[a-z][a-z0-9+.-]*:)/i;
const ARCHIVED = /^\/([^/]+)\/(\d{4,17})(?:[a-z]{2}_)?\/(.+)$/s;

const NativeURL = URL;

export class Addresses {
  constructor(
    readonly place: Place,
    private readonly archivedBase: () => string,
  ) {}

  // What relative references of the page's scripts are relative to.
  base(): string {
    const live = this.live(this.archivedBase());
    return /^https?:/.test(live) ? live : this.place.url;
  }

  // The URL that a place in the archive stands for; anything else as it is.
  live(url: string): string {
    const path = url.startsWith(this.place.origin) ? url.slice(this.place.origin.length) : url;
    const match = ARCHIVED.exec(path);
    if (!match || match[1] !== this.place.collection) return url;
    return match[3] as string;
  }

  private isPlace(url: string): boolean {
    return this.live(url) !== url;
  }

  // The place in the archive of what a reference names.
  archived(ref: string | URL, kind: Kind): string {
    const text = String(ref);
    if (OTHER.test(text) || this.isPlace(text.trim())) return text;
    try {
      let url = new NativeURL(text, this.base());
      // Made of the address that the browser shows: the host is ours, the rest the page's.
      if (url.origin === this.place.origin)
        url = new NativeURL(url.pathname + url.search + url.hash, this.base());
      if (!HTTP.test(url.protocol)) return text;
      const { origin, collection, time } = this.place;
      return `${origin}/${collection}/${time}${kind}_/${url.href}`;
    } catch {
      return text;
    }
  }
}
