#include "store/retire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/compact.h"
#include "archive/patch.h"
#include "base/clock.h"
#include "base/file.h"
#include "quality/legs.h"
#include "quality/words.h"
#include "store/index.h"
#include "store/judging.h"
#include "store/retire_plan.h"
#include "text/text_db.h"
#include "text/text_index.h"

#define MEMORY_MAX ((size_t)1 << 40)

/* ---- versions, URL by URL ---- */

/* A page of a capture. */
struct place {
	uint32_t url, capture, page, rule;
	bool running; /* the capture */
};

/* A look at the URL that is coming. */
struct seen {
	struct retire_entry entry;
	unsigned char id[WARC_ID_BYTES];
	bool may; /* be retired */
	struct observation shown;
};

VEC_DECLARE(place_vec, struct place);
VEC_DECLARE(seen_vec, struct seen);
VEC_DECLARE(time_vec, int64_t);

struct choosing {
	struct retire_plan *plan;
	struct place_vec places;
	struct place place; /* that is being read */
	struct seen_vec seen;
	uint32_t versions;
	struct u32_vec finished; /* captures whose verdicts may change */
	struct strmap rules;     /* numbers of the first for each site, "" for all */
};

static int index_rules(struct choosing *c)
{
	const struct retire_params *p = c->plan->p;
	int rc = 0;

	for (size_t i = 0; i < p->rule_count && (rc == 0 || rc == ERR_EXISTS); i++)
		rc = strmap_put(&c->rules, p->rules[i].site, (uint32_t)i);
	return err_code(c->plan->err, rc == ERR_EXISTS ? 0 : rc);
}

/* The first that matches counts. */
static uint32_t rule_of(const struct choosing *c, slice site)
{
	uint32_t own = RETIRE_NONE, general = RETIRE_NONE;

	(void)strmap_get(&c->rules, site, &own);
	(void)strmap_get(&c->rules, SLICE(""), &general);
	return own < general ? own : general;
}

static int on_page(void *context, const struct catalog_page *page)
{
	struct choosing *c = context;
	struct place place = c->place;
	int rc = words_number(&c->plan->urls, page->url, &place.url);

	place.page = page->number;
	return err_code(c->plan->err, rc ? rc : place_vec_push(&c->places, place));
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct choosing *c = context;
	const struct retire_params *p = c->plan->p;
	int rc = 0;

	c->place = (struct place){.capture = capture->id,
		.rule = rule_of(c, capture->site),
		.running = capture->state == CATALOG_RUNNING};
	if (c->place.rule == RETIRE_NONE)
		return 0;
	if (!c->place.running)
		rc = err_code(c->plan->err, u32_vec_push(&c->finished, capture->id));
	return rc ? rc : catalog_each_page(p->catalog, capture->id, on_page, c, c->plan->err);
}

static bool is_look(enum attempt_leg leg)
{
	return leg == ATTEMPT_VISIT || leg == ATTEMPT_REVISIT || leg == ATTEMPT_LATE ||
	       leg == ATTEMPT_LOOK;
}

static int on_look(void *context, const struct attempt *a)
{
	struct choosing *c = context;
	struct seen s = {.shown = legs_observe(a)};

	if (!is_look(a->leg) || a->retired || !observation_is_usable(&s.shown) || !a->has_state)
		return 0;
	s.entry = (struct retire_entry){.capture = c->place.capture,
		.page = c->place.page,
		.url = c->place.url,
		.file = RETIRE_NONE,
		.home = RETIRE_NONE,
		.leg = a->leg,
		.number = a->number,
		.has_state = true,
		.state = a->state,
		.payload = a->payload};
	s.shown.failure = s.shown.stand_in = s.shown.rules = (slice){0};
	s.may = (a->leg == ATTEMPT_LOOK || !c->place.running) && compact_may_retire(a) &&
		a->record_id.ptr && warc_id_pack(a->record_id, s.id);
	return err_code(c->plan->err, seen_vec_push(&c->seen, s));
}

static int by_time(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	return (x->shown.start > y->shown.start) - (x->shown.start < y->shown.start);
}

