#include "extract/sitemap.h"

#include <libxml/parser.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/word.h"
#include "extract/charset.h"
#include "extract/sitemap_input.h"
#include "extract/sitemap_json.h"
#include "extract/sitemap_record.h"
#include "extract/sitemap_repair.h"
#include "extract/sitemap_text.h"
#include "extract/sitemap_xml.h"
#include "url/url.h"

#define HALF_A_DAY INT64_C(43200000000000) /* ns */

enum {
	BLOCK = 16 << 10, /* bytes parsed at a time, and looked at to tell text from XML */
	REPAIRED_MAX = 5 * BLOCK + SITEMAP_HELD_MAX +
		       SITEMAP_DEPTH_MAX * (SITEMAP_NAME_MAX + 3), /* of one block */
};

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
	struct charset_decoder *wide; /* from UTF-16; NULL for anything else */
	struct buf narrow;            /* what it gave */
	struct sitemap_repair repair;
	struct buf repaired;
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
	struct sitemap_reader *r = calloc(1, sizeof *r);
	int rc;

	if (!r)
		return err_code(err, ERR_NOMEM);
	url_init(&r->base);
	url_init(&r->own_base);
	url_init(&r->inner_base);
	url_init(&r->step);
	url_init(&r->url);
	buf_init(&r->narrow, CHARSET_EXPANSION * (size_t)BLOCK);
	buf_init(&r->inner_text, SITEMAP_BASE_MAX);
	buf_init(&r->repaired, REPAIRED_MAX);
	buf_init(&r->with_scheme, URL_MAX);
	buf_init(&r->damage, ERR_TEXT_MAX);
	sitemap_repair_init(&r->repair);
	sitemap_queue_init(&r->queue);
	sitemap_text_init(&r->text, &r->queue);
	sitemap_json_init(&r->json, &r->queue);
	rc = err_code(err, sitemap_xml_init(&r->xml, &r->queue));
	if (rc == 0 && base.len > 0)
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
	sitemap_text_release(&r->text);
	sitemap_json_release(&r->json);
	sitemap_queue_release(&r->queue);
	buf_release(&r->repaired);
	buf_release(&r->with_scheme);
	buf_release(&r->damage);
	url_release(&r->base);
	url_release(&r->own_base);
	url_release(&r->inner_base);
	url_release(&r->step);
	url_release(&r->url);
	buf_release(&r->narrow);
	buf_release(&r->inner_text);
	charset_decoder_close(r->wide);
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

/* Opens the decoder when the first block is UTF-16, with a mark or without; drops the mark. */
static int open_wide(struct sitemap_reader *r, slice *block)
{
	static const struct {
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
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!slice_starts_with(*block, rows[i].start))
			continue;
		*block = slice_sub(*block, rows[i].mark, block->len);
		return charset_decoder_open(rows[i].charset, &r->wide);
	}
	if (slice_starts_with(*block, SLICE("\xef\xbb\xbf")))
		*block = slice_sub(*block, 3, block->len);
	return 0;
}

/* Without the declaration at its beginning, which still says that the text is in UTF-16. */
static slice drop_declaration(slice text)
{
	const char *end = slice_starts_with(text, SLICE("<?xml"))
				  ? memmem(text.ptr, text.len, "?>", 2)
				  : NULL;

	return end ? slice_sub(text, (size_t)(end - text.ptr) + 2, text.len) : text;
}

static int feed_text(struct sitemap_reader *r, slice block)
{
	int rc;

	switch (r->syntax) {
	case SYNTAX_TEXT:
		return sitemap_text_feed(&r->text, block);
	case SYNTAX_MARKUP:
		buf_reset(&r->repaired);
		rc = sitemap_repair_feed(&r->repair, block, &r->repaired);
		return rc ? rc : sitemap_xml_feed(&r->xml, buf_slice(&r->repaired));
	case SYNTAX_JSON:
		return sitemap_json_feed(&r->json, block);
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
	int rc = first ? open_wide(r, &block) : 0;

	if (rc == 0 && r->wide)
		rc = charset_decode(r->wide, block, false, &r->narrow, &block);
	if (first && r->wide)
		block = drop_declaration(block);
	if (first)
		r->syntax = sniff(block);
	for (; rc == 0 && block.len > 0; block = slice_sub(block, BLOCK, block.len))
		rc = feed_text(r, slice_sub(block, 0, BLOCK));
	return rc;
}

static int feed_end(struct sitemap_reader *r)
{
	int rc;

	switch (r->syntax) {
	case SYNTAX_TEXT:
		return sitemap_text_end(&r->text);
	case SYNTAX_MARKUP:
		buf_reset(&r->repaired);
		rc = sitemap_repair_end(&r->repair, &r->repaired);
		if (rc == 0)
			rc = sitemap_xml_feed(&r->xml, buf_slice(&r->repaired));
		return rc ? rc : sitemap_xml_end(&r->xml);
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
	size_t len;
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
static int resolve_lines(struct sitemap_reader *r, slice lines, const struct url *base)
{
	int rc = 0;

	url_release(&r->inner_base);
	url_init(&r->inner_base);
	while (lines.len > 0 && rc != ERR_NOMEM) {
		rc = url_parse(&r->step, slice_take(&lines, '\n'), base, NULL);
		if (rc == 0)
			rc = url_copy(&r->inner_base, &r->step);
		if (rc == 0)
			base = &r->inner_base;
	}
	return rc == ERR_NOMEM ? rc : 0;
}

/* What an address is resolved against whose elements have these xml:base, or NULL. */
static const struct url *base_of(struct sitemap_reader *r, slice lines)
{
	const struct url *base = root_base(r);

	if (lines.len == 0)
		return base;
	if (!slice_eq(buf_slice(&r->inner_text), lines)) {
		buf_reset(&r->inner_text);
		if (resolve_lines(r, lines, base) || buf_add(&r->inner_text, lines))
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
	rc = buf_add(&r->with_scheme, base ? url_part(base, base->scheme) : SLICE("http"));
	if (rc == 0)
		rc = buf_add_str(&r->with_scheme, "://");
	if (rc == 0)
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
	if (!r->xml.root_seen)
		return NULL;
	if (r->syntax == SYNTAX_MARKUP && r->ended && !r->repair.root_closed)
		return "the end is missing";
	if (r->xml.error[0])
		return r->xml.error;
	return r->repair.mended ? "not well-formed XML" : NULL;
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

void sitemap_init_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, xmlInitParser);
}
