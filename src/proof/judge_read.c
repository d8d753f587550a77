/*
 * What foreign WARC files say, and how much of it is believed. A sink of proof/evidence.h:
 *
 *	response	a look at its page, if the block is an HTTP response and the request was a
 *			GET; its state is computed, never taken over
 *	revisit		the same; the body is that of the record it refers to, by its id or by the
 *			payload digest, which has to agree
 *	both		what stands in the page's place (a challenge, a login …) is judged as a
 *			crawl judges it
 *	request		tells the method
 *	looks		compact looks of ours (warc/compact.h), as the records that they stand for
 *	metadata	fetchTimeMs (Heritrix) says how long the download took; the fields of a
 *			Stillpoint attempt say it exactly
 *
 * Without exact times a look lies between WARC-Date − slack and WARC-Date + 1 s + fetchTimeMs, or
 * + slack where that is not known: producers write the time at which a download began, or the
 * one at which it ended, in whole seconds.
 */
#include "proof/judge_read.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/resolve.h"
#include "formats/url.h"
#include "proof/look.h"
#include "proof/proof.h"
#include "warc/record_body.h"

enum {
	ID_MAX = 4096,
	NAME_MAX_SHOWN = 4096,
};

#define MILLISECOND INT64_C(1000000)
#define DATE_MAX    (INT64_MAX / 2) /* in 2116 */

struct reader {
	struct judge_reading *in;
	struct judge_looks *looks;
	struct evidence_reader reader;
	struct links links;
	struct resolver resolver;
	struct url url;     /* of the response */
	struct buf request; /* id of the request that was read last */
	bool request_is_get;
	bool has_bad; /* a look of this batch cannot be read */
};

static slice id_of(const struct warc_record *rec)
{
	return evidence_field(rec, SLICE("WARC-Record-ID"));
}

/* The first pass counts. */
static bool is_first(const struct reader *r)
{
	return !r->in->resolving && !r->in->bodies;
}

static void note_damage(struct reader *r, uint64_t offset, const char *what)
{
	struct judge_counts *c = r->in->counts;

	if (!is_first(r) || c->damaged++ > 0)
		return;
	(void)snprintf(c->example, sizeof c->example, "%.*s at %" PRIu64 ": %s",
		slice_shown(r->reader.name, 200), r->reader.name.ptr, offset, what);
}

/* ---- responses ---- */

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

/* What its head says. */
static void fill(struct reader *r, struct judge_look *look)
{
	const struct fields *head = response_reader_head(&r->reader.responses);
	slice type = fields_get(head, SLICE("Content-Type"));
	struct words *words = &r->looks->words;
	struct served served;

	look->head = hash_head(head);
	look->media_type = words_put(words, type.ptr ? fields_media_type(type) : SLICE(""));
	look->content_type = words_put(words, type.ptr ? fields_trim(type) : SLICE(""));
	served_read(head, look->date, &served);
	look->modified = served.modified;
	look->has_age = served.has_age;
	look->age = served.age;
	look->etag = words_put(words, served.etag.ptr ? served.etag : SLICE(""));
	look->caches = words_put(words, slice_str(served.caches));
}

/* What a response shows; its attempt may have said what stands in the page's place. */
static void take_shown(struct reader *r, const struct evidence_item *item, struct judge_look *look)
{
	const struct evidence *of = item->fault == EVIDENCE_FINE ? item->original : NULL;
	uint32_t before = look->shown.stand_in;

	look->shown = item->evidence->shown;
	if (words_text(&r->looks->words, look->shown.stand_in).len == 0)
		look->shown.stand_in = before;
	look->resolved = item->fault == EVIDENCE_NOT_MODIFIED ||
			 (look->is_revisit ? of && of->look : item->fault == EVIDENCE_FINE);
	if (of && of->look) {
		look->original = of->look - 1;
		look->names_requisites = r->looks->list.ptr[look->original].names_requisites;
	}
	fill(r, look);
}

static int keep_edges(struct reader *r, uint32_t look)
{
	struct resolved_link link;
	int rc = resolver_start(&r->resolver, &r->links, &r->url);

	while (rc == 0 && (rc = resolver_next(&r->resolver, &link)) == 0) {
		if (!link_kind_is_requisite(link.kind))
			continue;
		judge_edge_vec_push(&r->looks->edges,
			(struct judge_edge){look, words_put(&r->looks->pages, link.url)});
		r->looks->list.ptr[look].names_requisites = true;
	}
	return rc == ERR_END ? 0 : err_code(r->reader.err, rc);
}

static void drop(struct reader *r, struct judge_look *look)
{
	r->in->counts->not_get += !look->dropped;
	look->dropped = true;
}

