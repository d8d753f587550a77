/*
 * Files of rules to ignore: any bytes are read, errors name a place, and the rules that come of
 * them can be asked about a page made of the same bytes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/ignore.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* "f:LINE:COLUMN: …" */
static void require_place(const char *text, size_t size)
{
	unsigned long line, column;
	char *end;

	require(strncmp(text, "f:", 2) == 0);
	line = strtoul(text + 2, &end, 10);
	require(line >= 1 && line <= size + 1 && *end == ':');
	column = strtoul(end + 1, &end, 10);
	require(column >= 1 && column <= size + 1 && strncmp(end, ": ", 2) == 0);
}

static void read_page(const struct ignore *ig, slice html)
{
	const struct html_token *token;
	struct ignore_page page;
	struct html_tokenizer *t = malloc(sizeof *t);
	struct url url;

	require(t != NULL);
	url_init(&url);
	require(url_parse(&url, SLICE("http://a.example/b"), NULL, NULL) == 0);
	ignore_page_init(&page, ig);
	require(ignore_page_start(&page, &url, 0) == 0);
	html_init(t, 0);
	html_feed(t, html);
	html_finish(t);
	while (html_next(t, &token) == 0) {
		struct ignore_match match;
		size_t from = 0;

		ignore_page_token(&page, token);
		while (token->kind == HTML_TEXT &&
			ignore_page_find(&page, token->text, from, &match)) {
			require(match.span.from >= from && match.span.to > match.span.from);
			require(match.span.to <= token->text.len);
			from = match.span.to;
		}
		(void)ignore_page_element(&page);
	}
	(void)ignore_page_missing(&page);
	html_release(t);
	free(t);
	ignore_page_release(&page);
	url_release(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice in = {(const char *)data, size};
	struct err err = {0};
	struct ignore ig;
	int rc;

	ignore_init(&ig);
	rc = ignore_parse(&ig, in, "f", &err);
	if (rc) {
		require(err.code == rc);
		require_place(err.text, size);
	} else {
		read_page(&ig, in);
	}
	ignore_release(&ig);
	return 0;
}
