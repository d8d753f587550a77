#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "catalog/catalog_db.h"

/* ---- rows that are written ---- */

static const struct catalog_row_form FORMS[CATALOG_ROW_KINDS] = {
	[CATALOG_ROW_ADD_PAGE] = {SQL_ADD_PAGE, sizeof(struct catalog_page), NULL},
	[CATALOG_ROW_TAKE_PAGE] = {SQL_TAKE_PAGE, sizeof(struct catalog_page), "page"},
	[CATALOG_ROW_REFUSE_PAGE] = {SQL_REFUSE_PAGE, sizeof(struct catalog_page), "page"},
	[CATALOG_ROW_ADMIT_PAGE] = {SQL_ADMIT_PAGE, sizeof(struct catalog_page), "page"},
	[CATALOG_ROW_MARK_PAGE] = {SQL_MARK_PAGE, sizeof(struct catalog_page), "page"},
	[CATALOG_ROW_WEIGH_PAGE] = {SQL_WEIGH_PAGE, sizeof(struct catalog_page), "page"},
	[CATALOG_ROW_LIST_PAGE] = {SQL_LIST_PAGE, sizeof(struct catalog_page), "page"},
	[CATALOG_ROW_UNKEPT] = {SQL_SET_UNKEPT, sizeof(struct catalog_unkept), NULL},
	[CATALOG_ROW_PLAN] = {SQL_SET_PLAN, sizeof(struct catalog_plan), NULL},
	[CATALOG_ROW_OBSERVATION] = {SQL_ADD_OBSERVATION, sizeof(struct attempt), NULL},
	[CATALOG_ROW_EVENT] = {SQL_ADD_EVENT, sizeof(struct catalog_event), NULL},
	[CATALOG_ROW_WARC] = {SQL_SET_WARC, sizeof(struct catalog_warc), NULL},
	[CATALOG_ROW_ADD_ROBOTS] = {SQL_ADD_ROBOTS, sizeof(struct catalog_robots), NULL},
	[CATALOG_ROW_CONFIRM_ROBOTS] = {SQL_CONFIRM_ROBOTS, sizeof(struct catalog_robots),
		"robots.txt"},
	[CATALOG_ROW_CLOCK] = {SQL_ADD_CLOCK, sizeof(struct catalog_clock), NULL},
	[CATALOG_ROW_REQUISITE] = {SQL_ADD_REQUISITE, sizeof(struct catalog_requisite), NULL},
	[CATALOG_ROW_DUST] = {SQL_SET_DUST, sizeof(struct catalog_dust), NULL},
	[CATALOG_ROW_LINKS] = {SQL_SET_LINKS, sizeof(struct catalog_links), NULL},
	[CATALOG_ROW_LEARNED] = {SQL_ADD_LEARNED, sizeof(struct catalog_learned), NULL},
	[CATALOG_ROW_POLL] = {SQL_SET_POLL, sizeof(struct catalog_poll), NULL},
	[CATALOG_ROW_LOOK] = {SQL_ADD_LOOK, sizeof(struct catalog_look), NULL},
	[CATALOG_ROW_LOOKS] = {SQL_SET_LOOKS, sizeof(struct catalog_looks), NULL},
	[CATALOG_ROW_VERDICT] = {SQL_SET_VERDICT, sizeof(struct catalog_verdict), NULL},
	[CATALOG_ROW_SAVED] = {SQL_ADD_SAVED, sizeof(struct catalog_saved), NULL},
	/* An update does not look at its strings. */
	[CATALOG_ROW_CAPTURE] = {SQL_UPDATE_CAPTURE, sizeof(struct catalog_capture), "capture"},
};

const struct catalog_row_form *catalog_row_form(enum catalog_row_kind kind)
{
	return &FORMS[kind];
}

int catalog_put(struct catalog *c, enum catalog_row_kind kind, uint32_t capture, const void *body,
	struct err *err)
{
	const struct catalog_row_form *form = &FORMS[kind];
	const struct catalog_look *look = body;
	struct query q;

