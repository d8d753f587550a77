/* What is not there: why, and what is near it, in time and in the tree of URLs. */
#include <string.h>

#include "archive/cdxj_scan.h"
#include "archive/warc_date.h"
#include "base/clock.h"
#include "replay/access.h"
#include "replay/answers.h"

enum {
	NEAR_MAX = 10,   /* pages that are named */
	SCAN_MAX = 5000, /* lines that are looked at for them */
	TEXT_MAX = 256 << 10,
};

struct near {
	struct asked *a;
	struct buf before; /* key of the page before, to name each once */
	size_t count;
	struct buf *out;
};

static bool wants_html(const struct asked *a)
{
	return a->route.kind == ROUTE_TIMEGATE || a->route.form != ROUTE_RAW;
}

static int add_escaped(struct buf *out, slice text)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < text.len; i++) {
		char c = text.ptr[i];

		if (strchr("<>&\"'", c) && c)
			rc = buf_printf(out, "&#%d;", c);
		else
			rc = buf_add_char(out, c);
	}
	return rc;
}

static int add_link(struct buf *out, const struct asked *a, const char *digits, slice url)
{
	struct buf address;
	int rc;

	buf_init(&address, TEXT_MAX);
	rc = add_memento_address(&address, a->control, a->collection, digits, ROUTE_FRAMED, url);
	if (rc == 0)
		rc = buf_add_str(out, "<li><a target=\"_top\" href=\"");
	if (rc == 0)
		rc = add_escaped(out, buf_slice(&address));
	if (rc == 0)
		rc = buf_add_str(out, "\">");
	if (rc == 0)
		rc = add_escaped(out, url);
	if (rc == 0)
		rc = buf_printf(out, "</a> %.14s</li>\n", digits);
	buf_release(&address);
	return rc;
}

static int add_near_line(struct near *n, slice line)
{
	struct cdxj parsed;
	struct buf scratch;
	int64_t time;
	int rc = 0;

	buf_init(&scratch, CDXJ_LINE_MAX);
	if (cdxj_parse(line, &scratch, &parsed) == 0 && parsed.url.ptr && parsed.has_place &&
		parsed.status < 400 && !slice_eq(parsed.key, buf_slice(&n->before)) &&
		warc_date_parse(slice_str(parsed.timestamp), &time) == 0 &&
		access_allows(n->a->collection->access, parsed.key, time,
			clock_realtime(clock_system()))) {
		buf_reset(&n->before);
		rc = buf_add(&n->before, parsed.key);
		if (rc == 0)
			rc = add_link(n->out, n->a, parsed.timestamp, parsed.url);
		n->count += rc == 0;
	}
	buf_release(&scratch);
	return rc;
}

/* Lines whose keys begin with the prefix. */
static int add_below(struct near *n, slice prefix)
{
	struct index_set *set = collection_indexes(n->a->collection);
	struct cdxj_scan *scan = NULL;
	struct err ignored = {0};
	slice line;
	int rc = cdxj_scan_open(set->sources.ptr, set->sources.len, prefix, &scan, &ignored);

	for (size_t i = 0; rc == 0 && i < SCAN_MAX && n->count < NEAR_MAX; i++) {
		rc = cdxj_scan_next(scan, &line, &ignored);
		if (rc || !slice_starts_with(line, prefix))
			break;
		rc = add_near_line(n, line);
	}
	cdxj_scan_close(scan);
	index_set_drop(set);
	return rc == ERR_END ? 0 : rc;
}

/* The directory of a key: "org,example)/a/" of "org,example)/a/b"; the host behind that. */
static slice parent(slice key)
{
	size_t at = key.len;

	if (at && (key.ptr[at - 1] == '/' || key.ptr[at - 1] == ')'))
		at--;
	while (at > 0 && key.ptr[at - 1] != '/' && key.ptr[at - 1] != ')')
		at--;
	return slice_sub(key, 0, at);
}

/* From the page's own directory upwards, until something is there. */
static void add_tree(struct near *n, slice key)
{
	for (slice at = parent(key); at.len > 0 && n->count == 0; at = parent(at))
		if (add_below(n, at))
			return;
}

static const char *reason(const struct asked *a, const struct found *found)
{
	if (found->mementos.refused || access_blocks(a->collection->access, buf_slice(&a->key)))
		return "Access to this page is not allowed here.";
	if (found->refused)
		return "This page is archived, but not within the allowed time (--window).";
	return "This page is not archived here.";
}

static unsigned status_of(const struct asked *a, const struct found *found)
{
	if (found->mementos.refused || access_blocks(a->collection->access, buf_slice(&a->key)))
		return STATUS_BLOCKED;
	return STATUS_NOT_FOUND;
}

static void answer_page(struct asked *a, const struct found *found)
{
	struct buf *out = &a->response->body;
	struct near n = {.a = a, .out = out};

	answer_header(a, "Content-Type", "text/html; charset=utf-8");
	(void)buf_printf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
		"<title>Not archived</title>\n<h1>Not archived</h1>\n<p>%s</p>\n<p><code>",
		reason(a, found));
	(void)add_escaped(out, a->page);
	(void)buf_add_str(out, "</code></p>\n");
	if (found->refused) {
		(void)buf_add_str(out, "<h2>Nearest in time</h2>\n<ul>\n");
		(void)add_link(out, a, found->refused->digits, found->refused->url);
		(void)buf_add_str(out, "</ul>\n");
	}
	buf_init(&n.before, CDXJ_LINE_MAX);
	if (status_of(a, found) == STATUS_NOT_FOUND) {
		size_t start = out->len;

		(void)buf_add_str(out, "<h2>Pages nearby</h2>\n<ul>\n");
		add_tree(&n, buf_slice(&a->key));
		(void)buf_add_str(out, "</ul>\n");
		if (n.count == 0)
			buf_truncate(out, start);
	}
	buf_release(&n.before);
	(void)buf_add_str(out, "</html>\n");
}

void answer_missing(struct asked *a, const struct found *found)
{
	unsigned status = status_of(a, found);

	if (a->route.kind == ROUTE_MEMENTO && !wants_html(a)) {
		answer_error(a, status, reason(a, found));
		return;
	}
	if (a->route.kind != ROUTE_MEMENTO && a->route.kind != ROUTE_TIMEGATE) {
		answer_error(a, status, reason(a, found));
		return;
	}
	a->response->status = status;
	buf_reset(&a->response->body);
	answer_page(a, found);
}
