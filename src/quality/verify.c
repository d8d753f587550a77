#include "quality/verify.h"
#include "quality/same_body.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "archive/warc_file.h"
#include "quality/verify_run.h"

/* Of strings: URLs, record ids, problems. */
#define ARENA_MAX ((size_t)64 << 30)

enum { PATH_SIZE = 4096, TEXT_SIZE = 1024 };

/* ---- problems ---- */

static int keep(struct arena *arena, slice text, slice *ret)
{
	char *copy = text.ptr ? arena_strdup(arena, text) : NULL;

	if (text.ptr && !copy)
		return ERR_NOMEM;
	*ret = (slice){copy, text.len};
	return 0;
}

void verify_blame(struct verify *v, uint32_t loss)
{
	v->cause = loss;
}

/* The problem that is about to be added: its cause is known, or that of the first like it. */
static int find_cause(struct verify *v, slice text, uint32_t *ret)
{
	*ret = (uint32_t)v->problems.len;
	if (v->cause) {
		*ret = v->cause - 1;
		return 0;
	}
	return strmap_get(&v->causes, text, ret) ? 0 : strmap_put(&v->causes, text, *ret);
}

static int add(struct verify *v, struct verify_problems *list, slice url,
	const struct verify_place *place, const char *text)
{
	struct verify_problem p = {0};
	int rc = keep(&v->arena, url, &p.url);

	if (rc == 0 && place) {
		rc = words_keep(&v->words, place->file, &p.file);
		p.offset = place->offset;
		p.has_offset = true;
	}
	if (rc == 0)
		rc = words_keep(&v->words, slice_str(text), &p.text);
	if (rc == 0 && list == &v->problems)
		rc = find_cause(v, p.text, &p.cause);
	return rc ? rc : verify_problems_push(list, p);
}

int verify_problem(
	struct verify *v, slice url, const struct verify_place *place, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return add(v, &v->problems, url, place, text);
}

int verify_note(struct verify *v, slice url, const struct verify_place *place, const char *fmt, ...)
{
	char text[TEXT_SIZE];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return add(v, &v->notes, url, place, text);
}

/* ---- captures ---- */

int verify_find_capture(struct verify *v, slice uuid, struct verify_capture **ret)
{
	struct verify_capture c = {.book = rulebook_default()};
	uint32_t number;
	int rc;

	if (strmap_get(&v->by_uuid, uuid, &number)) {
		*ret = &v->captures.ptr[number];
		return 0;
	}
	rc = keep(&v->arena, uuid, &c.uuid);
	if (rc == 0)
		rc = strmap_put(&v->by_uuid, c.uuid, (uint32_t)v->captures.len);
	if (rc)
		return rc;
	words_init(&c.urls, &v->arena);
	learned_pages_init(&c.learned);
	rc = verify_captures_push(&v->captures, c);
	if (rc)
		words_release(&c.urls);
	else
		*ret = &v->captures.ptr[v->captures.len - 1];
	return rc;
}

struct legs_terms verify_terms(const struct verify_capture *c)
{
	enum catalog_state ended = c->ended_by == CATALOG_END_NONE ? CATALOG_FINISHED : CATALOG_CUT;

	return (struct legs_terms){.single = c->single,
		.window = c->window,
		.state = c->ended ? ended : CATALOG_RUNNING,
		.ended_by = c->ended_by};
}

static int count_capture(struct verify *v, struct verify_capture *c)
{
	struct legs_terms terms = verify_terms(c);
	struct same_bodies same = {0};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->pages.len; i++)
		rc = same_bodies_add(&same, words_text(&c->urls, i), &c->pages.ptr[i]);
	same_bodies_find(&same);
	for (size_t i = 0; i < c->pages.len; i++)
		(void)same_bodies_mark(&same, &c->pages.ptr[i]);
	for (size_t i = 0; i < c->pages.len; i++)
		c->sharp += legs_judge(&c->pages.ptr[i], &terms).verdict == VERDICT_SHARP;
	v->pages += c->pages.len;
	v->sharp += c->sharp;
	same_bodies_release(&same);
	return rc;
}

/* ---- files ---- */

static int select_warc(const struct dirent *entry)
{
	return warc_is_name(warc_closed_name(slice_str(entry->d_name)));
}

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct verify *v = context;
	uint32_t number;
	int rc = words_number(&v->file_names, w->name, &number);

	if (rc == 0 && number == v->files.len)
		rc = verify_files_push(&v->files, (struct verify_file){
							  .size = w->size,
							  .complete = w->complete,
							  .has_digest = w->has_digest,
							  .digest = w->digest,
						  });
	return rc;
}

/* The problem that was told last is the loss of a file, or of a part of it. */
static void note_loss(struct verify *v, struct verify_file *f)
{
	f->loss = (uint32_t)v->problems.len;
	if (!v->loss)
		v->loss = f->loss;
}

