#include "crawl/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/word.h"
#include "formats/http_echo.h"
#include "proof/verdict.h"

enum {
	TAIL_MAX = 16 << 10,
};

/* ---- texts that are looked for ---- */

static void look_in(struct reading *r, slice text)
{
	if (!r->has_sentinel && r->sentinel.len > 0 && text.len > 0)
		r->has_sentinel =
			memmem(text.ptr, text.len, r->sentinel.ptr, r->sentinel.len) != NULL;
	for (size_t i = 0; !r->has_secret && i < r->secret_count; i++)
		r->has_secret = echo_has(text, r->secrets[i]);
}

/* How many bytes before a chunk may be the beginning of what is in it. */
static size_t reach_of(const struct reading *r)
{
	size_t most = r->sentinel.len;

	for (size_t i = 0; i < r->secret_count; i++)
		if (r->secrets[i].len * ECHO_FACTOR > most)
			most = r->secrets[i].len * ECHO_FACTOR;
	return most > TAIL_MAX / 2 ? TAIL_MAX / 2 : most;
}

/* Looks in a chunk, and where the last one meets it. */
static int look_for(struct reading *r, slice chunk)
{
	size_t keep = reach_of(r);

	if (keep == 0 || chunk.len == 0)
		return 0;
	TRY(buf_add(&r->tail, slice_sub(chunk, 0, keep)));
	look_in(r, buf_slice(&r->tail));
	look_in(r, chunk);
	if (chunk.len >= keep) {
		buf_reset(&r->tail);
		TRY(buf_add(&r->tail, slice_sub(chunk, chunk.len - keep, chunk.len)));
	} else if (r->tail.len > keep) {
		memmove(r->tail.ptr, r->tail.ptr + r->tail.len - keep, keep);
		buf_truncate(&r->tail, keep);
	}
	return 0;
}

static int sink(void *context, slice decoded)
{
	struct reading *r = context;
	size_t room;

	if (r->stopping && atomic_load(r->stopping))
		return ERR_STOPPED;
	TRY(look_for(r, decoded));
	if (r->parsing)
		return page_feed(r->page, decoded);
	if (r->mode != READING_BODY)
		return 0;
	room = r->body.max - r->body.len;
	return buf_add(&r->body, slice_sub(decoded, 0, room));
}

int reading_init(struct reading *r, size_t body_max)
{
	*r = (struct reading){.book = rulebook_default()};
	links_init(&r->links);
	resolver_init(&r->resolver, hash_key_random());
	url_init(&r->url);
	page_text_init(&r->text);
	buf_init(&r->body, body_max);
	buf_init(&r->tail, 2 * (size_t)TAIL_MAX);
	stand_in_init(&r->stand_in);
	forms_init(&r->forms);
	deceit_init(&r->deceit);
	r->page = malloc(sizeof *r->page);
	r->state = state_new(sink, r);
	if (r->page && r->state)
		return 0;
	reading_release(r);
	return ERR_NOMEM;
}

void reading_release(struct reading *r)
{
	state_free(r->state);
	free(r->page);
	links_release(&r->links);
	resolver_release(&r->resolver);
	url_release(&r->url);
	page_text_release(&r->text);
	buf_release(&r->body);
	buf_release(&r->tail);
	required_release(&r->required);
	stand_in_release(&r->stand_in);
	forms_release(&r->forms);
	deceit_release(&r->deceit);
	*r = (struct reading){0};
}

const struct url *reading_url(struct reading *r, slice url)
{
	/* One that is as its own serialisation is what was parsed last. */
	if (r->url.text.len > 0 && slice_eq(url_text(&r->url), url))
		return &r->url;
	return url_parse(&r->url, url, NULL, NULL) ? NULL : &r->url;
}

slice reading_field(const struct reading *r, slice name)
{
	return fields_get(state_fields(r->state), name);
}

const struct fields *reading_head(const struct reading *r)
{
	return state_fields(r->state);
}

bool reading_is_html(const struct reading *r)
{
	return r->signing;
}

struct reading_signs reading_signs(const struct reading *r)
{
	return (struct reading_signs){.is_known = !r->required.is_on,
		.is_html = r->signing,
		.is_read = r->is_read,
		.body = r->signs};
}

uint64_t reading_manner(const struct reading *r)
{
	return manner_of(state_fields(r->state), required_number(&r->required));
}

int reading_stand_in(const struct reading *r, const struct state_result *result, slice url,
	char ret[STAND_IN_SIZE])
{
	return stand_in_judge(
		&(struct stand_in_facts){
			.status = result->status,
			.head = state_fields(r->state),
			.url = url,
			.body = r->is_read ? &r->signs : NULL,
			.missing = r->is_read ? required_missing(&r->required) : (slice){0},
		},
		ret);
}

void reading_served(const struct reading *r, int64_t now, struct served *ret)
{
	served_read(state_fields(r->state), now, ret);
}

