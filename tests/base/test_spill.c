/* Bytes by offset, in memory and behind it in a file. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/spill.h"
#include "tap.h"

enum { MODEL = 3 * SPILL_MEMORY };

static bool reads(const struct spill *s, uint64_t at, const char *want, size_t len)
{
	char *got = malloc(len);
	struct err err = {0};
	bool same = got && spill_read(s, at, got, len, &err) == 0 && memcmp(got, want, len) == 0;

	free(got);
	return same;
}

/* What is appended can be read at once and later, across the end of memory and of the tail. */
static void test_append(void)
{
	static const size_t SIZES[] = {1, 100, 5000, 70000, 300000};
	char *model = malloc(MODEL);
	struct spill s;
	struct err err = {0};
	size_t len = 0, i = 0;

	if (!CHECK(model != NULL))
		return;
	for (size_t b = 0; b < MODEL; b++)
		model[b] = (char)(b * 31 + b / 251);
	spill_init(&s, "/tmp");
	for (; len + 300000 < MODEL; i++) {
		size_t n = SIZES[i % 5];

		if (!CHECK_INT(spill_write(&s, s.size, model + len, n, &err), 0) ||
			!CHECK(reads(&s, len, model + len, n)))
			break;
		len += n;
	}
	CHECK_INT((int64_t)s.size, (int64_t)len);
	CHECK(reads(&s, 0, model, len));
	CHECK(reads(&s, SPILL_MEMORY - 10, model + SPILL_MEMORY - 10, 20));
	spill_release(&s);
	free(model);
}

/* Rows in any order, some of them again. */
static void test_anywhere(void)
{
	enum { ROW = 144, ROWS = MODEL / ROW };
	char *model = calloc(ROWS, ROW);
	struct spill s;
	struct err err = {0};
	struct rng rng;
	int rc = 0;

	if (!CHECK(model != NULL))
		return;
	rng_init(&rng, 7);
	spill_init(&s, "/tmp");
	for (int i = 0; rc == 0 && i < 20000; i++) {
		size_t row = rng_below(&rng, ROWS - 1);

		memset(model + row * ROW, 1 + i % 100, ROW);
		rc = spill_write(&s, row * ROW, model + row * ROW, ROW, &err);
	}
	CHECK_INT(rc, 0);
	CHECK(reads(&s, 0, model, ROWS * ROW)); /* with zeros where nothing was written */
	spill_release(&s);
	free(model);
}

static void test_no_directory(void)
{
	struct spill s;
	struct err err = {0};
	char byte = 'x';

	spill_init(&s, "/nowhere/at/all");
	CHECK_INT(spill_write(&s, 0, &byte, 1, &err), 0); /* not needed yet */
	CHECK_INT(spill_write(&s, SPILL_MEMORY, &byte, 1, &err), ERR_IO);
	CHECK(strstr(err.text, "/nowhere/at/all") != NULL);
	CHECK_INT((int64_t)s.size, 1); /* as before */
	spill_release(&s);
}

/* A place is only memory: nothing is there yet, and no more of it than stays there. */
static void test_reserve(void)
{
	struct spill s;
	struct err err = {0};
	char *memory;

	spill_init(&s, "/nowhere/at/all");
	CHECK_INT(spill_reserve(&s, 10000, &err), 0);
	memory = s.memory;
	CHECK_INT((int64_t)s.size, 0);
	CHECK_INT(spill_write(&s, 9990, "0123456789", 10, &err), 0);
	CHECK(s.memory == memory);
	CHECK_INT(spill_reserve(&s, UINT64_C(1) << 40, &err), 0);
	CHECK_INT((int64_t)s.memory_cap, SPILL_MEMORY);
	CHECK_INT((int64_t)s.size, 10000);
	spill_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_append);
	TAP_RUN(test_anywhere);
	TAP_RUN(test_no_directory);
	TAP_RUN(test_reserve);
	return tap_done();
}
