#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "catalog/unknown_rate.h"
#include "formats/deceit.h"
#include "proof/composite.h"
#include "proof/legs.h"
#include "proof/pair.h"
#include "report/report_print.h"

enum { STATE_WIDTH = 23, VERDICT_WIDTH = 13 };

/* How often each state occurs, over all pairs of page and requisite. */
static void print_states(const uint64_t counts[COHERENCE_COUNT + 1], FILE *file)
{
	(void)fprintf(file, "\n%-*s%9s\n", STATE_WIDTH, "state of requisites", "pairs");
	for (int i = 0; i <= COHERENCE_COUNT; i++)
		if (counts[i])
			(void)fprintf(file, "%-*s%9" PRIu64 "\n", STATE_WIDTH,
				i == COHERENCE_COUNT ? "not captured"
						     : coherence_name((enum coherence)i),
				counts[i]);
}

static void print_part(const struct report_page *page, const struct report_page *part, FILE *file)
{
	enum coherence state;
	bool known = composite_state(page, part, &state);

	(void)fprintf(file, "  %-*s%-*s", STATE_WIDTH,
		known ? coherence_name(state) : "not captured", VERDICT_WIDTH,
		verdict_name((enum verdict)part->verdict));
	text_name(file, part->url, 0);
	(void)putc('\n', file);
}

static void print_page(
	const struct report *r, uint32_t number, const struct requisites_search *search, FILE *file)
{
	const struct report_page *page = &r->pages.ptr[number];
	const char *composite = composite_name((enum composite)page->composite);

	if (search->parts.len == 0 || !composite)
		return;
	(void)putc('\n', file);
	text_name(file, page->url, 0);
	(void)fprintf(file, ": %s\n", composite);
	for (size_t i = 0; i < search->parts.len; i++)
		print_part(page, &r->pages.ptr[search->parts.ptr[i]], file);
	if (!search->complete)
		(void)fputs("  and others that were not kept\n", file);
}

static void count_states(const struct report *r, uint32_t number,
	const struct requisites_search *search, uint64_t counts[COHERENCE_COUNT + 1])
{
	const struct report_page *page = &r->pages.ptr[number];
	enum coherence state;

	for (size_t i = 0; page->composite && i < search->parts.len; i++)
		if (composite_state(page, &r->pages.ptr[search->parts.ptr[i]], &state))
			counts[state]++;
		else
			counts[COHERENCE_COUNT]++;
}

void report_print_requisites(const struct report *r, FILE *file)
{
	uint64_t counts[COHERENCE_COUNT + 1] = {0};
	struct requisites_search search;

	requisites_search_init(&search, &r->requisites);
	for (uint32_t i = 0; i < r->pages.len; i++) {
		requisites_find(&r->requisites, i, &search);
		count_states(r, i, &search, counts);
	}
	print_states(counts, file);
	for (uint32_t i = 0; i < r->pages.len; i++) {
		requisites_find(&r->requisites, i, &search);
		print_page(r, i, &search, file);
	}
	requisites_search_release(&search);
}

static void print_label(FILE *file, const char *label)
{
	(void)fprintf(file, "%-13s", label);
}

static void print_line(FILE *file, const char *label, slice value)
{
	print_label(file, label);
	text_name(file, value, 0);
	(void)putc('\n', file);
}

/* From the page itself back to where it all began. */
static void print_way(const struct why *w, FILE *file)
{
	const struct catalog_page *page = &w->way.ptr[w->way.len - 1];

	print_label(file, "found");
	text_name(file, page->found, 0);
	(void)fprintf(file, " (%.*s), depth %" PRIu32 "\n", (int)page->kind.len, page->kind.ptr,
		page->depth);
	for (size_t i = w->way.len - 1; i > 0; i--) {
		const struct catalog_page *from = &w->way.ptr[i - 1];

		print_label(file, "  on");
		text_name(file, from->url, 0);
		(void)fputs(": ", file);
		text_name(file, from->found, 0);
		(void)putc('\n', file);
	}
}

static void print_time(FILE *file, int64_t time, enum clock_round round)
{
	char text[CLOCK_TEXT_SIZE];

	if (time)
		clock_format(time, round, text);
	(void)fputs(time ? text : "-", file);
}

