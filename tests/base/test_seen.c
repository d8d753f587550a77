#include "base/seen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/seen_runs.h"
#include "tap.h"

enum {
	MANY = 160000,
	MANY_ENOUGH = 100000, /* for the bound on memory */
	BYTES_PER_URL_MAX = 28,
	CROWD = 60,
	CROWDED_BITS = 13, /* ten for the table, and an eighth of it */
};

static const struct hash_key KEY = {1, 2};

static slice url_text(char *out, size_t size, unsigned i)
{
	int n = snprintf(out, size, "http://example.org/section/%u/page-%u.html", i % 97, i);

	return (slice){out, (size_t)n};
}

static void test_empty(void)
{
	struct seen s;
	uint32_t number = 7;

	seen_init(&s, KEY);
	CHECK(!seen_find(&s, SLICE("http://example.org/"), &number));
	CHECK_INT(number, 7);
	CHECK_INT(seen_count(&s), 0);
	CHECK_INT(s.bytes, 0);
	seen_release(&s);
	s = (struct seen){0};
	seen_release(&s);
}

static void test_first_number_stays(void)
{
	struct seen s;
	uint32_t number = 0;

	seen_init(&s, KEY);
	CHECK_INT(seen_add(&s, SLICE("http://example.org/"), 0), 0);
	CHECK_INT(seen_add(&s, SLICE("http://example.org/"), 1), ERR_EXISTS);
	CHECK_INT(seen_add(&s, SLICE(""), UINT32_MAX), 0);
	CHECK(seen_find(&s, SLICE("http://example.org/"), &number));
	CHECK_INT(number, 0);
	CHECK(seen_find(&s, SLICE(""), &number));
	CHECK_INT(number, UINT32_MAX);
	CHECK(seen_find(&s, SLICE(""), NULL));
	CHECK(!seen_find(&s, SLICE("http://example.org/a"), NULL));
	CHECK_INT(seen_count(&s), 2);
	seen_release(&s);
}

/* While it grows, the whole of it is looked at now and then: a slot lost in a copy would show. */
static void check_all(const struct seen *s, unsigned count)
{
	unsigned wrong = 0;
	char text[80];

	for (unsigned i = 0; i < count; i++) {
		uint32_t number = UINT32_MAX;

		if (!seen_find(s, url_text(text, sizeof text, i), &number) || number != i)
			wrong++;
	}
	for (unsigned i = MANY; i < MANY + count; i++)
		if (seen_find(s, url_text(text, sizeof text, i), NULL))
			wrong++;
	CHECK_INT(wrong, 0);
}

static void test_many(void)
{
	unsigned next_check = 10, refused = 0;
	double worst = 0;
	struct seen s;
	char text[80];

	seen_init(&s, hash_key_random());
	for (unsigned i = 0; i < MANY; i++) {
		if (!CHECK_INT(seen_add(&s, url_text(text, sizeof text, i), i), 0))
			break;
		if (seen_add(&s, url_text(text, sizeof text, i / 2), MANY) != ERR_EXISTS)
			refused++;
		if (i + 1 >= MANY_ENOUGH && (double)s.bytes / (i + 1) > worst)
			worst = (double)s.bytes / (i + 1);
		if (i + 1 == next_check) {
			check_all(&s, i + 1);
			next_check *= 5;
		}
	}
	CHECK_INT(refused, 0);
	CHECK_INT(seen_count(&s), MANY);
	check_all(&s, MANY);
	tap_note("at most %.2f bytes per URL from %d on", worst, MANY_ENOUGH);
	CHECK(worst > 20 && worst <= BYTES_PER_URL_MAX);
	seen_release(&s);
	CHECK(!seen_find(&s, url_text(text, sizeof text, 1), NULL));
	CHECK_INT(seen_add(&s, url_text(text, sizeof text, 1), 1), 0);
	seen_release(&s);
}

