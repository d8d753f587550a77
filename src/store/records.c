#include "store/records.h"

#include <stdio.h>
#include <string.h>

#include "http/redact.h"

static const size_t SCRATCH_MAX = 1 << 20;

/* Some 200 bytes for each file of a gigabyte. */
static const size_t FILES_MAX = 64 << 20;

/* ---- opening and closing ---- */

/*
 * Lanes have names of their own, since they do not know of each other's files. The number comes
 * first: that of a later process is higher, whatever lane a capture is on then.
 */
static void name_files(struct records *r, unsigned lane)
{
	if (lane)
		(void)snprintf(r->name, sizeof r->name, "stillpoint-%%t-%%n-%u", lane);
	else
		(void)snprintf(r->name, sizeof r->name, "stillpoint-%%t-%%n");
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

	*r = (struct records){.secret = p->secret, .secret_count = p->secret_count};
	name_files(r, p->lane);
	buf_init(&r->metadata, SCRATCH_MAX);
	buf_init(&r->request, SCRATCH_MAX);
	buf_init(&r->redacted, SCRATCH_MAX);
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
	arena_release(&r->files);
	records_places_release(&r->fresh);
	*r = (struct records){0};
}

static int set_warc(
	struct records *r, struct batch *batch, uint64_t size, bool complete, struct err *err)
{
	const struct digest *digest = complete ? warc_writer_digest(r->warc) : NULL;
	struct catalog_warc row = {.name = r->file, .size = size, .complete = complete};

	if (!r->file.len)
		return 0;
	row.has_digest = digest != NULL;
	if (digest)
		row.digest = *digest;
	return batch_set_warc(batch, &row, err);
}

int records_close(struct records *r, struct batch *batch, struct err *err)
{
	int rc = warc_writer_complete(r->warc, err);

	if (rc == 0)
		rc = set_warc(r, batch, r->end, true, err);
	records_abandon(r);
	return rc;
}

int records_flush(struct records *r, struct err *err)
{
	return warc_writer_flush(r->warc, err);
}

int records_sync(struct records *r, struct batch *batch, struct err *err)
{
	int rc = r->file.len ? warc_writer_sync(r->warc, err) : 0;

	return rc ? rc : set_warc(r, batch, r->whole, false, err);
}

/* ---- records ---- */

/* A file that was left for another is complete. */
static int leave_file(struct records *r, struct batch *batch, slice next, struct err *err)
{
	int rc = set_warc(r, batch, r->end, true, err);

	if (rc)
		return rc;
	r->file = (slice){arena_strdup(&r->files, next), next.len};
	return r->file.ptr ? 0 : err_code(err, ERR_NOMEM);
}

static int add(struct records *r, struct batch *batch, const struct warc_entry *entry,
	struct warc_place *place, struct err *err)
{
	int rc = warc_writer_add(r->warc, entry, place, err);

	if (rc == 0 && !slice_eq(slice_str(place->file), r->file))
		rc = leave_file(r, batch, slice_str(place->file), err);
	if (rc == 0)
		r->end = place->offset + place->length;
	return rc;
}

int records_note(
	struct records *r, struct batch *batch, const struct warc_entry *entry, struct err *err)
{
	struct warc_place place;
	int rc = add(r, batch, entry, &place, err);

	if (rc == 0)
		r->whole = r->end;
	return rc;
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

enum { PROTOCOL_FIELDS = 3 };

/*
 * How the answer came, as the IIPC proposes (WARC-Protocol, WARC-Cipher-Suite): where it is more
 * than HTTP/1 in clear, of which the block itself tells.
 */
static size_t describe_protocol(const struct net_fetch *f, struct field out[PROTOCOL_FIELDS])
{
	size_t n = 0;

	if (!f->tls[0] || !f->protocol[0])
		return 0;
	out[n++] = (struct field){SLICE("WARC-Protocol"), slice_str(f->protocol)};
	out[n++] = (struct field){SLICE("WARC-Protocol"), slice_str(f->tls)};
	if (f->cipher[0])
		out[n++] = (struct field){SLICE("WARC-Cipher-Suite"), slice_str(f->cipher)};
	return n;
}

/* What all records of an attempt have. */
static struct warc_entry entry_of(const struct records_attempt *a, enum warc_type type)
{
	const struct attempt *attempt = &a->row->attempt;

	return (struct warc_entry){.type = type,
		.date = attempt->wall.sent ? attempt->wall.sent : attempt->wall.last_byte,
		.url = attempt->url};
}

/* The same for those of the bytes on the wire. */
static struct warc_entry message_of(const struct records_attempt *a, enum warc_type type,
	slice head, struct field extra[PROTOCOL_FIELDS])
{
	struct warc_entry entry = entry_of(a, type);

	entry.head = head;
	entry.ip = a->fetch->ip[0] ? slice_str(a->fetch->ip) : (slice){0};
	entry.extra = extra;
	entry.extra_count = describe_protocol(a->fetch, extra);
	return entry;
}

static int add_response(struct records *r, const struct records_attempt *a,
	struct warc_place *place, struct err *err)
{
	const struct net_fetch *f = a->fetch;
	struct warc_spool spool = {.fd = f->spool, .size = f->body_size};
	struct field extra[PROTOCOL_FIELDS];
	struct warc_entry entry = message_of(a, WARC_TYPE_RESPONSE, f->head, extra);

