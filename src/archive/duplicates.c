#include "archive/duplicates.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/directory.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/pack.h"
#include "formats/url.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"
#include "warc/warc_writer.h"

enum {
	WAYS = 8, /* slots of a set, … */
	CHOICES =
		2, /* … of which so many may have a key: so they are nearly full before it grows */
	FIRST_SETS = 8,
	OFFSET_BITS = 40,
	FILES_MAX = (1 << 24) - 1,
	LEARN_ROWS_MAX = 4 << 20, /* of observations: a few seconds */
	LENGTH_MIN = 512,         /* of a record that may hold a body worth knowing */
};

#define OFFSET_MAX ((UINT64_C(1) << OFFSET_BITS) - 1)
#define EXPECTED   UINT64_MAX

void duplicates_init(struct duplicates *d, const char *warc_dir, size_t max)
{
	*d = (struct duplicates){.dir = warc_dir, .max = max};
	buf_init(&d->url, URL_MAX);
}

void duplicates_release(struct duplicates *d)
{
	for (size_t i = 0; i < d->files.len; i++)
		free(d->files.ptr[i]);
	duplicates_files_release(&d->files);
	free(d->slots);
	buf_release(&d->url);
	*d = (struct duplicates){0};
}

bool duplicates_is_original(const struct attempt *a)
{
	return a->has_payload && !a->is_revisit && !a->is_compact && !a->truncated &&
	       a->page != CATALOG_NO_PAGE &&
	       attempt_purpose(a) != PURPOSE_POST; /* its URL is not its record's */
}

/* ---- the table ---- */

/* A payload that is read in another way is another body. */
static void make_key(const struct duplicates_body *body, uint64_t ret[2])
{
	memcpy(ret, body->payload.bytes, 2 * sizeof *ret);
	ret[0] ^= body->coding;
	if (ret[0] == 0 && ret[1] == 0)
		ret[0] = 1;
}

static bool is_free(const struct duplicates_slot *s)
{
	return s->key[0] == 0 && s->key[1] == 0;
}

/* A set of a key, by either half: digests are as good as random. */
static struct duplicates_slot *set_of(const struct duplicates *d, const uint64_t key[2], int choice)
{
	return &d->slots[((key[choice] >> 32) * (d->cap / WAYS) >> 32) * WAYS];
}

static struct duplicates_slot *find_slot(const struct duplicates *d, const uint64_t key[2])
{
	for (int c = 0; d->cap && c < CHOICES; c++) {
		struct duplicates_slot *set = set_of(d, key, c);

		for (int i = 0; i < WAYS; i++)
			if (set[i].key[0] == key[0] && set[i].key[1] == key[1])
				return &set[i];
	}
	return NULL;
}

/* The first free slot of a set, or WAYS. They are filled from the first on. */
static int first_free(const struct duplicates_slot *set)
{
	int n = 0;

	while (n < WAYS && !is_free(&set[n]))
		n++;
	return n;
}

/* The emptier one of a key's sets. */
static struct duplicates_slot *best_set(const struct duplicates *d, const uint64_t key[2])
{
	struct duplicates_slot *a = set_of(d, key, 0), *b = set_of(d, key, 1);

	return first_free(b) < first_free(a) ? b : a;
}

static bool has_room(const struct duplicates *d, const uint64_t key[2])
{
	return d->cap && first_free(best_set(d, key)) < WAYS;
}

/* Into a free slot, or else the next one's whose turn it is. */
static void put(struct duplicates *d, const struct duplicates_slot *slot)
{
	struct duplicates_slot *set = best_set(d, slot->key);
	int at = first_free(set);

	d->count += at < WAYS;
	set[at < WAYS ? at : (int)(d->turn++ % WAYS)] = *slot;
}

/* By a quarter: memory follows what is known in small steps. */
static size_t next_cap(const struct duplicates *d)
{
	size_t sets = d->cap / WAYS;
	size_t cap = (sets < FIRST_SETS ? FIRST_SETS : sets + sets / 4) * WAYS;

	return cap < d->max ? cap : d->max;
}

