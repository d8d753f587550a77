// A table of all pages that holds only the rows in sight: a million of them scroll like fifty.
import { instant, verdictOf, type Capture, type Column } from "./data";
import { select, type Query } from "./rows";

const ROW = 30;
const ROWS = 18;
/** Browsers do not scroll farther than this many pixels reliably. */
const HEIGHT_MAX = 8_000_000;
const PAUSE = 150;

const COLUMNS: { column: Column; title: string }[] = [
  { column: "url", title: "URL" },
  { column: "verdict", title: "verdict" },
  { column: "status", title: "status" },
  { column: "visitEnd", title: "visit ended" },
  { column: "revisitStart", title: "revisit began" },
];

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  text = "",
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

export class PageTable {
  private query: Query = { text: "", verdict: "", sort: null, descending: false };
  private rows: Uint32Array;
  private chosen = -1;
  private readonly count = make("p", { class: "count", role: "status" });
  private readonly view = make("div", { class: "view", tabindex: "0", role: "region" });
  private readonly space = make("div", { class: "space" });
  private readonly table = make("table", { class: "pages" });
  private readonly body = make("tbody");
  private readonly detail = make("div", { class: "detail", "aria-live": "polite" });
  private readonly headings: HTMLTableCellElement[] = [];
  private readonly columns: { column: Column; title: string }[];

  constructor(
    private readonly capture: Capture,
    private readonly urls: string[],
    place: HTMLElement,
  ) {
    this.columns = COLUMNS.filter(({ column }) => capture[column]).map(({ column, title }) => ({
      column,
      title: capture.titles?.[column] ?? title,
    }));
    this.query.sort = capture.sort ?? null;
    this.rows = select(capture, urls, this.query);
    this.view.setAttribute("aria-label", "All pages");
    this.view.style.height = `${(ROWS + 1) * ROW}px`;
    this.table.append(this.head(), this.body);
    this.space.append(this.table);
    this.view.append(this.space);
    place.append(this.controls(), this.count, this.view, this.detail);
    this.view.addEventListener("scroll", () => this.show());
    this.view.addEventListener("keydown", (event) => this.key(event));
    this.update();
  }

