/*
 * What foreign WARC files say, and how much of it is believed:
 *
 *	response	a look at its page, if the block is an HTTP response and the request was a
 *			GET; its state is computed, never taken over
 *	revisit		the same; the body is that of the record it refers to, by its id or by the
 *			payload digest, which has to agree
 *	both		what stands in the page's place (a challenge, a login …) is judged as a
 *			crawl judges it
 *	request		tells the method
 *	looks		compact looks of ours (archive/compact.h), as the records that they stand
 *for metadata	fetchTimeMs (Heritrix) says how long the download took; the fields of a Stillpoint
 *attempt say it exactly
 *
 * Without exact times a look lies between WARC-Date − slack and WARC-Date + 1 s + fetchTimeMs, or
 * + slack where that is not known: producers write the time at which a download began, or the
 * one at which it ended, in whole seconds.
 */
#include "judge/read.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "archive/attempt.h"
#include "archive/compact_body.h"
#include "archive/warc_reader.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/word.h"
#include "extract/resolve.h"
#include "http/served.h"
#include "proof/proof.h"
#include "quality/look.h"
#include "quality/response_reader.h"
#include "url/url.h"

enum {
	METADATA_MAX = 1 << 20,
	SCRATCH_MAX = 8 << 20,
	METHOD_MAX = 16,
	ID_MAX = 4096,
	NAME_MAX_SHOWN = 4096,
};

#define MILLISECOND INT64_C(1000000)
#define DATE_MAX    (INT64_MAX / 2) /* in 2116 */

struct reader {
	struct judge_reading *in;
	struct judge_looks *looks;
	struct warc_reader *warc;
	struct response_reader responses;
	struct links links;
	struct resolver resolver;
	struct url url;
	struct buf block;
	struct arena scratch;
	struct buf request; /* id of the request that was read last */
	bool request_is_get;
	uint32_t file;
	const char *dir; /* of the file; NULL when it is in a package */
	bool is_compact; /* the records are those of a compact look, of a batch … */
	uint64_t batch;  /* … at this offset */
	struct err *err;
};

static slice field(const struct warc_record *rec, slice name)
{
	return fields_trim(warc_header_get(&rec->header, name));
}

static slice id_of(const struct warc_record *rec)
{
	return field(rec, SLICE("WARC-Record-ID"));
}

static void note_damage(struct reader *r, const struct warc_record *rec, const char *what)
{
	struct judge_counts *c = r->in->counts;

	if (c->damaged++ > 0)
		return;
	(void)snprintf(c->example, sizeof c->example, "%.*s at %" PRIu64 ": %s",
		slice_shown(words_text(&r->looks->words, r->file), 200),
		words_text(&r->looks->words, r->file).ptr, rec->spot.offset, what);
}

/* ---- responses ---- */

static int feed_block(struct reader *r)
{
	slice bytes;
	int rc;

	while ((rc = warc_reader_block(r->warc, &bytes, r->err)) == 0) {
		rc = response_reader_feed(&r->responses, bytes);
		if (rc)
			return err_code(r->err, rc);
	}
	return rc == ERR_END ? 0 : rc;
}

/* "h2", "h2c", "h3": the protocol shows where bodies end. It may be given several times. */
static bool is_framed(const struct warc_record *rec)
{
	const struct fields *f = &rec->header.fields;

	for (size_t i = 0; i < f->items.len; i++) {
		slice value = fields_trim(f->items.ptr[i].value);

		if (word_is(f->items.ptr[i].name, SLICE("WARC-Protocol")) &&
			(slice_starts_with(value, SLICE("h2")) ||
				slice_starts_with(value, SLICE("h3"))))
			return true;
	}
	return false;
}

/* A look with what the record's header says. */
static int start_look(struct reader *r, const struct warc_record *rec, struct judge_look *look)
{
	int64_t date = rec->header.date, slack = r->in->slack;
	int rc;

	*look = (struct judge_look){
		.date = date,
		.begin = date - slack,
		.end = date + CLOCK_NS_PER_SECOND + slack,
		.offset = r->is_compact ? r->batch : rec->spot.offset,
		.file = r->file,
		.side = (uint8_t)r->in->side,
		.is_revisit = rec->header.type == WARC_TYPE_REVISIT,
		.sound = rec->problem.code == 0,
	};
	rc = words_number(&r->looks->words, SLICE(""), &look->rules);
	look->stand_in = look->missing = look->rules;
	return rc ? rc : words_number(&r->looks->pages, url_page(&r->url), &look->page);
}

