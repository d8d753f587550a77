#include "archive/rebuilt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/judging.h"
#include "archive/table_lines.h"
#include "base/buf.h"
#include "base/mem.h"
#include "catalog/catalog_line.h"
#include "plan/plan.h"
#include "proof/stillpoint.h"

enum {
	COMMIT_ROWS = 20000,
	WAITING_MAX = 16384, /* attempts; more than one commit can have */
	TEXTS_MAX = 256 << 20,
	LINE_MAX = 4 << 20,
	SETTINGS_MAX = 8 << 20,
};

#define NAMES_MAX ((size_t)4 << 30)

/* What is expected of a page of which nothing is known: about one change a month. */
static const double UNKNOWN_RATE = 1.0 / (30 * 86400), UNKNOWN_SHAPE = 0.5;

static int on_known(void *context, const struct catalog_capture *c)
{
	struct rebuilt_captures *s = context;

	return strmap_put(&s->known, c->uuid, c->id);
}

int rebuilt_init(struct rebuilt_captures *s, struct catalog *catalog, struct err *err)
{
	*s = (struct rebuilt_captures){.catalog = catalog};
	arena_init(&s->arena, NAMES_MAX);
	strmap_init(&s->by_name, hash_key_random(), NULL);
	strmap_init(&s->known, hash_key_random(), &s->arena);
	return catalog_each_capture(catalog, on_known, s, err);
}

void rebuilt_release(struct rebuilt_captures *s)
{
	for (size_t i = 0; i < s->list.len; i++) {
		struct rebuilt *c = s->list.ptr[i];

		seen_release(&c->pages);
		attempt_vec_release(&c->waiting);
		unread_vec_release(&c->unread);
		arena_release(&c->texts);
	}
	rebuilt_vec_release(&s->list);
	strmap_release(&s->by_name);
	strmap_release(&s->known);
	arena_release(&s->arena);
}

/* A row was written. */
static int count_row(struct rebuilt_captures *s, struct err *err)
{
	if (++s->uncommitted < COMMIT_ROWS)
		return 0;
	s->uncommitted = 0;
	return catalog_commit(s->catalog, err);
}

/* ---- captures ---- */

/*
 * The row is added under its number, or under the next one if that is taken. An imported capture
 * gets the first number that is free: so it has the same one however often it is rebuilt.
 */
static int add_row(struct rebuilt_captures *s, struct rebuilt *c, struct err *err)
{
	int rc;

	if (s->is_import)
		c->row.id = 1;
	rc = catalog_add_capture(s->catalog, &c->row, &c->row.id, err);
	while (rc == ERR_EXISTS && c->row.id) {
		*err = (struct err){0};
		c->row.id = s->is_import ? c->row.id + 1 : 0;
		rc = catalog_add_capture(s->catalog, &c->row, &c->row.id, err);
	}
	s->counts.captures++;
	return rc;
}

static int add_capture(struct rebuilt_captures *s, const struct catalog_capture *row,
	struct rebuilt **ret, struct err *err)
{
	struct rebuilt *c = ARENA_NEED(&s->arena, struct rebuilt);
	slice *const texts[] = {&c->row.uuid, &c->row.site, &c->row.strategy, &c->row.settings};
	int rc;

	c->row = *row;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		*texts[i] = arena_keep(&s->arena, *texts[i]);
	if (arena_full(&s->arena))
		return err_code(err, ERR_LIMIT);
	rc = strmap_put(&s->by_name, c->row.uuid, (uint32_t)s->list.len);
	if (rc)
		return err_code(err, rc);
	rebuilt_vec_push(&s->list, c);
	seen_init(&c->pages, hash_key_random());
	c->is_loaded = true;
	c->untabled = UINT32_MAX;
	arena_init_small(&c->texts, TEXTS_MAX);
	*ret = c;
	return add_row(s, c, err);
}

static struct rebuilt *find(const struct rebuilt_captures *s, slice uuid)
{
	uint32_t number;

	return strmap_get(&s->by_name, uuid, &number) ? s->list.ptr[number] : NULL;
}

