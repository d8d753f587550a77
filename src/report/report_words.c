#include "report/report_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "catalog/unknown_rate.h"
#include "proof/expect.h"
#include "proof/legs.h"
#include "proof/noise_rules.h"

static const char *const MEANINGS[] = {
	[VERDICT_SHARP] = "the same at visit and revisit",
	[VERDICT_ABSENT] = "missing at visit and revisit",
	[VERDICT_CHANGED] = "different at the revisit",
	[VERDICT_APPEARED] = "found only at the revisit",
	[VERDICT_GONE] = "found only at the visit",
	[VERDICT_UNCONFIRMED] = "visited, but no usable revisit",
	[VERDICT_FAILED] = "no usable visit",
	[VERDICT_EXCLUDED] = "refused by robots.txt, a limit or as a trap",
	[VERDICT_BLOCKED] = "a block, challenge or login page instead of the page",
	[VERDICT_SINGLE] = "seen once",
	[VERDICT_UNVISITED] = "not requested: a limit or a stop came first",
	[VERDICT_SHELL] = "content shown only by scripts: not judged",
};

const char *report_meaning(enum verdict v)
{
	return MEANINGS[v];
}

double report_percent(uint64_t part, uint64_t all)
{
	double value = all ? 100 * (double)part / (double)all : 0;

	return part < all ? fmin(value, 99.9) : value;
}

static bool is_before_revisits(const struct report *r)
{
	return r->capture.state == CATALOG_RUNNING && !r->window.to;
}

/* A site under watch has no visits and revisits, and never ends. */
static void headline_watched(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	uint64_t pages = 0, seen = 0, looks = 0;

	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);

		pages += p->taken;
		seen += p->looks > 0;
		looks += p->looks;
	}
	(void)snprintf(out, REPORT_WORDS_SIZE,
		"%" PRIu64 " of %" PRIu64 " known pages were looked at, %" PRIu64 " looks in all.",
		seen, pages, looks);
}

void report_headline(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	const char *pages = r->captured == 1 ? "page" : "pages";
	uint64_t proven = r->totals[VERDICT_SHARP] + r->totals[VERDICT_ABSENT];

	if (report_is_watched(r))
		headline_watched(r, out);
	else if (r->captured == 0)
		(void)snprintf(out, REPORT_WORDS_SIZE, "No page was captured.");
	else if (r->capture.single)
		(void)snprintf(out, REPORT_WORDS_SIZE,
			"%" PRIu64 " %s captured, visited once: nothing is proven sharp.",
			r->captured, pages);
	else if (is_before_revisits(r))
		(void)snprintf(out, REPORT_WORDS_SIZE,
			"%" PRIu64 " %s captured so far, none revisited yet.", r->captured, pages);
	else if (r->totals[VERDICT_ABSENT]) /* a page that is proven missing is proven */
		(void)snprintf(out, REPORT_WORDS_SIZE,
			"%" PRIu64 " of %" PRIu64 " captured pages are proven (%.1f %%): %" PRIu64
			" sharp, %" PRIu64 " absent.",
			proven, r->captured, report_percent(proven, r->captured),
			r->totals[VERDICT_SHARP], r->totals[VERDICT_ABSENT]);
	else
		(void)snprintf(out, REPORT_WORDS_SIZE,
			"%" PRIu64 " of %" PRIu64 " captured pages are sharp (%.1f %%).",
			r->totals[VERDICT_SHARP], r->captured,
			report_percent(r->totals[VERDICT_SHARP], r->captured));
}

void report_claim(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];

	if (report_is_watched(r))
		(void)snprintf(out, REPORT_WORDS_SIZE,
			"What is proven at an instant, 'stillpoint report --at TIME' says.");
	else if (r->totals[VERDICT_SHARP] == 0)
		(void)snprintf(out, REPORT_WORDS_SIZE, "No page is claimed to be sharp.");
	else if (stillpoint_format(&r->window, from, to))
		(void)snprintf(out, REPORT_WORDS_SIZE,
			"Each sharp page was downloaded in full before %s and again after %s, and "
			"was "
			"the same both times: so they are taken to have stood together, "
			"unchanged, in all that time between.",
			from, to);
	else
		(void)snprintf(out, REPORT_WORDS_SIZE,
			"Each sharp page was downloaded twice in full, and was the same both "
			"times.");
}

void report_rate(const struct report *r, const struct report_page *p, char out[TEXT_RATE_SIZE])
{
	if (report_is_judged(r) || unknown_rate_is(p->rate, p->shape))
		(void)snprintf(out, TEXT_RATE_SIZE, "nothing");
	else
		text_rate(p->rate, out);
}

