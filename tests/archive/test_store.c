/*
 * The store and its press: records and rows become lasting together, and only behind whole
 * attempts, whoever of the two threads is the faster.
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/store.h"
#include "tap.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"

static const int64_t NOW = INT64_C(1700000000) * CLOCK_NS_PER_SECOND;

/* An archive with one capture, open. */
struct fixture {
	struct directory directory;
	uint64_t warc_size;
	struct clock_manual clock;
	struct catalog *catalog;
	struct catalog_capture row;
	struct clerk *clerk;
	struct duplicates bodies;
	struct store store;
};

static bool open_store(struct fixture *f, const char *path, uint32_t capture)
{
	static uint64_t serial; /* goes on, as a crawl lets it */
	struct err err = {0};

	f->row = (struct catalog_capture){
		.id = capture,
		.uuid = SLICE("urn:uuid:00000000-0000-4000-8000-000000000000"),
		.site = SLICE("http://a/"),
		.strategy = SLICE("bfs-lifo"),
		.settings = SLICE("seeds http://a/\n"),
		.started = NOW,
	};
	if (!CHECK_INT(directory_open(&f->directory, path, true, &err), 0) ||
		!CHECK_INT(
			catalog_open(f->directory.catalog, CATALOG_CREATE, &f->catalog, &err), 0))
		return false;
	if (!capture)
		CHECK_INT(catalog_add_capture(f->catalog, &f->row, &f->row.id, &err), 0);
	f->clerk = clerk_new(f->catalog);
	CHECK_INT(clerk_start(f->clerk, &err), 0);
	duplicates_init(&f->bodies, f->directory.warc, DUPLICATES_MAX);
	serial += 100; /* more than one process fills */
	return CHECK_INT(store_open(&f->store,
				 &(struct store_params){.records = {.directory = &f->directory,
								.serial = serial,
								.max_size = f->warc_size,
								.clock = &f->clock.clock},
					 .clerk = f->clerk,
					 .bodies = &f->bodies},
				 &err),
		0);
}

static bool set_up(struct fixture *f, const char *path, uint64_t warc_size)
{
	*f = (struct fixture){.directory.lock = -1, .warc_size = warc_size};
	clock_manual_init(&f->clock, NOW);
	clock_manual_advance(&f->clock, 1);
	return open_store(f, path, 0);
}

/* Waits for press and clerk, too, so that a reader sees all. */
static int commit(struct fixture *f)
{
	struct err err = {0};
	int rc = store_commit(&f->store, &err);

	if (rc == 0)
		rc = press_flush(f->store.press, &err);
	return rc ? rc : clerk_wait(f->clerk, &err);
}

static void close_archive(struct fixture *f)
{
	CHECK_INT(clerk_stop(f->clerk, NULL), 0);
	duplicates_release(&f->bodies);
	catalog_close(f->catalog);
	directory_close(&f->directory);
}

static int close_store(struct fixture *f)
{
	struct err err = {0};
	int rc = store_close(&f->store, &err);

	return rc ? rc : clerk_wait(f->clerk, &err);
}

static void tear_down(struct fixture *f)
{
	close_archive(f);
}

/* SHA-256 of "A". */
static const struct digest OF_A = {
	DIGEST_SHA256, {0x55, 0x9a, 0xea, 0xd0, 0x82, 0x64, 0xd5, 0x79, 0x5d, 0x39, 0x09, 0x71,
			       0x8c, 0xdd, 0x05, 0xab, 0xd4, 0x95, 0x72, 0xe8, 0x4f, 0xe5, 0x55,
			       0x90, 0xee, 0xf3, 0x1a, 0x88, 0xa0, 0x8f, 0xdf, 0xfd}};

