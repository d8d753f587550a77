#include "catalog/catalog_db.h"

int catalog_add_clock(
	struct catalog *c, uint32_t capture, const struct catalog_clock *k, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_CLOCK, err);
	query_put_int(&q, capture);
	query_put_text(&q, k->moment);
	query_put_int(&q, k->wall);
	query_put_int(&q, k->monotonic);
	query_put_int(&q, k->estimated_error);
	query_put_int(&q, k->maximum_error);
	query_put_int(&q, k->synchronised);
	query_put_int(&q, k->capture_time);
	query_put_text(&q, k->boot.ptr ? k->boot : SLICE(""));
	return query_run(&q, err);
}

static int read_row(struct query *q, struct catalog_clock *ret, struct err *err)
{
	*ret = (struct catalog_clock){
		.moment = query_text(q, 1),
		.wall = query_int(q, 2),
		.monotonic = query_int(q, 3),
		.estimated_error = query_int(q, 4),
		.maximum_error = query_int(q, 5),
		.synchronised = query_bool(q, 6),
		.capture_time = query_int(q, 7),
		.boot = query_text(q, 8),
	};
	if (ret->capture_time == 0)
		ret->capture_time = ret->wall;
	return query_check(q, err);
}

int catalog_each_clock(
	struct catalog *c, uint32_t capture, catalog_on_clock *call, void *context, struct err *err)
{
	struct catalog_clock clock;
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_CLOCK, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &clock, err)) == 0)
		rc = call(context, &clock);
	return query_end(&q, rc);
}
