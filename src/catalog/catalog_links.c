#include "catalog/catalog_db.h"

int catalog_set_links(
	struct catalog *c, uint32_t capture, const struct catalog_links *l, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_LINKS, err);
	query_put_int(&q, catalog_key(capture, l->page));
	query_put_blob(&q, l->targets);
	return query_run(&q, err);
}

int catalog_each_links(
	struct catalog *c, uint32_t capture, catalog_on_links *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_LINKS, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_links l = {
			.page = query_number(&q, 0), .targets = query_text(&q, 1)};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &l);
	}
	return query_end(&q, rc);
}
