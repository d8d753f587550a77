#include "archive/retire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/index.h"
#include "archive/judging.h"
#include "archive/retire_plan.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "proof/legs.h"
#include "proof/quality_words.h"
#include "text/text_index.h"
#include "warc/compact.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"

static const double DAY = 86400;

/* Seconds; ERR_SYNTAX. */
static int parse_age(slice text, double *ret)
{
	slice number = slice_sub(text, 0, text.len ? text.len - 1 : 0);
	bool is_week = slice_ends_with(text, SLICE("w"));
	int rc;

	if (!is_week && !slice_ends_with(text, SLICE("y")))
		return parse_duration(text, ret);
	rc = parse_double(number, ret);
	*ret *= is_week ? 7 * DAY : 365 * DAY;
	return rc;
}

static int parse_time(slice text, int64_t *ret)
{
	double seconds;

	if (parse_age(text, &seconds) || seconds < 1 || seconds > 9e9)
		return ERR_SYNTAX;
	*ret = (int64_t)(seconds * (double)CLOCK_NS_PER_SECOND);
	return 0;
}

static int parse_step(slice text, struct retention_step *ret)
{
	slice left = text, what = slice_take(&left, ':');
	bool has_age = what.len < text.len;
	int rc = 0;

	*ret = (struct retention_step){.until = INT64_MAX};
	if (!slice_eq(what, SLICE("all")))
		rc = parse_time(what, &ret->period);
	return rc || !has_age ? rc : parse_time(left, &ret->until);
}

int retention_parse(slice text, struct retention *ret, struct err *err)
{
	struct retention r = {0};
	slice left = text;

	while (left.len > 0 || r.count == 0) {
		slice step = slice_take(&left, ',');
		int64_t before = r.count ? r.steps[r.count - 1].until : 0;

		while (step.len && step.ptr[0] == ' ')
			step = slice_sub(step, 1, step.len);
		if (r.count == RETENTION_STEPS_MAX || parse_step(step, &r.steps[r.count]) ||
			r.steps[r.count].until <= before || before == INT64_MAX)
			return err_set(err, ERR_SYNTAX,
				"bad retention '%.*s': want steps such as all:30d,7d:1y,30d, with "
				"ages that go up",
				slice_shown(text, 100), text.ptr);
		r.count++;
	}
	*ret = r;
	return 0;
}

/* The step for that age; the number of steps when nothing is kept. */
static size_t step_of(const struct retention *r, int64_t age)
{
	size_t i = 0;

	while (i < r->count && age >= r->steps[i].until)
		i++;
	return i;
}

void retention_choose(
	const struct retention *r, int64_t now, const int64_t *seen, size_t count, bool *keep)
{
	size_t last_step = SIZE_MAX;
	int64_t last_period = 0;

	for (size_t i = count; i-- > 0;) {
		size_t at = step_of(r, now - seen[i]);
		int64_t period = at < r->count ? r->steps[at].period : 0;
		int64_t number = period ? seen[i] / period - (seen[i] % period < 0) : 0;

		keep[i] =
			at < r->count && (period == 0 || at != last_step || number != last_period);
		keep[i] = keep[i] || i + 1 == count;
		last_step = at;
		last_period = number;
	}
}

enum { SCRATCH_MAX = 4 << 20 };

/* RETIRE_NONE when the record has no entry. */
static uint32_t find(const struct retire_plan *plan, slice id)
{
	unsigned char packed[WARC_ID_BYTES];
	uint32_t at;

	if (!id.ptr || !warc_id_pack(id, packed) ||
		!strmap_get(&plan->by_id, (slice){(const char *)packed, sizeof packed}, &at))
		return RETIRE_NONE;
	return at;
}

struct retire_entry *retire_find_retired(const struct retire_plan *plan, slice id)
{
	uint32_t at = find(plan, id);

	return at == RETIRE_NONE || plan->entries.ptr[at].kept ? NULL : &plan->entries.ptr[at];
}

static slice field(const struct warc_record *rec, slice name)
{
	return fields_trim(warc_header_get(&rec->header, name));
}

