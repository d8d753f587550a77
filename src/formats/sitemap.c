#include "formats/sitemap.h"

#include <errno.h>
#include <stdlib.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/word.h"
#include "formats/charset.h"
#include "formats/sitemap_xml.h"
#include "formats/url.h"

enum { GZIP_WINDOW_BITS = 15 + 16 }; /* zlib's way to say: a gzip wrapper, no other */

static const slice GZIP_MAGIC = SLICE_INIT("\x1f\x8b");

/* Raw bytes: 0 (also for none, at the end) or ERR_IO. */
static int read_raw(
	struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	size_t n = room < in->rest.len ? room : in->rest.len;

	if (in->file) {
		n = fread(to, 1, room, in->file);
		if (n == 0 && ferror(in->file))
			return err_set(err, ERR_IO, "%s", strerror(errno));
	} else if (n) {
		memcpy(to, in->rest.ptr, n);
		in->rest = slice_sub(in->rest, n, in->rest.len);
	}
	in->read += n;
	*ret_len = n;
	return 0;
}

static int refill(struct sitemap_input *in, struct err *err)
{
	size_t n = 0;

	TRY(read_raw(in, in->block, sizeof in->block, &n, err));
	in->z.next_in = (unsigned char *)in->block;
	in->z.avail_in = (unsigned)n;
	return n ? 0 : ERR_END;
}

/* Memory or file (from its present position) are borrowed until close. 0 or ERR_IO. */
static int sitemap_input_open(struct sitemap_input *in, FILE *file, slice memory, struct err *err)
{
	int rc;

	*in = (struct sitemap_input){.file = file, .rest = memory};
	rc = refill(in, err);
	if (rc && rc != ERR_END)
		return rc;
	in->gzip = in->z.avail_in >= GZIP_MAGIC.len &&
		   memcmp(in->block, GZIP_MAGIC.ptr, GZIP_MAGIC.len) == 0;
	if (in->gzip && inflateInit2(&in->z, GZIP_WINDOW_BITS) != Z_OK)
		mem_end();
	return 0;
}

static void sitemap_input_close(struct sitemap_input *in)
{
	if (in->gzip)
		(void)inflateEnd(&in->z);
	in->gzip = false;
	in->ended = true;
}

static int copy_plain(
	struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	size_t n = in->z.avail_in < room ? in->z.avail_in : room;

	if (n == 0)
		return read_raw(in, to, room, ret_len, err);
	memcpy(to, in->z.next_in, n);
	in->z.next_in += n;
	in->z.avail_in -= (unsigned)n;
	*ret_len = n;
	return 0;
}

/* Another member may follow the one that ended; anything else behind it is padding. */
static int next_member(struct sitemap_input *in)
{
	if (in->z.next_in[0] != (unsigned char)GZIP_MAGIC.ptr[0])
		return ERR_END;
	in->member_done = false;
	return inflateReset(&in->z) == Z_OK ? 0 : ERR_SYNTAX;
}

/* Unpacks until there is output: *ret_len is 0 at the end only. An error comes again. */
static int unpack(struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	in->z.next_out = (unsigned char *)to;
	in->z.avail_out = (unsigned)room;
	while (in->z.avail_out == room) {
		int rc = in->z.avail_in ? 0 : refill(in, err);

		if (rc == 0 && in->member_done)
			rc = next_member(in);
		if (rc == ERR_END && !in->member_done)
			return err_set(err, ERR_SYNTAX, "gzip data is cut off");
		if (rc == ERR_END)
			break;
		if (rc)
			return rc;
		rc = inflate(&in->z, Z_NO_FLUSH);
		if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
			return err_set(err, ERR_SYNTAX, "gzip data is damaged: %s",
				in->z.msg ? in->z.msg : "unknown error");
		in->member_done = rc == Z_STREAM_END;
	}
	*ret_len = room - in->z.avail_out;
	return 0;
}

