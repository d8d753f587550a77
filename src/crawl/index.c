/* index.cdxj: where each response of all captures is, by SURT and time; derived from the catalog.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/cdxj_merge.h"
#include "crawl/capture.h"
#include "url/surt.h"

VEC_DECLARE(capture_numbers, uint32_t);

struct indexing {
	struct cdxj_sort *sort;
	struct catalog *catalog;
	struct spill_pool spill;
	struct capture_numbers captures;
	struct pages pages; /* of the capture at hand */
	struct buf url, key, line;
	struct err *err;
};

static int remember_page(void *context, const struct catalog_page *page)
{
	struct indexing *x = context;
	uint32_t number;

	return pages_add(&x->pages, page->url, &(struct page_prior){0}, &(struct crawl_page){0},
		&number, x->err);
}

static int make_key(struct indexing *x, slice text)
{
	struct url url;
	int rc;

	url_init(&url);
	buf_reset(&x->key);
	rc = url_parse(&url, text, NULL, NULL);
	if (rc == 0)
		rc = url_surt(&x->key, &url);
	url_release(&url);
	return rc;
}

/* The digest without its algorithm in front, as in other indexes. */
static slice digest_value(const struct digest *d, char out[DIGEST_TEXT_SIZE])
{
	size_t len = digest_format(d, out);
	const char *colon = memchr(out, ':', len);

	return colon ? (slice){colon + 1, len - (size_t)(colon + 1 - out)} : (slice){out, len};
}

static int add_line(struct indexing *x, slice url, const struct catalog_observation *o)
{
	char digest[DIGEST_TEXT_SIZE];
	struct cdxj line = {
		.url = url,
		.mime = o->is_revisit ? SLICE("warc/revisit") : fields_media_type(o->media_type),
		.digest = digest_value(&o->payload, digest),
		.filename = o->warc,
		.status = o->attempt.status,
		.has_place = true,
		.length = o->length,
		.offset = o->offset,
	};
	int rc = make_key(x, url);

	if (rc == ERR_NOMEM)
		return rc;
	if (rc || !o->has_payload)
		return 0;
	line.key = buf_slice(&x->key);
	warc_date_digits(o->attempt.wall.sent, line.timestamp);
	buf_reset(&x->line);
	rc = cdxj_write(&x->line, &line);
	if (rc)
		return rc == ERR_NOMEM ? rc : 0;
	return cdxj_sort_add(x->sort, slice_sub(buf_slice(&x->line), 0, x->line.len - 1), x->err);
}

static int on_observation(void *context, const struct catalog_observation *o)
{
	struct indexing *x = context;
	slice url = o->attempt.url;
	int rc = 0;

	if (!o->warc.ptr)
		return 0;
	if (o->page < x->pages.list.len) {
		rc = pages_url(&x->pages, o->page, &x->url, x->err);
		url = buf_slice(&x->url);
	}
	if (rc == 0)
		rc = add_line(x, url, o);
	return rc && !x->err->code ? err_set(x->err, rc, "index: %s", err_name(rc)) : rc;
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct indexing *x = context;

	return capture_numbers_push(&x->captures, capture->id);
}

static int add_capture(struct indexing *x, uint32_t capture)
{
	int rc;

	pages_init(&x->pages, &x->spill);
	rc = catalog_each_page(x->catalog, capture, remember_page, x, x->err);
	if (rc == 0)
		rc = catalog_each_observation(x->catalog, capture, on_observation, x, x->err);
	pages_release(&x->pages);
	return rc;
}

static int emit(void *context, slice line, struct err *err)
{
	FILE *file = context;

	if (fwrite(line.ptr, 1, line.len, file) == line.len && fputc('\n', file) != EOF)
		return 0;
	return err_set(err, ERR_IO, "index: %s", strerror(errno));
}

/* Under another name first: an index is whole, or the old one. */
static int write_sorted(struct indexing *x, const struct directory *d)
{
	char path[DIRECTORY_PATH_MAX + 8];
	FILE *file;
	int rc;

	(void)snprintf(path, sizeof path, "%s.new", d->index);
	file = fopen(path, "wbe");
	if (!file)
		return err_set(x->err, ERR_IO, "%s: %s", path, strerror(errno));
	rc = cdxj_sort_finish(x->sort, emit, file, x->err);
	if (rc == 0 && (fflush(file) || fdatasync(fileno(file))))
		rc = err_set(x->err, ERR_IO, "%s: %s", path, strerror(errno));
	if (fclose(file) && rc == 0)
		rc = err_set(x->err, ERR_IO, "%s: %s", path, strerror(errno));
	if (rc == 0 && rename(path, d->index))
		rc = err_set(x->err, ERR_IO, "%s: %s", d->index, strerror(errno));
	if (rc)
		(void)unlink(path);
	return rc;
}

int index_write(struct catalog *catalog, const struct directory *d, struct err *err)
{
	struct indexing x = {.catalog = catalog, .err = err};
	int rc;

	spill_pool_init(&x.spill, d->spool);
	buf_init(&x.url, URL_MAX);
	buf_init(&x.key, 2 * URL_MAX);
	buf_init(&x.line, CDXJ_LINE_MAX + 1);
	rc = cdxj_sort_open(d->spool, 0, CDXJ_UNIQUE, &x.sort, err);
	if (rc == 0)
		rc = catalog_each_capture(catalog, on_capture, &x, err);
	for (size_t i = 0; rc == 0 && i < x.captures.len; i++)
		rc = add_capture(&x, x.captures.ptr[i]);
	if (rc == 0)
		rc = write_sorted(&x, d);
	cdxj_sort_close(x.sort);
	capture_numbers_release(&x.captures);
	buf_release(&x.url);
	buf_release(&x.key);
	buf_release(&x.line);
	spill_pool_release(&x.spill);
	return rc;
}