static uint32_t number_of(const struct retire_plan *plan, const struct retire_file *file)
{
	return file ? (uint32_t)(file - plan->files.ptr) : RETIRE_NONE;
}

static void refer(struct retire_plan *plan, uint32_t from, slice original, uint32_t file)
{
	uint32_t to = find(plan, original);

	if (to != RETIRE_NONE)
		retire_references_push(
			&plan->references, (struct retire_reference){from, to, file});
}

/* The file has a record of the entry. */
static void note(struct retire_plan *plan, struct retire_file *file, uint32_t at, bool is_metadata)
{
	struct retire_entry *e = at == RETIRE_NONE ? NULL : &plan->entries.ptr[at];

	if (!e || !file)
		return;
	if (file->complete && is_metadata)
		e->has_metadata = true;
	else if (file->complete)
		e->has_record = true;
	u32_vec_push(&file->entries, at);
}

/* What looks that wait are patches against must stay where it is. */
static void note_patched(struct retire_plan *plan, struct retire_file *file, slice name)
{
	uint32_t other;

	if (!strmap_get(&plan->by_name, name, &other))
		return;
	if (!file) {
		plan->files.ptr[other].fixed = true;
		return;
	}
	for (size_t i = 0; i < file->patched.len; i++)
		if (file->patched.ptr[i] == other)
			return;
	u32_vec_push(&file->patched, other);
}

/* A file that is scanned; NULL for looks that wait in the catalog: these are kept. */
struct scan {
	struct retire_plan *plan;
	struct retire_file *file;
};

static int scan_look(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	const struct scan *s = context;
	uint32_t at;

	(void)size;
	if (!look)
		return err_set(err, code,
			code == ERR_UNSUPPORTED ? "a compact look of a later version"
						: "a compact look cannot be read");
	at = look->is_tombstone ? RETIRE_NONE : find(s->plan, look->attempt.record_id);
	if (!look->is_tombstone)
		refer(s->plan, at, look->attempt.original.record, number_of(s->plan, s->file));
	note(s->plan, s->file, at, false);
	note(s->plan, s->file, at, true);
	if (look->is_patch)
		note_patched(s->plan, s->file, look->file);
	if (at != RETIRE_NONE && !s->file)
		s->plan->entries.ptr[at].kept = true;
	return 0;
}

/* A response with a body of its own: what may be rebased, or against. */
static void scan_response(struct retire_plan *plan, struct retire_file *file,
	const struct warc_record *rec, uint32_t at)
{
	struct retire_version v = {.file = number_of(plan, file),
		.offset = rec->spot.offset,
		.date = rec->header.date};

	if (at != RETIRE_NONE && file->complete) {
		plan->entries.ptr[at].file = v.file;
		plan->entries.ptr[at].offset = v.offset;
		plan->entries.ptr[at].size = rec->header.length;
	}
	if (strmap_get(&plan->urls.map, rec->header.url, &v.url) && plan->has_entries[v.url] &&
		warc_id_pack(field(rec, SLICE("WARC-Record-ID")), v.id))
		retire_versions_push(&plan->versions, v);
}

static bool is_identical(const struct warc_record *rec)
{
	return slice_ends_with(
		field(rec, SLICE("WARC-Profile")), SLICE("/identical-payload-digest"));
}

static int scan_record(
	void *context, struct warc_reader *r, const struct warc_record *rec, struct err *err)
{
	const struct scan *s = context;
	struct retire_plan *plan = s->plan;
	struct retire_file *file = s->file;
	uint32_t at = find(plan, field(rec, SLICE("WARC-Record-ID")));
	uint32_t of = find(plan, field(rec, SLICE("WARC-Concurrent-To")));

	if (rec->is_gap)
		return err_set(err, ERR_IO, RETIRE_DAMAGED);
	switch (rec->header.type) {
	case WARC_TYPE_REVISIT:
		refer(plan, at, field(rec, SLICE("WARC-Refers-To")),
			is_identical(rec) ? number_of(plan, file) : RETIRE_NONE);
		break;
	case WARC_TYPE_RESPONSE:
		scan_response(plan, file, rec, at);
		break;
	case WARC_TYPE_METADATA:
		if (compact_is_type(rec->header.content_type))
			return compact_each_of(r, scan_look, context, err);
		note(plan, file, of, true);
		return 0;
	default:
		return 0;
	}
	note(plan, file, at, false);
	if (attempt_is_in_header(&rec->header))
		note(plan, file, at, true);
	return 0;
}

