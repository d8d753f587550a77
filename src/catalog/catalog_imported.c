#include "catalog/catalog_db.h"

static int add_page(struct catalog *c, slice url, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_IMPORTED_PAGE, err);
	query_put_text(&q, url);
	return query_run(&q, err);
}

int catalog_add_imported(
	struct catalog *c, const struct catalog_imported *i, bool *ret_added, struct err *err)
{
	struct query q;
	int rc = add_page(c, i->url, err);

	if (rc)
		return rc;
	query_write(&q, c, SQL_ADD_IMPORTED, err);
	query_put_text(&q, i->url);
	query_put_int(&q, i->time);
	query_put_int(&q, (int64_t)i->digest);
	query_put_int(&q, i->source);
	rc = query_run(&q, err);
	if (rc == 0)
		*ret_added = sqlite3_changes(c->db) > 0;
	return rc;
}

static int read_row(struct query *q, struct catalog_imported *ret, struct err *err)
{
	*ret = (struct catalog_imported){
		.url = query_text(q, 1),
		.time = query_int(q, 2),
		.digest = (uint64_t)query_int(q, 3),
		.source = (unsigned)query_up_to(q, 4, UINT32_MAX),
	};
	return query_check(q, err);
}

int catalog_each_imported(
	struct catalog *c, catalog_on_imported *call, void *context, struct err *err)
{
	struct catalog_imported imported;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_IMPORTED, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &imported, err)) == 0)
		rc = call(context, &imported);
	return query_end(&q, rc);
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
	int rc = query_read(&q, c, SQL_GET_PROGRESS, err);

	buf_reset(ret);
	query_put_text(&q, source);
	if (rc == 0)
		rc = query_next(&q, err);
	if (rc == 0)
		rc = err_code(err, buf_add(ret, query_text(&q, 0)));
	return query_end(&q, rc == 0 ? ERR_END : rc);
}