	if (kind == CATALOG_ROW_OBSERVATION)
		return catalog_add_observation(c, capture, body, err);
	if (kind == CATALOG_ROW_EVENT)
		return catalog_add_event(c, capture, body, err);
	if (kind == CATALOG_ROW_LOOK && (look->batch == 0 || look->batch > CATALOG_LOOKS_MAX ||
						look->number > CATALOG_LOOK_NUMBER_MAX))
		return err_set(err, ERR_RANGE, "%s: the number of a look", c->path);
	query_write(&q, c, form->sql, err);
	if (kind == CATALOG_ROW_CAPTURE)
		query_put_int(&q, ((const struct catalog_capture *)body)->id);
	query_put_row(&q, capture, body);
	if (form->changes)
		return query_run_on(&q, form->changes, err);
	TRY(query_run(&q, err));
	if (kind != CATALOG_ROW_LOOKS)
		return 0;
	/* Now that the batch has a record, none of its looks waits. */
	query_write(&q, c, SQL_DROP_LOOK, err);
	query_put_size(&q, ((const struct catalog_looks *)body)->batch);
	return query_run(&q, err);
}

static void keep_text(struct arena *arena, slice *text)
{
	if (text->ptr)
		*text = arena_keep(arena, *text);
}

void *catalog_row_copy(const struct catalog_row *row, struct arena *arena)
{
	const struct catalog_row_form *form = &FORMS[row->kind];
	const struct catalog_statement *s = catalog_statement(form->sql);
	char *body = arena_need(arena, form->size, alignof(max_align_t));

	(void)memcpy(body, row->body, form->size);
	if (row->kind == CATALOG_ROW_OBSERVATION) {
		if (attempt_keep((struct attempt *)(void *)body, arena))
			mem_end();
		return body;
	}
	for (size_t i = 0; i < s->count; i++)
		if (catalog_column_is_text(&s->columns[i]))
			keep_text(arena, (slice *)(void *)(body + s->columns[i].member));
	return body;
}

/* ---- captures ---- */

const char *catalog_end_name(enum catalog_end end)
{
	static const char *const names[] = {
		[CATALOG_END_TIME] = "time",
		[CATALOG_END_BYTES] = "bytes",
		[CATALOG_END_OPERATOR] = "operator",
	};

	return end <= CATALOG_END_LAST ? names[end] : NULL;
}

int catalog_add_capture(
	struct catalog *c, const struct catalog_capture *capture, uint32_t *ret_id, struct err *err)
{
	struct query q;
	int64_t id;

	query_write(&q, c, SQL_ADD_CAPTURE, err);
	query_put_row(&q, 0, capture);
	TRY(query_run(&q, err));
	id = sqlite3_last_insert_rowid(c->db);
	/* Its rows are numbered id << 32 | number, which must not become negative. */
	if (id < 1 || id > INT32_MAX)
		return err_set(err, ERR_LIMIT, "%s has too many captures", c->path);
	*ret_id = (uint32_t)id;
	return 0;
}

int catalog_set_settings(struct catalog *c, uint32_t capture, slice settings, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_SETTINGS, err);
	query_put_int(&q, capture);
	query_put_text(&q, settings);
	return query_run_on(&q, "capture", err);
}

int catalog_get_capture(struct catalog *c, uint32_t id, struct arena *arena,
	struct catalog_capture *ret, struct err *err)
{
	struct catalog_capture capture;
	struct query q;
	int rc;

	query_read(&q, c, id ? SQL_GET_CAPTURE : SQL_LAST_CAPTURE, err);
	if (id)
		query_put_int(&q, id);
	rc = query_row(&q, &capture, sizeof capture, err);
	if (rc == 0) {
		keep_text(arena, &capture.uuid);
		keep_text(arena, &capture.site);
		keep_text(arena, &capture.strategy);
		keep_text(arena, &capture.settings);
		*ret = capture;
	}
	if (rc == ERR_END && id)
		rc = err_set(err, ERR_NOTFOUND,
			"%s has no capture %u; stillpoint report --captures lists those it has",
			c->path, (unsigned)id);
	else if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND,
			"%s has no capture; make one with: stillpoint crawl", c->path);
	return query_end(&q, rc);
}

