#include "proof/report_json.h"

#include <math.h>

#include "base/clock.h"
#include "base/word.h"
#include "catalog/unknown_rate.h"
#include "formats/deceit.h"
#include "proof/composite.h"
#include "proof/expect.h"
#include "proof/pair.h"
#include "proof/tally.h"

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

/* ---- the table of pages ---- */

static const struct report *report_of(const struct table *t)
{
	return ((const struct report_rows *)t->context)->report;
}

static const struct report_page *page_of(const struct table *t, size_t row)
{
	return report_page_at(report_of(t), row);
}

static const struct page_records *records_of(const struct table *t, size_t row)
{
	return &((const struct report_rows *)t->context)->records->pages.ptr[row];
}

static const char *verdict_word(uint64_t v)
{
	return verdict_name((enum verdict)v);
}

static const char *composite_word(uint64_t v)
{
	return composite_name((enum composite)v);
}

static struct cell get_left_out(const struct table *t, size_t row)
{
	const struct report_page *p = page_of(t, row);

	return cell_string(p->taken ? NULL : left_out_word((enum left_out)p->left_out));
}

static struct cell get_evidence(const struct table *t, size_t row)
{
	return cell_string(same_by_name((enum same_by)page_of(t, row)->evidence));
}

static struct cell get_soft_404(const struct table *t, size_t row)
{
	return (struct cell){
		.kind = CELL_BOOL, .number = page_of(t, row)->content == CATALOG_CONTENT_SOFT_404};
}

static struct cell get_masked(const struct table *t, size_t row)
{
	return cell_double((double)page_of(t, row)->masked / PAIR_MILLION);
}

/* Of a page of which nothing was known there is none to show. */
static struct cell get_known_rate(const struct table *t, size_t row)
{
	const struct report_page *p = page_of(t, row);

	return cell_double(unknown_rate_is(p->rate, p->shape) ? NAN : p->rate);
}

static void put_rules_of(const struct table *t, size_t row, struct json *j)
{
	const struct report_page *p = page_of(t, row);
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
}

static void put_changed_in(const struct table *t, size_t row, struct json *j)
{
	slice left = page_of(t, row)->changed_in, name;

	json_key(j, "changed_in");
	json_array_begin(j);
	while (word_next(&left, ',', &name))
		json_slice(j, name);
	json_array_end(j);
}

static void put_flags(const struct table *t, size_t row, struct json *j)
{
	const struct report_page *p = page_of(t, row);
	const struct {
		bool is_set;
		const char *name;
	} flags[] = {
		{known_is_divergent(&report_of(t)->known, (uint32_t)row), "divergent"},
		{p->cached, "cached"},
		{p->close_delimited, "close-delimited"},
		{p->foreign_times, "foreign-times"},
		{p->variant, "variant"},
		{p->login_box, "login-box"},
	};

	json_key(j, "flags");
	json_array_begin(j);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].is_set)
			json_string(j, flags[i].name);
	json_array_end(j);
}

static void put_known(const struct table *t, size_t row, struct json *j)
{
	const struct report *r = report_of(t);
	int8_t origin = page_of(t, row)->origin;
	size_t count;
	const struct interval *list = known_proven(&r->known, (uint32_t)row, &count);

	json_key(j, "origin");
	if (origin < 0)
		json_null(j);
	else
		json_bool(j, origin > 0);
	put_intervals(j, "proven", list, count);
	list = known_asserted(&r->known, (uint32_t)row, &count);
	put_intervals(j, "asserted", list, count);
}

