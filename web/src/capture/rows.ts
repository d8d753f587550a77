// Which pages the table shows, and in which order.
import { verdictOf, type Capture } from "./data";

export type Column = "url" | "verdict" | "status" | "visitEnd" | "revisitStart";

export interface Query {
  text: string;
  /** Empty: all. */
  verdict: string;
  sort: Column | null;
  descending: boolean;
}

function compare(capture: Capture, column: Column): (a: number, b: number) => number {
  if (column === "url") {
    const urls = capture.url;
    return (a, b) => (urls[a]! < urls[b]! ? -1 : urls[a]! > urls[b]! ? 1 : 0);
  }
  const values = capture[column];
  return (a, b) => values[a]! - values[b]!;
}

/** Numbers of the pages. */
export function select(capture: Capture, query: Query): Uint32Array {
  const text = query.text.toLowerCase();
  const found = new Uint32Array(capture.url.length);
  let count = 0;
  for (let page = 0; page < capture.url.length; page++) {
    if (query.verdict && verdictOf(capture, page) !== query.verdict) continue;
    if (text && !capture.url[page]!.toLowerCase().includes(text)) continue;
    found[count++] = page;
  }
  const rows = found.subarray(0, count);
  if (query.sort) rows.sort(compare(capture, query.sort));
  if (query.descending) rows.reverse();
  return rows;
}
