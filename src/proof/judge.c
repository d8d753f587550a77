/*
 * Two passes over WARC files of any producer make looks, a third one reads the bodies of those that
 * are to be compared; then looks are paired and written to the catalog. What foreign files say, and
 * how much of it is believed (a sink of proof/evidence.h):
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
#include "proof/judge.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lists.h"
#include "base/parse.h"
#include "base/spill.h"
#include "base/vec.h"
#include "base/word.h"
#include "formats/blocked.h"
#include "formats/links.h"
#include "formats/resolve.h"
#include "formats/url.h"
#include "proof/evidence.h"
#include "proof/look.h"
#include "proof/noise_rules.h"
#include "proof/pair.h"
#include "proof/proof.h"
#include "proof/stillpoint.h"
#include "proof/verdict.h"
#include "warc/record_body.h"
#include "warc/warc_set.h"

enum {
	ID_MAX = 4096,
	NAME_MAX_SHOWN = 4096,
	SETTINGS_MAX = 8 << 20, /* bytes */
};

#define MILLISECOND INT64_C(1000000)
#define DATE_MAX    (INT64_MAX / 2) /* in 2116 */
#define ARENA_MAX   ((size_t)16 << 30)
#define NO_LOOK     UINT32_MAX

/*
 * A look at a page: one for each response or revisit record that HTTP gave. Never a body: about 300
 * bytes for each, and each URL once.
 */
struct judge_look {
	slice id;                       /* of its record */
	int64_t date;                   /* of its record, ns */
	int64_t begin, end;             /* within which the server was asked and answered, ns */
	int64_t clock_begin, clock_end; /* monotonic, where an exact look has them */
	int64_t modified;               /* Last-Modified, ns; 0: none */
	uint64_t offset;                /* of its record */
	struct shown shown;             /* of a revisit record, once it is resolved */
	struct digest class;            /* warc/attempt.h, if has_class */
	uint64_t head;    /* hash of Content-Type and Location; 0: it cannot be compared */
	uint64_t body_at; /* where its body is kept for comparing, if has_body */
	uint64_t body_size;
	uint32_t page;
	uint32_t original; /* of a revisit record that is resolved: the look that has its body */
	uint32_t file;     /* this and those that follow are numbers of words */
	uint32_t rules;    /* as attempt.rules */
	uint32_t media_type;
	uint32_t content_type; /* all of the field */
	uint32_t etag;
	uint32_t caches;
	uint32_t masked;
	uint32_t rule_set;
	uint32_t age;    /* seconds, if has_age */
	bool is_second;  /* it is from the second archive */
	bool exact;      /* times are those of the request, not of a date */
	bool dropped;    /* not a look at the page: the answer to a POST */
	bool is_revisit; /* its body is in another record */
	bool resolved;   /* … which was found; true for responses */
	bool sound;      /* the record could be read, and its digests match */
	bool has_class;
	bool wants_body; /* it is to be compared by its body */
	bool has_body;
	bool names_requisites; /* its body does */
	bool has_age;
};

VEC_DECLARE(judge_look_vec, struct judge_look);

/* That a look at a page named a requisite. */
struct judge_edge {
	uint32_t look;
	uint32_t requisite; /* number of a page */
};

VEC_DECLARE(judge_edge_vec, struct judge_edge);

/* Which two looks at a page are its visit and its revisit, by number. */
struct judge_pair {
	uint32_t page;
	uint32_t visit;   /* NO_LOOK: only the second archive has it */
	uint32_t revisit; /* NO_LOOK: there is none */
};

VEC_DECLARE(judge_pair_vec, struct judge_pair);

struct judging {
	const struct judge_params *p;
	struct catalog *catalog;
	struct judge_counts *counts;
	struct err *err;

	struct judge_look_vec list;
	struct judge_edge_vec edges;
	struct words pages;             /* URLs, by number */
	struct words words;             /* names of files, media types … */
	struct evidence_table evidence; /* their records */
	struct arena arena;

	/* Reading. */
	enum judge_pass {
		PASS_LOOKS,   /* the only one that counts */
		PASS_RESOLVE, /* revisit records: what they refer to may have come later */
		PASS_BODIES,  /* of looks that are to be compared */
	} pass;
	bool is_second; /* archive */
	struct evidence_reader reader;
	struct links links;
	struct resolver resolver;
	struct url url;     /* of the response */
	struct buf request; /* id of the request that was read last */
	bool request_is_get;
	bool has_bad; /* a look of this batch cannot be read */
	struct spill_pool pool;
	struct spill bodies;

	/* Pairing. */
	struct judge_pair_vec pairs; /* by page; pages without a look are left out */
	struct page_interval_vec intervals;
	int64_t last_visit, first_revisit; /* of two archives; 0 for none */
	int64_t from, to;                  /* the still point; both 0 when nothing is proven */