/* Scores and features are those of the visit. */
static void put_deceit(const struct table *t, size_t row, struct json *j)
{
	const struct report_page *p = page_of(t, row);
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

static void put_requisites(const struct table *t, size_t row, struct json *j)
{
	const struct report_rows *rows = t->context;
	const struct report *r = rows->report;
	enum coherence state;

	if (!rows->search)
		return;
	requisites_find(&r->requisites, (uint32_t)row, rows->search);
	json_key(j, "requisites");
	json_array_begin(j);
	for (size_t i = 0; i < rows->search->parts.len; i++) {
		uint32_t part = rows->search->parts.ptr[i];
		bool known = composite_state(&r->pages.ptr[row], &r->pages.ptr[part], &state);

		json_object_begin(j);
		json_put_uint(j, "page", part);
		json_put_string(j, "state", known ? coherence_name(state) : NULL);
		json_object_end(j);
	}
	json_array_end(j);
}

/* Places of records, as pages pack them: -1 for none. */
static struct cell get_place(const struct record_place *place)
{
	return place->known ? cell_uint(place->file) : cell_double(-1);
}

static struct cell get_visit_file(const struct table *t, size_t row)
{
	return get_place(&records_of(t, row)->visit);
}

static struct cell get_revisit_file(const struct table *t, size_t row)
{
	return get_place(&records_of(t, row)->revisit);
}

static struct cell get_visit_offset(const struct table *t, size_t row)
{
	return cell_uint(records_of(t, row)->visit.offset);
}

static struct cell get_revisit_offset(const struct table *t, size_t row)
{
	return cell_uint(records_of(t, row)->revisit.offset);
}

static struct cell get_digest(const struct table *t, const struct digest *digest)
{
	const struct report_rows *rows = t->context;

	(void)digest_format(digest, rows->digest);
	return cell_string(rows->digest);
}

static struct cell get_visit_digest(const struct table *t, size_t row)
{
	const struct record_place *place = &records_of(t, row)->visit;

	return place->has_payload ? get_digest(t, &place->payload) : (struct cell){0};
}

/* None also where it is that of the visit. */
static struct cell get_revisit_digest(const struct table *t, size_t row)
{
	const struct page_records *r = records_of(t, row);
	bool is_own = r->revisit.has_payload &&
		      !(r->visit.has_payload && digest_eq(&r->visit.payload, &r->revisit.payload));

	return is_own ? get_digest(t, &r->revisit.payload) : (struct cell){0};
}

#define PAGE(member) MEMBER(struct report_page, member)
#define BOTH         (TABLE_JSON | TABLE_CSV)

/* A row here is a column everywhere: JSON and CSV in this order, HTML by place, packed data. */
static const struct column COLUMNS[] = {
	{"url", BOTH, PAGE(url), UNIT_URL, .heading = "URL", .place = 1, .packed = "url"},
	{"kind", BOTH, PAGE(kind)},
	{"status", BOTH, PAGE(visit.status), .zero_is_none = true, .place = 3, .packed = "status"},
	{"revisit_status", TABLE_JSON, PAGE(revisit.status), .zero_is_none = true,
		.packed = "revisitStatus"},
	{"visit_start", BOTH, PAGE(visit.start), UNIT_TIME, .packed = "visitStart"},
	{"visit_end", BOTH, PAGE(visit.end), UNIT_TIME_UP, .heading = "visit ended", .place = 4,
		.packed = "visitEnd"},
	{"revisit_start", BOTH, PAGE(revisit.start), UNIT_TIME, .heading = "revisit began",
		.place = 5, .packed = "revisitStart"},
	{"revisit_end", BOTH, PAGE(revisit.end), UNIT_TIME_UP, .packed = "revisitEnd"},
	{"verdict", BOTH, PAGE(verdict), .word = verdict_word, .place = 2, .packed = "verdict"},
	{"evidence", BOTH, .get = get_evidence, .packed = "evidence"},
	{"composite", TABLE_JSON, PAGE(composite), .word = composite_word},
	{.forms = TABLE_JSON, .put = put_rules_of},
	{"rule_set", TABLE_JSON, PAGE(rule_set), .zero_is_none = true},
	{.forms = TABLE_JSON, .put = put_changed_in},
	{"masked_visible", TABLE_JSON, .get = get_masked},
	{.forms = TABLE_JSON, .put = put_flags},
	{.forms = TABLE_JSON, .put = put_known},
	{"reason", BOTH, PAGE(reason), UNIT_WORDS, .place = 6, .packed = "reason"},
	{"rate", BOTH, PAGE(rate), .digits = 9},
	{"weight", BOTH, PAGE(weight), .digits = 9},
	{"hopeless", BOTH, PAGE(hopeless)},
	{"left_out", TABLE_JSON, .get = get_left_out},
	{"soft_404", TABLE_JSON, .get = get_soft_404},
	{.forms = TABLE_JSON, .put = put_deceit},
	{.forms = TABLE_JSON, .put = put_requisites},
	{.get = get_known_rate, .packed = "rate"},
	{.get = get_visit_file, .packed = "visitFile"},
	{.get = get_visit_offset, .packed = "visitOffset"},
	{.get = get_visit_digest, .packed = "visitDigest"},
	{.get = get_revisit_file, .packed = "revisitFile"},
	{.get = get_revisit_offset, .packed = "revisitOffset"},
	{.get = get_revisit_digest, .packed = "revisitDigest"},
};

struct table report_table(const struct report_rows *rows)
{
	return (struct table){.columns = COLUMNS,
		.count = sizeof COLUMNS / sizeof *COLUMNS,
		.context = rows,
		.first = rows->report->pages.ptr,
		.stride = sizeof *rows->report->pages.ptr,
		.rows = rows->report->pages.len};
}

void report_json_page(const struct report *r, uint32_t page, struct json *j)
{
	struct table t = report_table(&(struct report_rows){.report = r});

	table_json_members(&t, page, j);
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

/* Bits of passed: what speaks for a mirror beside its pages. */
enum { MIRROR_NAMES = 1, MIRROR_ADDRESSES = 2 };

static void put_mirror_evidence(const struct table *t, size_t row, struct json *j)
{
	const struct report_dust *d = &((const struct report_dust *)t->first)[row];

	json_key(j, "evidence");
	json_object_begin(j);
	json_put_bool(j, "names", (d->passed & MIRROR_NAMES) != 0);
	json_put_bool(j, "addresses", (d->passed & MIRROR_ADDRESSES) != 0);
	json_put_uint(j, "same", d->agreed);
	json_put_uint(j, "different", d->disagreed);
	json_object_end(j);
}

#define DUST(member) MEMBER(struct report_dust, member)

static const struct column DUST_COLUMNS[] = {
	{"rule", TABLE_JSON, DUST(rule)},
	{"urls", TABLE_JSON, DUST(urls)},
	{"applied", TABLE_JSON, DUST(applied)},
	{"agreed", TABLE_JSON, DUST(agreed)},
	{"confirmed", TABLE_JSON, DUST(passed)},
};

static const struct column MIRROR_COLUMNS[] = {
	{"host", TABLE_JSON, DUST(site)},
	{"of", TABLE_JSON, DUST(of)},
	{"urls", TABLE_JSON, DUST(urls)},
	{"applied", TABLE_JSON, DUST(applied)},
	{.forms = TABLE_JSON, .put = put_mirror_evidence},
};

static void put_dust(struct json *j, const struct report *r, bool is_mirror)
{
	struct table rules = TABLE_OF(DUST_COLUMNS, r->dust);
	struct table mirrors = TABLE_OF(MIRROR_COLUMNS, r->dust);

	json_key(j, is_mirror ? "mirrors" : "dust");
	json_array_begin(j);
	for (size_t i = 0; i < r->dust.len; i++) {
		if (r->dust.ptr[i].is_mirror != is_mirror)
			continue;
		json_object_begin(j);
		table_json_members(is_mirror ? &mirrors : &rules, i, j);
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

static void put_rule_version(const struct table *t, size_t row, struct json *j)
{
	const struct report *r = t->context;
	const struct acted_rule *rule = &r->rules.ptr[row];

	if (slice_starts_with(rule->name, SLICE("ignore:")))
		json_put_string(j, "version", r->ignore);
	else
		json_put_uint(j, "version", rule->version);
}

/* Those that pages which are sharp by rules needed. */
static const struct column RULE_COLUMNS[] = {
	{"name", TABLE_JSON, MEMBER(struct acted_rule, name)},
	{.forms = TABLE_JSON, .put = put_rule_version},
	{"pages", TABLE_JSON, MEMBER(struct acted_rule, pages)},
	{"count", TABLE_JSON, MEMBER(struct acted_rule, count)},
};

/* The instant that most proven intervals contain. */
static void put_best(struct json *j, const struct best_instant *best)
{
	json_key(j, "best_instant");
	json_object_begin(j);
	put_span(j, best->proven ? best->from : 0, best->proven ? best->to : 0);
	json_put_uint(j, "proven", best->proven);
	json_object_end(j);
}

/* What is expected within two standard deviations; null where nothing is. */
static void put_range(struct json *j, const struct report *r)
{
	bool is_none = !expect_is_possible(r);

	json_key(j, "expected_range");
	json_object_begin(j);
	json_put_double(j, "low", is_none ? NAN : r->expected_range.low);
	json_put_double(j, "high", is_none ? NAN : r->expected_range.high);
	json_put_uint_if(j, "unknown", !is_none, r->expected_unknown);
	json_object_end(j);
}

enum { SPOILERS_MAX = 10 };

/* The requisites that keep most pages from being sharp as a whole. */
static void put_spoilers(struct json *j, const struct report *r)
{
	uint32_t pages[SPOILERS_MAX];
	size_t count = composite_spoilers(r, pages, SPOILERS_MAX);

	json_key(j, "spoiled_by");
	json_array_begin(j);
	for (size_t i = 0; i < count; i++) {
		const struct report_page *p = &r->pages.ptr[pages[i]];

		json_object_begin(j);
		json_text(j, "url", p->url);
		json_put_string(j, "verdict", verdict_name((enum verdict)p->verdict));
		json_put_uint(j, "pages", p->spoiled);
		json_object_end(j);
	}
	json_array_end(j);
}

/* The members of a report, but for the verdicts. */
static void put_report(struct json *j, const struct report *r)
{
	struct table rules = TABLE_OF(RULE_COLUMNS, r->rules);

	put_capture(j, r);
	json_put_uint(j, "pages", r->pages.len);
	json_put_uint(j, "captured", r->captured);
	json_put_uint(j, "not_captured", r->not_captured);
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
	put_spoilers(j, r);
	json_object_end(j);
	json_put_double(j, "expected_sharp", r->expected_sharp);
	put_range(j, r);
	json_put_double(j, "blur", r->blur);
	rules.context = r;
	json_key(j, "rules");
	table_json(&rules, j);
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

void report_json(const struct report *r, struct json *j)
{
	struct requisites_search search = {0};
	struct report_rows rows = {.report = r, .search = r->lists_requisites ? &search : NULL};
	struct table pages = report_table(&rows);
	struct harvest harvest = harvest_count(r);

	requisites_search_init(&search, &r->requisites);
	json_document_begin(j);
	put_report(j, r);
	json_key(j, "verdicts");
	table_json(&pages, j);
	put_left_out(j, r);
	put_topic(j, r, &harvest);
	put_dust(j, r, false);
	put_dust(j, r, true);
	provenance_json(&r->provenance, j);
	json_object_end(j);
	requisites_search_release(&search);
}