/* The n-th URL of those whose digests are the largest: one table, and the end of it. */
static slice last_url(char *out, size_t size, unsigned *next)
{
	for (;;) {
		slice url = url_text(out, size, (*next)++);

		if (hash_bytes_128(KEY, url).first >> (64 - CROWDED_BITS) ==
			(1U << CROWDED_BITS) - 1)
			return url;
	}
}

/* Digests that crowd at the end of a table make it grow before it is full. */
static void test_crowded_end(void)
{
	unsigned add = 0, find = 0, wrong = 0;
	uint32_t number = 0;
	struct seen s;
	char text[80];

	seen_init(&s, KEY);
	for (unsigned i = 0; i < CROWD; i++)
		wrong += seen_add(&s, last_url(text, sizeof text, &add), i) != 0;
	for (unsigned i = 0; i < CROWD; i++)
		wrong += !seen_find(&s, last_url(text, sizeof text, &find), &number) || number != i;
	for (unsigned i = 0; i < CROWD; i++)
		wrong += seen_find(&s, last_url(text, sizeof text, &find), NULL);
	CHECK_INT(wrong, 0);
	CHECK_INT(seen_count(&s), CROWD);
	seen_release(&s);
}

/* ---- sets with a limit ---- */

enum { MODEL = 20000, BATCH = 300 };

/* What is asked for: new ones, recent ones, and any. */
static unsigned draw(struct rng *rng, unsigned known)
{
	unsigned any = (unsigned)rng_below(rng, known + known / 8 + 2);
	unsigned near = known - (unsigned)rng_below(rng, known < 50 ? known + 1 : 50);

	return rng_below(rng, 2) ? near : any;
}

