#include "store/duplicates.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/record_body.h"
#include "archive/warc_file.h"
#include "archive/warc_reader.h"
#include "store/directory.h"
#include "url/url.h"

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
	       !slice_eq(a->purpose, SLICE(ATTEMPT_BY_POST)); /* its URL is not its record's */
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

static int grow(struct duplicates *d)
{
	struct duplicates_slot *old = d->slots;
	size_t old_cap = d->cap, cap = next_cap(d);

	d->slots = calloc(cap, sizeof *d->slots);
	if (!d->slots) {
		d->slots = old;
		return ERR_NOMEM;
	}
	d->cap = cap;
	d->count = 0;
	for (size_t i = 0; i < old_cap; i++)
		if (!is_free(&old[i]))
			put(d, &old[i]);
	free(old);
	return 0;
}

/* Records come file by file, so the last one is looked at first. */
static int file_number(struct duplicates *d, slice name, uint64_t *ret)
{
	char *copy;
	int rc;

	for (size_t i = d->files.len; i > 0; i--)
		if (slice_eq(slice_str(d->files.ptr[i - 1]), name)) {
			*ret = i - 1;
			return 0;
		}
	if (d->files.len >= FILES_MAX)
		return ERR_LIMIT;
	copy = strndup(name.ptr, name.len);
	rc = copy ? duplicates_files_push(&d->files, copy) : ERR_NOMEM;
	if (rc)
		free(copy);
	else
		*ret = d->files.len - 1;
	return rc;
}

/* Puts a slot in that is not there yet. */
static int enter(struct duplicates *d, const struct duplicates_slot *slot)
{
	int rc = 0;

	while (rc == 0 && d->cap < d->max && !has_room(d, slot->key))
		rc = grow(d);
	if (rc == 0)
		put(d, slot);
	return rc;
}

int duplicates_expect(struct duplicates *d, const struct duplicates_body *body)
{
	struct duplicates_slot slot = {.place = EXPECTED};

	make_key(body, slot.key);
	return find_slot(d, slot.key) ? 0 : enter(d, &slot);
}

int duplicates_add(struct duplicates *d, const struct duplicates_body *body)
{
	struct duplicates_slot slot = {0}, *old;
	uint64_t number;
	int rc;

	make_key(body, slot.key);
	old = find_slot(d, slot.key);
	/* The first one stays: so does what others refer to. */
	if (body->offset > OFFSET_MAX || (old && old->place != EXPECTED))
		return 0;
	rc = file_number(d, body->file, &number);
	if (rc)
		return rc == ERR_LIMIT ? 0 : rc;
	slot.place = number << OFFSET_BITS | body->offset;
	if (!old)
		return enter(d, &slot);
	old->place = slot.place;
	return 0;
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

static bool read_original(struct duplicates *d, struct warc_reader *reader, uint64_t offset,
	const struct digest *payload, struct attempt_original *ret)
{
	const struct warc_record *rec;
	struct err ignored = {0};
	slice id;

	if (warc_reader_seek(reader, (struct warc_spot){.offset = offset}, &ignored) ||
		warc_reader_next(reader, &rec, &ignored) || !is_original(rec, payload))
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
	struct warc_reader *reader = NULL;
	struct warc_source source;
	struct duplicates_slot *slot;
	struct err ignored = {0};
	uint64_t key[2];
	bool found;

	make_key(body, key);
	slot = find_slot(d, key);
	if (!slot || slot->place == EXPECTED)
		return false;
	source = (struct warc_source){.fd = record_body_open(d->dir,
					      slice_str(d->files.ptr[slot->place >> OFFSET_BITS]))};
	found = source.fd >= 0 &&
		warc_reader_open_source(&source, WARC_READER_UNCHECKED, &reader, &ignored) == 0 &&
		read_original(d, reader, slot->place & OFFSET_MAX, &body->payload, ret);
	warc_reader_close(reader);
	if (source.fd >= 0)
		(void)close(source.fd);
	/* The file was taken away or damaged: the next record with this body is an original. */
	if (!found) {
		*slot = (struct duplicates_slot){0};
		d->count--;
	}
	return found;
}

/* ---- earlier captures ---- */

struct learning {
	struct duplicates *d;
	size_t rows;
	bool is_full;
	struct err *err;
};

static int on_body(void *context, const struct attempt *a)
{
	struct learning *l = context;
	struct duplicates *d = l->d;
	bool has_body = a->has_payload && a->warc.ptr && !a->is_revisit && !a->truncated;
	int rc = 0;

	l->is_full = ++l->rows > LEARN_ROWS_MAX || d->count >= d->max / 4 * 3;
	if (l->is_full)
		return ERR_LIMIT;
	if (has_body && a->length >= LENGTH_MIN)
		rc = duplicates_add(
			d, &(struct duplicates_body){a->payload, a->coding, a->warc, a->offset});
	return err_code(l->err, rc);
}

int duplicates_learn(
	struct duplicates *d, struct catalog *catalog, uint32_t before, struct err *err)
{
	struct learning l = {.d = d, .err = err};
	int rc = 0;

	for (uint32_t capture = before; rc == 0 && capture > 1; capture--)
		rc = catalog_each_body(catalog, capture - 1, on_body, &l, err);
	return l.is_full ? 0 : rc;
}
