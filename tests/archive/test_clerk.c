/* The clerk: rows of several lanes reach the catalog whole and in order, or an error tells. */
#include "archive/clerk.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

enum { LANES = 4, BATCHES = 40, ROWS = 25 };

struct fixture {
	char path[4096];
	struct catalog *catalog;
	struct clerk *clerk;
};

/* A catalog with captures 1 to LANES, in a transaction that is still open. */
static bool set_up(struct fixture *f)
{
	struct err err = {0};
	uint32_t id;

	*f = (struct fixture){0};
	(void)snprintf(f->path, sizeof f->path, "%s/catalog.sqlite", tap_tempdir());
	if (!CHECK_INT(catalog_open(f->path, CATALOG_CREATE, &f->catalog, &err), 0))
		return false;
	for (int i = 0; i < LANES; i++)
		CHECK_INT(catalog_add_capture(f->catalog,
				  &(struct catalog_capture){.uuid = SLICE("urn:uuid:0"),
					  .site = SLICE("http://a/"),
					  .strategy = SLICE("bfs-lifo"),
					  .settings = SLICE("")},
				  &id, &err),
			0);
	f->clerk = clerk_new(f->catalog);
	return true;
}

static void tear_down(struct fixture *f)
{
	catalog_close(f->catalog);
}

static void add_page(struct batch *b, uint32_t capture, uint32_t number, slice url)
{
	struct catalog_page page = {.number = number,
		.url = url,
		.kind = SLICE("page"),
		.via = CATALOG_NO_PAGE,
		.found = SLICE("seed"),
		.taken = true,
		.rule = SLICE("host a")};

	batch_add(b, &(struct catalog_row){CATALOG_ROW_ADD_PAGE, capture, .page = &page});
}

struct sight {
	uint32_t next; /* the number that must come */
	bool in_order;
	char last[64];
};

static int on_page(void *context, const struct catalog_page *p)
{
	struct sight *s = context;

	s->in_order = s->in_order && p->number == s->next;
	s->next++;
	(void)snprintf(s->last, sizeof s->last, "%.*s", (int)p->url.len, p->url.ptr);
	return 0;
}

/* What another process sees of a capture's pages. */
static struct sight look(const struct fixture *f, uint32_t capture)
{
	struct sight s = {.in_order = true};
	struct catalog *catalog;
	struct err err = {0};

	if (CHECK_INT(catalog_open(f->path, CATALOG_READ, &catalog, &err), 0)) {
		CHECK_INT(catalog_each_page(catalog, capture, on_page, &s, &err), 0);
		catalog_close(catalog);
	}
	return s;
}

/* Strings are copied: what the caller does with his afterwards is his business. */
static void test_copies(void)
{
	char url[] = "http://a/original";
	struct fixture f;
	struct batch *b;
	struct err err = {0};
	struct sight s;

	if (!set_up(&f))
		return;
	b = clerk_batch(f.clerk);
	CHECK(batch_is_empty(b));
	add_page(b, 1, 0, slice_str(url));
	CHECK(!batch_is_empty(b) && batch_bytes(b) > 0);
	memset(url, 'x', sizeof url - 1);
	CHECK_INT(clerk_submit(f.clerk, b, &err), 0); /* waits until the thread is there */
	CHECK_INT(clerk_start(f.clerk, &err), 0);
	CHECK_INT(clerk_wait(f.clerk, &err), 0);
	s = look(&f, 1); /* with the captures, whose transaction was open */
	CHECK_INT(s.next, 1);
	CHECK_STR(s.last, "http://a/original");
	b = clerk_batch(f.clerk); /* the same, used again */
	CHECK(batch_is_empty(b));
	batch_free(b);
	CHECK_INT(clerk_stop(f.clerk, &err), 0);
	tear_down(&f);
}

struct lane {
	struct clerk *clerk;
	uint32_t capture;
	pthread_t thread;
	int rc;
};

static void *fill(void *context)
{
	struct lane *lane = context;
	struct err err = {0};

	for (uint32_t i = 0; lane->rc == 0 && i < BATCHES; i++) {
		struct batch *b = clerk_batch(lane->clerk);

		for (uint32_t k = 0; k < ROWS; k++)
			add_page(b, lane->capture, i * ROWS + k, SLICE("http://a/"));
		lane->rc = clerk_submit(lane->clerk, b, &err);
	}
	return NULL;
}

