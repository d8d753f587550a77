/* What is not there: why, and what is near it, in time and in the tree of URLs. */
#include <string.h>

#include "base/clock.h"
#include "replay/access.h"
#include "replay/answers.h"
#include "replay/our_page.h"
#include "report/html.h"
#include "warc/warc_date.h"
#include "warc/zipnum.h"

enum {
	NEAR_MAX = 10,   /* pages that are named */
	SCAN_MAX = 5000, /* lines that are looked at for them */
};

struct near {
	struct asked *a;
	struct buf before; /* key of the page before, to name each once */
	size_t count;
	FILE *file;
};

static bool wants_html(const struct asked *a)
{
	return a->route.kind == ROUTE_TIMEGATE ||
	       (a->route.kind == ROUTE_MEMENTO && a->route.form != ROUTE_RAW);
}

static void put_link(FILE *file, const struct asked *a, const char *digits, slice url)
{
	(void)fputs("<li>", file);
	put_outer_link(file, a, digits, url);
	(void)fprintf(file, " %.14s</li>\n", digits);
}

static void add_near_line(struct near *n, slice line)
{
	struct cdxj parsed;
	struct buf scratch;
	int64_t time;

	buf_init(&scratch, CDXJ_LINE_MAX);
	if (cdxj_parse(line, &scratch, &parsed) == 0 && parsed.url.ptr && parsed.has_place &&
		parsed.status < 400 && !slice_eq(parsed.key, buf_slice(&n->before)) &&
		warc_date_parse(slice_str(parsed.timestamp), &time) == 0 &&
		access_allows(n->a->collection->access, parsed.key, time,
			clock_realtime(clock_system()))) {
		buf_reset(&n->before);
		buf_add(&n->before, parsed.key);
		if (n->count++ == 0)
			(void)fputs("<h2>Pages nearby</h2>\n<ul>\n", n->file);
		put_link(n->file, n->a, parsed.timestamp, parsed.url);
	}
	buf_release(&scratch);
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
		add_near_line(n, line);
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
	unsigned status = status_of(a, found);
	struct near n = {.a = a};
	struct our_page p;

	if (!our_page_begin(&p, a, SLICE("Not archived"), OUR_PAGE))
		return;
	n.file = p.file;
	(void)fprintf(p.file, "<h1>Not archived</h1>\n<p>%s</p>\n<p><code class=\"url\">",
		reason(a, found));
	html_text(p.file, a->page);
	(void)fputs("</code></p>\n", p.file);
	if (found->refused) {
		(void)fputs("<h2>Nearest in time</h2>\n<ul>\n", p.file);
		put_link(p.file, a, found->refused->digits, found->refused->url);
		(void)fputs("</ul>\n", p.file);
	}
	buf_init(&n.before, CDXJ_LINE_MAX);
	if (status == STATUS_NOT_FOUND)
		add_tree(&n, buf_slice(&a->key));
	if (n.count)
		(void)fputs("</ul>\n", p.file);
	buf_release(&n.before);
	our_page_send(&p, a, status);
}

void answer_missing(struct asked *a, const struct found *found)
{
	if (wants_html(a))
		answer_page(a, found);
	else
		answer_error(a, status_of(a, found), reason(a, found));
}
