#include "proof/archive_known.h"

#include <stdlib.h>
#include <string.h>

#include "proof/clock_watch.h"
#include "proof/legs.h"
#include "proof/same_body.h"

#define ARENA_MAX ((size_t)16 << 30)

static const int64_t MS = 1000000;

const char *known_state_name(enum known_state state)
{
	static const char *const NAMES[] = {
		[KNOWN_PROVEN] = "proven",
		[KNOWN_ASSERTED] = "asserted",
		[KNOWN_UNKNOWN] = "unknown",
		[KNOWN_ABSENT] = "absent",
	};

	return NAMES[state];
}

/* A page of a capture. */
struct place {
	uint32_t url, page;
	uint32_t capture; /* its number in the list */
	bool hides;       /* another page's body stands in its place (same_body.h) */
};

VEC_DECLARE(place_vec, struct place);

struct source {
	uint32_t id;
	bool clock_set;
	bool watched;               /* a site under watch */
	struct clock_doubts doubts; /* of that */
	bool listed;                /* of the site that is asked for */
};

VEC_DECLARE(source_vec, struct source);

struct loading {
	struct archive_known *x;
	struct catalog *catalog;
	slice site;
	struct err *err;
	struct source_vec captures;
	struct place_vec places;     /* by capture and page, then by URL */
	size_t first;                /* place of the first page of the capture that is read */
	uint32_t capture;            /* its number in the list; that of a page, its id */
	const struct source *source; /* of the looks that are read */
	struct same_bodies same;
	bool marks; /* which pass over the capture it is */
	struct legs legs;
	uint32_t page;
	struct words words; /* texts of the legs */
};

/* ---- captures and their pages ---- */

static int on_capture(void *context, const struct catalog_capture *c)
{
	struct loading *l = context;
	struct source s = {.id = c->id,
		.clock_set = c->caveats & CATALOG_CAVEAT_CLOCK,
		.watched = slice_eq(c->strategy, SLICE("watch")),
		.listed = !l->site.len || slice_eq(c->site, l->site)};

	return source_vec_push(&l->captures, s);
}

struct clocks {
	struct source *source;
	struct clock_watch watch;
};

static int on_clock(void *context, const struct catalog_clock *k)
{
	struct clocks *c = context;

	if (c->source->watched)
		clock_doubts_add(&c->source->doubts, k);
	else
		clock_watch_add(&c->watch, k);
	return 0;
}

static int on_page(void *context, const struct catalog_page *p)
{
	struct loading *l = context;
	struct archive_known *x = l->x;
	struct place place = {
		.url = words_put(&x->urls, p->url), .page = p->number, .capture = l->capture};

	if (place.url == x->listed.len)
		known_flags_push(&x->listed, false);
	place_vec_push(&l->places, place);
	if (p->taken && l->captures.ptr[l->capture].listed && !x->listed.ptr[place.url]) {
		x->listed.ptr[place.url] = true;
		x->pages++;
	}
	return 0;
}

/* ---- one body at many URLs ---- */

static void end_page(struct loading *l)
{
	struct place *place =
		l->page == CATALOG_NO_PAGE ? NULL : &l->places.ptr[l->first + l->page];

	if (place && l->marks)
		place->hides = same_bodies_mark(&l->same, &l->legs);
	else if (place)
		same_bodies_add(&l->same, words_text(&l->x->urls, place->url), &l->legs);
	l->legs = (struct legs){0};
}

static int on_attempt(void *context, const struct attempt *a)
{
	struct loading *l = context;
	struct observation shown = legs_observe(a);

	if (a->page != l->page)
		end_page(l);
	l->page = a->page;
	if (a->page == CATALOG_NO_PAGE)
		return 0;
	if (a->page >= l->places.len - l->first)
		return err_set(l->err, ERR_IO, "the catalog is damaged: an observation of page %u",
			a->page);
	legs_keep_texts(&shown, &l->words);
	shown.rules = (slice){0};
	legs_add(&l->legs, a, &shown);
	return 0;
}

static int pass(struct loading *l, bool marks)
{
	l->marks = marks;
	l->page = CATALOG_NO_PAGE;
	l->legs = (struct legs){0};
	TRY(catalog_each_observation(
		l->catalog, l->captures.ptr[l->capture].id, on_attempt, l, l->err));
	end_page(l);
	return 0;
}

