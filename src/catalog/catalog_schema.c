#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "catalog/catalog_db.h"

/*
 * Version 1. Rows of a capture are numbered capture << 32 | number. A column of type ANY holds the
 * number of a word or, when it is not in the table, the text. Digests are 16, 20 or 32 bytes: MD5,
 * SHA-1, SHA-256. There is no index on URLs: it would cost as much as all the rest, and the crawler
 * has them in memory.
 */
static const char VERSION_1[] =
	"CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;"
	"CREATE TABLE capture(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, site TEXT NOT NULL,"
	" strategy TEXT NOT NULL, settings TEXT NOT NULL, single INTEGER NOT NULL,"
	" state INTEGER NOT NULL, started INTEGER NOT NULL, finished INTEGER NOT NULL,"
	" still_from INTEGER NOT NULL, still_to INTEGER NOT NULL) STRICT;"
	"CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT NOT NULL, kind ANY, via INTEGER,"
	" found ANY, depth INTEGER NOT NULL, hops_out INTEGER NOT NULL, taken INTEGER NOT NULL,"
	" rule ANY, rate REAL NOT NULL, shape REAL NOT NULL, weight REAL NOT NULL) STRICT;"
	"CREATE TABLE plan(id INTEGER PRIMARY KEY, visit INTEGER, revisit INTEGER,"
	" hopeless INTEGER NOT NULL) STRICT;"
	"CREATE TABLE observation(capture INTEGER NOT NULL, page INTEGER NOT NULL,"
	" leg INTEGER NOT NULL, attempt INTEGER NOT NULL, url TEXT, sent INTEGER NOT NULL,"
	" first_byte INTEGER NOT NULL, last_byte INTEGER NOT NULL, clock_sent INTEGER NOT NULL,"
	" clock_first_byte INTEGER NOT NULL, clock_last_byte INTEGER NOT NULL,"
	" status INTEGER NOT NULL, truncated INTEGER NOT NULL, failure TEXT, state BLOB,"
	" media_type ANY, payload BLOB, warc ANY, place INTEGER NOT NULL,"
	" length INTEGER NOT NULL, record_id ANY, is_revisit INTEGER NOT NULL,"
	" coding INTEGER NOT NULL,"
	" PRIMARY KEY(capture, page, leg, attempt)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE event(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, page INTEGER NOT NULL,"
	" leg INTEGER NOT NULL, attempt INTEGER NOT NULL, outcome INTEGER NOT NULL,"
	" hopeless INTEGER NOT NULL, began REAL NOT NULL, ended REAL NOT NULL) STRICT;"
	"CREATE TABLE warc(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
	" size INTEGER NOT NULL, complete INTEGER NOT NULL) STRICT;"
	"CREATE TABLE robots(id INTEGER PRIMARY KEY, capture INTEGER NOT NULL,"
	" origin TEXT NOT NULL, policy INTEGER NOT NULL, fetched INTEGER NOT NULL, why TEXT,"
	" body BLOB,"
	" UNIQUE(capture, origin)) STRICT;"
	"CREATE TABLE clock(id INTEGER PRIMARY KEY, moment TEXT NOT NULL, wall INTEGER NOT NULL,"
	" monotonic INTEGER NOT NULL, estimated_error INTEGER NOT NULL,"
	" maximum_error INTEGER NOT NULL, synchronised INTEGER NOT NULL) STRICT;"
	"CREATE TABLE verdict(id INTEGER PRIMARY KEY, verdict ANY NOT NULL, evidence ANY,"
	" reason TEXT) STRICT;";

/*
 * Version 2: why pages were left out, what they turned out to be, and links without a page; and a
 * robots.txt that changes during a capture has a row for each version. checked is when it was last
 * seen to be so.
 */
static const char VERSION_2[] =
	"ALTER TABLE page ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE page ADD COLUMN content INTEGER NOT NULL DEFAULT 0;"
	"UPDATE page SET left_out = 1 WHERE taken = 0;"
	"CREATE TABLE unkept(id INTEGER PRIMARY KEY, links INTEGER NOT NULL) STRICT;"
	"CREATE TABLE robots_version(id INTEGER PRIMARY KEY, capture INTEGER NOT NULL,"
	" origin TEXT NOT NULL, policy INTEGER NOT NULL, fetched INTEGER NOT NULL,"
	" checked INTEGER NOT NULL, why TEXT, body BLOB,"
	" UNIQUE(capture, origin, fetched)) STRICT;"
	"INSERT INTO robots_version SELECT id, capture, origin, policy, fetched, fetched, why, body"
	" FROM robots;"
	"DROP TABLE robots;"
	"ALTER TABLE robots_version RENAME TO robots;";

