// The pages of a capture as columns, as src/cmd/report_html_data.c writes them. Times are
// milliseconds since the start of the capture, -1 for what did not happen.

export interface Capture {
  /** When the capture started: milliseconds since 1970. */
  started: number;
  stillFrom: number;
  stillTo: number;
  /** Address at which the archive is served. */
  replay: string | null;
  verdicts: string[];
  files: string[];
  provenFrom: number[];
  provenTo: number[];
  url: string[];
  verdict: number[];
  evidence: (string | null)[];
  reason: (string | null)[];
  status: number[];
  revisitStatus: number[];
  visitStart: number[];
  visitEnd: number[];
  revisitStart: number[];
  revisitEnd: number[];
  rate: number[];
  visitFile: number[];
  visitOffset: number[];
  visitDigest: (string | null)[];
  revisitFile: number[];
  revisitOffset: number[];
  /** Null also where it is that of the visit. */
  revisitDigest: (string | null)[];
}

/** Unpacks base64 of gzip. It is in the page itself: nothing is requested. */
export async function unpack(text: string): Promise<Capture> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text()) as Capture;
}

/** An instant of the capture, to the millisecond. */
export function instant(capture: Capture, offset: number): string {
  return offset < 0 ? "" : new Date(capture.started + offset).toISOString();
}

export function verdictOf(capture: Capture, page: number): string {
  return capture.verdicts[capture.verdict[page] ?? -1] ?? "";
}