static int begin_links(struct reading *r)
{
	const struct fields *fields;

	links_reset(&r->links);
	if (r->gathers_forms)
		forms_reset(&r->forms);
	page_text_reset(&r->text);
	/* Link and Refresh headers count for any kind of document. */
	fields = state_fields(r->state);
	for (size_t i = 0; i < fields->items.len; i++) {
		slice name = fields->items.ptr[i].name, value = fields->items.ptr[i].value;

		if (word_is(name, SLICE("link")))
			links_header(&r->links, value);
		else if (word_is(name, SLICE("refresh")))
			links_refresh(&r->links, value);
	}
	return 0;
}

/* Starts the parser if anything is wanted of it. Elements that must be there are looked for. */
static int begin(struct reading *r, const struct net_fetch *f, bool parses)
{
	slice type = media_type_of_head(state_fields(r->state));
	bool wants_links = r->mode == READING_LINKS || r->mode == READING_TEXT;

	r->signing = r->mode != READING_BODY && stand_in_applies(state_fields(r->state));
	if (r->signing)
		TRY(required_start(&r->required, &r->book->ignore, f->url));
	r->required.is_on = r->required.is_on && r->signing;
	r->signing = r->signing && (parses || r->required.is_on);
	r->suspects = r->suspects && wants_links && r->signing;
	if (r->suspects)
		deceit_start(&r->deceit);
	if (r->signing)
		stand_in_reset(&r->stand_in);
	r->parsing = r->signing || (wants_links && page_format_of(type) != PAGE_OPAQUE);
	if (r->parsing)
		page_open(r->page,
			&(struct page_params){
				.content_type = type,
				.links = wants_links ? &r->links : NULL,
				.text = r->mode == READING_TEXT ? &r->text : NULL,
				.required = r->required.is_on ? &r->required : NULL,
				.stand_in = r->signing ? &r->stand_in : NULL,
				.deceit = r->suspects ? &r->deceit : NULL,
				.forms = r->gathers_forms && wants_links ? &r->forms : NULL,
				.lasting = f->spool < 0 && !state_is_coded(r->state),
			});
	return wants_links ? begin_links(r) : 0;
}

static int feed_spool(struct reading *r, int fd, uint64_t size, struct err *err)
{
	char chunk[PAGE_STEP];
	uint64_t at = 0;

	while (at < size) {
		ssize_t n = io_read_at(fd, chunk, sizeof chunk, at);
		int rc;

		if (n <= 0)
			return err_set(err, ERR_IO, "spool: %s", n ? strerror(errno) : "cut off");
		rc = state_feed(r->state, (slice){chunk, (size_t)n});
		if (rc)
			return err_code(err, rc);
		at += (uint64_t)n;
	}
	return 0;
}

static int feed(struct reading *r, const struct net_fetch *f, struct err *err)
{
	if (f->spool >= 0)
		return feed_spool(r, f->spool, f->body_size, err);
	return err_code(err, state_feed(r->state, f->body));
}

/* Bodies that differ are read twice; on sites where most do, they are parsed at once. */
enum { MISSES_MAX = 16 };

/* Whether what comes may be known, so that parsing it can wait until it is not. */
static bool may_know(const struct reading *r, const struct net_fetch *f)
{
	return r->mode == READING_STATE && r->known && r->known->signs.is_known && f->spool < 0 &&
	       r->misses <= r->hits + MISSES_MAX;
}

static bool is_known(const struct reading *r, const struct state_result *s)
{
	return digest_eq(&s->payload, &r->known->payload) &&
	       manner_coding(s->coding, reading_manner(r)) == r->known->coding;
}

static int read_once(struct reading *r, const struct net_fetch *f, bool parses,
	struct state_result *ret, struct err *err)
{
	int rc;

	r->parsing = false;
	r->is_read = false;
	buf_reset(&r->body);
	buf_reset(&r->tail);
	r->has_sentinel = r->has_secret = false;
	for (size_t i = 0; !r->has_secret && i < r->secret_count; i++)
		r->has_secret = echo_has(f->head, r->secrets[i]);
	rc = state_start(r->state, f->head, err);
	if (rc)
		return rc;
	rc = begin(r, f, parses);
	if (rc == 0)
		rc = feed(r, f, err);
	if (rc == 0)
		rc = state_finish(r->state, ret);
	if (rc == 0 && r->parsing)
		rc = page_finish(r->page);
	r->signing = r->signing && r->parsing && page_is_html(r->page);
	if (r->parsing)
		page_close(r->page);
	r->parsing = false;
	r->is_read = rc == 0 && r->signing && manner_is_read(ret);
	if (r->is_read)
		r->signs = stand_in_body(&r->stand_in);
	return err_code(err, rc);
}

int reading_read(struct reading *r, const struct net_fetch *f, enum reading_for mode,
	struct state_result *ret, struct err *err)
{
	r->mode = mode;
	if (!may_know(r, f))
		return read_once(r, f, true, ret, err);
	TRY(read_once(r, f, false, ret, err));
	if (r->required.is_on)
		return 0;
	if (!is_known(r, ret)) {
		r->misses++;
		return read_once(r, f, true, ret, err);
	}
	r->hits++;
	r->signing = r->known->signs.is_html;
	r->is_read = r->known->signs.is_read && manner_is_read(ret);
	r->signs = r->known->signs.body;
	return 0;
}