/*
 * Version 3: how captures ended and what limits their claims; digests of complete files;
 * readings of the clock that can be held against each other (capture_time 0: as wall); what the
 * rules against noise made of a response.
 */
static const char VERSION_3[] =
	"ALTER TABLE capture ADD COLUMN ended_by INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE capture ADD COLUMN caveats INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE capture ADD COLUMN addresses INTEGER NOT NULL DEFAULT -1;"
	"ALTER TABLE warc ADD COLUMN digest BLOB;"
	"ALTER TABLE clock ADD COLUMN capture_time INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE clock ADD COLUMN boot TEXT NOT NULL DEFAULT '';"
	"ALTER TABLE observation ADD COLUMN close_delimited INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE observation ADD COLUMN rule_set INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE observation ADD COLUMN rules TEXT;"
	"ALTER TABLE observation ADD COLUMN masked INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE observation ADD COLUMN normal BLOB;"
	"CREATE TABLE imported_page(id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;"
	"CREATE TABLE imported(id INTEGER PRIMARY KEY, page INTEGER NOT NULL,"
	" time INTEGER NOT NULL, digest INTEGER NOT NULL, source INTEGER NOT NULL,"
	" UNIQUE(page, time)) STRICT;";

/*
 * Version 4: what a look was for, what stood in the page's place and what the server said of it;
 * which resources a page is made of; rules that were learned from the site itself; what sitemaps
 * say of a page; how far imports from servers came.
 */
static const char VERSION_4[] =
	"ALTER TABLE page ADD COLUMN lastmod INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE page ADD COLUMN frequency INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE observation ADD COLUMN purpose ANY;"
	"ALTER TABLE observation ADD COLUMN stand_in ANY;"
	"ALTER TABLE observation ADD COLUMN modified INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE observation ADD COLUMN etag TEXT;"
	"ALTER TABLE observation ADD COLUMN age INTEGER;"
	"ALTER TABLE observation ADD COLUMN caches ANY;"
	"ALTER TABLE observation ADD COLUMN address ANY;"
	"ALTER TABLE observation ADD COLUMN links BLOB;"
	"CREATE TABLE requisite(capture INTEGER NOT NULL, page INTEGER NOT NULL,"
	" requisite INTEGER NOT NULL,"
	" PRIMARY KEY(capture, page, requisite)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE import_progress(source TEXT PRIMARY KEY, progress BLOB NOT NULL)"
	" STRICT, WITHOUT ROWID;"
	"CREATE TABLE learned(id INTEGER PRIMARY KEY, rule TEXT NOT NULL) STRICT;";

/*
 * Version 5: compact evidence. Looks whose rows wait to be written to a WARC file (look), and
 * batches of them that were (looks). Numbers of batches are never used again.
 */
static const char VERSION_5[] =
	"ALTER TABLE observation ADD COLUMN is_compact INTEGER NOT NULL DEFAULT 0;"
	"CREATE TABLE look(batch INTEGER NOT NULL, number INTEGER NOT NULL, rows BLOB NOT NULL,"
	" PRIMARY KEY(batch, number)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE looks(id INTEGER PRIMARY KEY, warc ANY NOT NULL, place INTEGER NOT NULL,"
	" length INTEGER NOT NULL) STRICT;";

/* Version 6: which pages a page links to (plan/rank_graph.h); rules about URLs that show the same.
 */
static const char VERSION_6[] =
	"CREATE TABLE links(id INTEGER PRIMARY KEY, targets BLOB NOT NULL) STRICT;"
	"CREATE TABLE dust(id INTEGER PRIMARY KEY, rule TEXT NOT NULL, kind INTEGER NOT NULL,"
	" site TEXT NOT NULL,"
	" detail TEXT NOT NULL, state INTEGER NOT NULL, agreed INTEGER NOT NULL,"
	" disagreed INTEGER NOT NULL, passed INTEGER NOT NULL, urls INTEGER NOT NULL,"
	" applied INTEGER NOT NULL) STRICT;";

