#include "replay/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/word.h"
#include "formats/url.h"
#include "formats/url_canonical.h"
#include "replay/looks.h"
#include "replay/record.h"
#include "warc/cdxj.h"
#include "warc/warc_date.h"

enum {
	SPELLINGS_MAX = 8, /* pages of one key whose looks are read */
	LOOPS_MAX = 16,    /* redirects that are read to see whether they lead to themselves */
	STATUS_REDIRECT = 300,
	STATUS_CLIENT_ERROR = 400,
	STATUS_SERVER_ERROR = 500,
};

/* What is known of one spelling of the page. */
struct spelling {
	slice url;
	struct looks looks;
};

struct choosing {
	struct collection *c;
	const struct wanted *wanted;
	struct found *found;
	struct spelling spellings[SPELLINGS_MAX];
	size_t count;
	bool *skipped; /* mementos that are out of the question, by number */
	struct err *err;
};

static uint64_t distance(int64_t a, int64_t b)
{
	return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

/* Without scheme and "www.". */
static slice address_of(slice url)
{
	static const slice STARTS[] = {
		SLICE_INIT("http://"), SLICE_INIT("https://"), SLICE_INIT("www.")};

	for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; i++)
		if (slice_starts_with(url, STARTS[i]))
			url = slice_sub(url, STARTS[i].len, url.len);
	return url;
}

static const struct memento *memento_at(const struct choosing *x, size_t number)
{
	return &x->found->mementos.list.ptr[number];
}

static size_t count_of(const struct choosing *x)
{
	return x->found->mementos.list.len;
}

/* ---- which mementos are of the page ---- */

static void skip_strangers(struct choosing *x)
{
	slice address = address_of(x->wanted->page);
	bool has_own = false;

	free(x->skipped);
	x->skipped = mem_new(count_of(x) + 1, sizeof *x->skipped);
	for (size_t i = 0; i < count_of(x); i++) {
		x->skipped[i] = !slice_eq(address_of(memento_at(x, i)->url), address);
		has_own = has_own || !x->skipped[i];
	}
	if (!has_own)
		memset(x->skipped, 0, count_of(x) * sizeof *x->skipped);
}

static bool has_spelling(const struct choosing *x, slice url)
{
	for (size_t i = 0; i < x->count; i++)
		if (slice_eq(x->spellings[i].url, url))
			return true;
	return false;
}

static int read_spelling(struct choosing *x, slice url)
{
	struct spelling *s = &x->spellings[x->count];

	if (x->count == SPELLINGS_MAX || has_spelling(x, url))
		return 0;
	x->count++;
	s->url = url;
	looks_init(&s->looks, hash_key_random());
	return looks_read(&s->looks, x->c, url, &x->found->mementos, x->wanted->time, x->err);
}

/* The page as it was asked for comes first. */
static int read_spellings(struct choosing *x)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count_of(x); i++)
		if (slice_eq(memento_at(x, i)->url, x->wanted->page)) {
			rc = read_spelling(x, memento_at(x, i)->url);
			break;
		}
	for (size_t i = 0; rc == 0 && i < count_of(x); i++)
		if (!x->skipped[i])
			rc = read_spelling(x, memento_at(x, i)->url);
	return rc;
}

/* Looks that have no record of their own are mementos as well. */
static int add_rows(struct choosing *x)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < x->count; i++)
		rc = looks_add_mementos(
			&x->spellings[i].looks, x->c, x->spellings[i].url, &x->found->mementos);
	return err_code(x->err, rc);
}

/* Archives know when exactly the looks were; the index has whole seconds. */
static void set_exact_times(struct choosing *x)
{
	for (size_t i = 0; x->c->live && i < count_of(x); i++) {
		struct memento *m = &x->found->mementos.list.ptr[i];

		for (size_t k = 0; k < x->count; k++) {
			const struct page_look *look = looks_of(&x->spellings[k].looks, m);

			if (!look)
				continue;
			m->time = m->seen = look->look.start;
			break;
		}
	}
	if (x->c->live)
		mementos_settle(&x->found->mementos);
}

