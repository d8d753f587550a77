// Which pages the table shows, and in which order.
import { verdictOf, type Capture, type Column } from "./data";

export interface Query {
  text: string;
  /** Empty: all. */
  verdict: string;
  sort: Column | null;
  descending: boolean;
}

function compare(capture: Capture, urls: string[], column: Column): (a: number, b: number) => number {
  if (column === "url") {
    return (a, b) => (urls[a]! < urls[b]! ? -1 : urls[a]! > urls[b]! ? 1 : 0);
  }
  const values = capture[column] ?? [];
  return (a, b) => values[a]! - values[b]!;
}

/** Numbers of the pages. */
export function select(capture: Capture, urls: string[], query: Query): Uint32Array {
  const text = query.text.toLowerCase();
  const found = new Uint32Array(urls.length);
  let count = 0;
  for (let page = 0; page < urls.length; page++) {
    if (query.verdict && verdictOf(capture, page) !== query.verdict) continue;
    if (text && !urls[page]!.toLowerCase().includes(text)) continue;
    found[count++] = page;
  }
  const rows = found.subarray(0, count);
  if (query.sort) rows.sort(compare(capture, urls, query.sort));
  if (query.descending) rows.reverse();
  return rows;
}
