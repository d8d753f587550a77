#include "quality/report.h"

#include "quality/clock_watch.h"
#include "quality/expect.h"
#include "quality/legs.h"
#include "quality/normal.h"

/* Of strings; a catalog that needs more is no catalog of one machine. */
#define ARENA_MAX ((size_t)16 << 30)

enum { RULES_MAX = 64 << 20 }; /* texts of the rules of one page's attempts */

/* A reading of the catalog under way. */
struct loading {
	struct report *report;
	struct err *err;
	struct legs_terms terms;
	struct clock_watch watch;
	struct legs legs;   /* of the page whose observations are coming */
	struct arena rules; /* their texts of rules */
	uint32_t page;
};

static int damaged(struct loading *l, const char *what, uint32_t page)
{
	return err_set(l->err, ERR_IO, "the catalog is damaged: %s of page %u", what, page);
}

static int on_page(void *context, const struct catalog_page *p)
{
	struct loading *l = context;
	struct report *r = l->report;
	struct report_page page = {
		.rate = p->rate,
		.shape = p->shape,
		.weight = p->weight,
		.taken = p->taken,
		.left_out = (uint8_t)p->left_out,
		.content = (uint8_t)p->content,
	};
	int rc;

	if (p->number != r->pages.len)
		return damaged(l, "the number", p->number);
	page.url = (slice){arena_strdup(&r->arena, p->url), p->url.len};
	rc = page.url.ptr ? words_keep(&r->words, p->kind, &page.kind) : ERR_NOMEM;
	if (rc == 0 && !p->taken)
		rc = words_keep(&r->words, p->rule, &page.reason);
	if (rc == 0)
		rc = report_pages_push(&r->pages, page);
	return err_code(l->err, rc);
}

static int on_unkept(void *context, enum left_out reason, uint64_t links)
{
	struct loading *l = context;

	l->report->left_out[reason] += links;
	l->report->unkept += links;
	return 0;
}

static int on_plan(void *context, const struct catalog_plan *p)
{
	struct loading *l = context;

	if (p->page >= l->report->pages.len)
		return damaged(l, "the plan", p->page);
	l->report->pages.ptr[p->page].hopeless = p->hopeless;
	return 0;
}

static int on_times(void *context, const struct attempt *a)
{
	struct loading *l = context;

	stillpoint_add(&l->report->window, a->leg, &a->wall);
	return 0;
}

static int on_clock(void *context, const struct catalog_clock *k)
{
	struct loading *l = context;

	clock_watch_add(&l->watch, k);
	return 0;
}

static struct report_leg leg_of(const struct observation *o, unsigned attempts)
{
	return (struct report_leg){
		.start = o->start,
		.end = o->end,
		.attempts = attempts,
		.status = (uint16_t)o->status,
		.made = o->made,
	};
}

/* The rules that were needed, in the text that the report keeps. */
static int keep_rules(struct loading *l, struct report_page *page, const struct legs *legs)
{
	struct normal_rule needed[NOISE_RULE_COUNT];
	const struct observation *a = &legs->visit, *b = &legs->revisit;
	char text[NORMAL_RULES_SIZE];
	size_t rules = 0, len = 0;

	if (a->rule_set && a->rule_set == b->rule_set)
		rules = normal_rules_needed(a->rules, b->rules, needed);
	for (size_t i = 0; i < rules; i++) {
		bool counts = page->evidence && strcmp(page->evidence, "normalised") == 0;

		len += normal_rule_format(&needed[i], len > 0, text + len, sizeof text - len);
		l->report->rules[needed[i].rule].pages += counts;
		l->report->rules[needed[i].rule].count += counts ? needed[i].count : 0;
	}
	if (a->rule_set > l->report->rule_set)
		l->report->rule_set = a->rule_set;
	page->masked = a->masked > b->masked ? a->masked : b->masked;
	page->close_delimited = a->close_delimited || b->close_delimited;
	return len ? words_keep(&l->report->words, (slice){text, len}, &page->rules) : 0;
}

static void judge_page(struct loading *l, struct report_page *page, const struct legs *legs)
{
	struct judgement j = legs_judge(legs, &l->terms);

	page->visit = leg_of(&legs->visit, legs->visits);
	page->revisit = leg_of(&legs->revisit, legs->revisits);
	page->usable_visit = observation_is_usable(&legs->visit);
	page->usable_revisit = observation_is_usable(&legs->revisit);
	if (!page->taken) {
		page->verdict = VERDICT_EXCLUDED;
		return;
	}
	page->verdict = (uint8_t)j.verdict;
	page->evidence = j.evidence;
	page->reason = j.reason;
}