void report_ending(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	const struct catalog_capture *c = &r->capture;
	static const char *const ENDINGS[] = {
		[CATALOG_RUNNING] = "not finished",
		[CATALOG_FINISHED] = "finished",
		[CATALOG_CUT] = "ended by ",
	};
	bool is_cut = c->state == CATALOG_CUT;

	(void)snprintf(out, REPORT_WORDS_SIZE, "%s%s%s",
		report_is_watched(r) ? "under watch" : ENDINGS[c->state],
		is_cut && c->ended_by != CATALOG_END_NONE ? "its " : "",
		is_cut ? legs_limit(c->ended_by).ptr : "");
}

static const char *why_no_window(const struct report *r)
{
	if (r->window.clock_set)
		return "none: the wall clock was set during the capture";
	if (stillpoint_is_known(&r->window))
		return "shorter than a millisecond";
	if (r->window.from && r->window.to)
		return "none: a revisit began before the last visit had ended";
	return r->capture.state == CATALOG_RUNNING ? "none yet" : "none";
}

void report_window(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE], length[TEXT_DURATION_SIZE];
	double seconds = clock_seconds(r->window.to - r->window.from);
	char doubt[120] = "";

	if (!stillpoint_format(&r->window, from, to)) {
		(void)snprintf(out, REPORT_WORDS_SIZE, "%s", why_no_window(r));
		return;
	}
	text_duration(seconds, length);
	if (seconds < 1)
		(void)snprintf(length, sizeof length, "%.3f s", seconds);
	if (r->window.later > 0)
		(void)snprintf(doubt, sizeof doubt,
			"; the wall clock was set, it may have been up to %.1f s earlier or %.1f s "
			"later",
			r->window.earlier, r->window.later);
	(void)snprintf(out, REPORT_WORDS_SIZE, "%s to %s (%s)%s", from, to, length, doubt);
}

bool report_has_expectation(const struct report *r)
{
	return expect_is_possible(r) && r->window.to;
}

void report_expectation(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	if (r->expected_unknown)
		(void)snprintf(out, REPORT_WORDS_SIZE, "%.0f to %.0f expected",
			floor(r->expected_range.low), ceil(r->expected_range.high));
	else
		(void)snprintf(out, REPORT_WORDS_SIZE, "%.1f expected", r->expected_sharp);
}

const char *report_comparison(const struct report *r)
{
	double found = (double)(r->totals[VERDICT_SHARP] + r->totals[VERDICT_ABSENT]);

	switch (expect_compare(r, (uint64_t)found)) {
	case EXPECT_FEWER:
		return "That is fewer than expected: pages changed more often than the capture "
		       "assumed\n(give it their rates with --rates), or revisits failed.";
	case EXPECT_MORE:
		return "That is more than expected: pages changed less often than the capture "
		       "assumed.";
	case EXPECT_AGREES:
		break;
	}
	if (r->expected_unknown)
		return "That is within the range: how often the pages change was not known "
		       "before.\n"
		       "The next capture of this site knows more.";
	if (fabs(found - r->expected_sharp) > 0.1 * (double)r->captured)
		return "That is within what chance allows for so few pages.";
	return "The pages changed about as often as the capture assumed.";
}

void report_operator(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	const struct provenance *p = &r->provenance;
	slice who = p->operator.ptr ? p->operator: p->contact;

	if (p->said_operator)
		(void)snprintf(out, REPORT_WORDS_SIZE, "%.300s (said for this report%s%.*s)",
			p->said_operator, who.ptr ? "; the archive says " : ", not in the archive",
			slice_shown(who, 300), who.ptr ? who.ptr : "");
	else if (who.ptr)
		(void)snprintf(out, REPORT_WORDS_SIZE, "%.*s (recorded with the capture)",
			slice_shown(who, 300), who.ptr);
	else
		(void)snprintf(out, REPORT_WORDS_SIZE, "not recorded");
}

void report_program(const struct report *r, char out[REPORT_WORDS_SIZE])
{
	slice with = r->provenance.software;

	(void)snprintf(out, REPORT_WORDS_SIZE, "stillpoint/%s with rule set %d; captured with %.*s",
		STILLPOINT_VERSION, (int)NOISE_RULES_VERSION,
		with.ptr ? slice_shown(with, 100) : (int)sizeof "a version that did not say" - 1,
		with.ptr ? with.ptr : "a version that did not say");
}
