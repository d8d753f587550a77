/*
 * Throughput of the archive room, each figure beside that of the library that does the real work,
 * on the same bytes in the same run: writing beside zlib and ISA-L, reading beside zlib's
 * inflate, checking beside SHA-256. MB are 10⁶ bytes of records, uncompressed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/rng.h"
#include "bench.h"
#include "warc/cdxj.h"
#include "warc/warc_compress.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"

enum {
	RECORDS = 4000,
	BODY = 20000, /* bytes of a page: about the median of the web's HTML */
	LINES = 400000,
	WINDOW = 64 << 10,
};

static const char *const WORDS[] = {"<p>", "</p>\n", "the ", "archive ", "of ", "a ", "site ",
	"at ", "one ", "instant ", "<a href=\"/page/", "\">", "</a> ", "and ", "what ", "it ",
	"looked ", "like "};

static void must(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "bench_warc: %s\n", err ? err->text : err_name(rc));
	exit(1);
}

static void report(const char *what, double bytes, double seconds, double peer)
{
	double rate = bytes / 1e6 / seconds;

	(void)printf("%-34s %8.1f MB/s", what, rate);
	if (peer > 0)
		(void)printf("  %5.2f of the peer", rate / peer);
	(void)putchar('\n');
}

static double rate_of(double bytes, double seconds)
{
	return bytes / 1e6 / seconds;
}

/* Text that compresses like HTML: words, and numbers between them. */
static void make_body(struct rng *rng, struct buf *out)
{
	buf_reset(out);
	while (out->len < BODY) {
		const char *word = WORDS[rng_below(rng, sizeof WORDS / sizeof WORDS[0])];

		must(buf_add_str(out, word), NULL);
		if (rng_below(rng, 4) == 0)
			must(buf_printf(out, "%llu", (unsigned long long)rng_below(rng, 100000)),
				NULL);
	}
}