/* ---- rows that are read ---- */

/* Functions that call with every row of a query, which differ in its type. */
#define HAND_OUT(name)                                                                    \
	static int each_##name(                                                           \
		struct query *q, catalog_on_##name *call, void *context, struct err *err) \
	{                                                                                 \
		struct catalog_##name row;                                                \
		int rc = 0;                                                               \
                                                                                          \
		while (rc == 0 && (rc = query_row(q, &row, sizeof row, err)) == 0)        \
			rc = call(context, &row);                                         \
		return query_end(q, rc);                                                  \
	}

HAND_OUT(capture)
HAND_OUT(unkept)
HAND_OUT(plan)
HAND_OUT(warc)
HAND_OUT(robots)
HAND_OUT(requisite)
HAND_OUT(dust)
HAND_OUT(links)
HAND_OUT(learned)
HAND_OUT(poll)
HAND_OUT(verdict)
HAND_OUT(saved)
HAND_OUT(look)
HAND_OUT(imported)

int catalog_each_capture(
	struct catalog *c, catalog_on_capture *call, void *context, struct err *err)
{
	struct query q;

	query_read(&q, c, SQL_EACH_CAPTURE, err);
	return each_capture(&q, call, context, err);
}

int catalog_each_unkept(struct catalog *c, uint32_t capture, catalog_on_unkept *call, void *context,
	struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_UNKEPT, capture, err);
	return each_unkept(&q, call, context, err);
}

int catalog_each_plan(
	struct catalog *c, uint32_t capture, catalog_on_plan *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_PLAN, capture, err);
	return each_plan(&q, call, context, err);
}

int catalog_each_warc(struct catalog *c, catalog_on_warc *call, void *context, struct err *err)
{
	struct query q;

	query_read(&q, c, SQL_EACH_WARC, err);
	return each_warc(&q, call, context, err);
}

int catalog_each_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call, void *context,
	struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_ROBOTS, capture, err);
	return each_robots(&q, call, context, err);
}

int catalog_earlier_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call,
	void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EARLIER_ROBOTS, capture, err);
	return each_robots(&q, call, context, err);
}

int catalog_each_requisite(struct catalog *c, uint32_t capture, catalog_on_requisite *call,
	void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_REQUISITE, capture, err);
	return each_requisite(&q, call, context, err);
}

int catalog_page_requisites(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_requisite *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_PAGE_REQUISITES, capture, err);
	query_put_int(&q, page);
	return each_requisite(&q, call, context, err);
}

int catalog_each_dust(
	struct catalog *c, uint32_t capture, catalog_on_dust *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_DUST, capture, err);
	return each_dust(&q, call, context, err);
}

int catalog_each_links(
	struct catalog *c, uint32_t capture, catalog_on_links *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_LINKS, capture, err);
	return each_links(&q, call, context, err);
}

int catalog_each_learned(struct catalog *c, uint32_t capture, catalog_on_learned *call,
	void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_LEARNED, capture, err);
	return each_learned(&q, call, context, err);
}

int catalog_each_poll(
	struct catalog *c, uint32_t capture, catalog_on_poll *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_POLL, capture, err);
	return each_poll(&q, call, context, err);
}

int catalog_each_verdict(struct catalog *c, uint32_t capture, catalog_on_verdict *call,
	void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_VERDICT, capture, err);
	return each_verdict(&q, call, context, err);
}

int catalog_page_verdict(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_verdict *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_PAGE_VERDICT, capture, err);
	query_put_int(&q, page);
	return each_verdict(&q, call, context, err);
}

int catalog_each_saved(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	catalog_on_saved *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_SAVED, capture, err);
	query_put_int(&q, kind);
	return each_saved(&q, call, context, err);
}

int catalog_saved_around(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	uint32_t number, catalog_on_saved *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_SAVED_AROUND, capture, err);
	query_put_int(&q, kind);
	query_put_int(&q, number);
	return each_saved(&q, call, context, err);
}

int catalog_each_look(struct catalog *c, catalog_on_look *call, void *context, struct err *err)
{
	struct query q;

	query_read(&q, c, SQL_EACH_LOOK, err);
	return each_look(&q, call, context, err);
}

