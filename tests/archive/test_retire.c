/*
 * Old versions are retired, and what stays is rebased: its bytes can be read as before, by readers
 * that go through the files once. Whatever write or sync fails, nothing is lost.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/retire.h"
#include "archive/store.h"
#include "base/hash.h"
#include "base/lists.h"
#include "tap.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"

static const int64_t NOW = INT64_C(1700000000) * CLOCK_NS_PER_SECOND;

enum { BODY_SIZE = 4000, BODY_MAX = 5000 };

enum form { FULL, REVISIT, SAME, PATCH };

/* A look, at http://a/PAGE; `of` is the step whose response it refers to. */
struct step {
	uint32_t capture, page;
	unsigned number;
	enum form form;
	unsigned of;
	char version; /* bodies of one version are alike, … */
	char token;   /* … but for this */
	/* Afterwards: */
	bool is_retired;
	enum form becomes;
};

/* The rules are about capture 1: its newest looks stay. All that refers to the others is in 2. */
static const struct step STEPS[] = {
	{1, 0, 1, FULL, 0, 'A', '0', true, FULL},
	{1, 1, 1, FULL, 0, 'B', '0', true, FULL},
	{1, 2, 1, FULL, 0, 'C', '0', true, FULL},
	{1, 3, 1, FULL, 0, 'D', '0', true, FULL},
	{1, 0, 2, FULL, 0, 'a', '0', false, FULL},
	{1, 1, 2, FULL, 0, 'b', '0', false, FULL},
	{1, 2, 2, FULL, 0, 'c', '0', false, FULL},
	{1, 3, 2, FULL, 0, 'D', '9', false, FULL},
	/* The first that needs a body gets it, the others refer to that. */
	{2, 0, 1, REVISIT, 0, 'A', '0', false, FULL},
	{2, 0, 2, REVISIT, 0, 'A', '0', false, REVISIT},
	{2, 0, 3, SAME, 0, 'A', '0', false, SAME},
	{2, 0, 4, PATCH, 0, 'A', '1', false, PATCH},
	{2, 1, 1, SAME, 1, 'B', '0', false, FULL},
	{2, 1, 2, SAME, 1, 'B', '0', false, SAME},
	{2, 1, 3, PATCH, 1, 'B', '1', false, PATCH},
	/* There is no response that is alike: the first patch becomes one. */
	{2, 2, 1, PATCH, 2, 'C', '1', false, FULL},
	{2, 2, 2, PATCH, 2, 'C', '2', false, PATCH},
	/* There is one. */
	{2, 3, 1, PATCH, 3, 'D', '1', false, PATCH},
	/* Against what stays, but moves. */
	{2, 4, 1, PATCH, 4, 'a', '1', false, PATCH},
};

enum { STEPS_LEN = sizeof STEPS / sizeof STEPS[0], FIRST_OF_2 = 8, REBASED = 10, RETIRED = 4 };

struct fixture {
	struct directory directory;
	struct clock_manual clock;
	struct catalog *catalog;
	struct clerk *clerk;
	struct duplicates bodies;
	struct store store;
	struct arena arena;
	struct attempt stored[STEPS_LEN]; /* as the catalog has them */
	char bodies_of[STEPS_LEN][BODY_MAX];
	struct net_fetch fetches[STEPS_LEN];
};

static const char *const UUIDS[] = {NULL, "urn:uuid:00000000-0000-4000-8000-000000000001",
	"urn:uuid:00000000-0000-4000-8000-000000000002"};

/* ---- an archive ---- */

static slice make_body(const struct step *s, char out[BODY_MAX])
{
	uint64_t x = (uint64_t)s->version * UINT64_C(0x9e3779b97f4a7c15);
	size_t n = (size_t)snprintf(out, BODY_MAX, "<p>%c</p><i>%c</i>", s->version, s->token);

	while (n < BODY_SIZE) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		out[n++] = (char)('a' + x % 26);
	}
	return (slice){out, n};
}

static struct digest digest_of(slice bytes)
{
	struct digester d = {0};
	struct digest ret = {0};

	CHECK_INT(digester_start(&d, DIGEST_SHA256), 0);
	digester_feed(&d, bytes);
	digester_finish(&d, &ret);
	digester_release(&d);
	return ret;
}

static slice url_of(struct fixture *f, uint32_t page)
{
	char url[32];

	(void)snprintf(url, sizeof url, "http://a/%u", page);
	return slice_str(arena_strdup(&f->arena, slice_str(url)));
}

