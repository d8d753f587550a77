/*
 * What is read of a body does not depend on how it came: one byte at a time, seven, 64 kB or all at
 * once, whatever its chunks and however it was packed. Every reader of bodies is asked for all that
 * it tells, as one text, and the texts are compared. The bodies are those of the repository: pages,
 * the seeds of all fuzz targets, and some that are made here to be cut in awkward places.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#define ZLIB_CONST /* next_in is */
#include <zlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "formats/http_message.h"
#include "formats/page.h"
#include "formats/sitemap.h"
#include "proof/response_reader.h"
#include "replay/rewrite.h"
#include "tap.h"

enum {
	BODY_MAX = 4 << 20,
	TELL_MAX = 64 << 20,
	/* Larger bodies are read as what they are only, and not byte by byte. */
	SMALL = 24 << 10,
	ALL = 0,
};

static const size_t PIECES[] = {1, 7, 64 << 10};

static const char *const TYPES[] = {"text/html", "application/xhtml+xml", "application/rss+xml",
	"text/css", "text/javascript", "application/feed+json", "text/plain", ""};

/* --- one text of all that a reader tells --- */

static void tell(struct buf *out, const char *name, slice value)
{
	(void)buf_printf(out, "%s %zu ", name, value.len);
	(void)buf_add(out, value);
	(void)buf_add_char(out, '\n');
}

static void tell_number(struct buf *out, const char *name, double value)
{
	(void)buf_printf(out, "%s %.17g\n", name, value);
}

static void tell_links(struct buf *out, const struct links *l)
{
	for (size_t i = 0; i < l->list.len; i++) {
		const struct link *x = &l->list.ptr[i];

		(void)buf_printf(
			out, "link %d %d %u %u ", (int)x->kind, x->is_feed, x->base, x->text_at);
		tell(out, "", x->ref);
	}
	for (size_t i = 0; i < l->bases.len; i++)
		tell(out, "inner base", l->bases.ptr[i].href);
	tell(out, "base", l->base);
	tell_number(out, "charset", l->charset);
	tell_number(out, "cut", l->cut);
}

static void tell_text(struct buf *out, const struct page_text *t)
{
	tell(out, "text", buf_slice(&t->text));
	tell(out, "title", buf_slice(&t->title));
	tell(out, "language", buf_slice(&t->language));
	tell(out, "robots", buf_slice(&t->robots));
	tell_number(out, "flags", t->robots_flags);
	tell_number(out, "images", (double)t->images);
	tell_number(out, "tables", (double)t->tables);
	tell_number(out, "anchors", (double)t->links);
	tell_number(out, "cut", t->cut);
}

static void tell_forms(struct buf *out, const struct forms *f)
{
	for (size_t i = 0; i < f->list.len; i++) {
		tell(out, "form", f->list.ptr[i].action);
		tell(out, "classes", f->list.ptr[i].classes);
		tell_number(out, "cut", f->list.ptr[i].cut);
	}
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct form_field *x = &f->fields.ptr[i];

		(void)buf_printf(out, "field %d of %u ", (int)x->input, x->form);
		tell(out, "", x->name);
		tell(out, "value", x->value);
		tell(out, "label", x->label);
	}
	for (size_t i = 0; i < f->options.len; i++) {
		tell(out, "option", f->options.ptr[i].value);
		tell(out, "shown", f->options.ptr[i].text);
	}
}

static void tell_body(struct buf *out, const struct blocked_body *b)
{
	(void)buf_printf(out, "signs %d %d %d %d %d %d %d %d\n", b->mark, b->is_short, b->captcha,
		b->product_title, b->refusal_title, b->password_form, b->login_box, b->is_shell);
}

static void tell_deceit(struct buf *out, const struct deceit *d)
{
	struct deceit_signs signs;

	deceit_judge(d, &signs);
#define X(name, member) tell_number(out, name, signs.member);
	DECEIT_FEATURES(X)
#undef X
	tell_number(out, "score", signs.score);
	tell_number(out, "redirect", signs.redirect);
	tell(out, "target", slice_str(signs.target));
}

/* Gives a body to a function in pieces. */
typedef int feeder(void *context, slice piece);

