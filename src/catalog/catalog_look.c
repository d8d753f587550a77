#include "catalog/catalog_db.h"

int catalog_add_look(struct catalog *c, const struct catalog_look *look, struct err *err)
{
	struct query q;

	if (look->batch == 0 || look->batch > CATALOG_LOOKS_MAX ||
		look->number > CATALOG_LOOK_NUMBER_MAX)
		return err_set(err, ERR_RANGE, "%s: the number of a look", c->path);
	query_write(&q, c, SQL_ADD_LOOK, err);
	query_put_size(&q, look->batch);
	query_put_int(&q, look->number);
	query_put_blob(&q, look->rows);
	return query_run(&q, err);
}

static int drop(struct catalog *c, uint64_t batch, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_DROP_LOOK, err);
	query_put_size(&q, batch);
	return query_run(&q, err);
}

int catalog_set_looks(struct catalog *c, const struct catalog_looks *looks, struct err *err)
{
	struct query q;
	int rc;

	query_write(&q, c, SQL_SET_LOOKS, err);
	query_put_size(&q, looks->batch);
	query_put_word(&q, looks->warc);
	query_put_size(&q, looks->offset);
	query_put_size(&q, looks->length);
	rc = query_run(&q, err);
	return rc ? rc : drop(c, looks->batch, err);
}

int catalog_get_looks(struct catalog *c, uint64_t batch, struct arena *arena,
	struct catalog_looks *ret, struct err *err)
{
	struct catalog_looks looks = {.batch = batch};
	struct query q;
	int rc = query_read(&q, c, SQL_GET_LOOKS, err);

	if (rc == 0) {
		query_put_size(&q, batch);
		rc = query_next(&q, err);
	}
	if (rc == ERR_END)
		return query_end(&q, err_set(err, ERR_NOTFOUND, "%s: the looks wait", c->path));
	if (rc == 0) {
		looks.warc = query_word(&q, 1);
		looks.offset = query_up_to(&q, 2, INT64_MAX);
		looks.length = query_up_to(&q, 3, INT64_MAX);
		rc = query_check(&q, err);
	}
	if (rc == 0) {
		looks.warc.ptr = arena_strdup(arena, looks.warc);
		rc = looks.warc.ptr ? 0 : err_code(err, ERR_NOMEM);
	}
	if (rc == 0)
		*ret = looks;
	return query_end(&q, rc);
}

int catalog_last_looks(struct catalog *c, uint64_t *ret, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_LAST_LOOKS, err);

	if (rc == 0)
		rc = query_next(&q, err);
	if (rc == 0) {
		*ret = query_up_to(&q, 0, CATALOG_LOOKS_MAX);
		rc = query_check(&q, err);
	}
	return query_end(&q, rc);
}

static int hand_out(struct query *q, catalog_on_look *call, void *context, int rc, struct err *err)
{
	while (rc == 0 && (rc = query_next_key(q, err)) == 0) {
		struct catalog_look look = {
			.batch = query_up_to(q, 1, CATALOG_LOOKS_MAX),
			.number = (uint32_t)query_up_to(q, 2, CATALOG_LOOK_NUMBER_MAX),
			.rows = query_text(q, 3),
		};

		rc = query_check(q, err);
		if (rc == 0)
			rc = call(context, &look);
	}
	return query_end(q, rc);
}

int catalog_each_look(struct catalog *c, catalog_on_look *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_LOOK, err);

	return hand_out(&q, call, context, rc, err);
}

int catalog_looks_rows(
	struct catalog *c, uint64_t batch, catalog_on_look *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_LOOKS_ROWS, err);

	if (rc == 0)
		query_put_size(&q, batch);
	return hand_out(&q, call, context, rc, err);
}
