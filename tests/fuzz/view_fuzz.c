/*
 * The view of a page: any bytes are read, the same items come of them whatever the chunks, a page
 * is the same as itself, digests agree with the comparison, and places and texts are within their
 * limits. The first byte chooses the rules and where the input is cut in two.
 */
#include <stdint.h>
#include <stdlib.h>

#include "extract/page.h"
#include "quality/change.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void read_in_two(slice in, size_t cut, struct view *v)
{
	struct page *p = malloc(sizeof *p);

	require(p != NULL);
	page_open(p, &(struct page_params){.content_type = SLICE("text/html"), .view = v});
	require(page_feed(p, slice_sub(in, 0, cut)) == 0);
	require(page_feed(p, slice_sub(in, cut, in.len)) == 0);
	require(page_finish(p) == 0);
	page_close(p);
	free(p);
}

static void check_items(const struct view *v)
{
	struct buf place;

	buf_init(&place, 4096);
	require(v->noise.tally.masked <= v->visible);
	for (size_t i = 0; i < v->items.len; i++) {
		const struct view_item *item = &v->items.ptr[i];

		require(item->len > 0 && item->from + item->len <= v->text.len);
		require(item->node < v->nodes.len || item->node == 0);
		buf_reset(&place);
		require(view_place(v, item, &place) == 0);
	}
	buf_release(&place);
}

/* Two parts of the input as two pages: equal digests and an empty list of differences go together.
 */
static void check_change(slice a, slice b, noise_set rules)
{
	struct rulebook book = {.set = rules, .off = IGNORE_NONE};
	struct digest digest_a, digest_b;
	struct view view_a, view_b;
	struct change c;

	view_init(&view_a, rules);
	view_init(&view_b, rules);
	require(change_view(a, SLICE("text/html"), &view_a) == 0);
	require(change_view(b, SLICE("text/html"), &view_b) == 0);
	require(change_compare(&(struct change_params){.a = a, .b = b, .terms = {.book = &book}},
			&c) == 0);
	require(view_digest(&view_a, &digest_a) == (view_a.cut ? ERR_LIMIT : 0));
	require(view_digest(&view_b, &digest_b) == (view_b.cut ? ERR_LIMIT : 0));
	if (c.same == CHANGE_BYTES)
		require(slice_eq(a, b));
	else if (view_a.cut || view_b.cut)
		require(c.same == CHANGE_DIFFERENT);
	else
		require(digest_eq(&digest_a, &digest_b) == (c.differ_count == 0));
	change_release(&c);
	view_release(&view_a);
	view_release(&view_b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	noise_set rules;
	struct view once, twice;
	size_t cut;
	slice in;

	if (size < 2)
		return 0;
	in = (slice){(const char *)data + 1, size - 1};
	rules = data[0] & 1 ? NOISE_DEFAULT
			    : NOISE_DEFAULT & ~(1U << (data[0] >> 1) % NOISE_RULE_COUNT);
	cut = in.len * data[0] / 256;
	view_init(&once, rules);
	view_init(&twice, rules);
	require(change_view(in, SLICE("text/html"), &once) == 0);
	read_in_two(in, cut, &twice);
	require(once.items.len == twice.items.len && once.visible == twice.visible);
	require(slice_eq(buf_slice(&once.text), buf_slice(&twice.text)));
	check_items(&once);
	view_release(&once);
	view_release(&twice);
	check_change(slice_sub(in, 0, cut), slice_sub(in, cut, in.len), rules);
	return 0;
}