/* Of a file that is being written, what is committed. */
static int scan_file(struct retire_plan *plan, struct retire_file *file)
{
	struct warc_source source = {
		.fd = record_body_open(plan->p->directory->warc, slice_str(file->name)),
		.length = file->complete ? 0 : file->size};
	int rc;

	if (!file->complete && file->size == 0) {
		if (source.fd >= 0)
			(void)close(source.fd);
		return 0;
	}
	if (source.fd < 0)
		return err_set(plan->err, ERR_IO, "%s: %s", file->name, strerror(errno));
	rc = record_each(
		&source, WARC_READER_UNCHECKED, scan_record, &(struct scan){plan, file}, plan->err);
	(void)close(source.fd);
	if (rc)
		err_prefix(plan->err, "%s", file->name);
	return rc;
}

static int on_waiting(void *context, const struct catalog_look *looks)
{
	struct retire_plan *plan = context;

	return compact_each_waiting(looks->rows, scan_look, &(struct scan){plan, NULL}, plan->err);
}

int retire_scan(struct retire_plan *plan)
{
	int rc = catalog_each_look(plan->p->catalog, on_waiting, plan, plan->err);

	for (size_t i = 0; rc == 0 && i < plan->files.len; i++)
		rc = scan_file(plan, &plan->files.ptr[i]);
	retire_sort_versions(plan);
	return rc;
}

/* An observation, and what becomes of it. */
struct edit {
	uint32_t capture, page;
	enum attempt_leg leg;
	unsigned number;
	const struct retire_change *change; /* NULL: it is retired */
	const struct retire_entry *entry;   /* then that */
};

VEC_DECLARE(edit_vec, struct edit);

struct committing {
	struct retire_plan *plan;
	struct edit_vec edits;
	uint32_t *pages;               /* of a capture, by number of the URL */
	const struct edit *next, *end; /* of the page that is edited */
};

/* ---- pages of changed looks ---- */

static int on_url(void *context, uint32_t number, slice url)
{
	struct committing *c = context;
	uint32_t at;

	if (strmap_get(&c->plan->urls.map, url, &at))
		c->pages[at] = number;
	return 0;
}

static bool is_of(const struct retire_change *change, const struct catalog_capture *capture)
{
	return slice_eq(change->capture, capture->uuid);
}

/* Changes name captures and URLs, as WARC files do; the catalog has numbers. */
static int commit_on_capture(void *context, const struct catalog_capture *capture)
{
	struct committing *c = context;
	const struct retire_changes *changes = &c->plan->changes;
	bool has_any = false;

	for (size_t i = 0; i < changes->len && !has_any; i++)
		has_any = is_of(&changes->ptr[i], capture);
	if (!has_any)
		return 0;
	TRY(catalog_urls_from(c->plan->p->catalog, capture->id, 0, on_url, c, c->plan->err));
	for (size_t i = 0; i < changes->len; i++) {
		const struct retire_change *x = &changes->ptr[i];

		if (is_of(x, capture))
			edit_vec_push(&c->edits, (struct edit){capture->id, c->pages[x->url],
							 x->leg, x->number, x, NULL});
	}
	return 0;
}

static int add_changes(struct committing *c)
{
	if (c->plan->changes.len == 0)
		return 0;
	c->pages = mem_new(c->plan->urls.list.len, sizeof *c->pages);
	return catalog_each_capture(c->plan->p->catalog, commit_on_capture, c, c->plan->err);
}

static void add_retired(struct committing *c)
{
	for (size_t i = 0; i < c->plan->entries.len; i++) {
		const struct retire_entry *e = &c->plan->entries.ptr[i];

		if (!e->kept)
			edit_vec_push(&c->edits,
				(struct edit){e->capture, e->page, e->leg, e->number, NULL, e});
	}
}