	/* Writing. */
	uint32_t capture;
	struct u32_vec pair_of; /* by page of the looks: the number of its pair */
};

/* The look of a record, or NULL; valid until the next one is added. */
static struct judge_look *find_look(const struct judging *j, slice id)
{
	struct evidence e;

	return evidence_find(&j->evidence, id, &e) != EVIDENCE_NONE && e.look
		       ? &j->list.ptr[e.look - 1]
		       : NULL;
}

/* What it shows of its page, for proof/verdict.h. */
static struct observation observe(const struct judging *j, const struct judge_look *look)
{
	bool has_state = look->sound && look->shown.whole && look->resolved;
	slice stand_in = words_text(&j->words, look->shown.stand_in);

	return (struct observation){
		.made = true,
		.status = look->shown.status,
		.whole = has_state,
		.key = {.has_state = has_state,
			.has_class = has_state && look->has_class,
			.state = look->shown.state,
			.class = look->class},
		.start = look->begin,
		.end = look->end,
		.stand_in = stand_in.len ? stand_in : (slice){0},
		.close_delimited = look->shown.close_delimited,
		.rule_set = look->rule_set,
		.masked = look->masked,
		.rules = words_text(&j->words, look->rules),
	};
}

static int by_page_and_time(const void *a, const void *b, void *context)
{
	const struct judge_look *list = context;
	const struct judge_look *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* Those that count, by page and time. is_usable: only those that show a page that is there. */
static struct u32_vec sorted(const struct judging *j, bool is_usable)
{
	struct u32_vec ret = {0};

	for (uint32_t i = 0; i < j->list.len; i++) {
		struct observation o = observe(j, &j->list.ptr[i]);

		if (!j->list.ptr[i].dropped &&
			(!is_usable || (observation_is_usable(&o) && o.status < 400)))
			u32_vec_push(&ret, i);
	}
	if (ret.len > 1)
		qsort_r(ret.ptr, ret.len, sizeof *ret.ptr, by_page_and_time, j->list.ptr);
	return ret;
}

/* ---- reading: responses ---- */

static slice id_of(const struct warc_record *rec)
{
	return evidence_field(rec, SLICE("WARC-Record-ID"));
}

static void note_damage(struct judging *j, uint64_t offset, const char *what)
{
	struct judge_counts *c = j->counts;

	if (j->pass != PASS_LOOKS || c->damaged++ > 0)
		return;
	(void)snprintf(c->example, sizeof c->example, "%.*s at %" PRIu64 ": %s",
		slice_shown(j->reader.name, 200), j->reader.name.ptr, offset, what);
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
		if (!is_type && !state_head_counts(head->items.ptr[i].name))
			continue;
		parts[1] = hash_bytes(KEY, fields_trim(head->items.ptr[i].value)) +
			   (is_type ? 1 : 2 * head->items.ptr[i].name.len);
		parts[0] = hash_bytes(KEY, (slice){(const char *)parts, sizeof parts});
	}
	return types == 1 ? parts[0] | 1 : 0;
}

