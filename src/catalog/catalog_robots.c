#include "catalog/catalog_db.h"

int catalog_add_robots(
	struct catalog *c, uint32_t capture, const struct catalog_robots *r, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_ROBOTS, err);
	query_put_int(&q, capture);
	query_put_text(&q, r->origin);
	query_put_int(&q, r->policy);
	query_put_int(&q, r->fetched);
	query_put_text(&q, r->why);
	query_put_blob(&q, r->body);
	return query_run(&q, err);
}

int catalog_confirm_robots(
	struct catalog *c, uint32_t capture, slice origin, int64_t checked, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_CONFIRM_ROBOTS, err);
	query_put_int(&q, capture);
	query_put_text(&q, origin);
	query_put_int(&q, checked);
	return query_run_on(&q, "robots.txt", err);
}

static int read_row(struct query *q, struct catalog_robots *ret, struct err *err)
{
	*ret = (struct catalog_robots){
		.origin = query_text(q, 1),
		.policy = (uint8_t)query_up_to(q, 2, UINT8_MAX),
		.fetched = query_int(q, 3),
		.checked = query_int(q, 4),
		.why = query_text(q, 5),
		.body = query_text(q, 6),
	};
	return query_check(q, err);
}

static int each_robots(struct catalog *c, enum catalog_sql sql, uint32_t capture,
	catalog_on_robots *call, void *context, struct err *err)
{
	struct catalog_robots robots;
	struct query q;
	int rc = query_rows(&q, c, sql, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &robots, err)) == 0)
		rc = call(context, &robots);
	return query_end(&q, rc);
}

int catalog_each_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call, void *context,
	struct err *err)
{
	return each_robots(c, SQL_EACH_ROBOTS, capture, call, context, err);
}

int catalog_earlier_robots(struct catalog *c, uint32_t capture, catalog_on_robots *call,
	void *context, struct err *err)
{
	return each_robots(c, SQL_EARLIER_ROBOTS, capture, call, context, err);
}