/* The press reads it when it comes to it. */
static const struct net_fetch FETCH = {
	.status = 200,
	.request_head = SLICE_INIT("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
	.head = SLICE_INIT("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"),
	.body = SLICE_INIT("A"),
	.body_size = 1,
	.spool = -1,
};

/* A visit of a page, with a response whose payload has that size. */
static struct attempt attempt_at(
	const struct fixture *f, const char *url, uint32_t page, uint64_t payload_size)
{
	return (struct attempt){
		.page = page,
		.capture = f->row.uuid,
		.url = slice_str(url),
		.kind = SLICE("page"),
		.leg = ATTEMPT_VISIT,
		.number = 1,
		.wall = {NOW, NOW + 1, NOW + 2},
		.clock = {1, 2, 3},
		.status = 200,
		.has_payload = true,
		.payload = OF_A,
		.payload_size = payload_size,
		.coding = 7,
	};
}

static int visit_url(struct fixture *f, const char *url, uint32_t page, uint64_t payload_size,
	struct warc_id *ret)
{
	struct attempt a = attempt_at(f, url, page, payload_size);
	struct err err = {0};

	a.is_revisit = store_find_body(&f->store, &a, &a.original);
	return store_attempt(&f->store, 1, &a, &FETCH, ret, &err);
}

static int visit(struct fixture *f, uint32_t page, struct warc_id *ret)
{
	return visit_url(f, "http://a/", page, 1, ret);
}

/* What a reader of the archive sees. */
struct sight {
	const char *dir; /* of the files */
	unsigned files, complete, observations;
	unsigned found, revisits; /* observations whose record is where they say */
	uint64_t size;            /* of all files, as committed */
};

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct sight *seen = context;

	seen->files++;
	seen->complete += w->complete;
	seen->size += w->size;
	return 0;
}

/* The file has another name until it is complete. */
static int open_warc(const struct sight *seen, slice name, struct warc_reader **ret)
{
	char path[2 * DIRECTORY_PATH_MAX];
	struct err err = {0};
	struct stat st;

	(void)snprintf(path, sizeof path, "%s/%.*s", seen->dir, (int)name.len, name.ptr);
	if (stat(path, &st))
		(void)snprintf(
			path, sizeof path, "%s/%.*s.open", seen->dir, (int)name.len, name.ptr);
	return warc_reader_open(path, WARC_READER_UNCHECKED, ret, &err);
}

static int on_observation(void *context, const struct attempt *o)
{
	struct sight *seen = context;
	const struct warc_record *rec;
	struct warc_reader *reader;
	struct err err = {0};

	seen->observations++;
	seen->revisits += o->is_revisit;
	if (!CHECK_INT(open_warc(seen, o->warc, &reader), 0))
		return 0;
	seen->found +=
		warc_reader_seek(reader, (struct warc_spot){.offset = o->offset}, &err) == 0 &&
		warc_reader_next(reader, &rec, &err) == 0 &&
		slice_eq(warc_header_get(&rec->header, SLICE("WARC-Record-ID")), o->record_id);
	warc_reader_close(reader);
	return 0;
}

static struct sight look(const struct fixture *f)
{
	struct catalog *catalog;
	struct sight seen = {.dir = f->directory.warc};
	struct err err = {0};

	if (!CHECK_INT(catalog_open(f->directory.catalog, CATALOG_READ, &catalog, &err), 0))
		return seen;
	CHECK_INT(catalog_each_warc(catalog, on_warc, &seen, &err), 0);
	CHECK_INT(catalog_each_observation(catalog, 1, on_observation, &seen, &err), 0);
	catalog_close(catalog);
	return seen;
}

static void test_commit(void)
{
	struct fixture f;
	struct warc_id record = {0};
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	CHECK(isinf(store_due(&f.store)));
	CHECK_INT(visit(&f, 0, &record), 0);
	CHECK(record.text[0] == '<');
	CHECK(store_due(&f.store) > 0 && store_due(&f.store) <= 0.25);
	clock_manual_advance(&f.clock, 0.25);
	CHECK(store_due(&f.store) == 0);
	CHECK_INT(commit(&f), 0);
	CHECK(isinf(store_due(&f.store)));
	seen = look(&f);
	CHECK_INT(seen.files, 1);
	CHECK_INT(seen.complete, 0);
	CHECK_INT(seen.observations, 1);
	CHECK_INT(close_store(&f), 0);
	CHECK_INT(look(&f).complete, 1);
	CHECK_INT((int64_t)look(&f).size, (int64_t)seen.size);
	tear_down(&f);
}

/* After an error: what was committed is there, in a file still open; of the rest, perhaps some. */
static void test_abandon(void)
{
	enum { WAITING = 20 };
	struct fixture f;
	struct warc_id record;
	struct err err = {0};
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	CHECK_INT(visit(&f, 0, &record), 0);
	CHECK_INT(commit(&f), 0);
	for (uint32_t i = 1; i <= WAITING; i++) { /* commits in line, which nobody waits for */
		CHECK_INT(visit(&f, i, &record), 0);
		CHECK_INT(store_commit(&f.store, &err), 0);
	}
	CHECK_INT(visit(&f, WAITING + 1, &record), 0);
	store_abandon(&f.store);
	CHECK_INT(clerk_wait(f.clerk, &err), 0);
	seen = look(&f);
	CHECK_INT(seen.observations, WAITING + 1);
	CHECK_INT(seen.complete, 0);
	CHECK_INT(seen.found, WAITING + 1);
	tear_down(&f);
}

