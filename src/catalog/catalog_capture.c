#include "catalog/catalog_db.h"

/* What catalog_update_capture changes. */
static void put_changing(struct query *q, const struct catalog_capture *capture)
{
	query_put_int(q, capture->state);
	query_put_int(q, capture->finished);
	query_put_int(q, capture->still_from);
	query_put_int(q, capture->still_to);
	query_put_int(q, capture->ended_by);
	query_put_int(q, capture->caveats);
	query_put_int(q, capture->addresses);
}

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
	int rc;

	query_write(&q, c, SQL_ADD_CAPTURE, err);
	if (capture->id)
		query_put_int(&q, capture->id);
	else
		query_put_null(&q);
	query_put_text(&q, capture->uuid);
	query_put_text(&q, capture->site);
	query_put_text(&q, capture->strategy);
	query_put_text(&q, capture->settings);
	query_put_int(&q, capture->single);
	query_put_int(&q, capture->started);
	put_changing(&q, capture);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	id = sqlite3_last_insert_rowid(c->db);
	/* Its rows are numbered id << 32 | number, which must not become negative. */
	if (id < 1 || id > INT32_MAX)
		return err_set(err, ERR_LIMIT, "%s has too many captures", c->path);
	*ret_id = (uint32_t)id;
	return 0;
}

int catalog_update_capture(
	struct catalog *c, const struct catalog_capture *capture, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_UPDATE_CAPTURE, err);
	query_put_int(&q, capture->id);
	put_changing(&q, capture);
	return query_run_on(&q, "capture", err);
}

int catalog_set_settings(struct catalog *c, uint32_t capture, slice settings, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_SETTINGS, err);
	query_put_int(&q, capture);
	query_put_text(&q, settings);
	return query_run_on(&q, "capture", err);
}

static int read_row(struct query *q, struct catalog_capture *ret, struct err *err)
{
	*ret = (struct catalog_capture){
		.id = (uint32_t)query_up_to(q, 0, INT32_MAX),
		.uuid = query_text(q, 1),
		.site = query_text(q, 2),
		.strategy = query_text(q, 3),
		.settings = query_text(q, 4),
		.single = query_bool(q, 5),
		.state = (enum catalog_state)query_up_to(q, 6, CATALOG_CUT),
		.started = query_time(q, 7),
		.finished = query_time(q, 8),
		.still_from = query_time(q, 9),
		.still_to = query_time(q, 10),
		.ended_by = (enum catalog_end)query_up_to(q, 11, CATALOG_END_LAST),
		.caveats = (unsigned)query_up_to(q, 12, UINT32_MAX),
		.addresses = query_int(q, 13),
	};
	return query_check(q, err);
}

static bool copy_text(struct arena *arena, slice *text)
{
	if (text->ptr)
		text->ptr = arena_strdup(arena, *text);
	return text->ptr || text->len == 0;
}

static int copy_texts(const struct catalog *c, struct arena *arena, struct catalog_capture *capture,
	struct err *err)
{
	if (copy_text(arena, &capture->uuid) && copy_text(arena, &capture->site) &&
		copy_text(arena, &capture->strategy) && copy_text(arena, &capture->settings))
		return 0;
	return err_set(err, ERR_NOMEM, "%s: out of memory", c->path);
}

int catalog_get_capture(struct catalog *c, uint32_t id, struct arena *arena,
	struct catalog_capture *ret, struct err *err)
{
	struct catalog_capture capture;
	struct query q;
	int rc = query_read(&q, c, id ? SQL_GET_CAPTURE : SQL_LAST_CAPTURE, err);

	if (rc)
		return rc;
	if (id)
		query_put_int(&q, id);
	rc = query_next(&q, err);
	if (rc == 0)
		rc = read_row(&q, &capture, err);
	if (rc == 0)
		rc = copy_texts(c, arena, &capture, err);
	if (rc == 0)
		*ret = capture;
	if (rc == ERR_END && id)
		rc = err_set(err, ERR_NOTFOUND,
			"%s has no capture %u; stillpoint report --captures lists those it has",
			c->path, (unsigned)id);
	else if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND,
			"%s has no capture; make one with: stillpoint crawl", c->path);
	return query_end(&q, rc);
}

int catalog_each_capture(
	struct catalog *c, catalog_on_capture *call, void *context, struct err *err)
{
	struct catalog_capture capture;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_CAPTURE, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &capture, err)) == 0)
		rc = call(context, &capture);
	return query_end(&q, rc);
}
