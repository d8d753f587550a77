/*
 * looks_bench [COUNT]: what a look that found nothing new costs, as compact evidence and as records
 * of its own (`crawl --evidence`): bytes in the WARC file, and processor time of the press (heads,
 * digests, compression), the clerk (catalog) and their commits, 200 looks each. Visits, requests
 * and reading of answers have no part in it. Patches: pages of 9 kB with one token that differs.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/store.h"
#include "base/clock.h"
#include "bench.h"

enum { COUNT = 20000, COMMIT = 200, BODY_SIZE = 9000, URL_SIZE = 64, HEAD_SIZE = 512 };

static const int64_t NOW = INT64_C(1700000000000000000);

struct run {
	const char *says;
	bool compact, patch;
};

struct archive {
	struct directory directory;
	struct catalog *catalog;
	struct clerk *clerk;
	struct duplicates bodies;
	struct store store;
	struct clock_manual clock;
	struct catalog_capture row;
	struct attempt_original original;
	struct warc_id id;
	struct err err;
};

static void must(int rc, const struct archive *a)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "looks_bench: %s\n", a->err.text[0] ? a->err.text : err_name(rc));
	exit(1);
}

static void open_archive(struct archive *a, const char *path)
{
	*a = (struct archive){.directory.lock = -1};
	a->row = (struct catalog_capture){
		.uuid = SLICE("urn:uuid:f95fb11a-6e0f-42af-99c0-82cdd514990f"),
		.site = SLICE("http://www.example.org/"),
		.strategy = SLICE("stillpoint"),
		.settings = SLICE(""),
		.started = NOW};
	clock_manual_init(&a->clock, NOW);
	must(directory_open(&a->directory, path, true, &a->err), a);
	must(catalog_open(a->directory.catalog, CATALOG_CREATE, &a->catalog, &a->err), a);
	must(catalog_add_capture(a->catalog, &a->row, &a->row.id, &a->err), a);
	a->clerk = clerk_new(a->catalog);
	must(clerk_start(a->clerk, &a->err), a);
	duplicates_init(&a->bodies, a->directory.warc, DUPLICATES_MAX);
	must(store_open(&a->store,
		     &(struct store_params){.records = {.directory = &a->directory,
						    .coding = WARC_CODING_GZIP,
						    .clock = &a->clock.clock},
			     .clerk = a->clerk,
			     .bodies = &a->bodies},
		     &a->err),
		a);
}

static void close_archive(struct archive *a)
{
	must(store_close(&a->store, &a->err), a);
	must(clerk_stop(a->clerk, &a->err), a);
	duplicates_release(&a->bodies);
	catalog_close(a->catalog);
	directory_close(&a->directory);
}

/* Texts of one look, until the press has written it. */
struct texts {
	char url[URL_SIZE], request[HEAD_SIZE], head[HEAD_SIZE], body[BODY_SIZE + 1];
};

static struct attempt make(const struct archive *a, unsigned n, const struct texts *t)
{
	int64_t at = NOW + n * INT64_C(3000017);
	struct attempt x = {
		.page = n,
		.capture = a->row.uuid,
		.url = slice_str(t->url),
		.leg = ATTEMPT_REVISIT,
		.number = 1,
		.wall = {at, at + 200003 + n % 977, at + 250007 + n % 1361},
		.status = 200,
		.has_payload = true,
		.payload = {.kind = DIGEST_SHA256},
		.payload_size = BODY_SIZE,
		.media_type = SLICE("text/html"),
		.has_state = true,
		.state = {.kind = DIGEST_SHA256},
		.sign_set = 1,
	};

	x.clock = (struct attempt_times){
		x.wall.sent - NOW + 1, x.wall.first_byte - NOW + 1, x.wall.last_byte - NOW + 1};
	for (unsigned i = 0; i < DIGEST_SIZE_MAX; i++)
		x.payload.bytes[i] = x.state.bytes[i] = (unsigned char)(n * 2654435761U >> i % 24);
	return x;
}

static struct net_fetch *make_fetch(unsigned n, struct texts *t, bool patch)
{
	struct net_fetch *f = calloc(1, sizeof *f);