/*
 * Version 7: compact looks in little space (catalog_packed.h); when the response of an observation
 * was retired (0: it is there), and WARC files that are being replaced: done says whether the
 * catalog knows the new one.
 */
static const char VERSION_7[] =
	"CREATE TABLE packed(capture INTEGER NOT NULL, page INTEGER NOT NULL,"
	" leg INTEGER NOT NULL, first INTEGER NOT NULL, looks BLOB NOT NULL,"
	" PRIMARY KEY(capture, page, leg, first)) STRICT, WITHOUT ROWID;"
	"ALTER TABLE observation ADD COLUMN retired INTEGER NOT NULL DEFAULT 0;"
	"CREATE TABLE replaced(name TEXT PRIMARY KEY, new_name TEXT NOT NULL,"
	" done INTEGER NOT NULL) STRICT, WITHOUT ROWID;";

/* Version 8: signs that a page wants to deceive. */
static const char VERSION_8[] = "ALTER TABLE observation ADD COLUMN deceit TEXT;";

/*
 * Version 9: what is known of sitemaps, feeds and pings that announce changes to a watch; packed
 * looks that differ by noise have short digests, which earlier programs cannot read.
 */
static const char VERSION_9[] =
	"CREATE TABLE poll(id INTEGER PRIMARY KEY, url TEXT NOT NULL, is_feed INTEGER NOT NULL,"
	" source INTEGER NOT NULL, polls INTEGER NOT NULL, not_modified INTEGER NOT NULL,"
	" checked INTEGER NOT NULL, lies INTEGER NOT NULL, announced_changed REAL NOT NULL,"
	" announced_same REAL NOT NULL, silent_changed REAL NOT NULL) STRICT;";

/*
 * Version 10: what a finished capture's report says of each page, its pages by a hash of their
 * URLs (proof/report_saved.h), and where its bodies are (archive/duplicates.h). All of it can be
 * computed from the other tables.
 */
static const char VERSION_10[] =
	"CREATE TABLE saved(capture INTEGER NOT NULL, kind INTEGER NOT NULL,"
	" number INTEGER NOT NULL, bytes BLOB NOT NULL,"
	" PRIMARY KEY(capture, kind, number)) STRICT, WITHOUT ROWID;";

/*
 * All of it, as the steps leave it. A new catalog is made at once: each step of a change makes
 * SQLite read the whole schema again, which took as long as a hundred pages.
 */