static void feed_pieces(feeder *feed, void *context, slice body, size_t piece)
{
	for (size_t at = 0; at < body.len; at += piece ? piece : body.len)
		CHECK_INT(feed(context, slice_sub(body, at, piece ? at + piece : body.len)), 0);
}

/* --- the readers --- */

static int to_page(void *context, slice piece)
{
	return page_feed(context, piece);
}

/* Characters, tokens, links, text, forms, stand-ins, spam. */
static void read_page(slice body, const char *type, size_t piece, struct buf *out)
{
	struct page *page = malloc(sizeof *page);
	struct stand_in stand_in;
	struct blocked_body shown;
	struct deceit deceit;
	struct page_text text;
	struct forms forms;
	struct links links;

	links_init(&links);
	page_text_init(&text);
	forms_init(&forms);
	stand_in_init(&stand_in);
	stand_in_reset(&stand_in);
	deceit_init(&deceit);
	deceit_start(&deceit);
	page_open(page, &(struct page_params){.content_type = slice_str(type),
				.links = &links,
				.text = &text,
				.forms = &forms,
				.stand_in = &stand_in,
				.deceit = &deceit});
	feed_pieces(to_page, page, body, piece);
	CHECK_INT(page_finish(page), 0);
	(void)buf_printf(out, "format %d charset %d by %d, mark of %zu\n", (int)page->format,
		(int)page->guess.charset, (int)page->guess.source, page->guess.bom);
	tell_links(out, &links);
	tell_text(out, &text);
	tell_forms(out, &forms);
	shown = stand_in_body(&stand_in);
	tell_body(out, &shown);
	tell_deceit(out, &deceit);
	page_close(page);
	deceit_release(&deceit);
	stand_in_release(&stand_in);
	forms_release(&forms);
	page_text_release(&text);
	links_release(&links);
	free(page);
}

struct rewriting {
	struct rewriter *rewriter;
	struct buf *out;
};

static int to_rewriter(void *context, slice piece)
{
	struct rewriting *r = context;

	return rewriter_feed(r->rewriter, piece, r->out);
}

static void read_rewritten(slice body, const char *type, size_t piece, struct buf *out)
{
	struct rewriting r = {.out = out};

	r.rewriter = rewriter_open(
		&(struct rewrite_params){.place = {.collection = SLICE("c"), .time = SLICE("2026")},
			.url = SLICE("http://h.example/d/e"),
			.content_type = slice_str(type),
			.script = SLICE("/_/replay.js")});
	feed_pieces(to_rewriter, &r, body, piece);
	CHECK_INT(rewriter_finish(r.rewriter, out), 0);
	CHECK_INT(rewriter_content_type(r.rewriter, out), 0);
	rewriter_close(r.rewriter);
}

static int to_response(void *context, slice piece)
{
	return response_reader_feed(context, piece);
}

static void tell_digest(struct buf *out, const char *name, const struct digest *d)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(d, text);
	tell(out, name, slice_str(text));
}

/* A whole response of the wire: state, digests, links, and what verify asks of its body. */
static void read_response(slice message, size_t piece, bool by_wire, struct buf *out)
{
	struct response_reader reader;
	struct state_result state = {0};
	struct blocked_body shown;
	struct links links;
	int rc;

	links_init(&links);
	response_reader_init(&reader);
	reader.book = rulebook_default();
	reader.url = SLICE("http://h.example/d/e");
	reader.links = &links;
	response_reader_start(&reader);
	feed_pieces(to_response, &reader, message, piece);
	rc = response_reader_finish(&reader, &state);
	(void)buf_printf(out, "end %d\n", rc);
	if (rc == 0) {
		(void)buf_printf(out, "status %u whole %d decoded %d readable %d by close %d\n",
			state.status, state.whole, state.decoded, state.readable,
			state.close_delimited);
		tell_digest(out, "state", &state.state);
		tell_digest(out, "body", &state.body);
		if (by_wire)
			tell_digest(out, "payload", &state.payload);
		tell_links(out, &links);
		(void)buf_printf(out, "manner %" PRIu64 "\n", response_reader_manner(&reader));
		if (response_reader_signs(&reader, &shown))
			tell_body(out, &shown);
	}
	response_reader_release(&reader);
	links_release(&links);
}