/* ---- editing ---- */

/* What is left is what a tombstone says: the catalog is the same when it is made anew. */
static void bury(struct attempt *a, const struct retire_entry *e, int64_t time)
{
	a->retired = time;
	a->state = e->state;
	a->payload = e->payload;
	a->record_id = a->warc = a->media_type = a->etag = a->caches = a->address = a->links =
		(slice){0};
	a->offset = a->length = a->coding = 0;
	a->modified = 0;
	a->age = (struct attempt_age){0};
	a->is_revisit = a->is_compact = false;
}

static void change(const struct committing *c, struct attempt *a, const struct retire_change *x)
{
	a->length = x->length;
	if (x->file == RETIRE_NONE)
		return;
	a->is_revisit = a->is_compact = false;
	a->warc = slice_str(c->plan->files.ptr[x->file].new_name);
	a->offset = x->offset;
	a->has_state = true;
	a->state = x->state;
	a->payload = x->payload;
}

static int edit(void *context, struct attempt *a)
{
	struct committing *c = context;
	const struct edit *e = c->next;

	if (e == c->end || e->leg != a->leg || e->number != a->number)
		return 0;
	if (e->change)
		change(c, a, e->change);
	else
		bury(a, e->entry, c->plan->p->now);
	c->next++;
	return 0;
}

static int by_key(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->leg != y->leg)
		return x->leg < y->leg ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int edit_page(struct committing *c, const struct edit *first, const struct edit *end)
{
	struct retire_plan *plan = c->plan;

	c->next = first;
	c->end = end;
	TRY(catalog_edit_page(plan->p->catalog, first->capture, first->page, edit, c, plan->err));
	if (c->next != c->end)
		TRY(err_set(plan->err, ERR_STATE,
			"the catalog has not all looks of the WARC files; run 'stillpoint rebuild' "
			"first. Nothing was retired"));
	return 0;
}

static int edit_all(struct committing *c)
{
	const struct edit *list;
	size_t count = c->edits.len, next;

	if (count > 1)
		qsort(c->edits.ptr, count, sizeof *list, by_key);
	list = c->edits.ptr;
	for (size_t i = 0; i < count; i = next) {
		for (next = i; next < count && list[next].capture == list[i].capture &&
			       list[next].page == list[i].page;)
			next++;
		TRY(edit_page(c, &list[i], &list[next]));
	}
	return 0;
}

/* ---- all of it ---- */

static int replace(struct retire_plan *plan, const struct retire_file *f)
{
	struct catalog_warc row = {.name = slice_str(f->new_name),
		.size = f->new_size,
		.complete = true,
		.has_digest = true,
		.digest = f->digest};

	return catalog_replace_warc(
		plan->p->catalog, slice_str(f->name), &row, f->moves.ptr, f->moves.len, plan->err);
}

int retire_commit(struct retire_plan *plan, const struct u32_vec *finished)
{
	struct catalog *catalog = plan->p->catalog;
	struct committing c = {.plan = plan};
	int rc;

	add_retired(&c);
	rc = add_changes(&c);
	if (rc == 0)
		rc = edit_all(&c);
	for (size_t i = 0; rc == 0 && i < plan->files.len; i++)
		if (plan->files.ptr[i].affected)
			rc = replace(plan, &plan->files.ptr[i]);
	for (size_t i = 0; rc == 0 && i < finished->len; i++)
		rc = judging_store(catalog, finished->ptr[i], NULL, plan->err);
	free(c.pages);
	edit_vec_release(&c.edits);
	if (rc == 0)
		return catalog_commit(catalog, plan->err);
	catalog_rollback(catalog);
	return rc;
}

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

	place.url = words_put(&c->plan->urls, page->url);
	place.page = page->number;
	return place_vec_push(&c->places, place);
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct choosing *c = context;
	c->place = (struct place){.capture = capture->id,
		.rule = rule_of(c, capture->site),
		.running = capture->state == CATALOG_RUNNING};
	if (c->place.rule == RETIRE_NONE)
		return 0;
	if (!c->place.running)
		u32_vec_push(&c->finished, capture->id);
	return catalog_each_page(c->plan->p->catalog, capture->id, on_page, c, c->plan->err);
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
	seen_vec_push(&c->seen, s);
	return 0;
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

	e.version = version;
	TRY(strmap_put(&plan->by_id, id, (uint32_t)plan->entries.len));
	retire_entries_push(&plan->entries, e);
	return 0;
}

