/*
 * What stays although the response is retired that it refers to:
 *
 *	- the first revisit record or look with the same body gets that body, and becomes the *home*
 *of all that come behind it and refer to the same response;
 *	- a patch is made anew, against the home, or against the last response of its page that is
 *kept and comes before it; where that is no saving, it becomes a response of its own.
 *
 * Records keep their names, so whatever refers to them finds them.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/retire_write.h"
#include "base/mem.h"
#include "base/word.h"
#include "formats/http_state.h"
#include "warc/record_body.h"

enum { EXTRA_MAX = 8 };

/* ---- places ---- */

static uint32_t own_number(const struct rewriting *w)
{
	return (uint32_t)(w->file - w->plan->files.ptr);
}

/* Whether all readers come to that file before this one, or it is this one. */
static bool precedes(const struct rewriting *w, uint32_t file)
{
	uint32_t own = own_number(w);

	return file == own ||
	       (file < own && warc_name_compare(w->plan->files.ptr[file].name, w->file->name) < 0);
}

static int by_from(const void *a, const void *b)
{
	const struct catalog_move *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* Where a record of a file is now: false when that is not known yet. */
static bool find_moved(const struct retire_file *file, uint64_t from, uint64_t *ret)
{
	struct catalog_move key = {.from = from};
	const struct catalog_move *found = NULL;

	if (file->affected && file->moves.len)
		found = bsearch(&key, file->moves.ptr, file->moves.len, sizeof key, by_from);
	*ret = found ? found->to : from;
	return found || !file->affected;
}

static slice new_name(const struct retire_file *file)
{
	return slice_str(file->affected ? file->new_name : file->name);
}

/* ---- bodies ---- */

static int read_body(struct rewriting *w, const struct record_place *place, struct buf *out)
{
	struct err *err = w->plan->err;
	int rc;

	buf_reset(out);
	rc = record_body_read(w->plan->p->directory->warc, place, 0, out, err);
	if (rc)
		err_prefix(err,
			"%.*s: a response that is needed cannot be read; nothing was retired",
			(int)place->file.len, place->file.ptr);
	return rc;
}

static int read_retired(struct rewriting *w, const struct retire_entry *e, slice id)
{
	return read_body(w,
		&(struct record_place){slice_str(w->plan->files.ptr[e->file].name), e->offset, id},
		&w->body);
}

/* The body of a look whose original is in w->body; in w->other then. */
static int apply(struct rewriting *w, const struct compact_look *look)
{
	int rc;

	buf_reset(&w->other);
	rc = patch_apply(buf_slice(&w->body), look->patch, look->body_size, &w->other);
	return rc ? err_set(w->plan->err, rc, "%s: the patch of a look does not fit its record",
			    w->file->name)
		  : 0;
}

/* ---- homes ---- */

static const struct retire_home *home_of(const struct rewriting *w, const struct retire_entry *e)
{
	const struct retire_home *h = e->home == RETIRE_NONE ? NULL : &w->plan->homes.ptr[e->home];

	return h && precedes(w, h->file) ? h : NULL;
}

/* The record that was just written from `offset` on takes over from the entry, if none has yet. */
static int make_home(struct rewriting *w, struct retire_entry *e, const struct warc_entry *record,
	uint64_t offset, bool is_same)
{
	struct retire_plan *plan = w->plan;
	struct retire_home h = {
		.date = record->date, .file = own_number(w), .offset = offset, .is_same = is_same};

	if (!e || !warc_id_pack(record->id, h.id) || (home_of(w, e) && !is_same))
		return 0;
	h.url = arena_keep(&plan->arena, record->url);
	if (arena_full(&plan->arena))
		return err_code(plan->err, ERR_LIMIT);
	retire_homes_push(&plan->homes, h);
	e->home = (uint32_t)plan->homes.len - 1;
	return 0;
}

/* ---- revisit records ---- */

/* What a record and its successor have in common. */
static struct warc_entry entry_of(const struct warc_record *rec, struct field extra[EXTRA_MAX])
{
	const struct fields *f = &rec->header.fields;
	struct warc_entry e = {.type = WARC_TYPE_RESPONSE,
		.id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID"))),
		.date = rec->header.date,
		.url = rec->header.url,
		.ip = warc_header_get(&rec->header, SLICE("WARC-IP-Address")),
		.extra = extra};

	for (size_t i = 0; i < f->items.len && e.extra_count < EXTRA_MAX; i++)
		if (word_is(f->items.ptr[i].name, SLICE("warc-protocol")) ||
			word_is(f->items.ptr[i].name, SLICE("warc-cipher-suite")))
			extra[e.extra_count++] = f->items.ptr[i];
	return e;
}

static void refer(struct warc_entry *e, const struct retire_home *h, const struct warc_id *id)
{
	e->type = WARC_TYPE_REVISIT;
	e->profile = WARC_PROFILE_IDENTICAL;
	e->refers_to = slice_str(id->text);
	e->refers_to_url = h->url;
	e->refers_to_date = h->date;
}

int retire_rebase_revisit(
	struct rewriting *w, const struct warc_record *rec, struct retire_entry *to)
{
	slice original = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Refers-To")));
	const struct retire_home *home = home_of(w, to);
	uint64_t from = rec->spot.offset, at = w->out.size;
	struct field extra[EXTRA_MAX];
	struct warc_entry e = entry_of(rec, extra);
	struct warc_id id;
	int rc;

	buf_reset(&w->block);
	buf_reset(&w->other);
	rc = compact_block(w->reader, &w->block, w->plan->err);
	if (rc == 0)
		rc = err_code(w->plan->err, attempt_copy_header(&rec->header, &w->other));
	e.head = buf_slice(&w->block);
	e.lines = buf_slice(&w->other);
	e.payload = &to->payload;
	home = home && home->is_same ? home : NULL;
	if (home) {
		warc_id_unpack(home->id, &id);
		refer(&e, home, &id);
	} else if (rc == 0) {
		rc = read_retired(w, to, original);
		e.body = buf_slice(&w->body);
	}
	if (rc == 0)
		rc = retire_put_entry(w, &e);
	if (rc)
		return rc;
	retire_move(w, from, at, !home);
	return home ? 0 : make_home(w, to, &e, at, true);
}

/* ---- looks ---- */

int retire_note_change(
	struct rewriting *w, const struct attempt *a, const struct retire_change *change)
{
	struct retire_plan *plan = w->plan;
	struct retire_change c = *change;

	c.url = words_put(&plan->urls, a->url);
	c.capture = arena_keep(&plan->arena, a->capture);
	c.leg = a->leg;
	c.number = a->number;
	return retire_changes_push(&plan->changes, c);
}

/* What the body shows: rows do not say it where it follows from the original. */
static int compute_state(struct rewriting *w, struct compact_look *look, slice body)
{
	struct state *s = state_new(NULL, NULL);
	struct state_result result;
	int rc;

	if (!s)
		mem_end();
	rc = state_start(s, look->head, w->plan->err);
	if (rc == 0)
		rc = state_feed(s, body);
	if (rc == 0)
		rc = state_finish(s, &result);
	if (rc == 0) {
		look->attempt.has_state = true;
		look->attempt.state = result.state;
	}
	state_free(s);
	return err_code(w->plan->err, rc);
}

/* Each of the records, compressed on its own; *ret_at and *ret_length: the response's. */
static int put_records(struct rewriting *w, slice records, uint64_t *ret_at, uint64_t *ret_length)
{
	struct warc_source source = {.fd = -1, .memory = records};
	struct err *err = w->plan->err;
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc = warc_reader_open_source(&source, WARC_READER_UNCHECKED, &r, err);

	if (rc)
		return rc;
	while (rc == 0 && (rc = warc_reader_next(r, &rec, err)) == 0) {
		uint64_t at = w->out.size;

		rc = warc_reader_end(r, err);
		if (rc == 0)
			rc = retire_put(w, slice_sub(records, rec->spot.offset,
						   rec->spot.offset + rec->length));
		if (rec->header.type == WARC_TYPE_RESPONSE) {
			*ret_at = at;
			*ret_length = w->out.size - at;
		}
	}
	warc_reader_close(r);
	return rc == ERR_END ? 0 : rc;
}

/* Gives a look records of its own, with its body. */
static int promote(
	struct rewriting *w, const struct compact_look *look, slice body, struct retire_entry *to)
{
	struct compact_look whole = *look;
	struct retire_change place = {.file = own_number(w)};
	bool is_same = !look->is_patch;
	int rc = 0;

	whole.is_patch = true;
	whole.attempt.is_revisit = false;
	if (!whole.attempt.has_state)
		rc = compute_state(w, &whole, body);
	buf_reset(&w->record);
	if (rc == 0)
		rc = compact_expand(&whole, body, &w->record, w->plan->err);
	if (rc == 0)
		rc = put_records(w, buf_slice(&w->record), &place.offset, &place.length);
	place.state = whole.attempt.state;
	place.payload = whole.attempt.payload;
	if (rc == 0)
		rc = retire_note_change(w, &whole.attempt, &place);
	return rc ? rc
		  : make_home(w, to,
			    &(struct warc_entry){.id = look->attempt.record_id,
				    .url = look->attempt.url,
				    .date = look->attempt.wall.sent},
			    place.offset, is_same);
}

/* What a look refers to from now on; strings are in the arena of the row. */
static void refer_look(struct rewriting *w, struct compact_look *look,
	const unsigned char id[WARC_ID_BYTES], slice url, int64_t date)
{
	struct warc_id *text = ARENA_NEED(&w->arena, struct warc_id);

	warc_id_unpack(id, text);
	look->attempt.original.record = slice_str(text->text);
	look->attempt.original.url = url;
	look->attempt.original.date = date;
}

/* The patch that makes w->other of w->body; false when it saves too little. */
static bool make_patch(struct rewriting *w)
{
	buf_reset(&w->patch);
	return patch_make(&w->patches, buf_slice(&w->body), buf_slice(&w->other), &w->patch) == 0 &&
	       w->patch.len <= w->other.len / 2;
}

static int patch_home(struct rewriting *w, struct compact_look *look, const struct retire_home *h,
	enum rebased *ret_how)
{
	struct record_place place = {new_name(&w->plan->files.ptr[h->file]), h->offset, {0}};
	struct warc_id id;
	int rc = warc_file_flush(&w->out, w->plan->err);

	warc_id_unpack(h->id, &id);
	place.id = slice_str(id.text);
	if (rc == 0)
		rc = read_body(w, &place, &w->body);
	if (rc || !make_patch(w))
		return rc;
	look->patch = buf_slice(&w->patch);
	look->file = place.file;
	look->offset = place.offset;
	*ret_how = REBASED_ROW;
	refer_look(w, look, h->id, h->url, h->date);
	return 0;
}

static int by_url(const void *a, const void *b)
{
	const struct retire_version *x = a, *y = b;

	if (x->url != y->url)
		return x->url < y->url ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The last response of the page that is kept and comes before; NULL for none. */
static const struct retire_version *last_version(struct rewriting *w, uint32_t url)
{
	struct retire_versions *list = &w->plan->versions;
	size_t low = 0, high = list->len;
	struct warc_id id;
	uint64_t at;

	while (low < high) { /* the first behind those of the URL */
		size_t middle = low + (high - low) / 2;

		if (list->ptr[middle].url <= url)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low > 0 && list->ptr[low - 1].url == url; low--) {
		const struct retire_version *v = &list->ptr[low - 1];

		warc_id_unpack(v->id, &id);
		if (precedes(w, v->file) && !retire_find_retired(w->plan, slice_str(id.text)) &&
			find_moved(&w->plan->files.ptr[v->file], v->offset, &at))
			return v;
	}
	return NULL;
}

static int patch_version(struct rewriting *w, struct compact_look *look,
	const struct retire_version *v, enum rebased *ret_how)
{
	const struct retire_file *file = &w->plan->files.ptr[v->file];
	struct record_place place = {slice_str(file->name), v->offset, {0}};
	struct err ignored = {0};
	struct warc_id id;
	int rc;

	warc_id_unpack(v->id, &id);
	place.id = slice_str(id.text);
	buf_reset(&w->body);
	rc = record_body_read(w->plan->p->directory->warc, &place, 0, &w->body, &ignored);
	if (rc || !make_patch(w)) /* damaged, or too large: it is not needed */
		return 0;
	look->patch = buf_slice(&w->patch);
	look->file = new_name(file);
	(void)find_moved(file, v->offset, &look->offset);
	*ret_how = REBASED_ROW;
	refer_look(w, look, v->id, words_text(&w->plan->urls, v->url), v->date);
	return 0;
}

/* A patch whose original is in w->body, and will be gone. */
static int rebase_patch(struct rewriting *w, struct compact_look *look, struct retire_entry *to,
	enum rebased *ret_how)
{
	const struct retire_home *home = to ? home_of(w, to) : NULL;
	const struct retire_version *v = NULL;
	uint32_t url;
	int rc = apply(w, look);

	if (rc == 0 && home)
		rc = patch_home(w, look, home, ret_how);
	if (!home && strmap_get(&w->plan->urls.map, look->attempt.url, &url))
		v = last_version(w, url);
	if (rc == 0 && v)
		rc = patch_version(w, look, v, ret_how);
	if (rc || *ret_how != REBASED_NOT)
		return rc;
	*ret_how = REBASED_AWAY;
	return promote(w, look, buf_slice(&w->other), to);
}

int retire_rebase_look(struct rewriting *w, struct compact_look *look, struct retire_entry *to,
	enum rebased *ret_how)
{
	const struct retire_home *home = home_of(w, to);

	if (home && home->is_same) { /* the same patch fits, if it is one */
		look->file = new_name(&w->plan->files.ptr[home->file]);
		look->offset = home->offset;
		*ret_how = REBASED_ROW;
		refer_look(w, look, home->id, home->url, home->date);
		return 0;
	}
	TRY(read_retired(w, to, look->attempt.original.record));
	if (look->is_patch)
		return rebase_patch(w, look, to, ret_how);
	*ret_how = REBASED_AWAY;
	return promote(w, look, buf_slice(&w->body), to);
}

int retire_follow(struct rewriting *w, struct compact_look *look, enum rebased *ret_how)
{
	struct record_place place = {look->file, look->offset, look->attempt.original.record};
	const struct retire_file *of;
	uint64_t to;
	uint32_t at;
	int rc;

	if (!strmap_get(&w->plan->by_name, look->file, &at) || !w->plan->files.ptr[at].affected)
		return 0;
	of = &w->plan->files.ptr[at];
	if (find_moved(of, look->offset, &to)) {
		look->file = new_name(of);
		look->offset = to;
		*ret_how = REBASED_ROW;
		return 0;
	}
	rc = read_body(w, &place, &w->body); /* it comes later: no place is known */
	return rc ? rc : rebase_patch(w, look, NULL, ret_how);
}

void retire_sort_versions(struct retire_plan *plan)
{
	if (plan->versions.len > 1)
		qsort(plan->versions.ptr, plan->versions.len, sizeof plan->versions.ptr[0], by_url);
}
