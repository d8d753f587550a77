#include "archive/rebuild_reading.h"

#include <stdio.h>
#include <string.h>

#include "base/word.h"
#include "formats/http_message.h"
#include "warc/compact.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"

enum { NAMES_MAX = 64 << 20, BLOCK_MAX = 1 << 30 };

static int take(void *context, const struct evidence_item *item);

int rebuild_reading_init(struct rebuild_reading *r, const char *dir, const char *tmp_dir,
	struct rebuilt_captures *captures, struct catalog *catalog)
{
	int rc;

	*r = (struct rebuild_reading){.captures = captures, .catalog = catalog};
	arena_init_small(&r->names, NAMES_MAX);
	words_init(&r->words, &r->names);
	evidence_init(&r->table, &r->words, tmp_dir);
	links_init(&r->links);
	rulebook_init(&r->book);
	rc = evidence_reader_init(&r->reader, &r->table, take, r);
	r->reader.dir = dir;
	r->reader.responses.links = &r->links;
	r->reader.responses.book = &r->book;
	return rc;
}

void rebuild_reading_release(struct rebuild_reading *r)
{
	evidence_reader_release(&r->reader);
	evidence_release(&r->table);
	words_release(&r->words);
	links_release(&r->links);
	rulebook_release(&r->book);
	unended_vec_release(&r->unended);
	arena_release(&r->names);
}

/* ---- responses ---- */

static void copy_text(char *out, size_t size, slice text)
{
	(void)snprintf(out, size, "%.*s", (int)(text.len < size ? text.len : 0), text.ptr);
}

static bool has_links(const struct evidence *e)
{
	return e->shown.has_state && e->shown.status < 300 && e->shown.whole;
}

/* A sketch of the links to pages, as the crawler made it of the visit. */
static int sketch_links(struct rebuild_reading *r, struct evidence *e)
{
	const struct fields *head = response_reader_head(&r->reader.responses);
	struct link_set set;
	size_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < head->items.len; i++)
		if (word_is(head->items.ptr[i].name, SLICE("link")))
			links_header(&r->links, head->items.ptr[i].value);
	for (size_t i = 0; i < r->links.list.len; i++)
		count += r->links.list.ptr[i].kind == LINK_PAGE;
	link_set_init(&set, count);
	for (size_t i = 0; i < r->links.list.len; i++)
		if (r->links.list.ptr[i].kind == LINK_PAGE)
			link_set_add(&set, r->links.list.ptr[i].ref);
	evidence_keep_links(&r->table, e, (slice){(const char *)set.bits, set.size});
	return err_code(r->reader.err, rc);
}

/* Its own head with the body of the other record. */
static void take_links(struct evidence *e, const struct evidence *of)
{
	if (!of || !has_links(e))
		return;
	e->links_at = of->links_at;
	e->links_size = of->links_size;
}

static int keep_response(struct rebuild_reading *r, const struct evidence_item *item)
{
	const struct warc_record *rec = item->record;
	struct evidence *e = item->evidence;
	struct response *x = &r->response;
	int rc = 0;

	if (rec->problem.code)
		return 0;
	if (e->is_revisit)
		take_links(e, item->original);
	else if (has_links(e))
		rc = sketch_links(r, e);
	*x = (struct response){
		.made = true, .file = r->name, .length = rec->length, .evidence = *e};
	copy_text(x->id, sizeof x->id, evidence_field(rec, SLICE("WARC-Record-ID")));
	copy_text(x->address, sizeof x->address, evidence_field(rec, SLICE("WARC-IP-Address")));
	x->has_payload = digest_parse(warc_header_get(&rec->header, SLICE("WARC-Payload-Digest")),
				 &x->payload) == 0;
	return rc;
}

/* ---- attempts over two files ---- */

/* Remembers which record an attempt begins with. */
static void note_begun(struct rebuild_reading *r, const struct warc_record *rec)
{
	const struct warc_header *h = &rec->header;
	slice id = evidence_field(rec, SLICE("WARC-Record-ID"));
	bool begins = h->type == WARC_TYPE_RESPONSE || h->type == WARC_TYPE_REVISIT ||
		      (h->type == WARC_TYPE_REQUEST && !r->begun[0]);

	if (begins && !attempt_is_in_header(h))
		copy_text(r->begun, sizeof r->begun, id);
	else if (attempt_is_in_header(h) || h->type != WARC_TYPE_REQUEST)
		r->begun[0] = '\0';
}

