#include "export/wacz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/warc_date.h"
#include "archive/warc_index.h"
#include "archive/zip_writer.h"
#include "archive/zipnum.h"
#include "base/io.h"
#include "base/json.h"
#include "base/tempfile.h"
#include "base/word.h"
#include "export/copier.h"
#include "export/pages.h"
#include "http/digest.h"

enum { RESOURCES_MAX = 1 << 30, DOCUMENT_MAX = 1 << 30 };

#define BLOCKS_NAME "index.cdx.gz"
#define BLOCKS_PATH "indexes/" BLOCKS_NAME

/* A part that is made while WARC files are copied, and follows them. */
enum part { PART_BLOCKS, PART_INDEX, PART_PAGES, PARTS };

static const char *const PART_PATHS[PARTS] = {
	[PART_BLOCKS] = BLOCKS_PATH,
	[PART_INDEX] = "indexes/index.idx",
	[PART_PAGES] = "pages/pages.jsonl",
};

struct package {
	const struct export_params *params;
	struct copier_counts rewritten; /* if secrets are replaced */
	struct zip_writer zip;
	struct digester digester; /* of the entry under way */
	struct buf resources;     /* rows of datapackage.json, separated by commas */
	struct cdxj_sort *sort;
	struct pages *pages;
	struct warc_index_counts index;
	FILE *parts[PARTS]; /* files without a name */
};

/* ---- entries ---- */

static int feed(void *context, slice bytes, struct err *err)
{
	struct package *w = context;
	int rc = digester_feed(&w->digester, bytes);

	return rc ? err_code(err, rc) : zip_writer_feed(&w->zip, bytes, err);
}

static int begin(struct package *w, slice path, uint64_t size, struct err *err)
{
	int rc = digester_start(&w->digester, DIGEST_SHA256);

	return rc ? err_code(err, rc) : zip_writer_begin(&w->zip, path, size, err);
}

static int note_resource(struct package *w, slice path, uint64_t size, const struct digest *digest)
{
	char text[DIGEST_TEXT_SIZE];
	struct json j;

	(void)digest_format(digest, text);
	if (w->resources.len && buf_add_char(&w->resources, ','))
		return ERR_NOMEM;
	json_init_buf(&j, &w->resources, 0);
	json_object_begin(&j);
	json_text(&j, "name", slice_base_name(path));
	json_text(&j, "path", path);
	json_put_string(&j, "hash", text);
	json_put_uint(&j, "bytes", size);
	json_object_end(&j);
	return json_finish(&j);
}

static int end(struct package *w, slice path, uint64_t size, struct err *err)
{
	struct digest digest;
	int rc = zip_writer_end(&w->zip, err);

	if (rc == 0)
		rc = err_code(err, digester_finish(&w->digester, &digest));
	return rc ? rc : err_code(err, note_resource(w, path, size, &digest));
}

/* ---- WARC files ---- */

static int add_file(struct package *w, slice name, const struct warc_source *source, uint64_t size,
	struct err *err)
{
	struct buf path;
	int rc = warc_index_file(source, name, w->sort, &w->index, err);

	if (rc == 0)
		rc = pages_read(w->pages, source, err);
	buf_init(&path, PATH_MAX);
	if (rc == 0)
		rc = err_code(err, buf_printf(&path, "archive/%.*s", (int)name.len, name.ptr));
	if (rc == 0)
		rc = begin(w, buf_slice(&path), size, err);
	if (rc == 0)
		rc = export_copy(source, size, feed, w, err);
	if (rc == 0)
		rc = end(w, buf_slice(&path), size, err);
	buf_release(&path);
	return rc;
}

static int write_spool(void *context, slice bytes, struct err *err)
{
	const int *fd = context;

	if (io_write(*fd, bytes.ptr, bytes.len))
		return err_set(err, ERR_IO, "a temporary file: %s", strerror(errno));
	return 0;
}

/* Names keep their ends, so the compression stays the same. */
static enum warc_coding coding_of(slice name)
{
	if (word_ends(name, SLICE(".zst")))
		return WARC_CODING_ZSTD;
	return word_ends(name, SLICE(".gz")) ? WARC_CODING_GZIP : WARC_CODING_PLAIN;
}

static int add_anew(
	struct package *w, slice name, const struct warc_source *source, struct err *err)
{
	int fd = tempfile_open(w->params->temporary), rc;
	struct copier *r = NULL;
	uint64_t kept = w->rewritten.kept;
	off_t size;

	if (fd < 0)
		return err_set(err, ERR_IO, "no temporary file: %s", strerror(errno));
	rc = copier_open(coding_of(name), w->params, &r, err);
	if (rc == 0)
		rc = copier_copy(r, source, write_spool, &fd, &w->rewritten, err);
	copier_close(r);
	size = lseek(fd, 0, SEEK_END);
	if (rc == 0 && w->rewritten.kept > kept)
		rc = add_file(w, name, &(struct warc_source){.fd = fd}, (uint64_t)size, err);
	(void)close(fd);
	return rc;
}

static int add_warc(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	struct package *w = context;
	bool anew = w->params->redact || w->params->chosen;
	int rc = anew ? 0 : copier_is_needed(source, &anew, NULL, err);

	if (rc == 0)
		rc = anew ? add_anew(w, name, source, err) : add_file(w, name, source, size, err);

	if (rc && err && !memmem(err->text, strlen(err->text), name.ptr, name.len))
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc;
}

/* ---- what follows them ---- */

