/* The records of WARC files: digests, states, attempts. A sink of proof/evidence.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/nummap.h"
#include "formats/url.h"
#include "proof/verify_run.h"
#include "warc/cdxj.h"
#include "warc/warc_date.h"
#include "warc/warc_request.h"
#include "warc/warc_writer.h"

/*
 * The headers of an attempt's records against each other: no digest covers them. Its metadata,
 * request and response were written together, so they have one date, one URL and one address, and
 * name each other.
 */

/* The request record that was read last. Fields are its own, but for made. */
struct verify_request {
	bool made; /* there is one that no attempt was read behind */
	bool has_digest;
	bool has_date;
	uint64_t url; /* hash, as in struct evidence */
	int64_t date;
	uint32_t ip;
	struct buf id, concurrent;
};

struct verify_exchange {
	const struct warc_record *metadata;
	const struct verify_request *request;
	const struct evidence *response; /* NULL: there is none */
	bool is_split;                   /* its request may be at the end of another file */
};

enum { ID_MAX = 4096, NS_PER_MICROSECOND = 1000 };

/* One that is longer than any of ours is kept empty. */
static void keep(struct buf *out, slice text)
{
	buf_reset(out);
	if (text.len <= ID_MAX)
		(void)buf_add(out, text);
}

/* Remembers the record. */
static void keep_request(
	struct verify *v, struct verify_request *q, const struct warc_record *record)
{
	slice ip = evidence_field(record, SLICE("WARC-IP-Address"));

	keep(&q->id, evidence_field(record, SLICE("WARC-Record-ID")));
	keep(&q->concurrent, evidence_field(record, SLICE("WARC-Concurrent-To")));
	q->ip = words_put(&v->words, ip.ptr ? ip : SLICE(""));
	q->made = !record->problem.code;
	q->has_digest = record->block == WARC_VERDICT_OK;
	q->url = hash_bytes(v->evidence.key, record->header.url);
	q->date = record->header.date;
	q->has_date = record->header.has_date;
}

/* Whether a record may state that date: ours are in seconds, earlier ones in microseconds. */
static bool verify_is_date_of(int64_t stated, int64_t time)
{
	int64_t rest = time % NS_PER_MICROSECOND;

	if (rest < 0)
		rest += NS_PER_MICROSECOND;
	return stated == time || stated == time - rest || stated == warc_date_truncate(time);
}

static const char *find_wrong_date(const struct verify_exchange *x, const struct attempt *a)
{
	int64_t time = a->wall.sent ? a->wall.sent : a->wall.last_byte;

	if (!x->metadata->header.has_date || !verify_is_date_of(x->metadata->header.date, time))
		return "its WARC-Date is not the time of the attempt";
	if (x->response && !verify_is_date_of(x->response->date, time))
		return "the WARC-Date of its response is not the time of the attempt";
	if (x->request->made &&
		(!x->request->has_date || !verify_is_date_of(x->request->date, time)))
		return "the WARC-Date of its request is not the time of the attempt";
	return NULL;
}

/* The response is named by both others; where there is none, the metadata name the request. */
static const char *find_wrong_name(const struct verify_exchange *x, uint64_t url)
{
	slice named = evidence_field(x->metadata, SLICE("WARC-Concurrent-To"));
	const struct verify_request *q = x->request;

	if (!q->made)
		return NULL;
	if (q->url != url)
		return "its request is that of another URL";
	if (x->response && !slice_eq(buf_slice(&q->concurrent), named))
		return "its request belongs to another response";
	if (!x->response && q->concurrent.len == 0 && !slice_eq(buf_slice(&q->id), named))
		return "its request is another one than it says";
	return NULL;
}

static const char *find_fault(
	const struct verify_exchange *x, const struct attempt *a, uint64_t url)
{
	const struct evidence *e = x->response;
	const char *fault = find_wrong_date(x, a);

	if (fault)
		return fault;
	if (x->metadata->block != WARC_VERDICT_OK || (e && e->sound && !e->has_digest) ||
		(x->request->made && !x->request->has_digest))
		return "one of its records has no block digest that could be checked";
	if (e && e->sound && !x->request->made && !x->is_split)
		return "its request is not there";
	if (e && x->request->made && e->ip != x->request->ip)
		return "its request and response have different addresses";
	if (e && e->is_revisit && !e->is_ours)
		return "its revisit record has an unknown profile";
	return find_wrong_name(x, url);
}

