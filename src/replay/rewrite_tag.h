/*
 * What replay changes in one start tag: which attributes, and their new values. Attributes that
 * would break the replayed page or reach out of the archive (integrity, nonce, ping, policies in a
 * meta element, connection hints) are renamed, "data-stillpoint-" before their names: they do
 * nothing then, and the page still tells what was there.
 */
#ifndef REPLAY_REWRITE_TAG_H
#define REPLAY_REWRITE_TAG_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/html_token.h"
#include "replay/rewrite_css.h"
#include "replay/rewrite_url.h"

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

/*
 * Appends the new value of an attribute (UTF-8, before any escaping): 0, ERR_NOTFOUND when the old
 * one stays, ERR_LIMIT, ERR_NOMEM. EDIT_SRCDOC is the caller's.
 */
int rewrite_value(struct rewrite_urls *urls, struct rewrite_edit edit, slice value,
	struct buf *out) SP_MUST_CHECK;

#endif