int catalog_looks_rows(
	struct catalog *c, uint64_t batch, catalog_on_look *call, void *context, struct err *err)
{
	struct query q;

	query_read(&q, c, SQL_LOOKS_ROWS, err);
	query_put_size(&q, batch);
	return each_look(&q, call, context, err);
}

int catalog_each_imported(
	struct catalog *c, catalog_on_imported *call, void *context, struct err *err)
{
	struct query q;

	query_read(&q, c, SQL_EACH_IMPORTED, err);
	return each_imported(&q, call, context, err);
}

int catalog_each_clock(
	struct catalog *c, uint32_t capture, catalog_on_clock *call, void *context, struct err *err)
{
	struct catalog_clock clock;
	struct query q;
	int rc = 0;

	query_rows(&q, c, SQL_EACH_CLOCK, capture, err);
	while (rc == 0 && (rc = query_row(&q, &clock, sizeof clock, err)) == 0) {
		if (clock.capture_time == 0)
			clock.capture_time = clock.wall;
		rc = call(context, &clock);
	}
	return query_end(&q, rc);
}

/* ---- pages ---- */

int catalog_each_page(
	struct catalog *c, uint32_t capture, catalog_on_page *call, void *context, struct err *err)
{
	struct catalog_page page;
	uint32_t count = 0;
	struct query q;
	int rc = 0;

	query_rows(&q, c, SQL_EACH_PAGE, capture, err);
	while (rc == 0 && (rc = query_row(&q, &page, sizeof page, err)) == 0)
		rc = page.number == count++ ? call(context, &page)
					    : catalog_damaged(c, "a page is missing", err);
	return query_end(&q, rc);
}

int catalog_get_page(struct catalog *c, uint32_t capture, uint32_t number, catalog_on_page *call,
	void *context, struct err *err)
{
	struct catalog_page page;
	struct query q;
	int rc;

	query_rows(&q, c, SQL_GET_PAGE, capture, err);
	query_put_int(&q, number);
	rc = query_row(&q, &page, sizeof page, err);
	if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND, "the capture has no page %u", (unsigned)number);
	if (rc == 0)
		rc = call(context, &page);
	return query_end(&q, rc);
}

int catalog_count_pages(struct catalog *c, uint32_t capture, uint32_t *ret, struct err *err)
{
	struct query q;
	int rc;

	query_rows(&q, c, SQL_LAST_PAGE, capture, err);
	rc = query_next(&q, err);
	if (rc == 0)
		*ret = sqlite3_column_type(q.stmt, 0) == SQLITE_NULL ? 0 : query_number(&q, 0) + 1;
	return query_end(&q, rc);
}

int catalog_find_page(
	struct catalog *c, uint32_t capture, slice url, uint32_t *ret_number, struct err *err)
{
	bool found = false;
	struct query q;
	int rc = 0;

	query_rows(&q, c, SQL_EACH_URL, capture, err);
	while (!found && (rc = query_next_key(&q, err)) == 0)
		found = slice_eq(query_text(&q, 1), url);
	if (found)
		*ret_number = query_number(&q, 0);
	else if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND, "%.*s: the capture has no such page",
			(int)(url.len < ERR_TEXT_MAX ? url.len : ERR_TEXT_MAX), url.ptr);
	return query_end(&q, rc);
}

int catalog_urls_from(struct catalog *c, uint32_t capture, uint32_t first, catalog_on_url *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = 0;

	query_rows(&q, c, SQL_URLS_FROM, capture, err);
	query_put_int(&q, first);
	while (rc == 0 && (rc = query_next_key(&q, err)) == 0)
		rc = call(context, query_number(&q, 0), query_text(&q, 1));
	return query_end(&q, rc);
}

/* ---- saved parts ---- */

int catalog_drop_saved(
	struct catalog *c, uint32_t capture, enum catalog_saved_kind kind, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_DROP_SAVED, err);
	query_put_int(&q, capture);
	query_put_int(&q, kind);
	return query_run(&q, err);
}

/* ---- files that are replaced ---- */

