#include "crawl/restore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/our_file.h"
#include "archive/records.h"
#include "archive/retire.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "crawl/capture.h"
#include "crawl/journal.h"
#include "crawl/response.h"
#include "formats/http_fields.h"
#include "formats/robots.h"
#include "plan/rank_graph.h"
#include "proof/legs.h"
#include "proof/look.h"
#include "proof/originals.h"
#include "warc/record_body.h"
#include "warc/warc_repair.h"
#include "warc/warc_writer.h"

/* ---- what is read again ---- */

static void reread_release(struct reread *r)
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
};

static void add_line(struct tabling *t, struct catalog_row row)
{
	row.capture = t->capture->row.id;
	store_line(&t->capture->lane->store, t->capture->row.uuid, &row);
}

static int table_page(void *context, const struct catalog_page *page)
{
	struct tabling *t = context;

	if (page->number < t->from)
		return 0;
	add_line(t, (struct catalog_row){CATALOG_ROW_ADD_PAGE, .page = page});
	if (page->content)
		add_line(t, (struct catalog_row){CATALOG_ROW_MARK_PAGE, .page = page});
	return 0;
}

static int table_requisite(void *context, const struct catalog_requisite *r)
{
	struct tabling *t = context;

	if (r->page < t->from)
		return 0;
	add_line(t, (struct catalog_row){CATALOG_ROW_REQUISITE, .requisite = r});
	return 0;
}

static int add_lines(struct capture *c, struct catalog *catalog, uint32_t from, struct err *err)
{
	struct tabling t = {c, from};

	TRY(catalog_each_page(catalog, c->row.id, table_page, &t, err));
	return catalog_each_requisite(catalog, c->row.id, table_requisite, &t, err);
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

static int reread_observation(void *context, const struct attempt *a)
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
	BUF_SCOPED(refers_to, FIELDS_HEAD_MAX);

	buf_reset(&r->block);
	TRY(record_block_read(dir, &place, &r->block, &refers_to, err));
	if (refers_to.len > 0)
		TRY(originals_find(&r->originals, buf_slice(&refers_to), &original, err));
	if (refers_to.len > 0) {
		place = (struct record_place){original.warc, original.offset, original.record_id};
		TRY(record_body_read(dir, &place, 0, &r->block, err));
	}
	return 0;
}

/* The response as if it had just come. */
static int read_again(struct rereading *r, const struct attempt *a)
{
	struct capture *c = r->capture;
	struct net_fetch f = {.status = a->status, .spool = -1};
	slice target, post;
	size_t from = 0, end;

	TRY(pages_url(&c->pages, a->page, &r->url, r->err));
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
	originals_init(&r.originals, catalog, c->row.id);
	buf_init(&r.block, LOOK_BODY_MAX + (size_t)FIELDS_HEAD_MAX);
	buf_init(&r.url, URL_MAX);
	qsort(wanted->unread.ptr, wanted->unread.len, sizeof *wanted->unread.ptr, by_order);
	rc = catalog_each_observation(catalog, c->row.id, reread_observation, &r, err);
	for (size_t i = 0; rc == 0 && i < r.attempts.len; i++)
		rc = reread_attempt(&r, &r.attempts.ptr[i]);
	buf_release(&r.url);
	buf_release(&r.block);
	originals_release(&r.originals);
	reread_attempts_release(&r.attempts);
	arena_release(&r.texts);
	return rc;
}

/* All is restored: does what was noted. */
static SP_MUST_CHECK int reread_carry_out(
	struct capture *c, struct catalog *catalog, const struct reread *r, struct err *err)
{
	if (!r->untabled && r->unread.len == 0)
		return 0;
	if (r->untabled)
		TRY(add_lines(c, catalog, r->untabled - 1, err));
	if (r->unread.len > 0)
		TRY(read_links(c, catalog, r, err));
	capture_store(c, &(struct catalog_row){CATALOG_ROW_EVENT,
				 .event = &(struct catalog_event){.kind = CATALOG_EVENT_SETTLED}});
	return 0;
}