/* Held against a plain model: whether a URL is known, and its number. */
static void check_against_model(size_t memory, bool in_batches)
{
	bool *known = calloc(2 * MODEL, sizeof *known);
	uint32_t *numbers = calloc(2 * MODEL, sizeof *numbers);
	struct seen_budget budget = {.max = memory};
	unsigned asked[BATCH], wrong = 0;
	uint32_t count = 0, number;
	struct err err = {0};
	struct rng rng;
	struct seen s;
	char text[80];

	rng_init(&rng, memory);
	seen_init(&s, KEY);
	seen_limit(&s, &budget, tap_tempdir());
	for (unsigned step = 0; step < 8 * MODEL / BATCH; step++) {
		for (unsigned i = 0; i < BATCH; i++) {
			asked[i] = draw(&rng, count < MODEL ? count : MODEL);
			if (in_batches)
				seen_ask(&s, url_text(text, sizeof text, asked[i]));
		}
		seen_answer(&s);
		for (unsigned i = 0; i < BATCH; i++) {
			slice url = url_text(text, sizeof text, asked[i]);
			bool is_there = seen_look_up(&s, url, &number);

			wrong += is_there != known[asked[i]];
			wrong += is_there && number != numbers[asked[i]];
			wrong += seen_add(&s, url, count) != (is_there ? ERR_EXISTS : 0);
			if (is_there)
				continue;
			known[asked[i]] = true;
			numbers[asked[i]] = count++;
		}
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(seen_count(&s), count);
	for (unsigned i = 0; i < 2 * MODEL; i++)
		wrong += seen_look_up(&s, url_text(text, sizeof text, i), NULL) != known[i];
	CHECK_INT(wrong, 0);
	CHECK_INT(seen_error(&s, &err), 0);
	tap_note("limit %zu: %u URLs, %zu bytes of tables, %llu on disk", memory, count, s.bytes,
		(unsigned long long)seen_disk_bytes(&s));
	CHECK(count > MODEL / 2);
	CHECK((seen_disk_bytes(&s) > 0) == (memory < (size_t)1 << 20));
	/* Where digests are crowded at the end of a table, it grows nevertheless. */
	CHECK(s.bytes <= (memory > 24576 ? memory : 24576) * 9 / 8);
	CHECK_INT(budget.used, s.bytes);
	seen_release(&s);
	CHECK_INT(budget.used, 0);
	free(known);
	free(numbers);
}

static void test_limits(void)
{
	static const size_t LIMITS[] = {0, 25000, 40000, 65536, 100000, 200000, 400000, 8 << 20};

	for (size_t i = 0; i < sizeof LIMITS / sizeof LIMITS[0]; i++) {
		check_against_model(LIMITS[i], false);
		check_against_model(LIMITS[i], true);
	}
}

/* Adds until something fails, or there are that many. */
static int fill(struct seen *s, unsigned from, unsigned to)
{
	char text[80];
	int rc = 0;

	for (unsigned i = from; rc == 0 && i < to; i++)
		rc = seen_add(s, url_text(text, sizeof text, i), i);
	return rc;
}

static void test_no_directory(void)
{
	struct seen_budget budget = {0};
	struct seen s;
	struct err err = {0};

	seen_init(&s, KEY);
	seen_limit(&s, &budget, "/nowhere/at/all");
	CHECK_INT(fill(&s, 0, MODEL), ERR_IO);
	CHECK_INT(seen_error(&s, &err), ERR_IO);
	CHECK_STR(err.text, "temporary file in /nowhere/at/all: No such file or directory");
	CHECK_INT(fill(&s, MODEL, MODEL + 1), ERR_IO);
	seen_release(&s);
}

/* No file may grow beyond some size, as on a disk that is full. */
static void test_full_disk(void)
{
	struct seen_budget budget = {0};
	struct rlimit was, small;
	struct seen s;
	struct err err = {0};

	(void)signal(SIGXFSZ, SIG_IGN);
	seen_init(&s, KEY);
	seen_limit(&s, &budget, tap_tempdir());
	CHECK_INT(getrlimit(RLIMIT_FSIZE, &was), 0);
	small = (struct rlimit){100000, was.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
	CHECK_INT(fill(&s, 0, MODEL), ERR_IO);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &was), 0);
	CHECK_INT(seen_error(&s, &err), ERR_IO);
	CHECK(strstr(err.text, "File too large") != NULL);
	CHECK_INT(fill(&s, MODEL, MODEL + 1), ERR_IO);
	CHECK_INT(seen_error(&s, &err), ERR_IO);
	seen_release(&s);
}

/* Sets that share a budget: small ones stay in memory, the large one goes on in files. */
static void test_shared_budget(void)
{
	struct seen_budget budget = {.max = 200000};
	struct seen sets[8];
	unsigned wrong = 0;

	for (int i = 0; i < 8; i++) {
		seen_init(&sets[i], KEY);
		seen_limit(&sets[i], &budget, tap_tempdir());
	}
	CHECK_INT(fill(&sets[0], 0, MODEL), 0);
	for (int i = 1; i < 8; i++)
		CHECK_INT(fill(&sets[i], 0, 300), 0);
	for (int i = 1; i < 8; i++)
		wrong += seen_disk_bytes(&sets[i]) > 0;
	CHECK_INT(wrong, 0);
	CHECK(seen_disk_bytes(&sets[0]) > 0);
	CHECK(budget.used < 300000);
	for (int i = 0; i < 8; i++) {
		CHECK_INT(fill(&sets[i], 0, 1), ERR_EXISTS);
		seen_release(&sets[i]);
	}
	CHECK_INT(budget.used, 0);
}

/* Runs whose files were cut: questions fail, and say so. */
static bool next_number(void *context, struct seen_entry *ret)
{
	uint64_t *next = context;

	*ret = (struct seen_entry){(*next + 1) << 40, 0, (uint32_t)*next};
	return (*next)++ < MODEL;
}

