/*
 * bench_lookup [LINES]: what a look-up costs in a large index, plain and as ZipNum, in processor
 * time, and the memory of the process (docs/replay-server.md). The index is made on the fly, in
 * files without a name in TMPDIR; 10^7 lines take 1.3 GB.
 */
#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/parse.h"
#include "base/rng.h"
#include "bench.h"
#include "warc/cdxj.h"
#include "warc/zipnum.h"

enum { DEFAULT_LINES = 10000000, PLAIN_LOOKUPS = 20000, ZIPNUM_LOOKUPS = 500, LINE_SIZE = 256 };

static void check(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "bench_lookup: %s\n", err->text);
	exit(1);
}

static size_t make_key(uint64_t i, char out[LINE_SIZE])
{
	return (size_t)snprintf(out, LINE_SIZE, "org,example%09" PRIu64 ")/a ", i);
}

static slice make_line(uint64_t i, char out[LINE_SIZE])
{
	size_t len = make_key(i, out);

	len += (size_t)snprintf(out + len, LINE_SIZE - len,
		"20200101120000 {\"url\":\"http://example%09" PRIu64
		".org/a\",\"status\":\"200\",\"length\":\"%" PRIu64 "\",\"offset\":\"%" PRIu64
		"\",\"filename\":\"a.warc.gz\"}",
		i, 1000 + i % 1000, i * 1000);
	return (slice){out, len};
}

static FILE *make_file(const char *dir)
{
	int fd = tempfile_open(dir);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w+b");

	check(f ? 0 : ERR_IO, &(struct err){ERR_IO, "no temporary file"});
	return f;
}

static void look_up(const struct cdxj_source *source, uint64_t lines, unsigned count, double *ret)
{
	struct rng rng;
	double start;

	rng_init(&rng, 1);
	start = processor_time();
	for (unsigned i = 0; i < count; i++) {
		struct cdxj_scan *scan = NULL;
		struct err err = {0};
		char key[LINE_SIZE];
		size_t len = make_key(rng_below(&rng, lines), key);
		slice line;

		check(cdxj_scan_open(source, 1, (slice){key, len}, &scan, &err), &err);
		check(cdxj_scan_next(scan, &line, &err), &err);
		if (!slice_starts_with(line, (slice){key, len}))
			check(ERR_NOTFOUND, &(struct err){ERR_NOTFOUND, "a line was not found"});
		cdxj_scan_close(scan);
	}
	*ret = (processor_time() - start) / count * 1e6;
}

int main(int argc, char **argv)
{
	const char *dir = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	FILE *plain = make_file(dir), *data = make_file(dir), *index = make_file(dir);
	uint64_t lines = DEFAULT_LINES;
	struct zipnum_writer *z = NULL;
	struct err err = {0};
	struct rusage usage;
	double plain_us, zipnum_us;
	struct cdxj_source source;

	if (argc > 1 && parse_u64(slice_str(argv[1]), &lines))
		return 2;
	check(zipnum_writer_open(data, index, "index.cdx.gz", 0, &z, &err), &err);
	for (uint64_t i = 0; i < lines; i++) {
		char text[LINE_SIZE];
		slice line = make_line(i, text);

		check(cdxj_put_line(plain, line, &err), &err);
		check(zipnum_writer_add(z, line, &err), &err);
	}
	check(zipnum_writer_close(z, &err), &err);
	(void)fflush(plain);
	(void)fflush(data);
	(void)fflush(index);
	source = (struct cdxj_source){.kind = CDXJ_PLAIN, .data = file_part_whole(fileno(plain))};
	look_up(&source, lines, PLAIN_LOOKUPS, &plain_us);
	source = (struct cdxj_source){.kind = CDXJ_ZIPNUM,
		.data = file_part_whole(fileno(data)),
		.blocks = file_part_whole(fileno(index))};
	look_up(&source, lines, ZIPNUM_LOOKUPS, &zipnum_us);
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("look-up in %" PRIu64 " lines: plain %.1f µs, ZipNum %.0f µs of processor time; "
	       "%.1f MB of memory at most\n",
		lines, plain_us, zipnum_us, (double)usage.ru_maxrss / 1024);
	return 0;
}
