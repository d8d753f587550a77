#include "catalog/catalog_db.h"

/* The number of the next event: read once, then counted. */
static int next_number(struct catalog *c, uint32_t capture, uint64_t *ret, struct err *err)
{
	struct query q;
	int rc;

	if (c->event_capture == capture) {
		*ret = c->next_event;
		return 0;
	}
	rc = query_rows(&q, c, SQL_NEXT_EVENT, capture, err);
	if (rc == 0)
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

static int read_row(struct query *q, struct catalog_event *ret, struct err *err)
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
static int hand_out(struct query *q, uint32_t count, catalog_on_event *call, void *context, int rc,
	struct err *err)
{
	struct catalog_event event;

	/* A log with a hole would restore another run. */
	while (rc == 0 && (rc = query_next_key(q, err)) == 0 &&
		(rc = read_row(q, &event, err)) == 0)
		rc = query_number(q, 0) == count++
			     ? call(context, &event)
			     : catalog_damaged(q->c, "an event is missing", err);
	return query_end(q, rc);
}

int catalog_each_event(
	struct catalog *c, uint32_t capture, catalog_on_event *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_EVENT, capture, err);

	return hand_out(&q, 0, call, context, rc, err);
}

int catalog_events_from(struct catalog *c, uint32_t capture, uint32_t first, catalog_on_event *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EVENTS_FROM, capture, err);

	if (rc == 0)
		query_put_int(&q, first);
	return hand_out(&q, first, call, context, rc, err);
}
