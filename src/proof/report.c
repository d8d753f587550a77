#include "proof/report.h"
#include "proof/learned_pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/word.h"
#include "catalog/catalog.h"
#include "formats/deceit.h"
#include "formats/url.h"
#include "proof/clock_watch.h"
#include "proof/composite.h"
#include "proof/expect.h"
#include "proof/learned_lines.h"
#include "proof/legs.h"
#include "proof/link_graph.h"
#include "proof/noise_rules.h"
#include "proof/pair.h"
#include "proof/report_json.h"
#include "proof/report_saved.h"
#include "proof/same_body.h"
#include "warc/warc_writer.h"

static const double NS_PER_MS = 1e6;

static int on_provenance_clock(void *context, const struct catalog_clock *k)
{
	struct report *r = context;
	struct catalog_clock copy = *k;

	copy.moment = arena_keep(&r->arena, k->moment);
	copy.boot = arena_keep(&r->arena, k->boot);
	return provenance_clocks_push(&r->provenance.clocks, copy);
}

static int by_name(const void *a, const void *b)
{
	const struct catalog_warc *x = a, *y = b;

	return warc_name_compare(x->name.ptr, y->name.ptr);
}

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct report *r = context;
	struct catalog_warc copy = *w;

	copy.name = arena_keep(&r->arena, w->name);
	return provenance_files_push(&r->provenance.files, copy);
}

/* The value of a line "name value" of a capture's settings (crawl/settings.h). */
static slice setting_of(slice settings, slice name)
{
	while (settings.len > 0) {
		slice line = slice_take(&settings, '\n');

		if (slice_starts_with(line, name) && line.len > name.len &&
			line.ptr[name.len] == ' ')
			return slice_sub(line, name.len + 1, line.len);
	}
	return (slice){0};
}

static int load_provenance(struct report *r, struct catalog *catalog, struct err *err)
{
	struct provenance *p = &r->provenance;
	slice settings = r->capture.settings;

	p->operator= setting_of(settings, SLICE("operator"));
	p->contact = setting_of(settings, SLICE("contact"));
	p->software = setting_of(settings, SLICE("software"));
	TRY(catalog_each_clock(catalog, r->capture.id, on_provenance_clock, r, err));
	TRY(catalog_each_warc(catalog, on_warc, r, err));
	/* The catalog has them as lanes began them, which a rebuilt one cannot know. */
	if (p->files.len > 1)
		qsort(p->files.ptr, p->files.len, sizeof *p->files.ptr, by_name);
	return 0;
}

void provenance_digest(const struct catalog_warc *w, char out[DIGEST_TEXT_SIZE])
{
	static const size_t NAME = sizeof "sha256:" - 1;

	out[0] = '\0';
	if (w->has_digest && w->digest.kind == DIGEST_SHA256) {
		size_t len = digest_format(&w->digest, out);

		memmove(out, out + NAME, len - NAME + 1);
	}
}

/* ---- how time was kept ---- */

/* How far the wall clock had moved against the times of the capture. */
static double drift_of(const struct catalog_clock *k)
{
	return k->capture_time ? (double)(k->wall - k->capture_time) / NS_PER_MS : 0;
}

void provenance_clock(const struct provenance *p, char out[PROVENANCE_CLOCK_SIZE])
{
	double least = 0, most = 0, error = -1;
	size_t synchronised = 0, begun = 0;
	char within[80] = "";

	out[0] = '\0';
	for (size_t i = 0; i < p->clocks.len; i++) {
		const struct catalog_clock *k = &p->clocks.ptr[i];

		least = fmin(least, drift_of(k));
		most = fmax(most, drift_of(k));
		synchronised += k->synchronised;
		begun += clock_watch_begins(k);
		if (k->maximum_error >= 0)
			error = fmax(error, (double)k->maximum_error / NS_PER_MS);
	}
	if (p->clocks.len == 0)
		return;
	if (synchronised && error >= 0)
		(void)snprintf(within, sizeof within, ", by its own account to %.0f ms", error);
	(void)snprintf(out, PROVENANCE_CLOCK_SIZE,
		"The wall clock was read when %s began, and its time carried on by the monotonic "
		"clock. In %zu of %zu readings the kernel called it synchronised%s. Against the "
		"times of the capture it moved from %+.0f to %+.0f ms.",
		begun > 1 ? "each process" : "the capture", synchronised, p->clocks.len, within,
		least, most);
}