static int run_named(
	struct catalog *c, enum catalog_sql sql, slice name, slice other, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_text(&q, name);
	if (other.ptr)
		query_put_text(&q, other);
	return query_run(&q, err);
}

int catalog_add_replaced(struct catalog *c, slice name, slice new_name, struct err *err)
{
	return run_named(c, SQL_ADD_REPLACED, name, new_name, err);
}

int catalog_drop_replaced(struct catalog *c, slice name, struct err *err)
{
	return run_named(c, SQL_DROP_REPLACED, name, (slice){0}, err);
}

/* In a table of this connection, where the updates find them by their place. */
static int note_moves(
	struct catalog *c, const struct catalog_move *moves, size_t count, struct err *err)
{
	static const char SQL[] = "CREATE TEMP TABLE IF NOT EXISTS moved(place INTEGER PRIMARY KEY,"
				  " new INTEGER NOT NULL, length INTEGER NOT NULL,"
				  " whole INTEGER NOT NULL)";
	int sqlite = sqlite3_exec(c->db, SQL, NULL, NULL, NULL);
	struct query q;

	if (sqlite != SQLITE_OK)
		return catalog_error(c, sqlite, err);
	query_write(&q, c, SQL_CLEAR_MOVES, err);
	TRY(query_run(&q, err));
	for (size_t i = 0; i < count; i++) {
		query_write(&q, c, SQL_ADD_MOVE, err);
		query_put_size(&q, moves[i].from);
		query_put_size(&q, moves[i].to);
		query_put_size(&q, moves[i].length);
		query_put_int(&q, moves[i].is_whole);
		TRY(query_run(&q, err));
	}
	return 0;
}

static int move(
	struct catalog *c, enum catalog_sql sql, slice name, slice new_name, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_word(&q, name);
	query_put_word(&q, new_name);
	return query_run(&q, err);
}

int catalog_replace_warc(struct catalog *c, slice name, const struct catalog_warc *warc,
	const struct catalog_move *moves, size_t count, struct err *err)
{
	struct query q;

	TRY(note_moves(c, moves, count, err));
	TRY(move(c, SQL_MOVE_OBSERVATIONS, name, warc->name, err));
	TRY(move(c, SQL_MOVE_LOOKS, name, warc->name, err));
	query_write(&q, c, SQL_DROP_LOOKS, err); /* records that have no rows left */
	query_put_word(&q, name);
	TRY(query_run(&q, err));
	query_write(&q, c, SQL_RENAME_WARC, err);
	query_put_text(&q, name);
	query_put_text(&q, warc->name);
	query_put_size(&q, warc->size);
	query_put_digest(&q, warc->has_digest, &warc->digest);
	TRY(query_run_on(&q, "WARC file", err));
	return run_named(c, SQL_REPLACED_DONE, name, (slice){0}, err);
}

int catalog_each_replaced(
	struct catalog *c, catalog_on_replaced *call, void *context, struct err *err)
{
	struct catalog_replaced r;
	struct query q;
	int rc = 0;

	query_read(&q, c, SQL_EACH_REPLACED, err);
	while (rc == 0 && (rc = query_next(&q, err)) == 0 &&
		(rc = query_read_row(&q, &r, sizeof r, err)) == 0)
		rc = call(context, &r);
	return query_end(&q, rc);
}

/* ---- looks ---- */

int catalog_get_looks(struct catalog *c, uint64_t batch, struct arena *arena,
	struct catalog_looks *ret, struct err *err)
{
	struct catalog_looks looks;
	struct query q;
	int rc;

	query_read(&q, c, SQL_GET_LOOKS, err);
	query_put_size(&q, batch);
	rc = query_row(&q, &looks, sizeof looks, err);
	if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND, "%s: the looks wait", c->path);
	if (rc == 0) {
		keep_text(arena, &looks.warc);
		*ret = looks;
	}
	return query_end(&q, rc);
}

int catalog_last_looks(struct catalog *c, uint64_t *ret, struct err *err)
{
	struct query q;
	int rc;

	query_read(&q, c, SQL_LAST_LOOKS, err);
	rc = query_next(&q, err);
	if (rc == 0) {
		*ret = query_up_to(&q, 0, CATALOG_LOOKS_MAX);
		rc = query_check(&q, err);
	}
	return query_end(&q, rc);
}

