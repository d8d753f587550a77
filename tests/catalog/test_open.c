/* Opening: modes, versions, files that are no catalogs, other processes, unwritable places. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catalog/catalog_db.h"
#include "catalog_sample.h"
#include "tap.h"

enum { NOBODY = 65534 };

/* Opens a catalog and wants this failure, with one line that begins with the path. */
static void check_refused(const char *path, enum catalog_mode mode, int want, const char *words)
{
	struct catalog *c = NULL;
	struct err err = {0};

	CHECK_INT(catalog_open(path, mode, &c, &err), want);
	CHECK(c == NULL && strncmp(err.text, path, strlen(path)) == 0);
	if (!CHECK(strstr(err.text, words) != NULL && !strchr(err.text, '\n')))
		tap_note("%s", err.text);
}

static void write_file(const char *path, const char *content, size_t len)
{
	FILE *f = fopen(path, "wb");

	if (!CHECK(f != NULL))
		return;
	CHECK(fwrite(content, 1, len, f) == len);
	CHECK_INT(fclose(f), 0);
}

/* Runs SQL on the file, with SQLite's own defaults. */
static void run_sql(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	if (!CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK))
		tap_note("%s", sqlite3_errmsg(db));
	(void)sqlite3_close(db);
}

static void test_modes(void)
{
	char path[SAMPLE_PATH_SIZE];

	(void)sample_path(path);
	check_refused(path, CATALOG_READ, ERR_NOTFOUND, "does not exist");
	check_refused(path, CATALOG_WRITE, ERR_NOTFOUND, "does not exist");
	CHECK(access(path, F_OK) != 0);
	catalog_close(sample_open(path, CATALOG_CREATE));
	catalog_close(sample_open(path, CATALOG_READ));
	catalog_close(sample_open(path, CATALOG_WRITE));
	catalog_close(sample_open(path, CATALOG_CREATE));
	check_refused("/nowhere/catalog.sqlite", CATALOG_CREATE, ERR_IO, "No such file");
	catalog_close(NULL);
}

static void test_durable(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog *c = sample_open(sample_path(path), CATALOG_CREATE);
	static const struct {
		const char *sql, *want;
	} rows[] = {
		{"PRAGMA journal_mode", "wal"},
		{"PRAGMA synchronous", "2"},
		{"PRAGMA application_id", "1400138864"},
		{"PRAGMA user_version", "10"},
		{"PRAGMA trusted_schema", "0"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		sqlite3_stmt *s = NULL;

		CHECK_INT(sqlite3_prepare_v2(c->db, rows[i].sql, -1, &s, NULL), SQLITE_OK);
		CHECK_INT(sqlite3_step(s), SQLITE_ROW);
		CHECK_STR((const char *)sqlite3_column_text(s, 0), rows[i].want);
		(void)sqlite3_finalize(s);
	}
	catalog_close(c);
}

static void test_read_mode_writes_nothing(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog *c;
	struct err err = {0};
	uint32_t capture = 0;

	catalog_close(sample_fill(sample_path(path), 3, &capture));
	c = sample_open(path, CATALOG_READ);
	CHECK_INT(sample_add_page(c, capture, 3, &err), ERR_STATE);
	CHECK(strstr(err.text, "open for reading only") != NULL);
	CHECK_INT(catalog_commit(c, &err), 0);
	CHECK_INT(sample_check(c, capture, true), 3);
	catalog_close(c);
}

/* Names that mean something else to SQLite. */
static void test_names(void)
{
	static const char *const names[] = {"file:a?mode=memory", ":memory:", "100%41#x"};
	char old[SAMPLE_PATH_SIZE];

	CHECK(getcwd(old, sizeof old) != NULL);
	CHECK_INT(chdir(tap_tempdir()), 0);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		catalog_close(sample_open(names[i], CATALOG_CREATE));
		CHECK(access(names[i], R_OK) == 0);
		catalog_close(sample_open(names[i], CATALOG_READ));
	}
	CHECK_INT(chdir(old), 0);
}

