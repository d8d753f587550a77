#include "archive/records.h"

#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/hash.h"
#include "base/word.h"
#include "formats/http_fields.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"
#include "warc/warc_request.h"

/* first: the number of the first batch; 0 counts as 1. */
static void look_batch_init(struct look_batch *l, uint64_t first)
{
	*l = (struct look_batch){.batch = first ? first : 1};
	buf_init(&l->block, COMPACT_BLOCK_FULL + COMPACT_ROW_MAX);
}

static void look_batch_release(struct look_batch *l)
{
	buf_release(&l->block);
	*l = (struct look_batch){0};
}

/*
 * Adds a look; *ret_length is the length of its row. 0, ERR_LIMIT when it is too large for what is
 * there already, or as compact_add.
 */
static SP_MUST_CHECK int look_batch_add(
	struct look_batch *l, const struct compact_look *look, uint64_t *ret_length)
{
	size_t before;
	int rc;

	if (l->block.len == 0)
		buf_add(&l->block, SLICE(COMPACT_FIRST));
	before = l->block.len;
	rc = compact_add(look, &l->block);
	if (rc) {
		buf_truncate(&l->block, l->count ? before : 0);
		return rc;
	}
	l->count++;
	l->date = look->attempt.wall.sent;
	*ret_length = l->block.len - before;
	return 0;
}

/* Whether it is time to write them. */
static bool look_batch_is_full(const struct look_batch *l)
{
	return l->count == COMPACT_LOOKS_MAX || l->block.len >= COMPACT_BLOCK_FULL;
}

void look_batch_keep(struct look_batch *l, struct batch *batch)
{
	size_t from = l->kept ? l->kept_length : sizeof COMPACT_FIRST - 1;
	struct catalog_look looks = {.batch = l->batch,
		.number = l->kept,
		.rows = slice_sub(buf_slice(&l->block), from, l->block.len)};

	if (l->kept == l->count)
		return;
	batch_add_written(batch, &(struct catalog_row){CATALOG_ROW_LOOK, .look = &looks});
	l->kept = l->count;
	l->kept_length = l->block.len;
}

/* They were written: begins the next batch. */
static void look_batch_next(struct look_batch *l)
{
	l->batch += LOOK_BATCH_STEP;
	buf_reset(&l->block);
	l->count = l->kept = 0;
}

static const size_t SCRATCH_MAX = 1 << 20;

enum { HOST_MAX = 60 }; /* bytes of a host in the names of files */

/* Some 200 bytes for each file of a gigabyte. */
static const size_t FILES_MAX = 64 << 20;

/* ---- opening and closing ---- */

/* The host, as far as it may be in the name of a file. */
static void name_host(slice host, char out[HOST_MAX + 1])
{
	size_t len = 0;

	for (size_t i = 0; i < host.len && len < HOST_MAX; i++) {
		char c = host.ptr[i];
		bool is_plain = word_is_alnum(c) || c == '.' || c == '-';

		out[len] = '_';
		if (is_plain)
			out[len] = c;
		len++;
	}
	out[len] = '\0';
}

/*
 * Lanes have names of their own, since they do not know of each other's files. The number comes
 * first: that of a later process is higher, whatever lane a capture is on then. Host and a random
 * word tell them from the files of other archives.
 */
static void name_files(struct records *r, const struct records_params *p)
{
	const char *prefix = p->prefix ? p->prefix : RECORDS_PREFIX;
	unsigned word = (unsigned)(hash_key_random().k0 >> 40);
	char host[HOST_MAX + 1], lane[16] = "";

	name_host(p->host, host);
	if (p->lane)
		(void)snprintf(lane, sizeof lane, "-%u", p->lane);
	(void)snprintf(r->name, sizeof r->name, "%s-%%t-%%n%s%s%s-%06x", prefix, lane,
		host[0] ? "-" : "", host, word);
}

static int open_writer(struct records *r, const struct records_params *p, struct err *err)
{
	return warc_writer_open(
		&(struct warc_writer_params){
			.dir = p->directory->warc,
			.name = r->name,
			.serial = p->serial,
			.coding = p->coding,
			.max_size = p->max_size,
			.clock = p->clock,
			.info = p->info,
			.info_count = p->info_count,
		},
		&r->warc, err);
}