static int end_page(struct loading *l)
{
	int rc = 0;

	if (l->page != CATALOG_NO_PAGE) {
		struct report_page *page = &l->report->pages.ptr[l->page];

		judge_page(l, page, &l->legs);
		rc = keep_rules(l, page, &l->legs);
	}
	l->legs = (struct legs){0};
	l->page = CATALOG_NO_PAGE;
	arena_reset(&l->rules);
	return err_code(l->err, rc);
}

/* A row's text of rules, until its page is judged. */
static int borrow_rules(struct loading *l, struct observation *shown)
{
	if (!shown->rules.ptr)
		return 0;
	shown->rules.ptr = arena_strdup(&l->rules, shown->rules);
	return shown->rules.ptr ? 0 : ERR_NOMEM;
}

/* They come page by page: a page is judged when the next one begins. */
static int on_observation(void *context, const struct attempt *o)
{
	struct loading *l = context;
	struct observation shown = legs_observe(o);
	int rc;

	if (o->page != l->page) {
		rc = end_page(l);
		if (rc)
			return rc;
		l->page = o->page;
	}
	if (o->page == CATALOG_NO_PAGE)
		return 0;
	if (o->page >= l->report->pages.len)
		return damaged(l, "an observation", o->page);
	rc = words_keep(&l->report->words, o->failure, &shown.failure);
	if (rc == 0)
		rc = borrow_rules(l, &shown);
	if (rc)
		return err_code(l->err, rc);
	legs_add(&l->legs, o, &shown);
	return 0;
}

static int judge_all(struct loading *l, struct catalog *c, uint32_t id)
{
	struct report *r = l->report;
	struct legs none = {0};
	int rc;

	l->terms = (struct legs_terms){.single = r->capture.single,
		.window = r->window,
		.state = r->capture.state,
		.ended_by = r->capture.ended_by};
	for (size_t i = 0; i < r->pages.len; i++)
		judge_page(l, &r->pages.ptr[i], &none);
	l->page = CATALOG_NO_PAGE;
	rc = catalog_each_observation(c, id, on_observation, l, l->err);
	return rc ? rc : end_page(l);
}

static void count(struct report *r)
{
	const struct report_page *first = NULL;

	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = &r->pages.ptr[i];

		r->totals[p->verdict]++;
		if (p->evidence && p->verdict == VERDICT_SHARP)
			*(strcmp(p->evidence, "bytes") ? &r->sharp_normalised : &r->sharp_bytes) +=
				1;
		r->captured += verdict_is_captured((enum verdict)p->verdict);
		r->left_out[p->left_out] += !p->taken;
		r->out_of_scope += report_is_out_of_scope(p);
		first = first || !p->taken ? first : p;
		r->rates_differ = r->rates_differ || (p->taken && p->rate != first->rate);
		r->soft_404 += p->content == CATALOG_CONTENT_SOFT_404;
	}
}

bool report_is_out_of_scope(const struct report_page *p)
{
	return !p->taken && p->left_out == LEFT_OUT_SCOPE;
}

static int load(struct loading *l, struct catalog *c, uint32_t capture)
{
	struct report *r = l->report;
	int rc = catalog_get_capture(c, capture, &r->arena, &r->capture, l->err);
	uint32_t id = r->capture.id;

	if (rc == 0)
		rc = catalog_each_page(c, id, on_page, l, l->err);
	if (rc == 0)
		rc = catalog_each_unkept(c, id, on_unkept, l, l->err);
	if (rc == 0)
		rc = catalog_each_plan(c, id, on_plan, l, l->err);
	if (rc == 0)
		rc = catalog_each_times(c, id, on_times, l, l->err);
	if (rc == 0)
		rc = catalog_each_clock(c, id, on_clock, l, l->err);
	r->window.clock_set = l->watch.set || r->capture.caveats & CATALOG_CAVEAT_CLOCK;
	if (rc == 0)
		rc = judge_all(l, c, id);
	if (rc)
		return rc;
	count(r);
	r->expected_sharp = expect_sharp(r);
	r->blur = expect_blur(r);
	return 0;
}

int report_load(struct report *r, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct loading l = {.report = r, .err = err};
	int rc;

	*r = (struct report){0};
	arena_init(&r->arena, ARENA_MAX);
	arena_init(&l.rules, RULES_MAX);
	words_init(&r->words, &r->arena);
	rc = load(&l, catalog, capture);
	arena_release(&l.rules);
	if (rc)
		report_release(r);
	return rc;
}

static int on_capture(void *context, const struct catalog_capture *c)
{
	return u32_vec_push(context, c->id);
}

int report_captures(struct catalog *catalog, struct u32_vec *ids, struct err *err)
{
	return catalog_each_capture(catalog, on_capture, ids, err);
}

void report_release(struct report *r)
{
	report_pages_release(&r->pages);
	words_release(&r->words);
	arena_release(&r->arena);
	*r = (struct report){0};
}