/* ---- JSON ---- */

static struct cell ms_cell(int64_t ns)
{
	return cell_double(ns >= 0 ? (double)ns / NS_PER_MS : NAN);
}

static const struct catalog_clock *clock_at(const struct table *t, size_t row)
{
	return &((const struct catalog_clock *)t->first)[row];
}

static struct cell get_moved(const struct table *t, size_t row)
{
	return cell_double(drift_of(clock_at(t, row)));
}

static struct cell get_estimated(const struct table *t, size_t row)
{
	return ms_cell(clock_at(t, row)->estimated_error);
}

static struct cell get_maximum(const struct table *t, size_t row)
{
	return ms_cell(clock_at(t, row)->maximum_error);
}

static const struct column CLOCK_COLUMNS[] = {
	{"moment", TABLE_JSON, MEMBER(struct catalog_clock, moment)},
	{"wall", TABLE_JSON, MEMBER(struct catalog_clock, wall), UNIT_TIME},
	{"moved_ms", TABLE_JSON, .get = get_moved},
	{"synchronised", TABLE_JSON, MEMBER(struct catalog_clock, synchronised)},
	{"estimated_error_ms", TABLE_JSON, .get = get_estimated},
	{"maximum_error_ms", TABLE_JSON, .get = get_maximum},
};

static void put_sha256(const struct table *t, size_t row, struct json *j)
{
	const struct catalog_warc *files = t->first;
	char sha256[DIGEST_TEXT_SIZE];

	provenance_digest(&files[row], sha256);
	json_put_string(j, "sha256", sha256[0] ? sha256 : NULL);
}

static const struct column FILE_COLUMNS[] = {
	{"name", TABLE_JSON, MEMBER(struct catalog_warc, name)},
	{"size", TABLE_JSON, MEMBER(struct catalog_warc, size)},
	{"complete", TABLE_JSON, MEMBER(struct catalog_warc, complete)},
	{.forms = TABLE_JSON, .put = put_sha256},
};

void provenance_json(const struct provenance *p, struct json *j)
{
	json_key(j, "program");
	json_object_begin(j);
	json_put_string(j, "name", "stillpoint");
	json_put_string(j, "version", STILLPOINT_VERSION);
	json_put_uint(j, "rule_set", NOISE_RULES_VERSION);
	json_text(j, "captured_with", p->software);
	json_object_end(j);
	json_key(j, "operator");
	json_object_begin(j);
	json_text(j, "recorded", p->operator);
	json_text(j, "contact", p->contact);
	json_put_string(j, "said", p->said_operator);
	json_object_end(j);
	json_key(j, "clock");
	table_json(&(struct table)TABLE_OF(CLOCK_COLUMNS, p->clocks), j);
	json_key(j, "warc_files");
	table_json(&(struct table)TABLE_OF(FILE_COLUMNS, p->files), j);
}

/*
 * Link farms: owners of hosts that link to each other to raise their rank (Gyöngyi and
 * Garcia-Molina, "Link spam alliances", VLDB 2005). An owner is a registrable domain, or a host
 * that has none, so the hosts of one organisation are no farm. An owner is in a farm if it and at
 * least FARM_PARTNERS others link to each other and most of these do so among themselves; the share
 * of that is the feature `farm` of its pages that link to three partners or more.
 */

enum { FARM_PARTNERS = 5 };