static void add_capture(struct fixture *f, uint32_t id)
{
	struct catalog_capture row = {.id = id,
		.uuid = slice_str(UUIDS[id]),
		.site = id == 1 ? SLICE("http://a/") : SLICE("http://b/"),
		.strategy = SLICE("watch"),
		.settings = SLICE(""),
		.started = NOW};
	struct err err = {0};

	CHECK_INT(catalog_add_capture(f->catalog, &row, &row.id, &err), 0);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_INT(catalog_put(f->catalog, CATALOG_ROW_ADD_PAGE, id,
				  &(struct catalog_page){.number = i,
					  .url = url_of(f, i),
					  .kind = SLICE("page"),
					  .via = CATALOG_NO_PAGE,
					  .found = SLICE("seed"),
					  .taken = true,
					  .rule = SLICE("")},
				  &err),
			0);
	CHECK_INT(catalog_commit(f->catalog, &err), 0);
}

static bool open_store(struct fixture *f, uint64_t serial)
{
	struct err err = {0};

	return CHECK_INT(store_open(&f->store,
				 &(struct store_params){.records = {.directory = &f->directory,
								.serial = serial,
								.clock = &f->clock.clock},
					 .clerk = f->clerk,
					 .bodies = &f->bodies},
				 &err),
		0);
}

static bool set_up(struct fixture *f)
{
	struct err err = {0};

	*f = (struct fixture){.directory.lock = -1};
	arena_init(&f->arena, 1 << 20);
	clock_manual_init(&f->clock, NOW);
	clock_manual_advance(&f->clock, 1);
	if (!CHECK_INT(directory_open(&f->directory, tap_tempdir(), true, &err), 0) ||
		!CHECK_INT(
			catalog_open(f->directory.catalog, CATALOG_CREATE, &f->catalog, &err), 0))
		return false;
	add_capture(f, 1);
	add_capture(f, 2);
	f->clerk = clerk_new(f->catalog);
	CHECK_INT(clerk_start(f->clerk, &err), 0);
	duplicates_init(&f->bodies, f->directory.warc, DUPLICATES_MAX);
	return open_store(f, 1);
}

static void tear_down(struct fixture *f)
{
	duplicates_release(&f->bodies);
	catalog_close(f->catalog);
	directory_close(&f->directory);
	arena_release(&f->arena);
}

static struct attempt attempt_of(struct fixture *f, unsigned i)
{
	const struct step *s = &STEPS[i];
	const struct attempt *of = &f->stored[s->of];
	int64_t at = NOW + i * CLOCK_NS_PER_SECOND;
	struct attempt a = {.page = s->page,
		.capture = slice_str(UUIDS[s->capture]),
		.url = url_of(f, s->page),
		.kind = SLICE("page"),
		.leg = ATTEMPT_LOOK,
		.number = s->number,
		.wall = {at, at + 1, at + 2},
		.clock = {at + 5, at + 6, at + 7},
		.status = 200,
		.has_payload = true,
		.payload = digest_of(f->fetches[i].body),
		.payload_size = f->fetches[i].body.len,
		.has_state = true,
		.coding = 7,
		.is_revisit = s->form == REVISIT || s->form == SAME,
		.is_compact = s->form == SAME || s->form == PATCH};

	a.state = a.payload;
	if (s->form != FULL)
		a.original = (struct attempt_original){.record = of->record_id,
			.url = of->url,
			.date = of->wall.sent,
			.file = of->warc,
			.offset = of->offset};
	return a;
}

static int on_stored(void *context, const struct attempt *a)
{
	struct fixture *f = context;

	for (unsigned i = 0; i < STEPS_LEN; i++)
		if (STEPS[i].page == a->page && STEPS[i].number == a->number &&
			a->wall.sent == NOW + i * CLOCK_NS_PER_SECOND) {
			f->stored[i] = *a;
			return attempt_keep(&f->stored[i], &f->arena);
		}
	return ERR_NOTFOUND;
}

static void read_stored(struct fixture *f)
{
	struct err err = {0};

	for (uint32_t capture = 1; capture <= 2; capture++)
		CHECK_INT(catalog_each_observation(f->catalog, capture, on_stored, f, &err), 0);
}

