// What a plot is, as lab/pages/plot.c writes it into a page. Numbers that do not exist are null.

export interface Series {
  name: string;
  /** Which colour of the palette: series that belong together share one. */
  colour: number;
  /** A line with points, or hollow points alone: what somebody else has printed. */
  style: "line" | "points";
  values: (number | null)[];
  /** Ends of the intervals of confidence, or nothing. */
  low: (number | null)[] | null;
  high: (number | null)[] | null;
}

/** Series over numbers. */
export interface Lines {
  kind: "lines";
  x: { label: string; log: boolean; values: number[] };
  y: { label: string; log: boolean };
  series: Series[];
}

/** Named figures below each other, with their intervals. */
export interface Forest {
  kind: "forest";
  x: { label: string; zero: boolean };
  rows: {
    name: string;
    value: number | null;
    low: number | null;
    high: number | null;
    printed: number | null;
  }[];
}

/** From visit to revisit, around the still point; then what became of the page. */
export type Bar = [number, number, Fate];
export type Fate = "sharp" | "changed" | "hopeless" | "planned";

/** Pages in the order of their visits. */
export interface Pyramid {
  kind: "pyramid";
  x: { label: string };
  bars: Bar[];
}

export type Plot = Lines | Forest | Pyramid;
