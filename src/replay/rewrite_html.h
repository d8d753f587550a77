/*
 * HTML for replay: references are replaced by their places in the archive, what breaks replay is
 * renamed (rewrite_tag.h), and the client script is put before all others. Every other byte stays
 * as it is, in whatever encoding the document has, if that has ASCII's bytes for ASCII. Pieces of
 * any size give the same result; memory is bounded, for no more than one tag is kept.
 */
#ifndef REPLAY_REWRITE_HTML_H
#define REPLAY_REWRITE_HTML_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/html_token.h"
#include "replay/rewrite_css.h"
#include "replay/rewrite_url.h"

/*
 * What replay changes in one start tag: which attributes, and their new values. Attributes that
 * would break the replayed page or reach out of the archive (integrity, nonce, ping, policies in a
 * meta element, connection hints) are renamed, "data-stillpoint-" before their names: they do
 * nothing then, and the page still tells what was there.
 */

enum rewrite_edit_kind {
	EDIT_NONE,
	EDIT_RENAME,
	EDIT_URL,
	EDIT_SRCSET,
	EDIT_CSS,
	EDIT_SRCDOC,
	EDIT_REFRESH,
	EDIT_REL, /* rename, and add a rel without the hints */
};

struct rewrite_edit {
	enum rewrite_edit_kind what;
	enum rewrite_kind kind; /* of EDIT_URL */
};

#define REWRITE_RENAMED "data-stillpoint-"

/* What is to be done with an attribute of a start tag. */
struct rewrite_edit rewrite_edit_of(const struct html_token *token, const struct html_attr *attr);

enum {
	REWRITE_TAG_MAX = 16 << 20, /* bytes of a tag; a longer one is not rewritten */
	REWRITE_SRCDOC_MAX = 3,     /* documents inside of documents, nested */
};

/* Fields are the rewriter's own. */
struct rewrite_html {
	struct rewrite_urls *urls; /* borrowed */
	slice script;              /* URL of the client script, borrowed; empty for none */
	bool is_utf8;
	bool is_xml;
	bool script_due;
	bool in_style;
	bool too_long; /* the token being read passes as it is */
	unsigned depth;
	slice chunk;
	uint64_t chunk_at;
	uint64_t written; /* bytes of the document that have been dealt with */
	struct buf kept;  /* those from written to chunk_at */
	struct buf value; /* new value of an attribute */
	struct buf source;
	struct html_tokenizer tokens;
	struct rewrite_css css;
};

struct rewrite_html_params {
	struct rewrite_urls *urls; /* borrowed until release */
	slice script;              /* borrowed as well */
	bool is_utf8;              /* else the document has the encoding of urls */
	bool is_xml;
	unsigned depth; /* of documents around it */
};

/* Allocates nothing. */
void rewrite_html_init(struct rewrite_html *h, const struct rewrite_html_params *params);
void rewrite_html_release(struct rewrite_html *h);

/* Takes in bytes, or says that all have been given, and appends what is ready to out. 0, ERR_LIMIT
 * at the maximum of out, or ERR_NOMEM. */
int rewrite_html_feed(struct rewrite_html *h, slice in, struct buf *out) SP_MUST_CHECK;
int rewrite_html_finish(struct rewrite_html *h, struct buf *out) SP_MUST_CHECK;

#endif