static bool is_part(const struct warc_record *rec)
{
	return warc_header_get(&rec->header, SLICE("WARC-Truncated")).ptr ||
	       warc_header_get(&rec->header, SLICE("WARC-Segment-Number")).ptr;
}

/* What the server says of the age of what it sent. */
static int fill_served(struct reader *r, struct judge_look *look)
{
	struct served served;
	int rc;

	served_read(message_fields(r->responses.message), look->date, &served);
	look->modified = served.modified;
	look->has_age = served.has_age;
	look->age = served.age;
	rc = words_number(&r->looks->words, served.etag.ptr ? served.etag : SLICE(""), &look->etag);
	return rc ? rc : words_number(&r->looks->words, slice_str(served.caches), &look->caches);
}

/* Of what two heads must have in common; 0 where a body may be read in several ways. */
static uint64_t hash_head(const struct fields *head)
{
	static const struct hash_key KEY = {0x5354494c4c504f49, 0x4e542d4845414453};
	uint64_t parts[2] = {0};
	unsigned types = 0;

	for (size_t i = 0; i < head->items.len; i++) {
		bool is_type = word_is(head->items.ptr[i].name, SLICE("Content-Type"));

		types += is_type;
		if (!is_type && !word_is(head->items.ptr[i].name, SLICE("Location")))
			continue;
		parts[1] = hash_bytes(KEY, fields_trim(head->items.ptr[i].value)) + is_type;
		parts[0] = hash_bytes(KEY, (slice){(const char *)parts, sizeof parts});
	}
	return types == 1 ? parts[0] | 1 : 0;
}

static int fill(struct reader *r, const struct state_result *s, struct judge_look *look)
{
	slice type = fields_get(message_fields(r->responses.message), SLICE("Content-Type"));
	int rc = words_number(
		&r->looks->words, s->coding.ptr ? s->coding : SLICE(""), &look->coding);

	look->status = (uint16_t)s->status;
	look->state = s->state;
	look->payload = s->payload;
	look->body = s->body;
	look->whole = s->whole;
	look->decoded = s->decoded;
	look->close_delimited = s->close_delimited;
	look->coding_end = (uint8_t)s->coding_end;
	look->resolved = true;
	look->head = hash_head(message_fields(r->responses.message));
	if (rc == 0)
		rc = words_number(&r->looks->words, type.ptr ? fields_media_type(type) : SLICE(""),
			&look->media_type);
	if (rc == 0)
		rc = words_number(&r->looks->words, type.ptr ? fields_trim(type) : SLICE(""),
			&look->content_type);
	return rc ? rc : fill_served(r, look);
}

/* ERR_SYNTAX when the block is no HTTP response. */
static int finish_response(struct reader *r, struct judge_look *look)
{
	struct state_result s;
	slice missing;
	int rc = response_reader_finish(&r->responses, &s);

	if (rc == 0)
		rc = fill(r, &s, look);
	look->has_signs = response_reader_signs(&r->responses, &look->signs);
	missing = response_reader_missing(&r->responses);
	return rc ? rc
		  : words_number(
			    &r->looks->words, missing.len ? missing : SLICE(""), &look->missing);
}

/* The record that has its body: by id, else by digest. It must state the same digest. */
static const struct judge_look *find_original(const struct reader *r, const struct warc_record *rec)
{
	slice stated = field(rec, SLICE("WARC-Payload-Digest"));
	const struct judge_look *by_id =
		judge_looks_find(r->looks, field(rec, SLICE("WARC-Refers-To")));
	const struct judge_look *by_digest = judge_looks_by_payload(r->looks, stated);
	struct digest d;

	if (by_digest)
		return by_id && digest_eq(&by_id->payload, &by_digest->payload) ? by_id : by_digest;
	if (by_id && !by_id->is_revisit && stated.ptr && digest_parse(stated, &d) == 0 &&
		digest_eq(&d, &by_id->payload))
		return by_id;
	return NULL;
}

