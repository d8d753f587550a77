#include "catalog/catalog_db.h"

int catalog_set_poll(
	struct catalog *c, uint32_t capture, const struct catalog_poll *p, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_POLL, err);
	query_put_int(&q, catalog_key(capture, p->number));
	query_put_text(&q, p->url);
	query_put_int(&q, p->is_feed);
	query_put_int(&q, p->source);
	query_put_size(&q, p->polls);
	query_put_size(&q, p->not_modified);
	query_put_size(&q, p->checked);
	query_put_size(&q, p->lies);
	query_put_double(&q, p->announced_changed);
	query_put_double(&q, p->announced_same);
	query_put_double(&q, p->silent_changed);
	return query_run(&q, err);
}

int catalog_each_poll(
	struct catalog *c, uint32_t capture, catalog_on_poll *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_POLL, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0) {
		struct catalog_poll p = {
			.number = query_number(&q, 0),
			.url = query_text(&q, 1),
			.is_feed = query_bool(&q, 2),
			.source = (unsigned)query_up_to(&q, 3, UINT8_MAX),
			.polls = query_up_to(&q, 4, INT64_MAX),
			.not_modified = query_up_to(&q, 5, INT64_MAX),
			.checked = query_up_to(&q, 6, INT64_MAX),
			.lies = query_up_to(&q, 7, INT64_MAX),
			.announced_changed = query_double(&q, 8),
			.announced_same = query_double(&q, 9),
			.silent_changed = query_double(&q, 10),
		};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &p);
	}
	return query_end(&q, rc);
}
