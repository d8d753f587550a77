/*
 * The catalog beside what it stands on: rows per second in group commits, with the disk confirming
 * each, beside bare SQLite inserting rows of the same size into one table, and beside a plain file
 * that takes the same bytes with fdatasync; and the bytes that a finished capture costs per page.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "catalog/catalog_db.h"

enum {
	PAGES = 100000,
	BATCH = 1000,       /* pages of a group commit */
	ROWS_PER_PAGE = 10, /* page, 2 observations, 5 events, plan, verdict */
	PATH_SIZE = 512,
};

static void must(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "bench_catalog: %s\n", err ? err->text : "failed");
	exit(1);
}

static double seconds(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Processor's time says what the code costs; the wall's includes the disk and the neighbours. */
struct timing {
	double cpu, wall;
};

static struct timing now(void)
{
	return (struct timing){seconds(CLOCK_PROCESS_CPUTIME_ID), seconds(CLOCK_MONOTONIC)};
}

static struct timing report(const char *what, double count, const char *unit, struct timing start)
{
	struct timing end = now();
	struct timing spent = {end.cpu - start.cpu, end.wall - start.wall};

	(void)printf("%-38s %9.0f %s/s of processor time, %9.0f %s/s of the wall's\n", what,
		count / spent.cpu, unit, count / spent.wall, unit);
	return spent;
}

static void add_observation(struct catalog *c, uint32_t capture, uint32_t n, enum attempt_leg leg)
{
	char id[64];
	int64_t at =
		INT64_C(1700000000000000000) + n * INT64_C(1000003) + leg * INT64_C(100000000000);
	struct attempt o = {
		.page = n,
		.leg = leg,
		.number = 1,
		.wall = {at, at + 20000000, at + 31234567},
		.clock = {at / 7, at / 7 + 20000000, at / 7 + 31234567},
		.status = 200,
		.has_state = true,
		.state = {.kind = DIGEST_SHA256},
		.media_type = SLICE("text/html"),
		.has_payload = true,
		.payload = {.kind = DIGEST_SHA256},
		.warc = SLICE("stillpoint-20260101000000-00001.warc.gz"),
		.offset = n * UINT64_C(8000),
		.length = 8000,
	};
	struct err err = {0};

	(void)snprintf(id, sizeof id, "<urn:uuid:deadbeef-0123-4567-89ab-%012x>", (unsigned)n);
	o.record_id = slice_str(id);
	memset(o.state.bytes, (int)(n & 255), DIGEST_SIZE_MAX);
	memset(o.payload.bytes, (int)(n & 255), DIGEST_SIZE_MAX);
	must(catalog_add_observation(c, capture, &o, &err), &err);
}

static void add_page(struct catalog *c, uint32_t capture, uint32_t n)
{
	char url[128];
	struct catalog_page page = {
		.number = n,
		.kind = SLICE("page"),
		.via = n ? n / 10 : CATALOG_NO_PAGE,
		.found = SLICE("link"),
		.depth = 3,
		.taken = true,
		.rule = SLICE("host www.example.org"),
		.rate = 1e-6 / (n + 1),
		.weight = 1,
	};
	struct catalog_event event = {.page = n, .attempt = 1, .begin = n + 0.1};
	struct err err = {0};

	/* 60 bytes: about the mean of the web's URLs. */
	(void)snprintf(url, sizeof url,
		"https://www.example.org/news/2026/01/the-title-of-a-page-%06u", (unsigned)n);
	page.url = slice_str(url);
	must(catalog_put(c, CATALOG_ROW_ADD_PAGE, capture, &page, &err), &err);
	must(catalog_add_event(c, capture, &event, &err), &err);
}

static void add_leg(struct catalog *c, uint32_t capture, uint32_t n, enum attempt_leg leg)
{
	struct catalog_event event = {
		.kind = CATALOG_EVENT_NEXT, .page = n, .leg = leg == ATTEMPT_REVISIT, .attempt = 1};
	struct err err = {0};

	event.begin = n + (leg == ATTEMPT_REVISIT ? 1e5 : 0.25);
	must(catalog_add_event(c, capture, &event, &err), &err);
	event.kind = CATALOG_EVENT_DONE;
	event.end = event.begin + 0.123;
	must(catalog_add_event(c, capture, &event, &err), &err);
	add_observation(c, capture, n, leg);
}

static void commit_now_and_then(struct catalog *c, uint32_t n)
{
	struct err err = {0};

	if ((n + 1) % BATCH == 0)
		must(catalog_commit(c, &err), &err);
}

/* A capture as it goes: pages and visits, then the revisits in the reverse order, then verdicts. */
static void write_capture(const char *path)
{
	struct catalog_capture capture = {.uuid = SLICE("urn:uuid:1"),
		.site = SLICE("https://www.example.org/"),
		.strategy = SLICE("stillpoint-online"),
		.settings = SLICE("{}")};
	struct catalog *c = NULL;
	struct err err = {0};
	uint32_t id = 0;

	must(catalog_open(path, CATALOG_CREATE, &c, &err), &err);
	must(catalog_add_capture(c, &capture, &id, &err), &err);
	for (uint32_t n = 0; n < PAGES; n++) {
		add_page(c, id, n);
		add_leg(c, id, n, ATTEMPT_VISIT);
		commit_now_and_then(c, n);
	}
	for (uint32_t n = 0; n < PAGES; n++) {
		add_leg(c, id, PAGES - 1 - n, ATTEMPT_REVISIT);
		must(catalog_put(c, CATALOG_ROW_PLAN, id,
			     &(struct catalog_plan){PAGES - 1 - n, PAGES - 1 - n, n, false}, &err),
			&err);
		commit_now_and_then(c, n);
	}
	for (uint32_t n = 0; n < PAGES; n++) {
		struct catalog_verdict v = {
			.page = n, .verdict = SLICE("sharp"), .evidence = SLICE("bytes")};

		must(catalog_put(c, CATALOG_ROW_VERDICT, id, &v, &err), &err);
		commit_now_and_then(c, n);
	}
	must(catalog_commit(c, &err), &err);
	catalog_close(c);
}

static int count_observation(void *context, const struct attempt *o)
{
	*(double *)context += o->length > 0;
	return 0;
}

static int count_event(void *context, const struct catalog_event *e)
{
	*(double *)context += e->attempt > 0;
	return 0;
}

static int count_page(void *context, const struct catalog_page *p)
{
	*(double *)context += p->taken;
	return 0;
}

static void read_capture(const char *path)
{
	struct catalog *c = NULL;
	struct err err = {0};
	struct timing start = now();
	double rows = 0;
	uint32_t number;

	must(catalog_open(path, CATALOG_READ, &c, &err), &err);
	must(catalog_each_page(c, 1, count_page, &rows, &err), &err);
	must(catalog_each_observation(c, 1, count_observation, &rows, &err), &err);
	must(catalog_each_event(c, 1, count_event, &rows, &err), &err);
	(void)report("read pages, observations, events", rows, "rows", start);
	start = now();
	must(catalog_find_page(c, 1, SLICE("https://nowhere.example/"), &number, &err) !=
			ERR_NOTFOUND,
		&err);
	(void)report("look for a URL that is not there", PAGES, "pages", start);
	catalog_close(c);
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Bare SQLite: as many rows, of the same mean size, appended to one table; as many commits. */
static void write_bare(const char *path, uint64_t row_size)
{
	int batch = BATCH * ROWS_PER_PAGE / 3;
	char *blob = calloc(1, row_size + 1);
	sqlite3_stmt *s = NULL;
	sqlite3 *db = NULL;

	must(sqlite3_open(path, &db), NULL);
	must(sqlite3_exec(db,
		     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
		     "CREATE TABLE t(id INTEGER PRIMARY KEY, x BLOB); BEGIN",
		     NULL, NULL, NULL),
		NULL);
	must(sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?1, ?2)", -1, &s, NULL), NULL);
	for (int i = 0; i < PAGES * ROWS_PER_PAGE; i++) {
		must(sqlite3_bind_int64(s, 1, i), NULL);
		must(sqlite3_bind_blob64(s, 2, blob, row_size, SQLITE_STATIC), NULL);
		must(sqlite3_step(s) != SQLITE_DONE, NULL);
		must(sqlite3_reset(s), NULL);
		if ((i + 1) % batch == 0)
			must(sqlite3_exec(db, "COMMIT; BEGIN", NULL, NULL, NULL), NULL);
	}
	must(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), NULL);
	(void)sqlite3_finalize(s);
	(void)sqlite3_close(db);
	free(blob);
}

/* A plain file: the same bytes, as many syncs. */
static void write_plain(const char *path, uint64_t size)
{
	uint64_t part = size / (3 * PAGES / BATCH);
	char *bytes = calloc(1, part + 1);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	for (int i = 0; i < 3 * PAGES / BATCH; i++) {
		must(fd < 0 || write(fd, bytes, part) != (ssize_t)part, NULL);
		must(fdatasync(fd), NULL);
	}
	(void)close(fd);
	free(bytes);
}

int main(void)
{
	char dir[] = "/tmp/bench-catalog-XXXXXX", path[PATH_SIZE], other[PATH_SIZE];
	double rows = (double)PAGES * ROWS_PER_PAGE;
	struct timing start, spent, bare;
	uint64_t size;

	must(!mkdtemp(dir), NULL);
	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", dir);
	(void)snprintf(other, sizeof other, "%s/other", dir);
	start = now();
	write_capture(path);
	spent = report("write a capture, 1000 pages a commit", rows, "rows", start);
	size = size_of(path);
	start = now();
	write_bare(other, size / (PAGES * ROWS_PER_PAGE));
	bare = report("bare SQLite, rows of the same size", rows, "rows", start);
	(void)printf("%-38s %9.2f of the processor's, %.2f of the wall's\n", "ratio to bare SQLite",
		bare.cpu / spent.cpu, bare.wall / spent.wall);
	(void)unlink(other);
	start = now();
	write_plain(other, size);
	(void)report("a plain file, the same bytes and syncs", rows, "rows", start);
	read_capture(path);
	(void)printf("%-38s %9.1f bytes\n", "a page of the finished capture", (double)size / PAGES);
	(void)unlink(other);
	(void)unlink(path);
	(void)snprintf(other, sizeof other, "%s-wal", path);
	(void)unlink(other);
	(void)snprintf(other, sizeof other, "%s-shm", path);
	(void)unlink(other);
	return rmdir(dir) != 0;
}