static void test_no_catalog(void)
{
	static const char text[] =
		"This is a letter, and it is longer than SQLite's header, which has "
		"one hundred bytes, so that it is looked at.\n";
	char path[SAMPLE_PATH_SIZE];
	char *before = NULL;

	write_file(sample_path(path), text, sizeof text - 1);
	check_refused(path, CATALOG_READ, ERR_IO, "is not a catalog");
	check_refused(path, CATALOG_CREATE, ERR_IO, "is not a catalog");
	/* Another program's database is refused, and left as it is. */
	CHECK_INT(unlink(path), 0);
	run_sql(path, "CREATE TABLE bookmark(url)");
	check_refused(path, CATALOG_READ, ERR_IO, "is not a catalog");
	check_refused(path, CATALOG_CREATE, ERR_IO, "is not a catalog");
	CHECK(asprintf(&before, "%s-wal", path) > 0 && access(before, F_OK) != 0);
	free(before);
	/* A directory. */
	CHECK_INT(unlink(path), 0);
	CHECK_INT(mkdir(path, 0755), 0);
	check_refused(path, CATALOG_CREATE, ERR_IO, "");
	check_refused(path, CATALOG_READ, ERR_IO, "");
}

/* The creation of a catalog may be cut off at any point: the next writer makes it whole. */
static void test_empty_file(void)
{
	char path[SAMPLE_PATH_SIZE];

	write_file(sample_path(path), "", 0);
	check_refused(path, CATALOG_READ, ERR_IO, "is empty");
	catalog_close(sample_open(path, CATALOG_WRITE));
	catalog_close(sample_open(path, CATALOG_READ));
}

static void test_foreign_schema(void)
{
	static const struct {
		const char *label, *sql;
	} rows[] = {
		{"a table more", "CREATE TABLE other(x)"},
		{"a table less", "DROP TABLE verdict"},
		{"a trigger", "CREATE TRIGGER t AFTER INSERT ON page BEGIN SELECT 1; END"},
		{"a view that never ends",
			"DROP TABLE page; CREATE VIEW page AS WITH RECURSIVE n(i) AS (SELECT 1 "
			"UNION ALL"
			" SELECT i + 1 FROM n) SELECT i AS id, '' AS url, 0 AS kind, 0 AS via,"
			" 0 AS found, 0 AS depth, 0 AS hops_out, 0 AS taken, 0 AS rule, 0.0 AS "
			"rate,"
			" 0.0 AS shape, 0.0 AS weight FROM n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[SAMPLE_PATH_SIZE];
		uint32_t capture;

		tap_case("schema: %s", rows[i].label);
		catalog_close(sample_fill(sample_path(path), 3, &capture));
		run_sql(path, rows[i].sql);
		check_refused(path, CATALOG_READ, ERR_IO, "not those of a catalog");
		check_refused(path, CATALOG_WRITE, ERR_IO, "not those of a catalog");
	}
}

/* Calls it where it may not write, which root may: 0 when it returns true. */
static int run_as_nobody(bool (*call)(const char *path), const char *path)
{
	int status = -1;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		bool may = geteuid() != 0 || (setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
		int rc = may && call(path) ? 0 : 1;

		(void)fflush(NULL);
		_exit(rc);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* ---- versions ---- */

enum { NEXT_VERSION = CATALOG_VERSION + 1 };

static struct catalog_schema next_schema(const char *steps[NEXT_VERSION], const char *step)
{
	struct catalog_schema schema = *catalog_schema();

	for (int i = 0; i < CATALOG_VERSION; i++)
		steps[i] = schema.steps[i];
	steps[CATALOG_VERSION] = step;
	schema.steps = steps;
	schema.version = NEXT_VERSION;
	schema.whole = NULL;
	return schema;
}

/* Of the first version only: what an archive of then is. */
static struct catalog_schema first_schema(void)
{
	struct catalog_schema schema = *catalog_schema();

	schema.version = 1;
	schema.whole = NULL;
	return schema;
}

/* What the versions of robots.txt began as: one row for each host. */
static int count_robots(void *context, const struct catalog_robots *r)
{
	CHECK_SLICE(r->body, SLICE("old"));
	CHECK_INT(r->fetched, 7);
	CHECK_INT(r->checked, 7);
	++*(int *)context;
	return 0;
}

static void test_first_version(void)
{
	struct catalog_schema first = first_schema();
	char path[SAMPLE_PATH_SIZE];
	struct catalog *c = NULL;
	struct err err = {0};
	int rows = 0;

	CHECK_INT(catalog_open_schema(sample_path(path), CATALOG_CREATE, &first, &c, &err), 0);
	CHECK_INT(sqlite3_exec(c->db,
			  "INSERT INTO robots(id, capture, origin, policy, fetched, why, body)"
			  " VALUES(1 << 32, 1, 'http://a:80', 0, 7, '', x'6f6c64')",
			  NULL, NULL, NULL),
		SQLITE_OK);
	catalog_close(c);
	c = sample_open(path, CATALOG_WRITE);
	CHECK_INT(catalog_each_robots(c, 1, count_robots, &rows, &err), 0);
	CHECK_INT(rows, 1);
	catalog_close(c);
	catalog_close(sample_open(path, CATALOG_READ)); /* its tables are those of a new one */
}

/* A catalog of that version, as its program left it, with one row that all have. */
static void make_old(const char *path, int version)
{
	struct catalog_schema old = *catalog_schema();
	struct catalog *c = NULL;
	struct err err = {0};

	old.version = version;
	old.whole = NULL;
	CHECK_INT(catalog_open_schema(path, CATALOG_CREATE, &old, &c, &err), 0);
	CHECK_INT(sqlite3_exec(c->db,
			  "INSERT INTO capture(id, uuid, site, strategy, settings, single, state,"
			  " started, finished, still_from, still_to)"
			  " VALUES(1, 'urn:uuid:x', 'http://a/', 'bfs', '', 1, 1, 5, 9, 0, 0);"
			  "INSERT INTO clock(id, moment, wall, monotonic, estimated_error,"
			  " maximum_error, synchronised) VALUES(1 << 32, 'start', 5, 1, -1, -1, 0)",
			  NULL, NULL, NULL),
		SQLITE_OK);
	catalog_close(c);
}

static int count_clock(void *context, const struct catalog_clock *k)
{
	CHECK_INT(k->wall, 5);
	CHECK_INT(k->capture_time, 5);
	CHECK_SLICE(k->boot, SLICE(""));
	++*(int *)context;
	return 0;
}

/* Whether it is read, as a catalog of this version has it. */
static bool read_old(const char *path)
{
	struct catalog_capture capture = {0};
	struct catalog *c = NULL;
	struct arena arena;
	struct err err = {0};
	int clocks = 0, rc = catalog_open(path, CATALOG_READ, &c, &err);

	if (rc) {
		tap_note("%s", err.text);
		return false;
	}
	arena_init(&arena, 1 << 20);
	CHECK_INT(catalog_get_capture(c, 0, &arena, &capture, &err), 0);
	CHECK_INT(capture.started, 5);
	CHECK_INT(capture.addresses, CATALOG_NO_ADDRESSES);
	CHECK_INT(catalog_each_clock(c, 1, count_clock, &clocks, &err), 0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_CAPTURE, 0, &capture, &err), ERR_STATE);
	arena_release(&arena);
	catalog_close(c);
	return CHECK_INT(clocks, 1);
}

static int64_t version_of(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	int64_t version = -1;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &s, NULL), SQLITE_OK);
	if (CHECK_INT(sqlite3_step(s), SQLITE_ROW))
		version = sqlite3_column_int64(s, 0);
	(void)sqlite3_finalize(s);
	(void)sqlite3_close(db);
	return version;
}