int records_open(struct records *r, const struct records_params *p, struct err *err)
{
	int rc;

	*r = (struct records){
		.secret = p->secret, .secret_count = p->secret_count, .dir = p->directory->warc};
	name_files(r, p);
	look_batch_init(&r->looks, p->looks);
	buf_init(&r->body, PATCH_BYTES_MAX + FIELDS_HEAD_MAX);
	buf_init(&r->patch, PATCH_BYTES_MAX + SCRATCH_MAX);
	buf_init(&r->metadata, SCRATCH_MAX);
	buf_init(&r->request, SCRATCH_MAX);
	buf_init(&r->redacted, SCRATCH_MAX);
	buf_init(&r->form, SCRATCH_MAX);
	arena_init_small(&r->form_texts, FILES_MAX);
	arena_init_small(&r->files, FILES_MAX);
	rc = open_writer(r, p, err);
	if (rc)
		records_abandon(r);
	return rc;
}

void records_abandon(struct records *r)
{
	warc_writer_abandon(r->warc);
	buf_release(&r->metadata);
	buf_release(&r->request);
	buf_release(&r->redacted);
	buf_release(&r->form);
	arena_release(&r->form_texts);
	buf_release(&r->body);
	buf_release(&r->patch);
	patch_maker_release(&r->patches);
	look_batch_release(&r->looks);
	arena_release(&r->files);
	records_bodies_release(&r->fresh);
	*r = (struct records){0};
}

static void set_warc(struct records *r, struct batch *batch, uint64_t size, bool complete)
{
	const struct digest *digest = complete ? warc_writer_digest(r->warc) : NULL;
	struct catalog_warc row = {.name = r->file, .size = size, .complete = complete};

	if (!r->file.len)
		return;
	row.has_digest = digest != NULL;
	if (digest)
		row.digest = *digest;
	batch_add_written(batch, &(struct catalog_row){CATALOG_ROW_WARC, .warc = &row});
}

int records_close(struct records *r, struct batch *batch, struct err *err)
{
	int rc = records_looks(r, batch, err);

	if (rc == 0)
		rc = warc_writer_complete(r->warc, err);
	if (rc == 0)
		set_warc(r, batch, r->end, true);
	records_abandon(r);
	return rc;
}

int records_flush(struct records *r, struct err *err)
{
	return warc_writer_flush(r->warc, err);
}

int records_sync(struct records *r, struct batch *batch, struct err *err)
{
	if (r->file.len)
		TRY(warc_writer_sync(r->warc, err));
	look_batch_keep(&r->looks, batch);
	set_warc(r, batch, r->whole, false);
	return 0;
}

/* ---- records ---- */

static void forget_forms(struct records *r)
{
	arena_reset(&r->form_texts);
	memset(r->forms, 0, sizeof r->forms);
	r->form_number = 0;
}

/* A file that was left for another is complete. */
static void leave_file(struct records *r, slice next)
{
	set_warc(r, r->batch, r->end, true);
	forget_forms(r);
	r->file = arena_keep(&r->files, next);
}

static int add(struct records *r, const struct warc_entry *entry, struct warc_place *place,
	struct err *err)
{
	TRY(warc_writer_add(r->warc, entry, place, err));
	if (!slice_eq(slice_str(place->file), r->file))
		leave_file(r, slice_str(place->file));
	r->end = place->offset + place->length;
	return 0;
}

int records_note(
	struct records *r, struct batch *batch, const struct warc_entry *entry, struct err *err)
{
	struct warc_place place;

	r->batch = batch;
	TRY(add(r, entry, &place, err));
	r->whole = r->end;
	return 0;
}

static const char *truncation(enum net_failure failure)
{
	switch (failure) {
	case NET_FAILURE_TOO_LARGE:
		return "length";
	case NET_FAILURE_TIMEOUT:
	case NET_FAILURE_SLOW:
	case NET_FAILURE_ABORTED: /* the time limit */
		return "time";
	case NET_FAILURE_RESET:
		return "disconnect";
	default:
		return "unspecified";
	}
}

