#include "proof/evidence.h"

#include "base/err.h"
#include "base/word.h"
#include "catalog/catalog_line.h"
#include "proof/verdict.h"
#include "warc/record_body.h"
#include "warc/warc_request.h"

enum { SCRATCH_MAX = 16 << 20 };

slice evidence_field(const struct warc_record *record, slice name)
{
	return fields_trim(warc_header_get(&record->header, name));
}

/* ---- responses by their records ---- */

void evidence_init(struct evidence_table *t, struct words *words, const char *dir)
{
	*t = (struct evidence_table){.key = hash_key_random(), .words = words};
	seen_init(&t->ids, hash_key_random());
	seen_init(&t->payloads, hash_key_random());
	spill_pool_init(&t->pool, dir);
	spill_init(&t->rows, &t->pool);
	spill_init(&t->links, &t->pool);
}

void evidence_release(struct evidence_table *t)
{
	seen_release(&t->ids);
	seen_release(&t->payloads);
	spill_release(&t->rows);
	spill_release(&t->links);
	spill_pool_release(&t->pool);
}

/* The first failure stays: evidence_read returns it. */
static void fail(struct evidence_table *t, int rc, const struct err *why)
{
	if (rc == 0 || t->err.code)
		return;
	t->err = *why;
	(void)err_code(&t->err, rc);
}

bool evidence_get(const struct evidence_table *t, uint32_t number, struct evidence *ret)
{
	struct err ignored = {0};

	return number < seen_count(&t->ids) && spill_read(&t->rows, (uint64_t)number * sizeof *ret,
						       ret, sizeof *ret, &ignored) == 0;
}

void evidence_put(struct evidence_table *t, uint32_t number, const struct evidence *e)
{
	struct err err = {0};

	fail(t, spill_write(&t->rows, (uint64_t)number * sizeof *e, e, sizeof *e, &err), &err);
}

uint32_t evidence_find(const struct evidence_table *t, slice id, struct evidence *ret)
{
	uint32_t number;

	if (!id.len || !seen_find(&t->ids, id, &number) || (ret && !evidence_get(t, number, ret)))
		return EVIDENCE_NONE;
	return number;
}

void evidence_keep_links(struct evidence_table *t, struct evidence *e, slice links)
{
	struct err err = {0};

	e->links_at = t->links.size;
	e->links_size = (uint32_t)links.len;
	if (links.len)
		fail(t, spill_write(&t->links, e->links_at, links.ptr, links.len, &err), &err);
}

size_t evidence_links(const struct evidence_table *t, const struct evidence *e, void *ret)
{
	struct err ignored = {0};

	return e->links_size &&
			       spill_read(&t->links, e->links_at, ret, e->links_size, &ignored) == 0
		       ? e->links_size
		       : 0;
}

uint64_t evidence_served(const struct evidence_table *t, const struct attempt *a)
{
	uint64_t parts[] = {(uint64_t)a->modified, a->age.known, a->age.seconds,
		a->etag.ptr ? hash_bytes(t->key, a->etag) : 0,
		a->caches.ptr ? hash_bytes(t->key, a->caches) : 0};

	if (!a->modified && !a->age.known && !a->etag.ptr && !a->caches.ptr)
		return 0;
	return hash_bytes(t->key, (slice){(const char *)parts, sizeof parts});
}

void evidence_claim(const struct evidence_table *t, struct evidence *e, const struct attempt *a)
{
	e->has_class = a->has_class;
	e->class = a->class;
	e->rules = hash_bytes(t->key, a->rules);
	e->masked = a->masked;
	e->rule_set = a->rule_set;
	e->close_delimited = a->close_delimited;
	e->sent = a->wall.sent;
}

bool evidence_claims_same(
	const struct evidence_table *t, const struct evidence *e, const struct attempt *a)
{
	return a->has_class == e->has_class && (!a->has_class || digest_eq(&a->class, &e->class)) &&
	       a->masked == e->masked && a->rule_set == e->rule_set &&
	       a->close_delimited == e->close_delimited && hash_bytes(t->key, a->rules) == e->rules;
}

/* ---- the stream ---- */

void evidence_reader_init(
	struct evidence_reader *r, struct evidence_table *table, evidence_sink *sink, void *context)
{
	*r = (struct evidence_reader){.table = table, .sink = sink, .context = context};
	buf_init(&r->block, COMPACT_BLOCK_MAX);
	arena_init(&r->texts, SCRATCH_MAX);
	response_reader_init(&r->responses);
}

void evidence_reader_release(struct evidence_reader *r)
{
	response_reader_release(&r->responses);
	buf_release(&r->block);
	arena_release(&r->texts);
}

