// A canvas that fills the width of its place, in the pixels of the screen.

export interface Drawing {
  context: CanvasRenderingContext2D;
  /** In CSS pixels. */
  width: number;
  height: number;
}

/** Replaces what is in the place by a new canvas. */
export function draw(place: HTMLElement, height: number, paint: (drawing: Drawing) => void): void {
  const canvas = document.createElement("canvas");
  const ratio = devicePixelRatio || 1;
  const width = Math.max(place.clientWidth, 200);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(ratio, ratio);
  paint({ context, width, height });
  place.replaceChildren(canvas);
}

export function colour(name: string): string {
  return getComputedStyle(document.body).getPropertyValue(`--${name}`).trim();
}

/** Colours of the verdicts; those that the style sheet does not name share one. */
export function verdictColours(verdicts: string[]): string[] {
  const other = colour("hopeless");
  return verdicts.map((verdict) => colour(`verdict-${verdict}`) || other);
}

/** What the colours mean, above the drawing. */
export function legend(place: HTMLElement, entries: { name: string; colour: string }[]): void {
  const list = place.parentElement?.querySelector(".legend");
  list?.replaceChildren(
    ...entries.map(({ name, colour: css }) => {
      const entry = document.createElement("span");
      const sample = document.createElement("i");
      sample.style.background = css;
      entry.append(sample, name);
      return entry;
    }),
  );
}

/** "+3 min", from the still point, or from the start. */
export function span(milliseconds: number): string {
  const units: [number, string][] = [[86_400_000, "d"], [3_600_000, "h"], [60_000, "min"], [1000, "s"], [1, "ms"]];
  const size = Math.abs(milliseconds);
  const [unit, name] = units.find(([each]) => size >= each) ?? [1, "ms"];
  const sign = milliseconds > 0 ? "+" : milliseconds < 0 ? "−" : "";
  return `${sign}${(size / unit).toLocaleString("en", { maximumSignificantDigits: 3 })} ${name}`;
}

/** Round places for an axis. */
export function ticks(from: number, to: number, count: number): number[] {
  const raw = (to - from || 1) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? raw;
  const list: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) list.push(at);
  return list;
}

/** "05-31 12:00", or with the year or seconds where the span is long or short. */
function date(milliseconds: number, span: number): string {
  const text = new Date(milliseconds).toISOString();
  if (span > 30 * 86_400_000) return text.slice(0, 10);
  return span > 600_000 ? text.slice(5, 16).replace("T", " ") : text.slice(11, 23);
}

/** The axis below a drawing, in time from the zero point, or dates since a start. */
export function timeAxis({ context, width, height }: Drawing, from: number, to: number, zero: number, started?: number): void {
  const place = (at: number) => ((at - from) / (to - from || 1)) * width;
  context.fillStyle = colour("quiet");
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "bottom";
  for (const at of ticks(from - zero, to - zero, Math.max(width / 120, 2))) {
    const x = place(at + zero);
    context.textAlign = x < 30 ? "left" : x > width - 30 ? "right" : "center";
    context.fillText(started === undefined ? span(at) : date(started + at + zero, to - from), x, height);
  }
}
