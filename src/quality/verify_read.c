/* The records of one WARC file: digests, states, attempts. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "archive/attempt.h"
#include "archive/cdxj_record.h"
#include "archive/compact.h"
#include "archive/warc_date.h"
#include "archive/warc_file.h"
#include "archive/warc_reader.h"
#include "base/file.h"
#include "catalog/catalog_line.h"
#include "http/served.h"
#include "quality/member.h"
#include "quality/response_reader.h"
#include "quality/verify_exchange.h"
#include "quality/verify_run.h"
#include "url/url.h"

enum { METADATA_MAX = COMPACT_BLOCK_MAX, SCRATCH_MAX = 4 << 20 };

struct reading {
	struct verify *v;
	const struct verify_input *in;
	const struct verify_file *known; /* what the catalog says of the file, or NULL */
	struct warc_reader *reader;
	int fd;
	struct response_reader responses;
	slice records; /* of the compact look that is read, or empty */
	struct member_forms forms;
	struct buf block;     /* of a metadata record */
	struct arena scratch; /* strings of one attempt */
	struct verify_request request;
	bool is_begun;        /* a record of an attempt has been read */
	struct buf key, line; /* of the index */
	struct err err;       /* of the file that is read */
	bool is_compact;      /* the records are those of a compact look, of a batch … */
	uint64_t batch;       /* … at this offset */
};

static struct verify_place place_of(const struct reading *r, const struct warc_record *rec)
{
	return (struct verify_place){
		.file = r->in->shown, .offset = r->is_compact ? r->batch : rec->spot.offset};
}

/* ---- responses ---- */