/*
 * The heads of gzip members (RFC 1952 §2.3). No checksum covers them, so a flipped bit there
 * changes nothing that anybody reads, and would go unnoticed. A file of ours has them in one form
 * for each library that wrote members (earlier versions used two), told apart by their operating
 * system field; the first of each kind says how the others have to be.
 */

enum { MEMBER_HEAD_SIZE = 10, MEMBER_FORMS = 2 };

/* Of one file. Zero-initialise. */
struct member_forms {
	unsigned char heads[MEMBER_FORMS][MEMBER_HEAD_SIZE];
	bool known[MEMBER_FORMS];
};

enum {
	SYSTEM_AT = 9,
	SYSTEM_UNIX = 3,      /* zlib: long records of earlier versions */
	SYSTEM_UNKNOWN = 255, /* ISA-L */
	EXTRA_AT = 8,
};

/* All but the last two bytes are the same for everybody: deflate, no flags, no time. */
static bool is_plain(const unsigned char head[MEMBER_HEAD_SIZE])
{
	static const unsigned char PLAIN[EXTRA_AT] = {0x1f, 0x8b, 8};

	return memcmp(head, PLAIN, EXTRA_AT) == 0 &&
	       (head[SYSTEM_AT] == SYSTEM_UNIX || head[SYSTEM_AT] == SYSTEM_UNKNOWN);
}

/* Whether the member at that offset begins as those before it; false too when it cannot be read. */
static bool member_check(struct member_forms *f, int fd, uint64_t offset)
{
	unsigned char head[MEMBER_HEAD_SIZE];
	size_t form;

	if (pread(fd, head, sizeof head, (off_t)offset) != (ssize_t)sizeof head || !is_plain(head))
		return false;
	form = head[SYSTEM_AT] == SYSTEM_UNIX;
	if (!f->known[form]) {
		memcpy(f->heads[form], head, sizeof head);
		f->known[form] = true;
	}
	return memcmp(f->heads[form], head, sizeof head) == 0;
}

struct reading {
	struct verify *v;
	const struct verify_input *in;
	const struct verify_file *known; /* what the catalog says of the file, or NULL */
	struct evidence_reader reader;
	struct member_forms forms;
	struct nummap requests; /* their forms, by hash_form */
	struct verify_request request;
	bool is_begun;        /* a record of an attempt has been read */
	struct buf key, line; /* of the index */
};

/* Whether its name is that of a file of a crawl into this archive: the others are known by it. */
static bool is_series(const struct verify_input *in)
{
	return !in->is_imported && warc_name_has_time(in->name.ptr);
}

static struct verify_place place_of(const struct reading *r, const struct evidence_item *item)
{
	return (struct verify_place){.file = r->in->shown, .offset = item->offset};
}

/* ---- responses ---- */

/*
 * Replay finds the other record by its URL and date, and the body there: a record without a body
 * of its own is of no use to it.
 */
static const char *find_wrong_reference(
	const struct reading *r, const struct warc_record *rec, const struct evidence *of)
{
	const struct warc_header *h = &rec->header;
	slice date = warc_header_get(h, SLICE("WARC-Refers-To-Date"));
	slice url = warc_header_uri(h, SLICE("WARC-Refers-To-Target-URI"));
	int64_t time;

	if (of->is_revisit)
		return "it refers to a record without a body";
	if (url.ptr && hash_bytes(r->v->evidence.key, url) != of->url)
		return "the record it refers to has another URL";
	if (date.ptr && (warc_date_parse(date, &time) || !verify_is_date_of(time, of->date)))
		return "the record it refers to has another date";
	return NULL;
}

