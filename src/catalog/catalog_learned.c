#include "catalog/catalog_db.h"

int catalog_add_learned(
	struct catalog *c, uint32_t capture, const struct catalog_learned *l, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_LEARNED, err);
	query_put_int(&q, capture);
	query_put_text(&q, l->rule);
	return query_run(&q, err);
}

int catalog_each_learned(struct catalog *c, uint32_t capture, catalog_on_learned *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_LEARNED, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_learned l = {.rule = query_text(&q, 1)};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &l);
	}
	return query_end(&q, rc);
}
