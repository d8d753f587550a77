#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "proof/composite.h"
#include "proof/ranking.h"
#include "proof/tally.h"
#include "report/report_print.h"
#include "report/report_words.h"

enum {
	NAME_WIDTH = 52,  /* of a URL in a table */
	DIRECTORIES = 10, /* rows of each table */
	HOTTEST = 10,
	SPOILERS = 5,
	REASONS = 8,
	FILES = 10,
};

static void print_label(FILE *file, const char *label)
{
	(void)fprintf(file, "%-13s", label);
}

static void print_duration(FILE *file, int64_t from, int64_t to)
{
	char text[TEXT_DURATION_SIZE];
	double seconds = clock_seconds(to - from);

	if (seconds < 1) {
		(void)fprintf(file, " (%.3f s)\n", seconds);
		return;
	}
	text_duration(seconds, text);
	(void)fprintf(file, " (%s)\n", text);
}

static void print_times(const struct report *r, FILE *file)
{
	char started[CLOCK_TEXT_SIZE], finished[CLOCK_TEXT_SIZE];

	print_label(file, "time");
	clock_format(r->capture.started, CLOCK_ROUND_DOWN, started);
	if (!r->capture.finished) {
		(void)fprintf(file, "since %s\n", started);
		return;
	}
	clock_format(r->capture.finished, CLOCK_ROUND_UP, finished);
	(void)fprintf(file, "%s to %s", started, finished);
	print_duration(file, r->capture.started, r->capture.finished);
}

static void print_head(const struct report *r, FILE *file)
{
	char ending[REPORT_WORDS_SIZE], headline[REPORT_WORDS_SIZE], claim[REPORT_WORDS_SIZE];
	char window[REPORT_WORDS_SIZE];
	bool is_judged = report_is_judged(r);

	report_ending(r, ending);
	report_headline(r, headline);
	report_claim(r, claim);
	if (is_judged)
		(void)fputs("Judged from ", file);
	else
		(void)fprintf(file, "Capture %" PRIu32 " of ", r->capture.id);
	text_name(file, r->capture.site, 0);
	(void)fprintf(
		file, "%s%s\n\n%s\n", is_judged ? "" : ": ", is_judged ? "" : ending, headline);
	text_wrap(file, claim);
	(void)putc('\n', file);
	if (!is_judged) {
		print_label(file, "strategy");
		text_name(file, r->capture.strategy, 0);
		(void)fputs(r->capture.single ? ", visits only\n" : "\n", file);
	}
	print_times(r, file);
	if (r->capture.single)
		return;
	report_window(r, window);
	print_label(file, "still point");
	(void)fprintf(file, "%s\n", window);
}

/* How the harvest rate of a crawl with a topic went: after a tenth, a quarter, half of the visits.
 */
static void print_topic(const struct report *r, FILE *file)
{
	const size_t half = HARVEST_STEPS / 2 - 1;
	struct harvest h = harvest_count(r);

	if (h.judged == 0)
		return;
	(void)fprintf(file,
		"\ntopic      %" PRIu64 " of %" PRIu64 " pages that were read are on it",
		h.on_topic, h.judged);
	if (h.judged >= HARVEST_STEPS)
		(void)fprintf(file, "; %.0f %% after a tenth of the visits, %.0f %% after half",
			100 * (double)h.found[0] / (double)h.visited[0],
			100 * (double)h.found[half] / (double)h.visited[half]);
	(void)fprintf(
		file, "; %" PRIu64 " left for lack of promise\n", r->left_out[LEFT_OUT_TOPIC]);
}

/* One line for each reason, the most frequent first come as they are listed. */
static void print_left_out(const struct report *r, FILE *file)
{
	uint64_t all = 0;

	for (int i = 0; i < LEFT_OUT_COUNT; i++)
		all += i == LEFT_OUT_SCOPE ? 0 : r->left_out[i];
	if (all > 0)
		(void)fputs("\nleft out\n", file);
	for (int i = 0; i < LEFT_OUT_COUNT; i++)
		if (r->left_out[i] && i != LEFT_OUT_SCOPE)
			(void)fprintf(file, "%9" PRIu64 "  %s\n", r->left_out[i],
				left_out_meaning((enum left_out)i));
	if (r->soft_404)
		(void)fprintf(file,
			"\n%" PRIu64 " pages are soft 404s: they say 'not found' with another "
			"status; their links were not followed\n",
			r->soft_404);
}