static int keep_look(struct reader *r, const struct evidence_item *item)
{
	const struct warc_record *rec = item->record;
	uint32_t number = (uint32_t)r->looks->list.len,
		 empty = words_put(&r->looks->words, SLICE(""));
	slice named = evidence_field(rec, SLICE("WARC-Concurrent-To"));
	int64_t date = rec->header.date, slack = r->in->slack;
	struct judge_look look = {
		.id = {arena_strdup(&r->looks->arena, id_of(rec)), id_of(rec).len},
		.date = date,
		.begin = date - slack,
		.end = date + CLOCK_NS_PER_SECOND + slack,
		.offset = item->offset,
		.file = item->evidence->file,
		.side = (uint8_t)r->in->side,
		.is_revisit = item->evidence->is_revisit,
		.sound = item->evidence->sound,
		.rules = empty,
		.page = words_put(&r->looks->pages, url_page(&r->url)),
		.shown.stand_in = empty,
	};

	if (number == UINT32_MAX)
		return err_code(r->reader.err, ERR_LIMIT);
	take_shown(r, item, &look);
	/* The response names its request, or the request its response. */
	if (named.len > 0 && slice_eq(named, buf_slice(&r->request)) && !r->request_is_get)
		drop(r, &look);
	judge_look_vec_push(&r->looks->list, look);
	item->evidence->look = number + 1;
	return look.is_revisit || look.dropped ? 0 : keep_edges(r, number);
}

/* The second pass: what a revisit record refers to may have come later. */
static void resolve(struct reader *r, const struct evidence_item *item)
{
	struct judge_look *look = item->known && item->known->look
					  ? &r->looks->list.ptr[item->known->look - 1]
					  : NULL;

	if (!look || look->resolved || !look->is_revisit || item->fault == EVIDENCE_NO_HTTP)
		return;
	take_shown(r, item, look);
	r->in->counts->unresolved += !look->resolved;
}

static int take_response(struct reader *r, const struct evidence_item *item)
{
	if (r->in->resolving)
		resolve(r, item);
	else if (item->fault == EVIDENCE_NO_HTTP)
		r->in->counts->not_http++;
	else if (item->known)
		r->in->counts->repeated++;
	else
		return keep_look(r, item);
	return 0;
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
	struct warc_reader *warc = r->reader.warc;
	struct err *err = r->reader.err;
	struct attempt nothing = {0};
	struct look look = {0};
	size_t end, seen = 0;
	struct buf block;
	slice bytes;
	int rc = 0;

	if (!known || !known->wants_body || known->has_body)
		return 0;
	buf_init(&block, PROOF_BODY_MAX + FIELDS_HEAD_MAX);
	while (rc == 0 && (rc = warc_reader_block(warc, &bytes, err)) == 0)
		rc = buf_add(&block, bytes);
	end = rc == ERR_END ? fields_find_end(buf_slice(&block), &seen) : 0;
	if (rc == ERR_LIMIT || (rc == ERR_END && end == 0)) {
		buf_release(&block); /* too long for the rules */
		return 0;
	}
	if (rc == ERR_END)
		rc = look_take(&look,
			&(struct look_message){.head = slice_sub(buf_slice(&block), 0, end),
				.body = slice_sub(buf_slice(&block), end, block.len),
				.spool = -1},
			&nothing, err);
	if (rc == 0 && look.readable && look.body.len <= PROOF_BODY_MAX) {
		known->body_at = r->in->bodies->size;
		known->body_size = look.body.len;
		known->has_body = true;
		rc = spill_write(r->in->bodies, known->body_at, look.body.ptr, look.body.len, err);
	}
	look_release(&look);
	buf_release(&block);
	return rc;
}

/* ---- what belongs to a response ---- */

/*
 * A look of ours has its times to the nanosecond; most probes are no looks at the page. Its
 * crawl may have known more of what stands in the page's place: by rules of the user.
 */
static void take_attempt(struct reader *r, struct judge_look *look, const struct attempt *a)
{
	if (a->stand_in.ptr && words_text(&r->looks->words, look->shown.stand_in).len == 0)
		look->shown.stand_in = words_put(&r->looks->words, a->stand_in);
	look->dropped = look->dropped || (a->leg == ATTEMPT_PROBE && !attempt_is_look(a));
	if (!a->wall.sent || a->wall.last_byte < a->wall.sent)
		return;
	look->exact = true;
	look->begin = a->wall.sent;
	look->end = a->wall.last_byte;
	look->clock_begin = a->clock.sent;
	look->clock_end = a->clock.last_byte;
	look->shown.whole = look->shown.whole && !a->truncated;
}

static void take_request(struct reader *r, const struct evidence_item *item)
{
	slice id = id_of(item->record);
	struct judge_look *look = judge_looks_find(
		r->looks, evidence_field(item->record, SLICE("WARC-Concurrent-To")));

	r->request_is_get = slice_starts_with(item->block, SLICE("GET "));
	buf_reset(&r->request);
	(void)buf_add(&r->request, id.len <= ID_MAX ? id : (slice){0});
	if (look && !r->request_is_get)
		drop(r, look);
}

static void take_fetch_time(struct judge_look *look, slice value)
{
	uint64_t ms;

	if (value.ptr && parse_u64(value, &ms) == 0 && ms < INT64_MAX / MILLISECOND / 2)
		look->end = look->date + CLOCK_NS_PER_SECOND + (int64_t)ms * MILLISECOND;
}