static int check_size(struct verify *v, const struct verify_input *in)
{
	struct verify_place place = {.file = in->shown};
	struct verify_file *f;
	struct stat st;
	uint32_t number;

	if (!strmap_get(&v->file_names.map, in->name, &number) || stat(in->path, &st))
		return 0;
	f = &v->files.ptr[number];
	f->seen = true;
	place.offset = (uint64_t)st.st_size;
	if (place.offset < f->size) {
		int rc = verify_problem(v, (slice){0}, &place,
			"the file ends before its %llu bytes", (unsigned long long)f->size);

		note_loss(v, f);
		return rc;
	}
	if (place.offset > f->size && f->complete)
		return verify_problem(v, (slice){0}, &place,
			"the file goes on behind its %llu bytes", (unsigned long long)f->size);
	return 0;
}

/* What is done with each file, in its turn. */
typedef int file_fn(struct verify *v, const struct verify_params *p, const struct verify_input *in,
	struct err *err);

static int measure_file(struct verify *v, const struct verify_params *p,
	const struct verify_input *in, struct err *err)
{
	int rc = check_size(v, in);

	(void)p;
	return err_code(err, rc);
}

static int read_file(struct verify *v, const struct verify_params *p, const struct verify_input *in,
	struct err *err)
{
	int rc = verify_read(v, in, p->progress, err);

	if (rc)
		return rc;
	return err_code(err, verify_sum(v, in));
}

static int do_file(struct verify *v, const struct verify_params *p, const char *name, file_fn *call,
	struct err *err)
{
	char path[PATH_SIZE], shown[WARC_NAME_MAX + PATH_SIZE];
	struct verify_input in = {.path = path, .name = warc_closed_name(slice_str(name))};
	int n = snprintf(path, sizeof path, "%s/%s", p->warc_dir, name);

	if (n < 0 || (size_t)n >= sizeof path)
		return err_set(err, ERR_LIMIT, "%.60s…: the path is too long", p->warc_dir);
	if (strmap_get(&v->obsolete, in.name, NULL))
		return 0;
	(void)snprintf(shown, sizeof shown, "warc/%s", name);
	in.shown = slice_str(shown);
	return call(v, p, &in, err);
}

static int note_missing_files(struct verify *v, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < v->files.len; i++) {
		slice name = words_text(&v->file_names, i);

		if (v->files.ptr[i].seen)
			continue;
		rc = verify_problem(v, (slice){0}, NULL, "warc/%.*s: the file is missing",
			(int)name.len, name.ptr);
		note_loss(v, &v->files.ptr[i]);
	}
	return err_code(err, rc);
}

static uint64_t size_of_all(const struct verify_params *p, struct dirent **names, int count)
{
	char path[PATH_SIZE];
	uint64_t total = 0;
	struct stat st;

	for (int i = 0; i < count; i++) {
		(void)snprintf(path, sizeof path, "%s/%s", p->warc_dir, names[i]->d_name);
		if (stat(path, &st) == 0)
			total += (uint64_t)st.st_size;
	}
	return total;
}

/* A file's place in the order in which the catalog got to know them; behind all for others. */
static uint32_t rank_of(const struct verify *v, const char *name)
{
	uint32_t number = UINT32_MAX;

	(void)strmap_get(&v->file_names.map, warc_closed_name(slice_str(name)), &number);
	return number;
}

static int by_rank(const void *a, const void *b, void *context)
{
	const struct dirent *const *x = a, *const *y = b;
	uint32_t m = rank_of(context, (*x)->d_name), n = rank_of(context, (*y)->d_name);

	return m == n ? warc_name_compare((*x)->d_name, (*y)->d_name) : m < n ? -1 : 1;
}

/*
 * In the order in which they were begun, so that a revisit comes behind its visit. The catalog
 * knows it; without one it is that of the times in their names, if the clock was not set back.
 */
static int read_files(struct verify *v, const struct verify_params *p, struct err *err)
{
	struct dirent **names = NULL;
	int count = scandir(p->warc_dir, &names, select_warc, NULL), rc = 0;

	if (count < 0)
		return err_set(err, ERR_IO, "%s: %s", p->warc_dir, strerror(errno));
	/* Nothing to read proves nothing. What a catalog misses is told file by file. */
	if (count == 0 && !p->catalog)
		rc = verify_problem(v, (slice){0}, NULL, "%s: there is no WARC file", p->warc_dir);
	if (count > 1)
		qsort_r(names, (size_t)count, sizeof(void *), by_rank, v);
	if (p->progress)
		progress_set_total(p->progress, size_of_all(p, names, count));
	/* What is lost is told first: much of what follows is due to it. */
	for (int i = 0; rc == 0 && i < count; i++)
		rc = do_file(v, p, names[i]->d_name, measure_file, err);
	if (rc == 0)
		rc = note_missing_files(v, err);
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = do_file(v, p, names[i]->d_name, read_file, err);
		free(names[i]);
	}
	free(names);
	return rc;
}

