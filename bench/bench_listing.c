/*
 * Lists of captures on one core: bytes per second of a CDXJ file, uncompressed, into a table of
 * pages, beside reading the same file line by line and doing nothing; and what the table takes.
 *
 *	bench_listing [FILE]	this list in place of the one made here
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/listing.h"
#include "archive/page_table.h"
#include "bench.h"
#include "bench_cost.h"

enum { PAGES = 50000, ROUNDS = 3 };

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_listing: failed\n", stderr);
		exit(1);
	}
}

/* So many captures of each page, sorted as an index is. */
static void make_list(const char *path, int captures)
{
	FILE *f = fopen(path, "wb");

	require(f != NULL);
	for (int i = 0; i < PAGES; i++)
		for (int k = 0; k < captures; k++)
			(void)fprintf(f,
				"org,example,www)/shop/d%02d/item.php?id=%06d 20%02d%02d11232425 "
				"{\"url\": "
				"\"https://www.example.org/shop/d%02d/item.php?id=%06d\", "
				"\"mime\": \"text/html\", \"mime-detected\": \"text/html\", "
				"\"status\": \"200\", \"digest\": "
				"\"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QB%c%c\", \"length\": \"12345\", "
				"\"offset\": \"%d\", \"filename\": "
				"\"crawl-data/segments/1234567890.12/warc/"
				"example-%05d.warc.gz\"}\n",
				i / 1000, i, 10 + k / 12, k % 12 + 1, i / 1000, i, 'A' + i % 26,
				'A' + k / 3 % 26, 100 * i, i % 9999);
	require(fclose(f) == 0);
}

static int add(void *context, const struct listed *o, struct err *err)
{
	return err_code(err, page_table_add(context, o, 1));
}

static uint64_t run_ours(const char *path)
{
	struct listing_counts counts;
	struct page_table table;
	struct err err = {0};

	page_table_init(&table);
	require(listing_read(path, add, &table, &counts, &err) == 0 && counts.bad == 0);
	page_table_release(&table);
	return counts.read;
}

static uint64_t run_lines(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *line = NULL;
	size_t cap = 0;
	uint64_t n = 0;

	require(f != NULL);
	while (getline(&line, &cap, f) > 0)
		n++;
	free(line);
	(void)fclose(f);
	return n;
}

static double report(const char *name, uint64_t (*run)(const char *), const char *path, double peer)
{
	double best = 1e9, speed;
	size_t before = bench_memory_reset();
	struct stat st;
	uint64_t n = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double start = processor_time(), seconds;

		n = run(path);
		seconds = processor_time() - start;
		best = seconds < best ? seconds : best;
	}
	require(stat(path, &st) == 0);
	speed = (double)st.st_size / 1e6 / best;
	printf("%-32s %7.1f MB/s  %9.0f lines/s  peak %6.1f MB  ratio %.2f\n", name, speed,
		(double)n / best, (double)bench_memory_peak(before) / 1e6,
		peer > 0 ? speed / peer : 1);
	return speed;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/bench_listing.XXXXXX";
	int fd;

	if (argc > 1) {
		(void)report("listing_read", run_ours, argv[1],
			report("getline, nothing done", run_lines, argv[1], 0));
		return 0;
	}
	fd = mkstemp(path);
	require(fd >= 0 && close(fd) == 0);
	for (int captures = 1; captures <= 10; captures += 9) {
		printf("%d pages, captures of each: %d\n", PAGES, captures);
		make_list(path, captures);
		(void)report("listing_read", run_ours, path,
			report("getline, nothing done", run_lines, path, 0));
	}
	(void)unlink(path);
	return 0;
}
