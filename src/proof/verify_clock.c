/*
 * The clock of a capture, from the WARC files: the readings at its moments ("start", "stillpoint",
 * …) and the two clocks of every attempt. All times of a process are its monotonic clock plus one
 * offset, which its first reading states; so a time that was changed later does not fit.
 */
#include "proof/moment.h"
#include "proof/verify_run.h"
#include "warc/warc_date.h"

enum {
	CLOCKS_MAX =
		10000, /* of a capture: processes, and before there were anchored clocks lanes */
};

/* ---- reading ---- */

void verify_clock_moment(
	struct verify *v, const struct verify_note_record *r, const struct moment *read)
{
	struct verify_capture *c = verify_find_capture(v, r->uuid);
	struct verify_moment m = {.clock = read->clock, .is_exact = read->is_exact};

	c->is_here = c->is_here || r->is_here;
	if (read->number)
		c->number = read->number;
	if (m.is_exact && r->date != warc_date_truncate(m.clock.capture_time))
		verify_problem(
			v, r->uuid, &r->place, "its date is not that of the reading of the clock");
	m.clock.moment = words_copy(&v->words, m.clock.moment);
	m.clock.boot = words_copy(&v->words, m.clock.boot);
	verify_moments_push(&c->moments, m);
	clock_watch_add(&c->watch, &m.clock);
	c->ended = c->ended || slice_eq(m.clock.moment, SLICE("end"));
	c->resumed = c->resumed || slice_eq(m.clock.moment, SLICE("resume"));
	if (read->ended_by != CATALOG_END_NONE)
		c->ended_by = read->ended_by;
}

/* ---- attempts ---- */

static void add_offset(struct verify *v, const struct attempt *a, int64_t wall, int64_t monotonic,
	const struct verify_place *place)
{
	int64_t offset = clock_watch_minus(wall, monotonic);
	struct verify_capture *c = verify_find_capture(v, a->capture);

	if (!wall || !monotonic || c->offsets.len >= CLOCKS_MAX)
		return;
	for (size_t i = c->offsets.len; i > 0; i--)
		if (c->offsets.ptr[i - 1].offset == offset)
			return;
	verify_offsets_push(&c->offsets, (struct verify_offset){
						 .offset = offset,
						 .url = words_copy(&v->words, a->url),
						 .file = words_copy(&v->words, place->file),
						 .place = place->offset,
					 });
}

void verify_clock_attempt(
	struct verify *v, const struct attempt *a, const struct verify_place *place)
{
	add_offset(v, a, a->wall.sent, a->clock.sent, place);
	add_offset(v, a, a->wall.first_byte, a->clock.first_byte, place);
	add_offset(v, a, a->wall.last_byte, a->clock.last_byte, place);
}

/* ---- judging ---- */

/* A process that has begun has that offset; false also when none has. */
static bool is_stated(const struct verify_capture *c, int64_t offset)
{
	for (size_t i = 0; i < c->moments.len; i++) {
		const struct verify_moment *m = &c->moments.ptr[i];
		int64_t its = clock_watch_minus(m->clock.capture_time, m->clock.monotonic);

		if (clock_watch_begins(&m->clock) &&
			(m->is_exact ? its == offset : !clock_watch_differs(its, offset)))
			return true;
	}
	return false;
}

static void check_offsets(struct verify *v, const struct verify_capture *c)
{
	/* Archives of other tools, or before there were such readings. */
	for (size_t i = 0; c->watch.has_begun && i < c->offsets.len; i++) {
		const struct verify_offset *o = &c->offsets.ptr[i];
		struct verify_place place = {.file = o->file, .offset = o->place};

		if (!is_stated(c, o->offset))
			verify_problem(
				v, o->url, &place, "its times do not fit the clock of the capture");
	}
}

/* Readings of later moments belong to the process that began before them. */
static void check_later(struct verify *v, const struct verify_capture *c)
{
	for (size_t i = 0; i < c->moments.len; i++) {
		const struct verify_moment *m = &c->moments.ptr[i];

		if (m->is_exact &&
			!is_stated(c, clock_watch_minus(m->clock.capture_time, m->clock.monotonic)))
			verify_problem(v, c->uuid, NULL,
				"the reading of the clock at '%.*s' does not fit the others",
				(int)m->clock.moment.len, m->clock.moment.ptr);
	}
}

/* What a moment says of the window; NULL for nothing. */
static const char *find_fault(const struct verify_moment *m, const struct stillpoint *w)
{
	int64_t time = m->clock.capture_time;

	if (slice_eq(m->clock.moment, SLICE("start")))
		return time > w->from ? "the capture started after its last visit" : NULL;
	if (slice_eq(m->clock.moment, SLICE("end")))
		return time < w->to ? "the capture ended before its first revisit" : NULL;
	if (!slice_eq(m->clock.moment, SLICE("stillpoint")))
		return NULL;
	/* Earlier versions read the clock when the first revisit may have been under way. */
	return time < w->from || (m->is_exact && time > w->to)
		       ? "the still point was reached at another time than the attempts say"
		       : NULL;
}

/* A file that is lost may have had a reading that is missing here. */
void verify_clock_check(struct verify *v, struct verify_capture *c)
{
	verify_blame(v, v->loss);
	check_offsets(v, c);
	check_later(v, c);
	c->window.clock_set = c->watch.set;
	c->window.earlier = clock_watch_earlier(&c->watch);
	c->window.later = clock_watch_later(&c->watch);
	for (size_t i = 0; stillpoint_is_known(&c->window) && i < c->moments.len; i++) {
		const char *fault = find_fault(&c->moments.ptr[i], &c->window);

		if (fault)
			verify_problem(v, c->uuid, NULL, "%s", fault);
	}
	verify_blame(v, 0);
}

/* ---- against the catalog ---- */

struct comparing {
	const struct verify_capture *warc;
	size_t next; /* of its moments */
	bool differs;
};

static bool is_same(const struct verify_moment *m, const struct catalog_clock *k)
{
	if (!slice_eq(m->clock.moment, k->moment) || m->clock.monotonic != k->monotonic)
		return false;
	return !m->is_exact ||
	       (m->clock.wall == k->wall && m->clock.capture_time == k->capture_time &&
		       slice_eq(m->clock.boot, k->boot));
}

static int on_clock(void *context, const struct catalog_clock *k)
{
	struct comparing *x = context;
	size_t i = x->next++;

	if (i >= x->warc->moments.len || !is_same(&x->warc->moments.ptr[i], k))
		x->differs = true;
	return 0;
}

int verify_clock_compare(
	struct verify *v, const struct verify_capture *c, struct catalog *catalog, struct err *err)
{
	struct comparing x = {.warc = c};
	int rc = catalog_each_clock(catalog, c->id, on_clock, &x, err);

	if (rc || (!x.differs && x.next == c->moments.len))
		return rc;
	verify_lost(v, v->loss, c->uuid, NULL,
		"capture %u: the catalog has other readings of the clock than the WARC", c->id);
	return 0;
}