/* ---- events ---- */

/* The number of the next event: read once, then counted. */
static int next_number(struct catalog *c, uint32_t capture, uint64_t *ret, struct err *err)
{
	struct query q;
	int rc;

	if (c->event_capture == capture) {
		*ret = c->next_event;
		return 0;
	}
	query_rows(&q, c, SQL_NEXT_EVENT, capture, err);
	rc = query_next(&q, err);
	if (rc == 0 && sqlite3_column_type(q.stmt, 0) == SQLITE_NULL)
		*ret = 0;
	else if (rc == 0)
		*ret = (uint64_t)query_int(&q, 0) - ((uint64_t)capture << 32);
	return query_end(&q, rc);
}

int catalog_add_event(
	struct catalog *c, uint32_t capture, const struct catalog_event *e, struct err *err)
{
	uint64_t number = 0;
	struct query q;
	int rc;

	query_write(&q, c, SQL_ADD_EVENT, err);
	rc = q.rc ? q.rc : next_number(c, capture, &number, err);
	if (rc == 0 && number > UINT32_MAX)
		rc = err_set(err, ERR_LIMIT, "%s: the capture has too many events", c->path);
	if (rc)
		return query_end(&q, rc);
	query_put_int(&q, catalog_key(capture, (uint32_t)number));
	query_put_int(&q, e->kind);
	query_put_int(&q, e->page);
	query_put_int(&q, e->leg);
	query_put_int(&q, e->attempt);
	query_put_int(&q, e->outcome);
	query_put_int(&q, e->hopeless);
	query_put_double(&q, e->begin);
	query_put_double(&q, e->end);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	c->event_capture = capture;
	c->next_event = number + 1;
	return 0;
}

static int event_read_row(struct query *q, struct catalog_event *ret, struct err *err)
{
	*ret = (struct catalog_event){
		.kind = (enum catalog_event_kind)query_up_to(q, 1, CATALOG_EVENT_SETTLED),
		.page = (uint32_t)query_up_to(q, 2, UINT32_MAX),
		.leg = (uint8_t)query_up_to(q, 3, UINT8_MAX),
		.attempt = (uint8_t)query_up_to(q, 4, UINT8_MAX),
		.outcome = (uint8_t)query_up_to(q, 5, UINT8_MAX),
		.hopeless = query_bool(q, 6),
		.begin = query_double(q, 7),
		.end = query_double(q, 8),
	};
	return query_check(q, err);
}

/* Those from number count on, which a query has been made for. */
static int event_hand_out(struct query *q, uint32_t count, catalog_on_event *call, void *context,
	int rc, struct err *err)
{
	struct catalog_event event;

	/* A log with a hole would restore another run. */
	while (rc == 0 && (rc = query_next_key(q, err)) == 0 &&
		(rc = event_read_row(q, &event, err)) == 0)
		rc = query_number(q, 0) == count++
			     ? call(context, &event)
			     : catalog_damaged(q->c, "an event is missing", err);
	return query_end(q, rc);
}

int catalog_each_event(
	struct catalog *c, uint32_t capture, catalog_on_event *call, void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EACH_EVENT, capture, err);
	return event_hand_out(&q, 0, call, context, 0, err);
}

int catalog_events_from(struct catalog *c, uint32_t capture, uint32_t first, catalog_on_event *call,
	void *context, struct err *err)
{
	struct query q;

	query_rows(&q, c, SQL_EVENTS_FROM, capture, err);
	query_put_int(&q, first);
	return event_hand_out(&q, first, call, context, 0, err);
}

/* ---- words ---- */

/* What is not in the table is stored as it is, so these bound memory and nothing else. */
enum {
	WORDS_MAX = 4096,
	WORD_LEN_MAX = 200,
	ARENA_MAX = WORDS_MAX * (WORD_LEN_MAX + 64) + (1 << 20),
};

