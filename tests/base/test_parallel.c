#include "base/parallel.h"

#include <stdatomic.h>

#include "base/err.h"
#include "tap.h"

enum { ROUNDS = 1000 };

struct log {
	atomic_int done[ROUNDS];
	size_t fails_from; /* rounds from here on fail with their number */
	size_t reports, last_report;
};

static int work(void *context, size_t i)
{
	struct log *log = context;

	atomic_fetch_add(&log->done[i], 1);
	return i >= log->fails_from ? -(int)i : 0;
}

static void report(void *context, size_t done)
{
	struct log *log = context;

	log->reports += done == log->last_report + 1;
	log->last_report = done;
}

static void test_all_rounds(void)
{
	static const unsigned threads[] = {0, 1, 2, 7, PARALLEL_THREADS_MAX, 100000};

	for (size_t t = 0; t < ARRAY_LEN(threads); t++) {
		struct log log = {.fails_from = ROUNDS};
		struct parallel p = {.threads = threads[t],
			.count = ROUNDS,
			.work = work,
			.context = &log,
			.report = report,
			.report_context = &log};

		tap_case("all rounds: %u threads", threads[t]);
		CHECK_INT(parallel_run(&p), 0);
		for (size_t i = 0; i < ROUNDS; i++)
			CHECK_INT(log.done[i], 1);
		CHECK_INT(log.reports, ROUNDS);
	}
}

static void test_nothing_to_do(void)
{
	struct log log = {.fails_from = 0};
	struct parallel p = {.threads = 4, .count = 0, .work = work, .context = &log};

	CHECK_INT(parallel_run(&p), 0);
}

/* The earliest failure counts, and nothing is begun long after it. */
static void test_failure(void)
{
	static const unsigned threads[] = {1, 4};

	for (size_t t = 0; t < ARRAY_LEN(threads); t++) {
		struct log log = {.fails_from = 10};
		struct parallel p = {
			.threads = threads[t], .count = ROUNDS, .work = work, .context = &log};
		int done = 0;

		tap_case("failure: %u threads", threads[t]);
		CHECK_INT(parallel_run(&p), -10);
		for (size_t i = 0; i < ROUNDS; i++)
			done += log.done[i];
		CHECK(done >= 11 && done <= 10 + (int)threads[t]);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_all_rounds();
	TAP_RUN(test_nothing_to_do);
	test_failure();
	return tap_done();
}
