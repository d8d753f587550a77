#include "replay/parts.h"

#include "extract/page.h"
#include "extract/resolve.h"
#include "replay/body.h"
#include "replay/live_archive.h"

enum {
	ARENA_MAX = 64 << 20,
	BODY_MAX = 32 << 20, /* bytes of a document that are read */
};

void parts_init(struct parts *r)
{
	*r = (struct parts){.cut = false};
	arena_init(&r->arena, ARENA_MAX);
	strmap_init(&r->seen, hash_key_random(), &r->arena);
}

void parts_release(struct parts *r)
{
	slice_vec_release(&r->urls);
	strmap_release(&r->seen);
	arena_release(&r->arena);
}

/* Adds a URL unless it is there: 0 or ERR_NOMEM. */
static int parts_add(struct parts *r, slice url)
{
	slice copy = {NULL, url.len};
	int rc;

	if (strmap_get(&r->seen, url, NULL))
		return 0;
	if (r->urls.len >= PARTS_MAX) {
		r->cut = true;
		return 0;
	}
	copy.ptr = arena_strdup(&r->arena, url);
	if (!copy.ptr)
		return ERR_NOMEM;
	rc = strmap_put(&r->seen, url, 0);
	return rc ? rc : slice_vec_push(&r->urls, copy);
}

/* An empty URL: the archive knows of a requisite that it did not keep. */
static int on_url(void *context, slice url)
{
	struct parts *r = context;

	if (url.len > 0)
		return parts_add(r, url);
	r->cut = true;
	return 0;
}

int parts_from_archive(
	struct parts *r, struct collection *c, slice page, uint32_t capture, struct err *err)
{
	if (!c->live)
		return 0;
	return live_archive_each_requisite(c->live, page, capture, on_url, r, err);
}

static int add_resolved(struct parts *r, const struct links *links, slice url)
{
	struct resolved_link link;
	struct resolver resolver;
	struct url document;
	int rc;

	url_init(&document);
	resolver_init(&resolver, hash_key_random());
	rc = url_parse(&document, url, NULL, NULL);
	if (rc == 0)
		rc = resolver_start(&resolver, links, &document);
	while (rc == 0 && (rc = resolver_next(&resolver, &link)) == 0)
		if (link_kind_is_requisite(link.kind))
			rc = parts_add(r, link.url);
	resolver_release(&resolver);
	url_release(&document);
	return rc == ERR_NOMEM ? rc : 0;
}

static int read_links(
	struct parts *r, struct record *record, slice url, slice content_type, struct err *err)
{
	struct body *body = NULL;
	struct links links;
	struct page page;
	int rc;

	links_init(&links);
	page_open(&page, &(struct page_params){.content_type = content_type, .links = &links});
	rc = body_new_decoded(record, &body, err);
	if (rc == 0)
		rc = body_read_page(body, BODY_MAX, &page, err);
	if (rc == 0)
		rc = err_code(err, add_resolved(r, &links, url));
	page_close(&page);
	links_release(&links);
	body_free(body);
	return rc == ERR_NOMEM ? rc : 0;
}

int parts_from_body(struct parts *r, struct collection *c, const struct memento *m, struct err *err)
{
	struct record *record = NULL;
	struct err ignored = {0};
	slice type;
	int rc = record_open(c, m, &record, &ignored);

	if (rc)
		return rc == ERR_NOMEM ? err_code(err, rc) : 0;
	type = fields_trim(record_head(record)->content_type);
	if (page_format_of(type) == PAGE_OPAQUE || page_format_of(type) == PAGE_PLAIN) {
		record_close(record);
		return 0;
	}
	return read_links(r, record, m->url, type, err);
}