static const char *const WHOLE[] = {
	"CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
	"CREATE TABLE capture(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, site TEXT NOT"
	" NULL, strategy TEXT NOT NULL, settings TEXT NOT NULL, single INTEGER NOT NULL,"
	" state INTEGER NOT NULL, started INTEGER NOT NULL, finished INTEGER NOT NULL,"
	" still_from INTEGER NOT NULL, still_to INTEGER NOT NULL, ended_by INTEGER NOT"
	" NULL DEFAULT 0, caveats INTEGER NOT NULL DEFAULT 0, addresses INTEGER NOT NULL"
	" DEFAULT -1) STRICT",
	"CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT NOT NULL, kind ANY, via"
	" INTEGER, found ANY, depth INTEGER NOT NULL, hops_out INTEGER NOT NULL, taken"
	" INTEGER NOT NULL, rule ANY, rate REAL NOT NULL, shape REAL NOT NULL, weight REAL"
	" NOT NULL, left_out INTEGER NOT NULL DEFAULT 0, content INTEGER NOT NULL DEFAULT"
	" 0, lastmod INTEGER NOT NULL DEFAULT 0, frequency INTEGER NOT NULL DEFAULT 0)"
	" STRICT",
	"CREATE TABLE plan(id INTEGER PRIMARY KEY, visit INTEGER, revisit INTEGER,"
	" hopeless INTEGER NOT NULL) STRICT",
	"CREATE TABLE observation(capture INTEGER NOT NULL, page INTEGER NOT NULL, leg"
	" INTEGER NOT NULL, attempt INTEGER NOT NULL, url TEXT, sent INTEGER NOT NULL,"
	" first_byte INTEGER NOT NULL, last_byte INTEGER NOT NULL, clock_sent INTEGER NOT"
	" NULL, clock_first_byte INTEGER NOT NULL, clock_last_byte INTEGER NOT NULL,"
	" status INTEGER NOT NULL, truncated INTEGER NOT NULL, failure TEXT, state BLOB,"
	" media_type ANY, payload BLOB, warc ANY, place INTEGER NOT NULL, length INTEGER"
	" NOT NULL, record_id ANY, is_revisit INTEGER NOT NULL, coding INTEGER NOT NULL,"
	" close_delimited INTEGER NOT NULL DEFAULT 0, rule_set INTEGER NOT NULL DEFAULT 0,"
	" rules TEXT, masked INTEGER NOT NULL DEFAULT 0, normal BLOB, purpose ANY,"
	" stand_in ANY, modified INTEGER NOT NULL DEFAULT 0, etag TEXT, age INTEGER,"
	" caches ANY, address ANY, links BLOB, is_compact INTEGER NOT NULL DEFAULT 0,"
	" retired INTEGER NOT NULL DEFAULT 0, deceit TEXT, PRIMARY KEY(capture, page, leg,"
	" attempt)) STRICT, WITHOUT ROWID",
	"CREATE TABLE event(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, page INTEGER"
	" NOT NULL, leg INTEGER NOT NULL, attempt INTEGER NOT NULL, outcome INTEGER NOT"
	" NULL, hopeless INTEGER NOT NULL, began REAL NOT NULL, ended REAL NOT NULL)"
	" STRICT",
	"CREATE TABLE warc(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size"
	" INTEGER NOT NULL, complete INTEGER NOT NULL, digest BLOB) STRICT",
	"CREATE TABLE imported_page(id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE)"
	" STRICT",
	"CREATE TABLE clock(id INTEGER PRIMARY KEY, moment TEXT NOT NULL, wall INTEGER"
	" NOT NULL, monotonic INTEGER NOT NULL, estimated_error INTEGER NOT NULL,"
	" maximum_error INTEGER NOT NULL, synchronised INTEGER NOT NULL, capture_time"
	" INTEGER NOT NULL DEFAULT 0, boot TEXT NOT NULL DEFAULT '') STRICT",
	"CREATE TABLE verdict(id INTEGER PRIMARY KEY, verdict ANY NOT NULL, evidence ANY,"
	" reason TEXT) STRICT",
	"CREATE TABLE unkept(id INTEGER PRIMARY KEY, links INTEGER NOT NULL) STRICT",
	"CREATE TABLE \"robots\"(id INTEGER PRIMARY KEY, capture INTEGER NOT NULL, origin"
	" TEXT NOT NULL, policy INTEGER NOT NULL, fetched INTEGER NOT NULL, checked"
	" INTEGER NOT NULL, why TEXT, body BLOB, UNIQUE(capture, origin, fetched)) STRICT",
	"CREATE TABLE imported(id INTEGER PRIMARY KEY, page INTEGER NOT NULL, time"
	" INTEGER NOT NULL, digest INTEGER NOT NULL, source INTEGER NOT NULL, UNIQUE(page,"
	" time)) STRICT",
	"CREATE TABLE requisite(capture INTEGER NOT NULL, page INTEGER NOT NULL,"
	" requisite INTEGER NOT NULL, PRIMARY KEY(capture, page, requisite)) STRICT,"
	" WITHOUT ROWID",
	"CREATE TABLE import_progress(source TEXT PRIMARY KEY, progress BLOB NOT NULL)"
	" STRICT, WITHOUT ROWID",
	"CREATE TABLE learned(id INTEGER PRIMARY KEY, rule TEXT NOT NULL) STRICT",
	"CREATE TABLE look(batch INTEGER NOT NULL, number INTEGER NOT NULL, rows BLOB NOT"
	" NULL, PRIMARY KEY(batch, number)) STRICT, WITHOUT ROWID",
	"CREATE TABLE looks(id INTEGER PRIMARY KEY, warc ANY NOT NULL, place INTEGER NOT"
	" NULL, length INTEGER NOT NULL) STRICT",
	"CREATE TABLE links(id INTEGER PRIMARY KEY, targets BLOB NOT NULL) STRICT",
	"CREATE TABLE dust(id INTEGER PRIMARY KEY, rule TEXT NOT NULL, kind INTEGER NOT"
	" NULL, site TEXT NOT NULL, detail TEXT NOT NULL, state INTEGER NOT NULL, agreed"
	" INTEGER NOT NULL, disagreed INTEGER NOT NULL, passed INTEGER NOT NULL, urls"
	" INTEGER NOT NULL, applied INTEGER NOT NULL) STRICT",
	"CREATE TABLE packed(capture INTEGER NOT NULL, page INTEGER NOT NULL, leg INTEGER"
	" NOT NULL, first INTEGER NOT NULL, looks BLOB NOT NULL, PRIMARY KEY(capture,"
	" page, leg, first)) STRICT, WITHOUT ROWID",
	"CREATE TABLE replaced(name TEXT PRIMARY KEY, new_name TEXT NOT NULL, done"
	" INTEGER NOT NULL) STRICT, WITHOUT ROWID",
	"CREATE TABLE poll(id INTEGER PRIMARY KEY, url TEXT NOT NULL, is_feed INTEGER NOT"
	" NULL, source INTEGER NOT NULL, polls INTEGER NOT NULL, not_modified INTEGER NOT"
	" NULL, checked INTEGER NOT NULL, lies INTEGER NOT NULL, announced_changed REAL"
	" NOT NULL, announced_same REAL NOT NULL, silent_changed REAL NOT NULL) STRICT",
	"CREATE TABLE saved(capture INTEGER NOT NULL, kind INTEGER NOT NULL, number"
	" INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY(capture, kind, number))"
	" STRICT, WITHOUT ROWID",
	NULL,
};

