// The rows of a report as columns, as table_pack of src/base/table.c writes them: of a capture all
// columns, of others some. Times are milliseconds since `started`, -1 for what did not happen.

export type Column = "url" | "verdict" | "status" | "visitEnd" | "revisitStart";

/** What is known over a span of time: counts for each of the verdicts, from each instant on. */
export interface Curve {
  at: number[];
  counts: number[][];
}

export interface Capture {
  /** Milliseconds since 1970. */
  started: number;
  /** End of the span of a curve. */
  ended?: number;
  /** Of the curve: all pages. */
  pages?: number;
  curve?: Curve;
  /** The still point, or the instant that the report is about. */
  stillFrom?: number;
  stillTo?: number;
  /** Address at which the archive is served. */
  replay?: string | null;
  /** Headings of columns that are called otherwise than in a capture. */
  titles?: Partial<Record<Column, string>>;
  /** By which column the table is sorted at first. */
  sort?: Column;
  verdicts: string[];
  /** Whether pages with each of the verdicts were captured. */
  captured?: boolean[];
  files?: string[];
  provenFrom?: number[];
  provenTo?: number[];
  url?: string[];
  verdict?: number[];
  evidence?: (string | null)[];
  reason?: (string | null)[];
  status?: number[];
  revisitStatus?: number[];
  visitStart?: number[];
  visitEnd?: number[];
  revisitStart?: number[];
  revisitEnd?: number[];
  /** Null where nothing was known. */
  rate?: (number | null)[];
  /** Columns that only people read. */
  more?: { title: string; values: string[] }[];
  visitFile?: number[];
  visitOffset?: number[];
  visitDigest?: (string | null)[];
  revisitFile?: number[];
  revisitOffset?: number[];
  /** Null also where it is that of the visit. */
  revisitDigest?: (string | null)[];
}

/** Unpacks base64 of gzip. It is in the page itself: nothing is requested. */
export async function unpack(text: string): Promise<Capture> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as Capture;
}

/** An instant of the capture, to the millisecond. */
export function instant(capture: Capture, offset = -1): string {
  return offset < 0 ? "" : new Date(capture.started + offset).toISOString();
}

export function verdictOf(capture: Capture, page: number): string {
  return capture.verdicts[capture.verdict?.[page] ?? -1] ?? "";
}