enum {
	OWNERS_MAX = 4096, /* more of them are no farm that anybody could see through */
	PAGE_PARTNERS = 3,
};

struct farms {
	struct report *report;
	struct link_graph links;
	struct strmap owners; /* name to number */
	uint32_t *owner;      /* by page of the graph */
	bool *both;           /* by pair of owners: they link to each other */
};

/* What stands between "://" and the next "/". */
static slice authority_of(slice url)
{
	const char *from = url.len ? memmem(url.ptr, url.len, "://", 3) : NULL;
	slice rest = from ? slice_sub(url, (size_t)(from - url.ptr) + 3, url.len) : url;

	return rest.len ? slice_take(&rest, '/') : rest;
}

/* Whether there are enough hosts for a farm: most captures have one. */
static bool has_hosts(const struct report *r)
{
	slice seen[FARM_PARTNERS];
	size_t count = 0;

	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);
		slice host = authority_of(p->url);
		size_t k = 0;

		if (!verdict_is_captured((enum verdict)p->verdict))
			continue;
		while (k < count && !slice_eq(seen[k], host))
			k++;
		if (k < count)
			continue;
		if (count == FARM_PARTNERS)
			return true;
		seen[count++] = host;
	}
	return false;
}

static void number_owners(struct farms *f)
{
	size_t n = f->links.pages.len;

	f->owner = mem_new(n + 1, sizeof *f->owner);
	for (size_t i = 0; i < n; i++) {
		slice name = url_owner(f->report->pages.ptr[f->links.pages.ptr[i]].url);

		f->owner[i] = (uint32_t)f->owners.len;
		if (!strmap_get(&f->owners, name, &f->owner[i]) &&
			strmap_put(&f->owners, name, f->owner[i]))
			mem_end();
	}
}

/* First who links to whom, then both ways. */
static void find_pairs(struct farms *f)
{
	size_t count = f->owners.len;
	bool *to = mem_new(count * count + 1, sizeof *to);

	f->both = mem_new(count * count + 1, sizeof *f->both);
	for (size_t i = 0; i < f->links.pages.len; i++)
		for (size_t k = f->links.graph.out.from[i]; k < f->links.graph.out.from[i + 1]; k++)
			to[f->owner[i] * count + f->owner[f->links.graph.out.to[k]]] = true;
	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < count; b++)
			f->both[a * count + b] = a != b && to[a * count + b] && to[b * count + a];
	free(to);
}

/* How much of a clique an owner and its partners are. */
static double clique(const struct farms *f, size_t owner)
{
	const bool *mine = &f->both[owner * f->owners.len];
	size_t partners = 0, pairs = 0;

	for (size_t a = 0; a < f->owners.len; a++) {
		if (!mine[a])
			continue;
		partners++;
		for (size_t b = 0; b < f->owners.len; b++)
			pairs += mine[b] && f->both[a * f->owners.len + b];
	}
	return partners < FARM_PARTNERS
		       ? 0
		       : (double)pairs / ((double)partners * (double)(partners - 1));
}

/* Owners of the pages that a page links to, of those that link back. */
static bool takes_part(const struct farms *f, size_t page)
{
	const struct rank_links *out = &f->links.graph.out;
	const bool *mine = &f->both[f->owner[page] * f->owners.len];
	uint32_t seen[PAGE_PARTNERS];
	size_t count = 0;

	for (size_t i = out->from[page]; i < out->from[page + 1] && count < PAGE_PARTNERS; i++) {
		uint32_t owner = f->owner[out->to[i]];
		size_t k = 0;

		while (k < count && seen[k] != owner)
			k++;
		if (mine[owner] && k == count)
			seen[count++] = owner;
	}
	return count == PAGE_PARTNERS;
}

static void mark(struct report *r, struct report_page *p, double share)
{
	char line[DECEIT_LINE_SIZE];
	struct deceit_signs s;

	(void)deceit_read(p->deceit, &s);
	s.farm = share;
	if (s.entropy <= 0) /* nothing was told of its words */
		s.entropy = 1;
	s.score = deceit_score(&s);
	deceit_write(&s, line);
	p->deceit = arena_keep(&r->arena, slice_str(line));
}

