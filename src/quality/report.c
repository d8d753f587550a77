#include "quality/report.h"

#include <stdio.h>

#include "base/word.h"

#include "quality/clock_watch.h"
#include "quality/composite.h"
#include "quality/expect.h"
#include "quality/farm.h"
#include "quality/learned_pages.h"
#include "quality/legs.h"
#include "quality/pair.h"
#include "quality/same_body.h"

/* Of strings; a catalog that needs more is no catalog of one machine. */
#define ARENA_MAX ((size_t)16 << 30)

#define NS_PER_SECOND INT64_C(1000000000)

enum { RULES_MAX = 64 << 20 }; /* texts of the rules of one page's attempts */

/* A reading of the catalog under way. */
struct loading {
	struct report *report;
	struct err *err;
	struct legs_terms terms;
	struct clock_watch watch;
	struct legs legs;   /* of the page whose observations are coming */
	struct arena rules; /* their texts of rules */
	struct same_bodies same;
	bool is_first; /* pass: bodies are counted, and no more */
	uint32_t page;
	struct learned_pages learned;
	struct observation probe; /* for variants of the page */
	uint32_t with_cookies;    /* page plus one that was counted last */
};

/* Observations come page by page. */
static void note_cookies(struct loading *l, const struct attempt *o)
{
	if (o->leg == ATTEMPT_PROBE) {
		l->report->sessions += slice_eq(o->purpose, SLICE("session"));
	} else if (slice_eq(o->purpose, SLICE("cookies")) && l->with_cookies != o->page + 1) {
		l->with_cookies = o->page + 1;
		l->report->cookies++;
	}
}

static int damaged(struct loading *l, const char *what, uint32_t page)
{
	return err_set(l->err, ERR_IO, "the catalog is damaged: %s of page %u", what, page);
}