/* ---- the capture ---- */

/* Resume: a capture restored from the catalog, after a stop, a crash or a power cut. */

/* ---- WARC files ---- */

VEC_DECLARE(warc_rows, struct catalog_warc);

struct repair {
	int dir; /* of the WARC files */
	struct arena arena;
	struct strmap known;    /* names of the catalog's files */
	struct strmap prefixes; /* that captures were given, besides the default */
	struct warc_rows open;  /* those of them that no process has completed */
	struct imported_files imported;
	struct err *err;
};

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct repair *r = context;
	struct catalog_warc row = *w;

	row.name.ptr = arena_strdup(&r->arena, w->name);
	TRY(err_code(r->err, row.name.ptr ? strmap_put(&r->known, row.name, 0) : ERR_NOMEM));
	if (!w->complete)
		warc_rows_push(&r->open, row);
	return 0;
}

/* Computes the digest of a file that was just repaired. */
static int sum_up(const struct repair *r, struct catalog_warc *row)
{
	int fd = row->size ? file_open_inside(r->dir, row->name.ptr) : -1;
	int rc;

	row->has_digest = false;
	if (row->size == 0)
		return 0;
	rc = fd < 0 ? ERR_IO : warc_file_sum(fd, row->size, &row->digest);
	if (rc)
		(void)err_set(r->err, rc, "%s: %s", row->name.ptr,
			rc == ERR_IO ? file_problem(errno) : err_name(rc));
	if (fd >= 0)
		(void)close(fd);
	row->has_digest = rc == 0;
	return rc;
}

/* A repaired file is complete: nothing will be added to it. */
static int repair_known(struct repair *r, struct catalog *catalog)
{
	for (size_t i = 0; i < r->open.len; i++) {
		struct catalog_warc *row = &r->open.ptr[i];

		TRY(warc_repair(r->dir, row->name.ptr, row->size, NULL, r->err));
		row->complete = true;
		TRY(sum_up(r, row));
		TRY(catalog_put(catalog, CATALOG_ROW_WARC, 0, row, r->err));
	}
	return 0;
}

static int on_capture(void *context, const struct catalog_capture *row)
{
	struct repair *r = context;
	slice prefix = crawl_settings_prefix(row->settings);
	int rc = prefix.len ? strmap_put(&r->prefixes, prefix, 0) : 0;

	return err_code(r->err, rc == ERR_EXISTS ? 0 : rc); /* of an earlier capture of the site */
}

/* Whether it is "PREFIX-TIME-NUMBER…" with a prefix that we have used. */
static bool is_our_prefix(const struct repair *r, slice name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] == '-' && strmap_get(&r->prefixes, slice_sub(name, 0, i), NULL))
			return true;
	return false;
}

/*
 * The name of a WARC file of a crawl, without ".open"; false for any other file, for instance a
 * torn-off part, or a file that a user put there.
 */
static bool our_name(const struct repair *r, const char *entry, char out[WARC_NAME_MAX + 1])
{
	slice name = warc_closed_name(slice_str(entry));

	if (name.len > WARC_NAME_MAX || !is_our_prefix(r, name) ||
		imported_files_has(&r->imported, name))
		return false;
	memcpy(out, name.ptr, name.len);
	out[name.len] = '\0';
	return slice_ends_with(name, SLICE(".warc.gz")) ||
	       slice_ends_with(name, SLICE(".warc.zst")) || slice_ends_with(name, SLICE(".warc"));
}

/*
 * Files that are not in the catalog have nothing that was committed, even if they are complete:
 * several may be filled between two commits.
 */