static bool is_not_modified(const struct warc_record *rec)
{
	slice profile = field(rec, SLICE("WARC-Profile"));

	return slice_ends_with(profile, SLICE("/server-not-modified"));
}

static int combine(struct reader *r, const struct judge_look *of, struct judge_look *look)
{
	struct state_result s = {
		.whole = of->whole && of->sound,
		.decoded = of->decoded,
		.close_delimited = of->close_delimited,
		.coding_end = (enum coding_end)of->coding_end,
		.payload = of->payload,
		.body = of->body,
		.coding = words_text(&r->looks->words, of->coding),
	};
	int rc = response_reader_combine(&r->responses, &s, &s);

	look->has_signs = of->has_signs;
	look->signs = of->signs;
	if (rc == ERR_STATE) /* another content coding: the same bytes mean another body */
		return 0;
	if (rc)
		return rc;
	look->missing = of->missing;
	look->original = (uint32_t)(of - r->looks->list.ptr);
	look->names_requisites = of->names_requisites;
	return fill(r, &s, look);
}

static int finish_revisit(struct reader *r, const struct warc_record *rec, struct judge_look *look)
{
	const struct judge_look *of = is_not_modified(rec) ? NULL : find_original(r, rec);
	struct state_result s;
	int rc;

	if (of && of->resolved && !of->is_revisit)
		return combine(r, of, look);
	rc = response_reader_finish(&r->responses, &s);
	if (rc == 0)
		rc = fill(r, &s, look);
	if (is_not_modified(rec))
		look->status = 304;
	look->resolved = is_not_modified(rec);
	return rc;
}

static int keep_edges(struct reader *r, uint32_t look)
{
	struct resolved_link link;
	int rc = resolver_start(&r->resolver, &r->links, &r->url);

	while (rc == 0 && (rc = resolver_next(&r->resolver, &link)) == 0) {
		struct judge_edge edge = {.look = look};

		if (!link_kind_is_requisite(link.kind))
			continue;
		rc = words_number(&r->looks->pages, link.url, &edge.requisite);
		if (rc == 0)
			rc = judge_edge_vec_push(&r->looks->edges, edge);
		r->looks->list.ptr[look].names_requisites = true;
	}
	return rc == ERR_END ? 0 : rc;
}

/* By its head, and by the signs of its body, which may be in another record. */
static int judge_stand_in(struct reader *r, struct judge_look *look)
{
	struct stand_in_facts facts = {
		.status = look->status,
		.head = response_reader_head(&r->responses),
		.url = url_page(&r->url),
		.body = look->has_signs ? &look->signs : NULL,
		.missing = words_text(&r->looks->words, look->missing),
	};
	char text[STAND_IN_SIZE];
	int rc = stand_in_judge(&facts, text);

	return rc || !text[0] ? rc
			      : words_number(&r->looks->words, slice_str(text), &look->stand_in);
}

/* What a record shows that has been read to its end. ERR_SYNTAX when it is no HTTP response. */
static int finish_record(struct reader *r, const struct warc_record *rec, struct judge_look *look)
{
	int rc = look->is_revisit ? finish_revisit(r, rec, look) : finish_response(r, look);

	look->whole = look->whole && !is_part(rec);
	return rc ? rc : judge_stand_in(r, look);
}

/* The response names its request, or the request its response. */
static bool is_answer_to_other(const struct reader *r, const struct warc_record *rec)
{
	slice named = field(rec, SLICE("WARC-Concurrent-To"));

	return named.len > 0 && slice_eq(named, buf_slice(&r->request)) && !r->request_is_get;
}

static int keep_look(struct reader *r, const struct warc_record *rec, struct judge_look *look)
{
	uint32_t number = (uint32_t)r->looks->list.len;
	int rc;

	look->dropped = is_answer_to_other(r, rec);
	r->in->counts->not_get += look->dropped;
	rc = judge_looks_add(r->looks, id_of(rec), look);
	if (rc == ERR_EXISTS) {
		r->in->counts->repeated++;
		return 0;
	}
	if (rc == 0 && !look->is_revisit && look->sound)
		rc = judge_looks_note_payload(
			r->looks, field(rec, SLICE("WARC-Payload-Digest")), number);
	if (rc == 0 && !look->is_revisit && !look->dropped)
		rc = keep_edges(r, number);
	return rc;
}