/* What all records of an attempt have. */
static struct warc_entry entry_of(const struct attempt *a, enum warc_type type)
{
	return (struct warc_entry){.type = type,
		.date = a->wall.sent ? a->wall.sent : a->wall.last_byte,
		.url = attempt_target(a)};
}

/* Adds what the records of the bytes on the wire have. */
static void set_message(struct warc_entry *entry, slice head, const struct attempt *a,
	const struct net_fetch *f, struct field extra[ATTEMPT_PROTOCOL_FIELDS])
{
	entry->head = head;
	entry->ip = f->ip[0] ? slice_str(f->ip) : (slice){0};
	entry->extra = extra;
	entry->extra_count = attempt_protocol(a, extra);
}

/* Room for what an attempt borrows here. */
struct borrowed {
	char protocol[sizeof((struct net_fetch *)0)->protocol + sizeof((struct net_fetch *)0)->tls];
};

/*
 * The attempt, with what is known of it only here: what was left out of its request, and how the
 * answer came, where that is more than HTTP/1 in clear, of which the block itself tells.
 */
static struct attempt complete(const struct records *r, const struct attempt *a,
	const struct net_fetch *f, struct borrowed *room)
{
	struct attempt full = *a;

	if (f && f->tls[0]) {
		(void)snprintf(room->protocol, sizeof room->protocol, "%s%s%s", f->protocol,
			f->protocol[0] ? " " : "", f->tls);
		full.protocol = slice_str(room->protocol);
		full.cipher = slice_str(f->cipher);
	}
	if (r->redacted.len > 0)
		full.redacted = buf_slice(&r->redacted);
	return full;
}

/* The request's head without secrets is in r->request; the attempt is complete then. */
static int redact(struct records *r, const struct attempt *a, const struct net_fetch *f,
	struct borrowed *room, struct attempt *ret)
{
	int rc = 0;

	buf_reset(&r->request);
	buf_reset(&r->redacted);
	if (f)
		rc = redact_head(
			f->request_head, r->secret, r->secret_count, &r->request, &r->redacted);
	*ret = complete(r, a, f, room);
	return rc;
}

/* The attempt learns where its response is, and so do those that may refer to it. */
static void note_place(struct records *r, struct attempt *a, const struct warc_place *place)
{
	struct duplicates_body body = {a->payload, a->coding, r->file, place->offset};

	batch_place(r->batch, a, place);
	if (duplicates_is_original(a))
		records_bodies_push(&r->fresh, body);
}

/* full: what the attempt a is, with all that is known of it. */
static int add_response(struct records *r, struct attempt *a, const struct attempt *full,
	const struct net_fetch *f, slice lines, struct err *err)
{
	struct warc_spool spool = {.fd = f->spool, .size = f->body_size};
	struct warc_entry entry = entry_of(a, WARC_TYPE_RESPONSE);
	struct field extra[ATTEMPT_PROTOCOL_FIELDS];
	struct warc_place place;

	set_message(&entry, f->head, full, f, extra);
	entry.id = a->record_id;
	entry.payload = &a->payload;
	entry.lines = lines;
	entry.follows = lines.len > 0;
	if (a->is_revisit) {
		entry.type = WARC_TYPE_REVISIT;
		entry.profile = WARC_PROFILE_IDENTICAL;
		entry.refers_to = a->original.record;
		entry.refers_to_url = a->original.url;
		entry.refers_to_date = a->original.date;
	} else {
		entry.body = f->spool < 0 ? f->body : (slice){0};
		entry.spool = f->spool < 0 ? NULL : &spool;
		entry.truncated = f->truncated ? truncation(f->failure) : NULL;
	}
	TRY(add(r, &entry, &place, err));
	note_place(r, a, &place);
	return 0;
}

/* The request without secrets; *ret_id is its record's. */
static int add_request(struct records *r, const struct attempt *full, const struct net_fetch *f,
	struct warc_id *ret_id, struct err *err)
{
	struct warc_entry entry = entry_of(full, WARC_TYPE_REQUEST);
	struct field extra[ATTEMPT_PROTOCOL_FIELDS];
	struct warc_place place;