/* ---- choosing ---- */

static bool is_of(const struct choosing *x, size_t number, const struct spelling *s)
{
	return !x->skipped[number] && slice_eq(memento_at(x, number)->url, s->url);
}

/* The number in its list of the look that a memento shows; false for none. */
static bool look_number(const struct spelling *s, const struct memento *m, uint32_t *ret)
{
	const struct page_look *look = looks_of(&s->looks, m);

	if (look)
		*ret = (uint32_t)(look - s->looks.list.ptr);
	return look != NULL;
}

/*
 * Of the mementos that prove an interval the last one that is not after T, else the first. Those of
 * the capture that the page is of go before others.
 */
static const struct memento *of_interval(
	const struct choosing *x, const struct spelling *s, const struct interval *interval)
{
	const struct memento *best = NULL, *own = NULL;
	uint32_t number;

	for (size_t i = 0; i < count_of(x); i++) {
		const struct memento *m = memento_at(x, i);

		if (!is_of(x, i, s) || !look_number(s, m, &number) || number < interval->first ||
			number > interval->last || (best && m->time > x->wanted->time))
			continue;
		/* Looks between that failed, or were told "not modified", show nothing. */
		if (m->status >= STATUS_SERVER_ERROR || m->status == 304)
			continue;
		best = m;
		if (x->wanted->capture && m->time <= x->wanted->time &&
			s->looks.list.ptr[number].capture == x->wanted->capture)
			own = m;
	}
	return own ? own : best;
}

static bool take(struct choosing *x, const struct spelling *s, const struct interval *interval,
	enum choice_ground ground)
{
	const struct memento *m = interval ? of_interval(x, s, interval) : NULL;

	if (!m)
		return false;
	x->found->memento = m;
	x->found->ground = ground;
	x->found->interval = *interval;
	x->found->has_other = ground == CHOICE_PROVEN;
	x->found->other = s->looks.list.ptr[interval->last].look.start;
	return true;
}

static bool choose_known(struct choosing *x)
{
	for (size_t i = 0; i < x->count; i++) {
		const struct spelling *s = &x->spellings[i];

		if (!s->looks.unreliable &&
			take(x, s, intervals_at(&s->looks.intervals.proven, x->wanted->time),
				CHOICE_PROVEN))
			return true;
	}
	for (size_t i = 0; i < x->count; i++) {
		const struct spelling *s = &x->spellings[i];

		if (looks_trusted(&s->looks, x->c, s->url) &&
			take(x, s, intervals_at(&s->looks.intervals.asserted, x->wanted->time),
				CHOICE_ASSERTED))
			return true;
	}
	return false;
}

/* Where only whole seconds are known, only they count: of two at the same distance, the earlier. */
static uint64_t distance_to(const struct choosing *x, const struct memento *m)
{
	if (x->c->live)
		return distance(m->time, x->wanted->time);
	return distance(warc_date_truncate(m->time), warc_date_truncate(x->wanted->time));
}

/* Fractions that are known decide among those of one second. */
static bool is_nearer_within(
	const struct choosing *x, const struct memento *m, const struct memento *best)
{
	return !x->c->live && (m->fraction || best->fraction) &&
	       warc_date_truncate(m->seen) == warc_date_truncate(best->seen) &&
	       distance(m->seen, x->wanted->time) < distance(best->seen, x->wanted->time);
}

/* Failures of the server, and a 304 that no revisit ties to what it confirms, are shown only where
 * there is nothing else. */
static bool shows_nothing(const struct memento *m)
{
	return m->status >= STATUS_SERVER_ERROR || (m->status == 304 && !m->is_revisit);
}

static bool is_nearer(const struct choosing *x, const struct memento *m, const struct memento *best)
{
	uint64_t here, there;

	if (!best)
		return true;
	if (shows_nothing(m) != shows_nothing(best))
		return !shows_nothing(m);
	here = distance_to(x, m);
	there = distance_to(x, best);
	if (here != there)
		return here < there;
	if (is_nearer_within(x, m, best))
		return true;
	return slice_eq(m->url, x->wanted->page) && !slice_eq(best->url, x->wanted->page);
}

