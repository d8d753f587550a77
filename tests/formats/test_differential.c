/*
 * Our tokenizer beside libxml2's HTML parser and (where it is installed) MyHTML's tokenizer: on
 * pages that are not pathological all three must see the same addresses in the same order. The
 * pages are those of tests/data/html, and of this machine's documentation as far as there is any;
 * of the latter a few may differ, since libxml2 does not read HTML 5.
 */
#include <fts.h>
#include <libxml/HTMLparser.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "formats/html_token.h"
#include "tap.h"

#ifdef HAVE_MYHTML
#include <myhtml/myhtml.h>
#endif

enum {
	PAGE_MAX = 1 << 20, /* larger pages only take time */
	OUT_MAX = 64 << 20,
	PAGES_MAX = 200,
	DIFFER_MAX = 5, /* of a hundred */
};

static bool is_address(slice name)
{
	return slice_eq(name, SLICE("href")) || slice_eq(name, SLICE("src"));
}

static void add(struct buf *out, slice tag, slice name, slice value)
{
	(void)buf_add(out, tag);
	(void)buf_add_char(out, ' ');
	(void)buf_add(out, name);
	(void)buf_add_char(out, '=');
	(void)buf_add(out, value);
	(void)buf_add_char(out, '\n');
}

static void read_ours(slice in, struct buf *out)
{
	struct html_tokenizer t;
	const struct html_token *token;

	html_init(&t, 0);
	html_feed(&t, in);
	html_finish(&t);
	while (html_next(&t, &token) == 0)
		for (size_t i = 0; token->kind == HTML_START_TAG && i < token->attr_count; i++)
			if (is_address(token->attrs[i].name))
				add(out, token->name, token->attrs[i].name, token->attrs[i].value);
	html_release(&t);
}

static void on_start(void *ctx, const xmlChar *tag, const xmlChar **attrs)
{
	for (size_t i = 0; attrs && attrs[i]; i += 2)
		if (is_address(slice_str((const char *)attrs[i])))
			add(ctx, slice_str((const char *)tag), slice_str((const char *)attrs[i]),
				slice_str(attrs[i + 1] ? (const char *)attrs[i + 1] : ""));
}

static void read_libxml2(slice in, struct buf *out)
{
	xmlSAXHandler sax = {.startElement = on_start};
	htmlParserCtxtPtr p =
		htmlCreatePushParserCtxt(&sax, out, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);

	if (!CHECK(p != NULL))
		return;
	(void)htmlParseChunk(p, in.ptr, (int)in.len, 0);
	(void)htmlParseChunk(p, "", 0, 1);
	htmlFreeParserCtxt(p);
}

#ifdef HAVE_MYHTML
static slice myhtml_slice(mycore_string_t *s)
{
	return (slice){s->data ? s->data : "", s->data ? s->length : 0};
}

static void *on_token(myhtml_tree_t *tree, myhtml_token_node_t *token, void *ctx)
{
	size_t len;
	const char *tag = myhtml_tag_name_by_id(tree, token->tag_id, &len);

	if (token->type & MyHTML_TOKEN_TYPE_CLOSE)
		return ctx;
	myhtml_token_node_wait_for_done(tree->token, token);
	for (myhtml_token_attr_t *a = token->attr_first; a; a = a->next)
		if (is_address(myhtml_slice(&a->key)))
			add(ctx, (slice){tag, len}, myhtml_slice(&a->key), myhtml_slice(&a->value));
	return ctx;
}

static void read_myhtml(slice in, struct buf *out)
{
	myhtml_t *html = myhtml_create();
	myhtml_tree_t *tree = myhtml_tree_create();

	(void)myhtml_init(html, MyHTML_OPTIONS_PARSE_MODE_SINGLE, 1, 0);
	(void)myhtml_tree_init(tree, html);
	myhtml_callback_after_token_done_set(tree, on_token, out);
	(void)myhtml_parse(tree, MyENCODING_UTF_8, in.ptr, in.len);
	(void)myhtml_tree_destroy(tree);
	(void)myhtml_destroy(html);
}
#endif

static bool agrees_with(slice page, const struct buf *ours, void (*read)(slice, struct buf *))
{
	struct buf theirs;
	bool same;

	buf_init(&theirs, OUT_MAX);
	read(page, &theirs);
	same = slice_eq(buf_slice(ours), buf_slice(&theirs));
	buf_release(&theirs);
	return same;
}

/* Whether all see the same in a page; says who does not. */
static bool agree(const char *path, slice page)
{
	struct buf ours;
	bool same;

	buf_init(&ours, OUT_MAX);
	read_ours(page, &ours);
	same = agrees_with(page, &ours, read_libxml2);
	if (!same)
		tap_note("%s: libxml2 sees other addresses", path);
#ifdef HAVE_MYHTML
	if (!agrees_with(page, &ours, read_myhtml)) {
		tap_note("%s: MyHTML sees other addresses", path);
		same = false;
	}
#endif
	buf_release(&ours);
	return same;
}

static bool read_file(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	buf_reset(out);
	if (!f || buf_reserve(out, PAGE_MAX)) {
		if (f)
			(void)fclose(f);
		return false;
	}
	n = fread(out->ptr, 1, PAGE_MAX, f);
	out->len = n;
	(void)fclose(f);
	return n > 0 && n < PAGE_MAX;
}

static void test_own_pages(void)
{
	static const char *const names[] = {"app", "news", "old"};
	struct buf page;

	buf_init(&page, PAGE_MAX);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[4096];

		tap_case("our page: %s", names[i]);
		(void)snprintf(
			path, sizeof path, "%s/tests/data/html/%s.html", tap_srcdir(), names[i]);
		if (CHECK(read_file(path, &page)))
			CHECK(agree(path, buf_slice(&page)));
	}
	buf_release(&page);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_page(const FTSENT *entry)
{
	return entry->fts_info == FTS_F && entry->fts_namelen > 5 &&
	       strcmp(entry->fts_name + entry->fts_namelen - 5, ".html") == 0;
}

static void test_documentation(void)
{
	char *roots[] = {(char[]){"/usr/share/doc"}, NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	unsigned pages = 0, differ = 0;
	struct buf page;
	FTSENT *entry;

	buf_init(&page, PAGE_MAX);
	while (fts && pages < PAGES_MAX && (entry = fts_read(fts))) {
		if (!is_page(entry) || !read_file(entry->fts_path, &page) ||
			utf8_valid_prefix(buf_slice(&page)) < page.len)
			continue;
		pages++;
		differ += !agree(entry->fts_path, buf_slice(&page));
	}
	if (fts)
		(void)fts_close(fts);
	buf_release(&page);
	tap_note("%u pages, %u differ", pages, differ);
	if (pages == 0)
		tap_skip("no pages on this machine");
	CHECK(differ * 100 <= pages * DIFFER_MAX);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_own_pages();
	TAP_RUN(test_documentation);
	xmlCleanupParser();
	return tap_done();
}
