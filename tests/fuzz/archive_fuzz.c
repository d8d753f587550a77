/*
 * An archive of one WARC file, read by all that read archives: rebuild, index, verify, judge,
 * report, text index, clusters, replay, export, retire and import. Whatever the file says, each of
 * them succeeds or names a problem; what one wrote, the next one reads.
 *
 * The input is a WARC file, or what one is made of: records apart by a line with RECORD_END, each
 * without its first line, its length and its digests, which are computed here. So a change in a
 * record is not one of its digest, and is read to the end.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/export.h"
#include "archive/export_wacz.h"
#include "archive/index.h"
#include "archive/rebuild.h"
#include "archive/retire.h"
#include "archive/take_in.h"
#include "formats/http_payload.h"
#include "proof/judge.h"
#include "proof/look.h"
#include "proof/originals.h"
#include "proof/report.h"
#include "proof/rulebook.h"
#include "proof/verify.h"
#include "replay/collection.h"
#include "replay/memento.h"
#include "replay/record.h"
#include "text/page_clusters.h"
#include "text/text_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORD_END SLICE("\n\x1e\n")
#define HEAD_END   SLICE("\r\n\r\n")
#define FILE_NAME  "stillpoint-20261118062035-00000-example.org-793649.warc"

enum {
	FILE_MAX = 1 << 20,
	KEYS_MAX = 16,
	PATH_SIZE = 512,
};

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* It worked, or there is a sentence that says why not. */
static bool worked(int rc, const struct err *err)
{
	require(rc != ERR_NOMEM && (rc == 0 || (err->code == rc && err->text[0])));
	return rc == 0;
}

/* ---- the file ---- */

static size_t find(slice in, slice what)
{
	const char *at = in.len ? memmem(in.ptr, in.len, what.ptr, what.len) : NULL;

	return at ? (size_t)(at - in.ptr) : in.len;
}

static void add_digest(struct buf *out, const char *name, const struct digest *d)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(d, text);
	require(buf_printf(out, "%s: %s\r\n", name, text) == 0);
}

static void add_digests(struct buf *out, slice header, slice block)
{
	bool is_response = find(header, SLICE("WARC-Type: response")) < header.len;
	struct digester digester = {0};
	struct payload payload = {0};
	struct payload_digests both;
	struct digest digest;

	require(digester_start(&digester, DIGEST_SHA256) == 0);
	digester_feed(&digester, block);
	digester_finish(&digester, &digest);
	add_digest(out, "WARC-Block-Digest", &digest);
	if (is_response && payload_start(&payload, PAYLOAD_HTTP, DIGEST_SHA256) == 0 &&
		payload_feed(&payload, block) == 0 && payload_finish(&payload, &both) == 0)
		add_digest(out, "WARC-Payload-Digest", &both.decoded);
	payload_release(&payload);
	digester_release(&digester);
}

static void add_record(struct buf *out, slice part)
{
	size_t end = find(part, HEAD_END);
	slice header = slice_sub(part, 0, end);
	slice block = slice_sub(part, end + HEAD_END.len, part.len);

	require(buf_add(out, SLICE("WARC/1.1\r\n")) == 0 && buf_add(out, header) == 0);
	require(buf_printf(out, "\r\nContent-Length: %zu\r\n", block.len) == 0);
	add_digests(out, header, block);
	require(buf_add(out, SLICE("\r\n")) == 0 && buf_add(out, block) == 0);
	require(buf_add(out, HEAD_END) == 0);
}

static void make_file(slice input, struct buf *out)
{
	if (find(input, RECORD_END) == input.len || slice_starts_with(input, SLICE("WARC/"))) {
		require(buf_add(out, input) == 0);
		return;
	}
	while (input.len) {
		size_t end = find(input, RECORD_END);

		add_record(out, slice_sub(input, 0, end));
		input = slice_sub(input, end + RECORD_END.len, input.len);
	}
}

/* ---- the archive ---- */

/* Paths of one run, in a directory that is gone after it. */
struct place {
	char dir[64];
	char archive[PATH_SIZE], warc[PATH_SIZE], file[PATH_SIZE], catalog[PATH_SIZE];
	char index[PATH_SIZE], other[PATH_SIZE], out[PATH_SIZE];
};

