/*
 * Style sheets for replay: what url(), src(), image-set() and @import refer to is replaced by its
 * place in the archive (rewrite_url.h). Every other byte stays as it is. Reads pieces of any size
 * and keeps no more of them than the token that is not complete.
 *
 *	rewrite_css_init(&c, urls, charset);
 *	while (there is more)
 *		rc = rewrite_css_feed(&c, piece, &out);
 *	rc = rewrite_css_finish(&c, &out);
 *	rewrite_css_release(&c);
 */
#ifndef REPLAY_REWRITE_CSS_H
#define REPLAY_REWRITE_CSS_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/css.h"
#include "replay/rewrite_url.h"

/* Bytes of a token; what is in a longer one is not rewritten. */
enum { REWRITE_CSS_TOKEN_MAX = 4 << 20 };

/* Fields are the rewriter's own. */
struct rewrite_css {
	struct rewrite_urls *urls; /* borrowed */
	bool is_utf8;              /* the sheet, whatever its document is */
	struct css_reader reader;
	struct buf kept;   /* from the first byte that is not written yet */
	size_t worthwhile; /* bytes in it that make another try worthwhile */
};

/* Allocates nothing. is_utf8 is false for a sheet in the encoding of urls. */
void rewrite_css_init(struct rewrite_css *c, struct rewrite_urls *urls, bool is_utf8);
void rewrite_css_release(struct rewrite_css *c);

/* Takes in bytes, or says that all have been given, and appends what is ready to out. 0, ERR_LIMIT
 * at the maximum of out, or ERR_NOMEM. After finish another sheet may begin. */
int rewrite_css_feed(struct rewrite_css *c, slice in, struct buf *out) SP_MUST_CHECK;
int rewrite_css_finish(struct rewrite_css *c, struct buf *out) SP_MUST_CHECK;

#endif
