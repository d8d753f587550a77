/*
 * levels_bench [FILE…]: what each level of compression costs and saves, a document at a time, as
 * WARC records are compressed. Without files, pages of words drawn at random.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"
#include "bench.h"
#include "warc/warc_compress.h"

enum { PAGES = 1000, PAGE_SIZE = 9000, DOCUMENT_MAX = 1 << 20 };

VEC_DECLARE(documents, struct buf);

static void must(int rc)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "levels_bench: %s\n", err_name(rc));
	exit(1);
}

static void make_page(struct rng *rng, struct buf *page)
{
	static const char *const WORDS[] = {"the", "of", "archive", "library", "capture", "and",
		"revisit", "instant", "to", "in", "coherence", "schedule", "evidence", "is", "that",
		"harbour", "window", "letter", "garden", "mountain", "station", "bridge", "for",
		"market", "council", "review", "edition", "chapter", "with", "people", "state"};

	while (page->len < PAGE_SIZE) {
		must(buf_add_str(page, rng_below(rng, 70) ? " " : ".</p>\n<p>"));
		must(buf_add_str(page, WORDS[rng_below(rng, sizeof WORDS / sizeof WORDS[0])]));
	}
}

static void read_document(const char *path, struct buf *document)
{
	FILE *file = fopen(path, "rb");
	char piece[4096];
	size_t n;

	if (!file) {
		perror(path);
		exit(1);
	}
	while ((n = fread(piece, 1, sizeof piece, file)) > 0 && document->len + n <= DOCUMENT_MAX)
		must(buf_add(document, (slice){piece, n}));
	(void)fclose(file);
}

static int count_bytes(void *context, slice bytes, struct err *err)
{
	(void)err;
	*(size_t *)context += bytes.len;
	return 0;
}

static void measure(const struct documents *list, enum warc_coding coding, int level)
{
	struct warc_compress *c;
	struct err err = {0};
	size_t bytes = 0;
	double start;

	must(warc_compress_open(coding, level, &c, &err));
	start = processor_time();
	for (size_t i = 0; i < list->len; i++) {
		slice document = buf_slice(&list->ptr[i]);

		warc_compress_begin(c, document.len, count_bytes, &bytes);
		must(warc_compress_feed(c, document, &err));
		must(warc_compress_end(c, &err));
	}
	printf("%s %2d  %7.1f us  %7zu bytes a document\n",
		coding == WARC_CODING_GZIP ? "gzip" : "zstd", level,
		1e6 * (processor_time() - start) / (double)list->len, bytes / list->len);
	warc_compress_close(c);
}

int main(int argc, char **argv)
{
	static const int GZIP[] = {1, 2, 3}, ZSTD[] = {1, 3, 6};
	struct documents list = {0};
	struct rng rng;

	rng_init(&rng, 1);
	for (int i = 1; i < argc || (argc == 1 && i <= PAGES); i++) {
		struct buf document;

		buf_init(&document, DOCUMENT_MAX);
		if (argc > 1)
			read_document(argv[i], &document);
		else
			make_page(&rng, &document);
		if (document.len == 0)
			buf_release(&document);
		else
			must(documents_push(&list, document));
	}
	for (size_t i = 0; list.len && i < sizeof GZIP / sizeof GZIP[0]; i++)
		measure(&list, WARC_CODING_GZIP, GZIP[i]);
	for (size_t i = 0; list.len && i < sizeof ZSTD / sizeof ZSTD[0]; i++)
		measure(&list, WARC_CODING_ZSTD, ZSTD[i]);
	for (size_t i = 0; i < list.len; i++)
		buf_release(&list.ptr[i]);
	documents_release(&list);
	return 0;
}