/* An attempt of ours, or what another tool says of a download. */
static int take_metadata(struct reader *r, const struct evidence_item *item)
{
	bool is_own = item->record->header.type != WARC_TYPE_METADATA;
	slice of = evidence_field(item->record, SLICE("WARC-Concurrent-To"));
	struct judge_look *look = judge_looks_find(
		r->looks, is_own   ? id_of(item->record)
			  : of.len ? of
				   : evidence_field(item->record, SLICE("WARC-Refers-To")));
	struct fields fields = {0};
	int rc = 0;

	if (!look || look->exact || r->in->resolving)
		return 0;
	if (is_own && item->kind == EVIDENCE_ATTEMPT && item->attempt->post.ptr)
		drop(r, look);
	if (item->kind == EVIDENCE_ATTEMPT)
		take_attempt(r, look, item->attempt);
	else if (!is_own)
		rc = fields_parse(&fields, r->reader.block.ptr, r->reader.block.len);
	if (rc == 0)
		take_fetch_time(look, fields_trim(fields_get(&fields, SLICE("fetchTimeMs"))));
	fields_release(&fields);
	return rc == ERR_LIMIT ? 0 : err_code(r->reader.err, rc);
}

/* ---- records ---- */

static void tell_bad_look(struct reader *r, const struct evidence_item *item)
{
	if (!r->has_bad)
		note_damage(r, item->offset, "a compact look cannot be read");
	r->has_bad = true;
}

/* Compact looks are read in every pass, as the records that they stand for. */
static int begin_record(struct reader *r, const struct warc_record *rec)
{
	enum warc_type type = rec->header.type;
	bool is_response = type == WARC_TYPE_RESPONSE || type == WARC_TYPE_REVISIT;

	if (rec->is_gap ||
		(type == WARC_TYPE_METADATA && compact_is_type(rec->header.content_type)))
		return 0;
	if (r->in->bodies) {
		r->reader.skip = true;
		return type == WARC_TYPE_RESPONSE ? gather(r, rec) : 0;
	}
	r->reader.skip = r->in->resolving && type != WARC_TYPE_REVISIT;
	if (!is_response || r->reader.skip)
		return 0;
	r->reader.skip = !is_about_page(r, rec);
	r->in->counts->not_http += r->reader.skip && is_first(r);
	r->reader.responses.framed = is_framed(rec);
	r->reader.responses.url = url_page(&r->url);
	links_reset(&r->links);
	return 0;
}

static int take(void *context, const struct evidence_item *item)
{
	struct reader *r = context;
	int rc, why;

	switch (item->kind) {
	case EVIDENCE_BEGIN:
		return begin_record(r, item->record);
	case EVIDENCE_END:
		r->in->counts->records +=
			!item->record->is_gap && is_first(r) && !r->reader.is_compact;
		if (item->record->problem.code && !r->reader.is_compact)
			note_damage(r, item->offset, item->record->problem.text);
		return 0;
	case EVIDENCE_RESPONSE:
		return take_response(r, item);
	case EVIDENCE_REQUEST:
		take_request(r, item);
		return 0;
	case EVIDENCE_ATTEMPT:
	case EVIDENCE_BAD_ATTEMPT:
	case EVIDENCE_OTHER:
		return take_metadata(r, item);
	case EVIDENCE_LOOKS:
		r->has_bad = false;
		return 0;
	case EVIDENCE_LOOK:
		rc = evidence_expand(&r->reader, item->look, &why);
		if (why)
			tell_bad_look(r, item);
		return rc;
	case EVIDENCE_BAD_LOOK:
		tell_bad_look(r, item);
		return 0;
	default:
		return 0;
	}
}

/* ---- files ---- */

static int read_file(struct reader *r, const struct warc_set_file *file, struct err *err)
{
	char name[2 * NAME_MAX_SHOWN];
	int rc;

	(void)snprintf(name, sizeof name, "%s%s%.*s", file->path, file->inner.ptr ? "/" : "",
		slice_shown(file->inner, NAME_MAX_SHOWN - 2),
		file->inner.ptr ? file->inner.ptr : "");
	rc = evidence_read(&r->reader, &file->source, slice_str(name), err);
	if (rc)
		err_prefix(err, "%s", file->path);
	return rc;
}

int judge_read_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct judge_reading *in = context;
	struct reader r = {.in = in, .looks = in->looks};
	struct buf dir;
	int rc;

	evidence_reader_init(&r.reader, &in->looks->evidence, take, &r);
	links_init(&r.links);
	resolver_init(&r.resolver, hash_key_random());
	url_init(&r.url);
	buf_init(&r.request, ID_MAX);
	buf_init(&dir, PATH_MAX);
	rc = compact_dir(file->path, &dir);
	r.reader.dir = file->inner.ptr ? NULL : buf_str(&dir);
	r.reader.is_foreign = true;
	r.reader.progress = in->progress;
	r.reader.responses.links = &r.links;
	r.reader.responses.book = in->book;
	rc = rc ? err_code(err, rc) : read_file(&r, file, err);
	buf_release(&dir);
	evidence_reader_release(&r.reader);
	links_release(&r.links);
	resolver_release(&r.resolver);
	url_release(&r.url);
	buf_release(&r.request);
	return rc;
}