static void choose_nearest(struct choosing *x)
{
	const struct memento *best = NULL;

	for (size_t i = 0; i < count_of(x); i++)
		if (!x->skipped[i] && is_nearer(x, memento_at(x, i), best))
			best = memento_at(x, i);
	x->found->memento = best;
	x->found->ground = CHOICE_NEAREST;
}

/* The memento whose own timestamp was asked for, if there is one. */
static const struct memento *exact(const struct choosing *x)
{
	slice digits = x->wanted->digits;
	const struct memento *found = NULL;

	for (size_t i = 0; digits.len >= TIMESTAMP_SECONDS && i < count_of(x); i++) {
		const struct memento *m = memento_at(x, i);

		if (!x->skipped[i] && slice_eq(slice_str(m->digits), digits) && !shows_nothing(m) &&
			(!found || slice_eq(m->url, x->wanted->page)))
			found = m;
	}
	return found;
}

/* The ground is that of T, if it holds for the memento that was asked for. */
static void choose(struct choosing *x)
{
	const struct memento *own = exact(x);
	bool known = choose_known(x);

	if (!own) {
		if (!known)
			choose_nearest(x);
		return;
	}
	for (size_t i = 0; known && i < x->count; i++) {
		uint32_t number;

		if (slice_eq(x->spellings[i].url, own->url) &&
			look_number(&x->spellings[i], own, &number) &&
			number >= x->found->interval.first && number <= x->found->interval.last) {
			x->found->memento = own;
			return;
		}
	}
	x->found->memento = own;
	x->found->ground = CHOICE_NEAREST;
	x->found->has_other = false;
}

/* ---- what is proven of each ---- */

static const struct interval *interval_of(const struct interval_vec *list, uint32_t look)
{
	size_t low = 0, high = list->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->ptr[middle].last < look)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->len && list->ptr[low].first <= look ? &list->ptr[low] : NULL;
}

/*
 * A look is never itself within what it proves: that begins at its end, and ends at the beginning
 * of the next one. The middle between the two is where most of its requisites are proven, too.
 */
static int64_t instant_near(
	const struct looks *looks, const struct interval *interval, uint32_t look)
{
	uint32_t other = look < interval->last ? look + 1 : look - 1;
	int64_t begin = looks->list.ptr[look < other ? look : other].look.end;
	int64_t end = looks->list.ptr[look < other ? other : look].look.start;
	int64_t at = begin + (end - begin) / 2;

	if (at < interval->from)
		return interval->from;
	return at > interval->to ? interval->to : at;
}

static void set_proof(const struct spelling *s, struct memento *m)
{
	const struct interval *interval;
	uint32_t number;

	if (!look_number(s, m, &number))
		return;
	m->capture = s->looks.list.ptr[number].capture;
	if (s->looks.unreliable || shows_nothing(m))
		return;
	interval = interval_of(&s->looks.intervals.proven, number);
	if (!interval || interval->first == interval->last)
		return;
	m->proven_from = interval->from;
	m->proven_to = interval->to;
	m->proven_at = instant_near(&s->looks, interval, number);
}

static void set_proofs(struct choosing *x)
{
	for (size_t i = 0; i < count_of(x); i++) {
		struct memento *m = &x->found->mementos.list.ptr[i];

		for (size_t k = 0; k < x->count; k++)
			if (slice_eq(x->spellings[k].url, m->url))
				set_proof(&x->spellings[k], m);
	}
}

/* ---- redirects to oneself ---- */

static bool is_redirect(const struct memento *m)
{
	return m->status >= STATUS_REDIRECT && m->status < STATUS_CLIENT_ERROR;
}

