/* Bytes by offset, in memory and behind it in a file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/rng.h"
#include "base/spill.h"
#include "tap.h"

enum { MODEL = 3 * SPILL_MEMORY / 2 };

static bool reads(const struct spill *s, uint64_t at, const char *want, size_t len)
{
	char *got = malloc(len);
	struct err err = {0};
	bool same = got && spill_read(s, at, got, len, &err) == 0 && memcmp(got, want, len) == 0;

	free(got);
	return same;
}

/* What is appended can be read at once and later, across blocks, in memory and in the file. */
static void test_append(void)
{
	static const size_t SIZES[] = {1, 100, 5000, 70000, 300000};
	char *model = malloc(MODEL);
	struct spill_pool pool;
	struct spill s;
	struct err err = {0};
	size_t len = 0, i = 0;

	if (!CHECK(model != NULL))
		return;
	for (size_t b = 0; b < MODEL; b++)
		model[b] = (char)(b * 31 + b / 251);
	spill_pool_init(&pool, "/tmp");
	spill_init(&s, &pool);
	for (; len + 300000 < MODEL; i++) {
		size_t n = SIZES[i % 5];

		if (!CHECK_INT(spill_write(&s, s.size, model + len, n, &err), 0) ||
			!CHECK(reads(&s, len, model + len, n)))
			break;
		len += n;
	}
	CHECK_INT((int64_t)s.size, (int64_t)len);
	CHECK(reads(&s, 0, model, len));
	CHECK(pool.fd >= 0);
	spill_release(&s);
	spill_pool_release(&pool);
	free(model);
}

/* Rows in any order, some of them again. */
static void test_anywhere(void)
{
	enum { ROW = 144, ROWS = MODEL / ROW };
	char *model = calloc(ROWS, ROW);
	struct spill_pool pool;
	struct spill s;
	struct err err = {0};
	struct rng rng;
	int rc = 0;

	if (!CHECK(model != NULL))
		return;
	rng_init(&rng, 7);
	spill_pool_init(&pool, "/tmp");
	spill_init(&s, &pool);
	for (int i = 0; rc == 0 && i < 20000; i++) {
		size_t row = rng_below(&rng, ROWS - 1);

		memset(model + row * ROW, 1 + i % 100, ROW);
		rc = spill_write(&s, row * ROW, model + row * ROW, ROW, &err);
	}
	CHECK_INT(rc, 0);
	CHECK(reads(&s, 0, model, ROWS * ROW)); /* with zeros where nothing was written */
	spill_release(&s);
	spill_pool_release(&pool);
	free(model);
}

static uint32_t word_of(size_t table, uint32_t row)
{
	return (uint32_t)table * 2654435761U ^ row * 40503U;
}

static bool has_rows(const struct spill *s, size_t table, uint32_t rows)
{
	bool same = true;

	for (uint32_t row = 0; row < rows; row++) {
		uint32_t want = word_of(table, row);

		same = same && reads(s, (uint64_t)row * 1000, (const char *)&want, sizeof want);
	}
	return same;
}

/* Tables that grow together, and end one after the other, never see each other's bytes. */
static void test_shared(void)
{
	enum { TABLES = 100, ROWS = 150 };
	struct spill tables[TABLES];
	struct spill_pool pool;
	struct err err = {0};
	int rc = 0;

	spill_pool_init(&pool, "/tmp");
	for (size_t t = 0; t < TABLES; t++)
		spill_init(&tables[t], &pool);
	for (uint32_t row = 0; row < ROWS; row++) {
		for (size_t t = 0; rc == 0 && t < TABLES; t++) {
			uint32_t word = word_of(t, row);

			rc = spill_write(
				&tables[t], (uint64_t)row * 1000, &word, sizeof word, &err);
		}
		/* Half-way some end; others begin in their places. */
		for (size_t t = 0; row == ROWS / 2 && t < TABLES; t += 3)
			spill_release(&tables[t]);
	}
	CHECK_INT(rc, 0);
	CHECK(pool.slots > 0);
	for (size_t t = 0; t < TABLES; t++) {
		if (t % 3)
			CHECK(has_rows(&tables[t], t, ROWS));
		spill_release(&tables[t]);
	}
	spill_pool_release(&pool);
}

/* However often tables come and go: places are used again, and the file is empty in the end. */
static void test_given_back(void)
{
	struct spill_pool pool;
	struct err err = {0};
	struct stat st;
	int rc = 0;

	spill_pool_init(&pool, "/tmp");
	for (int round = 0; rc == 0 && round < 5; round++) {
		struct spill s;

		spill_init(&s, &pool);
		for (uint64_t block = 0; rc == 0 && block < SPILL_FRAMES + 100; block++)
			rc = spill_write(&s, block * SPILL_BLOCK, "x", 1, &err);
		CHECK_INT(pool.slots, 100);
		spill_release(&s);
		CHECK_INT((int64_t)(pool.slots - pool.free.len), 0);
	}
	CHECK_INT(rc, 0);
	CHECK(fstat(pool.fd, &st) == 0 && st.st_size == 0);
	spill_pool_release(&pool);
}

static void test_no_directory(void)
{
	struct spill_pool pool;
	struct spill s;
	struct err err = {0};
	uint64_t size = 0;
	int rc = 0;

	spill_pool_init(&pool, "/nowhere/at/all");
	spill_init(&s, &pool);
	while (rc == 0 && size < SPILL_MEMORY) { /* no file is needed yet */
		rc = spill_write(&s, size, "x", 1, &err);
		size += SPILL_BLOCK;
	}
	CHECK_INT(rc, 0);
	CHECK_INT(spill_write(&s, size, "x", 1, &err), ERR_IO);
	CHECK(strstr(err.text, "/nowhere/at/all") != NULL);
	CHECK_INT((int64_t)s.size, (int64_t)(size - SPILL_BLOCK) + 1); /* as before */
	CHECK(reads(&s, size - SPILL_BLOCK, "x", 1));
	spill_release(&s);
	spill_pool_release(&pool);
}

/* A place is only memory: nothing is there yet, and no more of it than the pool has. */
static void test_reserve(void)
{
	struct spill_pool pool;
	struct spill s;
	struct err err = {0};

	spill_pool_init(&pool, "/nowhere/at/all");
	spill_init(&s, &pool);
	CHECK_INT(spill_reserve(&s, 2 * SPILL_BLOCK + 1, &err), 0);
	CHECK_INT(pool.frames_used, 3);
	CHECK_INT((int64_t)s.size, 0);
	CHECK_INT(spill_write(&s, 2 * SPILL_BLOCK, "xy", 2, &err), 0);
	CHECK_INT(spill_reserve(&s, SPILL_BLOCK, &err), 0); /* has it */
	CHECK_INT(pool.frames_used, 3);
	CHECK(reads(&s, 2 * SPILL_BLOCK, "xy", 2));
	CHECK_INT(spill_reserve(&s, UINT64_C(1) << 40, &err), 0);
	CHECK_INT(pool.frames_used, SPILL_FRAMES);
	CHECK_INT((int64_t)s.blocks.len, SPILL_FRAMES);
	spill_release(&s);
	spill_pool_release(&pool);
}

static void test_zeroed(void)
{
	struct spill_pool pool = {0};
	struct spill s = {0};

	spill_release(&s);
	spill_pool_release(&pool);
	CHECK(pool.memory == NULL);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_append);
	TAP_RUN(test_anywhere);
	TAP_RUN(test_shared);
	TAP_RUN(test_given_back);
	TAP_RUN(test_no_directory);
	TAP_RUN(test_reserve);
	TAP_RUN(test_zeroed);
	return tap_done();
}