static int repair_unknown(struct repair *r, const char *path)
{
	char name[WARC_NAME_MAX + 1];
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int rc = 0;

	if (!dir)
		return err_set(r->err, ERR_IO, "%s: %s", path, strerror(errno));
	while (rc == 0 && (entry = readdir(dir)))
		if (our_name(r, entry->d_name, name) &&
			!strmap_get(&r->known, slice_str(name), NULL))
			rc = warc_repair(r->dir, name, 0, NULL, r->err);
	(void)closedir(dir);
	return rc;
}

int restore_repair(struct catalog *catalog, const struct directory *d, struct err *err)
{
	struct repair r = {.err = err};
	int rc = retire_repair(catalog, d, err);

	if (rc)
		return rc;
	r.dir = file_open_dir(d->warc);
	if (r.dir < 0)
		return err_set(err, ERR_IO, "%s: %s", d->warc, strerror(errno));
	arena_init(&r.arena, 16 << 20);
	strmap_init(&r.known, hash_key_random(), NULL);
	strmap_init(&r.prefixes, hash_key_random(), &r.arena);
	rc = imported_files_load(&r.imported, d->path, err);
	if (rc == 0)
		rc = err_code(err, strmap_put(&r.prefixes, SLICE(RECORDS_PREFIX), 0));
	if (rc == 0)
		rc = catalog_each_capture(catalog, on_capture, &r, err);
	if (rc == 0)
		rc = catalog_each_warc(catalog, on_warc, &r, err);
	if (rc == 0)
		rc = repair_known(&r, catalog);
	if (rc == 0)
		rc = repair_unknown(&r, d->warc);
	warc_rows_release(&r.open);
	strmap_release(&r.known);
	strmap_release(&r.prefixes);
	imported_files_release(&r.imported);
	arena_release(&r.arena);
	(void)close(r.dir);
	return rc;
}

/* ---- pages ---- */

struct replaying {
	struct capture *capture;
	struct url url;         /* of the row that is read */
	struct moments resumed; /* on the planner's clock */
	uint32_t rows;          /* so far */
	int64_t latest;         /* wall: end of the last attempt */
	struct err *err;
};

/* There may be millions of rows: reads the stop flag now and then. */
static int check_stop(struct replaying *r)
{
	return r->rows++ % STOP_INTERVAL
		       ? 0
		       : lanes_shared_check_stop(r->capture->lane->shared, r->err);
}

static int fail(struct replaying *r, int rc)
{
	return rc && !r->err->code ? err_set(r->err, rc, "resume: %s", err_name(rc)) : rc;
}

static int restore_page(void *context, const struct catalog_page *row)
{
	struct replaying *r = context;
	struct capture *c = r->capture;
	bool is_seed_redirect = slice_eq(row->found, SLICE("seed redirect"));
	bool is_trap = left_out_is_trap(row->left_out);
	bool is_view = row->left_out == LEFT_OUT_VIEW;
	bool is_redirect = slice_ends_with(row->found, SLICE("redirect"));
	struct crawl_page page = {
		.via = row->via,
		.depth = row->depth,
		.kind = page_kind_of_name(row->kind) & PAGE_FOUR_BITS,
		.is_seed = is_seed_redirect || slice_eq(row->found, SLICE("seed")),
		.is_told = catalog_is_told(row->found),
		.hops_out = (uint8_t)row->hops_out,
		.taken = row->taken,
		.left_out = row->left_out & PAGE_FIVE_BITS,
		.content = row->content & PAGE_TWO_BITS,
	};
	struct page_prior prior = {
		.survival = {.rate = row->rate, .shape = row->shape}, .weight = row->weight};
	uint32_t number;
	int rc = check_stop(r);

	if (rc == 0 && (crawl_page_has_host(&page) || is_seed_redirect || is_trap || is_view ||
			       row->left_out == LEFT_OUT_DUST))
		rc = url_parse(&r->url, row->url, NULL, NULL);
	if (rc == 0 && crawl_page_has_host(&page))
		rc = capture_find_host(c, &r->url, &page.host);
	if (is_redirect && row->via < c->pages.list.len)
		page.redirects = (c->pages.list.ptr[row->via].redirects + 1U) & PAGE_SIX_BITS;
	if (rc == 0 && is_seed_redirect) /* its target was taken into the scope */
		rc = capture_add_seed(c, &r->url, r->err);
	if (rc == 0)
		rc = pages_add(&c->pages, row->url, &prior, &page, &number, r->err);
	if (rc == 0)
		rc = importance_restore(c, number, row, r->err);
	if (rc == 0)
		rc = form_queries_found(c, number, &r->url, r->err);
	if (rc == 0 && page.is_seed && page.taken) {
		c->rules.list.ptr[page.host].has_seed = true;
		c->rules.list.ptr[page.host].wants_sitemaps = true;
	}
	if (rc == 0 && is_trap)
		rc = traps_restore_page(c, &r->url, number, row->left_out);
	if (rc == 0 && (is_view || page.taken))
		rc = views_restore(c, &r->url, number);
	if (rc == 0 && (page.taken || row->left_out == LEFT_OUT_DUST))
		rc = dust_note(c, number, &r->url, r->err);
	c->unkept.outside += row->left_out == LEFT_OUT_SCOPE;
	return fail(r, rc);
}