/* Whether the memento leads to the page that was asked for, and so nowhere. */
static bool leads_here(struct choosing *x, const struct memento *m)
{
	struct record *r = NULL;
	struct err ignored = {0};
	struct url base, target;
	slice location;
	bool here;

	if (!is_redirect(m) || record_open_head(x->c, m, &r, &ignored))
		return false; /* whoever shows it will say what is wrong */
	url_init(&base);
	url_init(&target);
	location = fields_trim(fields_get(record_head(r)->fields, SLICE("Location")));
	here = location.len && url_parse(&base, m->url, NULL, NULL) == 0 &&
	       url_parse_location(&target, location, &base, NULL) == 0 &&
	       slice_eq(url_page(&target), x->wanted->page);
	url_release(&base);
	url_release(&target);
	record_close(r);
	return here;
}

/*
 * Where the nearest LOOPS_MAX lead to themselves, the other redirects are passed over unread. Where
 * nothing else is left, the best of them is shown, as what it is.
 */
static void choose_without_loops(struct choosing *x)
{
	const struct memento *first = NULL;

	for (int i = 0; i < LOOPS_MAX; i++) {
		choose(x);
		if (!x->found->memento)
			break;
		if (!leads_here(x, x->found->memento))
			return;
		if (!first)
			first = x->found->memento;
		x->skipped[x->found->memento - x->found->mementos.list.ptr] = true;
	}
	if (x->found->memento) {
		for (size_t i = 0; i < count_of(x); i++)
			x->skipped[i] = x->skipped[i] || is_redirect(memento_at(x, i));
		choose(x);
	}
	x->found->is_loop = !x->found->memento && first;
	if (x->found->is_loop)
		x->found->memento = first;
}

/* ---- all together ---- */

/* No two share a second, and one has the second that was asked for: nothing else need be known. */
static bool choose_quickly(struct choosing *x)
{
	const struct memento *own;

	if (!x->wanted->quick || x->wanted->digits.len != TIMESTAMP_SECONDS)
		return false;
	for (size_t i = 0; i < count_of(x); i++)
		if (memento_at(x, i)->digits[TIMESTAMP_SECONDS])
			return false;
	own = exact(x);
	if (!own || is_redirect(own))
		return false;
	x->found->memento = own;
	return true;
}

/* A proven or asserted version is no further than T itself. */
static void apply_window(struct choosing *x)
{
	struct found *f = x->found;

	if (!f->memento || x->wanted->window == 0 || f->ground != CHOICE_NEAREST ||
		distance(f->memento->time, x->wanted->time) <= (uint64_t)x->wanted->window)
		return;
	/* A timestamp counts whole seconds; its last instant was asked for. */
	if (exact(x) == f->memento)
		return;
	f->refused = f->memento;
	f->memento = NULL;
}

int choice_find(
	struct collection *c, const struct wanted *wanted, struct found *ret, struct err *err)
{
	struct choosing x = {.c = c, .wanted = wanted, .found = ret, .err = err};
	int rc;

	*ret = (struct found){0};
	rc = mementos_find(c, wanted->key, &ret->mementos, err);
	if (rc == 0)
		skip_strangers(&x);
	if (rc == 0 && !choose_quickly(&x)) {
		rc = read_spellings(&x);
		if (rc == 0)
			rc = add_rows(&x);
		if (rc == 0) {
			set_exact_times(&x);
			skip_strangers(&x); /* they may have changed places */
			choose_without_loops(&x);
			set_proofs(&x);
			apply_window(&x);
		}
	}
	for (size_t i = 0; i < x.count; i++)
		looks_release(&x.spellings[i].looks);
	free(x.skipped);
	return rc;
}

int choice_find_page(
	struct collection *c, struct wanted *wanted, struct found *ret, struct err *err)
{
	struct buf key;
	int rc;

	buf_init(&key, URL_CANONICAL_MAX);
	*ret = (struct found){0};
	rc = cdxj_key(&key, wanted->page);
	wanted->key = buf_slice(&key);
	rc = rc ? 0 : choice_find(c, wanted, ret, err);
	wanted->key = (slice){0};
	buf_release(&key);
	return rc;
}

void found_release(struct found *f)
{
	mementos_release(&f->mementos);
}