static int add_entry(struct retire_plan *plan, const struct seen *s, uint32_t version)
{
	slice id = {(const char *)s->id, sizeof s->id};
	struct retire_entry e = s->entry;
	int rc;

	e.version = version;
	rc = strmap_put(&plan->by_id, id, (uint32_t)plan->entries.len);
	return rc ? rc : retire_entries_push(&plan->entries, e);
}

/* The looks of one version: from the first up to the one before next; ends are sorted by time. */
static int find_versions(const struct choosing *c, struct u32_vec *ends, struct time_vec *times)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->seen.len; i++) {
		bool last = i + 1 == c->seen.len;

		if (!last && observation_same(&c->seen.ptr[i].shown, &c->seen.ptr[i + 1].shown))
			continue;
		rc = u32_vec_push(ends, (uint32_t)i + 1);
		if (rc == 0)
			rc = time_vec_push(times, c->seen.ptr[i].shown.end);
	}
	return rc;
}

static int choose(struct choosing *c, const struct retention *keep)
{
	struct u32_vec ends = {0};
	struct time_vec times = {0};
	bool *kept = NULL;
	int rc;

	if (c->seen.len > 1)
		qsort(c->seen.ptr, c->seen.len, sizeof c->seen.ptr[0], by_time);
	rc = find_versions(c, &ends, &times);
	if (rc == 0 && ends.len > 0) {
		kept = calloc(ends.len, sizeof *kept);
		rc = kept ? 0 : ERR_NOMEM;
	}
	if (rc == 0 && kept)
		retention_choose(keep, c->plan->p->now, times.ptr, times.len, kept);
	for (uint32_t v = 0, i = 0; rc == 0 && kept && v < ends.len; v++)
		for (; rc == 0 && i < ends.ptr[v]; i++)
			if (!kept[v] && c->seen.ptr[i].may)
				rc = add_entry(c->plan, &c->seen.ptr[i], c->versions + v);
	c->versions += (uint32_t)ends.len;
	free(kept);
	u32_vec_release(&ends);
	time_vec_release(&times);
	c->seen.len = 0;
	return err_code(c->plan->err, rc);
}

static int by_url(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	if (x->url != y->url)
		return x->url < y->url ? -1 : 1;
	return (x->capture > y->capture) - (x->capture < y->capture);
}

static int choose_all(struct choosing *c)
{
	const struct retire_params *p = c->plan->p;
	const struct place *list;
	int rc = catalog_each_capture(p->catalog, on_capture, c, c->plan->err);

	if (c->places.len > 1)
		qsort(c->places.ptr, c->places.len, sizeof *list, by_url);
	list = c->places.ptr;
	for (size_t i = 0, next; rc == 0 && i < c->places.len; i = next) {
		for (next = i; rc == 0 && next < c->places.len && list[next].url == list[i].url &&
			       list[next].rule == list[i].rule;
			next++) {
			c->place = list[next];
			rc = catalog_page_observations(p->catalog, c->place.capture, c->place.page,
				on_look, c, c->plan->err);
		}
		if (rc == 0)
			rc = choose(c, &p->rules[list[i].rule].keep);
	}
	return rc;
}

static int note_urls(struct retire_plan *plan)
{
	plan->has_entries = calloc(plan->urls.list.len, sizeof *plan->has_entries);
	for (size_t i = 0; plan->has_entries && i < plan->entries.len; i++)
		plan->has_entries[plan->entries.ptr[i].url] = true;
	return err_code(plan->err, plan->has_entries ? 0 : ERR_NOMEM);
}

/* ---- files ---- */

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct retire_plan *plan = context;
	struct retire_file file = {.size = w->size, .complete = w->complete};
	int rc;

	file.name = arena_strdup(&plan->arena, w->name);
	rc = file.name ? strmap_put(&plan->by_name, slice_str(file.name), (uint32_t)plan->files.len)
		       : ERR_NOMEM;
	return err_code(plan->err, rc ? rc : retire_files_push(&plan->files, file));
}

/* Records that move take patches against them with them, unless these are in a fixed file. */
static bool fix_files(struct retire_plan *plan)
{
	bool changed = false;

	for (size_t i = 0; i < plan->files.len; i++) {
		struct retire_file *f = &plan->files.ptr[i];

		f->fixed = f->fixed || !f->complete;
		for (size_t k = 0; f->fixed && k < f->patched.len; k++) {
			struct retire_file *other = &plan->files.ptr[f->patched.ptr[k]];

			changed = changed || !other->fixed;
			other->fixed = true;
		}
	}
	return changed;
}