static int finish_look(struct reader *r, const struct warc_record *rec)
{
	struct judge_look look;
	int rc = start_look(r, rec, &look);

	if (rc == 0)
		rc = finish_record(r, rec, &look);
	if (rc == ERR_SYNTAX) {
		r->in->counts->not_http++;
		return 0;
	}
	return rc ? rc : keep_look(r, rec, &look);
}

/* The second pass: what a revisit record refers to may have come later. */
static int resolve(struct reader *r, const struct warc_record *rec)
{
	struct judge_look *known = judge_looks_find(r->looks, id_of(rec)), look;
	int rc;

	if (!known || known->resolved || !known->is_revisit)
		return 0;
	look = *known;
	rc = finish_record(r, rec, &look);
	known = judge_looks_find(r->looks, id_of(rec));
	if (rc == 0 && known)
		*known = look;
	r->in->counts->unresolved += rc == 0 && !look.resolved;
	return rc == ERR_SYNTAX ? 0 : rc;
}

/* Whether it is about a page: an HTTP URL, with a date that leaves room for a slack. */
static bool is_about_page(struct reader *r, const struct warc_record *rec)
{
	return rec->header.has_date && rec->header.date > 0 && rec->header.date < DATE_MAX &&
	       rec->header.url.ptr && url_parse(&r->url, rec->header.url, NULL, NULL) == 0 &&
	       url_is_http(&r->url);
}

/* The third pass: keeps the body of a response that is to be compared. */
static int gather(struct reader *r, const struct warc_record *rec)
{
	struct judge_look *known = judge_looks_find(r->looks, id_of(rec));
	struct attempt nothing = {0};
	struct look look = {0};
	size_t end, seen = 0;
	struct buf block;
	slice bytes;
	int rc = 0;

	if (!known || !known->wants_body || known->has_body)
		return warc_reader_end(r->warc, r->err);
	buf_init(&block, PROOF_BODY_MAX + FIELDS_HEAD_MAX);
	while (rc == 0 && (rc = warc_reader_block(r->warc, &bytes, r->err)) == 0)
		rc = buf_add(&block, bytes);
	end = rc == ERR_END ? fields_find_end(buf_slice(&block), &seen) : 0;
	if (rc == ERR_LIMIT || (rc == ERR_END && end == 0)) {
		buf_release(&block); /* too long for the rules */
		return warc_reader_end(r->warc, r->err);
	}
	if (rc == ERR_END)
		rc = look_take(&look,
			&(struct look_message){.head = slice_sub(buf_slice(&block), 0, end),
				.body = slice_sub(buf_slice(&block), end, block.len),
				.spool = -1},
			&nothing, r->err);
	if (rc == 0 && look.readable && look.body.len <= PROOF_BODY_MAX) {
		known->body_at = r->in->bodies->size;
		known->body_size = look.body.len;
		known->has_body = true;
		rc = spill_write(
			r->in->bodies, known->body_at, look.body.ptr, look.body.len, r->err);
	}
	look_release(&look);
	buf_release(&block);
	return rc ? rc : warc_reader_end(r->warc, r->err);
}

static int read_response(struct reader *r, const struct warc_record *rec)
{
	int rc;

	if (!is_about_page(r, rec)) {
		r->in->counts->not_http++;
		return warc_reader_end(r->warc, r->err);
	}
	r->responses.framed = is_framed(rec);
	r->responses.url = url_page(&r->url);
	links_reset(&r->links);
	response_reader_start(&r->responses);
	rc = feed_block(r);
	if (rc == 0)
		rc = warc_reader_end(r->warc, r->err);
	if (rc == 0)
		rc = err_code(r->err, r->in->resolving ? resolve(r, rec) : finish_look(r, rec));
	return rc;
}

/* ---- what belongs to a response ---- */

/* The block, or nothing if it is longer than any that is of use. */
static int read_block(struct reader *r, size_t enough)
{
	slice bytes;
	int rc;

	buf_reset(&r->block);
	while ((rc = warc_reader_block(r->warc, &bytes, r->err)) == 0) {
		rc = buf_add(&r->block, bytes);
		if (rc == ERR_LIMIT || r->block.len >= enough)
			break;
		if (rc)
			return err_code(r->err, rc);
	}
	if (rc == ERR_LIMIT)
		buf_reset(&r->block);
	return rc == 0 || rc == ERR_END || rc == ERR_LIMIT ? warc_reader_end(r->warc, r->err) : rc;
}