static const char *const STEPS[CATALOG_VERSION] = {VERSION_1, VERSION_2, VERSION_3, VERSION_4,
	VERSION_5, VERSION_6, VERSION_7, VERSION_8, VERSION_9, VERSION_10};

static const struct catalog_schema SCHEMA = {
	.application_id = CATALOG_APPLICATION_ID,
	.version = CATALOG_VERSION,
	.steps = STEPS,
	.whole = WHOLE,
};

enum { DUMP_MAX = 1 << 20 };

const struct catalog_schema *catalog_schema(void)
{
	return &SCHEMA;
}

/* The number that a PRAGMA or SELECT answers. */
static int ask_number(struct catalog *c, const char *sql, int64_t *ret, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(c->db, sql, -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(s, 0);
	(void)sqlite3_finalize(s);
	return rc == SQLITE_ROW ? 0
				: catalog_error(c, rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, err);
}

/* What the file says of itself. */
struct identity {
	int64_t application_id, version, tables;
};

static int identify(struct catalog *c, struct identity *ret, struct err *err)
{
	TRY(ask_number(c, "PRAGMA application_id", &ret->application_id, err));
	TRY(ask_number(c, "PRAGMA user_version", &ret->version, err));
	return ask_number(c, "SELECT count(*) FROM sqlite_master", &ret->tables, err);
}

/* A new file, or one whose creation was cut off. */
static bool is_empty(const struct identity *id)
{
	return id->application_id == 0 && id->version == 0 && id->tables == 0;
}

static int judge(struct catalog *c, const struct catalog_schema *schema, const struct identity *id,
	struct err *err)
{
	if (id->application_id != schema->application_id || id->version < 0)
		return err_set(err, ERR_IO, "%s is not a catalog", c->path);
	if (id->version > schema->version)
		return err_set(err, ERR_UNSUPPORTED,
			"%s has version %lld of the schema, and this program knows up to %d: use a "
			"newer stillpoint",
			c->path, (long long)id->version, schema->version);
	return 0;
}

/* From a version to the schema's; SQLite's code. */
static int take_steps(sqlite3 *db, const struct catalog_schema *schema, int64_t from)
{
	int rc = SQLITE_OK;

	if (from == 0 && schema->whole) {
		for (const char *const *s = schema->whole; rc == SQLITE_OK && *s; s++)
			rc = sqlite3_exec(db, *s, NULL, NULL, NULL);
		return rc;
	}
	for (int64_t i = from; rc == SQLITE_OK && i < schema->version; i++)
		rc = sqlite3_exec(db, schema->steps[i], NULL, NULL, NULL);
	return rc;
}

static int run_steps(
	struct catalog *c, const struct catalog_schema *schema, int64_t from, struct err *err)
{
	char sql[96];
	int rc;

	rc = take_steps(c->db, schema, from);
	(void)snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d",
		schema->application_id, schema->version);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(c->db, sql, NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : catalog_error(c, rc, err);
}

static int migrate(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	struct identity id = {0};
	int rc = identify(c, &id, err);

	if (rc == 0 && !is_empty(&id))
		rc = judge(c, schema, &id, err);
	if (rc || (id.version == schema->version && !is_empty(&id)))
		return rc;
	rc = run_steps(c, schema, id.version, err);
	c->is_new = rc == 0 && is_empty(&id);
	return rc;
}

/* Nothing may change a file that is not ours: its journal mode neither. */
static int recognise(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	struct identity id = {0};
	int rc = identify(c, &id, err);

	return rc || is_empty(&id) ? rc : judge(c, schema, &id, err);
}

static int use_wal(struct catalog *c, struct err *err)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(c->db, "PRAGMA journal_mode = WAL", -1, &s, NULL);
	bool is_wal = false;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		is_wal = strcmp((const char *)sqlite3_column_text(s, 0), "wal") == 0;
	(void)sqlite3_finalize(s);
	if (rc != SQLITE_ROW)
		return catalog_error(c, rc, err);
	if (!is_wal)
		return err_set(err, ERR_IO,
			"%s: its file system cannot share memory, which the catalog needs",
			c->path);
	return 0;
}

