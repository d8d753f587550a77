#include "catalog/catalog_db.h"

int catalog_set_unkept(
	struct catalog *c, uint32_t capture, const struct catalog_unkept *unkept, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_UNKEPT, err);
	query_put_int(&q, catalog_key(capture, (uint32_t)unkept->reason));
	query_put_size(&q, unkept->links);
	return query_run(&q, err);
}

int catalog_each_unkept(struct catalog *c, uint32_t capture, catalog_on_unkept *call, void *context,
	struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_UNKEPT, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		uint32_t reason = query_number(&q, 0);
		uint64_t links = query_up_to(&q, 1, INT64_MAX);

		if (reason >= LEFT_OUT_COUNT)
			q.damaged = true;
		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, (enum left_out)reason, links);
	}
	return query_end(&q, rc);
}