/* The capture of that name. Without its first record hardly anything is known of it. */
static int find_or_add(
	struct rebuilt_captures *s, slice uuid, int64_t date, struct rebuilt **ret, struct err *err)
{
	*ret = find(s, uuid);
	return *ret ? 0
		    : add_capture(s,
			      &(struct catalog_capture){
				      .uuid = uuid,
				      .site = SLICE("unknown: its first record is missing"),
				      .strategy = SLICE("stillpoint-online"),
				      .settings = SLICE(""),
				      .started = date,
				      .addresses = CATALOG_NO_ADDRESSES,
			      },
			      ret, err);
}

/* ---- moments ---- */

static bool is_single(slice strategy, slice settings)
{
	const struct plan_strategy *known = NULL;
	char name[64];

	if (strategy.len < sizeof name) {
		memcpy(name, strategy.ptr, strategy.len);
		name[strategy.len] = '\0';
		known = plan_strategy_find(name, false);
	}
	if (known && !known->revisits)
		return true;
	while (settings.len > 0)
		if (slice_starts_with(slice_take(&settings, '\n'), SLICE("single true")))
			return true;
	return false;
}

static int begin(struct rebuilt_captures *s, slice uuid, const struct moment *m, slice settings,
	struct rebuilt **ret, struct err *err)
{
	return add_capture(s,
		&(struct catalog_capture){
			.id = m->number,
			.uuid = uuid,
			.site = m->site,
			.strategy = m->strategy,
			.settings = settings,
			.single = is_single(m->strategy, settings),
			.started = m->started ? m->started : m->clock.capture_time,
			.addresses = m->addresses,
		},
		ret, err);
}

/* A process begins: it may have other settings than the one before. */
static int begin_process(struct rebuilt_captures *s, slice uuid, const struct moment *m,
	slice block, struct rebuilt **ret, struct err *err)
{
	struct rebuilt *c = find(s, uuid);
	struct buf settings;
	bool is_cut = false;
	int rc;

	if (!m->site.ptr || !m->strategy.ptr) /* of a version that did not say */
		return find_or_add(s, uuid, m->clock.capture_time, ret, err);
	buf_init(&settings, SETTINGS_MAX);
	rc = err_code(err, moment_settings(block, &settings, &is_cut));
	if (rc == 0 && c)
		rc = catalog_set_settings(s->catalog, c->row.id, buf_slice(&settings), err);
	else if (rc == 0)
		rc = begin(s, uuid, m, buf_slice(&settings), &c, err);
	buf_release(&settings);
	if (rc)
		return rc;
	c->has_start = true;
	c->is_cut = is_cut;
	*ret = c;
	return 0;
}

/* The map from URLs to numbers is read again if it is needed after all. */
static void unload(struct rebuilt *c)
{
	seen_release(&c->pages);
	c->is_loaded = false;
}

/* What the moment says of the capture's end. */
static void note_state(struct rebuilt *c, const struct moment *m)
{
	if (clock_watch_begins(&m->clock)) {
		c->has_end = false;
		c->row.state = CATALOG_RUNNING;
		c->row.finished = 0;
	}
	if (m->ended_by != CATALOG_END_NONE)
		c->row.ended_by = m->ended_by;
	if (m->addresses != CATALOG_NO_ADDRESSES)
		c->row.addresses = m->addresses;
	if (!slice_eq(m->clock.moment, SLICE("end")))
		return;
	c->has_end = true;
	unload(c);
	c->row.state = c->row.ended_by == CATALOG_END_NONE ? CATALOG_FINISHED : CATALOG_CUT;
	c->row.finished = m->clock.capture_time;
}

/* It is in the catalog already. */
static bool is_known(const struct rebuilt_captures *s, slice uuid)
{
	return strmap_get(&s->known, uuid, NULL);
}

int rebuilt_moment(struct rebuilt_captures *s, slice uuid, const struct moment *m, slice block,
	struct err *err)
{
	struct rebuilt *c = NULL;
	int rc;

	if (is_known(s, uuid))
		return 0;
	rc = clock_watch_begins(&m->clock) ? begin_process(s, uuid, m, block, &c, err)
					   : find_or_add(s, uuid, m->clock.capture_time, &c, err);