static void keep_fixed(struct retire_plan *plan)
{
	for (size_t i = 0; i < plan->files.len; i++) {
		const struct retire_file *f = &plan->files.ptr[i];

		for (size_t k = 0; f->fixed && k < f->entries.len; k++)
			plan->entries.ptr[f->entries.ptr[k]].kept = true;
	}
}

/* Whether the reference is one that stays. */
static bool is_kept(const struct retire_plan *plan, const struct retire_reference *r)
{
	return r->from == RETIRE_NONE || plan->entries.ptr[r->from].kept;
}

/* Whether what refers to the entry can get its body, or another record to refer to. */
static bool may_rebase(const struct retire_plan *plan, const struct retire_reference *r)
{
	const struct retire_entry *to = &plan->entries.ptr[r->to];

	return r->file != RETIRE_NONE && !plan->files.ptr[r->file].fixed &&
	       to->file != RETIRE_NONE && to->size <= PATCH_BYTES_MAX;
}

/* What could not be found is kept, and what is referred to by records that stay as they are. */
static void settle(struct retire_plan *plan, struct retire_counts *counts)
{
	bool again = true;

	while (fix_files(plan))
		;
	keep_fixed(plan);
	for (size_t i = 0; i < plan->entries.len; i++) {
		struct retire_entry *e = &plan->entries.ptr[i];

		e->kept = e->kept || !e->has_record || !e->has_metadata;
	}
	while (again) {
		again = false;
		for (size_t i = 0; i < plan->references.len; i++) {
			const struct retire_reference *r = &plan->references.ptr[i];
			struct retire_entry *to = &plan->entries.ptr[r->to];

			if (to->kept || !is_kept(plan, r) || may_rebase(plan, r))
				continue;
			to->kept = again = true;
			counts->referred++;
		}
	}
}

static void find_affected(struct retire_plan *plan, struct retire_counts *counts)
{
	bool again = true;

	for (size_t i = 0; i < plan->files.len; i++) {
		struct retire_file *f = &plan->files.ptr[i];

		for (size_t k = 0; k < f->entries.len && !f->affected; k++)
			f->affected = !plan->entries.ptr[f->entries.ptr[k]].kept;
	}
	for (size_t i = 0; i < plan->references.len; i++) {
		const struct retire_reference *r = &plan->references.ptr[i];

		if (plan->entries.ptr[r->to].kept || !is_kept(plan, r))
			continue;
		plan->files.ptr[r->file].affected = true;
		counts->rebased++;
	}
	while (again) {
		again = false;
		for (size_t i = 0; i < plan->files.len; i++) {
			struct retire_file *f = &plan->files.ptr[i];

			for (size_t k = 0; k < f->patched.len && !f->affected; k++)
				again = f->affected = plan->files.ptr[f->patched.ptr[k]].affected;
		}
	}
}

/* "a-r1.warc.gz" after "a.warc.gz", then "a-r2.warc.gz". */
static int name_file(const struct retire_plan *plan, struct retire_file *f)
{
	const char *suffix = strstr(f->name, ".warc");
	size_t len = suffix ? (size_t)(suffix - f->name) : strlen(f->name);
	unsigned number = 0;
	size_t digits = len;
	int n;

	while (digits > 2 && f->name[digits - 1] >= '0' && f->name[digits - 1] <= '9')
		digits--;
	if (digits < len && digits > 2 && f->name[digits - 1] == 'r' &&
		f->name[digits - 2] == '-') {
		number = (unsigned)strtoul(f->name + digits, NULL, 10);
		len = digits - 2;
	}
	n = snprintf(f->new_name, sizeof f->new_name, "%.*s-r%u%s", (int)len, f->name, number + 1,
		suffix ? suffix : "");
	if (n < 0 || (size_t)n >= sizeof f->new_name)
		return err_set(plan->err, ERR_LIMIT, "%s: its name is too long", f->name);
	return 0;
}

/* ---- doing it ---- */

