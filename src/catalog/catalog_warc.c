#include "catalog/catalog_db.h"

int catalog_set_warc(struct catalog *c, const struct catalog_warc *warc, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_WARC, err);
	query_put_text(&q, warc->name);
	query_put_size(&q, warc->size);
	query_put_int(&q, warc->complete);
	query_put_digest(&q, warc->has_digest, &warc->digest);
	return query_run(&q, err);
}

static int read_row(struct query *q, struct catalog_warc *ret, struct err *err)
{
	*ret = (struct catalog_warc){
		.name = query_text(q, 1),
		.size = query_up_to(q, 2, INT64_MAX),
		.complete = query_bool(q, 3),
	};
	ret->has_digest = query_digest(q, 4, &ret->digest);
	return query_check(q, err);
}

int catalog_each_warc(struct catalog *c, catalog_on_warc *call, void *context, struct err *err)
{
	struct catalog_warc warc;
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_WARC, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &warc, err)) == 0)
		rc = call(context, &warc);
	return query_end(&q, rc);
}
