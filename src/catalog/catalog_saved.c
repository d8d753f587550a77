#include "catalog/catalog_db.h"

int catalog_save(
	struct catalog *c, uint32_t capture, const struct catalog_saved *part, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_SAVED, err);
	query_put_int(&q, capture);
	query_put_int(&q, part->kind);
	query_put_int(&q, part->number);
	query_put_blob(&q, part->bytes);
	return query_run(&q, err);
}

int catalog_drop_saved(
	struct catalog *c, uint32_t capture, enum catalog_saved_kind kind, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_DROP_SAVED, err);
	query_put_int(&q, capture);
	query_put_int(&q, kind);
	return query_run(&q, err);
}

static int hand_out(struct query *q, catalog_on_saved *call, void *context, int rc, struct err *err)
{
	while (rc == 0 && (rc = query_next_key(q, err)) == 0) {
		struct catalog_saved part = {
			.kind = (enum catalog_saved_kind)query_up_to(q, 1, CATALOG_SAVED_BODIES),
			.number = (uint32_t)query_up_to(q, 0, UINT32_MAX),
			.bytes = query_text(q, 2),
		};

		rc = query_check(q, err);
		if (rc == 0)
			rc = call(context, &part);
	}
	return query_end(q, rc);
}

int catalog_each_saved(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	catalog_on_saved *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_SAVED, capture, err);

	if (rc == 0)
		query_put_int(&q, kind);
	return hand_out(&q, call, context, rc, err);
}

int catalog_saved_around(struct catalog *c, uint32_t capture, enum catalog_saved_kind kind,
	uint32_t number, catalog_on_saved *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_SAVED_AROUND, capture, err);

	if (rc == 0) {
		query_put_int(&q, kind);
		query_put_int(&q, number);
	}
	return hand_out(&q, call, context, rc, err);
}