	if (!f)
		exit(1);
	(void)snprintf(t->url, sizeof t->url, "http://www.example.org/d%u/p%u.html", n % 40, n);
	(void)snprintf(t->request, sizeof t->request,
		"GET /d%u/p%u.html HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: Mozilla/5.0 "
		"(compatible; stillpoint/0.1.0)\r\nAccept: text/html,application/xhtml+xml,"
		"application/xml;q=0.9,*/*;q=0.8\r\nAccept-Encoding: gzip, br\r\n"
		"Cache-Control: no-cache\r\n\r\n",
		n % 40, n);
	(void)snprintf(t->head, sizeof t->head,
		"HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Tue, 14 Nov 2023 22:%02u:%02u GMT\r\n"
		"Content-Type: text/html\r\nContent-Length: %d\r\nLast-Modified: Mon, 13 Nov 2023 "
		"20:%02u:%02u GMT\r\nConnection: keep-alive\r\nETag: \"%08x-232c\"\r\n"
		"Accept-Ranges: bytes\r\n\r\n",
		n / 60 % 60, n % 60, BODY_SIZE, n / 7 % 60, n * 13 % 60, n * 2654435761U);
	if (!t->body[0])
		for (int i = 0; i < BODY_SIZE; i++)
			t->body[i] = (char)('a' + i * i % 23);
	if (patch)
		(void)snprintf(t->body + 4000, 20, "%019u", n);
	f->status = 200;
	f->request_head = slice_str(t->request);
	f->head = slice_str(t->head);
	f->body = (slice){t->body, BODY_SIZE};
	f->body_size = BODY_SIZE;
	f->spool = -1;
	return f;
}

/* A response that the looks equal. */
static void store_original(struct archive *a)
{
	static struct texts t;
	struct net_fetch *f = make_fetch(0, &t, false);
	struct attempt x = make(a, 0, &t);

	struct digester d = {0};

	/* Patches are made against records whose digests are right. */
	must(digester_start(&d, DIGEST_SHA256), a);
	digester_feed(&d, f->body);
	digester_finish(&d, &x.payload);
	digester_release(&d);
	x.leg = ATTEMPT_VISIT;
	must(store_attempt(&a->store, a->row.id, &x, f, &a->id, &a->err), a);
	must(store_settle(&a->store, &a->err), a);
	a->original = (struct attempt_original){.record = slice_str(a->id.text),
		.url = SLICE("http://www.example.org/"),
		.date = NOW};
	if (!store_place_of(&a->store, &x.payload, x.coding, &a->original))
		must(ERR_NOTFOUND, a);
	free(f);
}

static void store_looks(struct archive *a, const struct run *r, unsigned count)
{
	static struct texts texts[COMMIT];
	struct net_fetch *fetches[COMMIT];

	for (unsigned n = 1; n <= count; n++) {
		unsigned slot = n % COMMIT;
		struct attempt x;

		fetches[slot] = make_fetch(n, &texts[slot], r->patch);
		x = make(a, n, &texts[slot]);
		x.original = a->original;
		x.is_revisit = !r->patch;
		x.is_compact = r->compact;
		must(store_attempt(&a->store, a->row.id, &x, fetches[slot], NULL, &a->err), a);
		if (slot)
			continue;
		must(store_settle(&a->store, &a->err), a);
		for (unsigned i = 0; i < COMMIT; i++)
			free(fetches[i]);
	}
}

static uint64_t warc_size(const struct archive *a)
{
	struct stat st;
	char path[DIRECTORY_PATH_MAX + 256];

	(void)snprintf(path, sizeof path, "%s/%.*s.open", a->directory.warc,
		(int)a->original.file.len, a->original.file.ptr);
	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static void measure(const struct run *r, unsigned count)
{
	char path[] = "/tmp/looks_bench.XXXXXX", command[64];
	struct archive a;
	double begin;
	uint64_t before;

	if (!mkdtemp(path))
		exit(1);
	open_archive(&a, path);
	store_original(&a);
	before = warc_size(&a);
	begin = processor_time();
	store_looks(&a, r, count);
	must(store_settle(&a.store, &a.err), &a);
	(void)printf("%-22s %7.1f us  %7.0f bytes\n", r->says,
		1e6 * (processor_time() - begin) / count, (double)(warc_size(&a) - before) / count);
	close_archive(&a);
	(void)snprintf(command, sizeof command, "rm -rf %s", path);
	if (system(command)) /* NOLINT(cert-env33-c): the name is our own */
		exit(1);
}

int main(int argc, char **argv)
{
	static const struct run RUNS[] = {
		{"the same, records", false, false},
		{"the same, compact", true, false},
		{"noise, records", false, true},
		{"noise, compact", true, true},
	};
	unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : COUNT;

	count -= count % COMMIT;
	for (size_t i = 0; count && i < sizeof RUNS / sizeof RUNS[0]; i++)
		measure(&RUNS[i], count);
	return 0;
}
