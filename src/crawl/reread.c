#include "crawl/reread.h"

#include <stdlib.h>

#include "archive/record_body.h"
#include "base/log.h"
#include "crawl/capture.h"
#include "http/fields.h"
#include "quality/look.h"
#include "quality/originals.h"

void reread_release(struct reread *r)
{
	reread_events_release(&r->unread);
	r->untabled = 0;
}

bool reread_note(struct reread *r, const struct catalog_event *e, int *ret_rc)
{
	*ret_rc = 0;
	switch (e->kind) {
	case CATALOG_EVENT_UNREAD:
		*ret_rc = reread_events_push(&r->unread, *e);
		return true;
	case CATALOG_EVENT_UNTABLED:
		r->untabled = e->page + 1;
		return true;
	case CATALOG_EVENT_SETTLED:
		reread_release(r);
		return true;
	default:
		return false;
	}
}

/* ---- lines of the page table ---- */

struct tabling {
	struct capture *capture;
	uint32_t from;
	struct err *err;
};

static int add_line(struct tabling *t, struct catalog_row row)
{
	row.capture = t->capture->row.id;
	return store_line(&t->capture->lane->store, t->capture->row.uuid, &row, t->err);
}

static int on_page(void *context, const struct catalog_page *page)
{
	struct tabling *t = context;
	int rc;

	if (page->number < t->from)
		return 0;
	rc = add_line(t, (struct catalog_row){CATALOG_ROW_ADD_PAGE, .page = page});
	if (rc == 0 && page->content)
		rc = add_line(t, (struct catalog_row){CATALOG_ROW_MARK_PAGE, .page = page});
	return rc;
}

static int on_requisite(void *context, const struct catalog_requisite *r)
{
	struct tabling *t = context;

	if (r->page < t->from)
		return 0;
	return add_line(t, (struct catalog_row){CATALOG_ROW_REQUISITE, .requisite = r});
}

static int add_lines(struct capture *c, struct catalog *catalog, uint32_t from, struct err *err)
{
	struct tabling t = {c, from, err};
	int rc = catalog_each_page(catalog, c->row.id, on_page, &t, err);

	return rc ? rc : catalog_each_requisite(catalog, c->row.id, on_requisite, &t, err);
}

/* ---- links ---- */

VEC_DECLARE(reread_attempts, struct attempt);

struct rereading {
	struct capture *capture;
	const struct reread *wanted;
	struct reread_attempts attempts;
	struct arena texts; /* of those */
	struct originals originals;
	struct buf block; /* head and body of a response */
	struct buf url;
	struct err *err;
};

static int compare_orders(const struct catalog_event *x, const struct catalog_event *y)
{
	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->leg != y->leg)
		return x->leg < y->leg ? -1 : 1;
	return x->attempt < y->attempt ? -1 : x->attempt > y->attempt;
}

static int by_order(const void *x, const void *y)
{
	return compare_orders(x, y);
}

static int on_observation(void *context, const struct attempt *a)
{
	struct rereading *r = context;
	struct catalog_event key = {
		.page = a->page, .leg = (uint8_t)a->leg, .attempt = (uint8_t)a->number};
	struct attempt copy = *a;
	int rc;

	if (a->page >= r->capture->pages.list.len || !a->warc.ptr ||
		!bsearch(&key, r->wanted->unread.ptr, r->wanted->unread.len, sizeof key, by_order))
		return 0;
	rc = attempt_keep(&copy, &r->texts);
	return err_code(r->err, rc ? rc : reread_attempts_push(&r->attempts, copy));
}

/* Head and body, which may be in another record. */
static int read_block(struct rereading *r, const struct attempt *a, struct err *err)
{
	const char *dir = r->capture->lane->directory->warc;
	struct record_place place = {a->warc, a->offset, a->record_id};
	struct attempt original;
	struct buf refers_to;
	int rc;

	buf_reset(&r->block);
	buf_init(&refers_to, FIELDS_HEAD_MAX);
	rc = record_block_read(dir, &place, &r->block, &refers_to, err);
	if (rc == 0 && refers_to.len > 0)
		rc = originals_find(&r->originals, buf_slice(&refers_to), &original, err);
	if (rc == 0 && refers_to.len > 0) {
		place = (struct record_place){original.warc, original.offset, original.record_id};
		rc = record_body_read(dir, &place, 0, &r->block, err);
	}
	buf_release(&refers_to);
	return rc;
}

/* The response as if it had just come. */
static int read_again(struct rereading *r, const struct attempt *a)
{
	struct capture *c = r->capture;
	struct net_fetch f = {.status = a->status, .spool = -1};
	slice target, post;
	size_t from = 0, end;
	int rc = pages_url(&c->pages, a->page, &r->url, r->err);

	if (rc)
		return rc;
	end = fields_find_end(buf_slice(&r->block), &from);
	f.url = buf_slice(&r->url);
	f.is_post = pages_is_post(&c->pages, a->page, f.url, &target, &post);
	if (f.is_post)
		f.url = target;
	f.head = slice_sub(buf_slice(&r->block), 0, end);
	f.body = slice_sub(buf_slice(&r->block), end, r->block.len);
	f.body_size = f.body.len;
	return response_read_again(c, a, &f, r->err);
}

static int reread_attempt(struct rereading *r, const struct attempt *a)
{
	struct err problem = {0};
	int rc = read_block(r, a, &problem);

	if (rc == 0)
		return read_again(r, a);
	if (rc == ERR_NOMEM || rc == ERR_STOPPED)
		return err_copy(r->err, &problem);
	log_warn("crawl", "%.*s at %llu: the links of a response cannot be read again: %s",
		(int)a->warc.len, a->warc.ptr, (unsigned long long)a->offset, problem.text);
	return 0;
}

/* All at once: what is found is not in the catalog before, which other queries may read. */
static int read_links(
	struct capture *c, struct catalog *catalog, const struct reread *wanted, struct err *err)
{
	struct rereading r = {.capture = c, .wanted = wanted, .err = err};
	int rc;

	arena_init(&r.texts, (size_t)1 << 30);
	originals_init(&r.originals, catalog);
	buf_init(&r.block, LOOK_BODY_MAX + (size_t)FIELDS_HEAD_MAX);
	buf_init(&r.url, URL_MAX);
	qsort(wanted->unread.ptr, wanted->unread.len, sizeof *wanted->unread.ptr, by_order);
	rc = catalog_each_observation(catalog, c->row.id, on_observation, &r, err);
	for (size_t i = 0; rc == 0 && i < r.attempts.len; i++)
		rc = reread_attempt(&r, &r.attempts.ptr[i]);
	buf_release(&r.url);
	buf_release(&r.block);
	originals_release(&r.originals);
	reread_attempts_release(&r.attempts);
	arena_release(&r.texts);
	return rc;
}

int reread_carry_out(
	struct capture *c, struct catalog *catalog, const struct reread *r, struct err *err)
{
	int rc = 0;

	if (!r->untabled && r->unread.len == 0)
		return 0;
	if (r->untabled)
		rc = add_lines(c, catalog, r->untabled - 1, err);
	if (rc == 0 && r->unread.len > 0)
		rc = read_links(c, catalog, r, err);
	return rc ? rc
		  : capture_store(c,
			    &(struct catalog_row){CATALOG_ROW_EVENT,
				    .event =
					    &(struct catalog_event){.kind = CATALOG_EVENT_SETTLED}},
			    err);
}
