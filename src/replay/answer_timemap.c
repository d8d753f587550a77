/*
 * TimeMaps (RFC 7089, section 5): all mementos of a URL, as link format, as JSON, and as CDXJ in
 * the way of MemGator. More than PAGE_MEMENTOS come in pages, each of which names the others.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "formats/http_date.h"
#include "replay/answers.h"
#include "replay/memento_links.h"
#include "warc/warc_date.h"

enum {
	PAGE_MEMENTOS = 10000,
	ADDRESS_MAX = 80 << 10,
};

/* The page that is asked for: [first, end) of the list. */
struct timemap {
	const struct asked *a;
	const struct memento_vec *list;
	size_t first, end, pages;
	struct buf *out;
	struct buf address; /* scratch */
};

/* An address in the scratch buffer; "" when it does not fit. */
static slice timemap_address(struct timemap *t, enum route_format format, size_t page)
{
	buf_reset(&t->address);
	add_collection_address(&t->address, t->a->control, t->a->collection);
	buf_printf(&t->address, "timemap/%s/", route_format_name(format));
	if (page > 0)
		buf_printf(&t->address, "%zu/", page);
	buf_add(&t->address, t->a->page);
	if (t->address.error)
		buf_reset(&t->address);
	return buf_slice(&t->address);
}

static slice memento_address(struct timemap *t, const struct memento *m)
{
	buf_reset(&t->address);
	add_memento_address(&t->address, t->a->control, t->a->collection, m ? m->digits : NULL,
		ROUTE_FRAMED, m ? m->url : t->a->page);
	if (t->address.error)
		buf_reset(&t->address);
	return buf_slice(&t->address);
}

static const struct memento *first_of(const struct timemap *t, size_t page)
{
	return &t->list->ptr[(page - 1) * PAGE_MEMENTOS];
}

static const struct memento *last_of(const struct timemap *t, size_t page)
{
	size_t end = page * PAGE_MEMENTOS;

	return &t->list->ptr[(end < t->list->len ? end : t->list->len) - 1];
}

static size_t own_page(const struct timemap *t)
{
	return t->first / PAGE_MEMENTOS + 1;
}

static const char *relation_of(const struct timemap *t, size_t i)
{
	if (t->list->len == 1)
		return "first last memento";
	if (i == 0)
		return "first memento";
	return i + 1 == t->list->len ? "last memento" : "memento";
}

/* ---- link format ---- */

static void put_range(struct timemap *t, size_t page)
{
	char from[HTTP_DATE_SIZE], until[HTTP_DATE_SIZE];

	http_date_format(first_of(t, page)->time, from);
	http_date_format(last_of(t, page)->time, until);
	buf_printf(t->out, "; type=\"application/link-format\"; from=\"%s\"; until=\"%s\"", from,
		until);
}

static void put_link_format(struct timemap *t)
{
	slice address;

	buf_printf(t->out, "<%.*s>; rel=\"original\",\n<", (int)t->a->page.len, t->a->page.ptr);
	buf_add(t->out, timemap_address(t, ROUTE_LINK, t->a->route.page));
	buf_add_str(t->out, ">; rel=\"self\"");
	put_range(t, own_page(t));
	buf_add_str(t->out, ",\n<");
	buf_add(t->out, memento_address(t, NULL));
	buf_add_str(t->out, ">; rel=\"timegate\"");
	for (size_t page = 1; t->pages > 1 && page <= t->pages; page++) {
		if (page == own_page(t))
			continue;
		address = timemap_address(t, ROUTE_LINK, page);
		buf_printf(t->out, ",\n<%.*s>; rel=\"timemap\"", (int)address.len, address.ptr);
		put_range(t, page);
	}
	for (size_t i = t->first; i < t->end; i++) {
		buf_add_str(t->out, ",\n");
		links_add_memento(t->out, t->a, &t->list->ptr[i], relation_of(t, i));
	}
	buf_add_char(t->out, '\n');
}

/* ---- JSON ---- */

static void put_memento(struct json *j, struct timemap *t, const struct memento *m)
{
	char date[WARC_DATE_SIZE];

	warc_date_format(m->time, date);
	json_object_begin(j);
	json_put_string(j, "datetime", date);
	json_text(j, "uri", memento_address(t, m));
	json_object_end(j);
}

static void put_json_pages(struct json *j, struct timemap *t)
{
	char date[WARC_DATE_SIZE];

	json_key(j, "pages");
	json_array_begin(j);
	for (size_t page = 1; page <= t->pages; page++) {
		json_object_begin(j);
		json_text(j, "uri", timemap_address(t, ROUTE_JSON, page));
		warc_date_format(first_of(t, page)->time, date);
		json_put_string(j, "from", date);
		warc_date_format(last_of(t, page)->time, date);
		json_put_string(j, "until", date);
		json_object_end(j);
	}
	json_array_end(j);
}

