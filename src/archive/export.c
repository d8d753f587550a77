#include "archive/export.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/export_copier.h"
#include "base/arena.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/word.h"
#include "warc/record_body.h"
#include "warc/warc_index.h"
#include "warc/warc_reader.h"
#include "warc/warc_request.h"
#include "warc/warc_set.h"
#include "warc/warc_writer.h"

struct reading {
	struct cdxj_sort *sort;
	struct warc_index_counts index;
};

struct csv {
	struct output *out;
	struct buf scratch;
};

static int table_add_warc(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	struct reading *r = context;
	int rc = warc_index_file(source, name, r->sort, &r->index, err);

	(void)size;
	if (rc)
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc;
}

/* Nothing is printed before all files were read. */
static int read_all(const struct export_params *params, struct reading *r,
	struct export_counts *counts, struct err *err)
{
	int rc;

	r->sort = cdxj_sort_open(params->temporary, 0, CDXJ_UNIQUE);
	rc = export_each_file(params, table_add_warc, r, counts, err);
	counts->lines = r->index.lines;
	counts->damaged = r->index.damaged;
	return rc;
}

int table_write_cdxj(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err)
{
	struct reading r = {.sort = NULL};
	int rc = read_all(params, &r, counts, err);

	if (rc == 0)
		rc = cdxj_sort_finish(r.sort, cdxj_put_line, out->file, err);
	cdxj_sort_close(r.sort);
	return rc;
}

/* ---- CSV ---- */

static void put_number(FILE *file, bool known, uint64_t value)
{
	(void)fputc(',', file);
	if (known)
		(void)fprintf(file, "%" PRIu64, value);
}

static void put_text(FILE *file, slice value)
{
	(void)fputc(',', file);
	csv_write_field(file, value);
}

static int put_row(void *context, slice line, struct err *err)
{
	struct csv *x = context;
	FILE *file = x->out->file;
	struct cdxj c;

	buf_reset(&x->scratch);
	TRY(err_code(err, cdxj_parse(line, &x->scratch, &c)));
	csv_write_field(file, c.url.ptr ? c.url : c.key);
	put_text(file, slice_str(c.timestamp));
	put_number(file, c.status > 0, c.status);
	put_text(file, c.mime);
	put_text(file, c.digest);
	put_number(file, c.has_place, c.length);
	put_number(file, c.has_place, c.offset);
	put_text(file, c.filename);
	(void)fputc('\n', file);
	return ferror(file) ? output_fail(x->out, err) : 0;
}

int table_write_csv(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err)
{
	struct csv x = {.out = out};
	struct reading r = {.sort = NULL};
	int rc = read_all(params, &r, counts, err);

	buf_init(&x.scratch, CDXJ_LINE_MAX);
	if (rc == 0)
		rc = output_write(out,
			SLICE("url,timestamp,status,mime,digest,length,offset,filename\n"), err);
	if (rc == 0)
		rc = cdxj_sort_finish(r.sort, put_row, &x, err);
	cdxj_sort_close(r.sort);
	buf_release(&x.scratch);
	return rc;
}

struct joining {
	enum warc_coding coding; /* of the output */
	bool anew;               /* all records are written anew */
	struct copier *copier;
	struct copier_counts counts;
	struct output *out;
};

/* As the name of the output says; gzip unless it says something else. */
static enum warc_coding coding_of(slice path)
{
	if (word_ends(path, SLICE(".warc")))
		return WARC_CODING_PLAIN;
	return word_ends(path, SLICE(".warc.zst")) ? WARC_CODING_ZSTD : WARC_CODING_GZIP;
}

