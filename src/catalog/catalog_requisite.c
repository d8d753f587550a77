#include "catalog/catalog_db.h"

int catalog_add_requisite(
	struct catalog *c, uint32_t capture, const struct catalog_requisite *r, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_REQUISITE, err);
	query_put_int(&q, capture);
	query_put_int(&q, r->page);
	query_put_int(&q, r->requisite);
	return query_run(&q, err);
}

static int hand_out(
	struct query *q, catalog_on_requisite *call, void *context, int rc, struct err *err)
{
	while (rc == 0 && (rc = query_next_key(q, err)) == 0) {
		struct catalog_requisite r = {
			.page = (uint32_t)query_up_to(q, 1, CATALOG_NO_PAGE - 1),
			.requisite = (uint32_t)query_up_to(q, 2, CATALOG_NO_PAGE),
		};

		rc = query_check(q, err);
		if (rc == 0)
			rc = call(context, &r);
	}
	return query_end(q, rc);
}

int catalog_each_requisite(struct catalog *c, uint32_t capture, catalog_on_requisite *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_REQUISITE, capture, err);

	return hand_out(&q, call, context, rc, err);
}

int catalog_page_requisites(struct catalog *c, uint32_t capture, uint32_t page,
	catalog_on_requisite *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_PAGE_REQUISITES, capture, err);

	if (rc == 0)
		query_put_int(&q, page);
	return hand_out(&q, call, context, rc, err);
}