  private controls(): HTMLElement {
    const form = make("form", { class: "controls", role: "search" });
    const search = make("input", { type: "search", id: "search" });
    const verdict = make("select", { id: "verdict" });
    const name = this.title("verdict");
    let timer = 0;
    verdict.append(make("option", { value: "" }, "all"));
    for (const [word, pages] of this.counts())
      verdict.append(make("option", { value: word }, `${word} (${pages.toLocaleString("en")})`));
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => this.ask({ text: search.value }), PAUSE);
    });
    verdict.addEventListener("change", () => this.ask({ verdict: verdict.value }));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(make("label", { for: "search" }, "Find in URLs"), search);
    form.append(make("label", { for: "verdict" }, capitalised(name)), verdict);
    return form;
  }

  private title(column: Column): string {
    return this.columns.find((each) => each.column === column)?.title ?? column;
  }

  /** Verdicts that there are, and their numbers of pages. */
  private counts(): [string, number][] {
    const counts = this.capture.verdicts.map(() => 0);
    for (const verdict of this.capture.verdict ?? []) counts[verdict]!++;
    return this.capture.verdicts.map((word, i): [string, number] => [word, counts[i]!]).filter(([, pages]) => pages > 0);
  }

  private head(): HTMLElement {
    const head = make("thead");
    const row = make("tr");
    for (const { column, title } of this.columns) {
      const cell = make("th", { scope: "col", "aria-sort": column === this.query.sort ? "ascending" : "none", class: `column-${column}` });
      const button = make("button", { type: "button" }, title);
      button.addEventListener("click", () => this.sort(column));
      cell.append(button);
      this.headings.push(cell);
      row.append(cell);
    }
    head.append(row);
    return head;
  }

  private sort(column: Column): void {
    const descending = this.query.sort === column && !this.query.descending;
    this.columns.forEach((each, i) => {
      const order = each.column !== column ? "none" : descending ? "descending" : "ascending";
      this.headings[i]?.setAttribute("aria-sort", order);
    });
    this.ask({ sort: column, descending });
  }

  private ask(change: Partial<Query>): void {
    this.query = { ...this.query, ...change };
    this.rows = select(this.capture, this.urls, this.query);
    this.view.scrollTop = 0;
    this.update();
  }

  private update(): void {
    const all = this.urls.length;
    const never = this.rows.reduce((sum, page) => sum + Number(this.isNever(page)), 0);
    this.count.textContent =
      `${this.rows.length.toLocaleString("en")} of ${all.toLocaleString("en")} pages` +
      (never ? `, ${never.toLocaleString("en")} of them never captured` : "");
    this.space.style.height = `${Math.min((this.rows.length + 1) * ROW, HEIGHT_MAX)}px`;
    this.show();
  }

  private isNever(page: number): boolean {
    return this.capture.captured?.[this.capture.verdict?.[page] ?? -1] === false;
  }

  /** First row in sight: beyond HEIGHT_MAX a pixel is more than its share of a row. */
  private first(): number {
    const hidden = this.rows.length - ROWS;
    const range = this.space.clientHeight - this.view.clientHeight;
    if (hidden <= 0 || range <= 0) return 0;
    return Math.min(Math.round((this.view.scrollTop / range) * hidden), hidden);
  }

  private show(): void {
    const first = this.first();
    const shown = [...this.rows.subarray(first, first + ROWS)];
    this.table.style.transform = `translateY(${this.view.scrollTop}px)`;
    this.table.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.body.replaceChildren(...shown.map((page, i) => this.row(page, first + i)));
  }

  private row(page: number, position: number): HTMLElement {
    const { capture } = this;
    const row = make("tr", { "aria-rowindex": String(position + 2) });
    const verdict = verdictOf(capture, page);
    const url = make("th", { scope: "row", class: "url", title: this.urls[page] ?? "" });
    const choose = make("button", { type: "button" }, this.urls[page]);
    choose.addEventListener("click", () => this.choose(page));
    url.append(choose);
    row.append(url, make("td", { class: `verdict ${verdict}` }, verdict));
    if (capture.status) row.append(make("td", { class: "status" }, String(capture.status[page] || "")));
    row.append(make("td", {}, instant(capture, capture.visitEnd?.[page])));
    row.append(make("td", {}, instant(capture, capture.revisitStart?.[page])));
    if (page === this.chosen) row.className = "chosen";
    return row;
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: ROWS, PageUp: -ROWS };
    const step = steps[event.key];
    if (step === undefined) return;
    const hidden = Math.max(this.rows.length - ROWS, 1);
    const range = this.space.clientHeight - this.view.clientHeight;
    event.preventDefault();
    this.view.scrollTop += (step * range) / hidden;
  }

  /** The evidence of one page. */
  private choose(page: number): void {
    const list = make("dl", { class: "facts" });
    this.chosen = page;
    for (const [name, value] of this.evidence(page)) {
      if (!value) continue;
      const cell = make("dd", {}, value);
      list.append(make("dt", {}, name), cell);
    }
    this.detail.replaceChildren(this.heading(this.urls[page] ?? ""), list);
    if (this.capture.replay) this.detail.append(this.link(page, this.capture.replay));
    this.show();
  }

  /** The page's URL, as a link to the live page. */
  private heading(url: string): HTMLElement {
    const heading = make("h3", { class: "url" });
    const isLink = /^https?:\/\//.test(url);
    heading.append(isLink ? make("a", { href: url, rel: "noreferrer noopener" }, url) : url);
    return heading;
  }

  private evidence(page: number): [string, string][] {
    const { capture } = this;
    const verdict = [verdictOf(capture, page), capture.reason?.[page]].filter(Boolean).join(": ");
    const first: [string, string][] = [
      [capitalised(this.title("verdict")), verdict],
      ["Evidence", capture.evidence?.[page] ?? ""],
    ];
    const more = (capture.more ?? []).map(({ title, values }): [string, string] => [capitalised(title), values[page] ?? ""]);
    return first.concat(capture.visitStart ? this.looks(page) : this.ends(page), more);
  }

  /** Of a page between two looks that are not a visit and a revisit. */
  private ends(page: number): [string, string][] {
    const { capture } = this;
    return [
      [capitalised(this.title("visitEnd")), instant(capture, capture.visitEnd?.[page])],
      ["Status then", String(capture.status?.[page] || "")],
      [capitalised(this.title("revisitStart")), instant(capture, capture.revisitStart?.[page])],
      ["Status then", String(capture.revisitStatus?.[page] || "")],
    ];
  }

  private looks(page: number): [string, string][] {
    const { capture } = this;
    const span = (from?: number[], to?: number[]) =>
      (from?.[page] ?? -1) < 0 ? "" : `${instant(capture, from?.[page])} to ${instant(capture, to?.[page])}`;
    const place = (file?: number[], offset?: number[]) =>
      (file?.[page] ?? -1) < 0 ? "" : `${capture.files?.[file![page]!]}, offset ${offset?.[page]}`;
    const again = capture.revisitStatus?.[page];
    const visit = capture.visitDigest?.[page] ?? "";
    return [
      ["Visit", span(capture.visitStart, capture.visitEnd)],
      ["Visit, status", String(capture.status?.[page] || "")],
      ["Visit, record", place(capture.visitFile, capture.visitOffset)],
      ["Visit, digest", visit],
      ["Revisit", span(capture.revisitStart, capture.revisitEnd)],
      ["Revisit, status", String(again || "")],
      ["Revisit, record", place(capture.revisitFile, capture.revisitOffset) || (again ? "with others, in a record of looks" : "")],
      ["Revisit, digest", capture.revisitDigest?.[page] ?? (again ? visit : "")],
      ["Change rate", frequency(capture.rate?.[page] ?? 0)],
    ];
  }

  private link(page: number, replay: string): HTMLElement {
    const at = capture14(this.capture, page);
    const base = replay.endsWith("/") ? replay : `${replay}/`;
    const link = make("a", { href: `${base}${at}/${this.urls[page]}`, rel: "noreferrer" }, "See it in the replay");
    const line = make("p");
    line.append(link);
    return line;
  }
}

/** The still point, or the visit, as 14 digits. */
function capture14(capture: Capture, page: number): string {
  const looks = [capture.stillFrom, capture.revisitStart?.[page], capture.visitEnd?.[page]];
  const at = looks.find((each) => each !== undefined && each >= 0) ?? 0;
  return instant(capture, at).replace(/\D/g, "").slice(0, 14);
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** "about once in 3 days" */
function frequency(rate: number): string {
  const units: [number, string][] = [[86_400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  if (rate <= 0) return "";
  const seconds = 1 / rate;
  const [unit, name] = units.find(([each]) => seconds >= each) ?? [1, "second"];
  const count = Number((seconds / unit).toPrecision(2));
  return `about once in ${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}