	entry.id = &a->response;
	entry.payload = &a->row->payload;
	if (a->row->is_revisit) {
		entry.type = WARC_TYPE_REVISIT;
		entry.profile = WARC_PROFILE_IDENTICAL;
		entry.refers_to = slice_str(a->original.record.text);
		entry.refers_to_url = a->original.url;
		entry.refers_to_date = a->original.date;
	} else {
		entry.body = f->spool < 0 ? f->body : (slice){0};
		entry.spool = f->spool < 0 ? NULL : &spool;
		entry.truncated = f->truncated ? truncation(f->failure) : NULL;
	}
	return add(r, a->batch, &entry, place, err);
}

/* The request's head as it may be archived. */
static int redact(struct records *r, const struct records_attempt *a, struct err *err)
{
	int rc;

	buf_reset(&r->request);
	buf_reset(&r->redacted);
	if (!a->fetch)
		return 0;
	rc = redact_head(
		a->fetch->request_head, r->secret, r->secret_count, &r->request, &r->redacted);
	return rc ? err_set(err, rc, "request: %s", err_name(rc)) : 0;
}

static int add_request(struct records *r, const struct records_attempt *a,
	const struct warc_id *concurrent, struct warc_place *place, struct err *err)
{
	struct field extra[PROTOCOL_FIELDS];
	struct warc_entry entry = message_of(a, WARC_TYPE_REQUEST, buf_slice(&r->request), extra);

	entry.concurrent = concurrent;
	return add(r, a->batch, &entry, place, err);
}

/* The attempt, with what is known of it only here. */
static int format_attempt(struct records *r, const struct records_attempt *a)
{
	char protocol[sizeof a->fetch->protocol + sizeof a->fetch->tls];
	const struct net_fetch *f = a->fetch;
	struct attempt attempt = a->row->attempt;

	if (f && f->tls[0]) {
		(void)snprintf(protocol, sizeof protocol, "%s%s%s", f->protocol,
			f->protocol[0] ? " " : "", f->tls);
		attempt.protocol = slice_str(protocol);
		attempt.cipher = slice_str(f->cipher);
	}
	if (r->redacted.len > 0)
		attempt.redacted = buf_slice(&r->redacted);
	buf_reset(&r->metadata);
	return attempt_format(&attempt, &r->metadata);
}

static int add_metadata(struct records *r, const struct records_attempt *a,
	const struct warc_id *concurrent, struct err *err)
{
	struct warc_entry entry = entry_of(a, WARC_TYPE_METADATA);
	int rc = format_attempt(r, a);

	if (rc)
		return err_set(err, rc, "metadata: %s", err_name(rc));
	entry.body = buf_slice(&r->metadata);
	entry.concurrent = concurrent;
	return records_note(r, a->batch, &entry, err);
}

/* The row learns where the response is, and so do those that may refer to it. */
static int note_place(struct records *r, const struct records_attempt *a,
	const struct warc_place *place, struct err *err)
{
	struct catalog_observation *row = a->row;
	int rc = batch_place(
		a->batch, row, slice_str(place->file), place->offset, place->length, err);

	if (rc || !a->is_fresh)
		return rc;
	rc = records_places_push(&r->fresh, (struct records_place){.payload = row->payload,
						    .coding = row->coding,
						    .file = r->file,
						    .offset = place->offset});
	return err_code(err, rc);
}

/* The records of what went over the wire; *ret_first is the name of the first, or empty. */
static int add_messages(struct records *r, const struct records_attempt *a,
	struct warc_id *ret_first, struct err *err)
{
	struct warc_place place;
	bool has_response = a->row->has_payload;
	int rc = 0;

	if (has_response) {
		*ret_first = a->response;
		rc = add_response(r, a, &place, err);
		if (rc == 0)
			rc = note_place(r, a, &place, err);
	}
	if (rc == 0 && r->request.len > 0) {
		rc = add_request(r, a, has_response ? &a->response : NULL, &place, err);
		if (rc == 0 && !has_response)
			*ret_first = place.id;
	}
	return rc;
}

int records_attempt(struct records *r, const struct records_attempt *a, struct err *err)
{
	struct warc_id first = {0};
	int rc = redact(r, a, err);

	if (rc == 0 && a->fetch)
		rc = add_messages(r, a, &first, err);
	return rc ? rc : add_metadata(r, a, first.text[0] ? &first : NULL, err);
}