/* Whether every slot of the old table finds a free one in the new table. */
static bool refill(struct duplicates *d, const struct duplicates_slot *old, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (is_free(&old[i]))
			continue;
		if (d->cap < d->max && !has_room(d, old[i].key))
			return false;
		put(d, &old[i]);
	}
	return true;
}

/* A set of the new table may overflow although the old one did not: then it grows further. */
static void grow_to(struct duplicates *d, size_t cap)
{
	struct duplicates_slot *old = d->slots;
	size_t old_cap = d->cap;

	d->slots = NULL;
	for (;; cap = next_cap(d)) {
		free(d->slots);
		d->slots = mem_new(cap, sizeof *d->slots);
		d->cap = cap;
		d->count = 0;
		if (refill(d, old, old_cap))
			break;
	}
	free(old);
}

/* Records come file by file, so the last one is looked at first. */
static int file_number(struct duplicates *d, slice name, uint64_t *ret)
{
	for (size_t i = d->files.len; i > 0; i--)
		if (slice_eq(slice_str(d->files.ptr[i - 1]), name)) {
			*ret = i - 1;
			return 0;
		}
	if (d->files.len >= FILES_MAX)
		return ERR_LIMIT;
	duplicates_files_push(&d->files, mem_strdup(name));
	*ret = d->files.len - 1;
	return 0;
}

/* Puts a slot in that is not there yet. */
static void enter(struct duplicates *d, const struct duplicates_slot *slot)
{
	while (d->cap < d->max && !has_room(d, slot->key))
		grow_to(d, next_cap(d));
	put(d, slot);
}

void duplicates_expect(struct duplicates *d, const struct duplicates_body *body)
{
	struct duplicates_slot slot = {.place = EXPECTED};

	make_key(body, slot.key);
	if (!find_slot(d, slot.key))
		enter(d, &slot);
}

void duplicates_add(struct duplicates *d, const struct duplicates_body *body)
{
	struct duplicates_slot slot = {0}, *old;
	uint64_t number;

	make_key(body, slot.key);
	old = find_slot(d, slot.key);
	/* The first one stays: so does what others refer to. */
	if (body->offset > OFFSET_MAX || (old && old->place != EXPECTED) ||
		file_number(d, body->file, &number))
		return;
	slot.place = number << OFFSET_BITS | body->offset;
	if (old)
		old->place = slot.place;
	else
		enter(d, &slot);
}

/* ---- the record ---- */

/* The record is one that may be referred to, and has this payload. */
static bool is_original(const struct warc_record *rec, const struct digest *payload)
{
	const struct warc_header *h = &rec->header;
	struct digest stated;

	return !rec->is_gap && h->type == WARC_TYPE_RESPONSE && h->url.ptr && h->has_date &&
	       !warc_header_get(h, SLICE("WARC-Truncated")).ptr &&
	       digest_parse(warc_header_get(h, SLICE("WARC-Payload-Digest")), &stated) == 0 &&
	       digest_eq(&stated, payload);
}

static bool take_original(struct duplicates *d, const struct warc_record *rec,
	const struct digest *payload, struct attempt_original *ret)
{
	slice id;

	if (!is_original(rec, payload))
		return false;
	id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID")));
	buf_reset(&d->url);
	if (!id.ptr || id.len >= sizeof d->record.text || buf_add(&d->url, rec->header.url))
		return false;
	memcpy(d->record.text, id.ptr, id.len);
	*ret = (struct attempt_original){
		.record = {d->record.text, id.len},
		.url = buf_slice(&d->url),
		.date = rec->header.date,
	};
	return true;
}

enum duplicates_sight duplicates_look(
	const struct duplicates *d, const struct duplicates_body *body)
{
	const struct duplicates_slot *slot;
	uint64_t key[2];

	make_key(body, key);
	slot = find_slot(d, key);
	if (!slot)
		return DUPLICATES_NONE;
	return slot->place == EXPECTED ? DUPLICATES_EXPECTED : DUPLICATES_ADDED;
}

bool duplicates_place(const struct duplicates *d, const struct duplicates_body *body, slice *file,
	uint64_t *offset)
{
	const struct duplicates_slot *slot;
	uint64_t key[2];

	make_key(body, key);
	slot = find_slot(d, key);
	if (!slot || slot->place == EXPECTED)
		return false;
	*file = slice_str(d->files.ptr[slot->place >> OFFSET_BITS]);
	*offset = slot->place & OFFSET_MAX;
	return true;
}