static void put_timemap_uris(struct json *j, struct timemap *t)
{
	static const struct {
		const char *key;
		enum route_format format;
	} KINDS[] = {
		{"link_format", ROUTE_LINK},
		{"json_format", ROUTE_JSON},
		{"cdxj_format", ROUTE_CDXJ},
	};

	json_object_begin(j);
	for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
		json_text(j, KINDS[i].key, timemap_address(t, KINDS[i].format, 0));
	json_object_end(j);
}

static void put_json(struct timemap *t)
{
	struct json j;

	json_init_buf(&j, t->out, JSON_LINES);
	json_object_begin(&j);
	json_text(&j, "original_uri", t->a->page);
	json_text(&j, "timegate_uri", memento_address(t, NULL));
	json_key(&j, "timemap_uri");
	put_timemap_uris(&j, t);
	if (t->pages > 1)
		put_json_pages(&j, t);
	json_key(&j, "mementos");
	json_object_begin(&j);
	json_key(&j, "list");
	json_array_begin(&j);
	for (size_t i = t->first; i < t->end; i++)
		put_memento(&j, t, &t->list->ptr[i]);
	json_array_end(&j);
	json_key(&j, "first");
	put_memento(&j, t, &t->list->ptr[0]);
	json_key(&j, "last");
	put_memento(&j, t, &t->list->ptr[t->list->len - 1]);
	json_object_end(&j);
	json_object_end(&j);
	(void)!json_finish(&j);
}

/* ---- CDXJ ---- */

static void put_meta(struct timemap *t, const char *key, slice value)
{
	struct json j;

	buf_add_str(t->out, "!meta ");
	json_init_buf(&j, t->out, JSON_LINES);
	json_object_begin(&j);
	json_text(&j, key, value);
	json_object_end(&j);
	(void)!json_finish(&j);
}

static void put_cdxj_memento(struct timemap *t, size_t i)
{
	const struct memento *m = &t->list->ptr[i];
	char date[HTTP_DATE_SIZE];
	struct json j;

	buf_printf(t->out, "%s ", m->digits);
	http_date_format(m->time, date);
	json_init_buf(&j, t->out, JSON_LINES);
	json_object_begin(&j);
	json_text(&j, "uri", memento_address(t, m));
	json_put_string(&j, "rel", relation_of(t, i));
	json_put_string(&j, "datetime", date);
	json_object_end(&j);
	(void)!json_finish(&j);
}

static void put_cdxj(struct timemap *t)
{
	buf_add_str(t->out, "!context [\"http://tools.ietf.org/html/rfc7089\"]\n"
			    "!keys [\"memento_datetime_YYYYMMDDhhmmss\"]\n");
	put_meta(t, "original_uri", t->a->page);
	put_meta(t, "timegate_uri", memento_address(t, NULL));
	put_meta(t, "timemap_uri", timemap_address(t, ROUTE_CDXJ, t->a->route.page));
	for (size_t page = 1; t->pages > 1 && page <= t->pages; page++)
		put_meta(t, "timemap_page", timemap_address(t, ROUTE_CDXJ, page));
	for (size_t i = t->first; i < t->end; i++)
		put_cdxj_memento(t, i);
}

/* ---- the answer ---- */

static const struct {
	const char *type;
	void (*put)(struct timemap *t); /* errors stay in its buffer */
} WRITERS[] = {
	[ROUTE_LINK] = {"application/link-format", put_link_format},
	[ROUTE_JSON] = {"application/json", put_json},
	[ROUTE_CDXJ] = {"application/cdxj+ors", put_cdxj},
};

static void answer_list(struct asked *a, const struct found *found)
{
	struct timemap t = {.a = a, .list = &found->mementos.list, .out = &a->response->body};
	size_t page = a->route.page ? a->route.page : 1;

	t.pages = (t.list->len + PAGE_MEMENTOS - 1) / PAGE_MEMENTOS;
	if (page > t.pages) {
		answer_error(a, STATUS_NOT_FOUND, "the TimeMap has no such page");
		return;
	}
	t.first = (page - 1) * PAGE_MEMENTOS;
	t.end = page * PAGE_MEMENTOS < t.list->len ? page * PAGE_MEMENTOS : t.list->len;
	buf_init(&t.address, ADDRESS_MAX);
	a->response->status = STATUS_OK;
	WRITERS[a->route.format].put(&t);
	if (a->response->body.error) {
		buf_reset(&a->response->body);
		answer_error(a, STATUS_ERROR, "the TimeMap is too large");
	} else {
		answer_header(a, "Content-Type", "%s", WRITERS[a->route.format].type);
	}
	buf_release(&t.address);
}

void answer_timemap(struct asked *a)
{
	struct wanted wanted = {.page = a->page, .key = buf_slice(&a->key), .time = INT64_MAX};
	struct found found = {0};
	struct err err = {0};

	if (!asked_is_read(a))
		return;
	if (choice_find(a->collection, &wanted, &found, &err))
		answer_failure(a, &err);
	else if (found.mementos.list.len == 0)
		answer_missing(a, &found);
	else
		answer_list(a, &found);
	found_release(&found);
}