static int read_message(struct reading *r, slice url)
{
	slice bytes;
	int rc;

	r->responses.url = url;
	response_reader_start(&r->responses);
	while ((rc = warc_reader_block(r->reader, &bytes, &r->err)) == 0) {
		rc = response_reader_feed(&r->responses, bytes);
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

static int fill(struct reading *r, const struct state_result *s, struct evidence *e)
{
	e->status = (uint16_t)s->status;
	e->whole = s->whole;
	e->decoded = s->decoded;
	e->coding_end = (uint8_t)s->coding_end;
	e->close_delimited = s->close_delimited;
	e->has_state = true;
	e->state = s->state;
	e->payload = s->payload;
	e->body = s->body;
	return words_number(&r->v->words, s->coding, &e->coding);
}

static int finish_response(struct reading *r, struct evidence *e)
{
	struct state_result result;
	slice missing;
	int rc = response_reader_finish(&r->responses, &result);

	if (rc == ERR_SYNTAX) /* no HTTP: a record that no attempt can claim a status for */
		return 0;
	if (rc)
		return rc;
	e->has_signs = response_reader_signs(&r->responses, &e->signs);
	missing = response_reader_missing(&r->responses);
	rc = words_number(&r->v->words, missing.len ? missing : SLICE(""), &e->missing);
	return rc ? rc : fill(r, &result, e);
}

static void read_served(struct reading *r, const struct warc_record *rec, struct evidence *e)
{
	struct served s;

	served_read(response_reader_head(&r->responses), rec->header.date, &s);
	e->served = evidence_served(
		&r->v->evidence, &(struct attempt){
					 .modified = s.modified,
					 .etag = s.etag,
					 .age = {s.has_age, s.age},
					 .caches = s.caches[0] ? slice_str(s.caches) : (slice){0},
				 });
}

/* What stands in the page's place, as far as its head and body show. */
static int judge_stand_in(struct reading *r, const struct warc_record *rec, struct evidence *e)
{
	struct stand_in_facts facts = {
		.status = e->status,
		.head = response_reader_head(&r->responses),
		.url = rec->header.url,
		.body = e->has_signs ? &e->signs : NULL,
		.missing = words_text(&r->v->words, e->missing),
	};
	char text[STAND_IN_SIZE];
	int rc = stand_in_judge(&facts, text);

	return rc ? rc : words_number(&r->v->words, slice_str(text), &e->stand_in);
}

static uint64_t hash_url(const struct reading *r, slice url)
{
	return hash_bytes(r->v->evidence.key, url);
}

/*
 * Replay finds the other record by its URL and date, and the body there: a record without a body
 * of its own is of no use to it.
 */
static int check_reference(
	struct reading *r, const struct warc_record *rec, const struct evidence *of)
{
	const struct warc_header *h = &rec->header;
	struct verify_place place = place_of(r, rec);
	slice date = warc_header_get(h, SLICE("WARC-Refers-To-Date"));
	slice url = warc_header_uri(h, SLICE("WARC-Refers-To-Target-URI"));
	int64_t time;

	if (of->is_revisit)
		return verify_problem(r->v, h->url, &place, "it refers to a record without a body");
	if (url.ptr && hash_url(r, url) != of->url)
		return verify_problem(
			r->v, h->url, &place, "the record it refers to has another URL");
	if (date.ptr && (warc_date_parse(date, &time) || !verify_is_date_of(time, of->date)))
		return verify_problem(
			r->v, h->url, &place, "the record it refers to has another date");
	return 0;
}

/* What is not there was in a file that is lost, if there is one. */
static int tell_lost(
	struct reading *r, slice url, const struct verify_place *place, const char *text)
{
	int rc;

	verify_blame(r->v, r->v->loss);
	rc = verify_problem(r->v, url, place, "%s", text);
	verify_blame(r->v, 0);
	return rc;
}

/* Its own head with the body of the other record. */
static int combine(struct reading *r, const struct evidence *of, struct evidence *e)
{
	struct state_result state = {
		.whole = of->whole && of->sound,
		.decoded = of->decoded,
		.coding_end = (enum coding_end)of->coding_end,
		.payload = of->payload,
		.body = of->body,
		.coding = words_text(&r->v->words, of->coding),
	};
	int rc = response_reader_combine(&r->responses, &state, &state);

	if (rc)
		return rc;
	e->has_signs = of->has_signs;
	e->signs = of->signs;
	e->missing = of->missing;
	return fill(r, &state, e);
}

/* Its body is that of the record it refers to, if that says the same of it. */
static int finish_revisit(struct reading *r, const struct warc_record *rec, struct evidence *e)
{
	struct verify_place place = place_of(r, rec);
	slice url = rec->header.url;
	const struct evidence *of = evidence_find(&r->v->evidence,
		fields_trim(warc_header_get(&rec->header, SLICE("WARC-Refers-To"))));
	slice stated = warc_header_get(&rec->header, SLICE("WARC-Payload-Digest"));
	struct digest payload;
	int rc;

	if (!of || !of->has_state)
		return tell_lost(r, url, &place, "the record it refers to is not there");
	if (digest_parse(stated, &payload) || !digest_eq(&payload, &of->payload))
		return verify_problem(
			r->v, url, &place, "the record it refers to has another payload");
	rc = check_reference(r, rec, of);
	if (rc == 0)
		rc = combine(r, of, e);
	if (rc == ERR_STATE)
		return verify_problem(
			r->v, url, &place, "the record it refers to has another content coding");
	if (rc == ERR_SYNTAX)
		return verify_problem(r->v, url, &place, "it has no HTTP head");
	return rc;
}

/* The hash of the line that the index has of the record, if it is to have one. */
static int hash_line(struct reading *r, const struct warc_record *rec, uint64_t *ret)
{
	int rc = cdxj_record_line(&r->line, &r->key, rec, r->in->name);

	if (rc == 0)
		*ret = hash_bytes(r->v->evidence.key, buf_slice(&r->line));
	return rc == ERR_NOMEM ? rc : 0;
}

static bool is_our_profile(slice profile)
{
	return slice_eq(profile, SLICE("http://netpreserve.org/warc/1.1/revisit/"
				       "identical-payload-digest"));
}

static int keep_evidence(struct reading *r, const struct warc_record *rec)
{
	struct verify_place place = place_of(r, rec);
	struct evidence e = {
		.offset = place.offset,
		.is_compact = r->is_compact,
		.url = hash_url(r, rec->header.url),
		.date = rec->header.date,
		.sound = rec->problem.code == 0,
		.is_revisit = rec->header.type == WARC_TYPE_REVISIT,
		.has_digest = rec->block == WARC_VERDICT_OK,
		.is_ours = is_our_profile(warc_header_get(&rec->header, SLICE("WARC-Profile"))),
	};
	slice id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID")));
	int rc = words_number(&r->v->words, r->in->name, &e.file);

	r->request.made = false;
	r->is_begun = true;
	if (rc == 0)
		rc = verify_address(r->v, rec, &e.ip);
	if (rc == 0 && !r->is_compact) /* compact looks are not in the index */
		rc = hash_line(r, rec, &e.line);
	if (rc == 0)
		rc = rec->header.type == WARC_TYPE_REVISIT ? finish_revisit(r, rec, &e)
							   : finish_response(r, &e);
	if (rc == 0 && e.has_state)
		rc = judge_stand_in(r, rec, &e);
	if (e.has_state)
		read_served(r, rec, &e);
	if (rc || !id.ptr)
		return rc;
	if (warc_header_get(&rec->header, SLICE("WARC-Truncated")).ptr)
		e.whole = false;
	rc = evidence_add(&r->v->evidence, id, &e);
	if (rc == ERR_EXISTS)
		return verify_problem(r->v, rec->header.url, &place, "the record is there twice");
	return rc;
}

/* ---- attempts ---- */

static int read_metadata(struct reading *r)
{
	slice bytes;
	int rc;

	buf_reset(&r->block);
	while ((rc = warc_reader_block(r->reader, &bytes, &r->err)) == 0) {
		rc = buf_add(&r->block, bytes);
		if (rc == ERR_LIMIT) { /* no attempt of ours is as long as that */
			buf_reset(&r->block);
			return 0;
		}
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

/*
 * The same of what the comparison with an earlier look found. A claim that the two bodies do not
 * show counts for nothing.
 */
static int hold_comparison(struct reading *r, const struct verify_place *place,
	const struct attempt *a, struct evidence *e, struct observation *shown)
{
	struct verify_claim claim = {.attempt = a,
		.evidence = e,
		.place = place,
		.book = r->responses.book,
		.path = r->in->path,
		.records = r->records};
	int rc = 0;

	evidence_claim(&r->v->evidence, e, a);
	if (a->close_delimited && !e->close_delimited && e->sound && e->has_state)
		rc = verify_problem(r->v, a->url, place,
			"its attempt says that the body is close-delimited, the response that it "
			"is not");
	shown->close_delimited = e->close_delimited;
	shown->key.has_class = a->has_class && shown->key.has_state && !a->close_delimited;
	if (rc == 0 && shown->key.has_class)
		rc = verify_claim(r->v, &claim, &shown->key.has_class);
	return rc;
}

/*
 * What stands in the page's place: that which the record shows, if the attempt was judged by the
 * same signs. An attempt of an earlier version was not judged at all.
 */
static int hold_stand_in(struct reading *r, const struct verify_place *place,
	const struct attempt *a, const struct evidence *e, struct observation *shown)
{
	slice seen = words_text(&r->v->words, e->stand_in);
	slice said = a->stand_in.ptr ? a->stand_in : SLICE("");

	if (a->sign_set != STAND_IN_VERSION || !e->has_state || !e->sound)
		return 0;
	observation_set_stand_in(shown, seen);
	if (slice_eq(seen, said))
		return 0;
	return verify_problem(r->v, a->url, place,
		"its attempt says that '%.*s' stands in the page's place, the response '%.*s'",
		slice_shown(said, STAND_IN_SIZE), said.ptr, (int)seen.len, seen.ptr);
}

/* What the record really shows, and whether the attempt says so. */
static int hold_against_record(struct reading *r, const struct verify_place *place,
	const struct attempt *a, struct evidence *e, struct observation *shown)
{
	int rc = 0;

	if (e->claimed)
		rc = verify_problem(r->v, a->url, place, "another attempt has the same record");
	e->claimed = true;
	if (rc == 0 && e->url != hash_bytes(r->v->evidence.key, attempt_target(a))) {
		rc = verify_problem(r->v, a->url, place, "its response is that of another URL");
		e->sound = false;
	}
	if (rc == 0 && e->has_state && e->status != a->status)
		rc = verify_problem(r->v, a->url, place,
			"its attempt says status %u, the response %u", a->status, e->status);
	if (rc == 0 && e->has_state && e->sound && !e->whole && !a->truncated)
		rc = verify_problem(r->v, a->url, place, "%s",
			e->coding_end == CODING_CUT
				? "its attempt says that the body is whole, but its content coding "
				  "is cut off or damaged (older versions did not look at that)"
				: "its attempt says that the body is whole, the response that it "
				  "is not");
	if (rc == 0 && e->has_state && e->whole && a->has_state && !digest_eq(&e->state, &a->state))
		rc = verify_problem(
			r->v, a->url, place, "its attempt says another state than the response");
	shown->status = e->has_state ? e->status : a->status;
	shown->whole = e->sound && e->has_state && e->whole && !a->truncated;
	shown->key.has_state = shown->whole;
	shown->key.state = e->state;
	shown->is_html = e->has_signs;
	if (rc == 0)
		rc = hold_stand_in(r, place, a, e, shown);
	return rc ? rc : hold_comparison(r, place, a, e, shown);
}

/* The line of a response to POST has the body of the request in its key (post_query.h). */
static int hold_line(struct reading *r, const struct attempt *a, struct evidence *e)
{
	slice rest = buf_slice(&r->line);
	int rc;

	if (!a->post.ptr || !e->line || e->line != hash_bytes(r->v->evidence.key, rest))
		return 0;
	rc = cdxj_key(&r->key, a->url);
	(void)slice_take(&rest, ' ');
	if (rc == 0)
		rc = buf_add_char(&r->key, ' ');
	if (rc == 0)
		rc = buf_add(&r->key, rest);
	if (rc == 0)
		e->line = hash_bytes(r->v->evidence.key, buf_slice(&r->key));
	return rc == ERR_NOMEM ? rc : 0;
}

static int observe(struct reading *r, const struct warc_record *rec, const struct attempt *a,
	struct observation *shown)
{
	struct verify_place place = place_of(r, rec);
	struct evidence *e = evidence_find(&r->v->evidence,
		fields_trim(warc_header_get(&rec->header, SLICE("WARC-Concurrent-To"))));

	int rc = verify_exchange(r->v,
		&(struct verify_exchange){.place = &place,
			.metadata = rec,
			.request = &r->request,
			.response = e,
			.is_split = !r->is_begun},
		a);

	*shown = legs_observe(a);
	if (rc)
		return rc;
	if (e) {
		rc = hold_line(r, a, e);
		return rc ? rc : hold_against_record(r, &place, a, e, shown);
	}
	if (a->status == 0 || a->retired)
		return 0;
	shown->whole = shown->key.has_state = shown->key.has_class = false;
	shown->failure = (slice){0};
	verify_blame(r->v, r->v->loss);
	rc = verify_problem(r->v, a->url, &place, "the response of this %s is not there",
		attempt_leg_name(a->leg));
	verify_blame(r->v, 0);
	return rc;
}

static bool is_again(const struct legs *l, const struct attempt *a)
{
	if (!legs_has(a->leg))
		return l->look_number == a->number;
	if (a->leg == ATTEMPT_REVISIT)
		return l->revisit.made && l->revisit_number == a->number;
	return l->visit.made && l->visit_number == a->number && l->late == (a->leg == ATTEMPT_LATE);
}

static int add_to_page(struct reading *r, const struct verify_place *place, const struct attempt *a,
	struct observation *shown)
{
	struct verify_capture *c;
	uint32_t page;
	int rc = verify_find_capture(r->v, a->capture, &c);

	if (rc == 0) {
		c->is_imported = !r->known && (c->is_imported || c->pages.len == 0);
		rc = words_number(&c->urls, a->url, &page);
	}
	if (rc == 0 && page == c->pages.len)
		rc = legs_vec_push(&c->pages, (struct legs){0});
	if (rc == 0)
		rc = legs_keep_texts(shown, &r->v->words);
	shown->rules = (slice){0}; /* the attempt's, which does not live as long */
	if (rc == 0 && is_again(&c->pages.ptr[page], a))
		rc = verify_problem(r->v, a->url, place, "attempt %u of the %s is there twice",
			a->number, attempt_leg_name(a->leg));
	if (rc)
		return rc;
	c->single = c->single || a->single;
	c->book = r->responses.book;
	stillpoint_add(&c->window, a->leg, &a->wall);
	legs_add(&c->pages.ptr[page], a, shown);
	return 0;
}

/* An attempt of a leg that only a later version knows: its records are not judged. */
static int pass_over(struct reading *r, const struct warc_record *rec)
{
	struct verify_place place = place_of(r, rec);
	struct evidence *e = evidence_find(&r->v->evidence,
		fields_trim(warc_header_get(&rec->header, SLICE("WARC-Concurrent-To"))));

	if (e)
		e->claimed = true;
	r->request.made = false;
	r->is_begun = true;
	return verify_note(r->v, rec->header.url, &place,
		"its attempt has a leg of a later version, which is passed over");
}

/* A metadata record that is not about an attempt. */
static int keep_note(struct reading *r, const struct verify_clock_record *note)
{
	int rc = verify_clock_moment(r->v, note);

	return rc ? rc : verify_learned_record(r->v, note);
}

static int keep_attempt(struct reading *r, const struct warc_record *rec)
{
	struct verify_place place = place_of(r, rec);
	struct observation shown;
	struct evidence *e;
	struct attempt a;
	int rc;

	if (rec->problem.code || r->block.len == 0)
		return 0;
	if (slice_eq(rec->header.url, SLICE(CATALOG_TABLE_TARGET)))
		return verify_table_record(r->v, buf_slice(&r->block), &place, &r->scratch);
	arena_reset(&r->scratch);
	rc = attempt_parse(buf_slice(&r->block), rec->header.url, &r->scratch, &a, NULL);
	if (rc == ERR_NOTFOUND)
		return keep_note(r, &(struct verify_clock_record){
					    .uuid = rec->header.url,
					    .block = buf_slice(&r->block),
					    .date = rec->header.date,
					    .place = place,
					    .scratch = &r->scratch,
				    });
	if (rc == ERR_NOMEM)
		return rc;
	if (rc == ERR_UNSUPPORTED)
		return pass_over(r, rec);
	if (rc)
		return verify_problem(r->v, rec->header.url, &place, "the attempt cannot be read");
	rc = observe(r, rec, &a, &shown);
	r->request.made = false;
	r->is_begun = true;
	if (rc == 0)
		rc = verify_clock_attempt(r->v, &a, &place);
	if (rc == 0 && a.leg != ATTEMPT_SIDE)
		rc = add_to_page(r, &place, &a, &shown);
	if (rc || a.leg == ATTEMPT_SIDE)
		return rc;
	e = evidence_find(&r->v->evidence,
		fields_trim(warc_header_get(&rec->header, SLICE("WARC-Concurrent-To"))));
	rc = verify_learned_look(r->v, &a, e);
	if (rc == 0 && e)
		rc = verify_old_claim(r->v,
			&(struct verify_claim){.attempt = &a,
				.evidence = e,
				.place = &place,
				.book = r->responses.book,
				.path = r->in->path,
				.records = r->records},
			&shown);
	return rc;
}

/* ---- compact looks ---- */

static int read_record(struct reading *r, const struct warc_record *rec);

/*
 * The records that a look stands for, by the code that reads those of a file. Rules are those of
 * the capture, whose visits come before: a look that had waited may be in a file of another one.
 */
static int read_expanded(void *context, const struct compact_look *look, slice records)
{
	struct reading *r = context;
	struct warc_source source = {.fd = -1, .memory = records};
	const struct rulebook *book = r->responses.book;
	struct warc_reader *outer = r->reader;
	const struct warc_record *rec;
	struct verify_capture *c;
	int rc = verify_find_capture(r->v, look->attempt.capture, &c);

	if (rc)
		return rc;
	if (c->book)
		r->responses.book = c->book;
	r->records = records;
	rc = warc_reader_open_source(&source, 0, &r->reader, &r->err);
	if (rc == 0) {
		while (rc == 0 && (rc = warc_reader_next(r->reader, &rec, &r->err)) == 0)
			rc = read_record(r, rec);
		warc_reader_close(r->reader);
	}
	r->reader = outer;
	r->records = (slice){0};
	r->responses.book = book;
	return rc == ERR_END ? 0 : rc;
}

static int read_looks(struct reading *r, slice block, const struct verify_place *place)
{
	struct verify_batch batch = {.path = r->in->path, .block = block, .place = *place};
	struct buf own = r->block; /* the block may be in it; looks have metadata, too */
	int rc;

	buf_init(&r->block, METADATA_MAX);
	r->is_compact = true;
	r->batch = place->offset;
	rc = verify_looks(r->v, &batch, read_expanded, r);
	r->is_compact = false;
	r->is_begun = true;
	buf_release(&r->block);
	r->block = own;
	return rc;
}

static int keep_looks(struct reading *r, const struct warc_record *rec)
{
	struct verify_place place = place_of(r, rec);

	if (r->is_compact || rec->problem.code)
		return 0; /* has been told, or is one within another, which we do not write */
	return read_looks(r, buf_slice(&r->block), &place);
}

/* ---- records ---- */

static int read_block(struct reading *r, const struct warc_record *rec)
{
	enum warc_type type = rec->header.type;

	if (type == WARC_TYPE_RESPONSE || type == WARC_TYPE_REVISIT)
		return read_message(r, rec->header.url);
	return type == WARC_TYPE_METADATA || type == WARC_TYPE_WARCINFO ? read_metadata(r) : 0;
}

/* They hold for what follows in the file. */
static int keep_rules(struct reading *r, const struct warc_record *rec)
{
	struct verify_place place = place_of(r, rec);

	return verify_rules_record(r->v, buf_slice(&r->block), &place, &r->responses.book);
}

static int keep_record(struct reading *r, const struct warc_record *rec)
{
	if (rec->header.type == WARC_TYPE_RESPONSE || rec->header.type == WARC_TYPE_REVISIT)
		return keep_evidence(r, rec);
	if (rec->header.type == WARC_TYPE_REQUEST) {
		r->is_begun = true;
		return verify_request_keep(r->v, &r->request, rec);
	}
	if (rec->header.type == WARC_TYPE_WARCINFO)
		return keep_rules(r, rec);
	if (rec->header.type != WARC_TYPE_METADATA)
		return 0;
	return compact_is_type(rec->header.content_type) ? keep_looks(r, rec)
							 : keep_attempt(r, rec);
}

static int tell_problem(struct reading *r, const struct warc_record *rec)
{
	struct verify_place place = place_of(r, rec);
	bool ours = r->known && warc_reader_coding(r->reader) == WARC_CODING_GZIP;

	if (rec->problem.code)
		return verify_problem(r->v, rec->header.url, &place, "%s", rec->problem.text);
	if (ours && !rec->is_shared && !member_check(&r->forms, r->fd, rec->spot.offset))
		return verify_problem(
			r->v, rec->header.url, &place, "the head of the gzip member is damaged");
	if (r->known && rec->block != WARC_VERDICT_OK)
		return verify_problem(r->v, rec->header.url, &place,
			"the record has no block digest that could be checked");
	if (r->known && rec->header.type == WARC_TYPE_RESPONSE && rec->payload != WARC_VERDICT_OK)
		return verify_problem(r->v, rec->header.url, &place,
			"the record has no payload digest that could be checked");
	return 0;
}

static int read_record(struct reading *r, const struct warc_record *rec)
{
	int rc = 0;

	if (!rec->is_gap) {
		r->v->records += !r->is_compact;
		r->v->redacted += warc_header_get(&rec->header, SLICE("WARC-Redacted")).ptr != NULL;
		rc = read_block(r, rec);
		if (rc == 0)
			rc = warc_reader_end(r->reader, &r->err);
	}
	if (rc == 0)
		rc = tell_problem(r, rec);
	return rc || rec->is_gap ? rc : keep_record(r, rec);
}

/* Behind the last commit there is nothing that anybody has claimed yet. */
static bool is_behind_commit(const struct reading *r, const struct warc_record *rec)
{
	return r->known && !r->known->complete && rec->spot.offset >= r->known->size;
}

static int read_records(struct reading *r, struct progress *progress)
{
	uint64_t before = progress ? progress->done : 0;
	const struct warc_record *rec;
	int rc = 0;

	while (rc == 0 && (rc = warc_reader_next(r->reader, &rec, &r->err)) == 0) {
		struct verify_place place = place_of(r, rec);

		if (is_behind_commit(r, rec))
			return verify_note(r->v, (slice){0}, &place,
				"what follows is not committed yet; 'stillpoint resume' sees to "
				"it");
		rc = read_record(r, rec);
		if (progress)
			progress_update(progress, before + rec->spot.offset, NULL);
	}
	return rc;
}

static const struct verify_file *find_known(const struct verify *v, slice name)
{
	uint32_t number;

	return strmap_get(&v->file_names.map, name, &number) ? &v->files.ptr[number] : NULL;
}

/* A file that cannot be read is a problem like any other. */
static int tell_unreadable(struct reading *r, const char *why)
{
	return verify_problem(r->v, (slice){0}, &(struct verify_place){.file = r->in->shown},
		"cannot be read: %s", why);
}

static int open_and_read(struct reading *r, struct progress *progress)
{
	struct warc_source source = {.fd = r->fd};
	int rc;

	if (r->fd < 0)
		return tell_unreadable(r, file_problem(errno));
	rc = warc_reader_open_source(&source, 0, &r->reader, &r->err);
	if (rc == 0)
		rc = read_records(r, progress);
	warc_reader_close(r->reader);
	if (rc == 0 || rc == ERR_END)
		return 0;
	return rc == ERR_NOMEM ? rc : tell_unreadable(r, r->err.text);
}

static int reading_init(struct reading *r, struct verify *v, const struct verify_input *input)
{
	*r = (struct reading){.v = v, .in = input, .fd = -1};
	buf_init(&r->block, METADATA_MAX);
	buf_init(&r->key, 2 * URL_MAX);
	buf_init(&r->line, CDXJ_LINE_MAX + 1);
	verify_request_init(&r->request);
	arena_init(&r->scratch, SCRATCH_MAX);
	return response_reader_init(&r->responses);
}

static void reading_release(struct reading *r)
{
	if (r->fd >= 0)
		(void)close(r->fd);
	response_reader_release(&r->responses);
	buf_release(&r->block);
	buf_release(&r->key);
	buf_release(&r->line);
	verify_request_release(&r->request);
	arena_release(&r->scratch);
}

int verify_read(struct verify *v, const struct verify_input *input, struct progress *progress,
	struct err *err)
{
	struct reading r;
	int rc = reading_init(&r, v, input);

	r.known = find_known(v, input->name);
	r.fd = file_open_inside(AT_FDCWD, input->path);
	if (rc == 0)
		rc = open_and_read(&r, progress);
	reading_release(&r);
	return rc ? err_set(err, rc, "%s: %s", input->path, err_name(rc)) : 0;
}

int verify_read_looks(struct verify *v, const struct verify_input *input, slice block,
	const struct verify_place *place)
{
	struct reading r;
	int rc = reading_init(&r, v, input);

	if (rc == 0)
		rc = read_looks(&r, block, place);
	reading_release(&r);
	return rc;
}

/* What no record's digest covers is in the file's: its header lines, and what was removed. */
int verify_sum(struct verify *v, const struct verify_input *input)
{
	const struct verify_file *known = find_known(v, input->name);
	struct digest digest;
	int fd, rc;

	if (!known || !known->complete || !known->has_digest || known->loss)
		return 0;
	fd = file_open_inside(AT_FDCWD, input->path);
	rc = fd < 0 ? ERR_IO : warc_file_sum(fd, known->size, &digest);
	if (fd >= 0)
		(void)close(fd);
	if (rc == ERR_IO || (rc == 0 && digest_eq(&digest, &known->digest)))
		return 0; /* that it cannot be read has been told */
	if (rc)
		return rc;
	return verify_problem(v, (slice){0}, &(struct verify_place){.file = input->shown},
		"the file is not as it was written: its SHA-256 differs");
}