static int on_page(void *context, const struct catalog_page *p)
{
	struct loading *l = context;
	struct report *r = l->report;
	struct report_page page = {
		.cloaked = -1,
		.rate = p->rate,
		.shape = p->shape,
		.weight = p->weight,
		.taken = p->taken,
		.is_told = catalog_is_told(p->found),
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

/* Rules that were withdrawn, or that nothing speaks for, are not of interest. */
static int on_dust(void *context, const struct catalog_dust *d)
{
	struct loading *l = context;
	struct report_dust dust = {
		.urls = d->urls,
		.applied = d->applied,
		.is_mirror = d->kind == CATALOG_DUST_MIRROR,
		.agreed = d->agreed,
		.disagreed = d->disagreed,
		.passed = d->passed,
	};
	int rc;

	if (d->state == CATALOG_DUST_WITHDRAWN || d->agreed + d->passed == 0)
		return 0;
	rc = words_keep(&l->report->words, d->rule, &dust.rule);
	if (rc == 0)
		rc = words_keep(&l->report->words, d->site, &dust.site);
	if (rc == 0)
		rc = words_keep(&l->report->words, d->detail, &dust.of);
	if (rc == 0)
		rc = report_dusts_push(&l->report->dust, dust);
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

static int on_learned(void *context, const struct catalog_learned *line)
{
	struct loading *l = context;
	int rc = learned_pages_add(&l->learned, line->rule);

	/* What a later version wrote says nothing here. */
	return rc == ERR_NOMEM ? err_code(l->err, rc) : 0;
}

static int on_clock(void *context, const struct catalog_clock *k)
{
	struct loading *l = context;

	clock_watch_add(&l->watch, k);
	return 0;
}

static struct report_leg leg_of(const struct observation *o, unsigned attempts, unsigned number)
{
	return (struct report_leg){
		.number = number,
		.start = o->start,
		.end = o->end,
		.modified = o->modified,
		.attempts = attempts,
		.status = (uint16_t)o->status,
		.made = o->made,
	};
}

/*
 * The rules that a look of version 1 needed: "NAME=COUNT:MARK …", of which those count that the
 * other look has not in the same way.
 */
static size_t list_old_rules(slice a, slice b, char text[PAIR_RULES_SIZE])
{
	size_t len = 0;
	slice word;

	while (word_next(&b, ' ', &word)) {
		slice left = a, other;
		bool is_equal = false;
		int n;

		while (!is_equal && word_next(&left, ' ', &other))
			is_equal = slice_eq(word, other);
		word = slice_take(&word, ':');
		n = is_equal ? 0
			     : snprintf(text + len, PAIR_RULES_SIZE - len, "%s%.*s", len ? " " : "",
				       slice_shown(word, 200), word.ptr);
		if (n > 0 && len + (size_t)n < PAIR_RULES_SIZE)
			len += (size_t)n;
	}
	return len;
}

static int count_rules(struct loading *l, slice text, unsigned version)
{
	struct acted_rule rule = {.pages = 1};
	int rc = 0;

	while (rc == 0 && acted_next(&text, &rule.name, &rule.count)) {
		rule.version = version;
		rc = acted_add(&l->report->rules, &l->report->words, &rule);
	}
	return rc;
}

/* Changes that a reader does not see: all but text, links and structure. */
static bool is_inside(slice changed_in)
{
	slice word;

	if (changed_in.len == 0)
		return false;
	while (word_next(&changed_in, ',', &word))
		if (!slice_eq(word, SLICE("code")) && !slice_eq(word, SLICE("style")))
			return false;
	return true;
}

/* What the comparison of a page's looks found, in the text that the report keeps. */
static int keep_rules(struct loading *l, struct report_page *page, const struct legs *legs,
	const struct learning_line *line)
{
	const struct observation *a = &legs->visit, *b = &legs->revisit;
	bool by_rules = page->evidence && strcmp(page->evidence, "normalised") == 0;
	char text[PAIR_RULES_SIZE];
	slice rules = line ? line->rules : b->rules;
	int rc = 0;

	if (by_rules)
		page->rule_set =
			line && a->rule_set != 1 ? NOISE_RULES_VERSION : (uint8_t)b->rule_set;
	if (!line && b->rule_set == 1)
		rules = (slice){text, list_old_rules(a->rules, b->rules, text)};
	page->close_delimited = a->close_delimited || b->close_delimited;
	page->foreign_times = a->foreign_times || b->foreign_times;
	if (page->verdict == VERDICT_CHANGED && pair_changed_in(rules).ptr)
		rc = words_keep(&l->report->words, pair_changed_in(rules), &page->changed_in);
	l->report->changed_inside += is_inside(page->changed_in);
	if (rc || !by_rules)
		return rc;
	page->masked = line ? line->masked : b->masked;
	l->report->on_rule_set_1 += page->rule_set == 1;
	if (page->rule_set > l->report->rule_set)
		l->report->rule_set = page->rule_set;
	rc = rules.len ? words_keep(&l->report->words, rules, &page->rules) : 0;
	return rc ? rc : count_rules(l, page->rules, page->rule_set);
}

/*
 * A response of that Age shows what the origin had sent so long before it was asked for: the claim
 * reaches the origin if the still point is earlier than that, with a second for rounding.
 */
static int8_t origin_of(const struct stillpoint *window, const struct observation *revisit)
{
	int64_t sent = revisit->start - ((int64_t)revisit->age.seconds + 1) * NS_PER_SECOND;

	if (!revisit->age.known)
		return -1;
	return (int8_t)(window->to < sent);
}

static void judge_page(struct loading *l, struct report_page *page, const struct legs *legs)
{
	struct judgement j = legs_judge(legs, &l->terms);

	page->origin = -1;
	page->visit = leg_of(&legs->visit, legs->visits, legs->visit_number);
	page->revisit = leg_of(&legs->revisit, legs->revisits, legs->revisit_number);
	page->late = legs->late;
	page->usable_visit = observation_is_usable(&legs->visit);
	page->usable_revisit = observation_is_usable(&legs->revisit);
	if (!page->taken) {
		page->verdict = page->left_out == LEFT_OUT_LOST ? VERDICT_FAILED : VERDICT_EXCLUDED;
		return;
	}
	page->verdict = (uint8_t)j.verdict;
	page->evidence = j.evidence;
	page->reason = j.reason;
	page->cached = legs->visit.cached || legs->revisit.cached;
	if (j.verdict == VERDICT_SHARP || j.verdict == VERDICT_ABSENT)
		page->origin = origin_of(&l->terms.window, &legs->revisit);
}

/* Whether a look without cookies, or in another language, shows something else. */
static bool is_variant(const struct legs *legs, const struct observation *probe)
{
	const struct observation *near = &legs->revisit;

	if (!observation_is_usable(probe) || !observation_is_usable(near) ||
		!observation_same(&legs->visit, near))
		return false;
	return !observation_same(near, probe);
}

/* In the first reading only bodies are counted. */
static int end_first(struct loading *l, const struct report_page *page)
{
	int rc = same_bodies_add(&l->same, page->url, &l->legs);

	l->probe = (struct observation){0};
	l->legs = (struct legs){0};
	l->page = CATALOG_NO_PAGE;
	arena_reset(&l->rules);
	return err_code(l->err, rc);
}

static void apply_learned(struct loading *l, const struct learning_line *line)
{
	learned_pages_apply(line, &l->legs);
	known_share(&l->report->known, l->legs.visit.start, l->legs.revisit.start, &line->class);
}

static int end_page(struct loading *l)
{
	int rc = 0;

	if (l->page != CATALOG_NO_PAGE) {
		struct report_page *page = &l->report->pages.ptr[l->page];
		const struct learning_line *line =
			learned_pages_find(&l->learned, page->url, &l->legs);

		if (l->is_first)
			return end_first(l, page);
		if (same_bodies_mark(&l->same, &l->legs))
			known_forget(&l->report->known);
		if (line)
			apply_learned(l, line);
		judge_page(l, page, &l->legs);
		page->login_box = l->legs.visit.login_box;
		page->variant = is_variant(&l->legs, &l->probe);
		rc = keep_rules(l, page, &l->legs, line);
		if (rc == 0)
			rc = known_page(&l->report->known, l->page, page->url);
	}
	l->probe = (struct observation){0};
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

/* Of two probes of a page the one that shows something else counts. */
static struct observation worst_probe(const struct loading *l, const struct observation *shown)
{
	bool differs = is_variant(&l->legs, &l->probe);

	return differs ? l->probe : *shown;
}

/* A page was visited again behind a cookie gate. */
static int keep_cookie(struct report *r, slice purpose)
{
	r->gated++;
	return words_keep(&r->words, slice_sub(purpose, sizeof ATTEMPT_COOKIE - 1, purpose.len),
		&r->gate_cookie);
}

/* What a visit showed, or a browser got in its place. */
static int keep_deceit(struct report *r, const struct attempt *o)
{
	struct report_page *p = &r->pages.ptr[o->page];

	if (o->leg == ATTEMPT_PROBE) {
		p->cloaked = slice_starts_with(o->deceit, SLICE("cloaked=true")) ? 1 : 0;
		return 0;
	}
	p->deceit = (slice){arena_strdup(&r->arena, o->deceit), o->deceit.len};
	return p->deceit.ptr ? 0 : ERR_NOMEM;
}

/* They come page by page: a page is judged when the next one begins. */
static int on_observation(void *context, const struct attempt *o)
{
	struct loading *l = context;
	struct observation shown = legs_observe(o);
	int rc;

	if (l->is_first)
		stillpoint_add(&l->report->window, o->leg, &o->wall);
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
	rc = legs_keep_texts(&shown, &l->report->words);
	if (rc == 0)
		rc = borrow_rules(l, &shown);
	if (rc == 0 && !l->is_first)
		rc = known_look(&l->report->known, o, &shown);
	if (rc)
		return err_code(l->err, rc);
	legs_add(&l->legs, o, &shown);
	if (!l->is_first && o->leg == ATTEMPT_LOOK && observation_is_usable(&shown)) {
		l->report->pages.ptr[o->page].looks++;
		l->report->pages.ptr[o->page].last_look = o->wall.last_byte;
	}
	if (!l->is_first)
		note_cookies(l, o);
	if (o->deceit.ptr && l->is_first)
		rc = keep_deceit(l->report, o);
	if (rc)
		return err_code(l->err, rc);
	if (!l->is_first && slice_starts_with(o->purpose, SLICE(ATTEMPT_COOKIE)))
		rc = keep_cookie(l->report, o->purpose);
	if (rc)
		return err_code(l->err, rc);
	if (o->leg == ATTEMPT_PROBE &&
		(slice_eq(o->purpose, SLICE("variant")) || slice_eq(o->purpose, SLICE("language"))))
		l->probe = worst_probe(l, &shown);
	return 0;
}

/* The first reading: when the looks were, and how often their bodies came. */
static int read_first(struct loading *l, struct catalog *c, uint32_t id)
{
	int rc;

	l->page = CATALOG_NO_PAGE;
	l->is_first = true;
	rc = catalog_each_observation(c, id, on_observation, l, l->err);
	if (rc == 0)
		rc = end_page(l);
	l->is_first = false;
	same_bodies_find(&l->same);
	return rc;
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
	rc = catalog_each_observation(c, id, on_observation, l, l->err);
	return rc ? rc : end_page(l);
}

/* What the server asserts of pages that nothing proves: at the still point, and no more. */
static void assert_pages(struct report *r)
{
	for (uint32_t i = 0; i < r->pages.len; i++) {
		struct report_page *p = &r->pages.ptr[i];
		size_t intervals;
		const struct interval *list = known_asserted(&r->known, i, &intervals);

		if (p->verdict != VERDICT_UNCONFIRMED && p->verdict != VERDICT_SINGLE)
			continue;
		for (size_t n = 0; n < intervals; n++)
			if (stillpoint_is_within(&r->window, list[n].from, list[n].to))
				p->evidence = interval_evidence_name(INTERVAL_ASSERTED);
		r->asserted += p->evidence != NULL;
	}
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
		r->vanished += p->is_told && p->verdict == VERDICT_ABSENT;
		r->variants += p->variant;
	}
	acted_sort(&r->rules);
}

bool report_is_watched(const struct report *r)
{
	return slice_eq(r->capture.strategy, SLICE("watch"));
}

bool report_is_judged(const struct report *r)
{
	return r->capture.caveats & CATALOG_CAVEAT_AFTERWARDS;
}

bool report_is_out_of_scope(const struct report_page *p)
{
	return !p->taken && p->left_out == LEFT_OUT_SCOPE;
}

/* The version of the user's rules, if there are any. What cannot be read has none. */
static int name_ignore(struct report *r)
{
	struct rulebook book;
	int rc;

	rulebook_init(&book);
	rc = rulebook_add_settings(&book, r->capture.settings);
	if (rc == 0 && book.text.len)
		rc = rulebook_finish(&book, "--ignore", NULL);
	if (rc == 0 && book.has_ignore)
		(void)digest_format(&book.ignore.digest, r->ignore);
	rulebook_release(&book);
	return rc == ERR_NOMEM ? rc : 0;
}

static int load(struct loading *l, struct catalog *c, uint32_t capture)
{
	struct report *r = l->report;
	int rc = catalog_get_capture(c, capture, &r->arena, &r->capture, l->err);
	uint32_t id = r->capture.id;

	if (rc == 0)
		rc = err_code(l->err, name_ignore(r));
	if (rc == 0)
		rc = catalog_each_page(c, id, on_page, l, l->err);
	if (rc == 0)
		rc = catalog_each_unkept(c, id, on_unkept, l, l->err);
	if (rc == 0)
		rc = catalog_each_dust(c, id, on_dust, l, l->err);
	if (rc == 0)
		rc = catalog_each_plan(c, id, on_plan, l, l->err);
	if (rc == 0)
		rc = read_first(l, c, id);
	if (rc == 0)
		rc = catalog_each_clock(c, id, on_clock, l, l->err);
	if (rc == 0 && report_is_judged(r))
		r->window = (struct stillpoint){
			.from = r->capture.still_from, .to = r->capture.still_to};
	r->window.clock_set = l->watch.set || r->capture.caveats & CATALOG_CAVEAT_CLOCK;
	r->window.earlier = clock_watch_earlier(&l->watch);
	r->window.later = clock_watch_later(&l->watch);
	if (rc == 0)
		rc = catalog_each_learned(c, id, on_learned, l, l->err);
	if (rc == 0)
		rc = judge_all(l, c, id);
	if (rc == 0)
		rc = err_code(l->err, known_finish(&r->known, &r->window));
	if (rc == 0)
		rc = requisites_load(&r->requisites, c, id, r->pages.len, l->err);
	if (rc == 0)
		rc = err_code(l->err, composite_judge(r));
	if (rc == 0)
		rc = farm_find(r, c, l->err);
	if (rc)
		return rc;
	assert_pages(r);
	r->learned = l->learned.rules.rules.len;
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
	learned_pages_init(&l.learned);
	words_init(&r->words, &r->arena);
	known_init(&r->known);
	rc = load(&l, catalog, capture);
	arena_release(&l.rules);
	learned_pages_release(&l.learned);
	same_bodies_release(&l.same);
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
	report_dusts_release(&r->dust);
	known_release(&r->known);
	requisites_release(&r->requisites);
	acted_rules_release(&r->rules);
	words_release(&r->words);
	arena_release(&r->arena);
	*r = (struct report){0};
}