	if (rc == 0)
		rc = catalog_put(s->catalog, CATALOG_ROW_CLOCK, c->row.id, &m->clock, err);
	if (rc)
		return rc;
	clock_watch_add(&c->watch, &m->clock);
	if (c->watch.set)
		c->row.caveats |= CATALOG_CAVEAT_CLOCK;
	else if (c->watch.adjusted)
		c->row.caveats |= CATALOG_CAVEAT_DATE;
	note_state(c, m);
	return count_row(s, err);
}

/* ---- pages ---- */

struct loading {
	struct rebuilt *capture;
	struct err *err;
};

static int on_url(void *context, uint32_t number, slice url)
{
	struct loading *l = context;
	int rc = seen_add(&l->capture->pages, url, number);

	return err_code(l->err, rc == ERR_EXISTS ? 0 : rc);
}

static int load(struct rebuilt_captures *s, struct rebuilt *c, struct err *err)
{
	struct loading l = {c, err};

	if (c->is_loaded)
		return 0;
	c->is_loaded = true;
	return catalog_urls_from(s->catalog, c->row.id, 0, on_url, &l, err);
}

static int add_page(struct rebuilt_captures *s, struct rebuilt *c, const struct catalog_page *page,
	struct err *err)
{
	int rc = load(s, c, err);

	if (rc == 0)
		rc = catalog_put(s->catalog, CATALOG_ROW_ADD_PAGE, c->row.id, page, err);
	if (rc == 0) {
		rc = seen_add(&c->pages, page->url, page->number);
		rc = err_code(err, rc == ERR_EXISTS ? 0 : rc);
	}
	if (rc)
		return rc;
	c->page_count = page->number + 1;
	s->counts.pages++;
	return count_row(s, err);
}

/* Numbers have no gaps: what the table has lost gets a page without a URL of its own. */
static int add_lost_pages(
	struct rebuilt_captures *s, struct rebuilt *c, uint32_t up_to, struct err *err)
{
	char url[64];
	int rc = 0;

	while (rc == 0 && c->page_count < up_to) {
		(void)snprintf(
			url, sizeof url, "urn:x-stillpoint:lost-page:%" PRIu32, c->page_count);
		s->counts.lost_pages++;
		c->lost++;
		rc = add_page(s, c,
			&(struct catalog_page){
				.number = c->page_count,
				.url = slice_str(url),
				.kind = SLICE("page"),
				.via = CATALOG_NO_PAGE,
				.found = SLICE("unknown"),
				.rule = SLICE("out: its line of the page table is lost"),
				.left_out = LEFT_OUT_LOST,
			},
			err);
	}
	return rc;
}

/* Whether the settings of the capture name it as a seed. */
static bool is_seed(const struct rebuilt *c, slice url)
{
	slice settings = c->row.settings;

	while (settings.len > 0) {
		slice value = slice_take(&settings, '\n'), name = slice_take(&value, ' ');

		if (slice_eq(name, SLICE("seeds")) && slice_eq(value, url))
			return true;
	}
	return false;
}

static slice way_to(const struct rebuilt *c, const struct attempt *a)
{
	return is_seed(c, a->url) ? SLICE("seed") : a->via.ptr ? SLICE("link") : SLICE("unknown");
}

/* A page of which there is no table, or whose line is lost: as far as an attempt tells of it. */
static int add_seen_page(
	struct rebuilt_captures *s, struct rebuilt *c, const struct attempt *a, struct err *err)
{
	uint32_t via;
	struct catalog_page page = {
		.number = c->page_count,
		.url = a->url,
		.kind = a->kind.ptr ? a->kind : SLICE("page"),
		.via = a->via.ptr && seen_find(&c->pages, a->via, &via) ? via : CATALOG_NO_PAGE,
		.found = way_to(c, a),
		.taken = true,
		.rule = SLICE("in: it was requested; the page table has lost it"),
		.rate = UNKNOWN_RATE,
		.shape = UNKNOWN_SHAPE,
		.weight = 1,
	};

	if (c->untabled > c->page_count)
		c->untabled = c->page_count;
	return add_page(s, c, &page, err);
}

/* ---- attempts ---- */

static void move_still_point(struct rebuilt *c, const struct attempt *a)
{
	struct stillpoint w = {.from = c->row.still_from, .to = c->row.still_to};

	stillpoint_add(&w, a->leg, &a->wall);
	c->row.still_from = w.from;
	c->row.still_to = w.to;
}