/* Also where nothing can be written; the file stays as it is. */
static void test_old_versions(void)
{
	for (int version = 1; version < CATALOG_VERSION; version++) {
		char path[SAMPLE_PATH_SIZE];
		char *dir;

		tap_case("version %d is read", version);
		make_old(sample_path(path), version);
		CHECK(read_old(path));
		CHECK_INT(version_of(path), version);
		dir = strdup(path);
		*strrchr(dir, '/') = '\0';
		CHECK_INT(chmod(path, 0444), 0);
		CHECK_INT(chmod(dir, 0555), 0);
		CHECK_INT(run_as_nobody(read_old, path), 0);
		CHECK_INT(chmod(dir, 0755), 0);
		CHECK_INT(chmod(path, 0644), 0);
		free(dir);
		CHECK_INT(version_of(path), version);

		tap_case("version %d with tables of a stranger", version);
		run_sql(path, "CREATE TABLE other(x)");
		check_refused(path, CATALOG_READ, ERR_IO, "not those of a catalog");
		tap_case("version %d that is not what it says", version);
		run_sql(path, "DROP TABLE other; PRAGMA user_version = 0");
		check_refused(path, CATALOG_READ, ERR_IO, "");
		run_sql(path, version == 1 ? "PRAGMA user_version = 2" : "PRAGMA user_version = 1");
		check_refused(path, CATALOG_READ, ERR_IO, "not those of a catalog");
	}
}