int catalog_schema_migrate(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	TRY(recognise(c, schema, err));
	TRY(use_wal(c, err));
	return catalog_schema_upgrade(c, schema, err);
}

int catalog_schema_upgrade(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	int rc, sqlite;

	sqlite = sqlite3_exec(c->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (sqlite != SQLITE_OK)
		return catalog_error(c, sqlite, err);
	rc = migrate(c, schema, err);
	if (rc == 0) {
		sqlite = sqlite3_exec(c->db, "COMMIT", NULL, NULL, NULL);
		if (sqlite != SQLITE_OK)
			rc = catalog_error(c, sqlite, err);
	}
	if (!sqlite3_get_autocommit(c->db))
		(void)sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

/* All that the schema says, in one text. */
static int dump(sqlite3 *db, struct buf *out)
{
	static const char SQL[] =
		"SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name";
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(db, SQL, -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		rc = SQLITE_OK;
		for (int i = 0; rc == SQLITE_OK && i < 4; i++) {
			const char *text = (const char *)sqlite3_column_text(s, i);

			if (buf_printf(out, "%s\n", text ? text : ""))
				rc = SQLITE_NOMEM;
		}
	}
	(void)sqlite3_finalize(s);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* The same of a fresh database. */
static int dump_expected(const struct catalog_schema *schema, struct buf *out)
{
	sqlite3 *db = NULL;
	int rc = sqlite3_open(":memory:", &db);

	if (rc == SQLITE_OK)
		rc = take_steps(db, schema, 0);
	if (rc == SQLITE_OK)
		rc = dump(db, out);
	(void)sqlite3_close(db);
	return rc;
}

static int compare(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	BUF_SCOPED(want, DUMP_MAX);
	BUF_SCOPED(got, DUMP_MAX);
	int rc;

	rc = dump_expected(schema, &want);
	if (rc == SQLITE_OK)
		rc = dump(c->db, &got);
	if (rc != SQLITE_OK)
		rc = catalog_error(c, rc, err);
	else if (!slice_eq(buf_slice(&want), buf_slice(&got)))
		rc = catalog_damaged(c, "its tables are not those of a catalog", err);
	return rc;
}

int catalog_schema_check(struct catalog *c, const struct catalog_schema *schema, struct err *err)
{
	struct identity id = {0};
	int rc = identify(c, &id, err);

	if (rc)
		return rc;
	if (is_empty(&id))
		return err_set(err, ERR_IO,
			"%s is empty: its creation was cut off; run stillpoint crawl again",
			c->path);
	rc = judge(c, schema, &id, err);
	/* What this process has just made need not be held against the same statements. */
	return rc || c->is_new ? rc : compare(c, schema, err);
}

int catalog_schema_is_old(
	struct catalog *c, const struct catalog_schema *schema, bool *ret, struct err *err)
{
	struct catalog_schema then = *schema;
	struct identity id = {0};

	TRY(identify(c, &id, err));
	*ret = !is_empty(&id) && id.application_id == schema->application_id && id.version >= 1 &&
	       id.version < schema->version;
	then.version = (int)id.version;
	then.whole = NULL;
	return *ret ? compare(c, &then, err) : 0;
}
