/*
 * Damaged catalogs. Bytes are flipped, blocks overwritten, exchanged and cut off at random places:
 * every call succeeds or fails with a sentence, and none crashes or runs for ever. A second table
 * of cases is made by hand: what random damage does not find.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/rng.h"
#include "catalog/catalog_db.h"
#include "catalog_sample.h"
#include "tap.h"

enum {
	PAGES = 60,
	ROUNDS = 800,
	FILE_MAX = 1 << 22,
	BLOCK = 4096,
};

static void read_whole(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	char chunk[BLOCK];
	size_t n;

	buf_init(out, FILE_MAX);
	while (f && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
		CHECK_INT(buf_add(out, (slice){chunk, n}), 0);
	CHECK(f && fclose(f) == 0 && out->len > 10 * BLOCK);
}

/* Replaces the file; what SQLite has left beside it belonged to the one before. */
static void write_whole(const char *path, slice bytes)
{
	char beside[SAMPLE_PATH_SIZE + 8];
	FILE *f = fopen(path, "wb");

	(void)snprintf(beside, sizeof beside, "%s-wal", path);
	(void)unlink(beside);
	(void)snprintf(beside, sizeof beside, "%s-shm", path);
	(void)unlink(beside);
	CHECK(f && fwrite(bytes.ptr, 1, bytes.len, f) == bytes.len);
	CHECK(f && fclose(f) == 0);
}

static void flip_bit(char *byte, uint64_t bit)
{
	*byte = (char)((unsigned char)*byte ^ 1U << bit);
}

static void flip_bytes(struct rng *rng, char *bytes, size_t len)
{
	for (uint64_t n = 1 + rng_below(rng, 8); n > 0; n--)
		flip_bit(&bytes[rng_below(rng, len)], rng_below(rng, 8));
}

/* The head of a block says where its rows are: the most fragile bytes there are. */
static void flip_heads(struct rng *rng, char *bytes, size_t len)
{
	for (uint64_t n = 1 + rng_below(rng, 4); n > 0; n--) {
		size_t block = rng_below(rng, len / BLOCK);

		bytes[block * BLOCK + rng_below(rng, 64)] = (char)rng_below(rng, 256);
	}
}

static void exchange_blocks(struct rng *rng, char *bytes, size_t len)
{
	size_t a = 1 + rng_below(rng, len / BLOCK - 1), b = 1 + rng_below(rng, len / BLOCK - 1);

	memcpy(bytes + a * BLOCK, bytes + b * BLOCK, BLOCK);
}

static void scramble_block(struct rng *rng, char *bytes, size_t len)
{
	size_t block = rng_below(rng, len / BLOCK);

	for (size_t i = block == 0 ? 100 : 0; i < BLOCK; i++)
		bytes[block * BLOCK + i] = (char)rng_below(rng, 256);
}

/* Opens and reads what there is; whether all of it could be read. */
static bool read_damaged(const char *path, enum catalog_mode mode)
{
	struct catalog *c = NULL;
	struct err err = {0};
	struct arena arena;
	struct catalog_capture capture;
	int rc = catalog_open(path, mode, &c, &err);

	arena_init(&arena, 32 << 20);
	CHECK(rc == 0 || rc == ERR_IO || rc == ERR_UNSUPPORTED);
	if (rc == 0) {
		rc = sample_read_all(c, &err);
		CHECK(rc == 0 || rc == ERR_IO);
		if (rc == 0)
			rc = catalog_get_capture(c, 0, &arena, &capture, &err);
	}
	CHECK(rc == 0 || (err.text[0] != '\0' && !strchr(err.text, '\n')));
	catalog_close(c);
	arena_release(&arena);
	return rc == 0;
}

static void test_random_damage(void)
{
	static void (*const harm[])(struct rng *, char *, size_t) = {
		flip_bytes, flip_heads, exchange_blocks, scramble_block};
	char path[SAMPLE_PATH_SIZE];
	struct buf whole;
	struct rng rng;
	uint32_t capture = 0;
	unsigned readable = 0;

	catalog_close(sample_fill(sample_path(path), PAGES, &capture));
	read_whole(path, &whole);
	rng_init(&rng, 20260101);
	for (int i = 0; i < ROUNDS; i++) {
		char *copy = malloc(whole.len + 1);

		memcpy(copy, buf_str(&whole), whole.len);
		harm[i % ARRAY_LEN(harm)](&rng, copy, whole.len);
		write_whole(path, (slice){copy, whole.len});
		readable += read_damaged(path, i % 32 ? CATALOG_READ : CATALOG_WRITE);
		free(copy);
	}
	tap_note("%u of %d damaged catalogs could still be read", readable, ROUNDS);
	CHECK(readable > 0 && readable < ROUNDS);
	buf_release(&whole);
}