/* Files are left for others; all are complete in the end. */
static void test_files(void)
{
	struct fixture f;
	struct warc_id record;
	struct err err = {0};
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 1))
		return;
	CHECK_INT(store_moment(&f.store, &f.row, "start", NULL, &err), 0);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(visit(&f, i, &record), 0);
	CHECK_INT(close_store(&f), 0);
	seen = look(&f);
	CHECK(seen.files > 3);
	CHECK_INT(seen.complete, seen.files);
	CHECK_INT(seen.observations, 3);
	CHECK_INT(seen.found, 3);
	tear_down(&f);
}

/* More than may wait, and rows in two batches: each knows its record. */
static void test_line(void)
{
	static const uint32_t COUNT = 2 * PRESS_JOBS_MAX;
	struct warc_id record;
	struct fixture f;
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 100000))
		return;
	for (uint32_t i = 0; i < COUNT; i++) {
		struct err err = {0};

		CHECK_INT(visit(&f, i, &record), 0);
		if (i == COUNT / 3)
			CHECK_INT(store_commit(&f.store, &err), 0);
	}
	CHECK_INT(commit(&f), 0);
	seen = look(&f);
	CHECK_INT(seen.observations, COUNT);
	CHECK_INT(seen.found, COUNT);
	CHECK(seen.files > 1);
	CHECK_INT(seen.files - seen.complete, 1);
	CHECK_INT(close_store(&f), 0);
	tear_down(&f);
}

/* A body is found however short ago it was given, and never in a record that refers elsewhere. */
static void test_bodies(void)
{
	struct attempt_original original;
	struct warc_id first, second;
	struct attempt same, recoded;
	struct fixture f;

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	same = attempt_at(&f, "http://a/3", 3, DUPLICATES_SIZE_MIN);
	recoded = same;
	recoded.coding = 8;
	CHECK(!store_find_body(&f.store, &same, &original));
	CHECK_INT(visit_url(&f, "http://a/1", 1, DUPLICATES_SIZE_MIN, &first), 0);
	CHECK_INT(visit_url(&f, "http://a/2", 2, DUPLICATES_SIZE_MIN, &second), 0);
	for (int i = 0; i < 2; i++) {
		CHECK(store_find_body(&f.store, &same, &original));
		CHECK_SLICE(original.record, slice_str(first.text));
		CHECK_SLICE(original.url, SLICE("http://a/1"));
		CHECK(!store_find_body(&f.store, &recoded, &original));
		CHECK_INT(commit(&f), 0);
	}
	CHECK_INT(look(&f).found, 2);
	CHECK_INT(look(&f).revisits, 1);
	CHECK_INT(close_store(&f), 0);
	tear_down(&f);
}

/* The lane hears of what cannot be written, whatever it does next; nothing follows it. */
static void test_failure(void)
{
	struct err err = {0};
	struct warc_id record;
	struct fixture f;

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	CHECK_INT(visit(&f, 0, &record), 0);
	CHECK_INT(commit(&f), 0);
	CHECK_INT(visit(&f, 1, &record), 0);
	CHECK_INT(visit_url(&f, "http://a/\n", 2, 1, &record), 0);
	CHECK_INT(press_flush(f.store.press, &err), ERR_SYNTAX);
	CHECK(strlen(err.text) > 0);
	CHECK_INT(store_check(&f.store, &err), ERR_SYNTAX);
	CHECK_INT(visit(&f, 3, &record), ERR_SYNTAX);
	CHECK_INT(store_moment(&f.store, &f.row, "end", NULL, &err), ERR_SYNTAX);
	CHECK_INT(close_store(&f), ERR_SYNTAX);
	CHECK_INT(look(&f).observations, 1);
	tear_down(&f);
}

static int keep_name(void *context, const struct catalog_warc *w)
{
	char *names = context;

	/* Each sorts behind the one before. */
	CHECK(memcmp(names, w->name.ptr, w->name.len) < 0);
	memcpy(names, w->name.ptr, w->name.len);
	return 0;
}