/* Records that no attempt speaks of: those of other tools may well lie here. */
static int note_unclaimed(struct verify *v)
{
	size_t count = 0;

	for (size_t i = 0; i < v->evidence.list.len; i++)
		count += !v->evidence.list.ptr[i].claimed;
	if (count == 0)
		return 0;
	return verify_note(v, (slice){0}, NULL, "responses that belong to no attempt: %zu", count);
}

/* Their digests are of what the export wrote, not of what the server or the crawler sent. */
static int note_redacted(struct verify *v)
{
	if (v->redacted == 0)
		return 0;
	return verify_note(v, (slice){0}, NULL,
		"records in which an export replaced secrets, and wrote new digests: %" PRIu64,
		v->redacted);
}

/* Files that a retirement that was cut short left over (store/retire.h). */
static int on_replaced(void *context, const struct catalog_replaced *r)
{
	struct verify *v = context;
	slice file = r->done ? r->name : r->new_name;
	int rc = strmap_put(&v->obsolete, file, 0);

	return rc ? rc
		  : verify_note(v, (slice){0}, NULL,
			    "warc/%.*s: left over from 'stillpoint retire', which was cut short; "
			    "the next command that writes removes it",
			    slice_shown(file, 200), file.ptr);
}

/* Earlier versions knew less of noise, or more than was true. */
static int note_rule_sets(struct verify *v)
{
	int rc = 0;

	if (v->rule_set_1.claims)
		rc = verify_note(v, (slice){0}, NULL,
			"'normalised' rests on rule set version 1, which was too lenient: %" PRIu64
			" claims, %" PRIu64 " of them hold under version %d, %" PRIu64
			" do not, %" PRIu64 " could not be compared again",
			v->rule_set_1.claims, v->rule_set_1.hold, NOISE_RULES_VERSION,
			v->rule_set_1.do_not_hold, v->rule_set_1.not_recomputed);
	if (rc == 0 && v->not_recomputed)
		rc = verify_note(v, (slice){0}, NULL,
			"claims by a later version of the rules, not recomputed: %" PRIu64,
			v->not_recomputed);
	return rc;
}

/* ---- all of it ---- */

static int run(struct verify *v, const struct verify_params *p, struct err *err)
{
	int rc = p->catalog ? catalog_each_warc(p->catalog, on_warc, v, err) : 0;

	if (rc == 0 && p->catalog)
		rc = catalog_each_replaced(p->catalog, on_replaced, v, err);
	if (rc == 0)
		rc = read_files(v, p, err);
	if (rc == 0 && p->catalog)
		rc = verify_waiting(v, p->warc_dir, p->catalog, err);
	if (rc)
		return rc;
	for (size_t i = 0; rc == 0 && i < v->captures.len; i++) {
		rc = verify_clock_check(v, &v->captures.ptr[i]);
		if (rc == 0)
			rc = verify_learned_check(v, &v->captures.ptr[i], p->warc_dir);
		if (rc == 0)
			rc = count_capture(v, &v->captures.ptr[i]);
	}
	if (rc == 0)
		rc = note_unclaimed(v);
	if (rc == 0)
		rc = note_redacted(v);
	if (rc == 0)
		rc = note_rule_sets(v);
	if (rc)
		return err_code(err, rc);
	rc = p->catalog ? verify_compare(v, p->catalog, err) : 0;
	/* The command that removes what is left over writes the index, too. */
	if (rc || !p->catalog || !p->index || v->obsolete.len > 0)
		return rc;
	return verify_index(v, p, err);
}

int verify_run(struct verify *v, const struct verify_params *params, struct err *err)
{
	*v = (struct verify){0};
	arena_init(&v->arena, ARENA_MAX);
	words_init(&v->words, &v->arena);
	words_init(&v->file_names, &v->arena);
	strmap_init(&v->by_uuid, hash_key_random(), NULL);
	strmap_init(&v->obsolete, hash_key_random(), &v->arena);
	strmap_init(&v->causes, hash_key_random(), NULL);
	evidence_init(&v->evidence, &v->arena);
	return run(v, params, err);
}

void verify_release(struct verify *v)
{
	for (size_t i = 0; i < v->captures.len; i++) {
		words_release(&v->captures.ptr[i].urls);
		legs_vec_release(&v->captures.ptr[i].pages);
		verify_moments_release(&v->captures.ptr[i].moments);
		verify_offsets_release(&v->captures.ptr[i].offsets);
		verify_looks_release(&v->captures.ptr[i].looks);
		verify_bases_release(&v->captures.ptr[i].bases);
		learned_pages_release(&v->captures.ptr[i].learned);
		verify_table_release(&v->captures.ptr[i].table);
	}
	verify_captures_release(&v->captures);
	strmap_release(&v->by_uuid);
	strmap_release(&v->obsolete);
	strmap_release(&v->causes);
	verify_problems_release(&v->problems);
	verify_problems_release(&v->notes);
	verify_files_release(&v->files);
	verify_rules_release(v);
	evidence_release(&v->evidence);
	words_release(&v->file_names);
	words_release(&v->words);
	arena_release(&v->arena);
	*v = (struct verify){0};
}