/* A row of the totals, without a percentage for pages that were not captured. */
static void print_total(const struct report *r, enum verdict v, FILE *file)
{
	uint64_t pages = r->totals[v] - (v == VERDICT_EXCLUDED ? r->out_of_scope : 0);

	if (pages == 0)
		return;
	(void)fprintf(file, "%-13s%9" PRIu64, verdict_name(v), pages);
	if (verdict_is_captured(v))
		(void)fprintf(file, "  %5.1f %%  %s\n", report_percent(pages, r->captured),
			report_meaning(v));
	else
		(void)fprintf(file, "           %s\n", report_meaning(v));
}

static void print_totals(const struct report *r, FILE *file)
{
	uint64_t links = r->left_out[LEFT_OUT_SCOPE];

	(void)fprintf(file, "\n%-13s%9s\n", "verdict", "pages");
	for (int i = 0; i < VERDICT_COUNT; i++)
		if (verdict_is_captured((enum verdict)i))
			print_total(r, (enum verdict)i, file);
	(void)fprintf(file, "%-13s%9" PRIu64 "\n", "captured", r->captured);
	for (int i = 0; i < VERDICT_COUNT; i++)
		if (!verdict_is_captured((enum verdict)i))
			print_total(r, (enum verdict)i, file);
	if (r->not_captured)
		(void)fprintf(file, "%-13s%9" PRIu64 "\n", "not captured", r->not_captured);
	if (links == 0)
		return;
	(void)fprintf(file, "\nLinks outside the scope, not captured: %" PRIu64, links);
	if (r->unkept)
		(void)fprintf(file, " (%" PRIu64 " of them counted each time they were found)",
			r->unkept);
	(void)putc('\n', file);
}

/* What the claim rests on where it is more than bytes. */
static void print_evidence(const struct report *r, FILE *file)
{
	/* A site that loses pages does not get less sharp by that. */
	if (r->vanished)
		(void)fprintf(file,
			"\nAbsent pages that were there in an earlier capture: %" PRIu64
			". Of the other captured pages %.1f %% are sharp.\n",
			r->vanished,
			report_percent(r->totals[VERDICT_SHARP], r->captured - r->vanished));
	if (r->sharp_normalised)
		(void)fprintf(file,
			"\nSharp byte for byte: %" PRIu64
			"; after rules against noise (version %u): %" PRIu64 ".\n\n%-*s%9s%9s\n",
			r->sharp_bytes, r->rule_set, r->sharp_normalised, NAME_WIDTH,
			"rules that acted", "pages", "times");
	for (size_t i = 0; r->sharp_normalised && i < r->rules.len; i++) {
		const struct acted_rule *rule = &r->rules.ptr[i];

		(void)fprintf(file, "%-*.*s%9" PRIu64 "%9" PRIu64 "\n", NAME_WIDTH,
			(int)rule->name.len, rule->name.ptr, rule->pages, rule->count);
	}
	if (r->changed_inside) /* what readers do not see */
		(void)fprintf(file,
			"\nChanged in code or style only; text, links and structure the same: "
			"%" PRIu64 ".\n",
			r->changed_inside);
	if (r->on_rule_set_1)
		(void)fprintf(file,
			"\nSharp pages that rest on rule set version 1, which was too lenient: "
			"%" PRIu64 ". 'stillpoint verify' compares them again.\n",
			r->on_rule_set_1);
}

/* The instant that most proven intervals contain, where it is more than the still point has. */
static void print_best(const struct report *r, FILE *file)
{
	const struct best_instant *best = &r->known.best;
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];

	if (r->asserted)
		(void)fprintf(file,
			"\nAsserted by the server, not proven (Last-Modified, ETag): %" PRIu64
			" pages besides.\n",
			r->asserted);
	if (best->proven <= r->totals[VERDICT_SHARP] + r->totals[VERDICT_ABSENT])
		return;
	clock_format(best->from, CLOCK_ROUND_UP, from);
	clock_format(best->to, CLOCK_ROUND_DOWN, to);
	(void)fprintf(
		file, "\nBest instant: %s to %s, with %zu pages proven.\n", from, to, best->proven);
}