/* Processes that begin within a second: files have the order of their names. */
static void test_names(void)
{
	const char *path = tap_tempdir();
	char last[WARC_NAME_MAX + 1] = "";
	struct catalog *catalog;
	struct warc_id record;
	struct err err = {0};
	struct fixture f;

	if (!set_up(&f, path, 1))
		return;
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(visit(&f, i, &record), 0);
		CHECK_INT(close_store(&f), 0);
		close_archive(&f);
		if (!open_store(&f, path, 1))
			return;
	}
	CHECK_INT(close_store(&f), 0);
	CHECK_INT(catalog_open(f.directory.catalog, CATALOG_READ, &catalog, &err), 0);
	CHECK_INT(catalog_each_warc(catalog, keep_name, last, &err), 0);
	catalog_close(catalog);
	tear_down(&f);
}

/* ---- compact looks ---- */

static int look_again(struct fixture *f, uint32_t page, const struct warc_id *original)
{
	struct attempt a = attempt_at(f, "http://a/", page, 1);
	struct err err = {0};

	a.leg = ATTEMPT_REVISIT;
	a.clock = (struct attempt_times){11, 12, 13};
	a.is_revisit = a.is_compact = true;
	a.original = (struct attempt_original){
		.record = slice_str(original->text), .url = a.url, .date = NOW};
	return store_attempt(&f->store, 1, &a, &FETCH, NULL, &err);
}

/* What is where. */
struct looks_sight {
	unsigned waiting; /* looks in the catalog, … */
	unsigned written; /* … in records, … */
	unsigned batches; /* … of which there are so many; */
	unsigned compact; /* observations */
	struct catalog *catalog;
	const char *dir;
};

static unsigned count_rows(slice block)
{
	struct compact_rows rows;
	struct compact_look look_;
	struct arena arena;
	unsigned count = 0;

	arena_init(&arena, 1 << 20);
	CHECK_INT(compact_open(&rows, block, NULL), 0);
	while (compact_next(&rows, &arena, &look_, NULL) == 0)
		count++;
	arena_release(&arena);
	return count;
}

static int on_waiting(void *context, const struct catalog_look *looks)
{
	struct looks_sight *s = context;
	struct buf block;

	buf_init(&block, 1 << 20);
	CHECK_INT(buf_add(&block, SLICE(COMPACT_FIRST)), 0);
	CHECK_INT(buf_add(&block, looks->rows), 0);
	s->waiting += count_rows(buf_slice(&block));
	buf_release(&block);
	return 0;
}

/* The record of a batch is where the catalog says. */
static void read_batch(struct looks_sight *s, const struct catalog_looks *at)
{
	struct sight files = {.dir = s->dir};
	const struct warc_record *rec;
	struct warc_reader *reader;
	struct err err = {0};
	struct buf block;

	if (!CHECK_INT(open_warc(&files, at->warc, &reader), 0))
		return;
	buf_init(&block, 1 << 20);
	CHECK_INT(warc_reader_seek(reader, (struct warc_spot){.offset = at->offset}, &err), 0);
	CHECK_INT(warc_reader_next(reader, &rec, &err), 0);
	CHECK(compact_is_type(rec->header.content_type));
	CHECK_INT(compact_block(reader, &block, &err), 0);
	s->written += count_rows(buf_slice(&block));
	s->batches++;
	buf_release(&block);
	warc_reader_close(reader);
}

static int on_compact(void *context, const struct attempt *a)
{
	struct looks_sight *s = context;

	s->compact += a->is_compact;
	CHECK(!a->is_compact || (!a->warc.ptr && a->offset > 0 && a->record_id.ptr));
	return 0;
}

static struct looks_sight look_at_looks(const struct fixture *f)
{
	struct looks_sight s = {.dir = f->directory.warc};
	struct catalog_looks at;
	struct err err = {0};
	struct arena arena;
	uint64_t last = 0;

	if (!CHECK_INT(catalog_open(f->directory.catalog, CATALOG_READ, &s.catalog, &err), 0))
		return s;
	arena_init(&arena, 1 << 20);
	CHECK_INT(catalog_each_look(s.catalog, on_waiting, &s, &err), 0);
	CHECK_INT(catalog_last_looks(s.catalog, &last, &err), 0);
	for (uint64_t i = 1; i <= last; i += LOOK_BATCH_STEP)
		if (catalog_get_looks(s.catalog, i, &arena, &at, &err) == 0)
			read_batch(&s, &at);
	CHECK_INT(catalog_each_observation(s.catalog, 1, on_compact, &s, &err), 0);
	catalog_close(s.catalog);
	arena_release(&arena);
	return s;
}