static int check_limits(const struct sitemap_input *in, struct err *err)
{
	if (in->given > SITEMAP_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d bytes", SITEMAP_BYTES_MAX);
	if (in->given > SITEMAP_RATIO_EXEMPT && in->given / SITEMAP_RATIO_MAX > in->read)
		return err_set(err, ERR_LIMIT, "packed more than %d times", SITEMAP_RATIO_MAX);
	return 0;
}

/*
 * The next bytes, room (> 0) of them but at the end. 0, or ERR_END; ERR_IO; ERR_SYNTAX for damaged
 * gzip data; ERR_LIMIT; all of them with a text in err but ERR_END, and after all of them nothing
 * more comes.
 */
static int sitemap_input_read(
	struct sitemap_input *in, char *to, size_t room, size_t *ret_len, struct err *err)
{
	size_t len = 0, n = 1;
	int rc = 0;

	if (in->ended)
		return ERR_END;
	/* As much as there is room for, however it was packed: what it is is told by its start. */
	while (rc == 0 && n && len < room) {
		n = 0;
		rc = in->gzip ? unpack(in, to + len, room - len, &n, err)
			      : copy_plain(in, to + len, room - len, &n, err);
		in->given += n;
		len += n;
		if (rc == 0)
			rc = check_limits(in, err);
	}
	if (rc && rc != ERR_LIMIT && len) /* what came before is good; it fails again next time */
		rc = 0;
	if (rc == 0 && len == 0)
		rc = ERR_END;
	in->ended = rc != 0;
	if (rc == 0)
		*ret_len = len;
	return rc;
}

/*
 * Text sitemaps: one URL per line, UTF-8, nothing else. Lines that are no URL with a scheme of HTTP
 * and do not begin as one without it ("www.", "/") are passed over, so that a page that is no
 * sitemap at all does not become a thousand addresses.
 */

/* Fields are the parser's own. */
struct sitemap_text {
	struct sitemap_queue *queue; /* borrowed */
	struct buf line;             /* its beginning, when it began in an earlier block */
	bool skip;                   /* the rest of a line that is too long */
	uint64_t passed_over;        /* lines that are no URLs; to be read */
	uint64_t taken;              /* lines that are; to be read */
};

static void sitemap_text_init(struct sitemap_text *t, struct sitemap_queue *queue)
{
	*t = (struct sitemap_text){.queue = queue};
	buf_init(&t->line, SITEMAP_LOC_MAX);
}

static bool is_url(slice line)
{
	for (size_t i = 0; i < line.len; i++)
		if ((unsigned char)line.ptr[i] <= ' ')
			return false;
	return (line.len > 7 && word_starts(line, SLICE("http://"))) ||
	       (line.len > 8 && word_starts(line, SLICE("https://"))) ||
	       (line.len > 4 && word_starts(line, SLICE("www."))) ||
	       slice_starts_with(line, SLICE("/"));
}

/* The next line break from here, or the end of the block. */
static size_t find_break(slice block, size_t at)
{
	while (at < block.len && block.ptr[at] != '\n' && block.ptr[at] != '\r')
		at++;
	return at;
}

/*
 * Whether the beginning of a file is that of a text sitemap: at least half of its lines, comments
 * with "#" not counted, are URLs. A licence with an address in it is none.
 */
static bool sitemap_text_is(slice beginning)
{
	size_t urls = 0, others = 0;

	for (size_t at = 0; at < beginning.len;) {
		size_t end = find_break(beginning, at);
		slice line = sitemap_trim(slice_sub(beginning, at, end));

		if (is_url(line))
			urls++;
		else
			others += line.len > 0 && line.ptr[0] != '#';
		at = end + 1;
	}
	return urls > 0 && urls >= others;
}

static int read_line(struct sitemap_text *t, slice line)
{
	struct sitemap_entry entry = sitemap_entry_empty(false);

	entry.loc = sitemap_trim(line);
	if (!is_url(entry.loc)) {
		t->passed_over += entry.loc.len > 0;
		return 0;
	}
	t->taken++;
	return sitemap_queue_add(t->queue, &entry, (slice){0});
}

/* The last line need not end with a break. */
static SP_MUST_CHECK int end_line(struct sitemap_text *t)
{
	int rc = t->skip ? 0 : read_line(t, buf_slice(&t->line));

	buf_reset(&t->line);
	t->skip = false;
	return rc;
}

/* Queues the URLs of all lines that end in the block: 0 or ERR_LIMIT. */
static SP_MUST_CHECK int sitemap_text_feed(struct sitemap_text *t, slice block)
{
	for (size_t at = 0; at < block.len;) {
		size_t end = find_break(block, at);

		if (!t->skip && buf_add(&t->line, slice_sub(block, at, end))) {
			t->skip = true; /* it is too long */
			t->queue->overlong++;
		}
		if (end < block.len)
			TRY(end_line(t));
		at = end + 1;
	}
	return 0;
}

/*
 * JSON Feed, versions 1 and 1.1 (https://www.jsonfeed.org/version/1.1/): of each item its address
 * and its dates. The text is kept until it is whole, since nothing says where the version stands.
 */

enum { SITEMAP_JSON_MAX = 2 << 20 }; /* bytes; what is behind is not read */

/* Fields are the parser's own, but for is_feed and damage, which may be read at the end. */
struct sitemap_json {
	struct sitemap_queue *queue; /* borrowed */
	struct buf text;
	struct buf value; /* of a string, escapes undone */
	struct sitemap_entry entry;
	struct buf loc;
	bool has_modified; /* the entry's date is that of its last change */
	bool is_feed;      /* it has the version of a feed */
	struct err damage; /* why the end was not reached; code 0: it was */
};

static void sitemap_json_init(struct sitemap_json *j, struct sitemap_queue *queue)
{
	*j = (struct sitemap_json){.queue = queue};
	buf_init(&j->text, SITEMAP_JSON_MAX);
	buf_init(&j->value, SITEMAP_JSON_MAX);
	buf_init(&j->loc, SITEMAP_JSON_MAX);
}

static void sitemap_json_release(struct sitemap_json *j)
{
	buf_release(&j->text);
	buf_release(&j->value);
	buf_release(&j->loc);
}

/* The value of a member, if it is a string; anything else is passed over as "". */
static int take_text(struct sitemap_json *j, struct json_cursor *c)
{
	slice raw;
	int rc;

	buf_reset(&j->value);
	if (json_cursor_peek(c) != '"')
		return json_cursor_skip(c);
	TRY(json_cursor_string(c, &raw));
	rc = json_unescape(raw, &j->value);
	return rc == ERR_SYNTAX ? json_cursor_fail(c, "an escape") : rc;
}

/* The date of the last change counts; without one that of the publication. */
static void take_date(struct sitemap_json *j, bool is_modified)
{
	struct w3cdate date;

	if ((j->has_modified && !is_modified) ||
		w3cdate_parse_any(sitemap_trim(buf_slice(&j->value)), &date))
		return;
	j->entry.has_lastmod = true;
	j->entry.lastmod = date;
	j->has_modified = is_modified;
}

static int on_item_member(void *context, struct json_cursor *c, slice key)
{
	struct sitemap_json *j = context;

	TRY(take_text(j, c));
	if (slice_eq(key, SLICE("url"))) {
		buf_reset(&j->loc);
		return buf_add(&j->loc, buf_slice(&j->value));
	}
	if (slice_eq(key, SLICE("date_modified")) || slice_eq(key, SLICE("date_published")))
		take_date(j, slice_eq(key, SLICE("date_modified")));
	return 0;
}

static int on_item(void *context, struct json_cursor *c)
{
	struct sitemap_json *j = context;
	int rc;

	if (json_cursor_peek(c) != '{')
		return json_cursor_skip(c);
	j->entry = sitemap_entry_empty(false);
	j->has_modified = false;
	buf_reset(&j->loc);
	rc = json_cursor_members(c, on_item_member, j);
	j->entry.loc = buf_slice(&j->loc);
	return rc ? rc : sitemap_queue_add(j->queue, &j->entry, (slice){0});
}

static int on_member(void *context, struct json_cursor *c, slice key)
{
	static const slice site = SLICE_INIT("jsonfeed.org/version/");
	struct sitemap_json *j = context;
	int rc;

	if (slice_eq(key, SLICE("items")) && json_cursor_peek(c) == '[')
		return json_cursor_list(c, "a list of items", on_item, j);
	rc = take_text(j, c);
	if (rc == 0 && slice_eq(key, SLICE("version")) && j->value.len > 0)
		j->is_feed = memmem(j->value.ptr, j->value.len, site.ptr, site.len) != NULL;
	return rc;
}

/* All was given: queues the items, as far as the text is whole; none unless it is a feed. 0 or
 * ERR_LIMIT. */
static SP_MUST_CHECK int sitemap_json_end(struct sitemap_json *j)
{
	struct json_cursor c = {.text = buf_slice(&j->text), .err = &j->damage};
	int rc = json_cursor_object(&c, on_member, j);

	if (!j->is_feed)
		sitemap_queue_reset(j->queue);
	return rc == ERR_LIMIT && !j->damage.code ? rc : 0;
}

#define HALF_A_DAY INT64_C(43200000000000) /* ns */

enum { BLOCK = 16 << 10 }; /* bytes parsed at a time, and looked at to tell text from XML */

enum syntax {
	SYNTAX_UNDECIDED,
	SYNTAX_NONE, /* no sitemap */
	SYNTAX_TEXT,
	SYNTAX_MARKUP,
	SYNTAX_JSON,
};

struct sitemap_reader {
	struct sitemap_input input;
	enum syntax syntax;
	struct charset_decoder *decoder; /* NULL: it is UTF-8 */
	struct buf decoded;
	struct sitemap_xml xml;
	struct sitemap_text text;
	struct sitemap_json json;
	struct sitemap_queue queue;
	struct url base;
	struct url own_base; /* base with the root's xml:base */
	bool own_base_known;
	struct url inner_base; /* that with inner_text, the last entry's own xml:base */
	struct buf inner_text;
	struct url step;
	struct url url;         /* of the entry given last */
	struct buf with_scheme; /* an address that came without */
	bool ended;
	struct err end; /* why, when not for the input's end */
	uint64_t given;
	uint64_t refused;    /* addresses that are not http URLs */
	struct err unpacked; /* what was wrong with the gzip data */
	struct buf damage;
	char block[BLOCK];
};

static int open_reader(
	struct sitemap_reader **ret, FILE *file, slice input, slice base, struct err *err)
{
	struct sitemap_reader *r = mem_new(1, sizeof *r);
	int rc = 0;

	url_init(&r->base);
	url_init(&r->own_base);
	url_init(&r->inner_base);
	url_init(&r->step);
	url_init(&r->url);
	buf_init(&r->decoded, CHARSET_EXPANSION * (size_t)BLOCK);
	buf_init(&r->inner_text, SITEMAP_BASE_MAX);
	buf_init(&r->with_scheme, URL_MAX);
	buf_init(&r->damage, ERR_TEXT_MAX);
	sitemap_queue_init(&r->queue);
	sitemap_text_init(&r->text, &r->queue);
	sitemap_json_init(&r->json, &r->queue);
	sitemap_xml_init(&r->xml, &r->queue);
	if (base.len > 0)
		rc = url_parse(&r->base, base, NULL, err);
	if (rc == 0)
		rc = sitemap_input_open(&r->input, file, input, err);
	if (rc)
		sitemap_close(r);
	else
		*ret = r;
	return rc;
}

int sitemap_open_slice(struct sitemap_reader **ret, slice input, slice base, struct err *err)
{
	return open_reader(ret, NULL, input, base, err);
}

int sitemap_open_file(struct sitemap_reader **ret, FILE *file, slice base, struct err *err)
{
	return open_reader(ret, file, (slice){0}, base, err);
}

void sitemap_close(struct sitemap_reader *r)
{
	if (!r)
		return;
	sitemap_input_close(&r->input);
	sitemap_xml_release(&r->xml);
	buf_release(&r->text.line);
	sitemap_json_release(&r->json);
	sitemap_queue_release(&r->queue);
	buf_release(&r->with_scheme);
	buf_release(&r->damage);
	url_release(&r->base);
	url_release(&r->own_base);
	url_release(&r->inner_base);
	url_release(&r->step);
	url_release(&r->url);
	buf_release(&r->decoded);
	buf_release(&r->inner_text);
	charset_decoder_close(r->decoder);
	free(r);
}

static bool contains(slice s, slice what)
{
	return s.len > 0 && memmem(s.ptr, s.len, what.ptr, what.len);
}

/* What the input is, by its first block. Something may stand before the markup: PHP's warnings. */
static enum syntax sniff(slice block)
{
	slice text;

	text = sitemap_trim(block);
	if (slice_starts_with(text, SLICE("<")) || contains(text, SLICE("<?xml")) ||
		contains(text, SLICE("<urlset")) || contains(text, SLICE("<sitemapindex")))
		return SYNTAX_MARKUP;
	if (slice_starts_with(text, SLICE("{")))
		return SYNTAX_JSON;
	return sitemap_text_is(block) ? SYNTAX_TEXT : SYNTAX_NONE;
}

/* The encoding that an XML declaration names, wherever it stands. */
static enum charset declared(slice block)
{
	const char *at = block.len ? memmem(block.ptr, block.len, "<?xml", 5) : NULL;
	enum charset charset;

	if (!at || charset_prescan(slice_sub(block, (size_t)(at - block.ptr), block.len), &charset))
		return CHARSET_UTF_8;
	return charset;
}

/*
 * Opens the decoder when the first block is UTF-16, with a mark or without, or says that it is in
 * another encoding; drops the mark.
 */
static int open_decoder(struct sitemap_reader *r, slice *block)
{
	const struct {
		slice start;
		size_t mark;
		enum charset charset;
	} rows[] = {
		{SLICE_INIT("\xff\xfe"), 2, CHARSET_UTF_16LE},
		{SLICE_INIT("\xfe\xff"), 2, CHARSET_UTF_16BE},
		{SLICE_INIT("<\0"), 0, CHARSET_UTF_16LE},
		{SLICE_INIT("\0<"), 0, CHARSET_UTF_16BE},
		{SLICE_INIT("h\0t\0"), 0, CHARSET_UTF_16LE},
		{SLICE_INIT("\0h\0t"), 0, CHARSET_UTF_16BE},
		{SLICE_INIT("\xef\xbb\xbf"), 3, CHARSET_UTF_8},
		{SLICE_INIT(""), 0, declared(*block)},
	};
	size_t i = 0;

	while (!slice_starts_with(*block, rows[i].start))
		i++;
	*block = slice_sub(*block, rows[i].mark, block->len);
	return rows[i].charset == CHARSET_UTF_8
		       ? 0
		       : charset_decoder_open(rows[i].charset, &r->decoder);
}

static int feed_text(struct sitemap_reader *r, slice block)
{
	switch (r->syntax) {
	case SYNTAX_TEXT:
		return sitemap_text_feed(&r->text, block);
	case SYNTAX_MARKUP:
		return sitemap_xml_feed(&r->xml, block);
	case SYNTAX_JSON:
		return buf_add(
			&r->json.text, slice_sub(block, 0, SITEMAP_JSON_MAX - r->json.text.len));
	case SYNTAX_UNDECIDED:
	case SYNTAX_NONE:
		break;
	}
	return 0;
}

/* Feeds what was read: decoded, which makes it half as long again at most, and then in pieces. */
static int feed(struct sitemap_reader *r, slice block)
{
	bool first = r->syntax == SYNTAX_UNDECIDED;
	int rc = first ? open_decoder(r, &block) : 0;

	if (rc == 0 && r->decoder)
		rc = charset_decode(r->decoder, block, false, &r->decoded, &block);
	if (first)
		r->syntax = sniff(block);
	for (; rc == 0 && block.len > 0; block = slice_sub(block, BLOCK, block.len))
		rc = feed_text(r, slice_sub(block, 0, BLOCK));
	return rc;
}

static int feed_end(struct sitemap_reader *r)
{
	switch (r->syntax) {
	case SYNTAX_TEXT:
		return end_line(&r->text);
	case SYNTAX_MARKUP:
		return sitemap_xml_end(&r->xml);
	case SYNTAX_JSON:
		return sitemap_json_end(&r->json);
	case SYNTAX_UNDECIDED:
	case SYNTAX_NONE:
		break;
	}
	return 0;
}

enum sitemap_format sitemap_format(const struct sitemap_reader *r)
{
	if (r->syntax == SYNTAX_TEXT)
		return r->text.taken ? SITEMAP_TEXT : SITEMAP_UNKNOWN;
	if (r->syntax == SYNTAX_JSON)
		return r->json.is_feed ? SITEMAP_JSON : SITEMAP_UNKNOWN;
	return r->xml.format;
}

/* Nothing more will be read; the parsers give what they still have. */
static void end_input(struct sitemap_reader *r, int why)
{
	int rc = feed_end(r);

	r->ended = true;
	(void)err_code(&r->end, rc);
	if (r->end.code == ERR_SYNTAX) { /* damaged gzip data: what came out of it is good */
		r->unpacked = r->end;
		r->end = (struct err){0};
	}
	if (why == ERR_END && sitemap_format(r) == SITEMAP_UNKNOWN)
		(void)err_set(&r->end, ERR_SYNTAX, "this is not a sitemap or a feed");
}

/* Reads and parses one block. */
static void pump(struct sitemap_reader *r)
{
	size_t len = 0;
	int rc;

	sitemap_queue_reset(&r->queue);
	rc = sitemap_input_read(&r->input, r->block, sizeof r->block, &len, &r->end);
	if (rc) {
		end_input(r, rc == ERR_SYNTAX ? ERR_END : rc);
		return;
	}
	rc = feed(r, (slice){r->block, len});
	if (rc) {
		r->ended = true;
		(void)err_code(&r->end, rc);
	}
}

/* What the root is resolved against and all that says nothing else, or NULL. */
static const struct url *root_base(struct sitemap_reader *r)
{
	const struct url *base = url_text(&r->base).len > 0 ? &r->base : NULL;

	if (!r->own_base_known && r->xml.base.len > 0) {
		if (url_parse(&r->own_base, buf_slice(&r->xml.base), base, NULL))
			buf_reset(&r->xml.base);
		r->own_base_known = true;
	}
	return r->xml.base.len > 0 ? &r->own_base : base;
}

/* Resolves each line against what the lines before gave; one that is no URL is passed over. */
static void resolve_lines(struct sitemap_reader *r, slice lines, const struct url *base)
{
	url_release(&r->inner_base);
	url_init(&r->inner_base);
	while (lines.len > 0)
		if (url_parse(&r->step, slice_take(&lines, '\n'), base, NULL) == 0 &&
			url_copy(&r->inner_base, &r->step) == 0)
			base = &r->inner_base;
}

/* What an address is resolved against whose elements have these xml:base, or NULL. */
static const struct url *base_of(struct sitemap_reader *r, slice lines)
{
	const struct url *base = root_base(r);

	if (lines.len == 0)
		return base;
	if (!slice_eq(buf_slice(&r->inner_text), lines)) {
		buf_reset(&r->inner_text);
		resolve_lines(r, lines, base);
		if (buf_add(&r->inner_text, lines))
			return base;
	}
	return url_text(&r->inner_base).len > 0 ? &r->inner_base : base;
}

/* "www.example.org/x" is meant as an address, not as a path. */
static int add_scheme(struct sitemap_reader *r, const struct url *base, slice *loc)
{
	int rc;

	if (!word_starts(*loc, SLICE("www.")))
		return 0;
	buf_reset(&r->with_scheme);
	buf_add(&r->with_scheme, base ? url_part(base, base->scheme) : SLICE("http"));
	buf_add_str(&r->with_scheme, "://");
	rc = buf_add(&r->with_scheme, *loc);
	*loc = buf_slice(&r->with_scheme);
	return rc;
}

/* The entry's address as a URL: whether it is one that a crawler can fetch. */
static bool resolve(struct sitemap_reader *r, slice bases, struct sitemap_entry *entry)
{
	const struct url *base = base_of(r, bases);

	if (add_scheme(r, base, &entry->loc) || url_parse(&r->url, entry->loc, base, NULL) ||
		!url_is_http(&r->url))
		return false;
	entry->loc = url_page(&r->url);
	return true;
}

int sitemap_next(struct sitemap_reader *r, struct sitemap_entry *ret, struct err *err)
{
	for (;;) {
		while (r->queue.next < r->queue.records.len) {
			const struct sitemap_record *record =
				&r->queue.records.ptr[r->queue.next++];
			struct sitemap_entry entry = record->entry;

			if (r->given == SITEMAP_ENTRIES_MAX)
				return err_set(err, ERR_LIMIT, "more than %d entries",
					SITEMAP_ENTRIES_MAX);
			if (resolve(r, record->base, &entry)) {
				r->given++;
				*ret = entry;
				return 0;
			}
			r->refused++;
		}
		if (r->ended)
			break;
		pump(r);
	}
	if (r->end.code)
		return err_set(err, r->end.code, "%s", r->end.text);
	return ERR_END;
}

static const char *describe_markup(const struct sitemap_reader *r)
{
	if (r->xml.format != SITEMAP_UNKNOWN && r->ended && !r->xml.root_closed)
		return "the end is missing";
	return r->xml.damage;
}

static void add_reason(struct buf *out, const char *text, uint64_t count)
{
	if (!text)
		return;
	(void)buf_printf(out, "%s%s", out->len ? "; " : "", text);
	if (count)
		(void)buf_printf(out, ": %llu", (unsigned long long)count);
}

const char *sitemap_damage(struct sitemap_reader *r)
{
	buf_reset(&r->damage);
	if (r->unpacked.code)
		add_reason(&r->damage, r->unpacked.text, 0);
	add_reason(&r->damage, describe_markup(r), 0);
	if (r->json.damage.code)
		add_reason(&r->damage, r->json.damage.text, 0);
	if (r->queue.overlong)
		add_reason(&r->damage, "addresses that are too long", r->queue.overlong);
	if (r->refused)
		add_reason(&r->damage, "addresses that are not http URLs", r->refused);
	if (r->syntax == SYNTAX_TEXT && r->text.passed_over)
		add_reason(&r->damage, "lines that are not URLs", r->text.passed_over);
	return r->damage.len ? buf_str(&r->damage) : NULL;
}

int64_t sitemap_lastmod(const struct sitemap_entry *entry)
{
	const struct w3cdate *d = &entry->lastmod;

	if (!entry->has_lastmod || d->precision < W3CDATE_DAY)
		return 0;
	return d->ns + (d->precision == W3CDATE_DAY ? HALF_A_DAY : 0);
}

static const char *const FREQUENCIES[] = {
	[SITEMAP_ALWAYS] = "always",
	[SITEMAP_HOURLY] = "hourly",
	[SITEMAP_DAILY] = "daily",
	[SITEMAP_WEEKLY] = "weekly",
	[SITEMAP_MONTHLY] = "monthly",
	[SITEMAP_YEARLY] = "yearly",
	[SITEMAP_NEVER] = "never",
};

const char *sitemap_frequency_name(enum sitemap_frequency frequency)
{
	return FREQUENCIES[frequency];
}

enum sitemap_frequency sitemap_frequency_parse(slice word)
{
	word = sitemap_trim(word);
	for (int i = SITEMAP_ALWAYS; i <= SITEMAP_NEVER; i++)
		if (word_is(word, slice_str(FREQUENCIES[i])))
			return (enum sitemap_frequency)i;
	return SITEMAP_FREQUENCY_NONE;
}