static void print_attempt(const struct attempt *a, bool is_judged, FILE *file)
{
	(void)fprintf(file, "%-8s%-5u", attempt_leg_name(a->leg), a->number);
	print_time(file, a->wall.sent, CLOCK_ROUND_DOWN);
	(void)fputs(" to ", file);
	print_time(file, a->wall.last_byte, CLOCK_ROUND_UP);
	if (a->status)
		(void)fprintf(file, "  HTTP %u", a->status);
	if (a->truncated)
		(void)fputs(", truncated", file);
	(void)putc('\n', file);
	if (a->failure.ptr)
		print_line(file, "", a->failure);
	if (a->rules.len && a->rule_set > 1) {
		print_label(file, "");
		(void)fputs(a->has_class ? "the same but for noise: " : "differs: ", file);
		text_name(file, a->rules, 0);
		(void)putc('\n', file);
	}
	if (a->is_compact)
		print_line(file, "", SLICE("compact: in a record with other looks"));
	if (a->warc.ptr) {
		print_label(file, "");
		(void)fputs(is_judged ? "" : "warc/", file);
		text_name(file, a->warc, 0);
		(void)fprintf(file, " at %" PRIu64 "\n", a->offset);
	}
}

/* What rules had to do with the verdict. */
static void print_rules(const struct report_page *p, FILE *file)
{
	slice left = p->rules, name;
	uint64_t count;

	for (bool first = true; acted_next(&left, &name, &count); first = false) {
		print_label(file, first ? "rules" : "");
		text_name(file, name, 0);
		(void)fprintf(file, " (%" PRIu64 " times): %s\n", count, acted_summary(name));
	}
	if (p->rule_set == 1)
		print_line(file, p->rules.len ? "" : "rules",
			SLICE("by rule set version 1, which was too lenient"));
	if (p->changed_in.len)
		print_line(file, "changed in", p->changed_in);
	if (p->masked) {
		print_label(file, "masked");
		(void)fprintf(file, "%.2f %% of the visible text\n",
			100 * (double)p->masked / PAIR_MILLION);
	}
	if (p->foreign_times)
		print_line(file, "flags",
			SLICE("foreign-times: when it was downloaded is only known from "
			      "WARC-Date"));
	if (p->variant)
		print_line(file, "flags",
			SLICE("variant: it shows something else without cookies, or in another "
			      "language"));
	if (p->login_box)
		print_line(file, "flags",
			SLICE("login-box: it has little but links and a password form; check that "
			      "this is what was wanted, or log in with --login"));
	if (p->close_delimited)
		print_line(file, "flags",
			SLICE("close-delimited: only the end of the connection shows where its "
			      "body ends, so noise counts only if it ends as its format does"));
}

/* Signs that it wants to deceive. A score that flags nothing says nothing; the JSON has it. */
static void print_deceit(const struct report_page *p, FILE *file)
{
	struct deceit_signs s;

	(void)deceit_read(p->deceit, &s);
	if (s.score >= DECEIT_FLAGGED) {
		print_label(file, "spam");
		(void)fprintf(file, "score %.2f, flagged:", s.score);
#define X(name, member)   \
	if (s.member > 0) \
		(void)fprintf(file, " %s %.3g", name, s.member);
		DECEIT_FEATURES(X)
#undef X
		(void)putc('\n', file);
	}
	if (s.redirect) {
		print_label(file, "redirect");
		(void)fprintf(file, "by %s to ", deceit_redirect_name(s.redirect));
		text_name(file, slice_str(s.target), 0);
		(void)putc('\n', file);
	}
	if (p->cloaked >= 0)
		print_line(file, "cloaked",
			p->cloaked ? SLICE("yes: a browser gets another page")
				   : SLICE("no: a browser gets the same page"));
}

static void print_verdict(const struct report_page *p, FILE *file)
{
	bool is_bytes = p->evidence == SAME_BYTES;

	print_rules(p, file);
	print_deceit(p, file);
	print_label(file, "verdict");
	(void)fputs(verdict_name((enum verdict)p->verdict), file);
	if (p->evidence)
		(void)fputs(is_bytes ? ", by bytes" : ", the same after the rules above", file);
	if (p->reason.ptr) {
		(void)fputs(": ", file);
		text_name(file, p->reason, 0);
	}
	(void)putc('\n', file);
}

