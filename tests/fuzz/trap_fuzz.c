/*
 * Shapes of URLs and gists of texts: whatever comes, a shape is no longer than its URL, begins with
 * its host, and is its own shape's beginning; forms of the same URL are equal and differ by
 * nothing; the input as a text has a gist of bounded size.
 */
#include <stdint.h>
#include <stdlib.h>

#include "crawl/dust.h"
#include "crawl/traps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_shape(struct buf *text, const struct url *u)
{
	slice origin = slice_sub(url_text(u), 0, u->authority_end);
	struct trap_shape s;

	require(trap_shape(text, u, &s) == 0);
	require(s.kind < TRAP_KIND_COUNT && s.text.len <= url_page(u).len);
	require(s.section <= s.path && s.path <= s.text.len && s.section >= origin.len);
	require(slice_eq(slice_sub(s.text, 0, origin.len), origin));
}

static void check_form(struct buf *text, const struct url *u)
{
	static const struct dust_terms TERMS = {0};
	static struct dust_form a, b;
	bool has, again;
	struct buf other;

	buf_init(&other, 2 * URL_MAX);
	require(dust_form(text, u, &TERMS, &a, &has) == 0);
	require(dust_form(&other, u, &TERMS, &b, &again) == 0 && has == again);
	require(!has || (slice_eq(a.key, b.key) && dust_form_differences(&a, &b) == 0));
	require(!has || a.key.len <= 2 * url_page(u).len);
	require(!has || (dust_form_without(&other, &a, SIZE_MAX) == 0 &&
				slice_eq(buf_slice(&other), a.key)));
	buf_release(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size};
	struct gist g = {0};
	struct buf text;
	struct url u;

	url_init(&u);
	buf_init(&text, 2 * URL_MAX);
	if (url_parse(&u, input, NULL, NULL) == 0 && url_is_http(&u)) {
		check_shape(&text, &u);
		check_form(&text, &u);
	}
	require(gist_add_text(&g, input, input) == 0);
	require(g.lines.len <= GIST_LINES_MAX && g.weight <= size);
	gist_release(&g);
	buf_release(&text);
	url_release(&u);
	return 0;
}