/* What its head says. */
static void fill(struct judging *j, struct judge_look *look)
{
	const struct fields *head = response_reader_head(&j->reader.responses);
	slice type = fields_get(head, SLICE("Content-Type"));
	struct words *words = &j->words;
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
static void take_shown(struct judging *j, const struct evidence_item *item, struct judge_look *look)
{
	const struct evidence *of = item->fault == EVIDENCE_FINE ? item->original : NULL;
	uint32_t before = look->shown.stand_in;

	look->shown = item->evidence->shown;
	if (words_text(&j->words, look->shown.stand_in).len == 0)
		look->shown.stand_in = before;
	look->resolved = item->fault == EVIDENCE_NOT_MODIFIED ||
			 (look->is_revisit ? of && of->look : item->fault == EVIDENCE_FINE);
	if (of && of->look) {
		look->original = of->look - 1;
		look->names_requisites = j->list.ptr[look->original].names_requisites;
	}
	fill(j, look);
}

static void keep_edges(struct judging *j, uint32_t look)
{
	struct resolved_link link;

	resolver_start(&j->resolver, &j->links, &j->url);
	while (resolver_next(&j->resolver, &link)) {
		if (!link_kind_is_requisite(link.kind))
			continue;
		judge_edge_vec_push(
			&j->edges, (struct judge_edge){look, words_put(&j->pages, link.url)});
		j->list.ptr[look].names_requisites = true;
	}
}

static void drop(struct judging *j, struct judge_look *look)
{
	j->counts->not_get += !look->dropped;
	look->dropped = true;
}

static int keep_look(struct judging *j, const struct evidence_item *item)
{
	const struct warc_record *rec = item->record;
	uint32_t number = (uint32_t)j->list.len, empty = words_put(&j->words, SLICE(""));
	slice named = evidence_field(rec, SLICE("WARC-Concurrent-To"));
	int64_t date = rec->header.date, slack = j->p->slack;
	struct judge_look look = {
		.id = arena_keep(&j->arena, id_of(rec)),
		.date = date,
		.begin = date - slack,
		.end = date + CLOCK_NS_PER_SECOND + slack,
		.offset = item->offset,
		.file = item->evidence->file,
		.is_second = j->is_second,
		.is_revisit = item->evidence->is_revisit,
		.sound = item->evidence->sound,
		.rules = empty,
		.page = words_put(&j->pages, url_page(&j->url)),
		.shown.stand_in = empty,
	};

	if (number == UINT32_MAX)
		return err_code(j->reader.err, ERR_LIMIT);
	take_shown(j, item, &look);
	/* The response names its request, or the request its response. */
	if (named.len > 0 && slice_eq(named, buf_slice(&j->request)) && !j->request_is_get)
		drop(j, &look);
	judge_look_vec_push(&j->list, look);
	item->evidence->look = number + 1;
	if (!look.is_revisit && !look.dropped)
		keep_edges(j, number);
	return 0;
}

/* The second pass: what a revisit record refers to may have come later. */
static void resolve(struct judging *j, const struct evidence_item *item)
{
	struct judge_look *look =
		item->known && item->known->look ? &j->list.ptr[item->known->look - 1] : NULL;

	if (!look || look->resolved || !look->is_revisit || item->fault == EVIDENCE_NO_HTTP)
		return;
	take_shown(j, item, look);
	j->counts->unresolved += !look->resolved;
}

static int take_response(struct judging *j, const struct evidence_item *item)
{
	if (j->pass == PASS_RESOLVE)
		resolve(j, item);
	else if (item->fault == EVIDENCE_NO_HTTP)
		j->counts->not_http++;
	else if (item->known)
		j->counts->repeated++;
	else
		return keep_look(j, item);
	return 0;
}

/* Whether it is about a page: an HTTP URL, with a date that leaves room for a slack. */
static bool is_about_page(struct judging *j, const struct warc_record *rec)
{
	return rec->header.has_date && rec->header.date > 0 && rec->header.date < DATE_MAX &&
	       rec->header.url.ptr && url_parse(&j->url, rec->header.url, NULL, NULL) == 0 &&
	       url_is_http(&j->url);
}

/* The third pass: keeps the body of a response that is to be compared. */
static int gather(struct judging *j, const struct warc_record *rec)
{
	struct judge_look *known = find_look(j, id_of(rec));
	struct warc_reader *warc = j->reader.warc;
	struct err *err = j->reader.err;
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
		known->body_at = j->bodies.size;
		known->body_size = look.body.len;
		known->has_body = true;
		rc = spill_write(&j->bodies, known->body_at, look.body.ptr, look.body.len, err);
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
static void take_attempt(struct judging *j, struct judge_look *look, const struct attempt *a)
{
	if (a->stand_in.ptr && words_text(&j->words, look->shown.stand_in).len == 0)
		look->shown.stand_in = words_put(&j->words, a->stand_in);
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

static void take_request(struct judging *j, const struct evidence_item *item)
{
	slice id = id_of(item->record);
	struct judge_look *look =
		find_look(j, evidence_field(item->record, SLICE("WARC-Concurrent-To")));

	j->request_is_get = slice_starts_with(item->block, SLICE("GET "));
	buf_reset(&j->request);
	(void)buf_add(&j->request, id.len <= ID_MAX ? id : (slice){0});
	if (look && !j->request_is_get)
		drop(j, look);
}

static void take_fetch_time(struct judge_look *look, slice value)
{
	uint64_t ms;

	if (value.ptr && parse_u64(value, &ms) == 0 && ms < INT64_MAX / MILLISECOND / 2)
		look->end = look->date + CLOCK_NS_PER_SECOND + (int64_t)ms * MILLISECOND;
}

/* An attempt of ours, or what another tool says of a download. */
static int take_metadata(struct judging *j, const struct evidence_item *item)
{
	bool is_own = item->record->header.type != WARC_TYPE_METADATA;
	slice of = evidence_field(item->record, SLICE("WARC-Concurrent-To"));
	struct judge_look *look =
		find_look(j, is_own   ? id_of(item->record)
			     : of.len ? of
				      : evidence_field(item->record, SLICE("WARC-Refers-To")));
	struct fields fields = {0};
	int rc = 0;

	if (!look || look->exact || j->pass == PASS_RESOLVE)
		return 0;
	if (is_own && item->kind == EVIDENCE_ATTEMPT && item->attempt->post.ptr)
		drop(j, look);
	if (item->kind == EVIDENCE_ATTEMPT)
		take_attempt(j, look, item->attempt);
	else if (!is_own)
		rc = fields_parse(&fields, j->reader.block.ptr, j->reader.block.len);
	if (rc == 0)
		take_fetch_time(look, fields_trim(fields_get(&fields, SLICE("fetchTimeMs"))));
	fields_release(&fields);
	return rc == ERR_LIMIT ? 0 : err_code(j->reader.err, rc);
}

/* ---- records ---- */

static void tell_bad_look(struct judging *j, const struct evidence_item *item)
{
	if (!j->has_bad)
		note_damage(j, item->offset, "a compact look cannot be read");
	j->has_bad = true;
}

/* Compact looks are read in every pass, as the records that they stand for. */
static int begin_record(struct judging *j, const struct warc_record *rec)
{
	enum warc_type type = rec->header.type;
	bool is_response = type == WARC_TYPE_RESPONSE || type == WARC_TYPE_REVISIT;

	if (rec->is_gap ||
		(type == WARC_TYPE_METADATA && compact_is_type(rec->header.content_type)))
		return 0;
	if (j->pass == PASS_BODIES) {
		j->reader.skip = true;
		return type == WARC_TYPE_RESPONSE ? gather(j, rec) : 0;
	}
	j->reader.skip = j->pass == PASS_RESOLVE && type != WARC_TYPE_REVISIT;
	if (!is_response || j->reader.skip)
		return 0;
	j->reader.skip = !is_about_page(j, rec);
	j->counts->not_http += j->reader.skip && j->pass == PASS_LOOKS;
	j->reader.responses.framed = is_framed(rec);
	j->reader.responses.url = url_page(&j->url);
	links_reset(&j->links);
	return 0;
}

static int take(void *context, const struct evidence_item *item)
{
	struct judging *j = context;
	int rc, why;

	switch (item->kind) {
	case EVIDENCE_BEGIN:
		return begin_record(j, item->record);
	case EVIDENCE_END:
		j->counts->records +=
			!item->record->is_gap && j->pass == PASS_LOOKS && !j->reader.is_compact;
		if (item->record->problem.code && !j->reader.is_compact)
			note_damage(j, item->offset, item->record->problem.text);
		return 0;
	case EVIDENCE_RESPONSE:
		return take_response(j, item);
	case EVIDENCE_REQUEST:
		take_request(j, item);
		return 0;
	case EVIDENCE_ATTEMPT:
	case EVIDENCE_BAD_ATTEMPT:
	case EVIDENCE_OTHER:
		return take_metadata(j, item);
	case EVIDENCE_LOOKS:
		j->has_bad = false;
		return 0;
	case EVIDENCE_LOOK:
		rc = evidence_expand(&j->reader, item->look, &why);
		if (why)
			tell_bad_look(j, item);
		return rc;
	case EVIDENCE_BAD_LOOK:
		tell_bad_look(j, item);
		return 0;
	default:
		return 0;
	}
}

/* ---- reading: files ---- */

static int read_file(void *context, const struct warc_set_file *file, struct err *err)
{
	struct judging *j = context;
	char name[2 * NAME_MAX_SHOWN];
	BUF_SCOPED(dir, PATH_MAX);
	int rc;

	TRY(err_code(err, compact_dir(file->path, &dir)));
	j->reader.dir = file->inner.ptr ? NULL : buf_str(&dir);
	buf_reset(&j->request);
	j->request_is_get = false;
	(void)snprintf(name, sizeof name, "%s%s%.*s", file->path, file->inner.ptr ? "/" : "",
		slice_shown(file->inner, NAME_MAX_SHOWN - 2),
		file->inner.ptr ? file->inner.ptr : "");
	rc = evidence_read(&j->reader, &file->source, slice_str(name), err);
	if (rc)
		err_prefix(err, "%s", file->path);
	return rc;
}

/* One pass over both archives. */
static int read_archives(struct judging *j, enum judge_pass pass)
{
	const char *const paths[] = {j->p->first, j->p->second};

	j->pass = pass;
	j->reader.progress = pass == PASS_BODIES ? NULL : j->p->progress;
	for (int i = 0; i < 2 && paths[i]; i++) {
		size_t before = j->list.len;

		j->is_second = i == 1;
		TRY(warc_set_each(paths[i], j->p->tmp_dir, read_file, j, j->err));
		if (pass != PASS_LOOKS || j->list.len > before)
			continue;
		return err_set(j->err, ERR_NOTFOUND, "%s: %s", paths[i],
			j->counts->repeated
				? "it has no records that the first archive has not; give one "
				  "archive to judge it alone"
				: "there are no HTTP responses in it");
	}
	return 0;
}

static int read_looks(struct judging *j)
{
	TRY(read_archives(j, PASS_LOOKS));
	for (size_t i = 0; i < j->list.len; i++)
		if (!j->list.ptr[i].resolved)
			return read_archives(j, PASS_RESOLVE);
	return 0;
}

/*
 * Looks at a page in a row whose states differ, compared by their bodies (proof/proof.h): those
 * that differ by noise alone become one class. The bodies of such looks are read once more, and
 * kept in a file without a name meanwhile.
 */

/* The look that has the body. */
static struct judge_look *body_of(const struct judging *j, struct judge_look *look)
{
	return look->is_revisit ? &j->list.ptr[look->original] : look;
}

/* Whether two looks in a row are to be compared by their bodies. */
static bool may_compare(const struct judge_look *a, const struct judge_look *b)
{
	return a->page == b->page && a->shown.status == b->shown.status && a->head &&
	       a->head == b->head && a->shown.decoded && b->shown.decoded &&
	       !digest_eq(&a->shown.state, &b->shown.state);
}

static int read_body(struct judging *j, const struct judge_look *of, struct buf *out)
{
	buf_reset(out);
	TRY(err_code(j->err, buf_reserve(out, of->body_size)));
	if (of->body_size)
		TRY(spill_read(&j->bodies, of->body_at, out->ptr, of->body_size, j->err));
	out->len = of->body_size;
	return 0;
}

static struct proof_look side(
	const struct judging *j, const struct judge_look *look, const struct buf *body)
{
	return (struct proof_look){.body = buf_slice(body),
		.media_type = words_text(&j->words, look->content_type),
		.time = look->exact ? look->begin : look->date};
}

static int compare(struct judging *j, struct judge_look *a, struct judge_look *b)
{
	const struct rulebook *book = j->p->book;
	BUF_SCOPED(body_a, PROOF_BODY_MAX + 1);
	BUF_SCOPED(body_b, PROOF_BODY_MAX + 1);
	struct pair p = {.same_heads = true};
	char rules[PAIR_RULES_SIZE];
	struct same_key before;
	int rc;

	TRY(read_body(j, body_of(j, a), &body_a));
	TRY(read_body(j, body_of(j, b), &body_b));
	rc = proof_compare(&(struct proof_params){.a = side(j, a, &body_a),
				   .b = side(j, b, &body_b),
				   .url = words_text(&j->pages, b->page),
				   .off = book->off,
				   .ignore = book->has_ignore ? &book->ignore : NULL,
				   .all = true},
		&p.proof);
	p.explained = rc == 0 && p.proof.same != PROOF_DIFFERENT;
	if (rc == 0 &&
		!pair_may_be_cut(a->shown.close_delimited || b->shown.close_delimited, &p.proof)) {
		before = observe(j, a).key;
		pair_describe(&p, rules, &b->masked);
		b->rule_set = NOISE_RULES_VERSION;
		b->has_class = p.explained && p.proof.duties.len == 0;
		b->class = *same_class(&before);
		b->masked = b->has_class ? b->masked : 0;
		b->rules = words_put(&j->words, slice_str(rules));
	}
	proof_release(&p.proof);
	return err_code(j->err, rc);
}

static int compare_looks(struct judging *j)
{
	SCOPED(u32_vec_release) struct u32_vec order = {0}, again = {0};
	bool any = false;

	if (j->p->bytes_only)
		return 0;
	order = sorted(j, true);
	for (size_t i = 1; i < order.len; i++) {
		struct judge_look *a = &j->list.ptr[order.ptr[i - 1]];
		struct judge_look *b = &j->list.ptr[order.ptr[i]];

		if (!may_compare(a, b))
			continue;
		body_of(j, a)->wants_body = body_of(j, b)->wants_body = true;
		any = true;
	}
	if (!any)
		return 0;
	TRY(read_archives(j, PASS_BODIES));
	again = sorted(j, true);
	for (size_t i = 1; i < again.len; i++) {
		struct judge_look *a = &j->list.ptr[again.ptr[i - 1]];
		struct judge_look *b = &j->list.ptr[again.ptr[i]];

		if (may_compare(a, b) && body_of(j, a)->has_body && body_of(j, b)->has_body)
			TRY(compare(j, a, b));
	}
	return 0;
}

/*
 * Which two looks at a page are its visit and its revisit, and the still point that is chosen
 * afterwards: the instant that most proven intervals contain (proof/stillpoint.h).
 *
 * From two archives: the last usable look of the first, the first usable look of the second. If
 * all of the first ended before the second began, the still point lies between them, as in a
 * capture; else it is the best instant.
 *
 * From one archive: every two usable looks in a row that show the same prove an interval. The still
 * point is the best instant; of each page the usable looks on either side of it count, or, where
 * both are on one side, the two that are nearest to it.
 */

/* Numbers of looks at one page, in the order of time. */
struct row {
	const uint32_t *looks;
	size_t len;
};

static const struct judge_look *look_at(const struct judging *j, uint32_t number)
{
	return &j->list.ptr[number];
}

static bool is_usable(const struct judging *j, uint32_t number)
{
	struct observation o = observe(j, look_at(j, number));

	return observation_is_usable(&o);
}

/* If two looks show the same, and the first ended before the second began. */
static void add_interval(struct judging *j, uint32_t a, uint32_t b)
{
	const struct judge_look *first = look_at(j, a), *second = look_at(j, b);
	struct observation x = observe(j, first), y = observe(j, second);
	enum verdict v = judge(&x, &y, JUDGED_PAIR).verdict;

	if (first->end <= second->begin && (v == VERDICT_SHARP || v == VERDICT_ABSENT))
		page_interval_vec_push(&j->intervals,
			(struct page_interval){
				.page = first->page, .from = first->end, .to = second->begin});
}

/* The last usable one of the first archive, the first usable one of the second; else the last. */
static void pair_two(struct judging *j, struct row row)
{
	struct judge_pair p = {look_at(j, row.looks[0])->page, NO_LOOK, NO_LOOK};
	bool usable_visit = false, usable_revisit = false;

	for (size_t i = 0; i < row.len; i++) {
		uint32_t look = row.looks[i];
		bool usable = is_usable(j, look);

		if (!look_at(j, look)->is_second) {
			if (usable || !usable_visit)
				p.visit = look;
			usable_visit = usable_visit || usable;
		} else if (!usable_revisit) {
			p.revisit = look;
			usable_revisit = usable;
		}
	}
	judge_pair_vec_push(&j->pairs, p);
	if (p.visit != NO_LOOK && look_at(j, p.visit)->end > j->last_visit)
		j->last_visit = look_at(j, p.visit)->end;
	if (p.revisit != NO_LOOK &&
		(!j->first_revisit || look_at(j, p.revisit)->begin < j->first_revisit))
		j->first_revisit = look_at(j, p.revisit)->begin;
	if (p.visit != NO_LOOK && p.revisit != NO_LOOK)
		add_interval(j, p.visit, p.revisit);
}

static void add_intervals(struct judging *j, struct row row)
{
	uint32_t before = NO_LOOK;

	for (size_t i = 0; i < row.len; i++) {
		if (!is_usable(j, row.looks[i]))
			continue;
		if (before != NO_LOOK)
			add_interval(j, before, row.looks[i]);
		before = row.looks[i];
	}
}

/* The usable looks around the still point; those of a page without two of them as they come. */
static void pair_one(struct judging *j, struct row row)
{
	struct judge_pair p = {look_at(j, row.looks[0])->page, NO_LOOK, NO_LOOK};

	for (size_t i = 0; i < row.len; i++) {
		uint32_t look = row.looks[i];

		if (!is_usable(j, look))
			continue;
		if (p.visit == NO_LOOK) {
			p.visit = look;
		} else if (p.revisit == NO_LOOK) {
			p.revisit = look;
		} else if (look_at(j, p.revisit)->begin < j->to) {
			p.visit = p.revisit;
			p.revisit = look;
		}
	}
	if (p.visit == NO_LOOK)
		p.visit = row.looks[0];
	if (p.revisit == NO_LOOK && row.len > 1 && p.visit != row.looks[row.len - 1])
		p.revisit = row.looks[row.len - 1];
	judge_pair_vec_push(&j->pairs, p);
}

/* Calls for the looks of each page. */
static void each_page(
	struct judging *j, const struct u32_vec *o, void (*call)(struct judging *, struct row))
{
	for (size_t from = 0, to; from < o->len; from = to) {
		uint32_t page = look_at(j, o->ptr[from])->page;

		for (to = from + 1; to < o->len && look_at(j, o->ptr[to])->page == page; to++)
			;
		call(j, (struct row){o->ptr + from, to - from});
	}
}

static void find_pairs(struct judging *j)
{
	const struct planned_instant planned = {1, 0}; /* there was no plan */
	struct u32_vec order = sorted(j, false);
	struct best_instant best;

	each_page(j, &order, j->p->second ? pair_two : add_intervals);
	best = (struct best_instant){.from = j->last_visit, .to = j->first_revisit};
	if ((best.from && best.to && best.from <= best.to) ||
		best_instant_find(&j->intervals, &planned, &best)) {
		j->from = best.from;
		j->to = best.to;
	}
	if (!j->p->second)
		each_page(j, &order, pair_one);
	u32_vec_release(&order);
}

/* ---- writing looks that were paired into the catalog, as a capture ---- */

/* What a page is, by its media type: other crawlers do not say what linked to it. */
static enum link_kind kind_of(slice type)
{
	static const struct {
		slice start;
		enum link_kind kind;
	} TYPES[] = {
		{SLICE_INIT("image/"), LINK_IMAGE},
		{SLICE_INIT("text/css"), LINK_STYLE},
		{SLICE_INIT("text/javascript"), LINK_SCRIPT},
		{SLICE_INIT("application/javascript"), LINK_SCRIPT},
		{SLICE_INIT("application/x-javascript"), LINK_SCRIPT},
		{SLICE_INIT("application/ecmascript"), LINK_SCRIPT},
		{SLICE_INIT("font/"), LINK_FONT},
		{SLICE_INIT("application/font"), LINK_FONT},
		{SLICE_INIT("application/x-font"), LINK_FONT},
		{SLICE_INIT("audio/"), LINK_MEDIA},
		{SLICE_INIT("video/"), LINK_MEDIA},
	};

	for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++)
		if (word_starts(type, TYPES[i].start))
			return TYPES[i].kind;
	return LINK_PAGE;
}

static const struct judge_look *any_look(const struct judging *j, const struct judge_pair *p)
{
	return look_at(j, p->visit != NO_LOOK ? p->visit : p->revisit);
}

static slice failure_of(const struct judge_look *look)
{
	if (!look->sound)
		return SLICE("damaged record");
	if (!look->resolved)
		return SLICE("the record with its body is not in the archives");
	return !look->shown.whole ? SLICE("truncated") : (slice){0};
}

static slice text_or_none(const struct judging *j, uint32_t word)
{
	slice text = words_text(&j->words, word);

	return text.len ? text : (slice){0};
}

static int add_look(
	struct judging *j, uint32_t page, enum attempt_leg leg, const struct judge_look *look)
{
	struct observation o = observe(j, look);
	struct attempt a = {
		.page = page,
		.leg = leg,
		.number = 1,
		.status = look->shown.status,
		.wall = {.sent = look->begin, .last_byte = look->end},
		.clock = {.sent = look->clock_begin, .last_byte = look->clock_end},
		.failure = failure_of(look),
		.truncated = !o.whole,
		.close_delimited = look->shown.close_delimited,
		.sign_set = STAND_IN_VERSION,
		.stand_in = text_or_none(j, look->shown.stand_in),
		.rule_set = o.rule_set,
		.masked = o.masked,
		.rules = o.rules,
		.has_class = o.key.has_class,
		.class = o.key.class,
		.is_revisit = look->is_revisit,
		.has_state = o.key.has_state,
		.state = o.key.state,
		.media_type = words_text(&j->words, look->media_type),
		.modified = look->modified,
		.etag = text_or_none(j, look->etag),
		.age = {look->has_age, look->age},
		.caches = text_or_none(j, look->caches),
		.warc = slice_base_name(words_text(&j->words, look->file)),
		.offset = look->offset,
		.record_id = look->id.len ? look->id : (slice){0},
	};

	return catalog_add_observation(j->catalog, j->capture, &a, j->err);
}

static int add_pair(struct judging *j, uint32_t number, const struct judge_pair *p)
{
	const struct judge_look *look = any_look(j, p);
	slice type = words_text(&j->words, look->media_type);

	TRY(catalog_put(j->catalog, CATALOG_ROW_ADD_PAGE, j->capture,
		&(struct catalog_page){
			.number = number,
			.url = words_text(&j->pages, p->page),
			.kind = slice_str(link_kind_name(kind_of(type))),
			.via = CATALOG_NO_PAGE,
			.found = SLICE("archive"),
			.taken = true,
			.rule = SLICE("it is in the archive"),
			.weight = 1,
		},
		j->err));
	/* Seen once, and not expected to be seen again: a late look has no revisit. */
	if (p->visit == NO_LOOK || (p->revisit == NO_LOOK && !j->p->second))
		return add_look(j, number, ATTEMPT_LATE, look);
	TRY(add_look(j, number, ATTEMPT_VISIT, look));
	return p->revisit == NO_LOOK ? 0
				     : add_look(j, number, ATTEMPT_REVISIT, look_at(j, p->revisit));
}

static int add_capture(struct judging *j)
{
	BUF_SCOPED(settings, SETTINGS_MAX); /* the rules, as lines (proof/rulebook.h) */
	struct catalog_capture c = {
		.uuid = SLICE("urn:uuid:00000000-0000-0000-0000-000000000000"),
		.site = slice_str(j->p->first),
		.strategy = SLICE(JUDGE_STRATEGY),
		.state = CATALOG_FINISHED,
		.still_from = j->from,
		.still_to = j->to,
		.caveats = CATALOG_CAVEAT_AFTERWARDS,
		.addresses = CATALOG_NO_ADDRESSES,
	};

	TRY(err_code(j->err, rulebook_write(j->p->book, &settings)));
	c.settings = slice_str(buf_str(&settings));
	for (size_t i = 0; i < j->list.len; i++) {
		if (!c.started || j->list.ptr[i].begin < c.started)
			c.started = j->list.ptr[i].begin;
		if (j->list.ptr[i].end > c.finished)
			c.finished = j->list.ptr[i].end;
	}
	return catalog_add_capture(j->catalog, &c, &j->capture, j->err);
}

/* The look whose body that of a look is; NO_LOOK stays what it is. */
static uint32_t body_look(const struct judging *j, uint32_t look)
{
	if (look == NO_LOOK || !look_at(j, look)->is_revisit || !look_at(j, look)->resolved)
		return look;
	return look_at(j, look)->original;
}

static int add_requisite(struct judging *j, uint32_t page, uint32_t requisite)
{
	return catalog_put(j->catalog, CATALOG_ROW_REQUISITE, j->capture,
		&(struct catalog_requisite){.page = page, .requisite = requisite}, j->err);
}

static int add_requisites(struct judging *j)
{
	while (j->pair_of.len < j->pages.list.len)
		u32_vec_push(&j->pair_of, CATALOG_NO_PAGE);
	for (size_t i = 0; i < j->pairs.len; i++)
		j->pair_of.ptr[j->pairs.ptr[i].page] = (uint32_t)i;
	/* What the look that counts as the visit named; what no archive has is missing. */
	for (size_t i = 0; i < j->edges.len; i++) {
		const struct judge_edge *edge = &j->edges.ptr[i];
		uint32_t pair = j->pair_of.ptr[look_at(j, edge->look)->page];
		uint32_t requisite = j->pair_of.ptr[edge->requisite];

		if (pair != CATALOG_NO_PAGE && pair != requisite &&
			edge->look == body_look(j, j->pairs.ptr[pair].visit))
			TRY(add_requisite(j, pair, requisite));
	}
	/* What a body that was read under another URL names under this one is not known. */
	for (uint32_t i = 0; i < j->pairs.len; i++) {
		uint32_t visit = j->pairs.ptr[i].visit, body = body_look(j, visit);

		if (body != visit && look_at(j, visit)->names_requisites &&
			look_at(j, body)->page != look_at(j, visit)->page)
			TRY(add_requisite(j, i, CATALOG_NO_PAGE));
	}
	return 0;
}

static int run(struct judging *j)
{
	TRY(read_looks(j));
	TRY(compare_looks(j));
	find_pairs(j);
	TRY(add_capture(j));
	for (size_t i = 0; i < j->pairs.len; i++)
		TRY(add_pair(j, (uint32_t)i, &j->pairs.ptr[i]));
	TRY(add_requisites(j));
	return catalog_commit(j->catalog, j->err);
}

int judge_run(const struct judge_params *p, struct catalog *catalog,
	struct judge_counts *ret_counts, struct err *err)
{
	struct judging j = {.p = p, .catalog = catalog, .counts = ret_counts, .err = err};
	int rc;

	*ret_counts = (struct judge_counts){0};
	arena_init(&j.arena, ARENA_MAX);
	words_init(&j.pages, &j.arena);
	words_init(&j.words, &j.arena);
	evidence_init(&j.evidence, &j.words, p->tmp_dir);
	evidence_reader_init(&j.reader, &j.evidence, take, &j);
	links_init(&j.links);
	resolver_init(&j.resolver, hash_key_random());
	url_init(&j.url);
	buf_init(&j.request, ID_MAX);
	spill_pool_init(&j.pool, p->tmp_dir);
	spill_init(&j.bodies, &j.pool);
	j.reader.is_foreign = true;
	j.reader.responses.links = &j.links;
	j.reader.responses.book = p->book;
	rc = run(&j);
	evidence_reader_release(&j.reader);
	links_release(&j.links);
	resolver_release(&j.resolver);
	url_release(&j.url);
	buf_release(&j.request);
	spill_release(&j.bodies);
	spill_pool_release(&j.pool);
	judge_look_vec_release(&j.list);
	judge_edge_vec_release(&j.edges);
	judge_pair_vec_release(&j.pairs);
	page_interval_vec_release(&j.intervals);
	u32_vec_release(&j.pair_of);
	words_release(&j.pages);
	words_release(&j.words);
	evidence_release(&j.evidence);
	arena_release(&j.arena);
	return rc;
}
