/* The store: records and rows become lasting together, and only behind whole attempts. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crawl/store.h"
#include "tap.h"

static const int64_t NOW = INT64_C(1700000000) * CLOCK_NS_PER_SECOND;

/* An archive with one capture, open. */
struct fixture {
	struct directory directory;
	struct crawl_settings settings;
	struct clock_manual clock;
	struct catalog *catalog;
	struct catalog_capture row;
	struct clerk *clerk;
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
	CHECK_INT(clerk_new(f->catalog, &f->clerk, &err), 0);
	CHECK_INT(clerk_start(f->clerk, &err), 0);
	serial++;
	return CHECK_INT(store_open(&f->store,
				 &(struct store_params){.directory = &f->directory,
					 .settings = &f->settings,
					 .only = &f->row,
					 .clerk = f->clerk,
					 .serial = serial,
					 .user_agent = "test",
					 .clock = &f->clock.clock},
				 &err),
		0);
}

static bool set_up(struct fixture *f, const char *path, uint64_t warc_size)
{
	*f = (struct fixture){.directory.lock = -1};
	crawl_settings_init(&f->settings);
	f->settings.warc_size = warc_size;
	CHECK_INT(text_list_push(&f->settings.seeds, "http://a/"), 0);
	clock_manual_init(&f->clock, NOW);
	clock_manual_advance(&f->clock, 1);
	return open_store(f, path, 0);
}

/* Waits for the clerk, too, so that a reader sees all. */
static int commit(struct fixture *f)
{
	struct err err = {0};
	int rc = store_commit(&f->store, &err);

	return rc ? rc : clerk_wait(f->clerk, &err);
}

static void close_archive(struct fixture *f)
{
	CHECK_INT(clerk_stop(f->clerk, NULL), 0);
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
	crawl_settings_release(&f->settings);
}

/* A visit of a page, with a response. */
static int visit(struct fixture *f, uint32_t page, struct store_place *place)
{
	struct net_fetch fetch = {
		.status = 200,
		.request_head = SLICE("GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
		.head = SLICE("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"),
		.body = SLICE("A"),
		.body_size = 1,
		.spool = -1,
	};
	struct state_result result = {.status = 200, .whole = true};
	struct store_attempt a = {
		.capture = 1,
		.attempt = {.capture = f->row.uuid,
			.url = SLICE("http://a/"),
			.kind = SLICE("page"),
			.leg = ATTEMPT_VISIT,
			.number = 1,
			.wall = {NOW, NOW + 1, NOW + 2},
			.clock = {1, 2, 3},
			.status = 200},
		.fetch = &fetch,
		.result = &result,
		.page = page,
	};
	struct err err = {0};

	/* Of "A". */
	CHECK_INT(digest_parse(
			  SLICE("sha256:"
				"559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd"),
			  &result.payload),
		0);
	return store_attempt(&f->store, &a, place, &err);
}

/* What a reader of the archive sees. */
struct sight {
	unsigned files, complete, observations;
	uint64_t size; /* of all files, as committed */
};

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct sight *seen = context;

	seen->files++;
	seen->complete += w->complete;
	seen->size += w->size;
	return 0;
}

static int on_observation(void *context, const struct catalog_observation *o)
{
	struct sight *seen = context;

	(void)o;
	seen->observations++;
	return 0;
}

static struct sight look(const struct fixture *f)
{
	struct catalog *catalog;
	struct sight seen = {0};
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
	struct store_place place = {0};
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	CHECK(isinf(store_due(&f.store)));
	CHECK_INT(visit(&f, 0, &place), 0);
	CHECK(place.record.text[0] == '<');
	CHECK(store_due(&f.store) > 0 && store_due(&f.store) <= 0.25);
	clock_manual_advance(&f.clock, 0.25);
	CHECK(store_due(&f.store) == 0);
	CHECK_INT(commit(&f), 0);
	CHECK(isinf(store_due(&f.store)));
	seen = look(&f);
	CHECK_INT(seen.files, 1);
	CHECK_INT(seen.complete, 0);
	CHECK_INT(seen.observations, 1);
	CHECK_INT((int64_t)seen.size, (int64_t)f.store.end);
	CHECK_INT(close_store(&f), 0);
	CHECK_INT(look(&f).complete, 1);
	tear_down(&f);
}

/* After an error: what was committed is there, in a file still open; of the rest, perhaps some. */
static void test_abandon(void)
{
	struct fixture f;
	struct store_place place;
	char path[2 * DIRECTORY_PATH_MAX];
	struct stat st;
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 0))
		return;
	CHECK_INT(visit(&f, 0, &place), 0);
	CHECK_INT(commit(&f), 0);
	CHECK_INT(visit(&f, 1, &place), 0);
	(void)snprintf(path, sizeof path, "%s/%s.open", f.directory.warc, f.store.file);
	store_abandon(&f.store);
	seen = look(&f);
	CHECK_INT(seen.observations, 1);
	CHECK_INT(seen.complete, 0);
	CHECK(stat(path, &st) == 0 && (uint64_t)st.st_size >= seen.size);
	tear_down(&f);
}

/* Files are left for others; all are complete in the end. */
static void test_files(void)
{
	struct fixture f;
	struct store_place place;
	struct err err = {0};
	struct sight seen;

	if (!set_up(&f, tap_tempdir(), 1))
		return;
	CHECK_INT(store_moment(&f.store, &f.row, "start", &err), 0);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(visit(&f, i, &place), 0);
	CHECK_INT(close_store(&f), 0);
	seen = look(&f);
	CHECK(seen.files > 3);
	CHECK_INT(seen.complete, seen.files);
	CHECK_INT(seen.observations, 3);
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
	struct store_place place;
	struct err err = {0};
	struct fixture f;

	if (!set_up(&f, path, 1))
		return;
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(visit(&f, i, &place), 0);
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

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_commit);
	TAP_RUN(test_abandon);
	TAP_RUN(test_files);
	TAP_RUN(test_names);
	return tap_done();
}
