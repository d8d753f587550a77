#include "catalog/catalog_db.h"

static int run_named(
	struct catalog *c, enum catalog_sql sql, slice name, slice other, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_text(&q, name);
	if (other.ptr)
		query_put_text(&q, other);
	return query_run(&q, err);
}

int catalog_add_replaced(struct catalog *c, slice name, slice new_name, struct err *err)
{
	return run_named(c, SQL_ADD_REPLACED, name, new_name, err);
}

int catalog_drop_replaced(struct catalog *c, slice name, struct err *err)
{
	return run_named(c, SQL_DROP_REPLACED, name, (slice){0}, err);
}

/* In a table of this connection, where the updates find them by their place. */
static int note_moves(
	struct catalog *c, const struct catalog_move *moves, size_t count, struct err *err)
{
	static const char SQL[] = "CREATE TEMP TABLE IF NOT EXISTS moved(place INTEGER PRIMARY KEY,"
				  " new INTEGER NOT NULL, length INTEGER NOT NULL,"
				  " whole INTEGER NOT NULL)";
	int sqlite = sqlite3_exec(c->db, SQL, NULL, NULL, NULL);
	struct query q;
	int rc;

	if (sqlite != SQLITE_OK)
		return catalog_error(c, sqlite, err);
	query_write(&q, c, SQL_CLEAR_MOVES, err);
	rc = query_run(&q, err);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		query_write(&q, c, SQL_ADD_MOVE, err);
		query_put_size(&q, moves[i].from);
		query_put_size(&q, moves[i].to);
		query_put_size(&q, moves[i].length);
		query_put_int(&q, moves[i].is_whole);
		rc = query_run(&q, err);
	}
	return rc;
}

static int move(
	struct catalog *c, enum catalog_sql sql, slice name, slice new_name, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_word(&q, name);
	query_put_word(&q, new_name);
	return query_run(&q, err);
}

int catalog_replace_warc(struct catalog *c, slice name, const struct catalog_warc *warc,
	const struct catalog_move *moves, size_t count, struct err *err)
{
	struct query q;
	int rc = note_moves(c, moves, count, err);

	if (rc == 0)
		rc = move(c, SQL_MOVE_OBSERVATIONS, name, warc->name, err);
	if (rc == 0)
		rc = move(c, SQL_MOVE_LOOKS, name, warc->name, err);
	if (rc)
		return rc;
	query_write(&q, c, SQL_DROP_LOOKS, err); /* records that have no rows left */
	query_put_word(&q, name);
	rc = query_run(&q, err);
	if (rc)
		return rc;
	query_write(&q, c, SQL_RENAME_WARC, err);
	query_put_text(&q, name);
	query_put_text(&q, warc->name);
	query_put_size(&q, warc->size);
	query_put_digest(&q, warc->has_digest, &warc->digest);
	rc = query_run_on(&q, "WARC file", err);
	return rc ? rc : run_named(c, SQL_REPLACED_DONE, name, (slice){0}, err);
}

int catalog_each_replaced(
	struct catalog *c, catalog_on_replaced *call, void *context, struct err *err)
{
	struct query q;
	int rc = query_read(&q, c, SQL_EACH_REPLACED, err);

	while (rc == 0 && (rc = query_next(&q, err)) == 0) {
		struct catalog_replaced r = {
			.name = query_text(&q, 0),
			.new_name = query_text(&q, 1),
			.done = query_bool(&q, 2),
		};

		rc = query_check(&q, err);
		if (rc == 0)
			rc = call(context, &r);
	}
	return query_end(&q, rc);
}