static int on_dust(void *context, const struct catalog_dust *row)
{
	struct replaying *r = context;

	return fail(r, dust_restore_rule(r->capture, row));
}

static int on_unkept(void *context, const struct catalog_unkept *u)
{
	struct replaying *r = context;

	r->capture->unkept.links[u->reason] = u->links;
	return 0;
}

static int on_poll(void *context, const struct catalog_poll *row)
{
	struct replaying *r = context;

	return fail(r, polling_restore(r->capture, row, r->err));
}

/* A page may have been found on a later one, so this is known only when all are there. */
static int check_referrers(const struct capture *c, struct err *err)
{
	for (size_t i = 0; i < c->pages.list.len; i++) {
		uint32_t via = c->pages.list.ptr[i].via;

		if (via != CATALOG_NO_PAGE && via >= c->pages.list.len)
			return err_set(err, ERR_IO,
				"%s: the catalog is damaged: page %zu was found on page %" PRIu32
				", which is not there",
				c->lane->directory->path, i, via);
	}
	return 0;
}

static int on_robots(void *context, const struct catalog_robots *row)
{
	struct replaying *r = context;
	struct capture *c = r->capture;
	uint32_t host;
	int rc = url_parse(&r->url, row->origin, NULL, NULL);

	if (rc == 0)
		rc = capture_find_host(c, &r->url, &host);
	return fail(r, rc ? rc : robots_fetch_restore(c, host, row, r->err));
}

/* ---- observations ---- */

static int restore_observation(void *context, const struct attempt *o)
{
	struct replaying *r = context;
	struct capture *c = r->capture;
	struct observation shown = legs_observe(o);

	TRY(check_stop(r));
	(void)capture_move_still_point(c, o);
	if (o->wall.last_byte > r->latest)
		r->latest = o->wall.last_byte;
	/* What was received is not known; the record has it compressed, and once. */
	counters_spend(&c->counters, o->length);
	if (o->wall.sent > c->counters.last_sent)
		c->counters.last_sent = o->wall.sent;
	if (o->page >= c->pages.list.len)
		return 0;
	return c->scheduler->restored(c, o, observation_is_usable(&shown), r->err);
}

static int on_clock(void *context, const struct catalog_clock *k)
{
	struct replaying *r = context;

	clock_watch_add(&r->capture->watch, k);
	if (slice_eq(k->moment, SLICE("stillpoint")))
		STAGE_SET(r->capture, marked, true);
	if (!slice_eq(k->moment, SLICE("resume")))
		return 0;
	return fail(r, moments_push(&r->resumed,
			       clock_seconds(k->capture_time - r->capture->row.started)));
}