/* What probes found, and for which pages cookies were sent: where they are needed only. */
static void print_cookies(const struct report *r, FILE *file)
{
	if (r->variants)
		(void)fprintf(file,
			"\nPages of the sample that show something else without cookies or in "
			"another language: %" PRIu64 ".\n",
			r->variants);
	if (r->gated)
		(void)fprintf(file,
			"\nPages that are shown only once the site has set its cookie '%.*s': "
			"%" PRIu64 ".\nThey were visited again with it.\n",
			(int)r->gate_cookie.len, r->gate_cookie.ptr, r->gated);
	if (r->cookies)
		(void)fprintf(file,
			"\nCookies were sent for %" PRIu64
			" pages, which are refused, redirected or never the same without,\nor as "
			"--cookies or --login asked for. All others were fetched without.\n",
			r->cookies);
	else if (r->sessions)
		(void)fprintf(file, "\nThe site sets cookies. They were not sent back: its pages "
				    "do not need them.\n");
}

/* The requisites that keep most pages from being sharp as a whole. */
static void print_spoilers(const struct report *r, FILE *file)
{
	uint32_t pages[SPOILERS];
	size_t count = composite_spoilers(r, pages, SPOILERS);

	if (count == 0)
		return;
	(void)fprintf(file, "%-*s%9s  verdict\n", NAME_WIDTH, "not sharp because of", "pages");
	for (size_t i = 0; i < count; i++) {
		const struct report_page *p = &r->pages.ptr[pages[i]];

		text_name(file, p->url, NAME_WIDTH);
		(void)fprintf(file, "%9" PRIu32 "  %s\n", p->spoiled,
			verdict_name((enum verdict)p->verdict));
	}
}

/* What readers see is a page with all that it embeds. */
static void print_composites(const struct report *r, FILE *file)
{
	if (r->composites.pages == 0 || r->requisites.list.len == 0)
		return;
	(void)fprintf(file,
		"\nPages that are sharp together with all their requisites: %" PRIu64 " of %" PRIu64
		" (%.1f %%).\n",
		r->composites.sharp, r->composites.pages,
		report_percent(r->composites.sharp, r->composites.pages));
	print_spoilers(r, file);
}

/* The blur is in the JSON: it means little to who has not read the papers. */
static void print_measures(const struct report *r, FILE *file)
{
	uint64_t found = r->totals[VERDICT_SHARP] + r->totals[VERDICT_ABSENT];
	char expected[REPORT_WORDS_SIZE];

	if (!report_has_expectation(r))
		return;
	report_expectation(r, expected);
	(void)fprintf(file, "\nUnchanged from visit to revisit: %" PRIu64 " found, %s.\n", found,
		expected);
	(void)fprintf(file, "%s\n", report_comparison(r));
}

static void print_directories(const struct report *r, FILE *file)
{
	struct ranking_groups groups = ranking_directories(r);
	struct ranking_group rest = {.name = SLICE("(others)")};

	if (groups.len > 1)
		(void)fprintf(file, "\n%-*s%9s%9s%9s\n", NAME_WIDTH, "directory", "captured",
			"sharp", "changed");
	for (size_t i = 0; groups.len > 1 && i < groups.len; i++) {
		struct ranking_group *g = &groups.ptr[i];

		if (i >= DIRECTORIES) {
			rest.captured += g->captured;
			rest.sharp += g->sharp;
			rest.changed += g->changed;
			if (i + 1 < groups.len)
				continue;
			g = &rest;
		}
		text_name(file, g->name, NAME_WIDTH);
		(void)fprintf(file, "%9" PRIu64 "%9" PRIu64 "%9" PRIu64 "\n", g->captured, g->sharp,
			g->changed);
	}
	ranking_groups_release(&groups);
}

static void print_hottest(const struct report *r, FILE *file)
{
	uint32_t pages[HOTTEST];
	size_t count = ranking_hottest(r, VERDICT_CHANGED, HOTTEST, pages);

	if (count == 0)
		return;
	(void)fprintf(file, "\n%-*s  %s\n", NAME_WIDTH, "changed, hottest first", "assumed before");
	for (size_t i = 0; i < count; i++) {
		const struct report_page *p = &r->pages.ptr[pages[i]];
		char rate[TEXT_RATE_SIZE];

		report_rate(r, p, rate);
		text_name(file, p->url, NAME_WIDTH);
		(void)fprintf(file, "  %s%s\n", rate,
			p->hopeless && r->rates_differ ? ", not prioritised" : "");
	}
}

