#include "catalog/catalog_db.h"

int catalog_set_dust(
	struct catalog *c, uint32_t capture, const struct catalog_dust *d, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_DUST, err);
	query_put_int(&q, catalog_key(capture, d->number));
	query_put_text(&q, d->rule);
	query_put_int(&q, d->kind);
	query_put_text(&q, d->site);
	query_put_text(&q, d->detail);
	query_put_int(&q, d->state);
	query_put_int(&q, d->agreed);
	query_put_int(&q, d->disagreed);
	query_put_int(&q, d->passed);
	query_put_size(&q, d->urls);
	query_put_int(&q, d->applied);
	return query_run(&q, err);
}

int catalog_each_dust(
	struct catalog *c, uint32_t capture, catalog_on_dust *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_DUST, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_dust d = {
			.number = query_number(&q, 0),
			.rule = query_text(&q, 1),
			.kind = (unsigned)query_up_to(&q, 2, UINT8_MAX),
			.site = query_text(&q, 3),
			.detail = query_text(&q, 4),
			.state = (unsigned)query_up_to(&q, 5, UINT8_MAX),
			.agreed = (uint32_t)query_up_to(&q, 6, UINT32_MAX),
			.disagreed = (uint32_t)query_up_to(&q, 7, UINT32_MAX),
			.passed = (uint32_t)query_up_to(&q, 8, UINT32_MAX),
			.urls = query_up_to(&q, 9, INT64_MAX),
			.applied = query_bool(&q, 10),
		};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &d);
	}
	return query_end(&q, rc);
}