/* Whether its response may link to pages: it has a body of its own, or one that others have. */
static bool may_link(const struct attempt *a)
{
	return a->leg != ATTEMPT_SIDE && a->leg != ATTEMPT_PROBE && a->status >= 200 &&
	       a->status < 400 && a->warc.ptr && !a->is_compact;
}

static int store(
	struct rebuilt_captures *s, struct rebuilt *c, const struct attempt *a, struct err *err)
{
	int rc = catalog_add_observation(s->catalog, c->row.id, a, err);

	if (rc == ERR_EXISTS) {
		*err = (struct err){0};
		s->counts.twice++;
		return 0;
	}
	if (rc)
		return rc;
	move_still_point(c, a);
	s->counts.attempts++;
	if (may_link(a))
		unread_vec_push(
			&c->unread, (struct unread){a->page, (uint8_t)a->leg, (uint8_t)a->number});
	return count_row(s, err);
}

static int wait(struct rebuilt *c, const struct attempt *a, struct err *err)
{
	struct attempt copy = *a;
	int rc = attempt_keep(&copy, &c->texts);

	return err_code(err, rc ? rc : attempt_vec_push(&c->waiting, copy));
}

/* Attempts whose page is known by now; the others go on waiting, unless all pages are made up. */
static int settle(struct rebuilt_captures *s, struct rebuilt *c, bool make_pages, struct err *err)
{
	size_t kept = 0;
	int rc = c->waiting.len ? load(s, c, err) : 0;

	for (size_t i = 0; rc == 0 && i < c->waiting.len; i++) {
		struct attempt *a = &c->waiting.ptr[i];

		if (!seen_find(&c->pages, a->url, &a->page)) {
			if (!make_pages) {
				c->waiting.ptr[kept++] = *a;
				continue;
			}
			a->page = c->page_count;
			rc = add_seen_page(s, c, a, err);
		}
		if (rc == 0)
			rc = store(s, c, a, err);
	}
	if (rc == 0)
		c->waiting.len = kept;
	if (rc == 0 && kept == 0)
		arena_reset(&c->texts);
	return rc;
}

int rebuilt_attempt(struct rebuilt_captures *s, const struct attempt *a, struct err *err)
{
	struct rebuilt *c = NULL;
	struct attempt known = *a;
	int rc;

	if (is_known(s, a->capture))
		return 0;
	rc = find_or_add(s, a->capture, a->wall.sent ? a->wall.sent : a->wall.last_byte, &c, err);

	known.page = CATALOG_NO_PAGE;
	if (rc == 0 && a->leg == ATTEMPT_SIDE)
		return store(s, c, &known, err);
	if (rc == 0)
		rc = load(s, c, err);
	if (rc)
		return rc;
	if (seen_find(&c->pages, a->url, &known.page))
		return store(s, c, &known, err);
	rc = wait(c, a, err);
	if (rc || c->waiting.len < WAITING_MAX)
		return rc;
	return settle(s, c, true, err);
}

/* ---- page tables ---- */

static uint32_t *page_of(struct catalog_line *l)
{
	switch (l->kind) {
	case CATALOG_ROW_PLAN:
		return &l->plan.page;
	case CATALOG_ROW_REQUISITE:
		return &l->requisite.page;
	case CATALOG_ROW_LINKS:
		return &l->links.page;
	case CATALOG_ROW_UNKEPT:
	case CATALOG_ROW_ADD_ROBOTS:
	case CATALOG_ROW_CONFIRM_ROBOTS:
	case CATALOG_ROW_POLL:
		return NULL;
	default:
		return &l->page.number;
	}
}

/* Makes the change of a line. One that does not fit is counted, and passed over. */
static int apply(
	struct rebuilt_captures *s, struct rebuilt *c, struct catalog_line *l, struct err *err)
{
	const uint32_t *page = page_of(l);
	int rc = 0;

