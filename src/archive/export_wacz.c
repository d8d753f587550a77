#include "archive/export_wacz.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/export_copier.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/slice.h"
#include "base/word.h"
#include "formats/http_digest.h"
#include "formats/url.h"
#include "text/page_reader.h"
#include "warc/warc_date.h"
#include "warc/warc_index.h"
#include "warc/warc_input.h"
#include "warc/zip.h"
#include "warc/zipnum.h"

/*
 * pages.jsonl of a WACZ (1.1.1 §5.2.1): a line for each version of an HTML page that the WARC files
 * hold, with its title and, if asked for, its visible text. Pages are answers with a status of 2xx;
 * the same answer of a later look is not listed again.
 */

/* What was found so far. */
struct pages_facts {
	uint64_t count;
	slice main_url; /* of the first page; ptr NULL when there is none */
	int64_t main_date;
	int64_t newest; /* date of all records; 0: none */
};

enum {
	KEY_SIZE = 16, /* bytes of a digest that tell pages apart */
	KEYS_MAX = 1 << 30,
};

struct pages {
	FILE *out;
	bool wants_text;
	struct page_reader *reader;
	struct arena arena;
	struct strmap known;
	struct digester digester;
	struct buf main_url;
	struct pages_facts facts;
};

static int put_head(struct pages *p, struct err *err)
{
	struct json j;

	json_init_file(&j, p->out, JSON_LINES);
	json_object_begin(&j);
	json_put_string(&j, "format", "json-pages-1.0");
	json_put_string(&j, "id", "pages");
	json_put_string(&j, "title", "All Pages");
	json_put_bool(&j, "hasText", p->wants_text);
	json_object_end(&j);
	return json_finish(&j) ? err_set(err, ERR_IO, "a temporary file: %s", strerror(errno)) : 0;
}

/* ---- lines ---- */

/* What tells this version of the page from all others. */
static int make_key(struct pages *p, const struct warc_record *rec, struct digest *ret)
{
	slice payload = warc_header_get(&rec->header, SLICE("WARC-Payload-Digest"));
	slice date = warc_header_get(&rec->header, SLICE("WARC-Date"));

	TRY(digester_start(&p->digester, DIGEST_SHA256));
	digester_feed(&p->digester, rec->header.url);
	digester_feed(&p->digester, SLICE("\n"));
	digester_feed(&p->digester, payload.len ? payload : date);
	digester_finish(&p->digester, ret);
	return 0;
}

static int put_page(struct pages *p, const struct warc_record *rec, const struct page_text *text,
	const struct digest *key, struct err *err)
{
	char date[WARC_DATE_SIZE], hex[2 * KEY_SIZE + 1];
	struct json j;

	warc_date_format(rec->header.date, date);
	json_init_file(&j, p->out, JSON_LINES);
	for (size_t i = 0; i < KEY_SIZE; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", key->bytes[i]);
	json_object_begin(&j);
	json_put_string(&j, "id", hex);
	json_text(&j, "url", rec->header.url);
	json_put_string(&j, "ts", date);
	if (text->title.len)
		json_text(&j, "title", buf_slice(&text->title));
	if (p->wants_text)
		json_text(&j, "text", text->text.len ? buf_slice(&text->text) : SLICE(""));
	json_object_end(&j);
	return json_finish(&j) ? err_set(err, ERR_IO, "a temporary file: %s", strerror(errno)) : 0;
}

static int add_page(
	void *context, const struct warc_record *rec, const struct page_text *text, struct err *err)
{
	struct pages *p = context;
	struct digest key;
	int rc = make_key(p, rec, &key);

	if (rc == 0)
		rc = strmap_put(&p->known, (slice){(const char *)key.bytes, KEY_SIZE}, 0);
	if (rc)
		return rc == ERR_EXISTS ? 0 : err_code(err, rc);
	if (p->facts.count == 0 && buf_add(&p->main_url, rec->header.url) == 0)
		p->facts.main_date = rec->header.date;
	p->facts.count++;
	return put_page(p, rec, text, &key, err);
}

static void pages_close(struct pages *p)
{
	if (!p)
		return;
	page_reader_close(p->reader);
	strmap_release(&p->known);
	arena_release(&p->arena);
	digester_release(&p->digester);
	buf_release(&p->main_url);
	free(p);
}

/* Lines go to out, which is borrowed. 0, ERR_IO. */
static SP_MUST_CHECK int pages_open(FILE *out, bool text, struct pages **ret, struct err *err)
{
	struct pages *p = mem_new(1, sizeof *p);
	int rc;

	p->out = out;
	p->wants_text = text;
	arena_init(&p->arena, KEYS_MAX);
	strmap_init(&p->known, hash_key_random(), &p->arena);
	buf_init(&p->main_url, URL_MAX);
	p->reader = page_reader_open(add_page, p);
	rc = put_head(p, err);
	if (rc)
		pages_close(p);
	else
		*ret = p;
	return rc;
}

static struct pages_facts pages_facts(const struct pages *p)
{
	struct pages_facts facts = p->facts;

	facts.main_url = p->facts.count ? buf_slice(&p->main_url) : (slice){0};
	facts.newest = page_reader_newest(p->reader);
	return facts;
}

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

	digester_feed(&w->digester, bytes);
	return zip_writer_feed(&w->zip, bytes, err);
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
	if (w->resources.len)
		buf_add_char(&w->resources, ',');
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

	TRY(zip_writer_end(&w->zip, err));
	digester_finish(&w->digester, &digest);
	return err_code(err, note_resource(w, path, size, &digest));
}

