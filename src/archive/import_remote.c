#include "archive/import_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/rng.h"
#include "formats/http_date.h"
#include "formats/http_state.h"
#include "formats/url.h"
#include "net/address.h"
#include "net/net.h"
#include "net/pace.h"

/* Of all URLs; ten million of them have a quarter of it. */
#define URLS_MAX ((size_t)4 << 30)

void keep_totals_init(struct keep_totals *t)
{
	*t = (struct keep_totals){0};
	arena_init(&t->urls, URLS_MAX);
	strmap_init(&t->pages, hash_key_random(), &t->urls);
}

void keep_totals_release(struct keep_totals *t)
{
	strmap_release(&t->pages);
	arena_release(&t->urls);
}

static int add_page(
	struct catalog *c, const struct page_entry *p, struct keep_totals *t, struct err *err)
{
	int counted = strmap_put(&t->pages, p->url, 0);

	if (counted && counted != ERR_EXISTS)
		return err_code(err, counted);
	for (uint32_t i = 0; i < p->len; i++) {
		struct catalog_imported imported = {.url = p->url,
			.time = p->seen[i].time,
			.digest = p->seen[i].digest,
			.source = p->sources};
		bool added = false;

		TRY(catalog_add_imported(c, &imported, &added, err));
		t->added += added;
		t->known += !added;
	}
	return 0;
}

static int add_table(
	struct catalog *c, const struct page_table *table, struct keep_totals *t, struct err *err)
{
	for (size_t i = 0; i < table->pages.len; i++)
		TRY(add_page(c, &table->pages.ptr[i], t, err));
	return 0;
}

int keep_table(struct catalog *c, const struct page_table *table, struct keep_totals *totals,
	struct err *err)
{
	TRY(add_table(c, table, totals, err));
	return catalog_commit(c, err);
}

struct part {
	struct page_table table;
	struct listing_counts counts;
};

static int keep_on_listed(void *context, const struct listed *o, struct err *err)
{
	struct part *part = context;

	return err_code(err, page_table_add(&part->table, o, 1U << part->counts.format));
}

/* One part, and how far that is, in one transaction. */
static int keep_part(struct catalog *c, struct remote *r, const struct keep_source *source,
	struct keep_totals *totals, struct err *err)
{
	struct part part = {0};
	int rc;

	page_table_init(&part.table);
	rc = remote_next(r, keep_on_listed, &part, &part.counts, err);
	if (rc == 0)
		rc = add_table(c, &part.table, totals, err);
	if (rc == 0)
		rc = catalog_set_progress(c, slice_str(r->address), remote_progress(r), err);
	if (rc == 0)
		rc = catalog_commit(c, err);
	if (rc == 0)
		source->on_part(source->context, &part.counts);
	page_table_release(&part.table);
	return rc;
}

static int download_new(
	const struct download_params *params, struct download **ret, struct err *err) SP_MUST_CHECK;

static void download_free(struct download *d);

int keep_remote(struct catalog *c, const struct keep_source *source, struct keep_totals *totals,
	struct err *err)
{
	struct download *download = NULL;
	struct remote remote = {0};
	BUF_SCOPED(progress, REMOTE_PROGRESS_MAX);
	int rc;

	rc = download_new(source->download, &download, err);
	if (rc == 0)
		rc = catalog_get_progress(c, slice_str(source->address), &progress, err);
	if (rc == 0)
		rc = remote_open(&remote, source->kind, source->address, buf_slice(&progress),
			remote_server(download), err);
	while (rc == 0)
		rc = keep_part(c, &remote, source, totals, err);
	remote_close(&remote);
	download_free(download);
	return rc == ERR_END ? 0 : rc;
}

enum { DOWNLOAD_SHOWN_MAX = 160, CHUNK = 64 << 10 };

static const double WAIT_SHOWN = 10; /* seconds; longer waits are told */

