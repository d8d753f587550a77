/*
 * Damage to WARC files: what is whole is still read, what is not is told, and where. The files are
 * made by sample.c: records 1 to COUNT, each in a gzip member unless said otherwise.
 */
#include "base/rng.h"
#include "sample.h"
#include "tap.h"

enum { COUNT = 6 };

static size_t start_of(const size_t *ends, unsigned record)
{
	return record > 1 ? ends[record - 2] : 0;
}

static void check_read(slice file, bool where, const char *want)
{
	struct buf got;

	buf_init(&got, SAMPLE_MAX);
	sample_read(file, where, &got);
	CHECK_STR(buf_str(&got), want);
	buf_release(&got);
}

static bool has_gap(slice file)
{
	struct buf got;
	bool has;

	buf_init(&got, SAMPLE_MAX);
	sample_read(file, false, &got);
	has = strchr(buf_str(&got), '?') != NULL;
	buf_release(&got);
	return has;
}

/*
 * Any one byte of record 3 is flipped: all others are read, and it is not taken for good, unless
 * its block is (as its digest says) and only what follows that is damaged, which is told then.
 */
static void test_flip_gzip(void)
{
	size_t ends[COUNT];
	struct buf file;

	buf_init(&file, SAMPLE_MAX);
	sample_gzip_file(&file, COUNT, ends);
	for (size_t at = start_of(ends, 3); at < ends[2]; at++) {
		/* Time, extra flags and system in a member's header say nothing about the data. */
		bool harmless = at - start_of(ends, 3) >= 4 && at - start_of(ends, 3) < 10;
		unsigned good;

		file.ptr[at] ^= 0x41;
		good = sample_good(buf_slice(&file));
		if (harmless)
			CHECK_INT(good, 0x3f);
		else if (good != 0x3b)
			CHECK(good == 0x3f && has_gap(buf_slice(&file)));
		file.ptr[at] ^= 0x41;
	}
	buf_release(&file);
}

/* Any one byte of the block of a plain record is flipped: its digest tells. */
static void test_flip_plain(void)
{
	struct buf file;
	size_t from, to;

	buf_init(&file, SAMPLE_MAX);
	sample_record(&file, 1, 0);
	from = file.len;
	sample_record(&file, 2, 0);
	to = file.len - 4;
	sample_record(&file, 3, 0);
	from = (size_t)(strstr(file.ptr + from, "\r\n\r\n") + 4 - file.ptr);
	for (size_t at = from; at < to; at++) {
		file.ptr[at] ^= 0x41;
		CHECK_INT(sample_good(buf_slice(&file)), 0x5);
		file.ptr[at] ^= 0x41;
	}
	buf_release(&file);
}

/* Wherever the file is cut, the records before are good, and none after. */
static void test_cut(void)
{
	size_t ends[COUNT];
	struct buf file;

	buf_init(&file, SAMPLE_MAX);
	sample_gzip_file(&file, COUNT, ends);
	for (size_t len = 0; len <= file.len; len++) {
		unsigned whole = 0;

		for (unsigned i = 0; i < COUNT; i++)
			whole |= ends[i] <= len ? 1U << i : 0;
		CHECK_INT(sample_good(slice_sub(buf_slice(&file), 0, len)), whole);
	}
	buf_release(&file);
}

/* Bytes are missing in the middle of the file. */
static void test_hole(void)
{
	static const bool gzip_first[] = {true, false};

	for (size_t form = 0; form < ARRAY_LEN(gzip_first); form++) {
		size_t ends[COUNT];
		struct buf file, holed;
		size_t from;

		tap_case("hole: %s", gzip_first[form] ? "gzip" : "plain");
		buf_init(&file, SAMPLE_MAX);
		for (unsigned i = 1; i <= COUNT && !gzip_first[form]; i++) {
			sample_record(&file, i, 0);
			ends[i - 1] = file.len;
		}
		if (gzip_first[form])
			sample_gzip_file(&file, COUNT, ends);
		/* Half a plain header and half of another may make one that is right. */
		from = start_of(ends, 2) + 20;
		if (!gzip_first[form])
			from = (size_t)(strstr(file.ptr + from, "\r\n\r\n") + 4 - file.ptr);
		for (; from < ends[1] - 20; from += 7) {
			buf_init(&holed, SAMPLE_MAX);
			(void)buf_add(&holed, slice_sub(buf_slice(&file), 0, from));
			(void)buf_add(&holed, slice_sub(buf_slice(&file), ends[2] + 50, SIZE_MAX));
			CHECK_INT(sample_good(buf_slice(&holed)), 0x31);
			buf_release(&holed);
		}
		buf_release(&file);
	}
}

static void add_junk(struct buf *out, struct rng *rng, size_t count)
{
	while (count-- > 0)
		(void)buf_add_char(out, (char)rng_u64(rng));
}

/* Junk between members is a gap that says from where to where. */
static void test_junk_gzip(void)
{
	struct buf file, want, record;
	struct rng rng;

	rng_init(&rng, 5);
	buf_init(&file, SAMPLE_MAX);
	buf_init(&want, SAMPLE_MAX);
	buf_init(&record, SAMPLE_MAX);
	for (unsigned i = 1; i <= COUNT; i++) {
		size_t before = file.len, junk = 1 + 40000 * (i - 1);

		sample_record(&record, i, 0);
		sample_gzip(&file, buf_slice(&record));
		(void)buf_printf(&want, "%u@%zu+%zu ", i, before, file.len - before);
		(void)buf_printf(&want, "?@%zu+%zu ", file.len, junk);
		add_junk(&file, &rng, junk);
		buf_reset(&record);
	}
	check_read(buf_slice(&file), true, buf_str(&want));
	buf_release(&file);
	buf_release(&want);
	buf_release(&record);
}