/* What is wrong with a revisit record and the one that it refers to. */
static void check_revisit(struct reading *r, const struct evidence_item *item)
{
	static const char *const FAULTS[] = {
		[EVIDENCE_NO_HTTP] = "it has no HTTP head",
		[EVIDENCE_OTHER_PAYLOAD] = "the record it refers to has another payload",
		[EVIDENCE_OTHER_CODING] = "the record it refers to has another content coding",
		[EVIDENCE_NOT_MODIFIED] = NULL,
	};
	struct verify_place place = place_of(r, item);
	slice url = item->record->header.url;
	const char *wrong = NULL;

	if (item->fault == EVIDENCE_LOST)
		verify_lost(r->v, r->v->loss, url, &place, "the record it refers to is not there");
	else if (item->fault != EVIDENCE_OTHER_PAYLOAD && item->original)
		wrong = find_wrong_reference(r, item->record, item->original);
	if (wrong)
		verify_problem(r->v, url, &place, "%s", wrong);
	if (FAULTS[item->fault])
		verify_problem(r->v, url, &place, "%s", FAULTS[item->fault]);
}

/* The hash of the line that the index has of the record, if it is to have one. */
static uint64_t hash_line(struct reading *r, const struct warc_record *rec)
{
	return cdxj_record_line(&r->line, &r->key, rec, r->in->name)
		       ? 0
		       : hash_bytes(r->v->evidence.key, buf_slice(&r->line));
}

/* Of its block; of a response that of its payload will do. */
static bool has_digest(const struct warc_record *rec)
{
	return rec->block == WARC_VERDICT_OK ||
	       (rec->block == WARC_VERDICT_NONE && rec->header.type == WARC_TYPE_RESPONSE &&
		       rec->payload == WARC_VERDICT_OK);
}

static void keep_response(struct reading *r, const struct evidence_item *item)
{
	const struct warc_record *rec = item->record;
	struct verify_place place = place_of(r, item);
	struct evidence *e = item->evidence;
	struct served s;

	r->request.made = false;
	r->is_begun = true;
	e->has_digest = has_digest(rec);
	e->is_ours = slice_eq(warc_header_get(&rec->header, SLICE("WARC-Profile")),
		SLICE("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"));
	if (!e->is_compact) /* compact looks are not in the index */
		e->line = hash_line(r, rec);
	if (e->is_revisit)
		check_revisit(r, item);
	if (e->shown.has_state) {
		served_read(response_reader_head(&r->reader.responses), e->date, &s);
		e->served = evidence_served(&r->v->evidence,
			&(struct attempt){
				.modified = s.modified,
				.etag = s.etag,
				.age = {s.has_age, s.age},
				.caches = s.caches[0] ? slice_str(s.caches) : (slice){0},
			});
	}
	if (item->known)
		verify_problem(r->v, rec->header.url, &place, "the record is there twice");
}

/* ---- attempts ---- */

/* A form has a number among those of the file that it was first written to. */
static uint64_t hash_form(const struct reading *r, const struct warc_record *rec, unsigned number)
{
	slice info = evidence_field(rec, SLICE("WARC-Warcinfo-ID"));
	uint64_t pair[2] = {number, hash_bytes(r->v->evidence.key, info)};

	return hash_bytes(r->v->evidence.key, (slice){(const char *)pair, sizeof pair});
}

static void keep_form(struct reading *r, const struct warc_record *rec)
{
	unsigned number;

	/* Those that refer to one that is damaged tell that it is not there. */
	if (!rec->problem.code && request_form_number(&rec->header, &number))
		(void)nummap_need(&r->requests, hash_form(r, rec, number), 0, NULL);
}

/*
 * What the comparison with an earlier look found. A claim that the two bodies do not show counts
 * for nothing.
 */
static void hold_comparison(struct reading *r, const struct verify_claim *claim, struct evidence *e,
	struct observation *shown)
{
	const struct attempt *a = claim->attempt;
	bool is_wrong =
		a->close_delimited && !e->shown.close_delimited && e->sound && e->shown.has_state;

	evidence_claim(&r->v->evidence, e, a);
	if (is_wrong)
		verify_problem(r->v, a->url, claim->place,
			"its attempt says that the body is close-delimited, the response that it "
			"is not");
	shown->close_delimited = e->shown.close_delimited;
	shown->key.has_class =
		a->has_class && shown->key.has_state && !is_wrong && verify_claim(r->v, claim);
}