static int add_warc(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	struct joining *j = context;
	enum warc_coding coding = WARC_CODING_PLAIN;
	uint64_t damaged = 0;
	bool anew = true;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, err);

	if (rc == 0) {
		coding = warc_reader_coding(r);
		warc_reader_close(r);
	}
	/* zstd files may have dictionaries of their own, so they are never joined as they are. */
	if (rc == 0 && !j->anew && coding == j->coding && coding != WARC_CODING_ZSTD)
		rc = copier_is_needed(source, &anew, &damaged, err);
	if (rc == 0 && !anew)
		j->counts.damaged += damaged;
	if (rc == 0)
		rc = !anew ? export_copy(source, size, output_write, j->out, err)
			   : copier_copy(j->copier, source, output_write, j->out, &j->counts, err);
	if (rc)
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc;
}

int warc_export(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err)
{
	struct joining j = {
		.coding = coding_of(slice_str(out->path)),
		.anew = params->redact || params->chosen || params->compact,
		.out = out,
	};
	int rc = copier_open(j.coding, params, &j.copier, err);

	if (rc == 0 && params->compact)
		rc = copier_pack(j.copier, out, output_write, out, err);
	if (rc == 0)
		rc = export_each_file(params, add_warc, &j, counts, err);
	if (rc == 0)
		rc = copier_end(j.copier, err);
	copier_close(j.copier);
	counts->redacted = j.counts.redacted;
	counts->damaged = j.counts.damaged;
	return rc;
}

enum { IDS_MAX = 1 << 30 };

struct chosen {
	struct arena arena;
	struct strmap ids; /* of responses and revisits */
	slice uuid;
};

static int add(struct chosen *c, slice id)
{
	int rc = id.len ? strmap_put(&c->ids, id, 0) : 0;

	return rc == ERR_EXISTS ? 0 : rc;
}

static int on_observation(void *context, const struct attempt *a)
{
	return add(context, a->record_id);
}

static int find_capture(
	struct chosen *c, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct catalog_capture found;
	int rc = catalog_get_capture(catalog, capture, &c->arena, &found, err);

	if (rc == ERR_NOTFOUND)
		return err_set(err, rc, "there is no capture %" PRIu32 " in this archive", capture);
	if (rc == 0 && found.state == CATALOG_RUNNING)
		return err_set(err, ERR_STATE,
			"capture %" PRIu32 " is not finished; run 'stillpoint resume' first",
			capture);
	if (rc == 0)
		c->uuid = found.uuid;
	return rc;
}

int chosen_open(struct catalog *catalog, uint32_t capture, struct chosen **ret, struct err *err)
{
	struct chosen *c = mem_new(1, sizeof *c);
	int rc;

	arena_init(&c->arena, IDS_MAX);
	strmap_init(&c->ids, hash_key_random(), &c->arena);
	rc = find_capture(c, catalog, capture, err);
	if (rc == 0)
		rc = err_code(
			err, catalog_each_observation(catalog, capture, on_observation, c, err));
	if (rc)
		chosen_close(c);
	else
		*ret = c;
	return rc;
}

void chosen_close(struct chosen *c)
{
	if (!c)
		return;
	strmap_release(&c->ids);
	arena_release(&c->arena);
	free(c);
}

/* ---- what revisit records and compact looks refer to: the catalog does not know ---- */

static int on_look(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	struct chosen *c = context;

	(void)size;
	(void)code;
	return look && strmap_get(&c->ids, look->attempt.record_id, NULL)
		       ? err_code(err, add(c, look->attempt.original.record))
		       : 0;
}

static int add_referred(struct chosen *c, const struct warc_record *rec)
{
	slice id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID")));

	if (rec->is_gap || rec->header.type != WARC_TYPE_REVISIT || !strmap_get(&c->ids, id, NULL))
		return 0;
	return add(c, fields_trim(warc_header_get(&rec->header, SLICE("WARC-Refers-To"))));
}

static int read_record(
	void *context, struct warc_reader *r, const struct warc_record *rec, struct err *err)
{
	return !rec->is_gap && compact_is_type(rec->header.content_type)
		       ? compact_each_of(r, on_look, context, err)
		       : err_code(err, add_referred(context, rec));
}