bool duplicates_find(
	struct duplicates *d, const struct duplicates_body *body, struct attempt_original *ret)
{
	const struct warc_record *rec = NULL;
	struct warc_reader *reader = NULL;
	struct duplicates_slot *slot;
	struct record_place place;
	struct err ignored = {0};
	uint64_t key[2];
	bool found;

	make_key(body, key);
	slot = find_slot(d, key);
	if (!slot || slot->place == EXPECTED)
		return false;
	place = (struct record_place){.file = slice_str(d->files.ptr[slot->place >> OFFSET_BITS]),
		.offset = slot->place & OFFSET_MAX};
	found = record_at(d->dir, &place, WARC_READER_UNCHECKED, &reader, &rec, &ignored) == 0 &&
		take_original(d, rec, &body->payload, ret);
	warc_reader_close(reader);
	/* The file was taken away or damaged: the next record with this body is an original. */
	if (!found) {
		*slot = (struct duplicates_slot){0};
		d->count--;
	}
	return found;
}

/* ---- saved bodies ---- */

/* A part: the names of its files, then its slots as they are, numbers with the lowest byte first.
 */
enum { PART_BODIES = 4096, SLOT_SIZE = 24, PART_MAX = 64 << 20 };

static bool has_body(const struct attempt *a)
{
	return a->has_payload && a->warc.ptr && !a->is_revisit && !a->truncated &&
	       a->length >= LENGTH_MIN;
}

static struct duplicates_body body_of(const struct attempt *a)
{
	return (struct duplicates_body){a->payload, a->coding, a->warc, a->offset};
}

static void put_u64(struct buf *out, uint64_t value)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(value >> 8 * i);
	(void)buf_add(out, (slice){bytes, sizeof bytes});
}

static uint64_t get_u64(const char *bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
	return value;
}

static int save_part(struct duplicates_saving *s)
{
	struct duplicates *d = &s->bodies;
	struct buf out;
	int rc;

	buf_init(&out, PART_MAX);
	rc = pack_number(&out, d->files.len);
	for (size_t i = 0; rc == 0 && i < d->files.len; i++)
		rc = pack_text(&out, slice_str(d->files.ptr[i]));
	for (size_t i = 0; i < d->cap; i++)
		if (!is_free(&d->slots[i])) {
			put_u64(&out, d->slots[i].key[0]);
			put_u64(&out, d->slots[i].key[1]);
			put_u64(&out, d->slots[i].place);
		}
	rc = err_code(s->err, rc ? rc : out.error);
	if (rc == 0)
		rc = catalog_put(s->catalog, CATALOG_ROW_SAVED, s->capture,
			&(struct catalog_saved){CATALOG_SAVED_BODIES, s->number++, buf_slice(&out)},
			s->err);
	buf_release(&out);
	duplicates_release(d);
	duplicates_init(d, "", DUPLICATES_MAX);
	return rc;
}

int duplicates_saving_begin(
	struct duplicates_saving *s, struct catalog *catalog, uint32_t capture, struct err *err)
{
	*s = (struct duplicates_saving){.catalog = catalog, .capture = capture, .err = err};
	duplicates_init(&s->bodies, "", DUPLICATES_MAX);
	return catalog_drop_saved(catalog, capture, CATALOG_SAVED_BODIES, err);
}

int duplicates_saving_add(void *saving, const struct attempt *a)
{
	struct duplicates_saving *s = saving;
	struct duplicates_body body = body_of(a);
	if (has_body(a))
		duplicates_add(&s->bodies, &body);
	return s->bodies.count >= PART_BODIES ? save_part(s) : 0;
}

/* The last part may be empty: it says that there is no more. */
int duplicates_saving_end(struct duplicates_saving *s, int rc)
{
	if (rc == 0)
		rc = save_part(s);
	duplicates_release(&s->bodies);
	return rc;
}

/* ---- earlier captures ---- */

struct learning {
	struct duplicates *d;
	size_t rows;
	bool is_full;
	bool is_saved; /* there was a part */
	struct err *err;
};