static struct evidence_item item_of(const struct evidence_reader *r, const struct warc_record *rec)
{
	return (struct evidence_item){.record = rec,
		.offset = r->is_compact ? r->batch : rec->spot.offset,
		.block = buf_slice(&r->block)};
}

static int give(struct evidence_reader *r, enum evidence_kind kind, struct evidence_item *item)
{
	item->kind = kind;
	return r->sink(r->context, item);
}

/* ---- responses ---- */

static bool is_part(const struct warc_record *rec)
{
	return warc_header_get(&rec->header, SLICE("WARC-Truncated")).ptr ||
	       warc_header_get(&rec->header, SLICE("WARC-Segment-Number")).ptr;
}

/* Producers spell one digest in several ways; what is compared is its bytes. */
static bool stated_payload(const struct warc_record *rec, struct digest *ret)
{
	slice stated = warc_header_get(&rec->header, SLICE("WARC-Payload-Digest"));

	*ret = (struct digest){0};
	return stated.ptr && digest_parse(stated, ret) == 0;
}

static slice digest_key(const struct digest *d)
{
	return (slice){(const char *)d, sizeof *d};
}

/*
 * The record with the body of a revisit record: the one that it names. Other tools name none, or
 * one of another file: there a response with the digest that both state will do.
 */
static enum evidence_fault find_original(
	const struct evidence_reader *r, const struct warc_record *rec, struct evidence *of)
{
	const struct evidence_table *t = r->table;
	struct digest payload;
	struct evidence named;
	bool is_stated = stated_payload(rec, &payload);
	bool is_found = evidence_find(t, evidence_field(rec, SLICE("WARC-Refers-To")), &named) !=
				EVIDENCE_NONE &&
			named.shown.has_state && !(r->is_foreign && named.is_revisit);
	uint32_t number;

	if (r->is_foreign && slice_ends_with(evidence_field(rec, SLICE("WARC-Profile")),
				     SLICE("/server-not-modified")))
		return EVIDENCE_NOT_MODIFIED;
	if (is_found)
		*of = named;
	if (is_found && is_stated && digest_eq(&payload, &named.shown.payload))
		return EVIDENCE_FINE;
	if (r->is_foreign && is_stated && seen_find(&t->payloads, digest_key(&payload), &number) &&
		evidence_get(t, number, of)) {
		if (is_found && digest_eq(&named.shown.payload, &of->shown.payload))
			*of = named;
		return EVIDENCE_FINE;
	}
	return is_found ? EVIDENCE_OTHER_PAYLOAD : EVIDENCE_LOST;
}

/* The head of a revisit record whose body is nowhere: other tools' are looks all the same. */
static int finish_head(struct evidence_reader *r, struct evidence_item *item)
{
	struct shown *s = &item->evidence->shown;
	int rc = r->is_foreign ? shown_finish(&r->responses, r->table->words, s) : 0;

	s->has_signs = false; /* of a body that is not here */
	s->missing = s->stand_in;
	if (item->fault == EVIDENCE_NOT_MODIFIED)
		s->status = 304;
	return rc;
}

static int finish_revisit(struct evidence_reader *r, struct evidence_item *item)
{
	struct evidence *e = item->evidence;
	int rc;

	if (item->fault != EVIDENCE_FINE)
		return finish_head(r, item);
	e->coding = item->original->coding;
	rc = shown_combine(&r->responses, r->table->words, &item->original->shown,
		item->original->sound, &e->shown);
	if (rc != ERR_STATE)
		return rc;
	item->fault = EVIDENCE_OTHER_CODING;
	return 0;
}

static int finish_response(struct evidence_reader *r, struct evidence_item *item)
{
	struct evidence *e = item->evidence;

	TRY(shown_finish(&r->responses, r->table->words, &e->shown));
	e->coding = manner_coding(words_text(r->table->words, e->shown.coding),
		response_reader_manner(&r->responses));
	return 0;
}

/* What the record shows. */
static int finish(struct evidence_reader *r, struct evidence_item *item)
{
	struct evidence *e = item->evidence;
	slice ip = evidence_field(item->record, SLICE("WARC-IP-Address"));
	int rc;

	e->ip = words_put(r->table->words, ip);
	e->shown.stand_in = e->shown.missing = e->shown.coding =
		words_put(r->table->words, SLICE(""));
	rc = e->is_revisit ? finish_revisit(r, item) : finish_response(r, item);
	if (rc == 0 && e->shown.has_state)
		rc = shown_stand_in(&r->responses, r->table->words, r->responses.url, &e->shown);
	if (is_part(item->record))
		e->shown.whole = false;
	if (rc == ERR_SYNTAX)
		item->fault = EVIDENCE_NO_HTTP;
	return rc == ERR_SYNTAX ? 0 : err_code(r->err, rc);
}

