/*
 * A body for replay in a browser: pieces of bytes go in, content coding undone, and come out with
 * their references changed so that they lead into the archive (rewrite_url.h). HTML, XHTML, SVG and
 * style sheets are rewritten; scripts, JSON and everything else pass as they are, for what a string
 * in a script is used for cannot be known: the client script (web/src/replay) sees to it when the
 * page runs. The encoding stays, but UTF-16 and ISO-2022-JP, whose bytes hide ASCII, become UTF-8.
 *
 *	r = rewriter_open(&params);
 *	while (rc == 0 && there is more)
 *		rc = rewriter_feed(r, piece, &out);	// use out, buf_reset(&out)
 *	if (rc == 0)
 *		rc = rewriter_finish(r, &out);
 *	rewriter_close(r);
 *
 * Any bytes are taken; pieces of any size give the same result; memory is bounded.
 */
#ifndef REPLAY_REWRITE_H
#define REPLAY_REWRITE_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "formats/charset.h"
#include "formats/http_fields.h"
#include "replay/rewrite_url.h"

/*
 * The fields of an archived response for a browser. Few of them mean something in replay; each of
 * the others, and all that act on the browser beyond the page (cookies, HSTS, policies, service
 * workers, reports), is shown as X-Archive-Orig-NAME and does nothing.
 */

/* Receives a field that the browser gets. 0, or what ends the listing. */
typedef int rewrite_field_sink(void *context, slice name, slice value);

/*
 * Hands over the fields that are to act, in order. Content-Type, Content-Length, the codings and
 * what concerns caches and ranges are not among them: they describe the body, which is the server's
 * to send. kind is what the response was asked for as: where a redirect leads is asked for alike.
 * 0, the sink's result, or ERR_NOMEM.
 */
int rewrite_fields(const struct fields *fields, struct rewrite_urls *urls, enum rewrite_kind kind,
	rewrite_field_sink *sink, void *context) SP_MUST_CHECK;

enum rewrite_format {
	REWRITE_NOTHING, /* the bytes pass as they are */
	REWRITE_HTML,
	REWRITE_XHTML,
	REWRITE_SVG,
	REWRITE_CSS,
};

/* Everything is borrowed until rewriter_close. */
struct rewrite_params {
	struct rewrite_place place;
	slice url; /* of the document */
	enum rewrite_kind kind;
	slice content_type; /* the archived field; empty when there was none */
	slice script;       /* URL of the client script; empty: none is put in */
};

/* How a body of that type is rewritten; known before any of its bytes, unless it has no type. */
enum rewrite_format rewrite_format_of(slice content_type, enum rewrite_kind kind);

struct rewriter;

struct rewriter *rewriter_open(const struct rewrite_params *params);
void rewriter_close(struct rewriter *r); /* NULL is fine */

/* Takes in bytes, or says that all have been given, and appends what is ready to out. 0, ERR_LIMIT
 * at the maximum of out, or ERR_NOMEM. */
int rewriter_feed(struct rewriter *r, slice in, struct buf *out) SP_MUST_CHECK;
int rewriter_finish(struct rewriter *r, struct buf *out) SP_MUST_CHECK;

/*
 * Appends the Content-Type that the result has: the archived one, with the charset that the
 * document itself declares, which the client script could push out of a browser's sight. Known when
 * rewriter_is_decided: after CHARSET_SNIFF_MAX bytes, or at the end.
 */
bool rewriter_is_decided(const struct rewriter *r);
int rewriter_content_type(const struct rewriter *r, struct buf *out) SP_MUST_CHECK;

#endif
