#include "archive/rates_contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "formats/http_message.h"
#include "formats/page.h"
#include "formats/resolve.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"
#include "warc/warc_set.h"

struct reader {
	struct rates_contents *contents;
	struct message *message;
	struct page *page;
	bool begun; /* a body has */
	struct links links;
	struct page_text text;
	struct resolver resolver;
	struct url url; /* of the record */
};

void rates_contents_init(struct rates_contents *c, const struct page_table *table)
{
	*c = (struct rates_contents){.table = table};
	while (c->pages.len < table->pages.len)
		pages_contents_push(&c->pages, (struct page_contents){0});
}

void rates_contents_release(struct rates_contents *c)
{
	pages_contents_release(&c->pages);
}

static struct page_contents *find(const struct rates_contents *c, slice url)
{
	uint32_t page;

	return strmap_get(&c->table->map, url, &page) && page < c->pages.len ? &c->pages.ptr[page]
									     : NULL;
}

const struct page_contents *rates_contents_find(const struct rates_contents *c, slice url)
{
	const struct page_contents *found = find(c, url);

	return found && found->known ? found : NULL;
}

/* ---- a page ---- */

static int on_body(void *context, slice decoded)
{
	struct reader *r = context;
	slice type = media_type_of_head(message_fields(r->message));

	if (!r->begun)
		page_open(r->page,
			&(struct page_params){
				.content_type = type, .links = &r->links, .text = &r->text});
	r->begun = true;
	return page_feed(r->page, decoded);
}

static void count_links(struct reader *r, struct page_contents *out)
{
	struct resolved_link link;

	resolver_start(&r->resolver, &r->links, &r->url);
	while (resolver_next(&r->resolver, &link)) {
		struct page_contents *target;

		if (link.kind != LINK_PAGE)
			continue;
		target = find(r->contents, url_page(link.parsed));
		if (target && target == out)
			continue;
		out->out_links++;
		if (target)
			target->in_links++;
	}
}

static int finish_page(struct reader *r, struct page_contents *out)
{
	struct state_result state;
	int rc = message_finish(r->message, &state);

	if (rc == ERR_SYNTAX || !r->begun)
		return 0;
	if (rc == 0)
		rc = page_finish(r->page);
	if (rc || r->page->format != PAGE_HTML)
		return rc;
	out->known = true;
	out->images = (uint32_t)r->text.images;
	out->tables = (uint32_t)r->text.tables;
	count_links(r, out);
	return 0;
}

static int read_page(struct reader *r, struct warc_reader *warc, const struct warc_record *record,
	struct page_contents *out, struct err *err)
{
	slice bytes;
	int rc;

	message_start(r->message);
	links_reset(&r->links);
	page_text_init(&r->text);
	r->begun = false;
	while ((rc = warc_reader_block(warc, &bytes, err)) == 0) {
		rc = message_feed(r->message, bytes);
		if (rc)
			break;
	}
	if (rc == ERR_END)
		rc = warc_reader_end(warc, err);
	if (rc == 0 && record->problem.code == 0 && record->status / 100 == 2)
		rc = finish_page(r, out);
	if (r->begun)
		page_close(r->page);
	page_text_release(&r->text);
	return err_code(err, rc);
}

/* ---- files ---- */

/* The page of a response that is worth reading, or NULL. */
static struct page_contents *wanted(struct reader *r, const struct warc_record *record)
{
	const struct warc_header *h = &record->header;
	struct page_contents *found;

	if (record->is_gap || h->type != WARC_TYPE_RESPONSE || !h->url.ptr ||
		url_parse(&r->url, h->url, NULL, NULL))
		return NULL;
	found = find(r->contents, url_page(&r->url));
	return found && !found->known ? found : NULL;
}

static int read_record(
	void *context, struct warc_reader *warc, const struct warc_record *record, struct err *err)
{
	struct page_contents *out = wanted(context, record);

	return out ? read_page(context, warc, record, out, err) : 0;
}

static int read_file(void *context, const struct warc_set_file *file, struct err *err)
{
	return record_each(&file->source, WARC_READER_UNCHECKED, read_record, context, err);
}

int rates_contents_read(struct rates_contents *c, const char *path, struct err *err)
{
	struct reader r = {.contents = c, .page = mem_new(1, sizeof *r.page)};
	int rc;

	r.message = message_new(on_body, &r);
	if (!r.message)
		mem_end();
	links_init(&r.links);
	resolver_init(&r.resolver, hash_key_random());
	url_init(&r.url);
	rc = warc_set_each_of_archive(path, tempfile_dir(), read_file, &r, err);
	links_release(&r.links);
	resolver_release(&r.resolver);
	url_release(&r.url);
	message_free(r.message);
	free(r.page);
	return rc;
}