static int announce(struct retire_plan *plan)
{
	struct catalog *c = plan->p->catalog;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->files.len; i++) {
		struct retire_file *f = &plan->files.ptr[i];

		if (!f->affected)
			continue;
		rc = name_file(plan, f);
		if (rc == 0)
			rc = catalog_add_replaced(
				c, slice_str(f->name), slice_str(f->new_name), plan->err);
	}
	return rc ? rc : catalog_commit(c, plan->err);
}

static int write_files(struct retire_plan *plan, struct retire_counts *counts)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->files.len; i++) {
		struct retire_file *f = &plan->files.ptr[i];

		if (!f->affected)
			continue;
		rc = retire_write(plan, f);
		counts->bytes_before += f->size;
		counts->bytes_after += f->new_size;
	}
	return rc;
}

static void count(const struct retire_plan *plan, struct retire_counts *counts)
{
	uint32_t last = RETIRE_NONE;

	for (size_t i = 0; i < plan->entries.len; i++) {
		const struct retire_entry *e = &plan->entries.ptr[i];

		if (e->kept)
			continue;
		counts->looks++;
		counts->retired += e->version != last;
		last = e->version;
	}
	for (size_t i = 0; i < plan->files.len; i++)
		counts->files += plan->files.ptr[i].affected;
}

static int carry_out(
	struct retire_plan *plan, const struct u32_vec *finished, struct retire_counts *counts)
{
	const struct retire_params *p = plan->p;
	struct err ignored = {0};
	int rc = announce(plan);

	if (rc == 0)
		rc = write_files(plan, counts);
	if (rc == 0)
		rc = retire_commit(plan, finished);
	if (rc) {
		catalog_rollback(p->catalog);
		if (retire_repair(p->catalog, p->directory, &ignored))
			return rc; /* the next open repairs */
		return rc;
	}
	return retire_repair(p->catalog, p->directory, plan->err);
}

static int run(struct retire_plan *plan, struct choosing *c, struct retire_counts *counts)
{
	const struct retire_params *p = plan->p;
	int rc = retire_repair(p->catalog, p->directory, plan->err);

	if (rc == 0)
		rc = index_rules(c);
	if (rc == 0)
		rc = choose_all(c);
	counts->versions = c->versions;
	if (rc || plan->entries.len == 0)
		return rc;
	rc = note_urls(plan);
	if (rc == 0)
		rc = catalog_each_warc(p->catalog, on_warc, plan, plan->err);
	if (rc == 0)
		rc = retire_scan(plan);
	if (rc)
		return rc;
	settle(plan, counts);
	find_affected(plan, counts);
	count(plan, counts);
	return p->dry_run || counts->looks == 0 ? 0 : carry_out(plan, &c->finished, counts);
}

static void release(struct retire_plan *plan)
{
	for (size_t i = 0; i < plan->files.len; i++) {
		u32_vec_release(&plan->files.ptr[i].entries);
		u32_vec_release(&plan->files.ptr[i].patched);
		retire_moves_release(&plan->files.ptr[i].moves);
	}
	retire_files_release(&plan->files);
	retire_entries_release(&plan->entries);
	retire_references_release(&plan->references);
	retire_versions_release(&plan->versions);
	retire_homes_release(&plan->homes);
	retire_changes_release(&plan->changes);
	words_release(&plan->urls);
	free(plan->has_entries);
	strmap_release(&plan->by_id);
	strmap_release(&plan->by_name);
	arena_release(&plan->arena);
}

int retire_run(const struct retire_params *p, struct retire_counts *ret, struct err *err)
{
	struct retire_plan plan = {.p = p, .err = err};
	struct choosing c = {.plan = &plan};
	struct retire_counts counts = {0};
	int rc;

	arena_init(&plan.arena, MEMORY_MAX);
	strmap_init(&plan.by_id, hash_key_random(), &plan.arena);
	strmap_init(&plan.by_name, hash_key_random(), &plan.arena);
	words_init(&plan.urls, &plan.arena);
	strmap_init(&c.rules, hash_key_random(), NULL);
	rc = run(&plan, &c, &counts);
	if (rc == 0)
		*ret = counts;
	place_vec_release(&c.places);
	seen_vec_release(&c.seen);
	u32_vec_release(&c.finished);
	strmap_release(&c.rules);
	release(&plan);
	return rc;
}

