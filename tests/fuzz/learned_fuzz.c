/*
 * Lines of what a capture has learned, and pages that their rules meet: a line is read or refused,
 * a rule that was read is written as it was, and masking a page with the rules leaves a view whose
 * items can be read. The first part of the input, up to an empty line, is the lines, the rest a
 * page.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "quality/change.h"
#include "quality/learned_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_rules(const struct learned *rules)
{
	struct buf line;

	buf_init(&line, LEARNING_LINE_MAX);
	for (size_t i = 0; i < rules->rules.len; i++) {
		struct learned again;

		learned_init(&again);
		buf_reset(&line);
		require(learned_format(&rules->rules.ptr[i], &line) == 0);
		require(learned_parse(&again, buf_slice(&line)) == 0);
		require(slice_eq(again.rules.ptr[0].key, rules->rules.ptr[i].key));
		learned_release(&again);
	}
	buf_release(&line);
}

static void check_page(const struct learned *rules, slice page)
{
	struct learned_tally tally = {0};
	struct learner learner;
	struct view view;
	struct url url;

	url_init(&url);
	view_init(&view, NOISE_DEFAULT);
	learner_init(&learner, true);
	require(url_parse(&url, SLICE("http://h/d/p"), NULL, NULL) == 0);
	require(change_view(page, SLICE("text/html"), &view) == 0);
	require(learner_add(&learner, &url, &view, &view) == 0);
	require(learned_mask(rules, &url, &view, &tally) == 0);
	for (size_t i = 0; i < view.items.len; i++)
		require(view.items.ptr[i].from + view.items.ptr[i].len <= view.text.len);
	learner_release(&learner);
	view_release(&view);
	url_release(&url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice left = {(const char *)data, size}, line;
	struct learned_pages pages;

	learned_pages_init(&pages);
	while ((line = slice_take(&left, '\n')).len)
		require(learned_pages_add(&pages, line) != ERR_NOMEM);
	check_rules(&pages.rules);
	check_page(&pages.rules, left);
	learned_pages_release(&pages);
	return 0;
}