struct download {
	struct net *net;
	struct pace pace;
	struct rng rng;
	struct state *state;
	const struct clock *clock;
	struct url home, url, target;
	int out;       /* where the body goes */
	uint64_t size; /* of it, so far */
	int rc;        /* why writing it failed */
};

static int on_decoded(void *context, slice piece)
{
	struct download *d = context;

	d->size += piece.len;
	if (d->size > DOWNLOAD_SIZE_MAX)
		d->rc = ERR_LIMIT;
	else if (io_write(d->out, piece.ptr, piece.len))
		d->rc = ERR_IO;
	return d->rc;
}

static int open_all(struct download *d, const struct download_params *params, struct err *err)
{
	struct net_params net = {.user_agent = params->user_agent};
	int rc = url_parse(&d->home, params->home, NULL, NULL);

	if (rc || !url_is_http(&d->home))
		return err_set(err, ERR_USAGE, "'%.*s' is not an http or https URL",
			slice_shown(params->home, DOWNLOAD_SHOWN_MAX), params->home.ptr);
	pace_init(&d->pace,
		(struct pace_rule){
			.delay = params->delay, .automatic = params->automatic, .jobs = 1});
	d->state = state_new(on_decoded, d);
	if (!d->state)
		mem_end();
	return net_new(&net, &d->net, err);
}

/* 0, ERR_IO, ERR_USAGE for home. */
static int download_new(
	const struct download_params *params, struct download **ret, struct err *err)
{
	struct download *d = mem_new(1, sizeof *d);
	int rc;

	d->out = -1;
	d->clock = clock_system();
	rng_init(&d->rng, hash_key_random().k0);
	url_init(&d->home);
	url_init(&d->url);
	url_init(&d->target);
	rc = open_all(d, params, err);
	if (rc) {
		download_free(d);
		return rc;
	}
	*ret = d;
	return 0;
}

static void download_free(struct download *d)
{
	if (!d)
		return;
	net_free(d->net);
	state_free(d->state);
	pace_release(&d->pace);
	url_release(&d->home);
	url_release(&d->url);
	url_release(&d->target);
	free(d);
}

/* ---- one request ---- */

static double now(const struct download *d)
{
	return clock_seconds(clock_monotonic(d->clock));
}

static int wait_politely(struct download *d, struct err *err)
{
	double left = pace_ready(&d->pace) - now(d);

	if (left > WAIT_SHOWN)
		log_warn("import", "the server asks for a pause of %.0f s", left);
	while (left > 0) {
		TRY(net_wait(d->net, left, err));
		left = pace_ready(&d->pace) - now(d);
	}
	return 0;
}

static int fetch(struct download *d, struct net_fetch **ret, struct err *err)
{
	struct net_request request = {.url = url_page(&d->url),
		.allowed = url_is_same_server(&d->url, &d->home) ? ADDRESS_ALL : 0};
	int rc = wait_politely(d, err);

	if (rc)
		return rc;
	pace_begin(&d->pace, now(d));
	rc = net_start(d->net, &request, err);
	while (rc == 0 && !(*ret = net_next(d->net)))
		rc = net_wait(d->net, NET_TIMEOUT, err);
	return rc;
}

static bool asks_for_less(unsigned status)
{
	return status == 429 || status == 503;
}

/* Tells the pace what came of a request. */
static void settle(struct download *d, const struct net_fetch *f)
{
	double seconds =
		f->monotonic.sent ? clock_seconds(f->monotonic.last_byte - f->monotonic.sent) : 0;
	enum pace_outcome outcome = PACE_ANSWERED;
	double pause;

	if (f->status == 0)
		outcome = PACE_FAILED;
	else if (asks_for_less(f->status))
		outcome = PACE_REFUSED;
	pace_end(&d->pace, now(d), seconds, outcome, rng_double(&d->rng));
	if (f->status > 0 &&
		retry_after_parse(fields_get(state_fields(d->state), SLICE("retry-after")),
			clock_realtime(d->clock), &pause) == 0)
		pace_retry_after(&d->pace, now(d), pause);
}