/* Several at once. Pages are numbered without gaps, or the catalog would not have them in order. */
static void test_lanes(void)
{
	struct lane lanes[LANES] = {0};
	struct err err = {0};
	struct fixture f;

	if (!set_up(&f))
		return;
	CHECK_INT(clerk_start(f.clerk, &err), 0);
	for (uint32_t i = 0; i < LANES; i++) {
		lanes[i] = (struct lane){.clerk = f.clerk, .capture = i + 1};
		CHECK_INT(pthread_create(&lanes[i].thread, NULL, fill, &lanes[i]), 0);
	}
	for (uint32_t i = 0; i < LANES; i++) {
		CHECK_INT(pthread_join(lanes[i].thread, NULL), 0);
		CHECK_INT(lanes[i].rc, 0);
	}
	CHECK_INT(clerk_stop(f.clerk, &err), 0);
	for (uint32_t i = 0; i < LANES; i++) {
		struct sight s = look(&f, i + 1);

		CHECK_INT(s.next, BATCHES * ROWS);
		CHECK(s.in_order);
	}
	tear_down(&f);
}

/* Of a batch with a row that cannot be, nothing is there, nor of what comes behind it. */
static void test_error(void)
{
	struct fixture f;
	struct batch *b;
	struct err err = {0}, again = {0};

	if (!set_up(&f))
		return;
	CHECK_INT(clerk_start(f.clerk, &err), 0);
	b = clerk_batch(f.clerk);
	add_page(b, 1, 0, SLICE("http://a/"));
	CHECK_INT(clerk_submit(f.clerk, b, &err), 0);
	CHECK_INT(clerk_wait(f.clerk, &err), 0);
	b = clerk_batch(f.clerk);
	add_page(b, 1, 1, SLICE("http://a/1"));
	add_page(b, 1, 1, SLICE("http://a/1")); /* it is there already */
	CHECK_INT(clerk_submit(f.clerk, b, &err), 0);
	CHECK_INT(clerk_wait(f.clerk, &err), ERR_EXISTS);
	CHECK(err.code == ERR_EXISTS && err.text[0]);
	b = clerk_batch(f.clerk);
	add_page(b, 1, 2, SLICE("http://a/2"));
	CHECK_INT(clerk_submit(f.clerk, b, &again), ERR_EXISTS);
	CHECK_STR(again.text, err.text);
	CHECK_INT(clerk_stop(f.clerk, &again), ERR_EXISTS);
	CHECK_INT(look(&f, 1).next, 1);
	CHECK_INT(clerk_stop(NULL, NULL), 0);
	tear_down(&f);
}

/* More than may wait: a lane that is too fast is held up, and everything arrives. */
static void test_memory(void)
{
	static char url[1 << 20];
	struct fixture f;
	struct err err = {0};
	uint32_t count = 2 * (CLERK_BYTES_MAX / sizeof url);

	memset(url, 'a', sizeof url);
	if (!set_up(&f))
		return;
	CHECK_INT(clerk_start(f.clerk, &err), 0);
	for (uint32_t i = 0; i < count; i++) {
		struct batch *b = clerk_batch(f.clerk);

		add_page(b, 1, i, (slice){url, sizeof url});
		CHECK_INT(clerk_submit(f.clerk, b, &err), 0);
	}
	CHECK_INT(clerk_stop(f.clerk, &err), 0);
	CHECK_INT(look(&f, 1).next, count);
	tear_down(&f);
}

/* One that never started forgets what it was given. */
static void test_never_started(void)
{
	struct fixture f;
	struct batch *b;
	struct err err = {0};

	if (!set_up(&f))
		return;
	b = clerk_batch(f.clerk);
	add_page(b, 1, 0, SLICE("http://a/"));
	CHECK_INT(clerk_submit(f.clerk, b, &err), 0);
	CHECK_INT(clerk_stop(f.clerk, &err), 0);
	CHECK_INT(catalog_commit(f.catalog, &err), 0);
	CHECK_INT(look(&f, 1).next, 0);
	tear_down(&f);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_copies);
	TAP_RUN(test_lanes);
	TAP_RUN(test_error);
	TAP_RUN(test_memory);
	TAP_RUN(test_never_started);
	return tap_done();
}