static void test_cut_off(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct buf whole;
	uint32_t capture = 0;

	catalog_close(sample_fill(sample_path(path), PAGES, &capture));
	read_whole(path, &whole);
	for (size_t len = 1; len < whole.len; len += len < 200 ? 33 : 1777) {
		write_whole(path, slice_sub(buf_slice(&whole), 0, len));
		CHECK(!read_damaged(path, CATALOG_READ));
	}
	buf_release(&whole);
}

/* Runs SQL that no writer of ours would. */
static void run_sql(const char *path, const char *sql)
{
	sqlite3 *db = NULL;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
	if (!CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK))
		tap_note("%s", sqlite3_errmsg(db));
	(void)sqlite3_close(db);
}

static void test_impossible_values(void)
{
	static const struct {
		const char *label, *sql;
	} rows[] = {
		{"page missing", "DELETE FROM page WHERE id = 4294967296 + 7"},
		{"event missing", "DELETE FROM event WHERE id = 4294967296 + 7"},
		{"word missing", "DELETE FROM word WHERE id = 2"},
		{"last word missing", "DELETE FROM word WHERE id = (SELECT max(id) FROM word)"},
		{"word too long", "UPDATE word SET text = hex(zeroblob(200)) WHERE id = 2"},
		{"word number negative", "UPDATE page SET kind = -1"},
		{"state of a capture", "UPDATE capture SET state = 3"},
		{"time of a capture", "UPDATE capture SET finished = -9223372036854775807 - 1"},
		{"time of a still point", "UPDATE capture SET still_to = 9223372036854775807"},
		{"flag", "UPDATE page SET taken = 2 WHERE id = 4294967296 + 7"},
		{"referrer", "UPDATE page SET via = 4294967295 WHERE id = 4294967296 + 7"},
		{"depth", "UPDATE page SET depth = -1 WHERE id = 4294967296 + 7"},
		{"leg", "UPDATE observation SET leg = 16 WHERE page = 7 AND leg = 1"},
		{"attempt", "UPDATE observation SET attempt = 1 << 26 WHERE page = 7 AND leg = 1"},
		{"age", "UPDATE observation SET age = -1 WHERE page = 7"},
		{"requisite",
			"UPDATE requisite SET requisite = -1 WHERE page = 7 AND requisite = 7"},
		{"page of a requisite", "UPDATE requisite SET page = 1 << 32 WHERE page = 7"},
		{"digest", "UPDATE observation SET state = x'00' WHERE page = 7"},
		{"record id", "UPDATE observation SET record_id = x'00' WHERE page = 7"},
		{"length", "UPDATE observation SET length = -1 WHERE page = 7"},
		{"page of an observation", "UPDATE observation SET page = -1 WHERE page = 7"},
		{"kind of an event", "UPDATE event SET kind = 11"},
		{"attempt of an event", "UPDATE event SET attempt = 256"},
		{"position", "UPDATE plan SET visit = -5"},
		{"policy", "UPDATE robots SET policy = 256"},
		{"size of a file", "UPDATE warc SET size = -1"},
	};

	char path[SAMPLE_PATH_SIZE];
	struct buf whole;
	uint32_t capture = 0;

	catalog_close(sample_fill(sample_path(path), PAGES, &capture));
	read_whole(path, &whole);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("damaged: %s", rows[i].label);
		write_whole(path, buf_slice(&whole));
		CHECK(read_damaged(path, CATALOG_READ));
		run_sql(path, rows[i].sql);
		CHECK(!read_damaged(path, CATALOG_READ));
	}
	buf_release(&whole);
}

/*
 * A tree whose children are all the same subtree, and so on down, has more leaves than can ever be
 * read. SQLite notices only a depth of more than 20.
 */
static void test_tree_with_loops(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct buf whole;
	uint32_t capture = 0;
	unsigned changed = 0;

	catalog_close(sample_fill(sample_path(path), 3000, &capture));
	read_whole(path, &whole);
	for (size_t at = BLOCK; at + BLOCK <= whole.len; at += BLOCK) {
		unsigned char *b = (unsigned char *)whole.ptr + at;
		unsigned cells = (unsigned)b[3] << 8 | b[4];

		/* Interior nodes of tables and of indexes: their first child is made the only. */
		if ((b[0] != 0x05 && b[0] != 0x02) || cells < 2)
			continue;
		for (unsigned i = 1; i < cells; i++) {
			size_t first = (size_t)b[12] << 8 | b[13];
			size_t cell = (size_t)b[12 + 2 * i] << 8 | b[13 + 2 * i];

			memcpy(b + cell, b + first, 4);
		}
		memcpy(b + 8, b + ((size_t)b[12] << 8 | b[13]), 4);
		changed++;
	}
	CHECK(changed >= 3);
	write_whole(path, buf_slice(&whole));
	CHECK(!read_damaged(path, CATALOG_READ));
	buf_release(&whole);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_random_damage);
	TAP_RUN(test_cut_off);
	TAP_RUN(test_tree_with_loops);
	test_impossible_values();
	return tap_done();
}