static void take(struct fixture *f, unsigned from, unsigned to)
{
	struct err err = {0};

	for (unsigned i = from; i < to; i++) {
		struct net_fetch *n = &f->fetches[i];
		struct attempt a;

		*n = (struct net_fetch){.status = 200,
			.request_head = SLICE("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
			.head = SLICE("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
			.body = make_body(&STEPS[i], f->bodies_of[i]),
			.spool = -1};
		n->body_size = n->body.len;
		a = attempt_of(f, i);
		CHECK_INT(store_attempt(&f->store, STEPS[i].capture, &a, n, NULL, &err), 0);
	}
}

/* waits: what compact looks there are wait in the catalog, and the last file is open. */
static bool fill(struct fixture *f, bool two_files, bool waits)
{
	struct err err = {0};

	if (!set_up(f))
		return false;
	take(f, 0, FIRST_OF_2);
	CHECK_INT(store_settle(&f->store, &err), 0);
	read_stored(f);
	if (two_files) {
		CHECK_INT(store_close(&f->store, &err), 0);
		if (!open_store(f, 2))
			return false;
	}
	take(f, FIRST_OF_2, STEPS_LEN);
	if (waits) {
		CHECK_INT(store_commit(&f->store, &err), 0);
		CHECK_INT(press_flush(f->store.press, &err), 0);
		CHECK_INT(clerk_wait(f->clerk, &err), 0);
		store_abandon(&f->store);
	} else {
		CHECK_INT(store_close(&f->store, &err), 0);
	}
	CHECK_INT(clerk_stop(f->clerk, NULL), 0);
	read_stored(f);
	return true;
}

/* ---- a reader that goes through the files once ---- */

struct reading {
	const struct fixture *f;
	struct arena arena;
	struct strmap map; /* record → place in bodies */
	struct slice_vec bodies;
};

static slice body_of(const struct reading *r, slice id)
{
	uint32_t at;

	return strmap_get(&r->map, id, &at) ? r->bodies.ptr[at] : (slice){0};
}

static void read_records(struct reading *r, const struct warc_source *source);

static void read_record(struct reading *r, const struct warc_record *rec, slice block)
{
	slice id = warc_header_get(&rec->header, SLICE("WARC-Record-ID"));
	slice body = {0};
	size_t from = 0;
	struct err err = {0};

	CHECK_INT(rec->problem.code, 0);
	if (rec->header.type == WARC_TYPE_RESPONSE) {
		body = slice_sub(block, fields_find_end(block, &from), block.len);
	} else if (rec->header.type == WARC_TYPE_REVISIT) {
		body = body_of(r, warc_header_get(&rec->header, SLICE("WARC-Refers-To")));
		CHECK(body.ptr != NULL); /* it came before */
	} else if (compact_is_type(rec->header.content_type)) {
		struct compact_rows rows;
		struct compact_look look;
		struct buf records;

		buf_init(&records, COMPACT_EXPANDED_MAX);
		CHECK_INT(compact_open(&rows, block, &err), 0);
		while (compact_next(&rows, &r->arena, &look, &err) == 0) {
			buf_reset(&records);
			CHECK_INT(compact_records(r->f->directory.warc, &look, &records, &err), 0);
			read_records(
				r, &(struct warc_source){.fd = -1, .memory = buf_slice(&records)});
		}
		buf_release(&records);
	}
	if (!body.ptr)
		return;
	id.ptr = arena_strdup(&r->arena, id);
	body.ptr = arena_strdup(&r->arena, body);
	CHECK_INT(strmap_put(&r->map, id, (uint32_t)r->bodies.len), 0);
	CHECK_INT(slice_vec_push(&r->bodies, body), 0);
}

static void read_records(struct reading *r, const struct warc_source *source)
{
	const struct warc_record *rec;
	struct warc_reader *reader;
	struct err err = {0};
	struct buf block;

	if (!CHECK_INT(warc_reader_open_source(source, 0, &reader, &err), 0))
		return;
	buf_init(&block, 1 << 20);
	while (warc_reader_next(reader, &rec, &err) == 0) {
		slice bytes;

		buf_reset(&block);
		while (warc_reader_block(reader, &bytes, &err) == 0)
			CHECK_INT(buf_add(&block, bytes), 0);
		CHECK_INT(warc_reader_end(reader, &err), 0);
		read_record(r, rec, buf_slice(&block));
	}
	warc_reader_close(reader);
	buf_release(&block);
}

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct reading *r = context;
	char path[2 * DIRECTORY_PATH_MAX];
	FILE *file;

	(void)snprintf(
		path, sizeof path, "%s/%.*s", r->f->directory.warc, (int)w->name.len, w->name.ptr);
	file = fopen(path, "rb");
	if (!CHECK(file != NULL))
		return ERR_IO;
	read_records(r, &(struct warc_source){.fd = fileno(file)});
	return fclose(file) ? ERR_IO : 0;
}

/* Every look that is not a tombstone shows what it did. */
static void check_bodies(struct fixture *f, bool is_retired)
{
	struct reading r = {.f = f};
	struct err err = {0};

	arena_init(&r.arena, 64 << 20);
	strmap_init(&r.map, hash_key_random(), NULL);
	read_stored(f);
	CHECK_INT(catalog_each_warc(f->catalog, on_warc, &r, &err), 0);
	for (unsigned i = 0; i < STEPS_LEN; i++) {
		const struct step *s = &STEPS[i];
		const struct attempt *a = &f->stored[i];
		enum form form = is_retired ? s->becomes : s->form;

		CHECK_INT(a->retired != 0, is_retired && s->is_retired);
		if (a->retired)
			continue;
		CHECK_SLICE(body_of(&r, a->record_id), f->fetches[i].body);
		CHECK_INT(a->is_revisit, form == REVISIT || form == SAME);
		CHECK_INT(a->is_compact, form == SAME || form == PATCH);
	}
	strmap_release(&r.map);
	slice_vec_release(&r.bodies);
	arena_release(&r.arena);
}

/* ---- retiring ---- */

static int retire(struct fixture *f, const struct warc_io *io, struct retire_counts *ret)
{
	struct retire_rule rule = {.site = SLICE("http://a/")};
	struct err err = {0};
	int rc;

	CHECK_INT(retention_parse(SLICE("all:1s"), &rule.keep, &err), 0);
	*ret = (struct retire_counts){0};
	rc = retire_run(&(struct retire_params){.directory = &f->directory,
				.catalog = f->catalog,
				.rules = &rule,
				.rule_count = 1,
				.now = NOW + 1000 * CLOCK_NS_PER_SECOND,
				.io = io},
		ret, &err);
	CHECK_INT(err.code != 0, rc != 0);
	return rc;
}

static void test_rebase(void)
{
	for (int two_files = 0; two_files < 2; two_files++) {
		struct retire_counts counts;
		struct fixture f;

		if (!fill(&f, two_files, false))
			return;
		check_bodies(&f, false);
		CHECK_INT(retire(&f, NULL, &counts), 0);
		CHECK_INT((int64_t)counts.looks, RETIRED);
		CHECK_INT((int64_t)counts.rebased, REBASED);
		CHECK_INT((int64_t)counts.referred, 0);
		CHECK_INT((int64_t)counts.files, 1 + two_files);
		check_bodies(&f, true);
		CHECK_INT(retire(&f, NULL, &counts), 0); /* nothing is left to do */
		CHECK_INT((int64_t)counts.looks, 0);
		check_bodies(&f, true);
		tear_down(&f);
	}
}

/* What looks that wait, or an open file, refer to stays, and where it is. */
static void test_waiting(void)
{
	struct retire_counts counts;
	struct fixture f;

	if (!fill(&f, true, true))
		return;
	CHECK_INT(retire(&f, NULL, &counts), 0);
	CHECK_INT((int64_t)counts.looks, 0);
	CHECK_INT((int64_t)counts.files, 0);
	for (unsigned i = 0; i < STEPS_LEN; i++)
		CHECK_INT(f.stored[i].retired, 0);
	tear_down(&f);
}

/* ---- faults ---- */

struct faults {
	unsigned at, count;
	bool is_lasting;
};

static bool fails(void *context)
{
	struct faults *x = context;
	bool now = x->count == x->at || (x->is_lasting && x->count > x->at);

	x->count++;
	if (now)
		errno = ENOSPC;
	return now;
}

static ssize_t faulty_write(void *context, int fd, const void *bytes, size_t len, off_t at)
{
	if (fails(context)) { /* half of it is there */
		if (pwrite(fd, bytes, len / 2, at) >= 0)
			errno = ENOSPC;
		return -1;
	}
	return pwrite(fd, bytes, len, at);
}

static int faulty_truncate(void *context, int fd, off_t size)
{
	return fails(context) ? -1 : ftruncate(fd, size);
}

static int faulty_sync(void *context, int fd)
{
	return fails(context) ? -1 : fdatasync(fd);
}

static void test_faults(void)
{
	bool failed = true;

	for (unsigned n = 0; failed; n++) {
		struct faults x = {.at = n / 2, .is_lasting = n % 2};
		struct warc_io io = {&x, faulty_write, faulty_truncate, faulty_sync};
		struct retire_counts counts;
		struct fixture f;

		if (!fill(&f, true, false))
			return;
		failed = retire(&f, &io, &counts) != 0;
		tap_case("operation %u of %u", n / 2, x.count);
		CHECK_INT(failed, x.count > n / 2);
		check_bodies(&f, !failed);
		CHECK_INT(retire(&f, NULL, &counts), 0);
		check_bodies(&f, true);
		tear_down(&f);
		CHECK(failed || n > 8); /* there were faults */
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_rebase);
	TAP_RUN(test_waiting);
	TAP_RUN(test_faults);
	return tap_done();
}
