/*
 * Fault injection: the N-th write or sync fails, for every N until none is left. Whatever fails, a
 * commit that fails says so, and the next one to open the catalog finds what was committed, whole.
 *
 * Where the disk goes on failing there is one thing that nobody can know: whether the last batch,
 * written but not confirmed, is there after all. Then it is there whole.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "catalog/catalog_db.h"
#include "catalog_sample.h"
#include "faulty_vfs.h"
#include "tap.h"

enum {
	BATCHES = 3,
	BATCH = 10,       /* pages */
	NUMBER_MAX = 600, /* calls; a run without faults makes fewer */
};

struct outcome {
	uint32_t committed; /* pages, as far as commit has said */
	uint32_t capture;   /* 0 when it was not committed */
	int failures;
};

static int add_batch(struct catalog *c, struct outcome *o, uint32_t *capture, struct err *err)
{
	int rc = 0;

	if (*capture == 0)
		rc = sample_add_capture(c, 1, capture, err);
	for (uint32_t i = 0; rc == 0 && i < BATCH; i++)
		rc = sample_add_page(c, *capture, o->committed + i, err);
	return rc;
}

/* Adds a batch and commits it. Commit is called even after a failure, and must not succeed then. */
static void commit_batch(struct catalog *c, struct outcome *o)
{
	uint32_t capture = o->capture;
	struct err err = {0};
	int added = add_batch(c, o, &capture, &err), rc;

	if (added) {
		CHECK((added == ERR_IO || added == ERR_STATE) && err.text[0] != '\0');
		o->failures++;
		if (c->failed)
			CHECK(catalog_commit(c, &err) == ERR_IO);
		catalog_rollback(c);
		return;
	}
	err = (struct err){0};
	rc = catalog_commit(c, &err);
	CHECK(!catalog_is_dirty(c));
	if (rc) {
		CHECK(rc == ERR_IO && err.text[0] != '\0');
		o->failures++;
		return;
	}
	o->capture = capture;
	o->committed += BATCH;
}

static struct outcome run(const char *path)
{
	struct outcome o = {0};
	struct catalog *c = NULL;
	struct err err = {0};
	int rc = catalog_open(path, CATALOG_CREATE, &c, &err);

	if (rc) {
		CHECK((rc == ERR_IO || rc == ERR_STATE) && err.text[0] != '\0');
		o.failures++;
		return o;
	}
	/* Little memory, so that batches go to the log early, and the log to the file often. */
	(void)sqlite3_exec(
		c->db, "PRAGMA cache_size = 8; PRAGMA wal_autocheckpoint = 9", NULL, NULL, NULL);
	for (int i = 0; i < BATCHES; i++)
		commit_batch(c, &o);
	catalog_close(c);
	return o;
}

static void check_outcome(const char *path, const struct outcome *o, bool doubtful)
{
	struct catalog *c = sample_open(path, CATALOG_CREATE);
	struct err err = {0};
	uint32_t pages;

	if (!c)
		return;
	pages = sample_check(c, 1, false);
	if (doubtful)
		CHECK(pages == o->committed || pages == o->committed + BATCH);
	else
		CHECK_INT(pages, o->committed);
	/* And it can be gone on with. */
	if (pages > 0)
		CHECK_INT(sample_add_page(c, 1, pages, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	catalog_close(c);
}

static void remove_catalog(const char *path)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	char name[SAMPLE_PATH_SIZE + 16];

	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		(void)snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
		(void)unlink(name);
	}
}

static void test_fault(struct faulty_vfs *v, const char *label, enum fault fault, bool lasting)
{
	/* Most writes are in the making of the tables: a sanitizer sees every tenth. */
	const int step = fault == FAULT_SYNC ? 1 : 10 / (int)tap_rounds(10);
	char path[SAMPLE_PATH_SIZE];
	int n = lasting ? step / 2 : 0, failures = 0;

	tap_case("%s, %s", label, lasting ? "from then on" : "once");
	(void)sample_path(path);
	for (; n < NUMBER_MAX; n += step) {
		struct outcome o;

		remove_catalog(path);
		faulty_vfs_arm(v, fault, lasting, n);
		o = run(path);
		failures += o.failures;
		v->fault = FAULT_NONE;
		if (v->struck == 0)
			CHECK_INT(o.committed, BATCHES * BATCH);
		check_outcome(path, &o, lasting && v->struck > 0);
		if (v->struck == 0)
			break;
	}
	tap_note("every %d. of %d places, %d failures", step, n, failures);
	CHECK(n > 5 && n < NUMBER_MAX && failures > 0);
}

int main(int argc, char **argv)
{
	struct faulty_vfs v;

	tap_init(argc, argv);
	faulty_vfs_install(&v);
	test_fault(&v, "full disk", FAULT_WRITE_FULL, false);
	test_fault(&v, "full disk", FAULT_WRITE_FULL, true);
	test_fault(&v, "write cut short", FAULT_WRITE_SHORT, false);
	test_fault(&v, "sync", FAULT_SYNC, false);
	test_fault(&v, "sync", FAULT_SYNC, true);
	faulty_vfs_remove(&v);
	return tap_done();
}