	if (l->kind == CATALOG_ROW_ADD_PAGE) {
		rc = l->page.number < c->page_count ? ERR_EXISTS
						    : add_lost_pages(s, c, l->page.number, err);
		return rc ? rc : add_page(s, c, &l->page, err);
	}
	if (page && *page >= c->page_count)
		rc = add_lost_pages(s, c, *page + 1, err);
	if (rc == 0)
		rc = catalog_write(s->catalog,
			&(struct catalog_row){l->kind, c->row.id, .body = &l->page}, err);
	return rc ? rc : count_row(s, err);
}

static bool is_of_line(int rc)
{
	return rc == ERR_SYNTAX || rc == ERR_EXISTS || rc == ERR_NOTFOUND || rc == ERR_RANGE ||
	       rc == ERR_USAGE || rc == ERR_LIMIT;
}

static int add_line(struct rebuilt_captures *s, struct rebuilt *c, slice line, struct err *err)
{
	struct catalog_line l;
	struct arena texts;
	int rc;

	arena_init_small(&texts, LINE_MAX);
	rc = catalog_line_parse(line, &texts, &l);
	if (rc == 0)
		rc = apply(s, c, &l, err);
	else if (rc == ERR_NOTFOUND) /* of a later version */
		rc = 0;
	arena_release(&texts);
	if (!is_of_line(rc))
		return err_code(err, rc);
	*err = (struct err){0};
	s->counts.malformed++;
	return 0;
}

static slice take_line(slice *block)
{
	slice line = slice_take(block, '\n');

	return slice_ends_with(line, SLICE("\r")) ? slice_sub(line, 0, line.len - 1) : line;
}

void rebuilt_gap(struct rebuilt_captures *s)
{
	s->is_broken = true;
	for (size_t i = 0; i < s->list.len; i++)
		s->list.ptr[i]->has_gap = true;
}

/*
 * The lines of a capture in a record were read. A record that ends a commit completes what the
 * attempts before it have found; one that is full comes in the middle.
 */
static int end_lines(
	struct rebuilt_captures *s, struct rebuilt *c, bool ends_commit, struct err *err)
{
	int rc = settle(s, c, false, err);

	if (c->has_gap)
		c->unread_for_good = c->unread.len;
	else if (ends_commit)
		c->unread.len = c->unread_for_good;
	c->has_gap = c->has_gap && !ends_commit;
	return rc;
}

int rebuilt_table(struct rebuilt_captures *s, slice block, struct err *err)
{
	static const slice OF = SLICE_INIT(CATALOG_TABLE_OF);
	bool ends_commit = block.len < TABLE_LINES_FULL;
	struct rebuilt *c = NULL;
	int rc = 0;

	(void)take_line(&block); /* the version: lines of later ones are passed over one by one */
	while (rc == 0 && block.len > 0) {
		slice line = take_line(&block);

		if (slice_starts_with(line, OF)) {
			slice uuid = slice_sub(line, OF.len, line.len);

			rc = c ? end_lines(s, c, ends_commit, err) : 0;
			c = NULL;
			if (rc == 0 && !is_known(s, uuid))
				rc = find_or_add(s, uuid, 0, &c, err);
		} else if (c) {
			c->has_table = true;
			rc = add_line(s, c, line, err);
		}
	}
	return rc || !c ? rc : end_lines(s, c, ends_commit, err);
}

/* ---- learned rules ---- */

int rebuilt_learned(struct rebuilt_captures *s, slice uuid, slice lines, struct err *err)
{
	struct rebuilt *c = NULL;
	struct buf line;
	int rc;

	if (is_known(s, uuid))
		return 0;
	rc = find_or_add(s, uuid, 0, &c, err);
	buf_init(&line, LINE_MAX);
	while (rc == 0 && lines.len > 0) {
		slice value = take_line(&lines), name = slice_take(&value, ':');

		/* "rule: …" is the line "rule …". */
		buf_reset(&line);
		if (!slice_starts_with(value, SLICE(" ")))
			continue;
		(void)buf_add(&line, name);
		rc = err_code(err, buf_add(&line, value));
		if (rc == 0)
			rc = catalog_put(s->catalog, CATALOG_ROW_LEARNED, c->row.id,
				&(struct catalog_learned){.rule = buf_slice(&line)}, err);
	}
	buf_release(&line);
	return rc ? rc : count_row(s, err);
}

/* ---- the end ---- */