static int read_request(struct reader *r, const struct warc_record *rec)
{
	slice id = id_of(rec), answer = field(rec, SLICE("WARC-Concurrent-To"));
	struct judge_look *look;
	int rc = read_block(r, METHOD_MAX);

	if (rc)
		return rc;
	r->request_is_get = slice_starts_with(buf_slice(&r->block), SLICE("GET "));
	buf_reset(&r->request);
	if (id.len <= ID_MAX)
		rc = buf_add(&r->request, id);
	look = judge_looks_find(r->looks, answer);
	if (look && !r->request_is_get && !look->dropped) {
		look->dropped = true;
		r->in->counts->not_get++;
	}
	return err_code(r->err, rc);
}

/*
 * A look of ours has its times to the nanosecond; one for variants is no look at the page. Its
 * crawl may have known more of what stands in the page's place: by rules of the user.
 */
static int take_attempt(struct reader *r, struct judge_look *look, const struct attempt *a)
{
	int rc = 0;

	if (a->stand_in.ptr && words_text(&r->looks->words, look->stand_in).len == 0)
		rc = words_number(&r->looks->words, a->stand_in, &look->stand_in);
	look->dropped = look->dropped || slice_eq(a->purpose, SLICE("variant")) ||
			slice_eq(a->purpose, SLICE("language"));
	if (rc || !a->wall.sent || a->wall.last_byte < a->wall.sent)
		return rc;
	look->exact = true;
	look->begin = a->wall.sent;
	look->end = a->wall.last_byte;
	look->clock_begin = a->clock.sent;
	look->clock_end = a->clock.last_byte;
	look->whole = look->whole && !a->truncated;
	return 0;
}

static void take_fetch_time(struct judge_look *look, slice value)
{
	uint64_t ms;

	if (value.ptr && parse_u64(value, &ms) == 0 && ms < INT64_MAX / MILLISECOND / 2)
		look->end = look->date + CLOCK_NS_PER_SECOND + (int64_t)ms * MILLISECOND;
}

static int read_metadata(struct reader *r, const struct warc_record *rec)
{
	slice of = field(rec, SLICE("WARC-Concurrent-To"));
	struct fields fields = {0};
	struct judge_look *look;
	struct attempt a;
	int rc = read_block(r, METADATA_MAX);

	look = judge_looks_find(r->looks, of.len ? of : field(rec, SLICE("WARC-Refers-To")));
	if (rc || !look || look->exact || r->block.len == 0 || rec->problem.code)
		return rc;
	arena_reset(&r->scratch);
	rc = attempt_parse(buf_slice(&r->block), rec->header.url, &r->scratch, &a, NULL);
	if (rc == 0) {
		rc = take_attempt(r, look, &a);
	} else if (rc != ERR_NOMEM) {
		rc = fields_parse(&fields, r->block.ptr, r->block.len);
		if (rc == 0)
			take_fetch_time(
				look, fields_trim(fields_get(&fields, SLICE("fetchTimeMs"))));
		rc = rc == ERR_LIMIT ? 0 : rc;
	}
	fields_release(&fields);
	return err_code(r->err, rc);
}

/* ---- compact looks ---- */

static int read_record(struct reader *r, const struct warc_record *rec);

static int read_look(void *context, slice records, struct err *err)
{
	struct reader *r = context;
	struct warc_source source = {.fd = -1, .memory = records};
	struct warc_reader *outer = r->warc;
	const struct warc_record *rec;
	int rc = warc_reader_open_source(&source, 0, &r->warc, err);

	if (rc == 0) {
		while (rc == 0 && (rc = warc_reader_next(r->warc, &rec, err)) == 0)
			rc = read_record(r, rec);
		warc_reader_close(r->warc);
	}
	r->warc = outer;
	return rc == ERR_END ? 0 : rc;
}