static int read_capture(struct loading *l)
{
	struct source *s = &l->captures.ptr[l->capture];
	struct clocks clocks = {.source = s};
	int rc;

	l->first = l->places.len;
	rc = catalog_each_page(l->catalog, s->id, on_page, l, l->err);
	if (rc == 0)
		rc = catalog_each_clock(l->catalog, s->id, on_clock, &clocks, l->err);
	/* Between captures nothing joins their times but their dates. */
	s->clock_set = s->clock_set || clocks.watch.set || clocks.watch.adjusted;
	if (rc == 0)
		rc = pass(l, false);
	same_bodies_find(&l->same);
	if (rc == 0 && l->same.looks.len > 0)
		rc = pass(l, true);
	same_bodies_release(&l->same);
	return rc;
}

/* ---- looks, URL by URL: of all, since any page may show that its host lies ---- */

static int on_look(void *context, const struct attempt *a)
{
	struct loading *l = context;
	struct observation shown = legs_observe(a);

	if (!l->source->watched || !clock_doubts_has(&l->source->doubts, a))
		known_look(&l->x->known, a, &shown);
	return 0;
}

/* Looks of captures whose clock was set count for their presence. */
static int read_place(struct loading *l, const struct place *place, bool *unsure)
{
	const struct source *s = &l->captures.ptr[place->capture];
	size_t before = l->x->known.looks.len;
	int rc;

	if (place->hides)
		return 0;
	l->source = s;
	rc = catalog_page_observations(l->catalog, s->id, place->page, on_look, l, l->err);
	*unsure = *unsure || (s->clock_set && l->x->known.looks.len > before);
	return rc;
}

static int by_url(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->url != y->url)
		return x->url < y->url ? -1 : 1;
	return (x->capture > y->capture) - (x->capture < y->capture);
}

static int read_looks(struct loading *l)
{
	const struct place *list = l->places.ptr;
	int rc = 0;

	if (l->places.len > 1)
		qsort(l->places.ptr, l->places.len, sizeof *list, by_url);
	for (size_t i = 0, next; rc == 0 && i < l->places.len; i = next) {
		uint32_t url = list[i].url;
		bool unsure = false;

		for (next = i; rc == 0 && next < l->places.len && list[next].url == url; next++)
			rc = read_place(l, &list[next], &unsure);
		if (unsure)
			known_forget(&l->x->known);
		if (rc == 0)
			known_page(&l->x->known, url, words_text(&l->x->urls, url));
	}
	return rc;
}

static bool has_listed(const struct loading *l)
{
	for (size_t i = 0; i < l->captures.len; i++)
		if (l->captures.ptr[i].listed)
			return true;
	return !l->site.len;
}

static int load(struct loading *l)
{
	struct stillpoint none = {0};
	int rc = catalog_each_capture(l->catalog, on_capture, l, l->err);

	if (rc == 0 && !has_listed(l))
		return err_set(l->err, ERR_NOTFOUND,
			"no capture is of the site %.*s; 'stillpoint report --captures' lists them",
			slice_shown(l->site, 200), l->site.ptr);
	for (l->capture = 0; rc == 0 && l->capture < l->captures.len; l->capture++)
		rc = read_capture(l);
	if (rc == 0)
		rc = read_looks(l);
	if (rc == 0)
		known_finish(&l->x->known, &none);
	return rc;
}

int archive_known_load(
	struct archive_known *x, struct catalog *catalog, slice site, struct err *err)
{
	struct loading l = {.x = x, .catalog = catalog, .site = site, .err = err};
	int rc;

	*x = (struct archive_known){0};
	arena_init(&x->arena, ARENA_MAX);
	words_init(&x->urls, &x->arena);
	words_init(&l.words, &x->arena);
	known_init(&x->known);
	rc = load(&l);
	words_release(&l.words);
	for (size_t i = 0; i < l.captures.len; i++)
		clock_doubts_release(&l.captures.ptr[i].doubts);
	source_vec_release(&l.captures);
	place_vec_release(&l.places);
	same_bodies_release(&l.same);
	return rc;
}

void archive_known_release(struct archive_known *x)
{
	known_release(&x->known);
	words_release(&x->urls);
	known_flags_release(&x->listed);
	arena_release(&x->arena);
	*x = (struct archive_known){0};
}

/* ---- answers ---- */

struct known_at archive_known_at(const struct archive_known *x, uint32_t page, int64_t instant)
{
	struct known_at at = {.state = KNOWN_UNKNOWN};
	size_t count;
	const struct interval *list = known_proven(&x->known, page, &count);