/* --- bodies as they are sent and stored --- */

/* Packs; flushes after every so many bytes (0: never), or begins another member there. */
static void pack(slice body, int level, size_t step, bool by_members, struct buf *out)
{
	size_t at = 0;

	do {
		slice part = slice_sub(body, at, by_members && step ? at + step : body.len);
		unsigned char room[16 << 10];
		z_stream z = {0};
		size_t given = 0;
		int rc;

		CHECK_INT(deflateInit2(&z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
		do {
			slice some = slice_sub(part, given, step ? given + step : part.len);
			int flush = given + some.len == part.len ? Z_FINISH : Z_FULL_FLUSH;

			z.next_in = (const unsigned char *)some.ptr;
			z.avail_in = (unsigned)some.len;
			do {
				z.next_out = room;
				z.avail_out = sizeof room;
				rc = deflate(&z, flush);
				(void)buf_add(
					out, (slice){(char *)room, sizeof room - z.avail_out});
			} while (z.avail_out == 0);
			given += some.len;
		} while (given < part.len);
		CHECK_INT(rc, Z_STREAM_END);
		(void)deflateEnd(&z);
		at += part.len;
	} while (at < body.len);
}

static void chunk(slice body, size_t size, struct buf *out)
{
	for (size_t at = 0; at < body.len; at += size) {
		slice part = slice_sub(body, at, at + size);

		(void)buf_printf(out, "%zx\r\n", part.len);
		(void)buf_add(out, part);
		(void)buf_add_str(out, "\r\n");
	}
	(void)buf_add_str(out, "0\r\n\r\n");
}

/* A response with that body; packed (level -1: not), in chunks (0: with a length). */
static void respond(
	slice body, const char *type, int level, size_t step, size_t chunks, struct buf *out)
{
	struct buf packed;

	buf_init(&packed, TELL_MAX);
	if (level >= 0)
		pack(body, level, step, false, &packed);
	else
		(void)buf_add(&packed, body);
	(void)buf_printf(out, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\n", type);
	if (level >= 0)
		(void)buf_add_str(out, "Content-Encoding: gzip\r\n");
	if (chunks) {
		(void)buf_add_str(out, "Transfer-Encoding: chunked\r\n\r\n");
		chunk(buf_slice(&packed), chunks, out);
	} else {
		(void)buf_printf(out, "Content-Length: %zu\r\n\r\n", packed.len);
		(void)buf_add(out, buf_slice(&packed));
	}
	buf_release(&packed);
}

/* --- what is compared --- */

/* Whether a text is as it was, and if not where it begins to differ. */
static void check_same(slice want, slice got, const char *reader, const char *type, size_t piece)
{
	size_t at = 0;

	if (CHECK(slice_eq(want, got)))
		return;
	while (at < want.len && at < got.len && want.ptr[at] == got.ptr[at])
		at++;
	at = at > 60 ? at - 60 : 0;
	tap_note("%s, %s, pieces of %zu: \"%.*s\" but \"%.*s\"", reader, type, piece,
		slice_shown(slice_sub(want, at, want.len), 120), want.ptr + at,
		slice_shown(slice_sub(got, at, got.len), 120), got.ptr + at);
}

typedef void body_reader(slice body, const char *type, size_t piece, struct buf *out);

static void check_reader(body_reader *read, const char *name, slice body, const char *type)
{
	struct buf want, got;

	buf_init(&want, TELL_MAX);
	buf_init(&got, TELL_MAX);
	read(body, type, ALL, &want);
	for (size_t i = 0; i < ARRAY_LEN(PIECES); i++) {
		if (body.len <= PIECES[i])
			continue;
		buf_reset(&got);
		read(body, type, PIECES[i], &got);
		check_same(buf_slice(&want), buf_slice(&got), name, type, PIECES[i]);
	}
	buf_release(&want);
	buf_release(&got);
}

/* However it was sent and packed, the same response is read. */
static void check_responses(slice body, const char *type)
{
	static const struct {
		int level;
		size_t step, chunks, piece;
	} ROWS[] = {{-1, 0, 0, 1}, {-1, 0, 7, 1}, {-1, 0, 1000, 7}, {1, 0, 0, 7}, {9, 0, 0, ALL},
		{0, 0, 64 << 10, 64 << 10}, {6, 7, 1, 1}, {6, 1000, 333, 7}};
	struct buf want, got, message;

	buf_init(&want, TELL_MAX);
	buf_init(&got, TELL_MAX);
	buf_init(&message, TELL_MAX);
	respond(body, type, -1, 0, 0, &message);
	read_response(buf_slice(&message), ALL, false, &want);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		if (ROWS[i].step && body.len > SMALL)
			continue;
		buf_reset(&message);
		buf_reset(&got);
		respond(body, type, ROWS[i].level, ROWS[i].step, ROWS[i].chunks, &message);
		read_response(buf_slice(&message), ROWS[i].piece, false, &got);
		check_same(buf_slice(&want), buf_slice(&got), "response", type, i);
	}
	buf_release(&want);
	buf_release(&got);
	buf_release(&message);
}

static void tell_sitemap(struct sitemap_reader *r, struct buf *out)
{
	struct sitemap_entry entry;
	struct err err = {0};
	int rc;

	while ((rc = sitemap_next(r, &entry, &err)) == 0) {
		(void)buf_printf(out, "%d %" PRId64 " %d %.17g ", entry.is_sitemap,
			sitemap_lastmod(&entry), (int)entry.changefreq, entry.priority);
		tell(out, "entry", entry.loc);
	}
	(void)buf_printf(out, "end %d format %d %s\n", rc, (int)sitemap_format(r),
		sitemap_damage(r) ? sitemap_damage(r) : "");
	sitemap_close(r);
}

static void read_sitemap(slice body, struct buf *out)
{
	struct sitemap_reader *r;

	if (CHECK_INT(sitemap_open_slice(&r, body, SLICE("http://h.example/s.xml"), NULL), 0))
		tell_sitemap(r, out);
}

/* A sitemap is the same from memory, from a file, and packed in one member or in many. */
static void check_sitemaps(slice body)
{
	static const struct {
		int level;
		size_t step;
		bool by_members;
	} ROWS[] = {{1, 0, false}, {9, 0, false}, {6, 7, false}, {6, 1, true}, {6, 7, true},
		{0, 4097, true}};
	struct buf want, got, packed;

	if (body.len == 0 || slice_starts_with(body, SLICE("\x1f\x8b")))
		return;
	buf_init(&want, TELL_MAX);
	buf_init(&got, TELL_MAX);
	buf_init(&packed, TELL_MAX);
	read_sitemap(body, &want);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		if (ROWS[i].step && ROWS[i].step < 100 && body.len > SMALL / 4)
			continue;
		buf_reset(&got);
		buf_reset(&packed);
		pack(body, ROWS[i].level, ROWS[i].step, ROWS[i].by_members, &packed);
		read_sitemap(buf_slice(&packed), &got);
		check_same(buf_slice(&want), buf_slice(&got), "sitemap", "gzip", i);
	}
	buf_release(&want);
	buf_release(&got);
	buf_release(&packed);
}

/* A file that may be a whole response: what is wrong with it is the same in all pieces. */
static void check_message(slice message)
{
	struct buf want, got;

	buf_init(&want, TELL_MAX);
	buf_init(&got, TELL_MAX);
	read_response(message, ALL, true, &want);
	for (size_t i = 0; i < ARRAY_LEN(PIECES); i++) {
		buf_reset(&got);
		read_response(message, PIECES[i], true, &got);
		check_same(buf_slice(&want), buf_slice(&got), "message", "wire", PIECES[i]);
	}
	buf_release(&want);
	buf_release(&got);
}

static void check_body(slice body)
{
	size_t types = body.len <= SMALL ? ARRAY_LEN(TYPES) : 1;

	for (size_t i = 0; i < types; i++) {
		check_reader(read_page, "page", body, TYPES[i]);
		check_reader(read_rewritten, "replay", body, TYPES[i]);
	}
	check_responses(body, "text/html");
	check_responses(body, "");
	check_sitemaps(body);
	if (slice_starts_with(body, SLICE("HTTP/")))
		check_message(body);
}

/* --- the bodies --- */

static void check_file(const char *path, const char *name)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(BODY_MAX);
	size_t len;

	tap_case("%s", name);
	if (CHECK(f && data)) {
		len = fread(data, 1, BODY_MAX, f);
		check_body((slice){data, len});
	}
	if (f)
		(void)fclose(f);
	free(data);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Every file below a directory of the tests. */
static void check_directory(const char *below)
{
	struct dirent **names = NULL;
	char path[4096], name[512];
	int count;

	(void)snprintf(path, sizeof path, "%s/tests/%s", tap_srcdir(), below);
	count = scandir(path, &names, is_visible, alphasort);
	for (int i = 0; i < count; i++) {
		(void)snprintf(name, sizeof name, "%s/%s", below, names[i]->d_name);
		(void)snprintf(path, sizeof path, "%s/tests/%s", tap_srcdir(), name);
		if (names[i]->d_type == DT_DIR)
			check_directory(name);
		else
			check_file(path, name);
		free(names[i]);
	}
	free(names);
}

/* Something again and again, so that it lies across every border of 1,024, 16 k and 64 k. */
static void check_repeated(const char *label, const char *head, slice what, size_t len)
{
	struct buf body;

	tap_case("%s, %zu bytes", label, len);
	buf_init(&body, BODY_MAX);
	(void)buf_add_str(&body, head);
	while (body.len < len)
		(void)buf_add(&body, what);
	check_body(buf_slice(&body));
	buf_release(&body);
}

static void test_borders(void)
{
	static const struct {
		const char *label, *head;
		slice what;
	} ROWS[] = {
		{"white space", "<p>a", SLICE_INIT(" \n\t ")},
		{"white space in words", "<p>", SLICE_INIT("word \n\n   <b> other</b>\r\n")},
		{"white space in pre", "<pre>", SLICE_INIT("  x\r\n\r\n")},
		{"carriage returns", "<p>", SLICE_INIT("\r\r\n")},
		{"a comment", "<!--", SLICE_INIT("- -> --!x")},
		{"references", "<p>", SLICE_INIT("&amp;&notin;&#x2026;&hellip &CounterClockwise")},
		{"characters of four bytes", "<meta charset=utf-8><p>",
			SLICE_INIT("\xf0\x9f\x8c\x8d\xc3\xa4\xe2\x82\xac")},
		{"characters of two bytes, Shift_JIS", "<meta charset=shift_jis><p>",
			SLICE_INIT("\x93\xfa\x96\x7b")},
		{"broken characters", "<meta charset=utf-8><p>", SLICE_INIT("\xe2\x82\xf0\x9f z")},
		{"tags", "",
			SLICE_INIT("<a href='/x?a=1&amp;b=2' title=\"&lt;\">y</a><img src=/p>")},
		{"an attribute", "<a href=\"/", SLICE_INIT("x y&amp;\n")},
		{"a script", "<script>", SLICE_INIT("import('./a.js');</scrip>")},
		{"a style", "<style>", SLICE_INIT(".a{background:url(/i.png)}</styl ")},
		{"a text field", "<form><textarea name=a>", SLICE_INIT("x\r\n&amp;")},
		{"a title", "<title>", SLICE_INIT("a &mdash;\n b")},
		{"a sitemap", "<urlset>",
			SLICE_INIT("<url><loc>http://h.example/&amp;\xc3\xa4</loc></url>\n")},
		{"a list of addresses", "", SLICE_INIT("http://h.example/a\r\nwww.h.example/b\n")},
		{"UTF-16", "\xff\xfe<", SLICE_INIT("\0<\0p\0>\0\x3d\xd8\x0d\xde")},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		check_repeated(ROWS[i].label, ROWS[i].head, ROWS[i].what, 1500);
		check_repeated(ROWS[i].label, ROWS[i].head, ROWS[i].what, 17 << 10);
		check_repeated(ROWS[i].label, ROWS[i].head, ROWS[i].what, 140 << 10);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	check_directory("data/html");
	check_directory("proof/pages");
	check_directory("fuzz/corpus");
	test_borders();
	return tap_done();
}