static void keep(struct evidence_reader *r, slice id, const struct evidence *e,
	const struct warc_record *rec)
{
	struct evidence_table *t = r->table;
	uint32_t number = evidence_count(t);
	struct err err = {0};
	struct digest payload;
	int rc = seen_add(&t->ids, id, number);

	fail(t, rc, &err);
	if (rc == 0)
		evidence_put(t, number, e);
	if (rc == 0 && r->is_foreign && !e->is_revisit && e->sound && e->shown.has_state &&
		stated_payload(rec, &payload)) {
		rc = seen_add(&t->payloads, digest_key(&payload), number);
		fail(t, rc == ERR_EXISTS ? 0 : rc, &err);
	}
}

static int read_in_header(struct evidence_reader *r, const struct warc_record *rec)
{
	struct evidence_item item = item_of(r, rec);
	struct attempt a;

	arena_reset(&r->texts);
	item.attempt = &a;
	item.code = attempt_parse_header(&rec->header, &r->texts, &a, &item.form, NULL);
	return give(r, item.code ? EVIDENCE_BAD_ATTEMPT : EVIDENCE_ATTEMPT, &item);
}

static int take_response(struct evidence_reader *r, const struct warc_record *rec)
{
	struct evidence_item item = item_of(r, rec);
	slice id = evidence_field(rec, SLICE("WARC-Record-ID"));
	struct evidence known, of,
		e = {
			.offset = item.offset,
			.file = r->file,
			.is_compact = r->is_compact,
			.url = hash_bytes(r->table->key, rec->header.url),
			.date = rec->header.date,
			.sound = rec->problem.code == 0,
			.is_revisit = rec->header.type == WARC_TYPE_REVISIT,
		};
	int rc;

	item.evidence = &e;
	if (e.is_revisit) {
		item.fault = find_original(r, rec, &of);
		if (item.fault == EVIDENCE_FINE || item.fault == EVIDENCE_OTHER_PAYLOAD)
			item.original = &of;
	}
	if (evidence_find(r->table, id, &known) != EVIDENCE_NONE)
		item.known = &known;
	rc = finish(r, &item);
	if (rc == 0)
		rc = give(r, EVIDENCE_RESPONSE, &item);
	if (rc == 0 && id.len && !item.known)
		keep(r, id, &e, rec);
	return rc || rec->problem.code || !attempt_is_in_header(&rec->header)
		       ? rc
		       : read_in_header(r, rec);
}

/* ---- metadata ---- */

static int take_note(struct evidence_reader *r, const struct warc_record *rec)
{
	const struct warc_header *h = &rec->header;
	struct evidence_item item = item_of(r, rec);
	struct moment m;
	int rc = h->url.ptr ? moment_parse(item.block, h->date, &r->texts, &m) : ERR_NOTFOUND;

	item.moment = rc ? NULL : &m;
	if (rc != ERR_NOTFOUND)
		return give(r, rc ? EVIDENCE_BAD_MOMENT : EVIDENCE_MOMENT, &item);
	return give(r,
		slice_starts_with(item.block, SLICE("learnedRules: ")) ? EVIDENCE_LEARNED
								       : EVIDENCE_OTHER,
		&item);
}

static int take_row(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	struct evidence_reader *r = context;
	struct evidence_item item = {.record = r->looks_record,
		.offset = r->batch,
		.look = look,
		.size = size,
		.code = code};

	(void)err;
	return give(r, look ? EVIDENCE_LOOK : EVIDENCE_BAD_LOOK, &item);
}

/* The looks of a block, which stays as it is: records that looks stand for have blocks, too. */
static int take_looks(struct evidence_reader *r, const struct warc_record *rec)
{
	struct evidence_item item = item_of(r, rec);
	struct buf own = r->block;
	int rc;

	r->batch = item.offset;
	r->looks_record = rec;
	rc = give(r, EVIDENCE_LOOKS, &item);
	buf_init(&r->block, COMPACT_BLOCK_MAX);
	if (rc == 0)
		rc = compact_each_row(item.block, take_row, r, r->err);
	buf_release(&r->block);
	r->block = own;
	return rc;
}

static int take_metadata(struct evidence_reader *r, const struct warc_record *rec)
{
	struct evidence_item item = item_of(r, rec);
	struct attempt a;

	if (request_form_is(&rec->header))
		return give(r, EVIDENCE_FORM, &item);
	/* One of looks within another is none of ours. */
	if (compact_is_type(rec->header.content_type))
		return r->is_compact || rec->problem.code ? 0 : take_looks(r, rec);
	if (rec->problem.code || r->block.len == 0)
		return 0;
	if (slice_eq(rec->header.url, SLICE(CATALOG_TABLE_TARGET)))
		return give(r, EVIDENCE_TABLE, &item);
	arena_reset(&r->texts);
	item.code = attempt_parse(item.block, rec->header.url, &r->texts, &a, NULL);
	item.attempt = &a;
	if (item.code == ERR_NOTFOUND)
		return take_note(r, rec);
	return give(r, item.code ? EVIDENCE_BAD_ATTEMPT : EVIDENCE_ATTEMPT, &item);
}

