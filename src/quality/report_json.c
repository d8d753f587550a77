#include "quality/report_json.h"

#include <math.h>

#include "base/clock.h"
#include "base/word.h"
#include "extract/deceit.h"
#include "quality/composite.h"
#include "quality/harvest.h"
#include "quality/pair.h"

void report_json_time(struct json *j, const char *key, int64_t time, enum clock_round round)
{
	char text[CLOCK_TEXT_SIZE];

	json_key(j, key);
	if (time)
		clock_format(time, round, text);
	json_string(j, time ? text : NULL);
}

/* Rounded inwards: what is printed is known. */
static void put_span(struct json *j, int64_t from, int64_t to)
{
	report_json_time(j, "from", from, CLOCK_ROUND_UP);
	report_json_time(j, "to", to, CLOCK_ROUND_DOWN);
}

static void put_intervals(
	struct json *j, const char *key, const struct interval *list, size_t count)
{
	json_key(j, key);
	json_array_begin(j);
	for (size_t i = 0; i < count; i++) {
		json_object_begin(j);
		put_span(j, list[i].from, list[i].to);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_known(struct json *j, const struct report *r, uint32_t page)
{
	const struct report_page *p = &r->pages.ptr[page];
	size_t count;
	const struct interval *list = known_proven(&r->known, page, &count);

	json_key(j, "origin");
	if (p->origin < 0)
		json_null(j);
	else
		json_bool(j, p->origin > 0);
	put_intervals(j, "proven", list, count);
	list = known_asserted(&r->known, page, &count);
	put_intervals(j, "asserted", list, count);
}

static void put_page_rules(struct json *j, const struct report_page *p, bool divergent)
{
	slice left = p->rules, name;
	uint64_t count;

	json_key(j, "rules");
	json_array_begin(j);
	while (acted_next(&left, &name, &count)) {
		json_object_begin(j);
		json_text(j, "name", name);
		json_put_uint(j, "count", count);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_uint_if(j, "rule_set", p->rule_set > 0, p->rule_set);
	json_key(j, "changed_in");
	json_array_begin(j);
	for (left = p->changed_in; word_next(&left, ',', &name);)
		json_slice(j, name);
	json_array_end(j);
	json_put_double(j, "masked_visible", (double)p->masked / PAIR_MILLION);
	json_key(j, "flags");
	json_array_begin(j);
	if (divergent)
		json_string(j, "divergent");
	if (p->cached)
		json_string(j, "cached");
	if (p->close_delimited)
		json_string(j, "close-delimited");
	if (p->foreign_times)
		json_string(j, "foreign-times");
	if (p->variant)
		json_string(j, "variant");
	if (p->login_box)
		json_string(j, "login-box");
	json_array_end(j);
}

static void put_requisites(
	struct json *j, const struct report *r, uint32_t page, struct requisites_search *search)
{
	enum coherence state;

	requisites_find(&r->requisites, page, search);
	json_key(j, "requisites");
	json_array_begin(j);
	for (size_t i = 0; i < search->parts.len; i++) {
		uint32_t part = search->parts.ptr[i];
		bool known = composite_state(&r->pages.ptr[page], &r->pages.ptr[part], &state);

		json_object_begin(j);
		json_put_uint(j, "page", part);
		json_put_string(j, "state", known ? coherence_name(state) : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Scores and features are those of the visit. */
static void put_deceit(struct json *j, const struct report_page *p)
{
	struct deceit_signs s;

	(void)deceit_read(p->deceit, &s);
	json_key(j, "spam");
	json_object_begin(j);
	json_put_double(j, "score", s.score);
	json_put_bool(j, "flagged", s.score >= DECEIT_FLAGGED);
	json_key(j, "features");
	json_object_begin(j);
#define X(name, member)   \
	if (s.member > 0) \
		json_put_double(j, name, s.member);
	DECEIT_FEATURES(X)
#undef X
	json_object_end(j);
	json_object_end(j);
	/* What changes by itself may have changed for the browser, too. */
	json_key(j, "cloaked");
	if (p->cloaked < 0 || (p->cloaked > 0 && p->verdict == VERDICT_CHANGED))
		json_null(j);
	else
		json_bool(j, p->cloaked > 0);
	json_key(j, "redirect");
	if (!s.redirect) {
		json_null(j);
		return;
	}
	json_object_begin(j);
	json_put_string(j, "kind", deceit_redirect_name(s.redirect));
	json_put_string(j, "target", s.target);
	json_object_end(j);
}

void report_json_page(const struct report *r, uint32_t page, struct json *j)
{
	const struct report_page *p = &r->pages.ptr[page];

	json_text(j, "url", p->url);
	json_text(j, "kind", p->kind);
	json_put_uint_if(j, "status", p->visit.status, p->visit.status);
	json_put_uint_if(j, "revisit_status", p->revisit.status, p->revisit.status);
	report_json_time(j, "visit_start", p->visit.start, CLOCK_ROUND_DOWN);
	report_json_time(j, "visit_end", p->visit.end, CLOCK_ROUND_UP);
	report_json_time(j, "revisit_start", p->revisit.start, CLOCK_ROUND_DOWN);
	report_json_time(j, "revisit_end", p->revisit.end, CLOCK_ROUND_UP);
	json_put_string(j, "verdict", verdict_name((enum verdict)p->verdict));
	json_put_string(j, "evidence", p->evidence);
	json_put_string(j, "composite", composite_name((enum composite)p->composite));
	put_page_rules(j, p, known_is_divergent(&r->known, page));
	put_known(j, r, page);
	json_text(j, "reason", p->reason);
	json_put_double(j, "rate", p->rate);
	json_put_double(j, "weight", (double)p->weight);
	json_put_bool(j, "hopeless", p->hopeless);
	json_put_string(j, "left_out", p->taken ? NULL : left_out_word((enum left_out)p->left_out));
	json_put_bool(j, "soft_404", p->content == CATALOG_CONTENT_SOFT_404);
	put_deceit(j, p);
}

void report_json_window(const struct stillpoint *window, struct json *j)
{
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];
	bool known = stillpoint_format(window, from, to);

	json_key(j, "stillpoint");
	json_object_begin(j);
	json_put_string(j, "from", known ? from : NULL);
	json_put_string(j, "to", known ? to : NULL);
	json_object_end(j);
	json_key(j, "caveats");
	json_array_begin(j);
	if (window->clock_set)
		json_string(j, "clock");
	else if (window->later > 0)
		json_string(j, "date");
	json_array_end(j);
	json_key(j, "date_doubt");
	if (window->clock_set || window->later <= 0) {
		json_null(j);
		return;
	}
	json_object_begin(j);
	json_put_double(j, "earlier", window->earlier);
	json_put_double(j, "later", window->later);
	json_object_end(j);
}

static const char *state_name(enum catalog_state state)
{
	static const char *const names[] = {
		[CATALOG_RUNNING] = "running",
		[CATALOG_FINISHED] = "finished",
		[CATALOG_CUT] = "cut",
	};

	return state <= CATALOG_CUT ? names[state] : NULL;
}

static void put_totals(struct json *j, const struct report *r)
{
	json_key(j, "totals");
	json_object_begin(j);
	for (size_t i = 0; i < VERDICT_COUNT; i++)
		json_put_uint(j, verdict_name((enum verdict)i), r->totals[i]);
	json_object_end(j);
}

/* Traps are one total here, and apart below it. */
static void put_left_out(struct json *j, const struct report *r)
{
	uint64_t traps = 0;

	json_key(j, "left_out");
	json_object_begin(j);
	for (int i = LEFT_OUT_OTHER; i < LEFT_OUT_COUNT; i++)
		if (left_out_is_trap((enum left_out)i))
			traps += r->left_out[i];
		else
			json_put_uint(j, left_out_word((enum left_out)i), r->left_out[i]);
	json_put_uint(j, "trap", traps);
	json_object_end(j);
	json_key(j, "traps");
	json_object_begin(j);
	for (int i = LEFT_OUT_OTHER; i < LEFT_OUT_COUNT; i++)
		if (left_out_is_trap((enum left_out)i))
			json_put_uint(j, left_out_word((enum left_out)i) + sizeof "trap-" - 1,
				r->left_out[i]);
	json_object_end(j);
	json_put_uint(j, "unkept", r->unkept);
	json_put_uint(j, "soft_404", r->soft_404);
	json_put_uint(j, "vanished", r->vanished);
}

static void put_dust(struct json *j, const struct report *r)
{
	json_key(j, "dust");
	json_array_begin(j);
	for (size_t i = 0; i < r->dust.len; i++) {
		const struct report_dust *d = &r->dust.ptr[i];

		if (d->is_mirror)
			continue;
		json_object_begin(j);
		json_text(j, "rule", d->rule);
		json_put_uint(j, "urls", d->urls);
		json_put_bool(j, "applied", d->applied);
		json_put_uint(j, "agreed", d->agreed);
		json_put_uint(j, "confirmed", d->passed);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Bits of passed: what speaks for a mirror beside its pages. */
enum { MIRROR_NAMES = 1, MIRROR_ADDRESSES = 2 };

static void put_mirrors(struct json *j, const struct report *r)
{
	json_key(j, "mirrors");
	json_array_begin(j);
	for (size_t i = 0; i < r->dust.len; i++) {
		const struct report_dust *d = &r->dust.ptr[i];

		if (!d->is_mirror)
			continue;
		json_object_begin(j);
		json_text(j, "host", d->site);
		json_text(j, "of", d->of);
		json_put_uint(j, "urls", d->urls);
		json_put_bool(j, "applied", d->applied);
		json_key(j, "evidence");
		json_object_begin(j);
		json_put_bool(j, "names", (d->passed & MIRROR_NAMES) != 0);
		json_put_bool(j, "addresses", (d->passed & MIRROR_ADDRESSES) != 0);
		json_put_uint(j, "same", d->agreed);
		json_put_uint(j, "different", d->disagreed);
		json_object_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_capture(struct json *j, const struct report *r)
{
	json_put_uint(j, "capture", r->capture.id);
	json_text(j, "uuid", r->capture.uuid);
	json_text(j, "site", r->capture.site);
	json_text(j, "strategy", r->capture.strategy);
	json_put_bool(j, "single", r->capture.single);
	json_put_string(j, "state", state_name(r->capture.state));
	json_key(j, "ended_by");
	json_string(
		j, r->capture.state == CATALOG_CUT ? catalog_end_name(r->capture.ended_by) : NULL);
	report_json_time(j, "started", r->capture.started, CLOCK_ROUND_DOWN);
	report_json_time(j, "finished", r->capture.finished, CLOCK_ROUND_UP);
	report_json_window(&r->window, j);
}

/* Those that pages which are sharp by rules needed. */
static void put_rules(struct json *j, const struct report *r)
{
	json_key(j, "rules");
	json_array_begin(j);
	for (size_t i = 0; i < r->rules.len; i++) {
		const struct acted_rule *rule = &r->rules.ptr[i];

		json_object_begin(j);
		json_text(j, "name", rule->name);
		if (slice_starts_with(rule->name, SLICE("ignore:")))
			json_put_string(j, "version", r->ignore);
		else
			json_put_uint(j, "version", rule->version);
		json_put_uint(j, "pages", rule->pages);
		json_put_uint(j, "count", rule->count);
		json_object_end(j);
	}
	json_array_end(j);
}

/* The instant that most proven intervals contain. */
static void put_best(struct json *j, const struct best_instant *best)
{
	json_key(j, "best_instant");
	json_object_begin(j);
	put_span(j, best->proven ? best->from : 0, best->proven ? best->to : 0);
	json_put_uint(j, "proven", best->proven);
	json_object_end(j);
}

/* The members of a report, but for the verdicts. */
static void put_report(struct json *j, const struct report *r)
{
	put_capture(j, r);
	json_put_uint(j, "pages", r->pages.len);
	json_put_uint(j, "captured", r->captured);
	json_put_uint(j, "sharp", r->totals[VERDICT_SHARP]);
	json_put_uint(j, "sharp_bytes", r->sharp_bytes);
	json_put_uint(j, "sharp_normalised", r->sharp_normalised);
	json_put_uint(j, "asserted", r->asserted);
	put_best(j, &r->known.best);
	json_put_uint(j, "changed", r->totals[VERDICT_CHANGED]);
	json_put_uint(j, "failed", r->totals[VERDICT_FAILED]);
	put_totals(j, r);
	json_key(j, "composites");
	json_object_begin(j);
	json_put_uint(j, "pages", r->composites.pages);
	json_put_uint(j, "sharp", r->composites.sharp);
	json_object_end(j);
	json_put_double(j, "expected_sharp",
		r->capture.single || report_is_judged(r) ? NAN : r->expected_sharp);
	json_put_double(j, "blur", report_is_judged(r) ? NAN : r->blur);
	put_rules(j, r);
	json_put_uint(j, "on_rule_set_1", r->on_rule_set_1);
	json_put_uint(j, "changed_in_code_or_style_only", r->changed_inside);
	json_put_uint(j, "variants", r->variants);
	json_key(j, "cookie_gate");
	json_object_begin(j);
	json_text(j, "cookie", r->gated ? r->gate_cookie : (slice){0});
	json_put_uint(j, "pages", r->gated);
	json_object_end(j);
	json_put_uint(j, "cookies", r->cookies);
}

void report_json_totals(const struct report *r, struct json *j)
{
	json_object_begin(j);
	put_report(j, r);
	json_object_end(j);
}

/* null for a capture without a topic. */
static void put_topic(struct json *j, const struct report *r, const struct harvest *h)
{
	json_key(j, "topic");
	if (h->judged == 0) {
		json_null(j);
		return;
	}
	json_object_begin(j);
	json_put_uint(j, "on_topic", h->on_topic);
	json_put_uint(j, "off_topic", h->judged - h->on_topic);
	json_put_uint(j, "left", r->left_out[LEFT_OUT_TOPIC]);
	json_key(j, "harvest");
	json_array_begin(j);
	for (size_t i = 0; i < HARVEST_STEPS; i++) {
		json_object_begin(j);
		json_put_uint(j, "visited", h->visited[i]);
		json_put_uint(j, "on_topic", h->found[i]);
		json_put_double(j, "rate", (double)h->found[i] / (double)h->visited[i]);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

int report_json(const struct report *r, struct json *j)
{
	struct requisites_search search;
	struct harvest harvest = {0};
	int rc = requisites_search_init(&search, &r->requisites);

	if (rc == 0)
		rc = harvest_count(r, &harvest);
	if (rc) {
		requisites_search_release(&search);
		return rc;
	}
	json_document_begin(j);
	put_report(j, r);
	json_key(j, "verdicts");
	json_array_begin(j);
	for (size_t i = 0; i < r->pages.len; i++) {
		json_object_begin(j);
		report_json_page(r, (uint32_t)i, j);
		if (r->lists_requisites)
			put_requisites(j, r, (uint32_t)i, &search);
		json_object_end(j);
	}
	json_array_end(j);
	put_left_out(j, r);
	put_topic(j, r, &harvest);
	put_dust(j, r);
	put_mirrors(j, r);
	json_object_end(j);
	requisites_search_release(&search);
	return 0;
}