	if (!r->request.len)
		return 0;
	set_message(&entry, buf_slice(&r->request), full, f, extra);
	entry.concurrent = full->record_id;
	TRY(add(r, &entry, &place, err));
	*ret_id = place.id;
	return 0;
}

/* Up to three records: response, request, metadata. */
static int add_records(struct records *r, struct attempt *a, const struct attempt *full,
	const struct net_fetch *f, struct err *err)
{
	struct warc_entry metadata = entry_of(a, WARC_TYPE_METADATA);
	struct warc_id request = {0};
	int rc = 0;

	if (f && a->has_payload)
		rc = add_response(r, a, full, f, (slice){0}, err);
	if (rc == 0 && f)
		rc = add_request(r, full, f, &request, err);
	if (rc)
		return rc;
	buf_reset(&r->metadata);
	rc = attempt_format(full, &r->metadata);
	if (rc)
		return err_set(err, rc, "metadata: %s", err_name(rc));
	metadata.body = buf_slice(&r->metadata);
	metadata.concurrent = a->record_id;
	if (!a->record_id.ptr && request.text[0])
		metadata.concurrent = slice_str(request.text);
	return records_note(r, r->batch, &metadata, err);
}

/* ---- one record ---- */

/* Writes the form in r->form, with the next number, and remembers it. */
static int add_form(struct records *r, int64_t date, struct err *err)
{
	char number[FORMAT_U64_SIZE];
	struct field field = {SLICE(REQUEST_FORM_NUMBER), {number, 0}};
	struct warc_entry entry = {.type = WARC_TYPE_METADATA,
		.date = date,
		.url = SLICE(REQUEST_FORM_TARGET),
		.head = SLICE(REQUEST_FORM_FIRST),
		.body = buf_slice(&r->form),
		.extra = &field,
		.extra_count = 1};

	field.value.len = format_u64(r->form_number + 1, number);
	TRY(records_note(r, r->batch, &entry, err));
	r->forms[r->form_number++ % RECORDS_FORMS_MAX] =
		arena_keep(&r->form_texts, buf_slice(&r->form));
	return 0;
}

/* Forms are those of a file; the number of that of the request, which is written if it is new. */
static int find_form(struct records *r, const struct attempt *a, unsigned *ret, struct err *err)
{
	unsigned count = r->form_number < RECORDS_FORMS_MAX ? r->form_number : RECORDS_FORMS_MAX;
	int rc;

	*ret = 0;
	if (!r->request.len)
		return 0;
	buf_reset(&r->form);
	rc = request_form_make(buf_slice(&r->request), attempt_target(a), &r->form);
	if (rc)
		return rc;
	for (unsigned i = 0; i < count && !*ret; i++)
		if (slice_eq(r->forms[(r->form_number - 1 - i) % RECORDS_FORMS_MAX],
			    buf_slice(&r->form)))
			*ret = r->form_number - i;
	if (*ret)
		return 0;
	if (count == RECORDS_FORMS_MAX) { /* requests that have little in common */
		arena_reset(&r->form_texts);
		memset(r->forms, 0, sizeof r->forms);
	}
	rc = add_form(r, a->wall.sent, err);
	*ret = r->form_number;
	return rc;
}

/* ERR_UNSUPPORTED and the like when the attempt needs several records. */
static int add_revisit(struct records *r, struct attempt *a, const struct attempt *full,
	const struct net_fetch *f, struct err *err)
{
	unsigned form;
	int rc = attempt_may_be_revisit(a) ? 0 : ERR_UNSUPPORTED;

	if (rc == 0 && warc_writer_is_full(r->warc))
		forget_forms(r);
	if (rc == 0)
		rc = find_form(r, full, &form, err);
	buf_reset(&r->metadata);
	if (rc == 0)
		rc = attempt_format_header(full, form, &r->metadata);
	if (rc == 0)
		rc = add_response(r, a, full, f, buf_slice(&r->metadata), err);
	if (rc == 0)
		r->whole = r->end;
	return rc;
}

/* ---- compact looks ---- */

static int write_looks(
	struct records *r, uint64_t looks, const struct warc_entry *entry, struct err *err)
{
	struct warc_place place;
	struct catalog_looks row = {.batch = looks};