/*
 * What stands in the page's place: that which the record shows, if the attempt was judged by the
 * same signs. An attempt of an earlier version was not judged at all.
 */
static void hold_stand_in(struct reading *r, const struct verify_place *place,
	const struct attempt *a, const struct evidence *e, struct observation *shown)
{
	slice seen = words_text(&r->v->words, e->shown.stand_in);
	slice said = a->stand_in.ptr ? a->stand_in : SLICE("");

	if (a->sign_set != STAND_IN_VERSION || !e->shown.has_state || !e->sound)
		return;
	observation_set_stand_in(shown, seen);
	if (!slice_eq(seen, said))
		verify_problem(r->v, a->url, place,
			"its attempt says that '%.*s' stands in the page's place, the response "
			"'%.*s'",
			slice_shown(said, STAND_IN_SIZE), said.ptr, (int)seen.len, seen.ptr);
}

/* What the record really shows, and whether the attempt says so. */
static void hold_against_record(struct reading *r, const struct verify_place *place,
	const struct attempt *a, struct evidence *e, struct observation *shown)
{
	const struct shown *s = &e->shown;

	if (e->claimed)
		verify_problem(r->v, a->url, place, "another attempt has the same record");
	e->claimed = true;
	if (e->url != hash_bytes(r->v->evidence.key, attempt_target(a))) {
		verify_problem(r->v, a->url, place, "its response is that of another URL");
		e->sound = false;
	}
	if (s->has_state && s->status != a->status)
		verify_problem(r->v, a->url, place, "its attempt says status %u, the response %u",
			a->status, s->status);
	if (s->has_state && e->sound && !s->whole && !a->truncated)
		verify_problem(r->v, a->url, place, "%s",
			s->coding_end == CODING_CUT
				? "its attempt says that the body is whole, but its content coding "
				  "is cut off or damaged (older versions did not look at that)"
				: "its attempt says that the body is whole, the response that it "
				  "is not");
	if (s->has_state && s->whole && a->has_state && !digest_eq(&s->state, &a->state))
		verify_problem(
			r->v, a->url, place, "its attempt says another state than the response");
	shown->status = s->has_state ? s->status : a->status;
	shown->whole = e->sound && s->has_state && s->whole && !a->truncated;
	shown->key.has_state = shown->whole;
	shown->key.state = s->state;
	shown->is_html = s->has_signs;
	hold_stand_in(r, place, a, e, shown);
}

/* The line of a response to POST has the body of the request in its key (warc_request.h). */
static void hold_line(struct reading *r, const struct attempt *a, struct evidence *e)
{
	slice rest = buf_slice(&r->line);

	if (!a->post.ptr || !e->line || e->line != hash_bytes(r->v->evidence.key, rest) ||
		cdxj_key(&r->key, a->url))
		return;
	(void)slice_take(&rest, ' ');
	(void)buf_add_char(&r->key, ' ');
	if (buf_add(&r->key, rest) == 0)
		e->line = hash_bytes(r->v->evidence.key, buf_slice(&r->key));
}

/* The id of the response that an attempt is about: it is named, or the attempt is in its header. */
static slice response_of(const struct warc_record *rec)
{
	return evidence_field(rec, attempt_is_in_header(&rec->header)
					   ? SLICE("WARC-Record-ID")
					   : SLICE("WARC-Concurrent-To"));
}

static bool is_again(const struct legs *l, const struct attempt *a)
{
	if (!legs_has(a->leg))
		return l->look_number == a->number;
	if (a->leg == ATTEMPT_REVISIT)
		return l->revisit.made && l->revisit_number == a->number;
	return l->visit.made && l->visit_number == a->number && l->late == (a->leg == ATTEMPT_LATE);
}

static void add_to_page(struct reading *r, const struct verify_place *place,
	const struct attempt *a, struct observation *shown)
{
	struct verify_capture *c = verify_find_capture(r->v, a->capture);
	uint32_t page = verify_page(r->v, c, a->url);
	struct legs legs = verify_legs(r->v, c, page);

	c->is_imported = !r->known && (c->is_imported || !c->has_attempt);
	c->has_attempt = true;
	legs_keep_texts(shown, &r->v->words);
	shown->rules = (slice){0}; /* the attempt's, which does not live as long */
	if (is_again(&legs, a))
		verify_problem(r->v, a->url, place, "attempt %u of the %s is there twice",
			a->number, attempt_leg_name(a->leg));
	c->single = c->single || a->single;
	c->book = r->reader.responses.book;
	stillpoint_add(&c->window, a->leg, &a->wall);
	legs_add(&legs, a, shown);
	verify_put_legs(r->v, c, page, &legs);
}

