// A table of all pages that holds only the rows in sight: a million of them scroll like fifty.
import { instant, verdictOf, type Capture } from "./data";
import { select, type Column, type Query } from "./rows";

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

  constructor(
    private readonly capture: Capture,
    place: HTMLElement,
  ) {
    this.rows = select(capture, this.query);
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
    let timer = 0;
    verdict.append(make("option", { value: "" }, "all verdicts"));
    for (const word of this.capture.verdicts) verdict.append(make("option", { value: word }, word));
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => this.ask({ text: search.value }), PAUSE);
    });
    verdict.addEventListener("change", () => this.ask({ verdict: verdict.value }));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.append(make("label", { for: "search" }, "Find in URLs"), search);
    form.append(make("label", { for: "verdict" }, "Verdict"), verdict);
    return form;
  }

  private head(): HTMLElement {
    const head = make("thead");
    const row = make("tr");
    for (const { column, title } of COLUMNS) {
      const cell = make("th", { scope: "col", "aria-sort": "none" });
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
    COLUMNS.forEach((each, i) => {
      const order = each.column !== column ? "none" : descending ? "descending" : "ascending";
      this.headings[i]?.setAttribute("aria-sort", order);
    });
    this.ask({ sort: column, descending });
  }

  private ask(change: Partial<Query>): void {
    this.query = { ...this.query, ...change };
    this.rows = select(this.capture, this.query);
    this.view.scrollTop = 0;
    this.update();
  }

  private update(): void {
    const all = this.capture.url.length;
    this.count.textContent = `${this.rows.length.toLocaleString("en")} of ${all.toLocaleString("en")} pages`;
    this.space.style.height = `${Math.min((this.rows.length + 1) * ROW, HEIGHT_MAX)}px`;
    this.show();
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
    const url = make("th", { scope: "row", class: "url", title: capture.url[page] ?? "" });
    const choose = make("button", { type: "button" }, capture.url[page]);
    choose.addEventListener("click", () => this.choose(page));
    url.append(choose);
    row.append(url, make("td", { class: `verdict ${verdict}` }, verdict));
    row.append(make("td", {}, String(capture.status[page] || "")));
    row.append(make("td", {}, instant(capture, capture.visitEnd[page] ?? -1)));
    row.append(make("td", {}, instant(capture, capture.revisitStart[page] ?? -1)));
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
    this.detail.replaceChildren(make("h3", { class: "url" }, this.capture.url[page]), list);
    if (this.capture.replay) this.detail.append(this.link(page, this.capture.replay));
    this.show();
  }

  private evidence(page: number): [string, string][] {
    const { capture } = this;
    const span = (from: number[], to: number[]) =>
      (from[page] ?? -1) < 0 ? "" : `${instant(capture, from[page]!)} to ${instant(capture, to[page]!)}`;
    const place = (file: number[], offset: number[]) =>
      (file[page] ?? -1) < 0 ? "" : `${capture.files[file[page]!]}, offset ${offset[page]}`;
    const compact = capture.revisitStatus[page] ? "with others, in a record of looks" : "";
    const visit = capture.visitDigest[page] ?? "";
    return [
      ["Verdict", [verdictOf(capture, page), capture.reason[page]].filter(Boolean).join(": ")],
      ["Evidence", capture.evidence[page] ?? ""],
      ["Visit", span(capture.visitStart, capture.visitEnd)],
      ["Visit, status", String(capture.status[page] || "")],
      ["Visit, record", place(capture.visitFile, capture.visitOffset)],
      ["Visit, digest", visit],
      ["Revisit", span(capture.revisitStart, capture.revisitEnd)],
      ["Revisit, status", String(capture.revisitStatus[page] || "")],
      ["Revisit, record", place(capture.revisitFile, capture.revisitOffset) || compact],
      ["Revisit, digest", capture.revisitDigest[page] ?? (capture.revisitStatus[page] ? visit : "")],
    ];
  }

  private link(page: number, replay: string): HTMLElement {
    const at = capture14(this.capture, page);
    const base = replay.endsWith("/") ? replay : `${replay}/`;
    const link = make("a", { href: `${base}${at}/${this.capture.url[page]}`, rel: "noreferrer" }, "See it in the replay");
    const line = make("p");
    line.append(link);
    return line;
  }
}

/** The still point, or the visit, as 14 digits. */
function capture14(capture: Capture, page: number): string {
  const at = capture.stillFrom >= 0 ? capture.stillFrom : (capture.visitEnd[page] ?? 0);
  return instant(capture, Math.max(at, 0)).replace(/\D/g, "").slice(0, 14);
}
