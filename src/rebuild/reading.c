#include "rebuild/reading.h"

#include <stdio.h>
#include <string.h>

#include "archive/compact.h"
#include "archive/record_body.h"
#include "archive/warc_reader.h"
#include "base/word.h"
#include "catalog/catalog_line.h"
#include "http/served.h"
#include "quality/manner.h"

enum { SCRATCH_MAX = 16 << 20 };

int rebuild_reading_init(struct rebuild_reading *r, const char *dir,
	struct rebuilt_captures *captures, struct bodies *bodies, struct catalog *catalog)
{
	*r = (struct rebuild_reading){
		.dir = dir, .captures = captures, .bodies = bodies, .catalog = catalog};
	buf_init(&r->block, COMPACT_BLOCK_MAX);
	arena_init_small(&r->names, SCRATCH_MAX);
	arena_init(&r->texts, SCRATCH_MAX);
	links_init(&r->links);
	rulebook_init(&r->book);
	return response_reader_init(&r->responses);
}

void rebuild_reading_release(struct rebuild_reading *r)
{
	response_reader_release(&r->responses);
	links_release(&r->links);
	rulebook_release(&r->book);
	buf_release(&r->block);
	unended_vec_release(&r->unended);
	arena_release(&r->names);
	arena_release(&r->texts);
}

/* ---- responses ---- */

static void copy_text(char *out, size_t size, slice text)
{
	(void)snprintf(out, size, "%.*s", (int)(text.len < size ? text.len : 0), text.ptr);
}

/* A sketch of the links to pages, as the crawler made it of the visit. */
static int sketch_links(struct rebuild_reading *r)
{
	const struct fields *head = response_reader_head(&r->responses);
	struct link_set set;
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("link")))
			rc = links_header(&r->links, head->items.ptr[i].value);
	for (size_t i = 0; i < r->links.list.len; i++)
		count += r->links.list.ptr[i].kind == LINK_PAGE;
	link_set_init(&set, count);
	for (size_t i = 0; i < r->links.list.len; i++)
		if (r->links.list.ptr[i].kind == LINK_PAGE)
			link_set_add(&set, r->links.list.ptr[i].ref);
	r->response.links_size = set.size;
	memcpy(r->response.links, set.bits, set.size);
	return rc;
}

static int finish_response(struct rebuild_reading *r, struct err *err)
{
	struct response *x = &r->response;
	int rc = response_reader_finish(&r->responses, &x->state);

	if (rc == ERR_SYNTAX) /* no HTTP */
		return 0;
	if (rc == 0 && x->state.status < 300 && x->state.whole)
		rc = sketch_links(r);
	if (rc)
		return err_code(err, rc);
	x->is_read = true;
	x->coding = manner_coding(x->state.coding, response_reader_manner(&r->responses));
	return bodies_add(r->bodies, slice_str(x->id), &x->state,
		response_reader_manner(&r->responses),
		(slice){(const char *)x->links, x->links_size}, err);
}

/* Its own head with the body of the other record; that may be lost. */
static int combine(struct rebuild_reading *r, slice other, struct response *x, struct err *err)
{
	struct body of;
	struct state_result state;
	int rc = bodies_find(r->bodies, other, &of, err);

	if (rc)
		return rc == ERR_NOTFOUND ? 0 : rc;
	state = bodies_state(r->bodies, &of);
	rc = response_reader_combine(&r->responses, &state, &x->state);
	if (rc == ERR_SYNTAX || rc == ERR_STATE)
		return 0;
	if (rc)
		return err_code(err, rc);
	x->is_read = true;
	x->coding = of.coding;
	if (x->state.status < 300 && x->state.whole) {
		x->links_size = of.links_size;
		memcpy(x->links, of.links, of.links_size);
	}
	return 0;
}