/* What an attempt says against what its response shows. */
static void take_attempt(
	struct reading *r, const struct evidence_item *item, const struct attempt *a)
{
	struct verify_place place = place_of(r, item);
	struct observation shown = legs_observe(a);
	struct evidence e;
	uint32_t number = evidence_find(&r->v->evidence, response_of(item->record), &e);
	bool has_response = number != EVIDENCE_NONE;
	struct verify_claim claim = {.attempt = a,
		.evidence = &e,
		.number = number,
		.place = &place,
		.book = r->reader.responses.book,
		.records = r->reader.records};
	const char *fault = find_fault(
		&(struct verify_exchange){.metadata = item->record,
			.request = &r->request,
			.response = has_response ? &e : NULL,
			.is_split = !r->is_begun || attempt_is_in_header(&item->record->header)},
		a, hash_bytes(r->v->evidence.key, attempt_target(a)));

	if (fault)
		verify_problem(r->v, a->url, &place, "%s", fault);
	if (has_response) {
		hold_line(r, a, &e);
		hold_against_record(r, &place, a, &e, &shown);
		hold_comparison(r, &claim, &e, &shown);
		evidence_put(&r->v->evidence, number, &e);
	} else if (a->status != 0 && !a->retired) {
		shown.whole = shown.key.has_state = shown.key.has_class = false;
		shown.failure = (slice){0};
		verify_lost(r->v, r->v->loss, a->url, &place,
			"the response of this %s is not there", attempt_leg_name(a->leg));
	}
	r->request.made = false;
	r->is_begun = true;
	verify_clock_attempt(r->v, a, &place);
	if (a->leg == ATTEMPT_SIDE)
		return;
	add_to_page(r, &place, a, &shown);
	if (!has_response)
		return;
	verify_learned_look(r->v, a, number, &e);
	verify_old_claim(r->v, &claim, &shown);
}

/* A form of its request comes before an attempt that is in the header of its response. */
static void keep_attempt(struct reading *r, const struct evidence_item *item)
{
	struct verify_place place = place_of(r, item);

	if (item->form && !nummap_find(&r->requests, hash_form(r, item->record, item->form)))
		verify_problem(r->v, item->attempt->url, &place,
			"the form of its request is not in the file");
	take_attempt(r, item, item->attempt);
}

/* One of a leg that only a later version knows is passed over: its records are not judged. */
static void tell_bad_attempt(struct reading *r, const struct evidence_item *item)
{
	struct verify_place place = place_of(r, item);
	slice url = item->record->header.url;
	struct evidence e;
	uint32_t number;

	if (item->code != ERR_UNSUPPORTED) {
		verify_problem(r->v, url, &place, "the attempt cannot be read");
		return;
	}
	number = evidence_find(&r->v->evidence, response_of(item->record), &e);
	if (number != EVIDENCE_NONE) {
		e.claimed = true;
		evidence_put(&r->v->evidence, number, &e);
	}
	r->request.made = false;
	r->is_begun = true;
	verify_note(r->v, url, &place,
		"its attempt has a leg of a later version, which is passed over");
}

/* ---- compact looks ---- */

/*
 * By the code that reads the records of a file. Rules are those of the capture, whose visits come
 * before: a look that had waited may be in a file of another one.
 */
static int take_look(struct reading *r, const struct evidence_item *item)
{
	const struct compact_look *look = item->look;
	const struct rulebook *book = r->reader.responses.book;
	struct verify_capture *c = verify_find_capture(r->v, look->attempt.capture);
	struct verify_place place = place_of(r, item);
	int rc, why;

	if (c->book)
		r->reader.responses.book = c->book;
	rc = evidence_expand(&r->reader, look, &why);
	r->reader.responses.book = book;
	if (why && look->is_patch)
		verify_lost(r->v, r->v->loss, look->attempt.url, &place,
			"the record that a look is a patch against is not there, or another one");
	else if (why)
		verify_problem(r->v, look->attempt.url, &place, "a compact look makes no records");
	r->is_begun = true;
	return rc;
}