static void print_reason(const struct ranking_group *g, FILE *file)
{
	bool is_all = g->pages == 1 || g->name.len == g->example.len;

	(void)fprintf(file, "%9" PRIu64 "  ", g->pages);
	text_name(file, is_all ? g->example : g->name, 0);
	if (!is_all) {
		(void)fputs(", for instance", file);
		text_name(file, slice_sub(g->example, g->name.len, g->example.len), 0);
	}
	(void)putc('\n', file);
}

static void print_reasons(const struct report *r, enum verdict verdict, FILE *file)
{
	struct ranking_groups groups = ranking_reasons(r, verdict);

	if (groups.len > 0)
		(void)fprintf(file, "\n%s because of\n", verdict_name(verdict));
	for (size_t i = 0; i < groups.len && i < REASONS; i++)
		print_reason(&groups.ptr[i], file);
	if (groups.len > REASONS)
		(void)fprintf(file, "           and %zu more reasons\n", groups.len - REASONS);
	ranking_groups_release(&groups);
}

static void print_watched(const struct report *r, const char *archive, FILE *file)
{
	char last[CLOCK_TEXT_SIZE], headline[REPORT_WORDS_SIZE];
	int64_t latest = 0;

	for (size_t i = 0; i < r->pages.len; i++)
		if (report_page_at(r, i)->last_look > latest)
			latest = r->pages.ptr[i].last_look;
	report_headline(r, headline);
	(void)fprintf(file, "Site %" PRIu32 " under watch: ", r->capture.id);
	text_name(file, r->capture.site, 0);
	(void)fprintf(file, "\n\n%s\n", headline);
	print_times(r, file);
	if (latest) {
		clock_format(latest, CLOCK_ROUND_UP, last);
		print_label(file, "last look");
		(void)fprintf(file, "%s\n", last);
	}
	(void)fputs("\nWhat is proven at an instant: ", file);
	text_command(file, "report", archive, " --at TIME\nHow fresh it is:              ");
	text_command(file, "watch --status", archive, "\n");
	(void)fputs("Go on with:                   stillpoint watch CONFIG\n", file);
}

/* Who, with what, by which clock, and in which files. */
static void print_provenance(const struct report *r, FILE *file)
{
	const struct provenance_files *files = &r->provenance.files;
	char text[REPORT_WORDS_SIZE], clock[PROVENANCE_CLOCK_SIZE];

	(void)putc('\n', file);
	print_label(file, "operator");
	report_operator(r, text);
	text_name(file, slice_str(text), 0);
	(void)putc('\n', file);
	print_label(file, "program");
	report_program(r, text);
	text_name(file, slice_str(text), 0);
	(void)putc('\n', file);
	provenance_clock(&r->provenance, clock);
	if (clock[0])
		text_wrap(file, clock);
	if (files->len)
		(void)fprintf(file, "\n%-64s  WARC file\n", "SHA-256");
	for (size_t i = 0; i < files->len && i < FILES; i++) {
		char digest[DIGEST_TEXT_SIZE];

		provenance_digest(&files->ptr[i], digest);
		(void)fprintf(file, "%-64s  ",
			digest[0]                ? digest
			: files->ptr[i].complete ? "not recorded"
						 : "not complete yet");
		text_name(file, files->ptr[i].name, 0);
		(void)putc('\n', file);
	}
	if (files->len > FILES)
		(void)fprintf(
			file, "and %zu more: --json and --html list all\n", files->len - FILES);
}

void report_print(const struct report *r, const char *archive, FILE *file)
{
	static const enum verdict EXPLAINED[] = {VERDICT_UNCONFIRMED, VERDICT_FAILED,
		VERDICT_BLOCKED, VERDICT_UNVISITED, VERDICT_EXCLUDED};

	if (report_is_watched(r)) {
		print_watched(r, archive, file);
		print_reasons(r, VERDICT_FAILED, file);
		return;
	}
	print_head(r, file);
	print_totals(r, file);
	print_evidence(r, file);
	print_best(r, file);
	print_composites(r, file);
	print_cookies(r, file);
	print_measures(r, file);
	print_directories(r, file);
	print_hottest(r, file);
	for (size_t i = 0; i < sizeof EXPLAINED / sizeof EXPLAINED[0]; i++)
		print_reasons(r, EXPLAINED[i], file);
	print_topic(r, file);
	print_left_out(r, file);
	if (r->lists_requisites)
		report_print_requisites(r, file);
	if (!report_is_judged(r))
		print_provenance(r, file);
	if (r->capture.state == CATALOG_RUNNING) {
		(void)fputs("\nContinue with: ", file);
		text_command(file, "resume", archive, "\n");
	}
}

