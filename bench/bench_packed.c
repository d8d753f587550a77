/*
 * packed_bench [PAGES] [ROUNDS]: what a look of a watch costs in the catalog: growth of the
 * database file, indexes included, and processor time to write and to read it. Every page has one
 * response; then it is looked at ROUNDS times, pages in a random order, 200 looks a commit:
 *
 *	rows	a row of the table observation for each look, as before version 7 of the schema
 *	packed	the same looks, found unchanged, as packed rows
 *	noise	packed, but each with a body of its own that differs by noise
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bench_cost.h"
#include "catalog/catalog.h"
#include "warc/compact.h"

enum { PAGES = 20000, ROUNDS = 20, COMMIT = 200, PATH_SIZE = 64, TEXT_SIZE = 96, BATCH = 256 };

static const int64_t NOW = INT64_C(1700000000000000000);
static const char UUID[] = "urn:uuid:f95fb11a-6e0f-42af-99c0-82cdd514990f";

enum form { ROWS, PACKED, NOISE };

struct texts {
	char url[TEXT_SIZE], etag[TEXT_SIZE], rules[TEXT_SIZE];
	struct warc_id id;
};

static void must(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "packed_bench: %s\n", err->text[0] ? err->text : err_name(rc));
	exit(1);
}

static void fill(struct digest *d, uint64_t seed)
{
	struct rng rng;

	rng_init(&rng, seed);
	d->kind = DIGEST_SHA256;
	for (int i = 0; i < DIGEST_SIZE_MAX; i++)
		d->bytes[i] = (unsigned char)rng_u64(&rng);
}

/* What the n-th request finds; number 0 is the response. */
static struct attempt make(
	unsigned page, unsigned number, unsigned n, enum form form, struct texts *t)
{
	bool noise = form == NOISE && number > 0;
	uint64_t version = noise ? UINT64_C(1) << 40 | n : page;
	int64_t at = NOW + n * INT64_C(400000017);
	struct attempt a = {
		.page = page,
		.capture = slice_str(UUID),
		.leg = ATTEMPT_LOOK,
		.number = number + 1,
		.wall = {at, at + 20200003 + n % 977 * 10007, at + 31000007 + n % 1361 * 20011},
		.status = 200,
		.media_type = SLICE("text/html"),
		.has_payload = true,
		.has_state = true,
		.rule_set = 1,
		.masked = 100 + page % 1000,
		.has_class = true,
		.coding = page % 3,
		.modified = NOW - page * INT64_C(86400000000000),
		.address = SLICE("192.0.2.17"),
	};

	(void)snprintf(
		t->url, sizeof t->url, "https://www.example.org/news/2026/a-page-%06u", page);
	(void)snprintf(t->etag, sizeof t->etag, "\"%08x-232c\"", page * 2654435761U);
	(void)snprintf(t->rules, sizeof t->rules, "nonces=2:%04x", (unsigned)version & 0xffff);
	a.url = slice_str(t->url);
	a.etag = slice_str(t->etag);
	a.rules = slice_str(t->rules);
	a.clock = (struct attempt_times){
		a.wall.sent - NOW + 1, a.wall.first_byte - NOW + 1, a.wall.last_byte - NOW + 1};
	fill(&a.payload, version);
	fill(&a.state, ~version);
	fill(&a.class, page + (UINT64_C(1) << 50));
	must(compact_id(&a, &t->id), &(struct err){0});
	a.record_id = slice_str(t->id.text);
	a.warc = number == 0 ? SLICE("stillpoint-20260101000000-00001.warc.gz") : (slice){0};
	a.offset = number ? 1 + n / BATCH : page * UINT64_C(8000);
	a.length = 400 + n % 50;
	a.is_revisit = number > 0 && !noise;
	a.is_compact = number > 0 && form != ROWS;
	return a;
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void add_pages(const char *path, unsigned pages, enum form form)
{
	struct catalog_capture capture = {.uuid = slice_str(UUID),
		.site = SLICE("https://www.example.org/"),
		.strategy = SLICE("fresh"),
		.settings = SLICE("")};
	struct catalog *c = NULL;
	struct err err = {0};
	uint32_t id = 0;

	must(catalog_open(path, CATALOG_CREATE, &c, &err), &err);
	must(catalog_add_capture(c, &capture, &id, &err), &err);
	for (unsigned n = 0; n < pages; n++) {
		struct texts t = {0};
		struct attempt a = make(n, 0, n, form, &t);
		struct catalog_page page = {.number = n,
			.url = a.url,
			.kind = SLICE("page"),
			.via = CATALOG_NO_PAGE,
			.found = SLICE("link"),
			.taken = true,
			.rule = SLICE("host"),
			.weight = 1};

		must(catalog_put(c, CATALOG_ROW_ADD_PAGE, id, &page, &err), &err);
		must(catalog_add_observation(c, id, &a, &err), &err);
	}
	must(catalog_commit(c, &err), &err);
	catalog_close(c);
}

/* Processor time. */
static double add_looks(const char *path, unsigned pages, unsigned rounds, enum form form)
{
	uint32_t *order = calloc(pages, sizeof *order);
	struct catalog *c = NULL;
	struct err err = {0};
	struct rng rng;
	double spent = 0;

	rng_init(&rng, 1);
	for (unsigned i = 0; order && i < pages; i++)
		order[i] = i;
	must(catalog_open(path, CATALOG_WRITE, &c, &err), &err);
	for (unsigned n = 0; order && n < pages * rounds; n++) {
		unsigned at = n % pages;
		uint64_t with = at + rng_u64(&rng) % (pages - at);
		uint32_t page = order[with];
		struct texts t = {0};
		struct attempt a;
		double begin;

		order[with] = order[at];
		order[at] = page;
		a = make(page, 1 + n / pages, pages + n, form, &t);
		begin = bench_seconds();
		must(catalog_add_observation(c, 1, &a, &err), &err);
		if ((n + 1) % COMMIT == 0)
			must(catalog_commit(c, &err), &err);
		spent += bench_seconds() - begin;
	}
	must(catalog_commit(c, &err), &err);
	catalog_close(c);
	free(order);
	return spent;
}

static int on_look(void *context, const struct attempt *a)
{
	*(uint64_t *)context += a->number > 1;
	return 0;
}

static double read_looks(const char *path, uint64_t *ret_count)
{
	struct catalog *c = NULL;
	struct err err = {0};
	double begin;

	must(catalog_open(path, CATALOG_READ, &c, &err), &err);
	begin = bench_seconds();
	must(catalog_each_observation(c, 1, on_look, ret_count, &err), &err);
	begin = bench_seconds() - begin;
	catalog_close(c);
	return begin;
}

static void measure(const char *says, unsigned pages, unsigned rounds, enum form form)
{
	char dir[] = "/tmp/packed_bench.XXXXXX", path[PATH_SIZE], command[PATH_SIZE];
	double looks = (double)pages * rounds, written, was_read;
	uint64_t before, count = 0;

	if (!mkdtemp(dir))
		exit(1);
	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", dir);
	add_pages(path, pages, form);
	before = size_of(path);
	written = add_looks(path, pages, rounds, form);
	was_read = read_looks(path, &count);
	(void)printf("%-7s %3u looks a page  %6.1f bytes  %5.2f us to write  %5.2f us to read\n",
		says, rounds, (double)(size_of(path) - before) / looks, 1e6 * written / looks,
		1e6 * was_read / looks);
	if (count != (uint64_t)pages * rounds)
		(void)printf("LOST: %llu looks of %.0f\n", (unsigned long long)count, looks);
	(void)snprintf(command, sizeof command, "rm -rf %s", dir);
	if (system(command)) /* NOLINT(cert-env33-c): the name is our own */
		exit(1);
}

int main(int argc, char **argv)
{
	unsigned pages = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : PAGES;
	unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : ROUNDS;
	unsigned few[] = {1, rounds};

	for (int i = 0; pages && rounds && i < 2; i++) {
		measure("rows", pages, few[i], ROWS);
		measure("packed", pages, few[i], PACKED);
		measure("noise", pages, few[i], NOISE);
	}
	return 0;
}