/* The planner keeps a page and its requisites together. */
static int restore_requisite(void *context, const struct catalog_requisite *e)
{
	struct replaying *r = context;

	if (r->capture->scheduler->endless || e->requisite == CATALOG_NO_PAGE ||
		e->requisite >= r->capture->pages.list.len ||
		e->page >= r->capture->pages.list.len ||
		pages_are_told(&r->capture->pages, e->page, e->requisite))
		return 0;
	return fail(r, plan_group(r->capture->plan, e->page, &e->requisite, 1));
}

/* What importance is made of. */
static int on_links(void *context, const struct catalog_links *l)
{
	struct replaying *r = context;
	struct capture *c = r->capture;
	struct u32_vec *targets = &c->lane->links.targets;
	int rc = check_stop(r);

	if (rc == 0 && l->page < c->pages.list.len)
		rc = rank_unpack(l->page, l->targets, targets);
	if (rc == 0 && targets->len > 0 && targets->ptr[targets->len - 1] >= c->pages.list.len)
		rc = ERR_SYNTAX;
	if (rc == ERR_SYNTAX)
		return err_set(r->err, ERR_IO,
			"%s: the catalog is damaged: the links of page %" PRIu32 " cannot be read",
			c->lane->directory->path, l->page);
	if (rc || l->page >= c->pages.list.len)
		return fail(r, rc);
	return importance_read(c, l->page, targets->ptr, targets->len, r->err);
}

/* Pages that waited for a robots.txt when the process ended wait again, or are decided. */
static int admit_waiting(struct capture *c, struct err *err)
{
	c->importance.restoring = true;
	for (uint32_t i = 0; i < c->pages.list.len; i++)
		if (c->pages.list.ptr[i].taken && !c->pages.list.ptr[i].planned)
			TRY(discover_admit(c, i, err));
	c->importance.restoring = false;
	return 0;
}

int restore(struct capture *c, struct catalog *catalog, struct err *err)
{
	struct replaying r = {.capture = c, .err = err};
	struct reread rest = {0};
	uint32_t id = c->row.id;
	int rc;

	url_init(&r.url);
	rc = catalog_each_dust(catalog, id, on_dust, &r, err);
	if (rc == 0)
		rc = catalog_each_page(catalog, id, restore_page, &r, err);
	if (rc == 0)
		rc = check_referrers(c, err);
	if (rc == 0)
		rc = catalog_each_unkept(catalog, id, on_unkept, &r, err);
	if (rc == 0)
		rc = catalog_each_robots(catalog, id, on_robots, &r, err);
	if (rc == 0 && c->scheduler->endless)
		rc = catalog_each_poll(catalog, id, on_poll, &r, err);
	if (rc == 0)
		rc = catalog_each_requisite(catalog, id, restore_requisite, &r, err);
	if (rc == 0 && c->importance.on)
		rc = catalog_each_links(catalog, id, on_links, &r, err);
	if (rc == 0)
		rc = catalog_each_observation(catalog, id, restore_observation, &r, err);
	if (rc == 0)
		rc = catalog_each_clock(catalog, id, on_clock, &r, err);
	c->went_back = r.latest > clock_realtime(c->clock) + CLOCK_WATCH_TOLERANCE;
	if (rc == 0)
		rc = form_queries_restore(c, catalog, err);
	c->importance.weighed = c->stage.marked; /* both are in one commit */
	if (rc == 0)                             /* this process */
		rc = fail(&r, moments_push(&r.resumed, capture_now(c)));
	if (rc == 0)
		rc = earlier_restore(c, catalog, err);
	if (rc == 0)
		rc = journal_replay(c, catalog, &r.resumed, &rest, err);
	if (rc == 0)
		rc = admit_waiting(c, err);
	if (rc == 0)
		rc = reread_carry_out(c, catalog, &rest, err);
	reread_release(&rest);
	moments_release(&r.resumed);
	url_release(&r.url);
	return rc;
}
