#include "catalog/catalog_db.h"

/* No position is NULL, which takes no space: most pages of an unfinished capture have none. */
static void put_position(struct query *q, int64_t position)
{
	if (position < 0)
		query_put_null(q);
	else
		query_put_int(q, position);
}

static int64_t read_position(struct query *q, int column)
{
	if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL)
		return -1;
	return (int64_t)query_up_to(q, column, INT64_MAX);
}

int catalog_set_plan(
	struct catalog *c, uint32_t capture, const struct catalog_plan *plan, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_PLAN, err);
	query_put_int(&q, catalog_key(capture, plan->page));
	put_position(&q, plan->visit);
	put_position(&q, plan->revisit);
	query_put_int(&q, plan->hopeless);
	return query_run(&q, err);
}

static int read_row(struct query *q, struct catalog_plan *ret, struct err *err)
{
	*ret = (struct catalog_plan){
		.page = query_number(q, 0),
		.visit = read_position(q, 1),
		.revisit = read_position(q, 2),
		.hopeless = query_bool(q, 3),
	};
	return query_check(q, err);
}

int catalog_each_plan(
	struct catalog *c, uint32_t capture, catalog_on_plan *call, void *context, struct err *err)
{
	struct catalog_plan plan;
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_PLAN, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &plan, err)) == 0)
		rc = call(context, &plan);
	return query_end(&q, rc);
}