static bool is_full(struct learning *l)
{
	const struct duplicates *d = l->d;

	l->is_full = ++l->rows > LEARN_ROWS_MAX || d->count >= d->max / 4 * 3;
	return l->is_full;
}

static int on_body(void *context, const struct attempt *a)
{
	struct learning *l = context;
	struct duplicates_body body = body_of(a);

	if (is_full(l))
		return ERR_LIMIT;
	if (has_body(a))
		duplicates_add(l->d, &body);
	return 0;
}

/* The numbers that the files of a part have here. */
static int number_files(struct duplicates *d, struct unpack *from, struct u32_vec *ret)
{
	uint64_t files = unpack_up_to(from, from->left.len);
	int rc = 0;

	for (; rc == 0 && files > 0 && !from->bad; files--) {
		slice name = unpack_text(from);
		uint64_t number = 0;

		rc = from->bad ? ERR_IO : file_number(d, name, &number);
		u32_vec_push(ret, (uint32_t)number);
	}
	return rc;
}

/* For so many more at once: to twice of what there will be, since others may follow. */
static void make_room(struct duplicates *d, size_t more)
{
	size_t need = (d->count + more) / 4 * 5, cap = 2 * need / WAYS * WAYS;

	if (d->cap < need && d->cap < d->max)
		grow_to(d, cap < d->max ? cap : d->max);
}

static int on_part(void *context, const struct catalog_saved *part)
{
	struct learning *l = context;
	struct unpack from = {part->bytes, false};
	SCOPED(u32_vec_release) struct u32_vec files = {0};
	int rc = number_files(l->d, &from, &files);

	if (rc == 0)
		make_room(l->d, from.left.len / SLOT_SIZE);
	l->is_saved = true;
	if (rc == 0 && (from.bad || from.left.len % SLOT_SIZE))
		rc = ERR_IO;
	for (; rc == 0 && from.left.len > 0 && !is_full(l);
		from.left = slice_sub(from.left, SLOT_SIZE, from.left.len)) {
		struct duplicates_slot slot = {{get_u64(from.left.ptr), get_u64(from.left.ptr + 8)},
			get_u64(from.left.ptr + 16)};
		uint64_t file = slot.place >> OFFSET_BITS;

		if (file >= files.len || is_free(&slot)) {
			rc = ERR_IO;
			break;
		}
		slot.place = (uint64_t)files.ptr[file] << OFFSET_BITS | (slot.place & OFFSET_MAX);
		if (!find_slot(l->d, slot.key))
			enter(l->d, &slot);
	}
	return rc == 0 && l->is_full ? ERR_LIMIT : rc;
}

/* Of a capture that runs, or whose parts cannot be read, the observations tell. */
static int learn_capture(struct learning *l, struct catalog *catalog, uint32_t capture, bool runs)
{
	int rc = 0;

	l->is_saved = false;
	if (!runs)
		rc = catalog_each_saved(catalog, capture, CATALOG_SAVED_BODIES, on_part, l, NULL);
	if (l->is_full || (l->is_saved && rc == 0))
		return l->is_full ? ERR_LIMIT : 0;
	return catalog_each_body(catalog, capture, on_body, l, l->err);
}

static int on_capture(void *context, const struct catalog_capture *c)
{
	struct u32_vec *ended = context;

	if (c->state != CATALOG_RUNNING)
		u32_vec_push(ended, c->id);
	return 0;
}

int duplicates_learn(
	struct duplicates *d, struct catalog *catalog, uint32_t before, struct err *err)
{
	struct learning l = {.d = d, .err = err};
	SCOPED(u32_vec_release) struct u32_vec ended = {0};
	int rc = catalog_each_capture(catalog, on_capture, &ended, err);

	for (uint32_t capture = before; rc == 0 && capture > 1; capture--) {
		while (ended.len > 0 && ended.ptr[ended.len - 1] > capture - 1)
			(void)u32_vec_pop(&ended);
		rc = learn_capture(&l, catalog, capture - 1,
			ended.len == 0 || ended.ptr[ended.len - 1] != capture - 1);
	}
	return l.is_full ? 0 : rc;
}