static int read_looks(struct reader *r, const struct warc_record *rec)
{
	uint64_t bad = 0;
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = compact_block(r->warc, &block, r->err);
	r->is_compact = true;
	r->batch = rec->spot.offset;
	if (rc == 0 && !rec->problem.code)
		rc = compact_each(
			r->dir ? r->dir : "", buf_slice(&block), read_look, r, &bad, r->err);
	r->is_compact = false;
	if (rc == 0 && bad > 0 && !r->in->resolving)
		note_damage(r, rec, "a compact look cannot be read");
	buf_release(&block);
	return rc;
}

/* ---- files ---- */

static int read_record(struct reader *r, const struct warc_record *rec)
{
	enum warc_type type = rec->header.type;

	if (rec->is_gap)
		return 0;
	if (type == WARC_TYPE_METADATA && compact_is_type(rec->header.content_type) &&
		!r->is_compact)
		return read_looks(r, rec);
	if (r->in->bodies)
		return type == WARC_TYPE_RESPONSE ? gather(r, rec)
						  : warc_reader_end(r->warc, r->err);
	if (type == WARC_TYPE_REVISIT || (type == WARC_TYPE_RESPONSE && !r->in->resolving))
		return read_response(r, rec);
	if (type == WARC_TYPE_REQUEST && !r->in->resolving)
		return read_request(r, rec);
	if (type == WARC_TYPE_METADATA && !r->in->resolving)
		return read_metadata(r, rec);
	return warc_reader_end(r->warc, r->err);
}

/* The first pass counts. */
static bool is_first(const struct reader *r)
{
	return !r->in->resolving && !r->in->bodies;
}

static int read_records(struct reader *r)
{
	uint64_t before = r->in->progress ? r->in->progress->done : 0;
	const struct warc_record *rec;
	int rc = 0;

	while (rc == 0 && (rc = warc_reader_next(r->warc, &rec, r->err)) == 0) {
		rc = read_record(r, rec);
		r->in->counts->records += !rec->is_gap && is_first(r);
		if (rc == 0 && rec->problem.code && is_first(r))
			note_damage(r, rec, rec->problem.text);
		if (r->in->progress)
			progress_update(r->in->progress, before + rec->spot.offset, NULL);
	}
	return rc == ERR_END ? 0 : rc;
}

static int name_file(struct reader *r, const struct warc_set_file *file)
{
	char name[2 * NAME_MAX_SHOWN];
	int n = snprintf(name, sizeof name, "%s%s%.*s", file->path, file->inner.ptr ? "/" : "",
		slice_shown(file->inner, NAME_MAX_SHOWN - 2),
		file->inner.ptr ? file->inner.ptr : "");

	return n < 0 ? ERR_LIMIT : words_number(&r->looks->words, slice_str(name), &r->file);
}

static int open_and_read(struct reader *r, const struct warc_set_file *file)
{
	int rc = response_reader_init(&r->responses);

	r->responses.links = &r->links;
	r->responses.book = r->in->book;
	if (rc == 0)
		rc = name_file(r, file);
	if (rc)
		return err_code(r->err, rc);
	rc = warc_reader_open_source(&file->source, 0, &r->warc, r->err);
	if (rc == 0)
		rc = read_records(r);
	if (rc)
		err_prefix(r->err, "%s", file->path);
	return rc;
}

int judge_read_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct judge_reading *in = context;
	struct reader r = {.in = in, .looks = in->looks, .err = err};
	struct buf dir;
	int rc;

	links_init(&r.links);
	resolver_init(&r.resolver, hash_key_random());
	url_init(&r.url);
	buf_init(&r.block, METADATA_MAX);
	buf_init(&r.request, ID_MAX);
	arena_init(&r.scratch, SCRATCH_MAX);
	buf_init(&dir, PATH_MAX);
	rc = err_code(err, compact_dir(file->path, &dir));
	if (!file->inner.ptr)
		r.dir = buf_str(&dir);
	if (rc == 0)
		rc = open_and_read(&r, file);
	buf_release(&dir);
	warc_reader_close(r.warc);
	response_reader_release(&r.responses);
	links_release(&r.links);
	resolver_release(&r.resolver);
	url_release(&r.url);
	buf_release(&r.block);
	buf_release(&r.request);
	arena_release(&r.scratch);
	return rc;
}
