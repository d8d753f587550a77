/*
 * The clock of a capture, from the WARC files: the readings at its moments ("start", "stillpoint",
 * …) and the two clocks of every attempt. All times of a process are its monotonic clock plus one
 * offset, which its first reading states; so a time that was changed later does not fit.
 */
#include "archive/warc_date.h"
#include "quality/moment.h"
#include "quality/verify_run.h"

enum {
	CLOCKS_MAX =
		10000, /* of a capture: processes, and before there were anchored clocks lanes */
};

/* ---- reading ---- */

/* limit: which one has ended the capture by then, if any. */
static int keep(struct verify *v, slice uuid, struct verify_moment *m, enum catalog_end limit)
{
	struct verify_capture *c;
	int rc = words_keep(&v->words, m->clock.moment, &m->clock.moment);

	if (rc == 0)
		rc = words_keep(&v->words, m->clock.boot, &m->clock.boot);
	if (rc == 0)
		rc = verify_find_capture(v, uuid, &c);
	if (rc == 0)
		rc = verify_moments_push(&c->moments, *m);
	if (rc)
		return rc;
	clock_watch_add(&c->watch, &m->clock);
	c->ended = c->ended || slice_eq(m->clock.moment, SLICE("end"));
	c->resumed = c->resumed || slice_eq(m->clock.moment, SLICE("resume"));
	c->ended_by = limit == CATALOG_END_NONE ? c->ended_by : limit;
	return 0;
}

int verify_clock_moment(struct verify *v, const struct verify_clock_record *r)
{
	struct verify_moment m;
	struct moment read;
	int rc = r->uuid.ptr ? moment_parse(r->block, r->date, r->scratch, &read) : ERR_NOTFOUND;

	if (rc == ERR_NOTFOUND) /* metadata of something else, or of another tool */
		return 0;
	if (rc == ERR_SYNTAX)
		return verify_problem(
			v, r->uuid, &r->place, "the reading of the clock is malformed");
	if (rc)
		return rc;
	m = (struct verify_moment){.clock = read.clock, .is_exact = read.is_exact};
	if (m.is_exact && r->date != warc_date_truncate(m.clock.capture_time))
		rc = verify_problem(
			v, r->uuid, &r->place, "its date is not that of the reading of the clock");
	return rc ? rc : keep(v, r->uuid, &m, read.ended_by);
}

/* ---- attempts ---- */

static int add_offset(struct verify *v, const struct attempt *a, int64_t wall, int64_t monotonic,
	const struct verify_place *place)
{
	struct verify_offset o = {.offset = clock_watch_minus(wall, monotonic)};
	struct verify_capture *c;
	int rc;

	if (!wall || !monotonic)
		return 0;
	rc = verify_find_capture(v, a->capture, &c);
	if (rc || c->offsets.len >= CLOCKS_MAX)
		return rc;
	for (size_t i = c->offsets.len; i > 0; i--)
		if (c->offsets.ptr[i - 1].offset == o.offset)
			return 0;
	rc = words_keep(&v->words, a->url, &o.url);
	if (rc == 0)
		rc = words_keep(&v->words, place->file, &o.file);
	o.place = place->offset;
	return rc ? rc : verify_offsets_push(&c->offsets, o);
}

int verify_clock_attempt(
	struct verify *v, const struct attempt *a, const struct verify_place *place)
{
	int rc = add_offset(v, a, a->wall.sent, a->clock.sent, place);

	if (rc == 0)
		rc = add_offset(v, a, a->wall.first_byte, a->clock.first_byte, place);
	return rc ? rc : add_offset(v, a, a->wall.last_byte, a->clock.last_byte, place);
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

static int check_offsets(struct verify *v, const struct verify_capture *c)
{
	int rc = 0;

	/* Archives of other tools, or before there were such readings. */
	if (!c->watch.has_begun)
		return 0;
	for (size_t i = 0; rc == 0 && i < c->offsets.len; i++) {
		const struct verify_offset *o = &c->offsets.ptr[i];
		struct verify_place place = {.file = o->file, .offset = o->place};

		if (!is_stated(c, o->offset))
			rc = verify_problem(
				v, o->url, &place, "its times do not fit the clock of the capture");
	}
	return rc;
}

/* Readings of later moments belong to the process that began before them. */
static int check_later(struct verify *v, const struct verify_capture *c)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->moments.len; i++) {
		const struct verify_moment *m = &c->moments.ptr[i];

		if (m->is_exact &&
			!is_stated(c, clock_watch_minus(m->clock.capture_time, m->clock.monotonic)))
			rc = verify_problem(v, c->uuid, NULL,
				"the reading of the clock at '%.*s' does not fit the others",
				(int)m->clock.moment.len, m->clock.moment.ptr);
	}
	return rc;
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
int verify_clock_check(struct verify *v, struct verify_capture *c)
{
	int rc;

	verify_blame(v, v->loss);
	rc = check_offsets(v, c);
	if (rc == 0)
		rc = check_later(v, c);
	c->window.clock_set = c->watch.set;
	c->window.earlier = clock_watch_earlier(&c->watch);
	c->window.later = clock_watch_later(&c->watch);
	for (size_t i = 0; rc == 0 && stillpoint_is_known(&c->window) && i < c->moments.len; i++) {
		const char *fault = find_fault(&c->moments.ptr[i], &c->window);

		if (fault)
			rc = verify_problem(v, c->uuid, NULL, "%s", fault);
	}
	verify_blame(v, 0);
	return rc;
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
	verify_blame(v, v->loss);
	rc = verify_problem(v, c->uuid, NULL,
		"capture %u: the catalog has other readings of the clock than the WARC", c->id);
	verify_blame(v, 0);
	return err_code(err, rc);
}
