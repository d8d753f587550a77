#include "export/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive/warc_date.h"
#include "archive/warc_reader.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/word.h"
#include "extract/page.h"
#include "http/message.h"
#include "url/url.h"

enum {
	KEY_SIZE = 16, /* bytes of a digest that tell pages apart */
	KEYS_MAX = 1 << 30,
};

struct pages {
	FILE *out;
	bool wants_text;
	struct message *message;
	struct page *page;
	struct page_text text;
	bool begun;  /* a body has, and it is HTML */
	bool passed; /* it is something else */
	struct arena arena;
	struct strmap known;
	struct digester digester;
	struct buf main_url;
	struct pages_facts facts;
};

static bool is_html(slice content_type)
{
	slice type = fields_media_type(content_type);

	return word_is(type, SLICE("text/html")) || word_is(type, SLICE("application/xhtml+xml"));
}

static int feed_page(struct pages *p, slice content_type, slice decoded)
{
	if (!p->begun && !p->passed) {
		p->passed = !is_html(content_type);
		p->begun = !p->passed;
		if (p->begun)
			page_open(p->page, &(struct page_params){
						   .content_type = content_type, .text = &p->text});
	}
	return p->begun ? page_feed(p->page, decoded) : 0;
}

static int on_body(void *context, slice decoded)
{
	struct pages *p = context;

	return feed_page(p, fields_get(message_fields(p->message), SLICE("Content-Type")), decoded);
}

static int put_head(struct pages *p, struct err *err)
{
	struct json j;

	json_init_file(&j, p->out, JSON_LINES);
	json_object_begin(&j);
	json_put_string(&j, "format", "json-pages-1.0");
	json_put_string(&j, "id", "pages");
	json_put_string(&j, "title", "All Pages");
	json_put_bool(&j, "hasText", p->wants_text);
	json_object_end(&j);
	return json_finish(&j) ? err_set(err, ERR_IO, "a temporary file: %s", strerror(errno)) : 0;
}

int pages_open(FILE *out, bool text, struct pages **ret, struct err *err)
{
	struct pages *p = calloc(1, sizeof *p);
	int rc;

	if (!p)
		return err_code(err, ERR_NOMEM);
	p->out = out;
	p->wants_text = text;
	page_text_init(&p->text);
	arena_init(&p->arena, KEYS_MAX);
	strmap_init(&p->known, hash_key_random(), &p->arena);
	buf_init(&p->main_url, URL_MAX);
	p->message = message_new(on_body, p);
	p->page = malloc(sizeof *p->page);
	rc = p->message && p->page ? put_head(p, err) : err_code(err, ERR_NOMEM);
	if (rc)
		pages_close(p);
	else
		*ret = p;
	return rc;
}

static void end_page(struct pages *p)
{
	if (p->begun)
		page_close(p->page);
	p->begun = p->passed = false;
	page_text_release(&p->text);
	page_text_init(&p->text);
}

void pages_close(struct pages *p)
{
	if (!p)
		return;
	end_page(p);
	page_text_release(&p->text);
	message_free(p->message);
	free(p->page);
	strmap_release(&p->known);
	arena_release(&p->arena);
	digester_release(&p->digester);
	buf_release(&p->main_url);
	free(p);
}

/* ---- lines ---- */

/* What tells this version of the page from all others. */
static int make_key(struct pages *p, const struct warc_record *rec, struct digest *ret)
{
	slice payload = warc_header_get(&rec->header, SLICE("WARC-Payload-Digest"));
	slice date = warc_header_get(&rec->header, SLICE("WARC-Date"));
	int rc = digester_start(&p->digester, DIGEST_SHA256);

	if (rc == 0)
		rc = digester_feed(&p->digester, rec->header.url);
	if (rc == 0)
		rc = digester_feed(&p->digester, SLICE("\n"));
	if (rc == 0)
		rc = digester_feed(&p->digester, payload.len ? payload : date);
	return rc ? rc : digester_finish(&p->digester, ret);
}