static void begin(struct place *p, slice content)
{
	struct stat st;
	int fd;

	(void)snprintf(p->dir, sizeof p->dir, "%s/archive-fuzz-XXXXXX",
		stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp");
	require(mkdtemp(p->dir) != NULL);
	(void)snprintf(p->archive, PATH_SIZE, "%s/a", p->dir);
	(void)snprintf(p->warc, PATH_SIZE, "%s/a/warc", p->dir);
	(void)snprintf(p->file, PATH_SIZE, "%s/a/warc/" FILE_NAME, p->dir);
	(void)snprintf(p->catalog, PATH_SIZE, "%s/a/catalog.sqlite", p->dir);
	(void)snprintf(p->index, PATH_SIZE, "%s/a/index.cdxj", p->dir);
	(void)snprintf(p->other, PATH_SIZE, "%s/b", p->dir);
	(void)snprintf(p->out, PATH_SIZE, "%s/out", p->dir);
	require(mkdir(p->archive, 0700) == 0 && mkdir(p->warc, 0700) == 0);
	fd = open(p->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	require(fd >= 0 && write(fd, content.ptr, content.len) == (ssize_t)content.len);
	(void)close(fd);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void leave(const struct place *p)
{
	require(nftw(p->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

/* ---- its readers ---- */

static void check_verify(const struct place *p, bool has_catalog)
{
	struct verify_params params = {.warc_dir = p->warc, .index = p->index};
	struct err err = {0};
	struct verify v;

	if (has_catalog &&
		!worked(catalog_open(p->catalog, CATALOG_READ, &params.catalog, &err), &err))
		return;
	if (worked(verify_run(&v, &params, &err), &err))
		for (size_t i = 0; i < v.problems.len; i++)
			require(v.problems.ptr[i].text.len > 0 && v.problems.ptr[i].cause <= i);
	verify_release(&v);
	catalog_close(params.catalog);
}

static void check_report(struct catalog *catalog)
{
	struct u32_vec ids = {0};
	struct err err = {0};

	if (worked(report_captures(catalog, &ids, &err), &err))
		for (size_t i = 0; i < ids.len; i++) {
			struct report report;

			(void)worked(report_load(&report, catalog, ids.ptr[i], &err), &err);
			report_release(&report);
			err = (struct err){0};
		}
	u32_vec_release(&ids);
}

static int on_observation(void *context, const struct attempt *a)
{
	const struct look_source *from = context;
	struct err why = {0};
	struct look look;

	if (worked(look_read(&look, from, a, &why), &why))
		require(!look.readable || look.body.len <= look.size);
	look_release(&look);
	return 0;
}

/* Reads what each look showed, compact ones too. */
static void check_looks(const struct place *p, struct catalog *catalog)
{
	struct originals originals;
	struct look_source from = {.warc_dir = p->warc,
		.find = originals_find,
		.context = &originals,
		.catalog = catalog};
	struct u32_vec ids = {0};
	struct err err = {0};

	originals_init(&originals, catalog, 0);
	require(report_captures(catalog, &ids, &err) == 0);
	for (size_t i = 0; i < ids.len; i++)
		(void)worked(
			catalog_each_observation(catalog, ids.ptr[i], on_observation, &from, &err),
			&err);
	u32_vec_release(&ids);
	originals_release(&originals);
}

static void check_rebuilt(const struct place *p)
{
	struct rebuild_counts counts;
	struct catalog *catalog = NULL;
	struct err err = {0};

	if (!worked(rebuild(p->archive, NULL, &counts, &err), &err))
		return;
	check_verify(p, true);
	require(catalog_open(p->catalog, CATALOG_READ, &catalog, &err) == 0);
	check_report(catalog);
	check_looks(p, catalog);
	catalog_close(catalog);
}

/* The file by itself, as no archive. */
static void check_file(const struct place *p)
{
	struct verify_params params = {.warc_dir = p->warc, .file = p->file, .tmp_dir = p->dir};
	struct rebuild_set set = {p->file, p->warc, p->dir};
	struct catalog *catalog = NULL;
	struct rebuild_counts counts;
	struct err err = {0};
	struct verify v;

	(void)worked(verify_run(&v, &params, &err), &err);
	verify_release(&v);
	err = (struct err){0};
	require(catalog_open_temporary(&catalog, &err) == 0);
	if (worked(rebuild_read(&set, catalog, &counts, &err), &err)) {
		check_report(catalog);
		check_looks(p, catalog);
	}
	catalog_close(catalog);
}

static void check_judge(const struct place *p)
{
	struct judge_params params = {.first = p->archive,
		.slack = INT64_C(1000000000),
		.book = rulebook_default(),
		.tmp_dir = p->dir};
	struct catalog *catalog = NULL;
	struct judge_counts counts;
	struct err err = {0};

	require(catalog_open_temporary(&catalog, &err) == 0);
	if (worked(judge_run(&params, catalog, &counts, &err), &err))
		check_report(catalog);
	catalog_close(catalog);
}

static void on_cluster(void *context, const struct page_cluster *cluster)
{
	(void)context;
	require(cluster->count > 1 && cluster->urls[0].len > 0);
}

static void check_text(const struct place *p)
{
	struct text_index_params params = {
		.path = p->warc, .directory = p->archive, .temporary = p->dir};
	struct page_clusters_params similar = {.path = p->warc, .temporary = p->dir};
	struct page_clusters *clusters = NULL;
	struct text_index_counts counts;
	struct err err = {0};

	(void)worked(text_index_write(&params, &counts, &err), &err);
	err = (struct err){0};
	if (worked(page_clusters_read(&similar, &clusters, &err), &err))
		page_clusters_each(clusters, on_cluster, NULL);
	page_clusters_free(clusters);
}

static void replay_key(struct collection *c, slice key)
{
	struct err err = {0};
	struct mementos all;

	if (worked(mementos_find(c, key, &all, &err), &err))
		for (size_t i = 0; i < all.list.len && i < KEYS_MAX; i++) {
			struct record *r = NULL;
			slice piece;
			int rc;

			err = (struct err){0};
			rc = record_open(c, &all.list.ptr[i], &r, &err);
			while (rc == 0 && (rc = record_read(r, &piece, &err)) == 0)
				require(piece.len > 0);
			require(rc == ERR_END || !worked(rc, &err));
			record_close(r);
		}
	mementos_release(&all);
}

/* Shows the pages that the first lines of the index name. */
static void check_replay(const struct place *p)
{
	struct collection_terms terms = {.temporary = p->dir};
	struct collection *c = NULL;
	struct err err = {0};
	char *line = NULL;
	size_t room = 0;
	FILE *index;

	if (!worked(collection_open(p->archive, &terms, &c, &err), &err))
		return;
	index = fopen(p->index, "re");
	for (int i = 0; index && i < KEYS_MAX && getline(&line, &room, index) > 0; i++) {
		slice rest = slice_str(line);

		replay_key(c, slice_take(&rest, ' '));
	}
	free(line);
	if (index)
		(void)fclose(index);
	collection_close(c);
}

typedef int export_write(const struct export_params *params, struct output *out,
	struct export_counts *counts, struct err *err);

static void check_export(const struct place *p)
{
	static export_write *const FORMS[] = {
		warc_export, warc_export, wacz_write, table_write_csv, table_write_cdxj};

	for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
		struct export_params params = {.path = p->archive,
			.temporary = p->dir,
			.text = true,
			.redact = i < 2,
			.compact = i == 1};
		struct export_counts counts = {0};
		struct output out = {0};
		struct err err = {0};
		int rc;

		require(output_open(&out, p->out, &err) == 0);
		rc = FORMS[i](&params, &out, &counts, &err);
		(void)worked(output_close(&out, rc, &err), &err);
	}
}

/* All but the newest versions go, and what stays is read again. */
static void check_retire(const struct place *p)
{
	struct retire_rule rule = {.keep = {.steps = {{.until = 1}}, .count = 1}};
	struct retire_params params = {.rules = &rule, .rule_count = 1};
	struct retire_counts counts;
	struct err err = {0};

	if (worked(retire_archive(p->archive, &params, &counts, &err), &err))
		check_verify(p, true);
}

static int on_taken(void *context, const char *path, struct err *err)
{
	(void)err;
	require(path[0] == '/');
	return text_list_push(context, FILE_NAME);
}

static void check_import(const struct place *p)
{
	struct directory d = {.lock = -1};
	struct take_in_counts counts = {0};
	struct text_list names = {0};
	struct rebuild_counts added;
	struct catalog *catalog = NULL;
	struct err err = {0};

	if (!worked(take_in_check(p->file, p->dir, &err), &err))
		return;
	require(directory_open(&d, p->other, true, &err) == 0);
	require(catalog_open(d.catalog, CATALOG_CREATE, &catalog, &err) == 0);
	if (worked(take_in(&d, p->file, on_taken, &names, &counts, &err), &err) &&
		worked(rebuild_import(&d, catalog, &names, &added, &err), &err)) {
		check_report(catalog);
		(void)worked(index_write(catalog, &d, &err), &err);
	}
	text_list_release(&names);
	catalog_close(catalog);
	directory_close(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct index_counts counts;
	struct err err = {0};
	struct place p = {0};
	struct buf file;

	if (size > FILE_MAX / 4)
		return 0;
	buf_init(&file, FILE_MAX);
	make_file((slice){(const char *)data, size}, &file);
	begin(&p, buf_slice(&file));
	check_import(&p);
	check_verify(&p, false);
	check_file(&p);
	check_judge(&p);
	check_rebuilt(&p);
	(void)worked(index_from_warc(p.archive, &counts, &err), &err);
	check_text(&p);
	check_replay(&p);
	check_export(&p);
	check_retire(&p);
	leave(&p);
	buf_release(&file);
	return 0;
}
