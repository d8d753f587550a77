/* Sorting, merging, looking up and blocks of indexes: each against a plain sort in memory. */
#include "warc/cdxj.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define ZLIB_CONST /* next_in is */
#include <zlib.h>

#include "base/err.h"
#include "base/rng.h"
#include "tap.h"
#include "warc/zipnum.h"

enum { MAX = 64 << 20, KEYS = 500 };

static const char SAMPLE[] = "com,example)/%05llu 2016011123%04llu "
			     "{\"url\":\"http://example.com/%05llu\",\"mime\":\"%s\"}";

/* Lines with keys that repeat, and now and then whole lines that do. */
static void make_line(struct rng *rng, char out[256])
{
	unsigned long long key = rng_below(rng, KEYS);

	(void)snprintf(out, 256, SAMPLE, key, (unsigned long long)rng_below(rng, 3), key,
		rng_below(rng, 2) ? "text/html" : "image/png");
}

static int add_to_buf(void *context, slice line, struct err *err)
{
	(void)err;
	CHECK_INT(buf_add(context, line), 0);
	return buf_add_char(context, '\n');
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines, sorted, without repetitions if unique. */
static void sort_plainly(const char *text, bool unique, struct buf *out)
{
	char *copy = strdup(text), *save = NULL, **lines = calloc(strlen(text) + 1, sizeof *lines);
	size_t count = 0;

	for (char *p = strtok_r(copy, "\n", &save); p; p = strtok_r(NULL, "\n", &save))
		lines[count++] = p;
	qsort(lines, count, sizeof *lines, compare_lines);
	for (size_t i = 0; i < count; i++)
		if (!unique || i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
			(void)buf_printf(out, "%s\n", lines[i]);
	free(lines);
	free(copy);
}

/* Sizes: none, one run, many runs, more runs than are merged at once. */
static void test_sort(void)
{
	static const struct {
		const char *label;
		int count;
		unsigned flags;
	} rows[] = {
		{"nothing", 0, 0},
		{"one line", 1, 0},
		{"in memory", 300, 0},
		{"in memory, unique", 3000, CDXJ_UNIQUE},
		{"some runs", 3000, 0},
		{"many runs", 60000, 0},
		{"many runs, unique", 60000, CDXJ_UNIQUE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct cdxj_sort *s = cdxj_sort_open(tap_tempdir(), 1, rows[i].flags);
		struct buf in, want, got;
		struct err err = {0};
		struct rng rng;
		char line[256];

		tap_case("sort: %s", rows[i].label);
		rng_init(&rng, i);
		buf_init(&in, MAX);
		buf_init(&want, MAX);
		buf_init(&got, MAX);
		for (int n = 0; n < rows[i].count; n++) {
			make_line(&rng, line);
			(void)buf_printf(&in, "%s\n", line);
			CHECK_INT(cdxj_sort_add(s, slice_str(line), &err), 0);
		}
		CHECK_INT(cdxj_sort_finish(s, add_to_buf, &got, &err), 0);
		sort_plainly(buf_str(&in), rows[i].flags & CDXJ_UNIQUE, &want);
		CHECK(strcmp(buf_str(&got), buf_str(&want)) == 0);
		cdxj_sort_close(s);
		buf_release(&in);
		buf_release(&want);
		buf_release(&got);
	}
}

/* A file in the temporary directory with this content, open for reading. */
static int make_file(const char *name, slice content)
{
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof path, "%s/%s", tap_tempdir(), name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK_INT(pwrite(fd, content.ptr, content.len, 0), (int64_t)content.len);
	return fd;
}

static void test_merge(void)
{
	static const char *const files[] = {
		"a 1\nc 1\nc 1\ne 1\n", "", "b 1\r\nc 1\n\nf 1", "a 1\n"};
	static const struct {
		unsigned flags;
		const char *want;
	} rows[] = {
		{0, "a 1\na 1\nb 1\nc 1\nc 1\nc 1\ne 1\nf 1\n"},
		{CDXJ_UNIQUE, "a 1\nb 1\nc 1\ne 1\nf 1\n"},
	};

	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		struct lines inputs[ARRAY_LEN(files)];
		struct err err = {0};
		struct buf got;

		for (size_t i = 0; i < ARRAY_LEN(files); i++)
			lines_init(&inputs[i], make_file("merge", slice_str(files[i])), 0);
		buf_init(&got, MAX);
		CHECK_INT(
			cdxj_merge(inputs, ARRAY_LEN(files), rows[k].flags, add_to_buf, &got, &err),
			0);
		CHECK_STR(buf_str(&got), rows[k].want);
		for (size_t i = 0; i < ARRAY_LEN(files); i++) {
			(void)close(inputs[i].fd);
			lines_release(&inputs[i]);
		}
		buf_release(&got);
	}
	CHECK_INT(cdxj_merge(NULL, CDXJ_MERGE_MAX + 1, 0, add_to_buf, NULL, NULL), ERR_LIMIT);
}

/* A sorted index of all the keys that make_line makes, but for the odd ones. */
static void make_index(struct buf *out, int per_key)
{
	for (unsigned long long key = 2; key < KEYS; key += 2)
		for (int i = 0; i < per_key; i++)
			(void)buf_printf(out, SAMPLE, key, 1000ULL + (unsigned)i, key, "x"),
				(void)buf_add_char(out, '\n');
}

/* The first line of a text, without its end. */
static slice first_line(slice text)
{
	const char *lf = text.len ? memchr(text.ptr, '\n', text.len) : NULL;

	return slice_sub(text, 0, lf ? (size_t)(lf - text.ptr) : text.len);
}

static slice drop_line(slice text)
{
	return slice_sub(text, first_line(text).len + 1, text.len);
}

/* The lines of the index from this text on, found by looking at each. */
static slice find_plainly(slice index, const char *from)
{
	while (index.len > 0 && cdxj_compare(first_line(index), slice_str(from)) < 0)
		index = drop_line(index);
	return index;
}

static void search_key(unsigned key, char out[64])
{
	(void)snprintf(out, 64, "com,example)/%05u ", key);
}

static void test_find(void)
{
	for (int per_key = 1; per_key < 40; per_key += 19) {
		struct lines lines;
		struct buf index;
		char from[64];

		tap_case("find: %d lines of a key", per_key);
		buf_init(&index, MAX);
		make_index(&index, per_key);
		lines_init(&lines, make_file("find", buf_slice(&index)), 0);
		for (unsigned key = 0; key < KEYS + 2; key++) {
			slice want;
			struct err err = {0};
			slice line;
			int rc;

			search_key(key, from);
			want = find_plainly(buf_slice(&index), from);
			CHECK_INT(cdxj_find(&lines, slice_str(from), &err), 0);
			rc = lines_next(&lines, &line, &err);
			CHECK_INT(rc, want.len > 0 ? 0 : ERR_END);
			if (rc == 0)
				CHECK_SLICE(line, first_line(want));
		}
		(void)close(lines.fd);
		lines_release(&lines);
		buf_release(&index);
	}
}

static void test_find_in_little(void)
{
	static const struct {
		const char *file;
		const char *from;
		const char *want; /* NULL for none */
	} rows[] = {
		{"", "a", NULL},
		{"a 1", "a", "a 1"},
		{"a 1", "b", NULL},
		{"a 1\nb 1", "b", "b 1"},
		{"a 1\nb 1\n", "", "a 1"},
		{"\n\nb 1\n", "a", "b 1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct lines lines;
		struct err err = {0};
		slice line;

		lines_init(&lines, make_file("little", slice_str(rows[i].file)), 0);
		CHECK_INT(cdxj_find(&lines, slice_str(rows[i].from), &err), 0);
		CHECK_INT(lines_next(&lines, &line, &err), rows[i].want ? 0 : ERR_END);
		if (rows[i].want)
			CHECK_SLICE(line, slice_str(rows[i].want));
		(void)close(lines.fd);
		lines_release(&lines);
	}
	CHECK(cdxj_has_key(SLICE("a 1"), SLICE("a")) && !cdxj_has_key(SLICE("ab 1"), SLICE("a")));
}

static void test_line_limit(void)
{
	for (size_t extra = 0; extra < 2; extra++) {
		struct lines lines;
		struct err err = {0};
		struct buf file;
		slice line;

		buf_init(&file, MAX);
		while (file.len < LINES_LINE_MAX - 1 + extra)
			(void)buf_add_char(&file, 'x');
		(void)buf_add_char(&file, '\n');
		lines_init(&lines, make_file("long", buf_slice(&file)), 0);
		CHECK_INT(lines_next(&lines, &line, &err), extra ? ERR_LIMIT : 0);
		(void)close(lines.fd);
		lines_release(&lines);
		buf_release(&file);
	}
}

/* The index in blocks; both files are open. */
static void make_zipnum(slice index, unsigned lines, FILE **ret_data, FILE **ret_index)
{
	struct zipnum_writer *w = NULL;
	struct err err = {0};

	*ret_data = tmpfile();
	*ret_index = tmpfile();
	CHECK_INT(zipnum_writer_open(*ret_data, *ret_index, "index.cdx.gz", lines, &w, &err), 0);
	for (; index.len > 0; index = drop_line(index))
		CHECK_INT(zipnum_writer_add(w, first_line(index), &err), 0);
	CHECK_INT(zipnum_writer_close(w, &err), 0);
	(void)fflush(*ret_data);
	(void)fflush(*ret_index);
}

static void test_zipnum(void)
{
	static const unsigned sizes[] = {1, 7, 0};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		FILE *data, *blocks;
		struct buf index;
		char from[64];

		tap_case("zipnum: blocks of %u", sizes[i]);
		buf_init(&index, MAX);
		make_index(&index, 20);
		make_zipnum(buf_slice(&index), sizes[i], &data, &blocks);
		for (unsigned key = 0; key < KEYS + 2; key += 13) {
			struct zipnum_reader *r = NULL;
			slice want;
			struct err err = {0};
			slice line;
			int rc;

			search_key(key, from);
			want = find_plainly(buf_slice(&index), from);
			CHECK_INT(zipnum_reader_open(
					  fileno(data), fileno(blocks), slice_str(from), &r, &err),
				0);
			while ((rc = zipnum_reader_next(r, &line, &err)) == 0 &&
				CHECK_SLICE(line, first_line(want)))
				want = drop_line(want);
			CHECK_INT(rc, ERR_END);
			CHECK_INT(want.len, 0);
			zipnum_reader_close(r);
		}
		(void)fclose(data);
		(void)fclose(blocks);
		buf_release(&index);
	}
}

/* What the index of blocks looks like, and pywb's older form of it, which is read too. */
static void test_zipnum_index(void)
{
	static const char lines[] = "a 1 {}\nb 2 {}\nc 3 {}\n";
	struct zipnum_reader *r = NULL;
	char text[1024] = "", tabs[128];
	unsigned long long first, second;
	struct err err = {0};
	FILE *data, *blocks;
	slice line;
	int old;

	make_zipnum(SLICE(lines), 2, &data, &blocks);
	CHECK(pread(fileno(blocks), text, sizeof text - 1, 0) > 0);
	CHECK(strncmp(text,
		      "!meta 0 {\"format\":\"cdxj-gzip-1.0\",\"filename\":\"index.cdx.gz\"}\n"
		      "a 1 {\"offset\":0,\"length\":",
		      83) == 0);
	CHECK(strstr(text, ",\"filename\":\"index.cdx.gz\"}\nc 3 {\"offset\":") != NULL);
	first = strtoull(strstr(text, "\"length\":") + 9, NULL, 10);
	second = strtoull(strstr(strstr(text, "c 3"), "\"length\":") + 9, NULL, 10);
	(void)snprintf(tabs, sizeof tabs, "a 1\tpart\t0\t%llu\t1\nc 3\tpart\t%llu\t%llu\t2\n",
		first, first, second);
	old = make_file("old", slice_str(tabs));
	CHECK_INT(zipnum_reader_open(fileno(data), old, SLICE("b"), &r, &err), 0);
	CHECK_INT(zipnum_reader_next(r, &line, &err), 0);
	CHECK_SLICE(line, SLICE("b 2 {}"));
	CHECK_INT(zipnum_reader_next(r, &line, &err), 0);
	CHECK_SLICE(line, SLICE("c 3 {}"));
	CHECK_INT(zipnum_reader_next(r, &line, &err), ERR_END);
	zipnum_reader_close(r);
	(void)close(old);
	(void)fclose(data);
	(void)fclose(blocks);
}

/* Appends the text as a gzip member. */
static void gzip_block(struct buf *out, slice text)
{
	z_stream z = {.next_in = (const Bytef *)text.ptr, .avail_in = (uInt)text.len};
	unsigned char *bytes;

	if (!CHECK_INT(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK))
		return;
	z.avail_out = (uInt)deflateBound(&z, text.len);
	z.next_out = bytes = malloc(z.avail_out);
	if (CHECK(bytes != NULL) && CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END))
		(void)buf_add(out, (slice){(const char *)bytes, z.total_out});
	free(bytes);
	(void)deflateEnd(&z);
}

static void test_zipnum_damage(void)
{
	static const struct {
		const char *label;
		const char *index;
		int want;
	} rows[] = {
		{"no place", "a 1 {}\n", ERR_SYNTAX},
		{"no fields", "a 1 x\n", ERR_SYNTAX},
		{"tabs, too few", "a 1\tpart\t0\n", ERR_SYNTAX},
		{"behind the end", "a 1 {\"offset\":9999,\"length\":10}\n", ERR_SYNTAX},
		{"in the middle", "a 1 {\"offset\":3,\"length\":10}\n", ERR_SYNTAX},
		{"behind any end", "a 1 {\"offset\":9223372036854775808,\"length\":1}\n",
			ERR_SYNTAX},
		{"cut off", "a 1 {\"offset\":0,\"length\":10}\n", ERR_SYNTAX},
		{"nothing", "", ERR_END},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct zipnum_reader *r = NULL;
		struct err err = {0};
		FILE *data, *blocks;
		slice line;
		int index;

		tap_case("zipnum damage: %s", rows[i].label);
		make_zipnum(SLICE("a 1 {}\nb 2 {}\n"), 0, &data, &blocks);
		index = make_file("bad", slice_str(rows[i].index));
		CHECK_INT(zipnum_reader_open(fileno(data), index, SLICE(""), &r, &err), 0);
		CHECK_INT(zipnum_reader_next(r, &line, &err), rows[i].want);
		zipnum_reader_close(r);
		(void)close(index);
		(void)fclose(data);
		(void)fclose(blocks);
	}
}

/* A block that is read may have so many bytes and no more. */
static void test_zipnum_block_limit(void)
{
	static char text[ZIPNUM_BLOCK_MAX + 1];

	memset(text, 'x', sizeof text);
	for (size_t extra = 0; extra < 2; extra++) {
		struct zipnum_reader *r = NULL;
		struct err err = {0};
		struct buf block;
		char index[64];
		int fds[2];
		slice line;

		buf_init(&block, MAX);
		gzip_block(&block, (slice){text, ZIPNUM_BLOCK_MAX + extra});
		(void)snprintf(index, sizeof index, "a 1\tp\t0\t%zu\t1\n", block.len);
		fds[0] = make_file("blocks", buf_slice(&block));
		fds[1] = make_file("index", slice_str(index));
		CHECK_INT(zipnum_reader_open(fds[0], fds[1], SLICE(""), &r, &err), 0);
		CHECK_INT(zipnum_reader_next(r, &line, &err), extra ? ERR_LIMIT : 0);
		if (!extra)
			CHECK_INT((int64_t)line.len, ZIPNUM_BLOCK_MAX);
		zipnum_reader_close(r);
		(void)close(fds[0]);
		(void)close(fds[1]);
		buf_release(&block);
	}
}

/* How many blocks the writer makes of lines that have so many bytes with their ends. */
static int count_blocks(size_t full_lines, size_t last_line)
{
	static char text[CDXJ_LINE_MAX];
	struct zipnum_writer *w = NULL;
	FILE *data = tmpfile(), *index = tmpfile();
	struct lines lines;
	struct err err = {0};
	slice line;
	int count = -1; /* the line of the format does not count */

	memset(text, 'x', sizeof text);
	CHECK_INT(zipnum_writer_open(data, index, "i", 0, &w, &err), 0);
	for (size_t i = 0; i < full_lines; i++)
		CHECK_INT(zipnum_writer_add(w, (slice){text, sizeof text - 1}, &err), 0);
	CHECK_INT(zipnum_writer_add(w, (slice){text, last_line - 1}, &err), 0);
	CHECK_INT(zipnum_writer_close(w, &err), 0);
	(void)fflush(index);
	lines_init(&lines, fileno(index), 0);
	while (lines_next(&lines, &line, &err) == 0)
		count++;
	lines_release(&lines);
	(void)fclose(data);
	(void)fclose(index);
	return count;
}

/* A block that is written ends before it would have more bytes than these. */
static void test_zipnum_text_limit(void)
{
	enum { FULL = ZIPNUM_TEXT_MAX / CDXJ_LINE_MAX };

	CHECK_INT(count_blocks(FULL - 1, CDXJ_LINE_MAX), 1);
	CHECK_INT(count_blocks(FULL - 1, CDXJ_LINE_MAX + 1), 2);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_sort();
	TAP_RUN(test_merge);
	test_find();
	TAP_RUN(test_find_in_little);
	TAP_RUN(test_line_limit);
	test_zipnum();
	TAP_RUN(test_zipnum_index);
	test_zipnum_damage();
	TAP_RUN(test_zipnum_block_limit);
	TAP_RUN(test_zipnum_text_limit);
	return tap_done();
}