static void test_junk_plain(void)
{
	struct buf file, want;
	struct rng rng;

	rng_init(&rng, 6);
	buf_init(&file, SAMPLE_MAX);
	buf_init(&want, SAMPLE_MAX);
	for (unsigned i = 1; i <= COUNT; i++) {
		size_t before = file.len, junk = 10 + 40000 * (i - 1);

		(void)buf_printf(&want, "?@%zu+%zu ", before, junk);
		(void)buf_add_char(&file, 'x'); /* no line end, which would belong to the record */
		add_junk(&file, &rng, junk - 1);
		before = file.len;
		sample_record(&file, i, 0);
		(void)buf_printf(&want, "%u@%zu+%zu ", i, before, file.len - before);
	}
	check_read(buf_slice(&file), true, buf_str(&want));
	buf_release(&file);
	buf_release(&want);
}

/* Lengths that are wrong swallow nothing and lose nothing. */
static void test_wrong_lengths(void)
{
	static const unsigned habits[] = {
		SAMPLE_LONG, SAMPLE_SHORT, SAMPLE_LONG | SAMPLE_NO_DIGESTS};
	static const char *const labels[] = {"too large", "too small", "too large, no digest"};

	for (size_t i = 0; i < ARRAY_LEN(habits); i++) {
		struct buf plain, one, each;

		tap_case("length %s", labels[i]);
		buf_init(&plain, SAMPLE_MAX);
		buf_init(&one, SAMPLE_MAX);
		buf_init(&each, SAMPLE_MAX);
		for (unsigned n = 1; n <= COUNT; n++) {
			size_t before = plain.len;

			sample_record(&plain, n, n % 2 ? habits[i] : 0);
			sample_gzip(&each, slice_sub(buf_slice(&plain), before, SIZE_MAX));
		}
		sample_gzip(&one, buf_slice(&plain));
		check_read(buf_slice(&plain), false, "1!23!45!6");
		check_read(buf_slice(&one), false, "1!23!45!6");
		if (habits[i] & SAMPLE_LONG)
			check_read(buf_slice(&each), false, "1!23!45!6");
		else
			CHECK_INT(sample_good(buf_slice(&each)), 0x2a);
		buf_release(&plain);
		buf_release(&one);
		buf_release(&each);
	}
}

/* zstd frames: one is damaged, the others are read. */
static void test_flip_zstd(void)
{
	struct buf file, record;
	size_t from, to;

	buf_init(&file, SAMPLE_MAX);
	buf_init(&record, SAMPLE_MAX);
	sample_record(&record, 1, 0);
	sample_zstd(&file, buf_slice(&record), (slice){0});
	from = file.len;
	buf_reset(&record);
	sample_record(&record, 2, 0);
	sample_zstd(&file, buf_slice(&record), (slice){0});
	to = file.len;
	buf_reset(&record);
	sample_record(&record, 3, 0);
	sample_zstd(&file, buf_slice(&record), (slice){0});
	for (size_t at = from; at < to; at++) {
		file.ptr[at] ^= 0x41;
		CHECK_INT(sample_good(buf_slice(&file)) & 0x5, 0x5);
		file.ptr[at] ^= 0x41;
	}
	buf_release(&file);
	buf_release(&record);
}

/* How many records are read, whole or not. */
static size_t count_records(slice file)
{
	struct buf got;
	size_t count = 0;

	buf_init(&got, SAMPLE_MAX);
	sample_read(file, false, &got);
	for (size_t i = 0; i < got.len; i++)
		count += got.ptr[i] >= '0' && got.ptr[i] <= '9';
	buf_release(&got);
	return count;
}

/*
 * Records that all claim to go on to the end of the file: each is read to there and then searched
 * for others. That is done as long as it costs no more than sixteen times the file and 64 MiB; then
 * one swallows the rest, and reading is over.
 */
static void test_rescan_budget(void)
{
	static const struct {
		size_t count;
		bool all;
	} rows[] = {{100, true}, {5000, false}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf file;
		size_t count;

		buf_init(&file, SAMPLE_MAX);
		for (size_t k = 0; k < rows[i].count; k++)
			(void)buf_add_str(&file,
				"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: "
				"http://example.com/1\r\nContent-Length: 99999999\r\n"
				"\r\nabc\r\n\r\n");
		count = count_records(buf_slice(&file));
		CHECK(count > 0 && (count == rows[i].count) == rows[i].all);
		buf_release(&file);
	}
}

/*
 * Starts of members with names that have no end, each of which has to be read to the end of the
 * file to be found out; behind them a good one. It is found as long as the search costs no more
 * than eight times the file and 64 MiB.
 */
static void test_probe_budget(void)
{
	static const struct {
		size_t count;
		unsigned good;
	} rows[] = {{500, 1}, {200000, 0}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf file, record;

		buf_init(&file, SAMPLE_MAX);
		buf_init(&record, SAMPLE_MAX);
		for (size_t k = 0; k < rows[i].count; k++)
			(void)buf_add(&file, SLICE("\x1f\x8b\x08\x08name"));
		sample_record(&record, 1, 0);
		sample_gzip(&file, buf_slice(&record));
		CHECK_INT(sample_good(buf_slice(&file)), rows[i].good);
		buf_release(&file);
		buf_release(&record);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_flip_gzip);
	TAP_RUN(test_flip_plain);
	TAP_RUN(test_flip_zstd);
	TAP_RUN(test_cut);
	test_hole();
	TAP_RUN(test_junk_gzip);
	TAP_RUN(test_junk_plain);
	test_wrong_lengths();
	TAP_RUN(test_rescan_budget);
	TAP_RUN(test_probe_budget);
	return tap_done();
}
