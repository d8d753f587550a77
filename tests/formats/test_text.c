/* What a reader sees of a page. */
#include "formats/text.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/page.h"
#include "tap.h"

enum { MAX = 64 << 20 };

static void read_page(slice in, const char *type, size_t step, struct page_text *text)
{
	struct page *p = malloc(sizeof *p);

	page_text_init(text);
	if (!CHECK(p != NULL))
		return;
	page_open(p, &(struct page_params){.content_type = slice_str(type), .text = text});
	for (size_t at = 0; at < in.len; at += step ? step : in.len)
		CHECK_INT(page_feed(p, slice_sub(in, at, step ? at + step : in.len)), 0);
	CHECK_INT(page_finish(p), 0);
	page_close(p);
	free(p);
}

static const struct {
	const char *label;
	const char *in;
	const char *want;
} texts[] = {
	{"white space", "  a \n\t b  ", "a b"},
	{"inline elements", "a<b>b</b>c <i> d </i>e", "abc d e"},
	{"blocks", "<h1>a</h1><p>b<p>c<div>d</div>e", "a\nb\nc\nd\ne"},
	{"line break", "a<br>b<hr>c", "a\nb\nc"},
	{"table", "<table><tr><th>a<td>b<tr><td>c<td>d</table>", "a b\nc d"},
	{"list", "<ul><li>a<li>b</ul>c", "a\nb\nc"},
	{"references", "a&nbsp;&lt;b&gt; &auml;", "a\xc2\xa0<b> \xc3\xa4"},
	{"head and title", "<head><title>t</title><meta name=x></head>a", "a"},
	{"not shown",
		"a<script>b</script><style>c</style><noscript>d<p>e</noscript><template>f<p>g"
		"<template>h</template>i</template><iframe>j</iframe>k",
		"ak"},
	{"object", "a<object>b<object>c</object>d</object>e", "ae"},
	{"textarea and options", "<textarea>a</textarea><select><option>b<option>c</select>",
		"a\nb\nc"},
	{"SVG", "a<svg><title>t</title><desc>d</desc><text>b</text></svg>c", "abc"},
	{"image separates", "a<img>b", "a b"},
	{"comment does not", "a<!-- x -->b", "ab"},
};

static void test_texts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		tap_case("text: %s", texts[i].label);
		for (size_t step = 0; step < 3; step++) {
			struct page_text text;

			read_page(slice_str(texts[i].in), "text/html", step, &text);
			CHECK_STR(buf_str(&text.text), texts[i].want);
			page_text_release(&text);
		}
	}
}

static const struct {
	const char *label;
	const char *in;
	const char *title;
	const char *language;
	const char *robots;
	unsigned flags;
} metas[] = {
	{"nothing", "a", "", "", "", 0},
	{"title", "<title> a\n b&amp;<i> </title><title>c</title>", "a b&<i>", "", "", 0},
	{"title of SVG", "<svg><title>a</title></svg><title>b</title>", "b", "", "", 0},
	{"title that is open", "<title>a b", "a b", "", "", 0},
	{"language", "<html lang=' de-CH '>", "", "de-CH", "", 0},
	{"language of XHTML", "<html xml:lang=fr>", "", "fr", "", 0},
	{"language by meta", "<meta http-equiv=content-language content=' it x'>", "", "it", "", 0},
	{"languages by meta", "<meta http-equiv=content-language content='it, de'>", "", "", "", 0},
	{"language, root over meta", "<html lang=en><meta http-equiv=content-language content=it>",
		"", "en", "", 0},
	{"robots", "<meta name=ROBOTS content='NoIndex,  nofollow'>", "", "", "noindex, nofollow",
		TEXT_NOINDEX | TEXT_NOFOLLOW},
	{"robots twice", "<meta name=robots content=noarchive><meta name=robots content=none>", "",
		"", "noarchive, none", TEXT_NOARCHIVE | TEXT_NOINDEX | TEXT_NOFOLLOW},
	{"robots of others", "<meta name=googlebot content=noindex>", "", "", "", 0},
};

static void test_metas(void)
{
	for (size_t i = 0; i < ARRAY_LEN(metas); i++) {
		struct page_text text;

		tap_case("meta: %s", metas[i].label);
		read_page(slice_str(metas[i].in), "text/html", 0, &text);
		CHECK_STR(buf_str(&text.title), metas[i].title);
		CHECK_STR(buf_str(&text.language), metas[i].language);
		CHECK_STR(buf_str(&text.robots), metas[i].robots);
		CHECK_INT(text.robots_flags, metas[i].flags);
		page_text_release(&text);
	}
}

