// Colours and fonts come from the style sheet, which knows whether it is light or dark or paper.
import type { Fate } from "./model";

export interface Theme {
  text: string;
  grid: string;
  paper: string;
  font: string;
  series: string[];
  fates: Record<Fate, string>;
}

const SERIES = 8;

export function readTheme(element: Element): Theme {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("quiet"),
    grid: colour("rule"),
    paper: colour("paper"),
    font: `12px ${style.fontFamily}`,
    series: Array.from({ length: SERIES }, (_, i) => colour(`series-${i}`)),
    fates: {
      sharp: colour("sharp"),
      changed: colour("changed"),
      hopeless: colour("hopeless"),
      planned: colour("sharp"),
    },
  };
}

// Where colours begin again, dashes tell series apart.
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

export function seriesColour(theme: Theme, index: number): string {
  return theme.series[index % SERIES] ?? theme.text;
}

export function seriesDash(index: number): number[] {
  return DASHES[Math.floor(index / SERIES) % DASHES.length] ?? [];
}
