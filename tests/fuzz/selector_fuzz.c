/*
 * Selectors and pages: the first line is a list of selectors, the rest a page. Any bytes are read,
 * errors lie within the text, and the stack stays within its limits.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/selector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void read_page(const struct selector_set *set, slice page, unsigned flags)
{
	const struct html_token *token;
	struct selector_stack stack;
	struct html_tokenizer *t = malloc(sizeof *t);

	require(t != NULL);
	html_init(t, flags);
	html_feed(t, page);
	html_finish(t);
	selector_stack_init(&stack, set, flags);
	while (html_next(t, &token) == 0) {
		selector_stack_token(&stack, token);
		require(stack.levels.len <= SELECTOR_DEPTH_MAX);
		if (selector_stack_is_inside(&stack, 0))
			require(selector_stack_is_inside_any(&stack) &&
				selector_stack_has_seen(&stack, 0));
	}
	selector_stack_release(&stack);
	html_release(t);
	free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice in = {(const char *)data, size};
	const char *end = size ? memchr(data, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - in.ptr) : size;
	struct selector_place place = {0};
	struct selector_set set;
	struct err err = {0};
	uint32_t k;
	int rc;

	selector_set_init(&set);
	rc = selector_set_add(&set, slice_sub(in, 0, len), &k, &place, &err);
	if (rc) {
		require(err.code == rc && err.text[0] != '\0');
		require(place.line == 1 && place.column >= 1 && place.column <= len + 1);
	} else {
		read_page(&set, slice_sub(in, len + 1, size), 0);
		read_page(&set, slice_sub(in, len + 1, size), HTML_XML);
	}
	selector_set_release(&set);
	return 0;
}