static void check_looks(
	const struct fixture *f, unsigned waiting, unsigned written, unsigned batches)
{
	struct looks_sight s = look_at_looks(f);

	CHECK_INT(s.waiting, waiting);
	CHECK_INT(s.written, written);
	CHECK_INT(s.batches, batches);
	CHECK_INT(s.compact, waiting + written);
}

/* They wait in the catalog, for others, for the barrier or for a quarter of an hour. */
static void test_looks(void)
{
	struct fixture f;
	struct warc_id record = {0};
	struct err err = {0};

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	CHECK_INT(visit(&f, 0, &record), 0);
	CHECK_INT(look_again(&f, 0, &record), 0);
	CHECK_INT(look_again(&f, 1, &record), 0);
	CHECK_INT(commit(&f), 0);
	check_looks(&f, 2, 0, 0);
	CHECK_INT(look_again(&f, 2, &record), 0);
	CHECK_INT(commit(&f), 0);
	check_looks(&f, 3, 0, 0);
	CHECK(store_due(&f.store) > 899 && store_due(&f.store) <= 900);
	clock_manual_advance(&f.clock, 900);
	CHECK(store_due(&f.store) == 0);
	CHECK_INT(commit(&f), 0);
	check_looks(&f, 0, 3, 1);
	CHECK(isinf(store_due(&f.store)));
	CHECK_INT(look_again(&f, 3, &record), 0);
	CHECK_INT(store_moment(&f.store, &f.row, "stillpoint", NULL, &err), 0);
	CHECK_INT(commit(&f), 0);
	check_looks(&f, 0, 4, 2);
	for (uint32_t i = 4; i < 4 + COMPACT_LOOKS_MAX + 1; i++)
		CHECK_INT(look_again(&f, i, &record), 0);
	CHECK_INT(commit(&f), 0);
	check_looks(&f, 1, 4 + COMPACT_LOOKS_MAX, 3);
	CHECK_INT(close_store(&f), 0);
	check_looks(&f, 0, 5 + COMPACT_LOOKS_MAX, 4);
	tear_down(&f);
}

/* What a process left that was killed is written by the next one, and keeps its number. */
static void test_looks_left(void)
{
	char path[DIRECTORY_PATH_MAX];
	struct fixture f;
	struct warc_id record = {0};
	struct catalog *reader;
	struct err err = {0};

	(void)snprintf(path, sizeof path, "%s/left", tap_tempdir());
	if (!set_up(&f, path, 0))
		return;
	CHECK_INT(visit(&f, 0, &record), 0);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(look_again(&f, i, &record), 0);
		CHECK_INT(commit(&f), 0);
	}
	CHECK_INT(look_again(&f, 3, &record), 0); /* not committed: in flight */
	store_abandon(&f.store);
	check_looks(&f, 3, 0, 0);
	tear_down(&f);
	if (!open_store(&f, path, 1))
		return;
	CHECK_INT(catalog_open(f.directory.catalog, CATALOG_READ, &reader, &err), 0);
	CHECK_INT(store_adopt_looks(&f.store, reader, &err), 0);
	catalog_close(reader);
	CHECK_INT(commit(&f), 0);
	check_looks(&f, 0, 3, 1);
	CHECK_INT(close_store(&f), 0);
	check_looks(&f, 0, 3, 1);
	tear_down(&f);
}

/* A look that cannot be a row gets records of its own. */
static void test_looks_refused(void)
{
	struct fixture f;
	struct attempt a;
	struct err err = {0};
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	a = attempt_at(&f, "http://a/", 0, 1);
	a.is_compact = true; /* a patch against what nobody knows */
	CHECK_INT(store_attempt(&f.store, 1, &a, &FETCH, NULL, &err), 0);
	CHECK_INT(close_store(&f), 0);
	check_looks(&f, 0, 0, 0);
	seen = look(&f);
	CHECK_INT(seen.found, 1);
	tear_down(&f);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_commit);
	TAP_RUN(test_abandon);
	TAP_RUN(test_files);
	TAP_RUN(test_names);
	TAP_RUN(test_line);
	TAP_RUN(test_bodies);
	TAP_RUN(test_failure);
	TAP_RUN(test_looks);
	TAP_RUN(test_looks_left);
	TAP_RUN(test_looks_refused);
	return tap_done();
}