/* ---- records ---- */

static bool is_response(const struct warc_record *rec)
{
	return rec->header.type == WARC_TYPE_RESPONSE || rec->header.type == WARC_TYPE_REVISIT;
}

static int take_record(struct evidence_reader *r, const struct warc_record *rec)
{
	struct evidence_item item = item_of(r, rec);

	switch (rec->header.type) {
	case WARC_TYPE_RESPONSE:
	case WARC_TYPE_REVISIT:
		return take_response(r, rec);
	case WARC_TYPE_REQUEST:
		return give(r, EVIDENCE_REQUEST, &item);
	case WARC_TYPE_WARCINFO:
		return give(r, EVIDENCE_INFO, &item);
	case WARC_TYPE_METADATA:
		return take_metadata(r, rec);
	default:
		return 0;
	}
}

static int read_record(struct evidence_reader *r, const struct warc_record *rec)
{
	enum warc_type type = rec->header.type;
	struct evidence_item item = item_of(r, rec);
	int rc;

	r->skip = false;
	r->responses.url = rec->header.url;
	rc = give(r, EVIDENCE_BEGIN, &item);
	if (rc == 0 && !rec->is_gap) {
		if (!r->skip && is_response(rec))
			rc = response_reader_read(&r->responses, r->warc, r->err);
		else if (!r->skip && (type == WARC_TYPE_REQUEST || type == WARC_TYPE_METADATA ||
					     type == WARC_TYPE_WARCINFO))
			rc = record_small(r->warc, &r->block, r->err);
		if (rc == 0)
			rc = warc_reader_end(r->warc, r->err);
	}
	if (rc == 0)
		rc = give(r, EVIDENCE_END, &item);
	return rc || rec->is_gap || r->skip ? rc : take_record(r, rec);
}

static int read_source(struct evidence_reader *r, const struct warc_source *source)
{
	uint64_t before = r->progress ? r->progress->done : 0;
	struct warc_reader *outer = r->warc;
	const struct warc_record *rec;
	int rc;

	r->warc = NULL;
	rc = warc_reader_open_source(source, 0, &r->warc, r->err);
	while (rc == 0 && (rc = warc_reader_next(r->warc, &rec, r->err)) == 0) {
		rc = read_record(r, rec);
		if (rc == 0 && r->table->err.code)
			rc = err_set(r->err, r->table->err.code, "%s", r->table->err.text);
		if (r->progress && !r->is_compact)
			progress_update(r->progress, before + rec->spot.offset, NULL);
	}
	warc_reader_close(r->warc);
	r->warc = outer;
	return rc == ERR_END ? 0 : rc;
}

static void begin(struct evidence_reader *r, slice name, struct err *err)
{
	r->err = err;
	r->name = name;
	r->file = words_put(r->table->words, name);
}

int evidence_read(
	struct evidence_reader *r, const struct warc_source *source, slice name, struct err *err)
{
	begin(r, name, err);
	return read_source(r, source);
}

int evidence_read_looks(
	struct evidence_reader *r, slice name, slice rows, uint64_t offset, struct err *err)
{
	struct evidence_item item = {.offset = offset};

	begin(r, name, err);
	r->batch = offset;
	r->looks_record = NULL;
	TRY(give(r, EVIDENCE_LOOKS, &item));
	return compact_each_waiting(rows, take_row, r, err);
}

/* Where a patch's record was found counts, not where it was when the patch was made. */
static int make_records(
	const struct evidence_reader *r, const struct compact_look *look, struct buf *records)
{
	struct compact_look placed = *look;
	struct err ignored = {0};
	struct evidence of;

	if (look->is_patch && !r->is_foreign) {
		if (evidence_find(r->table, look->attempt.original.record, &of) == EVIDENCE_NONE ||
			of.is_compact || of.is_revisit || !of.sound)
			return ERR_NOTFOUND;
		placed.file = words_text(r->table->words, of.file);
		placed.offset = of.offset;
	}
	return compact_records(r->dir ? r->dir : "", &placed, records, &ignored);
}

int evidence_expand(struct evidence_reader *r, const struct compact_look *look, int *ret_why)
{
	BUF_SCOPED(records, COMPACT_EXPANDED_MAX);
	int rc;

	*ret_why = make_records(r, look, &records);
	if (*ret_why)
		return 0;
	r->records = buf_slice(&records);
	r->is_compact = true;
	rc = read_source(r, &(struct warc_source){.fd = -1, .memory = r->records});
	r->is_compact = false;
	r->records = (slice){0};
	return rc;
}
