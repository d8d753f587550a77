/* Bodies for the content origin: rewritten on their way (rewrite.h), or as they are. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/word.h"
#include "replay/answer_record.h"
#include "replay/answers.h"
#include "replay/body.h"
#include "replay/rewrite.h"

enum {
	SETTINGS_MAX = 1 << 20,
	OUT_MAX = 64 << 20, /* bytes that one piece of a body may become */
	TYPE_MAX = 1024,
};

/* A body on its way. */
struct rewriting {
	struct arena arena; /* what the rewriter borrows */
	struct body *body;
	struct rewriter *rewriter;
	struct buf out;
	size_t sent; /* of out */
	bool ended;
};

static void rewriting_free(void *context)
{
	struct rewriting *w = context;

	body_free(w->body);
	rewriter_close(w->rewriter);
	buf_release(&w->out);
	arena_release(&w->arena);
	free(w);
}

/* Rewrites the next piece. */
static int step(struct rewriting *w, struct err *err)
{
	slice piece;
	int rc = body_next(w->body, &piece, err);

	if (rc == 0)
		return err_code(err, rewriter_feed(w->rewriter, piece, &w->out));
	if (rc != ERR_END)
		return rc;
	w->ended = true;
	return err_code(err, rewriter_finish(w->rewriter, &w->out));
}

static ssize_t rewriting_read(void *context, char *out, size_t room)
{
	struct rewriting *w = context;
	struct err err = {0};
	size_t n;

	while (w->sent == w->out.len && !w->ended) {
		buf_reset(&w->out);
		w->sent = 0;
		if (step(w, &err))
			return -1;
	}
	n = w->out.len - w->sent < room ? w->out.len - w->sent : room;
	if (n)
		memcpy(out, w->out.ptr + w->sent, n);
	w->sent += n;
	return (ssize_t)n;
}

static enum rewrite_kind kind_of(enum route_form form)
{
	switch (form) {
	case ROUTE_IMAGE:
		return REWRITE_IMAGE;
	case ROUTE_SCRIPT:
		return REWRITE_SCRIPT;
	case ROUTE_STYLE:
		return REWRITE_STYLE;
	default:
		return REWRITE_PAGE;
	}
}

/* A part of a page that a script asked for gets no script of ours. */
static bool is_document(const struct asked *a)
{
	const char *field = httpd_request_field(a->request, "Sec-Fetch-Dest");

	return !field || !word_is(slice_str(field), SLICE("empty"));
}

static slice keep(struct arena *arena, slice s)
{
	return (slice){arena_str(arena, s), s.len};
}

/* Takes over the body. */
static struct rewriting *start(struct asked *a, slice url, slice type, struct body *body)
{
	struct rewriting *w = mem_new(1, sizeof *w);
	struct rewrite_params p;

	w->body = body;
	arena_init(&w->arena, SETTINGS_MAX);
	buf_init(&w->out, OUT_MAX);
	p = (struct rewrite_params){
		.place = {.collection = keep(&w->arena, a->route.name),
			.time = keep(&w->arena, a->route.digits)},
		.url = keep(&w->arena, url),
		.kind = kind_of(a->route.form),
		.content_type = keep(&w->arena, type),
		.script = is_document(a) ? SLICE("/_/replay.js") : (slice){0},
	};
	w->rewriter = rewriter_open(&p);
	return w;
}

static int add_field(void *context, slice name, slice value)
{
	struct asked *a = context;
	char text[TYPE_MAX];

	if (name.len < sizeof text) {
		memcpy(text, name.ptr, name.len);
		text[name.len] = '\0';
		answer_header(a, text, "%.*s", (int)value.len, value.ptr);
	}
	return 0;
}

static int add_fields(struct asked *a, slice url, const struct fields *fields)
{
	const struct rewrite_place place = {.collection = a->route.name, .time = a->route.digits};
	struct rewrite_urls urls;
	int rc = rewrite_urls_init(&urls, &place, url, CHARSET_UTF_8);

	if (rc == 0)
		rc = rewrite_fields(fields, &urls, kind_of(a->route.form), add_field, a);
	rewrite_urls_release(&urls);
	answer_original_fields(a, fields);
	return rc == ERR_SYNTAX ? 0 : rc;
}

static int add_type(struct asked *a, const struct rewriter *r)
{
	struct buf type;
	int rc;

	buf_init(&type, TYPE_MAX);
	rc = rewriter_content_type(r, &type);
	if (rc == 0 && type.len)
		answer_header(a, "Content-Type", "%s", buf_str(&type));
	buf_release(&type);
	return rc == ERR_LIMIT ? 0 : rc;
}

/* The type is known when the rewriter has seen enough; what is small is sent with its length. */
static int send_rewritten(struct asked *a, struct rewriting *w, struct err *err)
{
	struct httpd_response *r = a->response;
	int rc = 0;

	while (rc == 0 && !w->ended &&
		(!rewriter_is_decided(w->rewriter) || w->out.len < BODY_MEMORY_MAX))
		rc = step(w, err);
	if (rc == 0)
		rc = err_code(err, add_type(a, w->rewriter));
	if (rc == 0 && w->ended)
		rc = err_code(err, buf_add(&r->body, buf_slice(&w->out)));
	if (rc || w->ended) {
		rewriting_free(w);
		return rc;
	}
	r->stream = (struct httpd_stream){
		.read = rewriting_read, .free = rewriting_free, .context = w, .slow = true};
	return 0;
}

static int rewrite(struct asked *a, slice url, struct record *record, struct err *err)
{
	const struct record_head head = *record_head(record);
	struct body *body = NULL;
	int rc = err_code(err, add_fields(a, url, head.fields));

	if (rc) {
		record_close(record);
		return rc;
	}
	a->response->status = head.status;
	TRY(body_new_decoded(record, &body, err));
	return send_rewritten(a, start(a, url, head.content_type, body), err);
}

void answer_rewritten(struct asked *a, const struct found *found, struct record *record)
{
	const struct record_head *head = record_head(record);
	slice url = found->memento->url;
	struct err err = {0};
	int rc;

	answer_header(a, "Cache-Control", "no-cache");
	if (rewrite_format_of(head->content_type, kind_of(a->route.form)) != REWRITE_NOTHING) {
		rc = rewrite(a, url, record, &err);
	} else {
		rc = err_code(&err, add_fields(a, url, head->fields));
		if (head->content_type.len)
			answer_header(a, "Content-Type", "%.*s",
				slice_shown(head->content_type, TYPE_MAX), head->content_type.ptr);
		if (rc == 0)
			answer_body(a, found->memento, record);
		else
			record_close(record);
	}
	if (rc == 0)
		return;
	buf_reset(&a->response->headers);
	answer_error(a, STATUS_BAD_GATEWAY, err.text);
}