static void test_cut_file(void)
{
	struct seen_question q = {.entry = {.high = UINT64_C(9) << 40}};
	struct seen_questions many = {0};
	struct seen_runs r;
	struct err err = {0};
	uint64_t next = 0;

	seen_runs_init(&r, tap_tempdir(), 1 << 20);
	CHECK_INT(seen_runs_add(&r, next_number, &next, MODEL, &err), 0);
	CHECK_INT(seen_runs_find(&r, &q, &err), 0);
	CHECK(q.is_found && q.entry.number == 8);
	CHECK_INT(ftruncate(r.list.ptr[0].fd, 100), 0);
	CHECK_INT(seen_runs_find(&r, &q, &err), ERR_IO);
	CHECK(strstr(err.text, "Input/output error") != NULL);
	seen_questions_push(&many, q);
	CHECK_INT(seen_runs_find_all(&r, &many, &err), ERR_IO);
	next = 0;
	CHECK_INT(seen_runs_add(&r, next_number, &next, MODEL, &err), ERR_IO);
	CHECK_INT(r.list.len, 1);
	CHECK_INT(r.count, MODEL);
	seen_questions_release(&many);
	seen_runs_release(&r);
}

/* First halves that are the same, over the borders of blocks. */
static bool next_same(void *context, struct seen_entry *ret)
{
	uint64_t *next = context;

	*ret = (struct seen_entry){UINT64_C(5) << 50, *next * 8 << 20, (uint32_t)*next};
	return (*next)++ < 1000;
}

static void test_same_halves(void)
{
	struct seen_questions all = {0};
	struct err err = {0};
	struct seen_runs r;
	uint64_t next = 0;
	unsigned wrong = 0;

	seen_runs_init(&r, tap_tempdir(), 0);
	CHECK_INT(seen_runs_add(&r, next_same, &next, 1000, &err), 0);
	for (uint64_t i = 0; i < 1010; i++) {
		struct seen_question q = {.entry = {UINT64_C(5) << 50, i * 8 << 20, 0}};

		seen_questions_push(&all, q);
		CHECK_INT(seen_runs_find(&r, &q, &err), 0);
		wrong += q.is_found != (i < 1000) || (q.is_found && q.entry.number != i);
	}
	CHECK_INT(seen_runs_find_all(&r, &all, &err), 0);
	for (size_t i = 0; i < all.len; i++) {
		const struct seen_question *q = &all.ptr[i];
		uint64_t number = q->entry.low >> 23;

		wrong += q->is_found != (number < 1000) ||
			 (q->is_found && q->entry.number != number);
	}
	CHECK_INT(wrong, 0);
	seen_questions_release(&all);
	seen_runs_release(&r);
}

/* A question for every block is answered by a few long reads; a single one, by a short one. */
static void test_reads(void)
{
	struct seen_questions all = {0};
	struct err err = {0};
	struct seen_runs r;
	uint64_t next = 0, before;

	seen_runs_init(&r, tap_tempdir(), 0);
	CHECK_INT(seen_runs_add(&r, next_number, &next, MODEL, &err), 0);
	for (uint64_t i = 0; i < MODEL; i += 100)
		seen_questions_push(&all, (struct seen_question){.entry = {.high = (i + 1) << 40}});
	before = r.reads;
	CHECK_INT(seen_runs_find_all(&r, &all, &err), 0);
	CHECK_INT(r.reads - before, 1);
	before = r.reads;
	CHECK_INT(seen_runs_find(&r, &all.ptr[0], &err), 0);
	CHECK_INT(r.reads - before, 1);
	seen_questions_release(&all);
	seen_runs_release(&r);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_empty);
	TAP_RUN(test_first_number_stays);
	TAP_RUN(test_many);
	TAP_RUN(test_crowded_end);
	TAP_RUN(test_limits);
	TAP_RUN(test_no_directory);
	TAP_RUN(test_full_disk);
	TAP_RUN(test_shared_budget);
	TAP_RUN(test_cut_file);
	TAP_RUN(test_same_halves);
	TAP_RUN(test_reads);
	return tap_done();
}