static void test_migration(void)
{
	const char *steps[NEXT_VERSION];
	struct catalog_schema next =
		next_schema(steps, "ALTER TABLE capture ADD COLUMN note TEXT; CREATE TABLE "
				   "extra(id INTEGER PRIMARY KEY);"
				   "UPDATE capture SET note = 'migrated'");
	char path[SAMPLE_PATH_SIZE];
	char want[128];
	struct catalog *c = NULL;
	struct err err = {0};
	uint32_t capture = 0;

	catalog_close(sample_fill(sample_path(path), 9, &capture));
	/* Reading does so in a copy: the file stays as it is. */
	CHECK_INT(catalog_open_schema(path, CATALOG_READ, &next, &c, &err), 0);
	CHECK_INT(sample_check(c, capture, true), 9);
	CHECK_INT(sample_add_page(c, capture, 9, &err), ERR_STATE);
	catalog_close(c);
	catalog_close(sample_open(path, CATALOG_READ));
	CHECK_INT(catalog_open_schema(path, CATALOG_WRITE, &next, &c, &err), 0);
	CHECK_INT(sample_check(c, capture, true), 9);
	CHECK_INT(sqlite3_exec(c->db, "INSERT INTO extra SELECT length(note) FROM capture", NULL,
			  NULL, NULL),
		SQLITE_OK);
	catalog_close(c);
	CHECK_INT(catalog_open_schema(path, CATALOG_READ, &next, &c, &err), 0);
	CHECK_INT(sample_check(c, capture, true), 9);
	catalog_close(c);
	/* Now it is newer than this program. */
	(void)snprintf(want, sizeof want,
		"has version %d of the schema, and this program knows up to %d", NEXT_VERSION,
		CATALOG_VERSION);
	check_refused(path, CATALOG_READ, ERR_UNSUPPORTED, want);
	check_refused(path, CATALOG_WRITE, ERR_UNSUPPORTED, want);
}

static void test_migration_fails(void)
{
	const char *steps[NEXT_VERSION];
	struct catalog_schema next = next_schema(
		steps, "CREATE TABLE extra(id INTEGER PRIMARY KEY); DROP TABLE no_such_table");
	char path[SAMPLE_PATH_SIZE];
	struct catalog *c = NULL;
	struct err err = {0};
	uint32_t capture = 0;

	catalog_close(sample_fill(sample_path(path), 9, &capture));
	CHECK_INT(catalog_open_schema(path, CATALOG_WRITE, &next, &c, &err), ERR_IO);
	/* All or nothing. */
	c = sample_open(path, CATALOG_WRITE);
	CHECK_INT(sample_check(c, capture, true), 9);
	catalog_close(c);
}

/* ---- other processes ---- */

static void test_two_writers(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog *b, *a;
	struct err err = {0};
	uint32_t capture = 0;

	a = sample_fill(sample_path(path), 3, &capture);
	b = sample_open(path, CATALOG_WRITE);
	CHECK_INT(sample_add_page(a, capture, 3, &err), 0);
	CHECK_INT(sample_add_page(b, capture, 3, &err), ERR_STATE);
	CHECK(strstr(err.text, "is in use by another process") != NULL);
	CHECK(!catalog_is_dirty(b));
	CHECK_INT(catalog_commit(a, &err), 0);
	/* One after the other is fine: each notices what the other has added, words included. */
	CHECK_INT(catalog_put(b, CATALOG_ROW_REFUSE_PAGE, capture,
			  &(struct catalog_page){.number = 0,
				  .left_out = LEFT_OUT_SCOPE,
				  .rule = SLICE("a rule of b")},
			  &err),
		0);
	CHECK_INT(catalog_put(b, CATALOG_ROW_REFUSE_PAGE, capture,
			  &(struct catalog_page){.number = 0,
				  .left_out = LEFT_OUT_SCOPE,
				  .rule = SLICE("host site0.example")},
			  &err),
		0);
	CHECK_INT(sample_add_page(b, capture, 4, &err), 0);
	CHECK_INT(sqlite3_exec(b->db, "UPDATE page SET taken = 1, left_out = 0 WHERE id = 1 << 32",
			  NULL, NULL, NULL),
		SQLITE_OK);
	CHECK_INT(catalog_commit(b, &err), 0);
	CHECK_INT(catalog_put(a, CATALOG_ROW_REFUSE_PAGE, capture,
			  &(struct catalog_page){.number = 4,
				  .left_out = LEFT_OUT_SCOPE,
				  .rule = SLICE("a rule of a")},
			  &err),
		0);
	CHECK_INT(catalog_put(a, CATALOG_ROW_REFUSE_PAGE, capture,
			  &(struct catalog_page){.number = 4,
				  .left_out = LEFT_OUT_SCOPE,
				  .rule = SLICE("host site0.example")},
			  &err),
		0);
	CHECK_INT(sample_add_page(a, capture, 5, &err), 0);
	CHECK_INT(catalog_commit(a, &err), 0);
	CHECK_INT(sample_check(a, capture, true), 6);
	CHECK_INT(sample_check(b, capture, true), 6);
	catalog_close(a);
	catalog_close(b);
}