/* What a look showed beside the last usable one before it, and how long that was ago. */
static void print_comparison(const struct attempt *before, const struct attempt *now, FILE *file)
{
	struct observation then = legs_observe(before), is = legs_observe(now);
	enum same_by same = observation_same(&then, &is);
	char length[TEXT_DURATION_SIZE];
	double seconds = clock_seconds(now->wall.sent - before->wall.last_byte);

	print_label(file, "");
	if (now->status == 304)
		(void)fputs("the server says unchanged", file);
	else if (same)
		(void)fprintf(file, "unchanged%s", same == SAME_BYTES ? "" : " but for noise");
	else
		(void)fputs("changed", file);
	text_duration(seconds, length);
	if (seconds < 1)
		(void)snprintf(length, sizeof length, "%.3f s", seconds);
	(void)fprintf(file, " since the look %s before\n", length);
}

/* Looks of a watch, each compared with the one before. */
static void print_looks(const struct why *w, FILE *file)
{
	const struct attempt *before = NULL;

	for (size_t i = 0; i < w->attempts.len; i++) {
		const struct attempt *a = &w->attempts.ptr[i];
		struct observation shown = legs_observe(a);

		print_attempt(a, false, file);
		if (a->leg != ATTEMPT_LOOK || !observation_is_usable(&shown))
			continue;
		if (before)
			print_comparison(before, a, file);
		before = a;
	}
}

/* One requisite that keeps the page from being sharp as a whole. */
static void print_spoiler(const struct report_page *part, FILE *file)
{
	print_label(file, "");
	text_name(file, part->url, 0);
	(void)fprintf(file, ": %s", verdict_name((enum verdict)part->verdict));
	if (part->spoiled > 1)
		(void)fprintf(file, "; it spoils %" PRIu32 " pages", part->spoiled);
	(void)putc('\n', file);
}

/* Why the page is not sharp together with its requisites, where it is not because of itself. */
static void print_composite(const struct report *r, uint32_t page, FILE *file)
{
	const struct report_page *p = &r->pages.ptr[page];
	struct requisites_search search;
	bool is_spoiled = p->composite != COMPOSITE_NONE && p->composite != COMPOSITE_SHARP &&
			  !composite_spoils(p);

	requisites_search_init(&search, &r->requisites);
	if (is_spoiled) {
		print_label(file, "composite");
		(void)fprintf(
			file, "%s, because of\n", composite_name((enum composite)p->composite));
		requisites_find(&r->requisites, page, &search);
		for (size_t i = 0; i < search.parts.len; i++) {
			const struct report_page *part = &r->pages.ptr[search.parts.ptr[i]];

			if (composite_spoils(part))
				print_spoiler(part, file);
		}
		if (!search.complete) {
			print_label(file, "");
			(void)fputs("requisites that were not kept\n", file);
		}
	}
	requisites_search_release(&search);
}

void report_print_why(const struct report *r, const struct why *w, FILE *file)
{
	const struct catalog_page *page = &w->way.ptr[w->way.len - 1];
	bool is_unknown = unknown_rate_is(page->rate, page->shape);
	char rate[TEXT_RATE_SIZE];

	print_line(file, "page", page->url);
	print_label(file, report_is_judged(r) ? "judged from" : "capture");
	if (!report_is_judged(r))
		(void)fprintf(file, "%u of ", (unsigned)r->capture.id);
	text_name(file, r->capture.site, 0);
	(void)putc('\n', file);
	print_way(w, file);
	print_line(file, page->taken ? "taken by" : "refused by", page->rule);
	if (!page->taken)
		print_line(file, "", slice_str(left_out_meaning(page->left_out)));
	if (page->content == CATALOG_CONTENT_SOFT_404)
		print_line(file, "content",
			SLICE("a soft 404: a URL that cannot exist shows the same; its links were "
			      "not followed"));
	if (page->content == CATALOG_CONTENT_ON_TOPIC)
		print_line(file, "content", SLICE("on the topic"));
	if (page->content == CATALOG_CONTENT_OFF_TOPIC)
		print_line(file, "content", SLICE("off the topic"));
	if (page->taken && !report_is_judged(r)) {
		print_label(file, "rate");
		text_rate(page->rate, rate);
		(void)fprintf(file, "%s%s, weight %g%s\n",
			is_unknown ? "nothing was known at first" : "assumed at first: changes ",
			is_unknown ? "" : rate, (double)page->weight,
			r->rates_differ && r->pages.ptr[w->page].hopeless
				? "; not prioritised, since it changes so often (hopeless)"
				: "");
	}
	if (report_is_watched(r))
		print_looks(w, file);
	for (size_t i = 0; !report_is_watched(r) && i < w->attempts.len; i++)
		print_attempt(&w->attempts.ptr[i], report_is_judged(r), file);
	print_verdict(&r->pages.ptr[w->page], file);
	print_composite(r, w->page, file);
}
