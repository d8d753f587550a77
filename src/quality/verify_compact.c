/*
 * Compact looks as records: their bodies are those of records that were read before. So they are
 * verified by the code that verifies records, whether they are in a WARC file or still wait in the
 * catalog.
 */
#include <limits.h>

#include "archive/compact_body.h"
#include "quality/verify_run.h"

enum { SCRATCH_MAX = 4 << 20 };

/* ERR_NOTFOUND and the like when what a patch is against is not there. */
static int expand(const struct verify *v, const char *path, const struct compact_look *look,
	struct buf *records)
{
	const struct evidence *of = evidence_find(&v->evidence, look->attempt.original.record);
	struct compact_look placed = *look;
	struct err ignored = {0};
	struct buf dir;
	int rc;

	if (look->is_patch && (!of || of->is_compact || of->is_revisit || !of->sound))
		return ERR_NOTFOUND;
	if (look->is_patch) { /* where it was found counts, not where it was */
		placed.file = words_text(&v->words, of->file);
		placed.offset = of->offset;
	}
	buf_init(&dir, PATH_MAX);
	rc = compact_dir(path, &dir);
	if (rc == 0)
		rc = compact_records(buf_str(&dir), &placed, records, &ignored);
	buf_release(&dir);
	return rc;
}

/* What is not there was in a file that is lost, if there is one. */
static int tell_lost(struct verify *v, slice url, const struct verify_place *place)
{
	int rc;

	verify_blame(v, v->loss);
	rc = verify_problem(v, url, place,
		"the record that a look is a patch against is not there, or another one");
	verify_blame(v, 0);
	return rc;
}

static int read_look(struct verify *v, const struct verify_batch *b,
	const struct compact_look *look, verify_on_records *call, void *context)
{
	struct buf records;
	int rc;

	buf_init(&records, COMPACT_EXPANDED_MAX);
	rc = expand(v, b->path, look, &records);
	if (rc == 0)
		rc = call(context, look, buf_slice(&records));
	else if (rc != ERR_NOMEM && look->is_patch)
		rc = tell_lost(v, look->attempt.url, &b->place);
	else if (rc != ERR_NOMEM)
		rc = verify_problem(
			v, look->attempt.url, &b->place, "a compact look makes no records");
	buf_release(&records);
	return rc;
}

static int tell_unread(struct verify *v, const struct verify_place *place, int rc)
{
	if (rc == ERR_NOMEM)
		return rc;
	if (rc == ERR_UNSUPPORTED)
		return verify_note(
			v, (slice){0}, place, "a look of a later version, which is passed over");
	return verify_problem(v, (slice){0}, place, "a compact look cannot be read");
}

int verify_looks(
	struct verify *v, const struct verify_batch *b, verify_on_records *call, void *context)
{
	struct compact_rows rows;
	struct compact_look look;
	struct arena arena;
	int rc = compact_open(&rows, b->block, NULL);

	if (rc)
		return tell_unread(v, &b->place, rc);
	arena_init(&arena, SCRATCH_MAX);
	while (rc == 0 && (rc = compact_next(&rows, &arena, &look, NULL)) != ERR_END) {
		rc = rc ? tell_unread(v, &b->place, rc) : read_look(v, b, &look, call, context);
		arena_reset(&arena);
	}
	arena_release(&arena);
	return rc == ERR_END ? 0 : rc;
}

/* ---- looks that wait in the catalog ---- */

struct waiting {
	struct verify *v;
	struct verify_input input;
	struct buf block;
	uint64_t count;
};

static uint64_t count_rows(slice block)
{
	struct compact_rows rows;
	struct compact_look look;
	struct arena arena;
	uint64_t count = 0;
	int rc = compact_open(&rows, block, NULL);

	arena_init(&arena, SCRATCH_MAX);
	while (rc == 0 && compact_next(&rows, &arena, &look, NULL) != ERR_END) {
		count++;
		arena_reset(&arena);
	}
	arena_release(&arena);
	return count;
}

static int on_waiting(void *context, const struct catalog_look *looks)
{
	struct waiting *w = context;
	struct verify_place place = {.file = w->input.shown, .offset = looks->batch};
	int rc;

	buf_reset(&w->block);
	rc = buf_add(&w->block, SLICE(COMPACT_FIRST));
	if (rc == 0)
		rc = buf_add(&w->block, looks->rows);
	if (rc)
		return rc;
	w->count += count_rows(buf_slice(&w->block));
	return verify_read_looks(w->v, &w->input, buf_slice(&w->block), &place);
}

int verify_waiting(struct verify *v, const char *warc_dir, struct catalog *catalog, struct err *err)
{
	static const slice NAME = SLICE_INIT("catalog.sqlite");
	struct waiting w = {.v = v};
	struct buf path;
	int rc;

	buf_init(&path, PATH_MAX);
	buf_init(&w.block, COMPACT_BLOCK_MAX);
	rc = buf_printf(&path, "%s/", warc_dir);
	w.input = (struct verify_input){.path = buf_str(&path), .shown = NAME, .name = NAME};
	if (rc == 0)
		rc = catalog_each_look(catalog, on_waiting, &w, err);
	buf_release(&w.block);
	buf_release(&path);
	if (rc == 0 && w.count > 0)
		rc = verify_note(v, (slice){0}, NULL,
			"looks that wait in the catalog for their record: %llu; 'stillpoint "
			"resume' writes it",
			(unsigned long long)w.count);
	return err_code(err, rc);
}