static void mark_pages(struct farms *f)
{
	double *share = mem_new(f->owners.len + 1, sizeof *share);

	for (size_t i = 0; i < f->owners.len; i++)
		share[i] = clique(f, i);
	for (size_t i = 0; i < f->links.pages.len; i++)
		if (share[f->owner[i]] > 0 && takes_part(f, i))
			mark(f->report, &f->report->pages.ptr[f->links.pages.ptr[i]],
				share[f->owner[i]]);
	free(share);
}

/* Adds the feature to the pages of a report that is loaded. 0, or as link_graph_load. */
static SP_MUST_CHECK int farm_find(struct report *r, struct catalog *catalog, struct err *err)
{
	struct farms f = {.report = r};
	int rc;

	if (!has_hosts(r))
		return 0;
	strmap_init(&f.owners, hash_key_random(), NULL);
	rc = link_graph_load(&f.links, r, catalog, err);
	if (rc == 0)
		number_owners(&f);
	if (f.owners.len > FARM_PARTNERS && f.owners.len <= OWNERS_MAX) {
		find_pairs(&f);
		mark_pages(&f);
	}
	link_graph_release(&f.links);
	strmap_release(&f.owners);
	free(f.owner);
	free(f.both);
	return rc;
}

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
	uint32_t pages; /* that have come */
	struct learned_pages learned;
	struct observation probe; /* for variants of the page */
	uint32_t with_cookies;    /* page plus one that was counted last */
	const struct report_observer *also;
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
		.cloaked = -1,
		.rate = p->rate,
		.shape = p->shape,
		.weight = p->weight,
		.taken = p->taken,
		.is_told = catalog_is_told(p->found),
		.left_out = (uint8_t)p->left_out,
		.content = (uint8_t)p->content,
	};

	if (p->number != l->pages || p->number >= r->pages.len)
		return damaged(l, "the number", p->number);
	page.url = arena_keep(&r->arena, p->url);
	page.kind = words_copy(&r->words, p->kind);
	if (!p->taken)
		page.reason = words_copy(&r->words, p->rule);
	*report_page_at(r, l->pages++) = page;
	return 0;
}

/* Rules that were withdrawn, or that nothing speaks for, are not of interest. */
static int on_dust(void *context, const struct catalog_dust *d)
{
	struct loading *l = context;
	struct words *words = &l->report->words;
	struct report_dust dust = {
		.urls = d->urls,
		.applied = d->applied,
		.is_mirror = d->kind == CATALOG_DUST_MIRROR,
		.agreed = d->agreed,
		.disagreed = d->disagreed,
		.passed = d->passed,
	};

	if (d->state == CATALOG_DUST_WITHDRAWN || d->agreed + d->passed == 0)
		return 0;
	dust.rule = words_copy(words, d->rule);
	dust.site = words_copy(words, d->site);
	dust.of = words_copy(words, d->detail);
	return report_dusts_push(&l->report->dust, dust);
}