/* Writes all records; how long that took, and where they are. */
static double write_file(const char *dir, enum warc_coding coding, struct warc_place *ret_place)
{
	struct warc_writer_params params = {.dir = dir,
		.name = "bench-%n",
		.coding = coding,
		.max_size = UINT64_MAX,
		.seed = 1};
	slice head = SLICE("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
	struct warc_writer *w = NULL;
	struct err err = {0};
	struct rng rng;
	struct buf body;
	double spent = 0;

	rng_init(&rng, 1);
	buf_init(&body, 2 * BODY);
	must(warc_writer_open(&params, &w, &err), &err);
	for (int i = 0; i < RECORDS; i++) {
		struct warc_entry entry = {.type = WARC_TYPE_RESPONSE,
			.url = SLICE("http://example.com/"),
			.date = 1,
			.head = head};
		double start;

		make_body(&rng, &body);
		entry.body = buf_slice(&body);
		start = processor_time();
		must(warc_writer_add(w, &entry, ret_place, &err), &err);
		spent += processor_time() - start;
	}
	must(warc_writer_close(w, &err), &err);
	buf_release(&body);
	return spent;
}

/* The same bodies through the bare libraries. */
static void compress_peers(double *ret_zlib, double *ret_isal)
{
	static unsigned char out[4 * BODY];
	double zlib = 0, isal = 0;
	struct warc_gzip *gzip;
	struct buf body;
	struct rng rng;

	must(warc_gzip_open(WARC_GZIP_LEVEL_MAX, &gzip), NULL);
	rng_init(&rng, 1);
	buf_init(&body, 2 * BODY);
	for (int i = 0; i < RECORDS; i++) {
		uLongf len = sizeof out;
		size_t member;
		double start;

		make_body(&rng, &body);
		start = processor_time();
		must(compress2(out, &len, (const Bytef *)body.ptr, body.len, 6), NULL);
		zlib += processor_time() - start;
		start = processor_time();
		must(warc_gzip_whole(gzip, buf_slice(&body), (char *)out, &member), NULL);
		isal += processor_time() - start;
	}
	buf_release(&body);
	warc_gzip_close(gzip);
	*ret_zlib = zlib;
	*ret_isal = isal;
}

static double read_file(const char *path, unsigned flags, double *ret_bytes)
{
	const struct warc_record *rec;
	struct warc_reader *r = NULL;
	struct err err = {0};
	double start = processor_time();
	slice piece;
	int rc;

	*ret_bytes = 0;
	must(warc_reader_open(path, flags, &r, &err), &err);
	while ((rc = warc_reader_next(r, &rec, &err)) == 0) {
		while (warc_reader_block(r, &piece, &err) == 0)
			*ret_bytes += (double)piece.len;
		must(warc_reader_end(r, &err), &err);
		must(rec->problem.code, &rec->problem);
	}
	must(rc == ERR_END ? 0 : rc, &err);
	warc_reader_close(r);
	return processor_time() - start;
}

/* Through zlib alone, member by member, with a window of the same size. */
static double inflate_file(const char *path)
{
	static unsigned char in[WINDOW], out[WINDOW];
	int fd = open(path, O_RDONLY);
	double start = processor_time();
	z_stream z = {0};
	ssize_t n;

	must(inflateInit2(&z, 15 + 16), NULL);
	while ((n = read(fd, in, sizeof in)) > 0) {
		z.next_in = in;
		z.avail_in = (uInt)n;
		while (z.avail_in > 0) {
			z.next_out = out;
			z.avail_out = sizeof out;
			if (inflate(&z, Z_NO_FLUSH) == Z_STREAM_END)
				(void)inflateReset(&z);
		}
	}
	(void)inflateEnd(&z);
	(void)close(fd);
	return processor_time() - start;
}

/* SHA-256 over the file's bytes. */
static double digest_file(const char *path)
{
	static char in[WINDOW];
	int fd = open(path, O_RDONLY);
	struct digester d = {0};
	struct digest value;
	double start = processor_time();
	ssize_t n;

	must(digester_start(&d, DIGEST_SHA256), NULL);
	while ((n = read(fd, in, sizeof in)) > 0)
		digester_feed(&d, (slice){in, (size_t)n});
	digester_finish(&d, &value);
	digester_release(&d);
	(void)close(fd);
	return processor_time() - start;
}

static void bench_coding(const char *dir, enum warc_coding coding, double peer)
{
	static const char *const names[] = {"plain", "gzip", "zstd"};
	struct warc_place place;
	char path[4096], what[80];
	double bytes, written = write_file(dir, coding, &place), checked, unchecked;

	(void)snprintf(path, sizeof path, "%s/%s", dir, place.file);
	checked = read_file(path, 0, &bytes);
	unchecked = read_file(path, WARC_READER_UNCHECKED, &bytes);
	if (coding == WARC_CODING_GZIP)
		report("zlib inflate alone", bytes, inflate_file(path), 0);
	if (coding == WARC_CODING_PLAIN)
		report("SHA-256 alone", bytes, digest_file(path), 0);
	(void)snprintf(what, sizeof what, "write, %s, with digests", names[coding]);
	report(what, bytes, written, peer);
	(void)snprintf(what, sizeof what, "read, %s", names[coding]);
	report(what, bytes, unchecked,
		coding == WARC_CODING_GZIP ? rate_of(bytes, inflate_file(path)) : 0);
	(void)snprintf(what, sizeof what, "read, %s, digests checked", names[coding]);
	report(what, bytes, checked,
		coding == WARC_CODING_GZIP ? rate_of(bytes, inflate_file(path)) : 0);
	(void)unlink(path);
}

static int count_line(void *context, slice line, struct err *err)
{
	(void)line;
	(void)err;
	++*(uint64_t *)context;
	return 0;
}

static void bench_sort(const char *dir)
{
	struct cdxj_sort *s = cdxj_sort_open(dir, 8 << 20, 0);
	struct err err = {0};
	struct rng rng;
	uint64_t count = 0;
	double start;
	char line[256];

	rng_init(&rng, 2);
	start = processor_time();
	for (int i = 0; i < LINES; i++) {
		int len = snprintf(line, sizeof line,
			"com,example)/page/%llu 20160111232425 {\"url\":\"http://example.com/\","
			"\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"%d\"}",
			(unsigned long long)rng_u64(&rng), i);

		must(cdxj_sort_add(s, (slice){line, (size_t)len}, &err), &err);
	}
	must(cdxj_sort_finish(s, count_line, &count, &err), &err);
	(void)printf("%-34s %8.0f lines/s (memory 8 MiB)\n", "sort, external",
		(double)count / (processor_time() - start));
	cdxj_sort_close(s);
}

enum { INDEX_LINES = 200000, LOOKUPS = 20000 };

static struct cdxj index_line(char key[64], unsigned number)
{
	(void)snprintf(key, 64, "com,example)/page/%08u", number);
	return (struct cdxj){
		.key = slice_str(key),
		.timestamp = "20160111232425",
		.url = SLICE("http://example.com/page/12345678"),
		.mime = SLICE("text/html"),
		.digest = SLICE("sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"),
		.filename = SLICE("stillpoint-20160111232425-00001.warc.gz"),
		.status = 200,
		.offset = number,
		.length = 1234,
		.has_place = true,
	};
}

/* Writes a sorted index, reads its lines, and looks keys up in it. */
static void bench_index(const char *dir)
{
	struct buf text, scratch;
	struct lines lines;
	struct cdxj line;
	struct err err = {0};
	struct rng rng;
	char path[4096], key[64];
	double start = processor_time();
	slice bytes;
	int fd;

	buf_init(&text, (size_t)1 << 30);
	buf_init(&scratch, CDXJ_LINE_MAX);
	for (unsigned i = 0; i < INDEX_LINES; i++) {
		line = index_line(key, i);
		must(cdxj_write(&text, &line), NULL);
	}
	(void)printf(
		"%-34s %8.0f lines/s\n", "CDXJ, write", INDEX_LINES / (processor_time() - start));
	(void)snprintf(path, sizeof path, "%s/index.cdxj", dir);
	fd = open(path, O_RDWR | O_CREAT, 0666);
	must(fd < 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len ? ERR_IO : 0, NULL);
	(void)unlink(path);
	lines_init(&lines, fd, 0);
	start = processor_time();
	while (lines_next(&lines, &bytes, &err) == 0)
		must(cdxj_parse(bytes, &scratch, &line), NULL);
	(void)printf(
		"%-34s %8.0f lines/s\n", "CDXJ, read", INDEX_LINES / (processor_time() - start));
	rng_init(&rng, 3);
	start = processor_time();
	for (int i = 0; i < LOOKUPS; i++) {
		line = index_line(key, (unsigned)rng_below(&rng, INDEX_LINES));
		must(cdxj_find(&lines, line.key, &err), &err);
		must(lines_next(&lines, &bytes, &err), &err);
		must(cdxj_has_key(bytes, line.key) ? 0 : ERR_NOTFOUND, NULL);
	}
	(void)printf("%-34s %8.0f keys/s (of %.0f MB)\n", "CDXJ, look up",
		LOOKUPS / (processor_time() - start), (double)text.len / 1e6);
	lines_release(&lines);
	buf_release(&text);
	buf_release(&scratch);
	(void)close(fd);
}

int main(void)
{
	char dir[] = "/tmp/bench_warc.XXXXXX";
	double zlib, isal, bytes = (double)RECORDS * BODY;

	if (!mkdtemp(dir))
		return 1;
	compress_peers(&zlib, &isal);
	report("zlib deflate alone, level 6", bytes, zlib, 0);
	report("ISA-L alone, level 3", bytes, isal, 0);
	bench_coding(dir, WARC_CODING_GZIP, rate_of(bytes, isal));
	bench_coding(dir, WARC_CODING_ZSTD, 0);
	bench_coding(dir, WARC_CODING_PLAIN, 0);
	bench_sort(dir);
	bench_index(dir);
	return rmdir(dir) != 0;
}