/* ---- the body ---- */

static int feed_spool(struct download *d, const struct net_fetch *f)
{
	char chunk[CHUNK];
	ssize_t n;

	for (uint64_t at = 0; at < f->body_size; at += (uint64_t)n) {
		n = pread(f->spool, chunk, sizeof chunk, (off_t)at);
		if (n <= 0)
			return ERR_IO;
		TRY(state_feed(d->state, (slice){chunk, (size_t)n}));
	}
	return 0;
}

/* Decodes the body into d->out; *ret_whole: all of it is there. */
static int store(struct download *d, const struct net_fetch *f, bool *ret_whole, struct err *err)
{
	struct state_result result = {0};
	int rc;

	d->size = 0;
	d->rc = 0;
	d->out = tempfile_open(tempfile_dir());
	if (d->out < 0)
		return err_set(
			err, ERR_IO, "no temporary file for the answer: %s", strerror(errno));
	rc = f->spool >= 0 ? feed_spool(d, f) : state_feed(d->state, f->body);
	if (rc == 0)
		rc = state_finish(d->state, &result);
	*ret_whole = rc == 0 && result.whole && result.readable && !f->truncated;
	if (rc == ERR_LIMIT)
		return err_set(err, rc, "the answer is larger than %llu GiB; ask for less of it",
			(unsigned long long)(DOWNLOAD_SIZE_MAX >> 30));
	if (rc == ERR_IO)
		return err_set(err, rc, "cannot keep the answer: %s", strerror(errno));
	if (rc == 0 && lseek(d->out, 0, SEEK_SET) < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	return err_code(err, rc);
}

static void drop_file(struct download *d)
{
	if (d->out >= 0)
		(void)close(d->out);
	d->out = -1;
}

/* ---- answers ---- */

enum step { STEP_ANSWERED, STEP_REDIRECTED, STEP_AGAIN };

static int follow(struct download *d, enum step *ret, struct err *err)
{
	slice location = fields_get(state_fields(d->state), SLICE("location"));
	int rc;

	if (!location.ptr || url_parse_location(&d->target, location, &d->url, NULL) ||
		!url_is_http(&d->target))
		return err_set(err, ERR_IO, "the server redirects to no http or https URL");
	rc = url_parse(&d->url, url_page(&d->target), NULL, err);
	*ret = STEP_REDIRECTED;
	return rc;
}

/* What an answer means. why says, if another try is needed, what was wrong. */
static int judge(struct download *d, const struct net_fetch *f, struct download_answer *answer,
	enum step *ret, char why[DOWNLOAD_SHOWN_MAX], struct err *err)
{
	bool whole = false;
	int rc;

	*ret = STEP_AGAIN;
	if (f->status == 0 || f->truncated) {
		(void)snprintf(why, DOWNLOAD_SHOWN_MAX, "%s: %.100s", net_failure_name(f->failure),
			f->detail);
		if (net_failure_is_transient(f->failure) || f->truncated)
			return 0;
		return err_set(err, ERR_IO, "%s", why);
	}
	if (f->status >= 300 && f->status < 400)
		return follow(d, ret, err);
	(void)snprintf(why, DOWNLOAD_SHOWN_MAX, "HTTP status %u", f->status);
	if (f->status >= 500 || asks_for_less(f->status))
		return 0;
	*answer = (struct download_answer){.status = f->status, .fd = -1};
	*ret = STEP_ANSWERED;
	if (f->status >= 300)
		return 0;
	rc = store(d, f, &whole, err);
	if (rc == 0 && whole) {
		answer->fd = d->out;
		answer->size = d->size;
		d->out = -1;
		return 0;
	}
	drop_file(d);
	*ret = STEP_AGAIN;
	(void)snprintf(why, DOWNLOAD_SHOWN_MAX, "the answer was cut off or is damaged");
	return rc;
}

static int try_once(struct download *d, struct download_answer *answer, enum step *ret,
	char why[DOWNLOAD_SHOWN_MAX], struct err *err)
{
	struct net_fetch *f = NULL;
	int rc = fetch(d, &f, err);

	if (rc)
		return rc;
	if (f->status > 0)
		rc = state_start(d->state, f->head, err);
	settle(d, f);
	if (rc == 0)
		rc = judge(d, f, answer, ret, why, err);
	net_fetch_free(f);
	return rc;
}

int download_get(struct download *d, slice url, struct download_answer *ret, struct err *err)
{
	char why[DOWNLOAD_SHOWN_MAX] = "";
	int rc = url_parse(&d->url, url, NULL, err), tries = 0, redirects = 0;

	while (rc == 0 && tries < DOWNLOAD_TRIES && redirects <= DOWNLOAD_REDIRECTS) {
		enum step step = STEP_AGAIN;

		rc = try_once(d, ret, &step, why, err);
		if (rc == 0 && step == STEP_ANSWERED)
			return 0;
		tries += step == STEP_AGAIN;
		redirects += step == STEP_REDIRECTED;
	}
	if (rc == 0 && redirects > DOWNLOAD_REDIRECTS)
		rc = err_set(err, ERR_IO, "more than %d redirects in a row", DOWNLOAD_REDIRECTS);
	else if (rc == 0)
		rc = err_set(err, ERR_IO,
			"%s, %d times in a row; run the same command again later: it goes on where "
			"it stopped",
			why, tries);
	err_prefix(err, "%.*s", slice_shown(url, DOWNLOAD_SHOWN_MAX), url.ptr);
	return rc;
}

enum {
	QUERY_KEY_MAX = 3 * LISTED_KEY_MAX, /* as %XX */
	URL_SIZE_MAX = 64 << 10,
	COUNT_SIZE_MAX = 4096, /* bytes of an answer that is a number of pages */
	SHOWN_MAX = 120,
};

#define NAMES_MAX ((size_t)256 << 20)

/* Constant: parts are only compared with each other. */
static const struct hash_key PART_KEY = {0x70617274, 0x6c697374};

static int get_by_download(
	void *context, slice url, struct download_answer *ret_answer, struct err *err)
{
	return download_get(context, url, ret_answer, err);
}

struct remote_server remote_server(struct download *download)
{
	return (struct remote_server){get_by_download, download};
}

/* A key goes out as it came, but for what cannot be in a query. */
static int set_key(struct remote *r, slice key)
{
	buf_reset(&r->key);
	for (size_t i = 0; i < key.len; i++) {
		unsigned char c = (unsigned char)key.ptr[i];

		if (c <= ' ' || c >= 0x7f || c == '#' || c == '&' || c == '"')
			buf_printf(&r->key, "%%%02X", c);
		else
			buf_add_char(&r->key, (char)c);
	}
	return r->key.error;
}

static int endless(struct remote *r, const char *why, struct err *err)
{
	return err_set(err, ERR_LIMIT, "%.*s: the list has no end: %s; what came so far is kept",
		slice_shown(slice_str(r->address), SHOWN_MAX), r->address, why);
}

/* ---- names of TimeMaps ---- */

static int add_timemap(struct remote *r, slice address)
{
	slice copy;

	if (r->timemaps.len >= REMOTE_TIMEMAPS_MAX)
		return ERR_LIMIT;
	if (strmap_get(&r->known, address, NULL))
		return 0;
	copy = arena_keep(&r->arena, address);
	if (arena_full(&r->arena))
		return ERR_LIMIT;
	TRY(strmap_put(&r->known, copy, 0));
	slice_vec_push(&r->timemaps, copy);
	return 0;
}

/* Adds the TimeMaps that an answer or a progress names, a line each: those of the same server. */
static int add_named(struct remote *r, slice list, struct err *err)
{
	struct url base, home, url;
	int rc;

	url_init(&base);
	url_init(&home);
	url_init(&url);
	rc = url_parse(&home, slice_str(r->address), NULL, err);
	if (rc == 0)
		rc = url_parse(&base, buf_slice(&r->request), NULL, err);
	while (rc == 0 && list.len > 0) {
		if (url_parse(&url, slice_take(&list, '\n'), &base, NULL) == 0 &&
			url_is_http(&url) && url_is_same_server(&url, &home))
			rc = add_timemap(r, url_page(&url));
	}
	url_release(&base);
	url_release(&home);
	url_release(&url);
	if (rc == ERR_LIMIT)
		return endless(r, "there are too many TimeMaps", err);
	return err_code(err, rc);
}

/* ---- progress ---- */

static int write_progress(struct remote *r)
{
	buf_reset(&r->progress);
	if (r->kind == REMOTE_TIMEMAP) {
		if (r->timemaps_done == r->timemaps.len)
			return 0;
		buf_printf(&r->progress, "timemaps %zu\n", r->timemaps_done);
		for (size_t i = 0; i < r->timemaps.len; i++) {
			buf_add(&r->progress, r->timemaps.ptr[i]);
			buf_add_char(&r->progress, '\n');
		}
	} else if (r->state == REMOTE_PAGE) {
		buf_printf(&r->progress, "page %" PRIu64 " %" PRIu64 "\n", r->page, r->pages);
	} else if (r->state == REMOTE_KEY) {
		buf_printf(&r->progress, "key %s\n", buf_str(&r->key));
	}
	return r->progress.error;
}

slice remote_progress(const struct remote *r)
{
	return buf_slice(&r->progress);
}

static int restore(struct remote *r, slice text, struct err *err)
{
	slice line = slice_take(&text, '\n'), word = slice_take(&line, ' ');
	uint64_t a = 0, b = 0;

	if (r->kind == REMOTE_TIMEMAP) {
		int rc = 0;

		if (slice_eq(word, SLICE("timemaps")) && parse_u64(line, &a) == 0)
			rc = add_named(r, text, err);
		if (rc == 0 && a <= r->timemaps.len)
			r->timemaps_done = (size_t)a;
		return rc;
	}
	if (slice_eq(word, SLICE("key")) && line.len > 0) {
		r->state = REMOTE_KEY;
		return err_code(err, set_key(r, line));
	}
	if (slice_eq(word, SLICE("page")) && parse_u64(slice_take(&line, ' '), &a) == 0 &&
		parse_u64(line, &b) == 0 && a < b && b <= REMOTE_PARTS_MAX) {
		r->state = REMOTE_PAGE;
		r->page = a;
		r->pages = b;
	}
	return 0;
}

int remote_open(struct remote *r, enum remote_kind kind, const char *address, slice progress,
	struct remote_server server, struct err *err)
{
	*r = (struct remote){.kind = kind, .address = address, .server = server};
	arena_init(&r->arena, NAMES_MAX);
	strmap_init(&r->known, hash_key_random(), NULL);
	buf_init(&r->key, QUERY_KEY_MAX);
	buf_init(&r->request, URL_SIZE_MAX);
	buf_init(&r->progress, REMOTE_PROGRESS_MAX);
	buf_init(&r->more.key, LISTED_KEY_MAX);
	buf_init(&r->more.timemaps, LISTED_TIMEMAPS_MAX);
	TRY(err_code(err, buf_add(&r->request, slice_str(address))));
	TRY(restore(r, progress, err));
	if (kind == REMOTE_TIMEMAP && r->timemaps.len == 0)
		TRY(add_named(r, slice_str(address), err));
	return 0;
}

void remote_close(struct remote *r)
{
	strmap_release(&r->known);
	slice_vec_release(&r->timemaps);
	arena_release(&r->arena);
	buf_release(&r->key);
	buf_release(&r->request);
	buf_release(&r->progress);
	buf_release(&r->more.key);
	buf_release(&r->more.timemaps);
}

/* ---- reading ---- */

static int on_listed(void *context, const struct listed *o, struct err *err)
{
	struct remote *r = context;
	uint64_t one[] = {hash_bytes(PART_KEY, o->url), (uint64_t)o->time};

	r->this_part += hash_bytes(PART_KEY, (slice){(const char *)one, sizeof one});
	return r->sink(r->context, o, err);
}

/* The answer as a list of captures; the file is closed. */
static int read_list(struct remote *r, struct download_answer *answer,
	struct listing_counts *counts, struct err *err)
{
	int fd = answer->fd, rc;

	answer->fd = -1;
	r->this_part = 0;
	buf_reset(&r->more.key);
	buf_reset(&r->more.timemaps);
	rc = listing_read_answer(fd, buf_str(&r->request), on_listed, r, &r->more, counts, err);
	if (rc)
		return rc;
	if (r->this_part != 0 && r->this_part == r->last_part)
		return endless(r, "a part came twice", err);
	r->last_part = r->this_part;
	r->empty = counts->read > 0 ? 0 : r->empty + 1;
	if (r->empty > REMOTE_EMPTY_MAX && r->state != REMOTE_PAGE)
		return endless(r, "too many parts in a row are without captures", err);
	if (++r->parts > REMOTE_PARTS_MAX)
		return endless(r, "there are too many parts", err);
	return 0;
}

static int failed(const struct remote *r, unsigned status, struct err *err)
{
	return err_set(err, ERR_IO,
		"%.*s: HTTP status %u: the server has no such list, or this is not its address",
		slice_shown(buf_slice(&r->request), SHOWN_MAX), buf_str(&r->request), status);
}

/* ---- CDX servers ---- */

/* The user's address with more parameters. */
static void make_request(struct remote *r, const char *parameters)
{
	size_t len = strcspn(r->address, "#");
	bool has_query = memchr(r->address, '?', len) != NULL;

	buf_reset(&r->request);
	buf_add(&r->request, (slice){r->address, len});
	if (parameters[0])
		buf_printf(&r->request, "%c%s", has_query ? '&' : '?', parameters);
}

static int make_cdx_request(struct remote *r)
{
	char page[64];

	switch (r->state) {
	case REMOTE_START:
		make_request(r, "showNumPages=true&showResumeKey=true");
		break;
	case REMOTE_PAGE:
		(void)snprintf(page, sizeof page, "page=%" PRIu64, r->page);
		make_request(r, page);
		break;
	case REMOTE_KEY:
		make_request(r, "showResumeKey=true&resumeKey=");
		buf_add(&r->request, buf_slice(&r->key));
		break;
	default:
		make_request(r, "");
	}
	return r->request.error;
}

/* "12", or {"pages": 12, …}; false for anything else. */
static bool find_pages(int fd, uint64_t size, uint64_t *ret)
{
	char text[COUNT_SIZE_MAX];
	ssize_t n = size < sizeof text ? pread(fd, text, sizeof text, 0) : -1;
	slice rest = {text, n > 0 ? (size_t)n : 0};
	const char *key;

	while (rest.len > 0 && strchr(" \t\r\n", rest.ptr[rest.len - 1]))
		rest.len--;
	if (parse_u64(rest, ret) == 0)
		return true;
	if (rest.len == 0 || rest.ptr[0] != '{')
		return false;
	key = memmem(rest.ptr, rest.len, "\"pages\"", 7);
	if (!key)
		return false;
	rest = slice_sub(rest, (size_t)(key - rest.ptr) + 7, rest.len);
	while (rest.len > 0 && strchr(" \t\r\n:", rest.ptr[0]))
		rest = slice_sub(rest, 1, rest.len);
	for (size_t i = 0; i <= rest.len; i++)
		if (i == rest.len || rest.ptr[i] < '0' || rest.ptr[i] > '9')
			return parse_u64(slice_sub(rest, 0, i), ret) == 0;
	return false;
}

/* A list was read: what comes behind it. */
static int go_on(struct remote *r, struct err *err)
{
	slice key = buf_slice(&r->more.key), copy;

	if (r->state == REMOTE_PAGE) {
		r->state = ++r->page < r->pages ? REMOTE_PAGE : REMOTE_END;
		return 0;
	}
	r->state = key.len > 0 ? REMOTE_KEY : REMOTE_END;
	if (key.len == 0)
		return 0;
	if (strmap_get(&r->known, key, NULL))
		return endless(r, "a resume key came twice", err);
	copy = arena_keep(&r->arena, key);
	if (arena_full(&r->arena))
		return err_code(err, ERR_LIMIT);
	TRY(err_code(err, strmap_put(&r->known, copy, 0)));
	return err_code(err, set_key(r, key));
}

/* The first answer is a number of pages, or the list itself. */
static int begin_pages(struct remote *r, struct download_answer *answer, bool *ret, struct err *err)
{
	*ret = r->state == REMOTE_START && find_pages(answer->fd, answer->size, &r->pages);
	if (!*ret)
		return 0;
	(void)close(answer->fd);
	answer->fd = -1;
	if (r->pages > REMOTE_PARTS_MAX)
		return endless(r, "there are too many pages", err);
	r->state = r->pages > 0 ? REMOTE_PAGE : REMOTE_END;
	return 0;
}

/* An answer without a list: a page may be empty, and a server may know no pages. */
static int pass_over(struct remote *r, unsigned status, struct err *err)
{
	if (r->state == REMOTE_PAGE && status == 404)
		return go_on(r, err);
	if (r->state != REMOTE_START || status == 404)
		return failed(r, status, err);
	r->state = REMOTE_PLAIN;
	return 0;
}

static int next_of_cdx(struct remote *r, struct listing_counts *counts, struct err *err)
{
	for (;;) {
		struct download_answer answer = {.fd = -1};
		bool is_count;
		int rc;

		if (r->state == REMOTE_END)
			return ERR_END;
		rc = err_code(err, make_cdx_request(r));
		if (rc == 0)
			rc = r->server.get(r->server.context, buf_slice(&r->request), &answer, err);
		if (rc == 0 && answer.fd < 0)
			rc = pass_over(r, answer.status, err);
		if (rc)
			return rc;
		if (answer.fd < 0)
			continue;
		rc = begin_pages(r, &answer, &is_count, err);
		if (rc == 0 && is_count)
			continue;
		if (rc == 0)
			rc = read_list(r, &answer, counts, err);
		return rc ? rc : go_on(r, err);
	}
}

/* ---- TimeMaps ---- */

static int next_timemap(struct remote *r, struct listing_counts *counts, struct err *err)
{
	struct download_answer answer = {.fd = -1};
	slice address;
	int rc;

	if (r->timemaps_done == r->timemaps.len)
		return ERR_END;
	address = r->timemaps.ptr[r->timemaps_done];
	buf_reset(&r->request);
	rc = err_code(err, buf_add(&r->request, address));
	if (rc == 0)
		rc = r->server.get(r->server.context, address, &answer, err);
	if (rc)
		return rc;
	if (answer.fd < 0 && r->timemaps_done == 0)
		return failed(r, answer.status, err);
	if (answer.fd >= 0)
		rc = read_list(r, &answer, counts, err);
	if (rc == 0 && answer.status < 300)
		rc = add_named(r, buf_slice(&r->more.timemaps), err);
	if (rc == 0)
		r->timemaps_done++;
	return rc;
}

int remote_next(struct remote *r, listed_sink *sink, void *context,
	struct listing_counts *ret_counts, struct err *err)
{
	r->sink = sink;
	r->context = context;
	*ret_counts = (struct listing_counts){0};
	TRY(r->kind == REMOTE_CDX ? next_of_cdx(r, ret_counts, err)
				  : next_timemap(r, ret_counts, err));
	return err_code(err, write_progress(r));
}
