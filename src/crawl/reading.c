#include "crawl/reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/word.h"
#include "http/echo.h"
#include "quality/manner.h"

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
	int rc;

	if (keep == 0 || chunk.len == 0)
		return 0;
	rc = buf_add(&r->tail, slice_sub(chunk, 0, keep));
	if (rc)
		return rc;
	look_in(r, buf_slice(&r->tail));
	look_in(r, chunk);
	if (chunk.len >= keep) {
		buf_reset(&r->tail);
		rc = buf_add(&r->tail, slice_sub(chunk, chunk.len - keep, chunk.len));
	} else if (r->tail.len > keep) {
		memmove(r->tail.ptr, r->tail.ptr + r->tail.len - keep, keep);
		buf_truncate(&r->tail, keep);
	}
	return rc;
}

static int sink(void *context, slice decoded)
{
	struct reading *r = context;
	size_t room;
	int rc;

	if (r->stopping && atomic_load(r->stopping))
		return ERR_STOPPED;
	rc = look_for(r, decoded);
	if (rc)
		return rc;
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
	page_text_release(&r->text);
	buf_release(&r->body);
	buf_release(&r->tail);
	required_release(&r->required);
	stand_in_release(&r->stand_in);
	forms_release(&r->forms);
	deceit_release(&r->deceit);
	*r = (struct reading){0};
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

uint64_t reading_manner(const struct reading *r)
{
	return manner_of(state_fields(r->state), required_number(&r->required));
}

int reading_stand_in(const struct reading *r, const struct state_result *result, slice url,
	char ret[STAND_IN_SIZE])
{
	struct blocked_body body = stand_in_body(&r->stand_in);

	return stand_in_judge(
		&(struct stand_in_facts){
			.status = result->status,
			.head = state_fields(r->state),
			.url = url,
			.body = r->is_read ? &body : NULL,
			.missing = r->is_read ? required_missing(&r->required) : (slice){0},
		},
		ret);
}

void reading_served(const struct reading *r, int64_t now, struct served *ret)
{
	served_read(state_fields(r->state), now, ret);
}

/* Link and Refresh headers count for any kind of document. */
static int read_link_headers(struct reading *r)
{
	const struct fields *fields = state_fields(r->state);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < fields->items.len; i++) {
		slice name = fields->items.ptr[i].name, value = fields->items.ptr[i].value;

		if (word_is(name, SLICE("link")))
			rc = links_header(&r->links, value);
		else if (word_is(name, SLICE("refresh")))
			rc = links_refresh(&r->links, value);
	}
	return rc;
}

static int begin_links(struct reading *r)
{
	links_reset(&r->links);
	if (r->gathers_forms)
		forms_reset(&r->forms);
	page_text_release(&r->text);
	page_text_init(&r->text);
	return read_link_headers(r);
}

/* Starts the parser if anything is wanted of it. */
static int begin(struct reading *r, slice url)
{
	slice type = media_type_of_head(state_fields(r->state));
	bool wants_links = r->mode == READING_LINKS || r->mode == READING_TEXT;
	int rc;

	r->signing = r->mode != READING_BODY && stand_in_applies(state_fields(r->state));
	rc = r->signing ? required_start(&r->required, &r->book->ignore, url) : 0;
	if (rc)
		return rc;
	r->required.is_on = r->required.is_on && r->signing;
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

int reading_read(struct reading *r, const struct net_fetch *f, enum reading_for mode,
	struct state_result *ret, struct err *err)
{
	int rc;

	r->mode = mode;
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
	rc = begin(r, f->url);
	if (rc == 0)
		rc = feed(r, f, err);
	if (rc == 0)
		rc = state_finish(r->state, ret);
	if (rc == 0 && r->parsing)
		rc = page_finish(r->page);
	r->signing = r->signing && page_is_html(r->page);
	if (r->parsing)
		page_close(r->page);
	r->parsing = false;
	r->is_read = rc == 0 && r->signing && manner_is_read(ret);
	return err_code(err, rc);
}