	at.interval = intervals_find(list, count, instant);
	if (at.interval) {
		at.state = interval_is_absent(at.interval) ? KNOWN_ABSENT : KNOWN_PROVEN;
		return at;
	}
	list = known_asserted(&x->known, page, &count);
	at.interval = intervals_find(list, count, instant);
	if (at.interval) {
		at.state = KNOWN_ASSERTED;
		return at;
	}
	list = known_retired(&x->known, page, &count);
	at.interval = intervals_find(list, count, instant);
	return at;
}

/* ---- the curve ---- */

/* At that millisecond this many pages more are in a state. */
struct step {
	int64_t ms;
	enum known_state state;
	int by;
};

VEC_DECLARE(step_vec, struct step);

static int64_t ms_down(int64_t ns)
{
	return ns / MS - (ns % MS < 0);
}

static int64_t ms_up(int64_t ns)
{
	return ns / MS + (ns % MS > 0);
}

struct steps {
	struct step_vec list;
	int64_t from, to; /* ms: what is asked for */
};

/* Milliseconds from..to are in that state. */
static void add_span(struct steps *s, enum known_state state, int64_t from, int64_t to)
{
	if (from < s->from)
		from = s->from;
	if (to > s->to)
		to = s->to;
	if (from > to)
		return;
	step_vec_push(&s->list, (struct step){from, state, 1});
	step_vec_push(&s->list, (struct step){to + 1, state, -1});
}

/* What a server asserts counts where nothing is proven. */
static void add_asserted(
	struct steps *s, const struct interval *a, const struct interval *proven, size_t count)
{
	int64_t from = ms_up(a->from), to = ms_down(a->to);

	for (size_t i = 0; i < count && from <= to; i++) {
		int64_t begin = ms_up(proven[i].from), end = ms_down(proven[i].to);

		if (begin > end || end < from)
			continue;
		if (begin > to)
			break;
		add_span(s, KNOWN_ASSERTED, from, begin - 1);
		from = end + 1;
	}
	add_span(s, KNOWN_ASSERTED, from, to);
}

static void add_page(struct steps *s, const struct archive_known *x, uint32_t page)
{
	size_t proven_count, count;
	const struct interval *proven = known_proven(&x->known, page, &proven_count);
	const struct interval *list = known_asserted(&x->known, page, &count);

	for (size_t i = 0; i < proven_count; i++)
		add_span(s, interval_is_absent(&proven[i]) ? KNOWN_ABSENT : KNOWN_PROVEN,
			ms_up(proven[i].from), ms_down(proven[i].to));
	for (size_t i = 0; i < count; i++)
		add_asserted(s, &list[i], proven, proven_count);
}

static int by_ms(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->ms > y->ms) - (x->ms < y->ms);
}

/* Adds the steps of one millisecond to the point; the next one. */
static size_t take_steps(const struct steps *s, size_t i, struct curve_point *point)
{
	int64_t ms = s->list.ptr[i].ms;

	for (; i < s->list.len && s->list.ptr[i].ms == ms; i++) {
		const struct step *step = &s->list.ptr[i];

		if (step->by > 0) {
			point->count[step->state]++;
			point->count[KNOWN_UNKNOWN]--;
		} else {
			point->count[step->state]--;
			point->count[KNOWN_UNKNOWN]++;
		}
	}
	return i;
}

static void make_points(const struct steps *s, uint64_t pages, struct curve *ret)
{
	struct curve_point point = {.at = s->from * MS, .count = {[KNOWN_UNKNOWN] = pages}};
	size_t i = 0;

	if (s->list.len > 0 && s->list.ptr[0].ms == s->from)
		i = take_steps(s, 0, &point);
	curve_push(ret, point);
	while (i < s->list.len && s->list.ptr[i].ms <= s->to) {
		struct curve_point before = point;

		point.at = s->list.ptr[i].ms * MS;
		i = take_steps(s, i, &point);
		if (memcmp(before.count, point.count, sizeof point.count) != 0)
			curve_push(ret, point);
	}
}

void archive_known_curve(const struct archive_known *x, int64_t from, int64_t to, struct curve *ret)
{
	struct steps s = {.from = ms_up(from), .to = ms_down(to)};

	for (uint32_t i = 0; i < x->listed.len; i++)
		if (x->listed.ptr[i])
			add_page(&s, x, i);
	if (s.list.len > 1)
		qsort(s.list.ptr, s.list.len, sizeof s.list.ptr[0], by_ms);
	make_points(&s, x->pages, ret);
	step_vec_release(&s.list);
}