static int write_index(struct package *w, struct err *err)
{
	struct zipnum_writer *z;
	int rc = zipnum_writer_open(
		w->parts[PART_BLOCKS], w->parts[PART_INDEX], BLOCKS_NAME, 0, &z, err);

	if (rc)
		return rc;
	rc = cdxj_sort_finish(w->sort, zipnum_writer_add, z, err);
	if (rc)
		zipnum_writer_free(z);
	else
		rc = zipnum_writer_close(z, err);
	return rc;
}

static int add_part(struct package *w, enum part part, struct err *err)
{
	FILE *file = w->parts[part];
	slice path = slice_str(PART_PATHS[part]);
	off_t size;
	int rc;

	if (fflush(file) || (size = lseek(fileno(file), 0, SEEK_END)) < 0)
		return err_set(err, ERR_IO, "a temporary file: %s", strerror(errno));
	rc = begin(w, path, (uint64_t)size, err);
	if (rc == 0)
		rc = export_copy(
			&(struct warc_source){.fd = fileno(file)}, (uint64_t)size, feed, w, err);
	return rc ? rc : end(w, path, (uint64_t)size, err);
}

/* The date is that of the newest record: the same archive gives the same bytes. */
static int format_description(struct package *w, struct buf *out)
{
	struct pages_facts facts = pages_facts(w->pages);
	char created[WARC_DATE_SIZE], main_date[WARC_DATE_SIZE];
	struct json j;
	int rc;

	warc_date_format(facts.newest, created);
	warc_date_format(facts.main_date, main_date);
	json_init_buf(&j, out, 0);
	json_object_begin(&j);
	json_put_string(&j, "profile", "data-package");
	json_put_string(&j, "wacz_version", "1.1.1");
	json_put_string(&j, "software", "stillpoint " STILLPOINT_VERSION);
	json_put_string(&j, "created", created);
	if (facts.main_url.ptr) {
		json_text(&j, "mainPageUrl", facts.main_url);
		json_put_string(&j, "mainPageDate", main_date);
	}
	json_object_end(&j);
	rc = json_finish(&j);
	if (rc)
		return rc;
	buf_truncate(out, out->len - 1); /* the rows are there as text already */
	rc = buf_add_str(out, ",\"resources\":[");
	if (rc == 0)
		rc = buf_add(out, buf_slice(&w->resources));
	return rc ? rc : buf_add_str(out, "]}\n");
}

static int add_document(
	struct package *w, slice path, const struct buf *text, struct digest *ret, struct err *err)
{
	int rc = begin(w, path, text->len, err);

	if (rc == 0)
		rc = feed(w, buf_slice(text), err);
	if (rc == 0)
		rc = zip_writer_end(&w->zip, err);
	return rc ? rc : err_code(err, digester_finish(&w->digester, ret));
}

static int format_digest(const struct digest *digest, struct buf *out)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(digest, text);
	buf_reset(out);
	return buf_printf(out, "{\"path\":\"datapackage.json\",\"hash\":\"%s\"}\n", text);
}

static int add_description(struct package *w, struct err *err)
{
	struct digest digest;
	struct buf text;
	int rc;

	buf_init(&text, DOCUMENT_MAX);
	rc = err_code(err, format_description(w, &text));
	if (rc == 0)
		rc = add_document(w, SLICE("datapackage.json"), &text, &digest, err);
	if (rc == 0)
		rc = err_code(err, format_digest(&digest, &text));
	if (rc == 0)
		rc = add_document(w, SLICE("datapackage-digest.json"), &text, &digest, err);
	buf_release(&text);
	return rc;
}

/* ---- the whole ---- */

static int open_parts(struct package *w, const char *dir, struct err *err)
{
	for (int i = 0; i < PARTS; i++) {
		int fd = tempfile_open(dir);

		w->parts[i] = fd < 0 ? NULL : fdopen(fd, "w+b");
		if (w->parts[i])
			continue;
		(void)err_set(err, ERR_IO, "%s: no temporary file: %s", dir, strerror(errno));
		if (fd >= 0)
			(void)close(fd);
		return ERR_IO;
	}
	return 0;
}

static void release(struct package *w)
{
	for (int i = 0; i < PARTS; i++)
		if (w->parts[i])
			(void)fclose(w->parts[i]);
	pages_close(w->pages);
	cdxj_sort_close(w->sort);
	buf_release(&w->resources);
	digester_release(&w->digester);
	zip_writer_release(&w->zip);
}

static int write_parts(struct package *w, struct err *err)
{
	int rc = write_index(w, err);

	for (int i = 0; rc == 0 && i < PARTS; i++)
		rc = add_part(w, (enum part)i, err);
	if (rc == 0)
		rc = add_description(w, err);
	return rc ? rc : zip_writer_finish(&w->zip, err);
}

int wacz_write(const struct export_params *params, struct output *out, struct export_counts *counts,
	struct err *err)
{
	struct package w = {.params = params};
	int rc;

	zip_writer_init(&w.zip, output_write, out);
	buf_init(&w.resources, RESOURCES_MAX);
	rc = open_parts(&w, params->temporary, err);
	if (rc == 0)
		rc = cdxj_sort_open(params->temporary, 0, CDXJ_UNIQUE, &w.sort, err);
	if (rc == 0)
		rc = pages_open(w.parts[PART_PAGES], params->text, &w.pages, err);
	if (rc == 0)
		rc = export_each_file(params, add_warc, &w, counts, err);
	if (rc == 0)
		rc = write_parts(&w, err);
	if (rc == 0) {
		counts->lines = w.index.lines;
		counts->damaged = w.index.damaged + w.rewritten.damaged;
		counts->redacted = w.rewritten.redacted;
		counts->pages = pages_facts(w.pages).count;
	}
	release(&w);
	return rc;
}