static int on_unkept(void *context, const struct catalog_unkept *u)
{
	struct loading *l = context;

	l->report->left_out[u->reason] += u->links;
	l->report->unkept += u->links;
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

	/* What a later version wrote says nothing here. */
	(void)!learned_pages_add(&l->learned, line->rule);
	return 0;
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

static void count_rules(struct report *r, slice text, unsigned version)
{
	struct acted_rule rule = {.version = version, .pages = 1};

	while (acted_next(&text, &rule.name, &rule.count))
		acted_add(&r->rules, &r->words, &rule);
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
static void keep_rules(struct report *r, struct report_page *page, const struct legs *legs,
	const struct learning_line *line)
{
	const struct observation *a = &legs->visit, *b = &legs->revisit;
	bool by_rules = page->evidence == SAME_RULES;
	char text[PAIR_RULES_SIZE];
	slice rules = line ? line->rules : b->rules;

	if (by_rules)
		page->rule_set =
			line && a->rule_set != 1 ? NOISE_RULES_VERSION : (uint8_t)b->rule_set;
	if (!line && b->rule_set == 1)
		rules = (slice){text, list_old_rules(a->rules, b->rules, text)};
	page->close_delimited = a->close_delimited || b->close_delimited;
	page->foreign_times = a->foreign_times || b->foreign_times;
	if (page->verdict == VERDICT_CHANGED && pair_changed_in(rules).ptr)
		page->changed_in = words_copy(&r->words, pair_changed_in(rules));
	r->changed_inside += is_inside(page->changed_in);
	if (!by_rules)
		return;
	page->masked = line ? line->masked : b->masked;
	r->on_rule_set_1 += page->rule_set == 1;
	if (page->rule_set > r->rule_set)
		r->rule_set = page->rule_set;
	if (rules.len)
		page->rules = words_copy(&r->words, rules);
	count_rules(r, page->rules, page->rule_set);
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
	page->evidence = (uint8_t)j.evidence;
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

/* All looks at a page have come. In the first reading only bodies are counted. */
static void end_page(struct loading *l)
{
	struct report *r = l->report;

	if (l->page != CATALOG_NO_PAGE) {
		struct report_page *page = &r->pages.ptr[l->page];
		const struct learning_line *line =
			learned_pages_find(&l->learned, page->url, &l->legs);

		/* What is the same under the rules is not replaced by something else. */
		if (line)
			learned_pages_apply(line, &l->legs);
		if (l->is_first) {
			same_bodies_add(&l->same, page->url, &l->legs);
		} else {
			if (same_bodies_mark(&l->same, &l->legs))
				known_forget(&r->known);
			if (line)
				known_share(&r->known, l->legs.visit.start, l->legs.revisit.start,
					&line->class);
			judge_page(l, page, &l->legs);
			page->login_box = l->legs.visit.login_box;
			page->variant = is_variant(&l->legs, &l->probe);
			keep_rules(r, page, &l->legs, line);
			known_page(&r->known, l->page, page->url);
		}
	}
	l->probe = (struct observation){0};
	l->legs = (struct legs){0};
	l->page = CATALOG_NO_PAGE;
	arena_reset(&l->rules);
}

/* Of two probes of a page the one that shows something else counts. */
static struct observation worst_probe(const struct loading *l, const struct observation *shown)
{
	bool differs = is_variant(&l->legs, &l->probe);

	return differs ? l->probe : *shown;
}

/* What a visit showed, or a browser got in its place. */
static void keep_deceit(struct report *r, const struct attempt *o)
{
	struct report_page *p = &r->pages.ptr[o->page];

	if (o->leg == ATTEMPT_PROBE)
		p->cloaked = slice_starts_with(o->deceit, SLICE("cloaked=true")) ? 1 : 0;
	else
		p->deceit = arena_keep(&r->arena, o->deceit);
}

/* In the second reading what is known of its page's looks, and what they came to. */
static void note_look(struct loading *l, const struct attempt *o, const struct observation *shown)
{
	static const enum attempt_purpose GATE = PURPOSE_COOKIE_GATE;
	struct report *r = l->report;

	known_look(&r->known, o, shown);
	if (o->leg == ATTEMPT_LOOK && observation_is_usable(shown)) {
		r->pages.ptr[o->page].looks++;
		r->pages.ptr[o->page].last_look = o->wall.last_byte;
	}
	if (o->leg == ATTEMPT_PROBE) {
		r->sessions += attempt_purpose(o) == PURPOSE_SESSION;
	} else if (attempt_purpose(o) == PURPOSE_COOKIES && l->with_cookies != o->page + 1) {
		l->with_cookies = o->page + 1;
		r->cookies++;
	}
	if (attempt_purpose(o) == GATE) {
		r->gated++;
		r->gate_cookie = words_copy(&r->words,
			slice_sub(o->purpose, attempt_purpose_word(GATE).len, o->purpose.len));
	}
}

/* They come page by page: a page is judged when the next one begins. */
static int on_observation(void *context, const struct attempt *o)
{
	struct loading *l = context;
	struct observation shown = legs_observe(o);

	if (l->is_first)
		stillpoint_add(&l->report->window, o->leg, &o->wall);
	if (l->is_first && l->also)
		TRY(l->also->call(l->also->context, o));
	if (o->page != l->page)
		end_page(l);
	l->page = o->page;
	if (o->page == CATALOG_NO_PAGE)
		return 0;
	if (o->page >= l->report->pages.len) {
		l->page = CATALOG_NO_PAGE;
		return damaged(l, "an observation", o->page);
	}
	legs_keep_texts(&shown, &l->report->words);
	shown.rules = arena_keep(&l->rules, shown.rules);
	legs_add(&l->legs, o, &shown);
	if (!l->is_first)
		note_look(l, o, &shown);
	else if (o->deceit.ptr)
		keep_deceit(l->report, o);
	if (o->leg == ATTEMPT_PROBE &&
		(attempt_purpose(o) == PURPOSE_VARIANT || attempt_purpose(o) == PURPOSE_LANGUAGE))
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
	end_page(l);
	l->is_first = false;
	same_bodies_find(&l->same);
	return rc;
}

static int judge_all(struct loading *l, struct catalog *c, uint32_t id)
{
	struct report *r = l->report;
	struct legs none = {0};

	l->terms = (struct legs_terms){.single = r->capture.single,
		.window = r->window,
		.state = r->capture.state,
		.ended_by = r->capture.ended_by};
	for (size_t i = 0; i < r->pages.len; i++)
		judge_page(l, report_page_at(r, i), &none);
	TRY(catalog_each_observation(c, id, on_observation, l, l->err));
	end_page(l);
	return 0;
}

/* What the server asserts of pages that nothing proves: at the still point, and no more. */
static void assert_pages(struct report *r)
{
	for (uint32_t i = 0; i < r->pages.len; i++) {
		struct report_page *p = report_page_at(r, i);
		size_t intervals;
		const struct interval *list = known_asserted(&r->known, i, &intervals);

		if (p->verdict != VERDICT_UNCONFIRMED && p->verdict != VERDICT_SINGLE)
			continue;
		for (size_t n = 0; n < intervals; n++)
			if (stillpoint_is_within(&r->window, list[n].from, list[n].to))
				p->evidence = SAME_ASSERTED;
		r->asserted += p->evidence != SAME_NOT;
	}
}

static void count_all(struct report *r)
{
	const struct report_page *first = NULL;

	for (size_t i = 0; i < r->pages.len; i++) {
		const struct report_page *p = report_page_at(r, i);

		r->totals[p->verdict]++;
		if (p->evidence && p->verdict == VERDICT_SHARP)
			*(p->evidence == SAME_BYTES ? &r->sharp_bytes : &r->sharp_normalised) += 1;
		r->captured += verdict_is_captured((enum verdict)p->verdict);
		r->left_out[p->left_out] += !p->taken;
		r->out_of_scope += report_is_out_of_scope(p);
		r->not_captured += !verdict_is_captured((enum verdict)p->verdict) &&
				   !report_is_out_of_scope(p);
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
static void name_ignore(struct report *r)
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
}

static int compute(struct loading *l, struct catalog *c)
{
	struct report *r = l->report;
	uint32_t id = r->capture.id, pages = 0;

	name_ignore(r);
	TRY(catalog_count_pages(c, id, &pages, l->err));
	TRY(report_make_pages(r, pages, l->err));
	TRY(catalog_each_page(c, id, on_page, l, l->err));
	if (l->pages != pages)
		return damaged(l, "the number", pages);
	TRY(catalog_each_unkept(c, id, on_unkept, l, l->err));
	TRY(catalog_each_dust(c, id, on_dust, l, l->err));
	TRY(catalog_each_plan(c, id, on_plan, l, l->err));
	TRY(catalog_each_learned(c, id, on_learned, l, l->err));
	TRY(read_first(l, c, id));
	TRY(catalog_each_clock(c, id, on_clock, l, l->err));
	if (report_is_judged(r))
		r->window = (struct stillpoint){
			.from = r->capture.still_from, .to = r->capture.still_to};
	r->window.clock_set = l->watch.set || r->capture.caveats & CATALOG_CAVEAT_CLOCK;
	r->window.earlier = clock_watch_earlier(&l->watch);
	r->window.later = clock_watch_later(&l->watch);
	TRY(judge_all(l, c, id));
	known_finish(&r->known, &r->window);
	TRY(requisites_load(&r->requisites, c, id, r->pages.len, l->err));
	composite_judge(r);
	TRY(farm_find(r, c, l->err));
	assert_pages(r);
	r->learned = l->learned.rules.rules.len;
	count_all(r);
	r->expected_range = expect_range(r, &r->expected_unknown);
	r->expected_sharp = expect_is_possible(r) && !r->expected_unknown ? expect_sharp(r) : NAN;
	r->blur = report_is_judged(r) ? NAN : expect_blur(r);
	return 0;
}

/* An empty report, with what is read anew in any case. */
static int begin(struct report *r, struct catalog *catalog, uint32_t capture, struct err *err)
{
	int rc;

	*r = (struct report){0};
	arena_init(&r->arena, ARENA_MAX);
	words_init(&r->words, &r->arena);
	known_init(&r->known);
	rc = catalog_get_capture(catalog, capture, &r->arena, &r->capture, err);
	if (rc == 0)
		rc = load_provenance(r, catalog, err);
	return rc;
}

int report_make_pages(struct report *r, size_t pages, struct err *err)
{
	TRY(mapped_new(&r->pages.memory, pages + 1, sizeof *r->pages.ptr, err));
	r->pages.ptr = r->pages.memory.ptr;
	r->pages.len = pages;
	return 0;
}

/* rc: how it ended. */
static int end(struct report *r, int rc)
{
	if (rc)
		report_release(r);
	return rc;
}

int report_compute(struct report *r, struct catalog *catalog, uint32_t capture,
	const struct report_observer *also, struct err *err)
{
	struct loading l = {.report = r, .err = err, .also = also};
	int rc = begin(r, catalog, capture, err);

	arena_init(&l.rules, RULES_MAX);
	learned_pages_init(&l.learned);
	if (rc == 0)
		rc = compute(&l, catalog);
	arena_release(&l.rules);
	learned_pages_release(&l.learned);
	same_bodies_release(&l.same);
	return end(r, rc);
}

int report_load(struct report *r, struct catalog *catalog, uint32_t capture, struct err *err)
{
	TRY(end(r, begin(r, catalog, capture, err)));
	return end(r, report_read_saved(r, catalog))
		       ? report_compute(r, catalog, capture, NULL, err)
		       : 0;
}

int report_load_page(
	struct report *r, struct catalog *catalog, uint32_t capture, uint32_t page, struct err *err)
{
	TRY(end(r, begin(r, catalog, capture, err)));
	return end(r, report_read_saved_page(r, catalog, page))
		       ? report_compute(r, catalog, capture, NULL, err)
		       : 0;
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
	mapped_release(&r->pages.memory);
	report_dusts_release(&r->dust);
	known_release(&r->known);
	requisites_release(&r->requisites);
	provenance_clocks_release(&r->provenance.clocks);
	provenance_files_release(&r->provenance.files);
	acted_rules_release(&r->rules);
	words_release(&r->words);
	arena_release(&r->arena);
	*r = (struct report){0};
}
