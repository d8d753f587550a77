/*
 * Signs of deceit: any page is judged with a score from 0 to 1, and the line that is stored is read
 * back as it was; any line is read.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check(const struct deceit_signs *s)
{
	char line[DECEIT_LINE_SIZE], again_line[DECEIT_LINE_SIZE];
	struct deceit_signs again;

	require(s->score >= 0 && s->score <= 1);
	deceit_write(s, line);
	require(strlen(line) < DECEIT_LINE_SIZE && !strpbrk(line, "\r\n"));
	require(deceit_read(slice_str(line), &again));
	require(line[0] == '\0' || !s->redirect || strpbrk(s->target, "\r\n") ||
		strcmp(again.target, s->target) == 0);
	deceit_write(&again, again_line);
	require(again.score >= 0.1 || strcmp(line, again_line) == 0 || s->score >= 0.1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page *page = malloc(sizeof *page);
	struct deceit_signs signs;
	struct deceit deceit;

	require(page != NULL);
	deceit_init(&deceit);
	deceit_start(&deceit);
	page_open(page, &(struct page_params){.content_type = SLICE("text/html; charset=utf-8"),
				.deceit = &deceit});
	require(page_feed(page, (slice){(const char *)data, size}) == 0);
	require(page_finish(page) == 0);
	page_close(page);
	deceit_judge(&deceit, &signs);
	check(&signs);
	deceit_release(&deceit);
	free(page);
	if (deceit_read((slice){(const char *)data, size}, &signs))
		require(signs.score >= 0 && signs.score <= 1);
	return 0;
}
