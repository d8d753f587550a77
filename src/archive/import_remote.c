#include "archive/import_remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "formats/url.h"

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
	slice copy = {NULL, address.len};
	int rc;

	if (r->timemaps.len >= REMOTE_TIMEMAPS_MAX)
		return ERR_LIMIT;
	if (strmap_get(&r->known, address, NULL))
		return 0;
	copy.ptr = arena_strdup(&r->arena, address);
	rc = copy.ptr ? strmap_put(&r->known, copy, 0) : ERR_NOMEM;
	if (rc == 0)
		slice_vec_push(&r->timemaps, copy);
	return rc;
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
	int rc;

	*r = (struct remote){.kind = kind, .address = address, .server = server};
	arena_init(&r->arena, NAMES_MAX);
	strmap_init(&r->known, hash_key_random(), NULL);
	buf_init(&r->key, QUERY_KEY_MAX);
	buf_init(&r->request, URL_SIZE_MAX);
	buf_init(&r->progress, REMOTE_PROGRESS_MAX);
	buf_init(&r->more.key, LISTED_KEY_MAX);
	buf_init(&r->more.timemaps, LISTED_TIMEMAPS_MAX);
	rc = err_code(err, buf_add(&r->request, slice_str(address)));
	if (rc == 0)
		rc = restore(r, progress, err);
	if (rc == 0 && kind == REMOTE_TIMEMAP && r->timemaps.len == 0)
		rc = add_named(r, slice_str(address), err);
	return rc;
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
	slice key = buf_slice(&r->more.key);
	char *copy;
	int rc;

	if (r->state == REMOTE_PAGE) {
		r->state = ++r->page < r->pages ? REMOTE_PAGE : REMOTE_END;
		return 0;
	}
	r->state = key.len > 0 ? REMOTE_KEY : REMOTE_END;
	if (key.len == 0)
		return 0;
	if (strmap_get(&r->known, key, NULL))
		return endless(r, "a resume key came twice", err);
	copy = arena_strdup(&r->arena, key);
	rc = copy ? strmap_put(&r->known, (slice){copy, key.len}, 0) : ERR_NOMEM;
	if (rc == 0)
		rc = set_key(r, key);
	return err_code(err, rc);
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
	int rc;

	r->sink = sink;
	r->context = context;
	*ret_counts = (struct listing_counts){0};
	rc = r->kind == REMOTE_CDX ? next_of_cdx(r, ret_counts, err)
				   : next_timemap(r, ret_counts, err);
	return rc ? rc : err_code(err, write_progress(r));
}