/* A reader sees the last commit, whatever the writer is about. */
static void test_reader_beside_writer(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog *w, *r;
	struct err err = {0};
	uint32_t capture = 0;

	w = sample_fill(sample_path(path), 3, &capture);
	r = sample_open(path, CATALOG_READ);
	for (uint32_t i = 3; i < 200; i++) {
		CHECK_INT(sample_add_page(w, capture, i, &err), 0);
		if (i % 20)
			continue;
		CHECK_INT(sample_check(r, capture, true), i == 20 ? 3 : i - 19);
		CHECK_INT(catalog_commit(w, &err), 0);
		CHECK_INT(sample_check(r, capture, true), i + 1);
	}
	CHECK_INT(catalog_snapshot(r, &err), 0);
	CHECK_INT(sample_add_page(w, capture, 200, &err), 0);
	CHECK_INT(catalog_commit(w, &err), 0);
	CHECK_INT(sample_check(r, capture, true), 181);
	catalog_close(r);
	catalog_close(w);
}

/* ---- unwritable places ---- */

/* In a process that may not write the directory, which root may. */
static int read_unwritable(const char *path, uint32_t capture)
{
	struct catalog *c = NULL;
	struct err err = {0};
	int rc;

	if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
		return 10;
	rc = catalog_open(path, CATALOG_READ, &c, &err);
	if (rc) {
		tap_note("%s", err.text);
		return strstr(err.text, "copy the archive to one") ? 20 : 30;
	}
	rc = sample_check(c, capture, true) == 3 ? 0 : 40;
	catalog_close(c);
	return rc;
}

static int read_in_child(const char *path, uint32_t capture)
{
	int status = -1;
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int rc = read_unwritable(path, capture);

		(void)fflush(NULL);
		_exit(rc);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_unwritable(void)
{
	char path[SAMPLE_PATH_SIZE], wal[SAMPLE_PATH_SIZE + 8], kept[SAMPLE_PATH_SIZE + 8];
	struct catalog *c;
	struct err err = {0};
	uint32_t capture = 0;
	char *dir = strdup(sample_path(path));

	*strrchr(dir, '/') = '\0';
	c = sample_fill(path, 3, &capture);
	catalog_close(c);
	CHECK_INT(chmod(dir, 0555), 0);
	CHECK_INT(read_in_child(path, capture), 0);
	/* A log that was left behind must not be passed over. */
	CHECK_INT(chmod(dir, 0755), 0);
	c = sample_open(path, CATALOG_WRITE);
	CHECK_INT(sample_add_page(c, capture, 3, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	(void)snprintf(wal, sizeof wal, "%s-wal", path);
	(void)snprintf(kept, sizeof kept, "%s-kept", path);
	CHECK_INT(link(wal, kept), 0);
	catalog_close(c);
	CHECK_INT(rename(kept, wal), 0);
	CHECK_INT(chmod(dir, 0555), 0);
	CHECK_INT(read_in_child(path, capture), 20);
	CHECK_INT(chmod(dir, 0755), 0);
	free(dir);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_modes);
	TAP_RUN(test_durable);
	TAP_RUN(test_read_mode_writes_nothing);
	TAP_RUN(test_names);
	TAP_RUN(test_no_catalog);
	TAP_RUN(test_empty_file);
	TAP_RUN(test_first_version);
	test_old_versions();
	TAP_RUN(test_migration);
	TAP_RUN(test_migration_fails);
	TAP_RUN(test_two_writers);
	TAP_RUN(test_reader_beside_writer);
	TAP_RUN(test_unwritable);
	test_foreign_schema();
	return tap_done();
}