static int read_message(struct rebuild_reading *r, slice url, struct err *err)
{
	slice bytes;
	int rc;

	r->responses.url = url;
	r->responses.book = &r->book;
	r->responses.links = &r->links;
	links_reset(&r->links);
	response_reader_start(&r->responses);
	while ((rc = warc_reader_block(r->reader, &bytes, err)) == 0) {
		rc = err_code(err, response_reader_feed(&r->responses, bytes));
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

static int keep_response(struct rebuild_reading *r, const struct warc_record *rec, struct err *err)
{
	const struct warc_header *h = &rec->header;
	struct response *x = &r->response;

	*x = (struct response){
		.made = true,
		.file = r->name,
		.offset = rec->spot.offset,
		.length = rec->length,
		.is_revisit = h->type == WARC_TYPE_REVISIT,
	};
	copy_text(x->id, sizeof x->id, fields_trim(warc_header_get(h, SLICE("WARC-Record-ID"))));
	copy_text(x->address, sizeof x->address,
		fields_trim(warc_header_get(h, SLICE("WARC-IP-Address"))));
	x->has_payload =
		digest_parse(warc_header_get(h, SLICE("WARC-Payload-Digest")), &x->payload) == 0;
	if (!x->is_revisit)
		return finish_response(r, err);
	return combine(r, fields_trim(warc_header_get(h, SLICE("WARC-Refers-To"))), x, err);
}

/* ---- attempts over two files ---- */

/* Remembers which record an attempt begins with. */
static void note_begun(struct rebuild_reading *r, const struct warc_record *rec)
{
	const struct warc_header *h = &rec->header;
	slice id = fields_trim(warc_header_get(h, SLICE("WARC-Record-ID")));

	if (h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_REVISIT ||
		(h->type == WARC_TYPE_REQUEST && !r->begun[0]))
		copy_text(r->begun, sizeof r->begun, id);
	else if (h->type != WARC_TYPE_REQUEST)
		r->begun[0] = '\0';
}

/* The file ends. */
static int keep_begun(struct rebuild_reading *r)
{
	struct unended u = {.file = r->name,
		.id = {arena_strdup(&r->names, slice_str(r->begun)), strlen(r->begun)},
		.response = r->response};

	if (!r->begun[0])
		return 0;
	r->begun[0] = '\0';
	return u.id.ptr ? unended_vec_push(&r->unended, u) : ERR_NOMEM;
}

/* The head that the response had. */
static int read_head(struct rebuild_reading *r, const struct unended *u, struct err *err)
{
	struct record_place place = {u->file, u->response.offset, u->id};
	struct buf block, ignored;
	size_t from = 0;
	int rc;

	buf_init(&block, (size_t)1 << 30);
	buf_init(&ignored, SCRATCH_MAX);
	rc = record_block_read(r->dir, &place, &block, &ignored, err);
	if (rc == 0) {
		response_reader_start(&r->responses);
		rc = err_code(err, response_reader_feed(&r->responses,
					   slice_sub(buf_slice(&block), 0,
						   fields_find_end(buf_slice(&block), &from))));
	}
	buf_release(&block);
	buf_release(&ignored);
	return rc;
}

/* The metadata refers to a record that may be at the end of an earlier file: as if it came now. */
static int recall(struct rebuild_reading *r, slice id, struct err *err)
{
	for (size_t i = 0; i < r->unended.len; i++) {
		struct unended *u = &r->unended.ptr[i];

		if (u->is_ended || !slice_eq(u->id, id))
			continue;
		u->is_ended = true;
		r->response = u->response;
		return u->response.made ? read_head(r, u, err) : 0;
	}
	return 0;
}

bool rebuild_reading_is_cut(const struct rebuild_reading *r, slice name)
{
	for (size_t i = 0; i < r->unended.len; i++)
		if (!r->unended.ptr[i].is_ended && slice_eq(r->unended.ptr[i].file, name))
			return true;
	return false;
}

/* ---- attempts ---- */

/* What the head says, as the crawler noted it; served holds texts. */
static void apply_head(const struct rebuild_reading *r, struct attempt *a, struct served *served)
{
	served_read(response_reader_head(&r->responses), a->wall.last_byte, served);
	a->modified = served->modified;
	a->etag = served->etag;
	a->age = (struct attempt_age){served->has_age, served->age};
	if (served->caches[0])
		a->caches = slice_str(served->caches);
	if (r->response.address[0])
		a->address = slice_str(r->response.address);
}

/* Of robots.txt and the like the crawler notes less. */
static void apply_response(
	const struct rebuild_reading *r, struct attempt *a, struct served *served)
{
	const struct response *x = &r->response;

	a->media_type = fields_get(response_reader_head(&r->responses), SLICE("content-type"));
	a->has_payload = x->has_payload;
	a->payload = x->payload;
	a->record_id = slice_str(x->id);
	a->is_revisit = x->is_revisit;
	if (a->leg == ATTEMPT_SIDE)
		return;
	apply_head(r, a, served);
	a->coding = x->is_read ? x->coding : 0;
	if ((a->leg == ATTEMPT_VISIT || a->leg == ATTEMPT_LATE) && x->links_size)
		a->links = (slice){(const char *)x->links, x->links_size};
}

static int keep_attempt(struct rebuild_reading *r, const struct warc_record *rec, struct attempt *a,
	struct err *err)
{
	slice of = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Concurrent-To")));
	struct response *x = &r->response;
	struct served served;
	int rc = x->made && slice_eq(of, slice_str(x->id)) ? 0 : recall(r, of, err);

	if (rc)
		return rc;
	if (x->made && slice_eq(of, slice_str(x->id))) {
		apply_response(r, a, &served);
		a->warc = x->file;
		a->offset = x->offset;
		a->length = x->length;
	}
	x->made = false;
	return rebuilt_attempt(r->captures, a, err);
}

/* ---- compact looks ---- */

/* The state of the same body is not in the row: it follows from the record with the body. */
static int read_look(struct rebuild_reading *r, const struct compact_look *look, struct err *err)
{
	struct response *x = &r->response;
	int rc;

	*x = (struct response){
		.is_revisit = !look->is_patch,
		.has_payload = true,
		.payload = look->attempt.payload,
	};
	copy_text(x->id, sizeof x->id, look->attempt.record_id);
	copy_text(x->address, sizeof x->address, look->address);
	response_reader_start(&r->responses);
	r->responses.url = look->attempt.url;
	r->responses.book = &r->book;
	rc = err_code(err, response_reader_feed(&r->responses, look->head));
	return rc ? rc : combine(r, look->attempt.original.record, x, err);
}

static int keep_look(struct rebuild_reading *r, const struct compact_look *look, uint64_t length,
	struct err *err)
{
	struct attempt a = look->attempt;
	struct served served;
	int rc;

	if (look->is_tombstone)
		return rebuilt_attempt(r->captures, &a, err);
	rc = read_look(r, look, err);
	if (rc)
		return rc;
	apply_response(r, &a, &served);
	a.is_compact = true;
	a.offset = r->batch;
	a.length = length;
	if (!a.has_state && r->response.is_read && r->response.state.whole) {
		a.has_state = true;
		a.state = r->response.state.state;
	}
	return rebuilt_attempt(r->captures, &a, err);
}

/* The looks of a block, which is that of a record, or made of rows that wait. */
static int keep_looks(struct rebuild_reading *r, slice block, struct err *err)
{
	struct compact_rows rows;
	struct compact_look look;
	struct err row = {0};
	int rc = compact_open(&rows, block, &row);

	r->batch++;
	if (rc == ERR_UNSUPPORTED)
		return 0; /* of a later version */
	while (rc == 0 || rc == ERR_UNSUPPORTED) {
		size_t left = rows.left.len;

		arena_reset(&r->texts);
		rc = compact_next(&rows, &r->texts, &look, &row);
		if (rc == 0)
			rc = keep_look(r, &look, left - rows.left.len, err);
		else if (rc == ERR_SYNTAX)
			r->damaged++;
	}
	r->response.made = false;
	return rc == ERR_END || rc == ERR_SYNTAX ? 0 : rc;
}

int rebuild_reading_waiting(struct rebuild_reading *r, slice rows, struct err *err)
{
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = buf_add(&block, SLICE(COMPACT_FIRST));
	if (rc == 0)
		rc = buf_add(&block, rows);
	rc = err_code(err, rc);
	if (rc == 0)
		rc = keep_looks(r, buf_slice(&block), err);
	if (rc == 0)
		rc = catalog_add_look(
			r->catalog, &(struct catalog_look){.batch = r->batch, .rows = rows}, err);
	buf_release(&block);
	return rc;
}

/* ---- other metadata ---- */

static int keep_note(struct rebuild_reading *r, const struct warc_record *rec, struct err *err)
{
	slice block = buf_slice(&r->block), uuid = rec->header.url;
	struct moment m;
	int rc = moment_parse(block, rec->header.date, &r->texts, &m);

	if (rc == 0)
		return rebuilt_moment(r->captures, uuid, &m, block, err);
	if (rc == ERR_SYNTAX)
		r->captures->counts.malformed++;
	if (rc != ERR_NOTFOUND)
		return rc == ERR_SYNTAX ? 0 : err_code(err, rc);
	if (!slice_starts_with(slice_take(&block, '\n'), SLICE("learnedRules: ")))
		return 0;
	return rebuilt_learned(r->captures, uuid, block, err);
}

static int keep_metadata(struct rebuild_reading *r, const struct warc_record *rec, struct err *err)
{
	struct attempt a;
	int rc;

	if (compact_is_type(rec->header.content_type)) {
		rc = keep_looks(r, buf_slice(&r->block), err);
		return rc ? rc
			  : catalog_set_looks(r->catalog,
				    &(struct catalog_looks){.batch = r->batch,
					    .warc = r->name,
					    .offset = rec->spot.offset,
					    .length = rec->length},
				    err);
	}
	if (slice_eq(rec->header.url, SLICE(CATALOG_TABLE_TARGET)))
		return rebuilt_table(r->captures, buf_slice(&r->block), err);
	arena_reset(&r->texts);
	rc = attempt_parse(buf_slice(&r->block), rec->header.url, &r->texts, &a, NULL);
	if (rc == 0)
		return keep_attempt(r, rec, &a, err);
	if (rc == ERR_NOTFOUND)
		return keep_note(r, rec, err);
	if (rc == ERR_SYNTAX)
		r->captures->counts.malformed++;
	return rc == ERR_NOMEM ? err_code(err, rc) : 0;
}

/* ---- records ---- */

static int read_small(struct rebuild_reading *r, struct err *err)
{
	slice bytes;
	int rc;

	buf_reset(&r->block);
	while ((rc = warc_reader_block(r->reader, &bytes, err)) == 0) {
		rc = buf_add(&r->block, bytes);
		if (rc == ERR_LIMIT) { /* none of ours is as long as that */
			buf_reset(&r->block);
			return 0;
		}
		if (rc)
			return err_code(err, rc);
	}
	return rc == ERR_END ? 0 : rc;
}

/* The rules of what follows in the file, as `verify` reads them. Those that are unknown are off. */
static int keep_rules(struct rebuild_reading *r, struct err *err)
{
	static const slice PREFIX = SLICE_INIT("stillpoint-");
	slice block = buf_slice(&r->block);
	int rc = 0;

	rulebook_release(&r->book);
	rulebook_init(&r->book);
	while (rc != ERR_NOMEM && block.len) {
		slice value = slice_take(&block, '\n'), name = slice_take(&value, ':');

		if (slice_starts_with(name, PREFIX))
			rc = rulebook_add(
				&r->book, slice_sub(name, PREFIX.len, name.len), word_trim(value));
	}
	if (rc != ERR_NOMEM)
		rc = rulebook_finish(&r->book, "rules", NULL);
	return rc == ERR_NOMEM ? err_code(err, rc) : 0;
}

static int keep_record(struct rebuild_reading *r, const struct warc_record *rec, struct err *err)
{
	switch (rec->header.type) {
	case WARC_TYPE_RESPONSE:
	case WARC_TYPE_REVISIT:
		return keep_response(r, rec, err);
	case WARC_TYPE_WARCINFO:
		return keep_rules(r, err);
	case WARC_TYPE_METADATA:
		return keep_metadata(r, rec, err);
	default:
		return 0;
	}
}

static void note_damage(struct rebuild_reading *r)
{
	r->damaged++;
	rebuilt_gap(r->captures);
}

static void move_ends(
	const struct rebuild_reading *r, const struct warc_record *rec, struct rebuild_ends *ends)
{
	if (rec->is_gap || rec->problem.code)
		return;
	ends->record = rec->spot.offset + rec->length;
	if (!r->begun[0])
		ends->attempt = ends->record;
}

static int read_record(struct rebuild_reading *r, const struct warc_record *rec, struct err *err)
{
	enum warc_type type = rec->header.type;
	int rc = 0;

	if (rec->is_gap) {
		note_damage(r);
		return 0;
	}
	if (type == WARC_TYPE_RESPONSE || type == WARC_TYPE_REVISIT)
		rc = read_message(r, rec->header.url, err);
	else if (type == WARC_TYPE_METADATA || type == WARC_TYPE_WARCINFO)
		rc = read_small(r, err);
	if (rc == 0)
		rc = warc_reader_end(r->reader, err);
	if (rc)
		return rc;
	if (rec->problem.code) {
		note_damage(r);
		r->response.made = false;
		return 0;
	}
	note_begun(r, rec);
	return keep_record(r, rec, err);
}

int rebuild_reading_file(struct rebuild_reading *r, int fd, slice name, struct progress *progress,
	struct rebuild_ends *ret_ends, struct err *err)
{
	uint64_t before = progress ? progress->done : 0;
	struct warc_source source = {.fd = fd};
	const struct warc_record *rec;
	int rc = warc_reader_open_source(&source, 0, &r->reader, err);

	*ret_ends = (struct rebuild_ends){0};
	if (rc)
		return rc;
	r->name = (slice){arena_strdup(&r->names, name), name.len};
	rc = r->name.ptr ? 0 : err_code(err, ERR_NOMEM);
	r->response.made = false;
	while (rc == 0 && (rc = warc_reader_next(r->reader, &rec, err)) == 0) {
		rc = read_record(r, rec, err);
		if (rc == 0)
			move_ends(r, rec, ret_ends);
		if (progress)
			progress_update(progress, before + rec->spot.offset, NULL);
	}
	warc_reader_close(r->reader);
	r->reader = NULL;
	return rc == ERR_END ? err_code(err, keep_begun(r)) : rc;
}