static void tell_bad_look(struct reading *r, const struct evidence_item *item)
{
	struct verify_place place = place_of(r, item);

	if (item->code == ERR_UNSUPPORTED)
		verify_note(r->v, (slice){0}, &place,
			"a look of a later version, which is passed over");
	else
		verify_problem(r->v, (slice){0}, &place, "a compact look cannot be read");
}

/* ---- records ---- */

/* Behind the last commit there is nothing that anybody has claimed yet. */
static int begin_record(struct reading *r, const struct evidence_item *item)
{
	struct verify_place place = place_of(r, item);

	if (r->reader.is_compact || !r->known || r->known->complete ||
		item->offset < r->known->size)
		return 0;
	verify_note(r->v, (slice){0}, &place,
		"what follows is not committed yet; 'stillpoint resume' sees to it");
	return ERR_END;
}

static const char *find_record_fault(struct reading *r, const struct warc_record *rec)
{
	bool ours = r->known && warc_reader_coding(r->reader.warc) == WARC_CODING_GZIP;

	if (rec->problem.code)
		return rec->problem.text;
	if (ours && !rec->is_shared && !member_check(&r->forms, r->in->source.fd, rec->spot.offset))
		return "the head of the gzip member is damaged";
	if (r->known && rec->header.type == WARC_TYPE_RESPONSE && rec->payload != WARC_VERDICT_OK)
		return "the record has no payload digest that could be checked";
	return r->known && !has_digest(rec) ? "the record has no block digest that could be checked"
					    : NULL;
}

static void end_record(struct reading *r, const struct evidence_item *item)
{
	const struct warc_record *rec = item->record;
	struct verify_place place = place_of(r, item);
	const char *fault = find_record_fault(r, rec);

	r->v->records += !rec->is_gap && !r->reader.is_compact;
	r->v->redacted += warc_header_get(&rec->header, SLICE("WARC-Redacted")).ptr != NULL;
	if (fault)
		verify_problem(r->v, rec->header.url, &place, "%s", fault);
}

static struct verify_note_record note_of(const struct reading *r, const struct evidence_item *item)
{
	return (struct verify_note_record){.uuid = item->record->header.url,
		.block = item->block,
		.date = item->record->header.date,
		.is_here = is_series(r->in),
		.place = place_of(r, item)};
}

static int take(void *context, const struct evidence_item *item)
{
	struct reading *r = context;
	struct verify_place place = place_of(r, item);
	struct verify_note_record note;

	switch (item->kind) {
	case EVIDENCE_BEGIN:
		return begin_record(r, item);
	case EVIDENCE_END:
		end_record(r, item);
		break;
	case EVIDENCE_INFO: /* they hold for what follows in the file */
		r->reader.responses.book = verify_rules_record(r->v, item->block, &place);
		response_reader_info(&r->reader.responses, item->block);
		break;
	case EVIDENCE_REQUEST:
		r->is_begun = true;
		keep_request(r->v, &r->request, item->record);
		break;
	case EVIDENCE_FORM:
		keep_form(r, item->record);
		break;
	case EVIDENCE_RESPONSE:
		keep_response(r, item);
		break;
	case EVIDENCE_ATTEMPT:
		keep_attempt(r, item);
		break;
	case EVIDENCE_BAD_ATTEMPT:
		tell_bad_attempt(r, item);
		break;
	case EVIDENCE_TABLE:
		verify_table_record(r->v, item->block, &place);
		break;
	case EVIDENCE_MOMENT:
		note = note_of(r, item);
		verify_clock_moment(r->v, &note, item->moment);
		break;
	case EVIDENCE_BAD_MOMENT:
		verify_problem(r->v, item->record->header.url, &place,
			"the reading of the clock is malformed");
		break;
	case EVIDENCE_LEARNED:
		note = note_of(r, item);
		verify_learned_record(r->v, &note);
		break;
	case EVIDENCE_LOOK:
		return take_look(r, item);
	case EVIDENCE_BAD_LOOK:
		tell_bad_look(r, item);
		break;
	default:
		break;
	}
	return r->v->failure.code;
}