static void put_key(struct json *j, const struct digest *key)
{
	char hex[2 * KEY_SIZE + 1];

	for (size_t i = 0; i < KEY_SIZE; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", key->bytes[i]);
	json_put_string(j, "id", hex);
}

static int put_page(
	struct pages *p, const struct warc_record *rec, const struct digest *key, struct err *err)
{
	char date[WARC_DATE_SIZE];
	struct json j;

	warc_date_format(rec->header.date, date);
	json_init_file(&j, p->out, JSON_LINES);
	json_object_begin(&j);
	put_key(&j, key);
	json_text(&j, "url", rec->header.url);
	json_put_string(&j, "ts", date);
	if (p->text.title.len)
		json_text(&j, "title", buf_slice(&p->text.title));
	if (p->wants_text) {
		json_key(&j, "text");
		json_slice(&j, buf_slice(&p->text.text));
	}
	json_object_end(&j);
	return json_finish(&j) ? err_set(err, ERR_IO, "a temporary file: %s", strerror(errno)) : 0;
}

static int add_page(struct pages *p, const struct warc_record *rec, struct err *err)
{
	struct digest key;
	int rc = make_key(p, rec, &key);

	if (rc == 0)
		rc = strmap_put(&p->known, (slice){(const char *)key.bytes, KEY_SIZE}, 0);
	if (rc)
		return rc == ERR_EXISTS ? 0 : err_code(err, rc);
	if (p->facts.count == 0 && buf_add(&p->main_url, rec->header.url) == 0)
		p->facts.main_date = rec->header.date;
	p->facts.count++;
	return put_page(p, rec, &key, err);
}

/* ---- records ---- */

static bool may_be_page(const struct warc_record *rec)
{
	if (rec->is_gap || !rec->header.url.ptr || !rec->header.has_date)
		return false;
	return rec->header.type == WARC_TYPE_RESPONSE ||
	       (rec->header.type == WARC_TYPE_RESOURCE && is_html(rec->header.content_type));
}

static bool is_http(const struct warc_record *rec)
{
	return rec->header.type == WARC_TYPE_RESPONSE;
}

static int read_block(
	struct pages *p, struct warc_reader *r, const struct warc_record *rec, struct err *err)
{
	slice bytes;
	int rc;

	message_start(p->message);
	while ((rc = warc_reader_block(r, &bytes, err)) == 0) {
		rc = is_http(rec) ? message_feed(p->message, bytes)
				  : feed_page(p, rec->header.content_type, bytes);
		if (rc)
			return err_code(err, rc);
	}
	return rc == ERR_END ? 0 : rc;
}

/* Also of a body that is cut: what there is of it is a page to read. */
static int finish_block(struct pages *p, const struct warc_record *rec, struct err *err)
{
	struct state_result state;
	int rc = is_http(rec) ? message_finish(p->message, &state) : 0;

	if (rc == ERR_SYNTAX || !p->begun)
		return 0;
	if (rc == 0)
		rc = page_finish(p->page);
	if (rc)
		return err_code(err, rc);
	if (is_http(rec) && rec->status / 100 != 2)
		return 0;
	return add_page(p, rec, err);
}

static int read_record(
	struct pages *p, struct warc_reader *r, const struct warc_record *rec, struct err *err)
{
	bool wanted = may_be_page(rec);
	int rc = 0;

	if (wanted)
		rc = read_block(p, r, rec, err);
	if (rc == 0)
		rc = warc_reader_end(r, err);
	if (rc == 0 && !rec->is_gap && rec->header.has_date && rec->header.date > p->facts.newest)
		p->facts.newest = rec->header.date;
	if (rc == 0 && wanted && rec->problem.code == 0)
		rc = finish_block(p, rec, err);
	end_page(p);
	return rc;
}

int pages_read(struct pages *p, const struct warc_source *source, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, err);

	if (rc)
		return rc;
	while (rc == 0 && (rc = warc_reader_next(r, &rec, err)) == 0)
		rc = read_record(p, r, rec, err);
	warc_reader_close(r);
	return rc == ERR_END ? 0 : rc;
}

struct pages_facts pages_facts(const struct pages *p)
{
	struct pages_facts facts = p->facts;

	facts.main_url = p->facts.count ? buf_slice(&p->main_url) : (slice){0};
	return facts;
}
