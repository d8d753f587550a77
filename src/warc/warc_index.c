#include "warc/warc_index.h"

#include "base/word.h"
#include "formats/url_canonical.h"
#include "warc/cdxj.h"
#include "warc/warc_reader.h"
#include "warc/warc_request.h"

enum { REQUEST_MAX = FIELDS_HEAD_MAX + POST_BODY_MAX }; /* bytes of a request that are read */

/* A request or response whose other half has not come yet. */
struct half {
	bool waits;
	struct buf url;
	struct buf id;    /* of its record */
	struct buf other; /* WARC-Concurrent-To */
};

struct indexing {
	struct cdxj_sort *sort;
	struct warc_index_counts *counts;
	slice filename;
	struct buf key, line;
	struct half request, response;
	struct buf query; /* of the request; empty for GET */
	struct buf held;  /* the line of the response, without its key */
	struct buf block; /* of a request */
	struct err *err;
};

/* ---- halves ---- */

static void set_half(struct half *h, const struct warc_record *rec)
{
	slice id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID")));
	slice other = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Concurrent-To")));

	buf_reset(&h->url);
	buf_reset(&h->id);
	buf_reset(&h->other);
	h->waits = !buf_add(&h->url, rec->header.url) && !buf_add(&h->id, id) &&
		   !buf_add(&h->other, other);
}

static void init_half(struct half *h)
{
	buf_init(&h->url, URL_MAX);
	buf_init(&h->id, 4096);
	buf_init(&h->other, 4096);
}

static void release_half(struct half *h)
{
	buf_release(&h->url);
	buf_release(&h->id);
	buf_release(&h->other);
}

/* By what the records say of each other, or, when neither says anything, by their URI. */
static bool belong_together(const struct half *h, const struct warc_record *rec)
{
	slice id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID")));
	slice other = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Concurrent-To")));

	if (!h->waits || !slice_eq(buf_slice(&h->url), rec->header.url))
		return false;
	if (other.len == 0 && h->other.len == 0)
		return true;
	return (other.len && slice_eq(other, buf_slice(&h->id))) ||
	       (h->other.len && slice_eq(id, buf_slice(&h->other)));
}

/* ---- lines ---- */

/* The line's key begins it; with a query it is replaced by that of the URL with the query. */
static int add_line(struct indexing *x, slice line, slice url, slice query)
{
	slice rest = line;

	x->counts->lines++;
	if (query.len == 0 || post_query_key(&x->key, url, query))
		return cdxj_sort_add(x->sort, line, x->err);
	(void)slice_take(&rest, ' ');
	buf_add_char(&x->key, ' ');
	TRY(err_code(x->err, buf_add(&x->key, rest)));
	return cdxj_sort_add(x->sort, buf_slice(&x->key), x->err);
}

/* The response that waits has no request with a body. */
static int flush(struct indexing *x)
{
	int rc = 0;

	if (x->response.waits)
		rc = add_line(x, buf_slice(&x->held), buf_slice(&x->response.url), (slice){0});
	x->response.waits = false;
	return rc;
}

static int add_response(struct indexing *x, const struct warc_record *rec)
{
	int rc = flush(x);

	if (rc == 0)
		rc = cdxj_record_line(&x->line, &x->key, rec, x->filename);
	if (rc)
		return rc == ERR_NOTFOUND ? 0 : err_code(x->err, rc);
	if (belong_together(&x->request, rec)) {
		x->request.waits = false;
		return add_line(x, buf_slice(&x->line), rec->header.url, buf_slice(&x->query));
	}
	if (rec->header.type != WARC_TYPE_RESPONSE && rec->header.type != WARC_TYPE_REVISIT)
		return add_line(x, buf_slice(&x->line), rec->header.url, (slice){0});
	buf_reset(&x->held);
	TRY(err_code(x->err, buf_add(&x->held, buf_slice(&x->line))));
	set_half(&x->response, rec);
	return 0;
}

/* Method and body of a request that was read, as a query; empty for GET and what is no request. */
static void read_query(struct indexing *x)
{
	struct fields fields = {0};
	size_t from = 0, len = fields_find_end(buf_slice(&x->block), &from);
	slice body = slice_sub(buf_slice(&x->block), len, x->block.len), line, method;
	int rc;

	buf_reset(&x->query);
	if (len == 0)
		return;
	rc = fields_parse(&fields, x->block.ptr, len);
	line = fields.first_line;
	method = slice_take(&line, ' ');
	if (rc == 0 && post_query_has_key(method))
		rc = post_query_add(
			&x->query, method, fields_get(&fields, SLICE("Content-Type")), body);
	fields_release(&fields);
	if (rc)
		buf_reset(&x->query);
}

static int add_request(struct indexing *x, const struct warc_record *rec)
{
	read_query(x);
	if (belong_together(&x->response, rec)) {
		x->response.waits = x->request.waits = false;
		return add_line(x, buf_slice(&x->held), rec->header.url, buf_slice(&x->query));
	}
	set_half(&x->request, rec);
	return 0;
}

static int add_record(struct indexing *x, const struct warc_record *rec)
{
	if (rec->is_gap || rec->problem.code) {
		x->counts->damaged++;
		return 0;
	}
	if (rec->header.type == WARC_TYPE_REQUEST)
		return rec->header.url.ptr ? add_request(x, rec) : 0;
	return add_response(x, rec);
}

/* The start of a request's block, which says how a response is looked up. */
static int read_block(struct indexing *x, struct warc_reader *r)
{
	slice piece;
	int rc = 0;

	buf_reset(&x->block);
	while (x->block.len < REQUEST_MAX && (rc = warc_reader_block(r, &piece, x->err)) == 0) {
		rc = err_code(x->err,
			buf_add(&x->block, slice_sub(piece, 0, REQUEST_MAX - x->block.len)));
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

static int read_all(struct indexing *x, struct warc_reader *r)
{
	const struct warc_record *rec;
	int rc;

	while ((rc = warc_reader_next(r, &rec, x->err)) == 0) {
		if (!rec->is_gap && rec->header.type == WARC_TYPE_REQUEST)
			rc = read_block(x, r);
		if (rc == 0)
			rc = warc_reader_end(r, x->err);
		if (rc == 0)
			rc = add_record(x, rec);
		if (rc)
			return rc;
	}
	return rc == ERR_END ? flush(x) : rc;
}

int warc_index_file(const struct warc_source *source, slice filename, struct cdxj_sort *sort,
	struct warc_index_counts *counts, struct err *err)
{
	struct indexing x = {.sort = sort, .counts = counts, .filename = filename, .err = err};
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, 0, &r, err);

	if (rc)
		return rc;
	buf_init(&x.key, URL_CANONICAL_MAX + CDXJ_LINE_MAX);
	buf_init(&x.line, CDXJ_LINE_MAX + 1);
	buf_init(&x.held, CDXJ_LINE_MAX + 1);
	buf_init(&x.query, POST_QUERY_MAX);
	buf_init(&x.block, REQUEST_MAX);
	init_half(&x.request);
	init_half(&x.response);
	rc = read_all(&x, r);
	warc_reader_close(r);
	counts->files++;
	buf_release(&x.key);
	buf_release(&x.line);
	buf_release(&x.held);
	buf_release(&x.query);
	buf_release(&x.block);
	release_half(&x.request);
	release_half(&x.response);
	return rc;
}