/* ---- where the requests went, by host, media type or status ---- */

#define ROW(member) MEMBER(struct tally_row, member)
#define ALL         (TABLE_TEXT | TABLE_JSON | TABLE_CSV)

static const struct column COLUMNS[] = {
	{NULL, ALL, ROW(name), UNIT_NAME, .width = -36, .place = 1},
	{"pages", ALL, ROW(pages), .width = 9, .place = 2},
	{"requests", ALL, ROW(requests), .width = 10, .place = 3},
	{"retries", ALL, ROW(retries), .width = 9, .place = 4},
	{"errors", ALL, ROW(errors), .width = 8, .place = 5},
	{"bytes", ALL, ROW(bytes), UNIT_BYTES, .heading = "stored", .width = 12, .place = 6},
	{"seconds", ALL, ROW(busy), UNIT_NS, .heading = "downloading", .width = 14, .place = 7},
};

struct table report_tally(const struct tally *t)
{
	static const char *const NAMES[] = {
		[TALLY_HOSTS] = "host", [TALLY_TYPES] = "type", [TALLY_STATUS] = "status"};

	struct table table = TABLE_OF(COLUMNS, t->rows);

	table.name = NAMES[t->by];
	return table;
}

/* ---- what came before, and what to do next ---- */

/* ---- the capture before ---- */

struct looking {
	const struct catalog_capture *now;
	uint32_t before; /* 0: none so far */
	int64_t started;
	uint64_t present, sharp; /* captured pages but for absent ones, and sharp ones */
};

static int on_capture(void *context, const struct catalog_capture *row)
{
	struct looking *l = context;

	if (row->id < l->now->id && row->state != CATALOG_RUNNING &&
		slice_eq(row->site, l->now->site)) {
		l->before = row->id;
		l->started = row->started;
	}
	return 0;
}

static int on_verdict(void *context, const struct catalog_verdict *v)
{
	struct looking *l = context;

	for (int i = 0; i < VERDICT_COUNT; i++)
		if (slice_eq(v->verdict, slice_str(verdict_name((enum verdict)i)))) {
			l->present += verdict_is_captured((enum verdict)i) && i != VERDICT_ABSENT;
			l->sharp += i == VERDICT_SHARP;
		}
	return 0;
}

static uint64_t present_of(const struct report *r)
{
	return r->captured - r->totals[VERDICT_ABSENT];
}

/* Pages that go between the captures are no loss of sharpness. */
static void print_moved(const struct report *r, const struct looking *l, FILE *file)
{
	char date[CLOCK_TEXT_SIZE];

	clock_format(l->started, CLOCK_ROUND_DOWN, date);
	(void)fprintf(file,
		"\nSharpness without absent pages: %.1f %%; in capture %" PRIu32
		" of this site (%s) it was %.1f %%.\n",
		report_percent(r->totals[VERDICT_SHARP], present_of(r)), l->before, date,
		report_percent(l->sharp, l->present));
}

int report_print_moved(const struct report *r, struct catalog *c, FILE *file, struct err *err)
{
	struct looking l = {.now = &r->capture};
	int rc = catalog_each_capture(c, on_capture, &l, err);

	if (rc == 0 && l.before)
		rc = catalog_each_verdict(c, l.before, on_verdict, &l, err);
	if (rc == 0 && l.present > 0 && present_of(r) > 0)
		print_moved(r, &l, file);
	return rc;
}

/* ---- what to do next ---- */

void report_print_next(const char *archive, FILE *file)
{
	static const struct {
		const char *command, *rest, *what;
	} STEPS[] = {
		{"report", " --why URL", "why a page is what it is"},
		{"diff", " URL", "what changed in a page"},
		{"serve", "", "browse the archive"},
		{"report", " --html FILE", "one page to file or send"},
		{"verify", "", "check every claim"},
	};
	enum { WIDTH = sizeof "report --html FILE" };

	(void)fputs("\nNext steps:\n\n", file);
	for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
		(void)fputs("  ", file);
		text_command(file, STEPS[i].command, archive, STEPS[i].rest);
		(void)fprintf(file, "%*s  %s\n",
			WIDTH - (int)(strlen(STEPS[i].command) + strlen(STEPS[i].rest)), "",
			STEPS[i].what);
	}
}