static int read_file(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	int rc = record_each(source, WARC_READER_UNCHECKED, read_record, context, err);

	(void)size;
	if (rc)
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc;
}

int chosen_complete(struct chosen *c, const struct export_params *params, struct err *err)
{
	struct export_counts counts = {0};

	return export_each_file(params, read_file, c, &counts, err);
}

static bool names_capture(const struct chosen *c, slice url, slice start)
{
	return slice_eq(url, c->uuid) ||
	       (c->uuid.len && start.len &&
		       memmem(start.ptr, start.len, c->uuid.ptr, c->uuid.len) != NULL);
}

bool chosen_has(const struct chosen *c, const struct warc_header *h, slice start)
{
	slice id = fields_trim(warc_header_get(h, SLICE("WARC-Record-ID")));
	slice other = fields_trim(warc_header_get(h, SLICE("WARC-Concurrent-To")));

	if (h->type == WARC_TYPE_WARCINFO || request_form_is(h))
		return true;
	if (h->type == WARC_TYPE_METADATA) /* of the attempt: that of an earlier one is not ours */
		return names_capture(c, h->url, start);
	return strmap_get(&c->ids, id, NULL) || (other.len && strmap_get(&c->ids, other, NULL));
}

enum { NAMES_MAX = 256 << 20, COPY_SIZE = 64 << 10 };

struct walk {
	export_call *call;
	void *context;
	struct export_counts *counts;
	struct arena arena;
	struct strmap names;
};

static int on_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct walk *w = context;
	slice name = warc_set_file_name(file);
	int rc;

	if (warc_closed_name(name).len < name.len) {
		w->counts->open++;
		return 0;
	}
	rc = strmap_put(&w->names, name, 0);
	if (rc == ERR_EXISTS)
		return err_set(err, rc,
			"%s: there are two files of this name; rename one, since an index names "
			"files without their directory",
			file->path);
	if (rc)
		return err_code(err, rc);
	rc = w->call(w->context, name, &file->source, file->size, err);
	if (rc == 0)
		w->counts->files++;
	return rc;
}

int export_each_file(const struct export_params *params, export_call *call, void *context,
	struct export_counts *counts, struct err *err)
{
	struct walk w = {.call = call, .context = context, .counts = counts};
	int rc;

	arena_init(&w.arena, NAMES_MAX);
	strmap_init(&w.names, hash_key_random(), &w.arena);
	rc = warc_set_each_of_archive(params->path, params->temporary, on_file, &w, err);
	strmap_release(&w.names);
	arena_release(&w.arena);
	if (rc == 0 && counts->files == 0)
		rc = err_set(err, ERR_NOTFOUND,
			"%s: all its WARC files belong to a capture that is not finished; run "
			"'stillpoint resume' first",
			params->path);
	return rc;
}

int export_dir(const struct export_params *params, struct buf *out)
{
	size_t before = out->len;
	struct stat st;
	int rc = buf_printf(out, "%s/warc", params->path);

	if (rc || access(buf_str(out) + before, F_OK) == 0)
		return rc;
	buf_truncate(out, before);
	if (stat(params->path, &st) == 0 && S_ISDIR(st.st_mode))
		return buf_add_str(out, params->path);
	return compact_dir(params->path, out);
}

int export_copy(const struct warc_source *source, uint64_t size, export_emit *emit, void *context,
	struct err *err)
{
	char bytes[COPY_SIZE];
	uint64_t done = 0;
	int rc = 0;

	while (rc == 0 && done < size) {
		size_t want = size - done < sizeof bytes ? (size_t)(size - done) : sizeof bytes;
		ssize_t n = io_read_at(source->fd, bytes, want, source->start + done);

		if (n <= 0)
			return err_set(err, ERR_IO, "%s",
				n < 0 ? strerror(errno) : "it became shorter meanwhile");
		rc = emit(context, (slice){bytes, (size_t)n}, err);
		done += (uint64_t)n;
	}
	return rc;
}