/* ---- WARC files ---- */

static int add_file(struct package *w, slice name, const struct warc_source *source, uint64_t size,
	struct err *err)
{
	BUF_SCOPED(path, PATH_MAX);
	int rc = warc_index_file(source, name, w->sort, &w->index, err);

	if (rc == 0)
		rc = page_reader_read(w->pages->reader, source, err);
	buf_printf(&path, "archive/%.*s", (int)name.len, name.ptr);
	if (rc == 0)
		rc = err_code(err, path.error);
	if (rc == 0)
		rc = begin(w, buf_slice(&path), size, err);
	if (rc == 0)
		rc = export_copy(source, size, feed, w, err);
	if (rc == 0)
		rc = end(w, buf_slice(&path), size, err);
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

	if (fflush(file) || (size = lseek(fileno(file), 0, SEEK_END)) < 0)
		return err_set(err, ERR_IO, "a temporary file: %s", strerror(errno));
	TRY(begin(w, path, (uint64_t)size, err));
	TRY(export_copy(&(struct warc_source){.fd = fileno(file)}, (uint64_t)size, feed, w, err));
	return end(w, path, (uint64_t)size, err);
}

/* The date is that of the newest record: the same archive gives the same bytes. */
static int format_description(struct package *w, struct buf *out)
{
	struct pages_facts facts = pages_facts(w->pages);
	char created[WARC_DATE_SIZE], main_date[WARC_DATE_SIZE];
	struct json j;

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
	TRY(json_finish(&j));
	buf_truncate(out, out->len - 1); /* the rows are there as text already */
	buf_add_str(out, ",\"resources\":[");
	buf_add(out, buf_slice(&w->resources));
	return buf_add_str(out, "]}\n");
}

static int add_document(
	struct package *w, slice path, const struct buf *text, struct digest *ret, struct err *err)
{
	TRY(begin(w, path, text->len, err));
	TRY(feed(w, buf_slice(text), err));
	TRY(zip_writer_end(&w->zip, err));
	digester_finish(&w->digester, ret);
	return 0;
}

static int add_description(struct package *w, struct err *err)
{
	char hash[DIGEST_TEXT_SIZE];
	struct digest digest;
	BUF_SCOPED(text, DOCUMENT_MAX);

	TRY(err_code(err, format_description(w, &text)));
	TRY(add_document(w, SLICE("datapackage.json"), &text, &digest, err));
	(void)digest_format(&digest, hash);
	buf_reset(&text);
	buf_printf(&text, "{\"path\":\"datapackage.json\",\"hash\":\"%s\"}\n", hash);
	TRY(add_document(w, SLICE("datapackage-digest.json"), &text, &digest, err));
	return 0;
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
	TRY(write_index(w, err));
	for (int i = 0; i < PARTS; i++)
		TRY(add_part(w, (enum part)i, err));
	TRY(add_description(w, err));
	return zip_writer_finish(&w->zip, err);
}

int wacz_write(const struct export_params *params, struct output *out, struct export_counts *counts,
	struct err *err)
{
	struct package w = {.params = params};
	int rc;

	zip_writer_init(&w.zip, output_write, out);
	buf_init(&w.resources, RESOURCES_MAX);
	w.sort = cdxj_sort_open(params->temporary, 0, CDXJ_UNIQUE);
	rc = open_parts(&w, params->temporary, err);
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