void catalog_words_init(struct catalog_words *w)
{
	*w = (struct catalog_words){0};
	arena_init(&w->arena, ARENA_MAX);
	strmap_init(&w->numbers, hash_key_random(), &w->arena);
}

void catalog_words_release(struct catalog_words *w)
{
	strmap_release(&w->numbers);
	slice_vec_release(&w->texts);
	arena_release(&w->arena);
}

static void remember(struct catalog_words *w, slice text)
{
	const char *copy = arena_strdup(&w->arena, text);

	/* A damaged table may have a text twice; the first number is as good. */
	if (!copy || strmap_put(&w->numbers, text, (uint32_t)w->texts.len + 1) == ERR_NOMEM)
		mem_end();
	slice_vec_push(&w->texts, (slice){copy, text.len});
}

/* Reads the words behind those that are known. */
static int load(struct catalog *c, struct err *err)
{
	struct catalog_words *w = &c->words;
	struct query q;
	int rc = 0;

	query_read(&q, c, SQL_EACH_WORD, err);
	query_put_int(&q, (int64_t)w->texts.len);
	while (rc == 0 && w->texts.len < WORDS_MAX && (rc = query_next(&q, err)) == 0) {
		int64_t number = query_int(&q, 0);
		slice text = query_text(&q, 1);

		if (number != (int64_t)w->texts.len + 1 || !text.ptr || text.len > WORD_LEN_MAX)
			rc = catalog_damaged(c, "the table of words", err);
		else
			remember(w, text);
	}
	rc = query_end(&q, rc);
	w->loaded = rc == 0;
	return rc;
}

static int add(struct catalog *c, slice text, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_WORD, err);
	query_put_int(&q, (int64_t)c->words.texts.len + 1);
	query_put_text(&q, text);
	TRY(query_run(&q, err));
	remember(&c->words, text);
	c->words.loaded = true;
	return 0;
}

int catalog_word_number(struct catalog *c, slice text, int64_t *ret, struct err *err)
{
	uint32_t number;

	if (!c->words.loaded)
		TRY(load(c, err));
	if (strmap_get(&c->words.numbers, text, &number)) {
		*ret = number;
	} else if (text.len > WORD_LEN_MAX || c->words.texts.len >= WORDS_MAX) {
		*ret = 0;
	} else {
		TRY(add(c, text, err));
		*ret = (int64_t)c->words.texts.len;
	}
	return 0;
}

int catalog_word_text(struct catalog *c, int64_t number, slice *ret, struct err *err)
{
	const struct slice_vec *texts = &c->words.texts;

	/* Another process may have added some since. */
	if (number > (int64_t)texts->len && number <= WORDS_MAX)
		TRY(load(c, err));
	if (number < 1 || number > (int64_t)texts->len)
		return catalog_damaged(c, "a word is missing", err);
	*ret = texts->ptr[number - 1];
	return 0;
}

/* ---- captures of others ---- */

int catalog_add_imported(
	struct catalog *c, const struct catalog_imported *i, bool *ret_added, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_IMPORTED_PAGE, err);
	query_put_text(&q, i->url);
	TRY(query_run(&q, err));
	query_write(&q, c, SQL_ADD_IMPORTED, err);
	query_put_row(&q, 0, i);
	TRY(query_run(&q, err));
	*ret_added = sqlite3_changes(c->db) > 0;
	return 0;
}

int catalog_set_progress(struct catalog *c, slice source, slice progress, struct err *err)
{
	struct query q;

	query_write(&q, c, progress.len > 0 ? SQL_SET_PROGRESS : SQL_DROP_PROGRESS, err);
	query_put_text(&q, source);
	if (progress.len > 0)
		query_put_blob(&q, progress);
	return query_run(&q, err);
}

int catalog_get_progress(struct catalog *c, slice source, struct buf *ret, struct err *err)
{
	struct query q;
	int rc;

	buf_reset(ret);
	query_read(&q, c, SQL_GET_PROGRESS, err);
	query_put_text(&q, source);
	rc = query_next(&q, err);
	if (rc == 0)
		rc = err_code(err, buf_add(ret, query_text(&q, 0)));
	return query_end(&q, rc);
}