/* The looks of one version: from the first up to the one before next; ends are sorted by time. */
static void find_versions(const struct choosing *c, struct u32_vec *ends, struct time_vec *times)
{
	for (size_t i = 0; i < c->seen.len; i++) {
		bool last = i + 1 == c->seen.len;

		if (!last && observation_same(&c->seen.ptr[i].shown, &c->seen.ptr[i + 1].shown))
			continue;
		u32_vec_push(ends, (uint32_t)i + 1);
		time_vec_push(times, c->seen.ptr[i].shown.end);
	}
}

static int choose(struct choosing *c, const struct retention *keep)
{
	struct u32_vec ends = {0};
	struct time_vec times = {0};
	bool *kept;
	int rc = 0;

	if (c->seen.len > 1)
		qsort(c->seen.ptr, c->seen.len, sizeof c->seen.ptr[0], by_time);
	find_versions(c, &ends, &times);
	kept = mem_new(ends.len, sizeof *kept);
	retention_choose(keep, c->plan->p->now, times.ptr, times.len, kept);
	for (uint32_t v = 0, i = 0; rc == 0 && v < ends.len; v++)
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

/* ---- files ---- */

static int on_warc(void *context, const struct catalog_warc *w)
{
	struct retire_plan *plan = context;
	struct retire_file file = {.size = w->size,
		.complete = w->complete,
		.has_sum = w->complete && w->has_digest,
		.sum = w->digest};

	file.name = arena_str(&plan->arena, w->name);
	if (arena_full(&plan->arena))
		return err_code(plan->err, ERR_LIMIT);
	TRY(err_code(plan->err,
		strmap_put(&plan->by_name, slice_str(file.name), (uint32_t)plan->files.len)));
	return retire_files_push(&plan->files, file);
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

	for (size_t i = 0; i < plan->files.len; i++) {
		struct retire_file *f = &plan->files.ptr[i];

		if (!f->affected)
			continue;
		TRY(name_file(plan, f));
		TRY(catalog_add_replaced(c, slice_str(f->name), slice_str(f->new_name), plan->err));
	}
	return catalog_commit(c, plan->err);
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

static void count_plan(const struct retire_plan *plan, struct retire_counts *counts)
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
		(void)!retire_repair(
			p->catalog, p->directory, &ignored); /* or the next open does */
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
	plan->has_entries = mem_new(plan->urls.list.len, sizeof *plan->has_entries);
	for (size_t i = 0; i < plan->entries.len; i++)
		plan->has_entries[plan->entries.ptr[i].url] = true;
	rc = catalog_each_warc(p->catalog, on_warc, plan, plan->err);
	if (rc == 0)
		rc = retire_scan(plan);
	if (rc)
		return rc;
	settle(plan, counts);
	find_affected(plan, counts);
	count_plan(plan, counts);
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

	l->done = l->done || r->done;
	slice_vec_push(&l->rows, arena_keep(&l->arena, r->name));
	slice_vec_push(&l->files, arena_keep(&l->arena, r->done ? r->name : r->new_name));
	return arena_full(&l->arena) ? err_code(l->err, ERR_LIMIT) : 0;
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
	for (size_t i = 0; i < l->files.len; i++)
		TRY(remove_file(dir, l->files.ptr[i], l->err));
	if (fsync(dir))
		TRY(err_set(l->err, ERR_IO, "warc: %s", strerror(errno)));
	if (l->done)
		TRY(index_write(catalog, d, l->err));
	if (l->done)
		TRY(renew_text(d, l->err));
	for (size_t i = 0; i < l->rows.len; i++)
		TRY(catalog_drop_replaced(catalog, l->rows.ptr[i], l->err));
	return catalog_commit(catalog, l->err);
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
