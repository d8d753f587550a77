/*
 * A writer is killed at random moments, again and again: what it has reported as committed is there
 * when the next one opens the catalog, and nothing is there by halves.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "catalog_sample.h"
#include "tap.h"

enum {
	ROUNDS = 12,
	BATCH = 10,
	REPORTS_MAX = 4,         /* that the parent waits for before it kills */
	DELAY_MAX_NS = 20000000, /* and how long after */
	EXIT_FAILED = 3,
};

/* The child: goes on where the catalog ends, and tells each commit. */
static int write_on(const char *path, uint32_t capture, uint32_t pages, int out)
{
	struct catalog *c = NULL;
	struct err err = {0};
	int rc = catalog_open(path, CATALOG_WRITE, &c, &err);

	while (rc == 0) {
		for (uint32_t i = 0; rc == 0 && i < BATCH; i++)
			rc = sample_add_page(c, capture, pages++, &err);
		if (rc == 0)
			rc = catalog_commit(c, &err);
		if (rc == 0 && write(out, &pages, sizeof pages) != sizeof pages)
			rc = ERR_IO;
	}
	catalog_close(c);
	return EXIT_FAILED;
}

/* The last number of pages that the child reports before it is killed. */
static uint32_t run_and_kill(const char *path, uint32_t capture, uint32_t pages, struct rng *rng)
{
	struct timespec delay = {.tv_nsec = (long)rng_below(rng, DELAY_MAX_NS)};
	uint64_t reports = rng_below(rng, REPORTS_MAX + 1);
	uint32_t told = pages, report;
	int fds[2], status = 0;
	pid_t pid;

	if (!CHECK(pipe(fds) == 0))
		return pages;
	pid = fork();
	if (pid == 0) {
		(void)close(fds[0]);
		_exit(write_on(path, capture, pages, fds[1]));
	}
	(void)close(fds[1]);
	for (; reports > 0 && read(fds[0], &report, sizeof report) == sizeof report; reports--)
		told = report;
	/* Not to wait for anything: so that it is killed anywhere between two commits. */
	(void)nanosleep(&delay, NULL);
	CHECK(pid > 0 && kill(pid, SIGKILL) == 0);
	while (read(fds[0], &report, sizeof report) == sizeof report)
		told = report;
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	(void)close(fds[0]);
	return told;
}

static void test_kill(void)
{
	char path[SAMPLE_PATH_SIZE];
	uint32_t capture = 0, pages = 0;
	struct rng rng;

	catalog_close(sample_fill(sample_path(path), 0, &capture));
	rng_init(&rng, 9);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t told = run_and_kill(path, capture, pages, &rng);
		struct catalog *c = sample_open(path, i % 2 ? CATALOG_READ : CATALOG_WRITE);

		pages = sample_check(c, capture, true);
		catalog_close(c);
		/* A commit may have been made and not been told. */
		if (!CHECK(pages == told || pages == told + BATCH))
			tap_note("told %u, found %u", (unsigned)told, (unsigned)pages);
	}
	CHECK(pages > 0);
	tap_note("%u pages after %d writers", (unsigned)pages, ROUNDS);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_kill);
	return tap_done();
}