static void test_counts(void)
{
	struct page_text text;

	read_page(SLICE("<img><input type=image><svg><image/></svg><image><table><table></table>"
			"<a href=x><a href=#y><a href='javascript:z'><a name=a><area href=b>"
			"<noscript><img></noscript>"),
		"text/html", 0, &text);
	CHECK_INT((int64_t)text.images, 4);
	CHECK_INT((int64_t)text.tables, 2);
	CHECK_INT((int64_t)text.links, 2);
	page_text_release(&text);
}

static void test_plain(void)
{
	struct page_text text;

	read_page(SLICE("a <b>\r\n\r\n  c\td\n"), "text/plain", 0, &text);
	CHECK_STR(buf_str(&text.text), "a <b>\nc d");
	page_text_release(&text);
}

/* White space of each kind at every place of a text that is longer than what is read at once. */
static void test_places(void)
{
	static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKL";
	static const struct {
		const char *space, *want;
	} rows[] = {{"  ", " "}, {"\t", " "}, {"\n", " "}, {"\f ", " "}, {" \r", " "},
		{" \v ", " \v "}, {" ", " "}, {"\x01", "\x01"}};

	for (size_t i = 0; i < ARRAY_LEN(rows) * (sizeof LETTERS - 1); i++) {
		size_t row = i % ARRAY_LEN(rows);
		int at = (int)(i / ARRAY_LEN(rows)) + 1;
		char in[64], want[64];
		struct page_text text;

		(void)snprintf(in, sizeof in, "%.*s%sz", at, LETTERS, rows[row].space);
		(void)snprintf(want, sizeof want, "%.*s%sz", at, LETTERS, rows[row].want);
		read_page(slice_str(in), "text/html", 0, &text);
		CHECK_STR(buf_str(&text.text), want);
		(void)snprintf(in, sizeof in, "x%s%s", rows[row].space, LETTERS + at - 1);
		(void)snprintf(want, sizeof want, "x%s%s", rows[row].want, LETTERS + at - 1);
		page_text_release(&text);
		read_page(slice_str(in), "text/html", 0, &text);
		CHECK_STR(buf_str(&text.text), want);
		page_text_release(&text);
	}
}

/* Characters are not cut in two: 3 bytes do not fit into the last 1 or 2. */
static void check_limit(const char *tag, size_t max, size_t pad, bool title, size_t want)
{
	struct page_text text;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_printf(&in, "<%s>", tag);
	for (size_t i = 0; i < pad; i++)
		(void)buf_add_char(&in, 'x');
	(void)buf_printf(&in, "\xe2\x82\xac</%s>", tag);
	read_page(buf_slice(&in), "text/html; charset=utf-8", 0, &text);
	CHECK_INT((int64_t)(title ? text.title.len : text.text.len), (int64_t)want);
	CHECK(text.cut == (pad + 3 > max));
	page_text_release(&text);
	buf_release(&in);
}

static void test_limits(void)
{
	tap_case("limit: title");
	check_limit("title", TEXT_TITLE_MAX, TEXT_TITLE_MAX - 3, true, TEXT_TITLE_MAX);
	check_limit("title", TEXT_TITLE_MAX, TEXT_TITLE_MAX - 2, true, TEXT_TITLE_MAX - 2);
	tap_case("limit: text");
	check_limit("p", TEXT_MAX, TEXT_MAX - 3, false, TEXT_MAX);
	check_limit("p", TEXT_MAX, TEXT_MAX - 1, false, TEXT_MAX - 1);
}

static void test_small_limits(void)
{
	struct page_text text;
	struct buf in;

	buf_init(&in, MAX);
	(void)buf_add_str(&in, "<html lang=");
	for (size_t i = 0; i <= TEXT_LANGUAGE_MAX; i++)
		(void)buf_add_char(&in, 'x');
	(void)buf_add_str(&in, "><meta name=robots content='");
	for (size_t i = 0; i < TEXT_ROBOTS_MAX; i++)
		(void)buf_add_str(&in, "a,");
	(void)buf_add_str(&in, "noindex'>");
	read_page(buf_slice(&in), "", 0, &text);
	CHECK_STR(buf_str(&text.language), "");
	CHECK(text.robots.len <= TEXT_ROBOTS_MAX && text.robots.len > TEXT_ROBOTS_MAX - 4);
	CHECK_INT(text.robots_flags, TEXT_NOINDEX);
	CHECK(text.cut);
	page_text_release(&text);
	buf_release(&in);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_texts();
	test_metas();
	TAP_RUN(test_counts);
	TAP_RUN(test_plain);
	TAP_RUN(test_places);
	test_limits();
	TAP_RUN(test_small_limits);
	return tap_done();
}
