#include "text/page_reader.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/word.h"
#include "formats/http_message.h"
#include "formats/page.h"
#include "warc/record_body.h"

struct page_reader {
	page_reader_call *call;
	void *context;
	struct message *message;
	struct page *page;
	struct page_text text;
	bool begun;  /* a body has, and it is HTML */
	bool passed; /* it is something else */
	bool revisits;
	int64_t newest;
};

static bool is_html(slice content_type)
{
	slice type = fields_media_type(content_type);

	return word_is(type, SLICE("text/html")) || word_is(type, SLICE("application/xhtml+xml"));
}

static int feed_page(struct page_reader *p, slice content_type, slice decoded)
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
	struct page_reader *p = context;

	return feed_page(p, media_type_of_head(message_fields(p->message)), decoded);
}

struct page_reader *page_reader_open(page_reader_call *call, void *context)
{
	struct page_reader *p = mem_new(1, sizeof *p);

	p->call = call;
	p->context = context;
	page_text_init(&p->text);
	p->message = message_new(on_body, p);
	if (!p->message)
		mem_end();
	p->page = mem_resize(NULL, 1, sizeof *p->page);
	return p;
}

static void end_page(struct page_reader *p)
{
	if (p->begun)
		page_close(p->page);
	p->begun = p->passed = false;
	page_text_release(&p->text);
	page_text_init(&p->text);
}

void page_reader_close(struct page_reader *p)
{
	if (!p)
		return;
	end_page(p);
	page_text_release(&p->text);
	message_free(p->message);
	free(p->page);
	free(p);
}

void page_reader_with_revisits(struct page_reader *p)
{
	p->revisits = true;
}

/* ---- records ---- */

static bool is_revisit(const struct page_reader *p, const struct warc_record *rec)
{
	return p->revisits && !rec->is_gap && rec->header.url.ptr && rec->header.has_date &&
	       rec->header.type == WARC_TYPE_REVISIT && rec->problem.code == 0;
}

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

static int read_block(struct page_reader *p, struct warc_reader *r, const struct warc_record *rec,
	struct err *err)
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

static int finish_block(struct page_reader *p, const struct warc_record *rec, struct err *err)
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
	return p->call(p->context, rec, &p->text, err);
}

static int read_record(
	void *context, struct warc_reader *r, const struct warc_record *rec, struct err *err)
{
	struct page_reader *p = context;
	bool wanted = may_be_page(rec);
	int rc = 0;

	if (wanted)
		rc = read_block(p, r, rec, err);
	if (rc == 0)
		rc = warc_reader_end(r, err);
	if (rc == 0 && !rec->is_gap && rec->header.has_date && rec->header.date > p->newest)
		p->newest = rec->header.date;
	if (rc == 0 && wanted && rec->problem.code == 0)
		rc = finish_block(p, rec, err);
	else if (rc == 0 && is_revisit(p, rec))
		rc = p->call(p->context, rec, NULL, err);
	end_page(p);
	return rc;
}

int page_reader_read(struct page_reader *p, const struct warc_source *source, struct err *err)
{
	return record_each(source, WARC_READER_UNCHECKED, read_record, p, err);
}

int64_t page_reader_newest(const struct page_reader *p)
{
	return p->newest;
}