static int add_event(struct rebuilt_captures *s, struct rebuilt *c, const struct catalog_event *e,
	struct err *err)
{
	int rc = catalog_add_event(s->catalog, c->row.id, e, err);

	return rc ? rc : count_row(s, err);
}

/* What resume has to do besides going on. */
static int leave_to_resume(struct rebuilt_captures *s, struct rebuilt *c, struct err *err)
{
	int rc = 0;

	if (c->untabled < c->page_count)
		rc = add_event(s, c,
			&(struct catalog_event){
				.kind = CATALOG_EVENT_UNTABLED, .page = c->untabled},
			err);
	for (size_t i = 0; rc == 0 && i < c->unread.len; i++)
		rc = add_event(s, c,
			&(struct catalog_event){.kind = CATALOG_EVENT_UNREAD,
				.page = c->unread.ptr[i].page,
				.leg = c->unread.ptr[i].leg,
				.attempt = c->unread.ptr[i].attempt},
			err);
	s->counts.unread += c->unread.len;
	return rc;
}

/* Which pages were asked for. */
struct asking {
	uint8_t *asked; /* by page */
	uint32_t pages;
	bool is_lacking; /* one that was to be is not among them */
};

static int on_asked(void *context, const struct attempt *a)
{
	struct asking *x = context;

	if (a->page < x->pages && (a->leg == ATTEMPT_VISIT || a->leg == ATTEMPT_LATE))
		x->asked[a->page] = 1;
	return 0;
}

static int on_page_asked(void *context, const struct catalog_page *p)
{
	struct asking *x = context;

	x->is_lacking = x->is_lacking || (p->taken && p->number < x->pages && !x->asked[p->number]);
	return 0;
}

/* Whether a capture that has ended lacks a visit: it may be among what cannot be read. */
static int find_lacking(
	struct rebuilt_captures *s, const struct rebuilt *c, bool *ret, struct err *err)
{
	struct asking x = {mem_new(c->page_count + 1, 1), c->page_count, false};
	int rc = catalog_each_observation(s->catalog, c->row.id, on_asked, &x, err);

	if (rc == 0)
		rc = catalog_each_page(s->catalog, c->row.id, on_page_asked, &x, err);
	free(x.asked);
	*ret = x.is_lacking;
	return rc;
}

/* A capture that has lost pages or visits has not ended: some may be found again. */
static int settle_last(struct rebuilt_captures *s, struct rebuilt *c, struct err *err)
{
	int rc = settle(s, c, true, err);
	bool is_lacking = false;

	if (rc == 0 && s->is_broken && c->has_end && c->row.ended_by == CATALOG_END_NONE)
		rc = find_lacking(s, c, &is_lacking, err);
	if (c->lost > 0 || is_lacking) {
		c->has_end = false;
		c->row.state = CATALOG_RUNNING;
		c->row.finished = 0;
	}
	s->counts.without_table += !c->has_table;
	s->counts.without_start += !c->has_start;
	s->counts.unfinished += !c->has_end;
	return rc || c->has_end ? rc : leave_to_resume(s, c, err);
}

static int finish(struct rebuilt_captures *s, struct rebuilt *c, struct err *err)
{
	int rc = settle_last(s, c, err);

	unload(c);
	if (c->has_end && c->row.caveats & CATALOG_CAVEAT_CLOCK)
		c->row.still_from = c->row.still_to = 0;
	if (rc == 0)
		rc = catalog_put(s->catalog, CATALOG_ROW_CAPTURE, 0, &c->row, err);
	if (rc == 0 && c->has_end)
		rc = judging_store(s->catalog, c->row.id, NULL, err);
	return rc ? rc : catalog_commit(s->catalog, err);
}

static int count_missing(void *context, const struct catalog_capture *c)
{
	struct rebuilt_captures *s = context;

	/* In the order of their numbers, which have no gaps. */
	s->counts.missing += c->id - s->last - 1;
	s->last = c->id;
	return 0;
}

int rebuilt_finish(struct rebuilt_captures *s, struct err *err)
{
	int rc = catalog_each_capture(s->catalog, count_missing, s, err);

	for (size_t i = 0; rc == 0 && i < s->list.len; i++)
		rc = finish(s, s->list.ptr[i], err);
	return rc ? rc : catalog_commit(s->catalog, err);
}