/* The file ends. */
static void keep_begun(struct rebuild_reading *r)
{
	struct unended u = {.file = r->name,
		.id = {arena_strdup(&r->names, slice_str(r->begun)), strlen(r->begun)},
		.response = r->response};

	if (!r->begun[0])
		return;
	r->begun[0] = '\0';
	unended_vec_push(&r->unended, u);
}

/* The head that the response had. */
static int read_head(struct rebuild_reading *r, const struct unended *u, struct err *err)
{
	struct record_place place = {u->file, u->response.evidence.offset, u->id};
	struct buf block, ignored;
	size_t from = 0;
	int rc;

	buf_init(&block, BLOCK_MAX);
	buf_init(&ignored, BLOCK_MAX);
	rc = record_block_read(r->reader.dir, &place, &block, &ignored, err);
	if (rc == 0) {
		response_reader_start(&r->reader.responses);
		rc = err_code(err, response_reader_feed(&r->reader.responses,
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

/* Of robots.txt and the like the crawler notes less. served holds texts. */
static void apply_response(struct rebuild_reading *r, struct attempt *a, struct served *served)
{
	const struct response *x = &r->response;
	const struct fields *head = response_reader_head(&r->reader.responses);

	a->media_type = fields_get(head, SLICE("content-type"));
	a->has_payload = x->has_payload;
	a->payload = x->payload;
	a->record_id = slice_str(x->id);
	a->is_revisit = x->evidence.is_revisit;
	if (a->leg == ATTEMPT_SIDE)
		return;
	served_read(head, a->wall.last_byte, served);
	a->modified = served->modified;
	a->etag = served->etag;
	a->age = (struct attempt_age){served->has_age, served->age};
	if (served->caches[0])
		a->caches = slice_str(served->caches);
	if (x->address[0])
		a->address = slice_str(x->address);
	a->coding = x->evidence.shown.has_state ? x->evidence.coding : 0;
	if ((a->leg == ATTEMPT_VISIT || a->leg == ATTEMPT_LATE) && x->evidence.links_size)
		a->links = (slice){(const char *)r->sketch,
			evidence_links(&r->table, &x->evidence, r->sketch)};
}

/* What the row of an attempt of one record does not say: it follows from the body. */
static void apply_state(const struct rebuild_reading *r, struct attempt *a)
{
	const struct shown *s = &r->response.evidence.shown;

	if (a->has_state || !s->has_state || !s->whole)
		return;
	a->has_state = true;
	a->state = s->state;
}

/* In a record of its own, or in the header of a revisit record. */
static int keep_attempt(struct rebuild_reading *r, const struct evidence_item *item)
{
	bool is_own = attempt_is_in_header(&item->record->header);
	slice of = evidence_field(
		item->record, is_own ? SLICE("WARC-Record-ID") : SLICE("WARC-Concurrent-To"));
	struct response *x = &r->response;
	struct attempt a = *item->attempt;
	struct err *err = r->reader.err;
	struct served served;
	int rc = x->made && slice_eq(of, slice_str(x->id)) ? 0 : recall(r, of, err);

	if (rc)
		return rc;
	if (x->made && slice_eq(of, slice_str(x->id))) {
		apply_response(r, &a, &served);
		if (is_own)
			apply_state(r, &a);
		a.warc = x->file;
		a.offset = x->evidence.offset;
		a.length = x->length;
	}
	x->made = false;
	return rebuilt_attempt(r->captures, &a, err);
}

/* ---- compact looks ---- */

/* The state of the same body is not in the row: it follows from the record with the body. */
static int read_look(struct rebuild_reading *r, const struct compact_look *look)
{
	struct response_reader *responses = &r->reader.responses;
	struct response *x = &r->response;
	struct evidence of;
	int rc;

	*x = (struct response){.has_payload = true,
		.payload = look->attempt.payload,
		.evidence.is_revisit = !look->is_patch};
	copy_text(x->id, sizeof x->id, look->attempt.record_id);
	copy_text(x->address, sizeof x->address, look->address);
	response_reader_start(responses);
	responses->url = look->attempt.url;
	rc = response_reader_feed(responses, look->head);
	if (rc || evidence_find(&r->table, look->attempt.original.record, &of) == EVIDENCE_NONE)
		return rc;
	rc = shown_combine(responses, &r->words, &of.shown, of.sound, &x->evidence.shown);
	x->evidence.coding = of.coding;
	take_links(&x->evidence, &of);
	return rc == ERR_SYNTAX || rc == ERR_STATE ? 0 : rc;
}

static int keep_look(struct rebuild_reading *r, const struct evidence_item *item)
{
	struct attempt a = item->look->attempt;
	struct served served;
	int rc;

	if (item->look->is_tombstone)
		return rebuilt_attempt(r->captures, &a, r->reader.err);
	rc = read_look(r, item->look);
	if (rc)
		return err_code(r->reader.err, rc);
	apply_response(r, &a, &served);
	a.is_compact = true;
	a.offset = r->batch;
	a.length = item->size;
	apply_state(r, &a);
	return rebuilt_attempt(r->captures, &a, r->reader.err);
}

/* They follow. Those that wait in a catalog have no place in a file yet. */
static int begin_looks(struct rebuild_reading *r, const struct evidence_item *item)
{
	struct catalog_looks row = {.batch = ++r->batch, .warc = r->name, .offset = item->offset};

	r->response.made = false;
	if (!item->record)
		return 0;
	row.length = item->record->length;
	return catalog_set_looks(r->catalog, &row, r->reader.err);
}

int rebuild_reading_waiting(struct rebuild_reading *r, slice rows, struct err *err)
{
	int rc = evidence_read_looks(&r->reader, SLICE("catalog.sqlite"), rows, 0, err);

	return rc ? rc
		  : catalog_add_look(r->catalog,
			    &(struct catalog_look){.batch = r->batch, .rows = rows}, err);
}

/* ---- records ---- */

/* The rules of what follows in the file, as `verify` reads them. Those that are unknown are off. */
static int keep_rules(struct rebuild_reading *r, slice block)
{
	int rc;

	rulebook_release(&r->book);
	rulebook_init(&r->book);
	rc = rulebook_add_info(&r->book, block);
	if (rc != ERR_NOMEM)
		rc = rulebook_finish(&r->book, "rules", NULL);
	return rc == ERR_NOMEM ? err_code(r->reader.err, rc) : 0;
}

static int keep_learned(struct rebuild_reading *r, const struct evidence_item *item)
{
	slice lines = item->block;

	(void)slice_take(&lines, '\n');
	return rebuilt_learned(r->captures, item->record->header.url, lines, r->reader.err);
}

/* A record was read: how far the file counts. */
static void move_ends(struct rebuild_reading *r, const struct warc_record *rec)
{
	if (rec->is_gap || rec->problem.code) {
		r->damaged++;
		rebuilt_gap(r->captures);
		r->response.made = r->response.made && rec->is_gap;
		return;
	}
	note_begun(r, rec);
	r->ends->record = rec->spot.offset + rec->length;
	if (!r->begun[0])
		r->ends->attempt = r->ends->record;
}

static int take(void *context, const struct evidence_item *item)
{
	struct rebuild_reading *r = context;
	struct err *err = r->reader.err;

	switch (item->kind) {
	case EVIDENCE_BEGIN:
		links_reset(&r->links);
		return 0;
	case EVIDENCE_END:
		move_ends(r, item->record);
		return 0;
	case EVIDENCE_INFO:
		return item->record->problem.code ? 0 : keep_rules(r, item->block);
	case EVIDENCE_RESPONSE:
		return keep_response(r, item);
	case EVIDENCE_ATTEMPT:
		return keep_attempt(r, item);
	case EVIDENCE_TABLE:
		return rebuilt_table(r->captures, item->block, err);
	case EVIDENCE_MOMENT:
		return rebuilt_moment(
			r->captures, item->record->header.url, item->moment, item->block, err);
	case EVIDENCE_LEARNED:
		return keep_learned(r, item);
	case EVIDENCE_LOOKS:
		return begin_looks(r, item);
	case EVIDENCE_LOOK:
		return keep_look(r, item);
	case EVIDENCE_BAD_LOOK:
		r->damaged += item->code == ERR_SYNTAX;
		return 0;
	case EVIDENCE_BAD_ATTEMPT:
		r->captures->counts.malformed += item->code == ERR_SYNTAX;
		return 0;
	case EVIDENCE_BAD_MOMENT:
		r->captures->counts.malformed++;
		return 0;
	default:
		return 0;
	}
}

int rebuild_reading_file(struct rebuild_reading *r, const struct warc_source *source, slice name,
	struct progress *progress, struct rebuild_ends *ret_ends, struct err *err)
{
	int rc;

	*ret_ends = (struct rebuild_ends){0};
	r->ends = ret_ends;
	r->name = (slice){arena_strdup(&r->names, name), name.len};
	r->response.made = false;
	r->reader.progress = progress;
	rc = evidence_read(&r->reader, source, r->name, err);
	if (rc == 0)
		keep_begun(r);
	return rc;
}
