#include "export/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive/warc_date.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/json.h"
#include "http/digest.h"
#include "text/page_reader.h"
#include "url/url.h"

enum {
	KEY_SIZE = 16, /* bytes of a digest that tell pages apart */
	KEYS_MAX = 1 << 30,
};

struct pages {
	FILE *out;
	bool wants_text;
	struct page_reader *reader;
	struct arena arena;
	struct strmap known;
	struct digester digester;
	struct buf main_url;
	struct pages_facts facts;
};

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

static int put_page(struct pages *p, const struct warc_record *rec, const struct page_text *text,
	const struct digest *key, struct err *err)
{
	char date[WARC_DATE_SIZE];
	struct json j;

	warc_date_format(rec->header.date, date);
	json_init_file(&j, p->out, JSON_LINES);
	json_object_begin(&j);
	put_key(&j, key);
	json_text(&j, "url", rec->header.url);
	json_put_string(&j, "ts", date);
	if (text->title.len)
		json_text(&j, "title", buf_slice(&text->title));
	if (p->wants_text) {
		json_key(&j, "text");
		json_slice(&j, buf_slice(&text->text));
	}
	json_object_end(&j);
	return json_finish(&j) ? err_set(err, ERR_IO, "a temporary file: %s", strerror(errno)) : 0;
}

static int add_page(
	void *context, const struct warc_record *rec, const struct page_text *text, struct err *err)
{
	struct pages *p = context;
	struct digest key;
	int rc = make_key(p, rec, &key);

	if (rc == 0)
		rc = strmap_put(&p->known, (slice){(const char *)key.bytes, KEY_SIZE}, 0);
	if (rc)
		return rc == ERR_EXISTS ? 0 : err_code(err, rc);
	if (p->facts.count == 0 && buf_add(&p->main_url, rec->header.url) == 0)
		p->facts.main_date = rec->header.date;
	p->facts.count++;
	return put_page(p, rec, text, &key, err);
}

int pages_open(FILE *out, bool text, struct pages **ret, struct err *err)
{
	struct pages *p = calloc(1, sizeof *p);
	int rc;

	if (!p)
		return err_code(err, ERR_NOMEM);
	p->out = out;
	p->wants_text = text;
	arena_init(&p->arena, KEYS_MAX);
	strmap_init(&p->known, hash_key_random(), &p->arena);
	buf_init(&p->main_url, URL_MAX);
	rc = page_reader_open(add_page, p, &p->reader, err);
	if (rc == 0)
		rc = put_head(p, err);
	if (rc)
		pages_close(p);
	else
		*ret = p;
	return rc;
}

void pages_close(struct pages *p)
{
	if (!p)
		return;
	page_reader_close(p->reader);
	strmap_release(&p->known);
	arena_release(&p->arena);
	digester_release(&p->digester);
	buf_release(&p->main_url);
	free(p);
}

int pages_read(struct pages *p, const struct warc_source *source, struct err *err)
{
	return page_reader_read(p->reader, source, err);
}

struct pages_facts pages_facts(const struct pages *p)
{
	struct pages_facts facts = p->facts;

	facts.main_url = p->facts.count ? buf_slice(&p->main_url) : (slice){0};
	facts.newest = page_reader_newest(p->reader);
	return facts;
}