int retire_archive(const char *archive, const struct retire_params *params,
	struct retire_counts *ret, struct err *err)
{
	struct retire_params p = *params;
	struct directory d = {.lock = -1};
	struct catalog *catalog = NULL;
	int rc = directory_open(&d, archive, false, err);

	if (rc == 0)
		rc = catalog_open(d.catalog, CATALOG_WRITE, &catalog, err);
	p.directory = &d;
	p.catalog = catalog;
	p.now = clock_realtime(clock_system());
	if (rc == 0)
		rc = retire_run(&p, ret, err);
	catalog_close(catalog);
	directory_close(&d);
	return rc;
}

/* ---- after a crash ---- */

struct leftovers {
	struct arena arena;
	struct slice_vec rows;  /* names of rows of the table */
	struct slice_vec files; /* to be removed */
	bool done;              /* the index has to be written anew */
	struct err *err;
};

static int on_replaced(void *context, const struct catalog_replaced *r)
{
	struct leftovers *l = context;
	slice file = r->done ? r->name : r->new_name;
	slice row = {arena_strdup(&l->arena, r->name), r->name.len};
	int rc;

	l->done = l->done || r->done;
	file.ptr = arena_strdup(&l->arena, file);
	rc = row.ptr && file.ptr ? slice_vec_push(&l->rows, row) : ERR_NOMEM;
	return err_code(l->err, rc ? rc : slice_vec_push(&l->files, file));
}

/* NAME and NAME.open; names come from the catalog, and must not lead elsewhere. */
static int remove_file(int dir, slice name, struct err *err)
{
	char open_name[WARC_NAME_MAX + sizeof WARC_OPEN];

	if (memchr(name.ptr, '/', name.len) || name.len > WARC_NAME_MAX || !warc_is_name(name))
		return err_set(err, ERR_IO, "the catalog is damaged: a WARC file '%.*s'",
			slice_shown(name, 100), name.ptr);
	(void)snprintf(open_name, sizeof open_name, "%s" WARC_OPEN, name.ptr);
	if ((unlinkat(dir, name.ptr, 0) && errno != ENOENT) ||
		(unlinkat(dir, open_name, 0) && errno != ENOENT))
		return err_set(err, ERR_IO, "%s: %s", name.ptr, strerror(errno));
	return 0;
}

/* The words of retired pages must not be found any longer. */
static int renew_text(const struct directory *d, struct err *err)
{
	struct text_index_params p = {.path = d->warc, .directory = d->path, .temporary = d->spool};
	char path[DIRECTORY_PATH_MAX + sizeof TEXT_FILE_NAME];
	struct text_index_counts ignored;

	(void)snprintf(path, sizeof path, "%s/" TEXT_FILE_NAME, d->path);
	return access(path, F_OK) ? 0 : text_index_write(&p, &ignored, err);
}

static int remove_all(
	struct catalog *catalog, const struct directory *d, const struct leftovers *l, int dir)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->files.len; i++)
		rc = remove_file(dir, l->files.ptr[i], l->err);
	if (rc == 0 && fsync(dir))
		rc = err_set(l->err, ERR_IO, "warc: %s", strerror(errno));
	if (rc == 0 && l->done)
		rc = index_write(catalog, d, l->err);
	if (rc == 0 && l->done)
		rc = renew_text(d, l->err);
	for (size_t i = 0; rc == 0 && i < l->rows.len; i++)
		rc = catalog_drop_replaced(catalog, l->rows.ptr[i], l->err);
	return rc ? rc : catalog_commit(catalog, l->err);
}

int retire_repair(struct catalog *catalog, const struct directory *d, struct err *err)
{
	struct leftovers l = {.err = err};
	int dir = -1;
	int rc;

	arena_init_small(&l.arena, MEMORY_MAX);
	rc = catalog_each_replaced(catalog, on_replaced, &l, err);
	if (rc == 0 && l.rows.len > 0) {
		dir = file_open_dir(d->warc);
		rc = dir < 0 ? err_set(err, ERR_IO, "%s: %s", d->warc, strerror(errno))
			     : remove_all(catalog, d, &l, dir);
	}
	if (dir >= 0)
		(void)close(dir);
	slice_vec_release(&l.rows);
	slice_vec_release(&l.files);
	arena_release(&l.arena);
	return rc;
}