static const struct verify_file *find_known(const struct verify *v, slice name)
{
	uint32_t number;

	return strmap_get(&v->file_names.map, name, &number) ? &v->files.ptr[number] : NULL;
}

static void reading_init(struct reading *r, struct verify *v, const struct verify_input *input)
{
	*r = (struct reading){.v = v, .in = input, .known = find_known(v, input->name)};
	buf_init(&r->key, 2 * URL_MAX);
	buf_init(&r->line, CDXJ_LINE_MAX + 1);
	buf_init(&r->request.id, ID_MAX);
	buf_init(&r->request.concurrent, ID_MAX);
	evidence_reader_init(&r->reader, &v->evidence, take, r);
	r->reader.dir = v->warc_dir;
	r->reader.progress = v->progress;
}

static void reading_release(struct reading *r)
{
	evidence_reader_release(&r->reader);
	buf_release(&r->key);
	buf_release(&r->line);
	nummap_release(&r->requests);
	buf_release(&r->request.id);
	buf_release(&r->request.concurrent);
}

/* A file that cannot be read is a problem like any other. */
void verify_read(struct verify *v, const struct verify_input *input)
{
	const char *why = input->source.fd < 0 ? file_problem(errno) : NULL;
	struct verify_place place = {.file = input->shown};
	struct err err = {0};
	struct reading r;
	int rc = 0;

	reading_init(&r, v, input);
	if (why)
		verify_problem(v, (slice){0}, &place, "cannot be read: %s", why);
	else
		rc = evidence_read(&r.reader, &input->source, input->name, &err);
	if (v->evidence.err.code)
		v->failure = v->evidence.err;
	if (rc && !v->failure.code)
		verify_problem(v, (slice){0}, &place, "cannot be read: %s", err.text);
	reading_release(&r);
}

/* What no record's digest covers is in the file's: its header lines, and what was removed. */
void verify_sum(struct verify *v, const struct verify_input *input)
{
	const struct verify_file *known = find_known(v, input->name);
	struct digest digest;
	int rc;

	if (!known || !known->complete || !known->has_digest || known->loss || input->source.fd < 0)
		return;
	/* That it cannot be read has been told. */
	rc = warc_file_sum(input->source.fd, known->size, &digest);
	if (rc == 0 && !digest_eq(&digest, &known->digest))
		verify_problem(v, (slice){0}, &(struct verify_place){.file = input->shown},
			"the file is not as it was written: its SHA-256 differs");
}

/* ---- looks that wait in the catalog ---- */

struct waiting {
	struct reading reading;
	struct verify_input input;
	uint64_t count;
	struct err *err;
};

static int take_waiting(void *context, const struct evidence_item *item)
{
	struct waiting *w = context;

	w->count += !w->reading.reader.is_compact &&
		    (item->kind == EVIDENCE_LOOK || item->kind == EVIDENCE_BAD_LOOK);
	return take(&w->reading, item);
}

static int on_waiting(void *context, const struct catalog_look *looks)
{
	struct waiting *w = context;

	return evidence_read_looks(
		&w->reading.reader, w->input.name, looks->rows, looks->batch, w->err);
}

int verify_waiting(struct verify *v, struct catalog *catalog, struct err *err)
{
	static const slice NAME = SLICE_INIT("catalog.sqlite");
	struct waiting w = {.input = {.source.fd = -1, .shown = NAME, .name = NAME}, .err = err};
	int rc;

	reading_init(&w.reading, v, &w.input);
	w.reading.reader.sink = take_waiting;
	w.reading.reader.context = &w;
	rc = catalog_each_look(catalog, on_waiting, &w, err);
	reading_release(&w.reading);
	if (rc == 0 && w.count > 0)
		verify_note(v, (slice){0}, NULL,
			"looks that wait in the catalog for their record: %llu; 'stillpoint "
			"resume' writes it",
			(unsigned long long)w.count);
	return rc;
}