	TRY(add(r, entry, &place, err));
	r->whole = r->end;
	row.warc = r->file;
	row.offset = place.offset;
	row.length = place.length;
	batch_add_written(r->batch, &(struct catalog_row){CATALOG_ROW_LOOKS, .looks = &row});
	return 0;
}

int records_looks(struct records *r, struct batch *batch, struct err *err)
{
	struct warc_entry entry = compact_entry(buf_slice(&r->looks.block), r->looks.date);

	if (r->looks.count == 0)
		return 0;
	r->batch = batch;
	TRY(write_looks(r, r->looks.batch, &entry, err));
	look_batch_next(&r->looks);
	return 0;
}

int records_adopt(struct records *r, struct batch *batch, uint64_t looks,
	const struct warc_entry *entry, struct err *err)
{
	r->batch = batch;
	return write_looks(r, looks, entry, err);
}

/* What is not worth it, or cannot be: then the look gets records of its own. */
static int make_patch(struct records *r, const struct net_fetch *f, struct compact_look *look)
{
	const struct attempt_original *of = &look->attempt.original;
	struct record_place place = {of->file, of->offset, of->record};
	struct err ignored = {0};
	int rc;

	if (f->spool >= 0 || !of->file.ptr || f->body.len > PATCH_BYTES_MAX)
		return ERR_UNSUPPORTED;
	buf_reset(&r->body);
	buf_reset(&r->patch);
	rc = record_body_read(r->dir, &place, WARC_READER_UNCHECKED, &r->body, &ignored);
	if (rc == 0)
		rc = patch_make(&r->patches, buf_slice(&r->body), f->body, &r->patch);
	if (rc == 0 && r->patch.len > f->body.len / 2)
		rc = ERR_UNSUPPORTED;
	look->is_patch = true;
	look->patch = buf_slice(&r->patch);
	look->body_size = f->body.len;
	look->file = of->file;
	look->offset = of->offset;
	return rc;
}

/* Puts a look into the batch; what makes a row too large for it makes a new batch. */
static int add_look(
	struct records *r, const struct compact_look *look, uint64_t *ret_length, struct err *err)
{
	int rc = look_batch_add(&r->looks, look, ret_length);

	if (rc != ERR_LIMIT || r->looks.count == 0)
		return rc;
	rc = records_looks(r, r->batch, err);
	return rc ? rc : look_batch_add(&r->looks, look, ret_length);
}

/* ERR_UNSUPPORTED and the like when the attempt needs records of its own. */
static int add_compact(struct records *r, struct attempt *a, const struct attempt *full,
	const struct net_fetch *f, struct err *err)
{
	struct compact_look look = {.head = f->head, .attempt = *full};
	struct warc_id id;
	uint64_t length = 0;
	int rc = 0;

	look.request = buf_slice(&r->request);
	look.address = f->ip[0] ? slice_str(f->ip) : (slice){0};
	if (!a->is_revisit)
		rc = make_patch(r, f, &look);
	if (rc == 0)
		rc = compact_id(a, &id);
	if (rc == 0)
		rc = add_look(r, &look, &length, err);
	if (rc)
		return rc;
	batch_in_looks(r->batch, a, &id, r->looks.batch, length);
	return look_batch_is_full(&r->looks) ? records_looks(r, r->batch, err) : 0;
}

int records_attempt(struct records *r, struct batch *batch, struct attempt *a,
	const struct net_fetch *f, struct err *err)
{
	struct borrowed room;
	struct attempt full;
	int rc;

	r->batch = batch;
	rc = redact(r, a, f, &room, &full);
	if (rc)
		return err_set(err, rc, "request: %s", err_name(rc));
	rc = ERR_UNSUPPORTED;
	if (a->is_compact && f)
		rc = add_compact(r, a, &full, f, err);
	if (rc && rc != ERR_IO && f) {
		a->is_compact = full.is_compact = false;
		rc = add_revisit(r, a, &full, f, err);
	}
	if (rc == 0 || rc == ERR_IO)
		return rc;
	a->is_compact = false;
	return add_records(r, a, &full, f, err);
}
